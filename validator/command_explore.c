// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command_world.h"
#include "commands.h"
#include "explore_aftermath.h"
#include "explore_pairs.h"
#include "report_ktap.h"
#include "terminal.h"

/* The writer's way, from the first function that knows the ring to the wake. */
static const char *const way[] = {
	"perf_output_begin", "perf_output_begin_forward", "perf_output_begin_backward",
	"__perf_output_begin", "perf_output_get_handle", "perf_output_sample", "perf_output_copy",
	"perf_output_put_handle", "perf_output_end",
};

#define WAY		(sizeof(way) / sizeof(way[0]))
#define MAX_FUNCTIONS	32
#define MAX_SHOWN	20u	/* violations of one run that are shown whole */

struct explore_options {
	const char *function;		/* only that one and its parts, or NULL */
	const char *situation;		/* only that one, or NULL */
	const char *traces;		/* folder, or NULL */
	struct place from;		/* where an earlier exploration ended */
	enum injector_kind probe;
	bool quick;
	bool within;			/* then also two interruptions within one another */
	bool strict;
};

/* The exploration as a whole. */
struct exploration {
	const struct explore_options *o;
	struct explorer x;
	struct ksym functions[MAX_FUNCTIONS];
	int nfunctions;
	uint32_t index;			/* of the last KTAP result */
	uint32_t places, reached, refused, runs, shown;
	struct standins standins;
	struct explored first[DEFECTS];	/* where each defect was seen first */
	uint32_t seen[DEFECTS];		/* at how many places */
	bool seen_within[DEFECTS];	/* at a pair of places */
	bool broken;
};

static int find_functions(struct exploration *e)
{
	for (size_t i = 0; i < WAY; i++) {
		int n = 0;

		if (e->o->function && strcmp(e->o->function, way[i]))
			continue;
		n = ksym_find(way[i], e->functions + e->nfunctions, MAX_FUNCTIONS - e->nfunctions);
		if (n < 0)
			return complain("explore: /proc/kallsyms: %s; run as root", strerror(-n));
		if (!n)
			printf("# %s is no function of its own in this kernel\n", way[i]);
		e->nfunctions += n;
	}
	if (!e->nfunctions)
		return complain("explore: this kernel has no function %s on the writer's way; without --function all are taken",
				e->o->function ? e->o->function : "at all");
	return 0;
}

static void write_bytes(FILE *out, const uint8_t *bytes, int n)
{
	for (int i = 0; i < n; i++)
		fprintf(out, "%02x%s", bytes[i], i + 1 < n ? " " : "");
}

static void write_smallest(const char *what, const struct situation *s)
{
	printf("%s %s=%" PRIu32 " (%s) ", what, s->ring.by_watermark ? "W" : "N", s->ring.threshold,
	       s->name);
}

/* One line for a place: what scripts/explore makes its table from. */
static void write_place(const struct explored *r)
{
	printf("# at %s+0x%x [", r->place.function, r->place.offset);
	write_bytes(stdout, r->bytes, 8);
	printf("] ");
	for (int i = 0; i < DEFECTS; i++)
		if (r->smallest[i])
			write_smallest(defects[i].id, r->smallest[i]);
	if (r->smallest[DEFECTS])
		write_smallest("UNEXPLAINED", r->smallest[DEFECTS]);
	printf("(%" PRIu32 " runs)\n", r->runs);
}

/* Explorer's callback: the trace is kept, and what no defect explains is shown whole. */
static void found(void *ctx, const struct explored *r, struct explore_case *c, uint32_t defect,
		  const struct verdict *v)
{
	struct exploration *e = ctx;
	char path[4096];

	snprintf(c->wcase.name, sizeof(c->wcase.name), "%s-%.28s-%x%s", c->situation->name,
		 r->place.function, r->place.offset, case_within(&c->wcase) ? "-within" : "");
	snprintf(path, sizeof(path), "%s/%s.trace", e->o->traces ? e->o->traces : ".", c->wcase.name);
	if (e->o->traces)
		write_trace(e->o->traces, &c->trace);
	if (!defect && e->shown++ < MAX_SHOWN)
		report_difference(stdout, "# ", e->o->traces ? path : c->wcase.name,
				  e->o->traces ? "replay" : NULL, &c->wcase, &c->trace,
				  &c->work.store, v);
	snprintf(c->wcase.name, sizeof(c->wcase.name), "%s", c->situation->name);
}

static void progress(const char *function, uint32_t done, uint32_t of)
{
	uint32_t filled = done * 40 / of;

	terminal_progress(stderr, "%-24.24s [%.*s%*s] %u of %u ", function, (int)filled,
			  "########################################", (int)(40 - filled), "", done, of);
}

