// SPDX-License-Identifier: GPL-2.0
/* Results of guests as one HTML page. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "report_html.h"

/* A column's name: the folder's last word. */
static char *label_of(const char *folder)
{
	size_t len = strlen(folder), begin;

	while (len > 1 && folder[len - 1] == '/')
		len--;
	for (begin = len; begin && folder[begin - 1] != '/'; begin--)
		;
	return strndup(folder + begin, len - begin);
}

/* @as: how the page calls the folder, which is elsewhere until it is whole; NULL for as it is. */
static int add_folder(struct report *r, const char *folder, const char *as)
{
	char *label = label_of(as ? as : folder);
	int ret = label ? report_add(r, label, folder, as ? as : folder) : -ENOMEM;

	free(label);
	if (ret == -ENOENT)
		return complain("report: %s: neither results.ktap nor traces lie in this folder", folder);
	return ret ? complain("report: %s: %s", folder, strerror(-ret)) : 0;
}

static int check_room(const struct report *r)
{
	if (r->nkernels < REPORT_KERNELS_MAX)
		return 0;
	return complain("report: more than %d folders", REPORT_KERNELS_MAX);
}

static int parse_options(struct report *r, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "rules", required_argument, NULL, 'r' },
		{ "without", required_argument, NULL, 'w' },
		{ "as", required_argument, NULL, 'a' },
		{ 0 },
	};
	const char *as = NULL;
	int opt, ret;

	opterr = 0;
	/* In order: a column without results stands where it was named. */
	while ((opt = getopt_long(argc, argv, "-:", longs, NULL)) != -1) {
		int status = 0;

		switch (opt) {
		case 'r':
			ret = report_read_rules(r, optarg);
			if (ret)
				return complain("report: --rules %s: %s", optarg, strerror(-ret));
			break;
		case 'w':
			status = check_room(r);
			if (!status && report_add(r, optarg, NULL, NULL))
				status = complain("report: no memory");
			break;
		case 1:
			status = check_room(r);
			if (!status)
				status = add_folder(r, optarg, as);
			as = NULL;
			break;
		case 'a':
			as = optarg;
			break;
		case ':':
			return complain("report: %s needs a value", argv[optind - 1]);
		default:
			return complain_option("report", argv);
		}
		if (status)
			return status;
	}
	if (as)
		return complain("report: --as %s: no folder follows", as);
	if (!r->nkernels)
		return complain("report: give folders of results: perfwake report FOLDER... > report.html");
	return 0;
}

int command_report(int argc, char **argv)
{
	static struct report r;		/* too big for the stack */
	int status = parse_options(&r, argc, argv);

	report_choose(&r);
	if (!status && report_html_write(stdout, &r, perfwake_version))
		status = complain("report: no memory");
	report_free(&r);
	return status;
}