static void account(struct exploration *e, const struct explored *r)
{
	e->places++;
	e->reached += !!r->reached;
	e->refused += r->refused;
	e->runs += r->runs;
	e->broken |= r->broken != 0;
	for (int i = 0; i < DEFECTS; i++) {
		if (!r->smallest[i])
			continue;
		if (!e->seen[i]++)
			e->first[i] = *r;
	}
	if (r->defects || r->broken)
		write_place(r);
}

static int explore_function(struct exploration *e, const struct ksym *f, uint32_t from)
{
	uint32_t places = e->places, reached = e->reached, refused = e->refused, runs = e->runs;
	bool broken = e->broken;
	struct explored r;

	e->broken = false;
	for (uint32_t offset = from; offset < f->bytes; offset++) {
		struct place place = { .offset = offset };
		int ret;

		strcpy(place.function, f->name);
		ret = explore_place(&e->x, &place, &r);
		if (ret == -EINTR) {
			printf("# interrupted: go on with --from %s+0x%x\n", f->name, offset);
			return EXIT_SETUP;
		}
		if (ret)
			return complain("explore: %s", e->x.error.reason);
		account(e, &r);
		if (!standins_note(&e->standins, &r))
			return complain("explore: more than %d places that differ", EXPLORE_MAX_STANDINS);
		progress(f->name, offset, f->bytes);
	}
	terminal_clear(stderr);
	printf("# %s: %" PRIu32 " bytes probed, %" PRIu32 " reached, %" PRIu32 " refused, %" PRIu32
	       " runs\n", f->name, e->places - places, e->reached - reached, e->refused - refused,
	       e->runs - runs);
	printf("%sok %" PRIu32 " %s\n", e->broken ? "not " : "", ++e->index, f->name);
	fflush(stdout);
	e->broken |= broken;
	return 0;
}

static void report_known(struct exploration *e)
{
	const struct explore_options *o = e->o;
	bool whole = !o->quick && !o->function && !o->situation && !o->from.function[0];

	for (int i = 0; i < DEFECTS; i++) {
		++e->index;
		if (!e->seen[i]) {
			printf("ok %" PRIu32 " %s # %s\n", e->index, defects[i].id,
			       whole ? "fixed: not seen in the whole exploration" :
				       "not seen in this part of the exploration");
			continue;
		}
		explore_aftermath(&e->x, &e->first[i], i);
		report_defects(stdout, "# ", defects[i].bit);
		printf("not ok %" PRIu32 " %s%s known defect, at %" PRIu32 " places, first at %s+0x%x\n",
		       e->index, defects[i].id, e->o->strict ? "" : " # XFAIL", e->seen[i],
		       e->first[i].place.function, e->first[i].place.offset);
	}
}

/* Pairs of places of which the outer one lies in @function. */
static int explore_function_within(struct exploration *e, const char *function)
{
	const struct standins *s = &e->standins;
	struct explored_pairs pairs = { 0 };

	for (uint32_t i = 0; i < s->count; i++) {
		int ret = strcmp(s->places[i].function, function) ? 0 :
			  explore_within(&e->x, s, i, &pairs);

		if (ret)
			return complain("explore: %s", ret == -EINTR ? "interrupted between pairs of places" :
					e->x.error.reason);
		progress(function, i, s->count);
	}
	e->runs += pairs.runs;
	e->broken |= pairs.broken != 0;
	printf("# %" PRIu32 " pairs, %" PRIu32 " runs:", pairs.reached, pairs.runs);
	for (int i = 0; i < DEFECTS; i++) {
		e->seen_within[i] |= pairs.seen[i] != 0;
		printf(" %s at %" PRIu32, defects[i].id, pairs.seen[i]);
	}
	printf("\n%sok %" PRIu32 " within %s\n", pairs.broken ? "not " : "", ++e->index, function);
	fflush(stdout);
	return 0;
}

/* The second part: in situations of its own. */
static int explore_within_all(struct exploration *e)
{
	int status = 0;

	explorer_close(&e->x);
	if (explorer_open(&e->x, e->x.with, EXPLORE_WITHIN, NULL))
		return complain("explore: the situations of --within cannot be opened: %s", e->x.error.reason);
	printf("# %" PRIu32 " places stand for all, in %" PRIu32 " situations\n", e->standins.count,
	       e->x.ncases);
	for (int i = 0; !status && i < e->nfunctions; i++)
		status = explore_function_within(e, e->functions[i].name);
	return status;
}

static int explore(struct exploration *e)
{
	bool begun = !e->o->from.function[0];
	int status = find_functions(e);

	if (status)
		return status;
	report_ktap_begin(stdout, (uint32_t)e->nfunctions * (1 + e->o->within) + DEFECTS);
	printf("# %" PRIu32 " situations, interrupted by %s\n", e->x.ncases,
	       injector_name(e->o->probe));
	for (int i = 0; !status && i < e->nfunctions; i++) {
		const struct ksym *f = &e->functions[i];
		bool here = !begun && !strcmp(f->name, e->o->from.function);

		begun |= here;
		if (begun)
			status = explore_function(e, f, here ? e->o->from.offset : 0);
		else
			printf("ok %" PRIu32 " %s # SKIP --from begins later\n", ++e->index, f->name);
	}
	if (status)
		return status;
	if (!begun)
		return complain("explore: --from %s+0x%x: not on the writer's way",
				e->o->from.function, e->o->from.offset);
	if (e->o->within)
		status = explore_within_all(e);
	if (status)
		return status;
	report_known(e);
	printf("# %" PRIu32 " bytes probed, %" PRIu32 " reached, %" PRIu32 " refused, %" PRIu32
	       " runs judged\n", e->places, e->reached, e->refused, e->runs);
	for (int i = 0; i < DEFECTS; i++)
		e->broken |= e->o->strict && (e->seen[i] || e->seen_within[i]);
	return e->broken ? EXIT_RULE : EXIT_PROVED;
}

static int option_from(const char *text, struct place *from)
{
	const char *plus = strchr(text, '+');
	char *end;

	if (!plus || plus == text || plus - text >= CASE_FUNCTION_BYTES)
		return complain("explore: --from %s: FUNCTION+0xOFFSET is expected", text);
	memcpy(from->function, text, (size_t)(plus - text));
	from->offset = (uint32_t)strtoul(plus + 1, &end, 16);
	if (*end || end == plus + 1)
		return complain("explore: --from %s: FUNCTION+0xOFFSET is expected", text);
	return 0;
}

static int parse_options(struct explore_options *o, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "function", required_argument, NULL, 'f' },
		{ "situation", required_argument, NULL, 'i' },
		{ "from", required_argument, NULL, 'r' },
		{ "probe", required_argument, NULL, 'p' },
		{ "traces", required_argument, NULL, 't' },
		{ "quick", no_argument, NULL, 'q' },
		{ "strict", no_argument, NULL, 's' },
		{ "within", no_argument, NULL, 'w' },
		{ 0 },
	};
	int opt, status = 0;

	opterr = 0;
	while (!status && (opt = getopt_long(argc, argv, ":", longs, NULL)) != -1) {
		switch (opt) {
		case 'f':
			o->function = optarg;
			break;
		case 'i':
			o->situation = optarg;
			break;
		case 'r':
			status = option_from(optarg, &o->from);
			break;
		case 'p':
			status = option_probe("explore", optarg, &o->probe);
			break;
		case 't':
			o->traces = optarg;
			break;
		case 'q':
			o->quick = true;
			break;
		case 's':
			o->strict = true;
			break;
		case 'w':
			o->within = true;
			break;
		case ':':
			return complain("explore: %s needs a value", argv[optind - 1]);
		default:
			return complain_option("explore", argv);
		}
	}
	if (!status && o->within && (o->quick || o->situation || o->from.function[0] ||
				     o->probe != INJECTOR_BREAKPOINT))
		status = complain("explore: --within has situations of its own and takes both probes: leave out --quick, --situation, --from and --probe");
	if (!status && optind != argc)
		status = complain("explore: '%s' is one word too many", argv[optind]);
	return status;
}

int command_explore(int argc, char **argv)
{
	static struct exploration e;	/* too big for the stack */
	struct explore_options o = { 0 };
	struct instruments with;
	int status = parse_options(&o, argc, argv);

	if (status)
		return status;
	e.o = &o;
	e.x.found = found;
	e.x.ctx = &e;
	status = open_instruments("explore", &with, EMITTER_TEST_RUN, CASE_MAX_RINGS, WITNESS_NONE);
	if (!status)
		status = open_injector("explore", &with, o.probe);
	if (!status && explorer_open(&e.x, &with, o.quick || o.within ? EXPLORE_QUICK : EXPLORE_ALL,
				     o.situation))
		status = complain("explore: --situation %s: there is none of that name",
				  o.situation ? o.situation : "");
	if (!status) {
		status = explore(&e);
		explorer_close(&e.x);
	}
	close_instruments(&with);
	die_of_signal();
	return status;
}
