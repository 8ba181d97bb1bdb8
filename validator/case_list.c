// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "trace_text.h"

static int add_file(struct case_list *list, const char *path)
{
	struct trace_file **files;
	struct text_error err;
	char **paths;

	files = realloc(list->files, (list->count + 1) * sizeof(*files));
	if (files)
		list->files = files;
	paths = realloc(list->paths, (list->count + 1) * sizeof(*paths));
	if (paths)
		list->paths = paths;
	if (!files || !paths)
		return complain("%s: no memory", path);
	files[list->count] = calloc(1, sizeof(**files));
	paths[list->count] = strdup(path);
	list->count++;
	if (!files[list->count - 1] || !paths[list->count - 1])
		return complain("%s: no memory", path);
	if (!trace_text_read(path, files[list->count - 1], &err))
		return 0;
	if (!err.line)
		return complain("%s: %s", path, err.reason);
	return complain("%s:%u:%u: %s", path, err.line, err.column, err.reason);
}

static int is_case(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return entry->d_name[0] != '.' && len > 5 && !strcmp(entry->d_name + len - 5, ".case");
}

static int add_folder(struct case_list *list, const char *path)
{
	struct dirent **found;
	int n = scandir(path, &found, is_case, alphasort);
	int ret = 0;

	if (n < 0)
		return complain("%s: cannot be read: %s", path, strerror(errno));
	if (!n)
		ret = complain("%s: no *.case file lies in this folder", path);
	for (int i = 0; i < n; i++) {
		char file[4096];

		if (ret)
			;
		else if (snprintf(file, sizeof(file), "%s/%s", path, found[i]->d_name) >=
			 (int)sizeof(file))
			ret = complain("%s: the name is too long", path);
		else
			ret = add_file(list, file);
		free(found[i]);
	}
	free(found);
	return ret;
}

int case_list_read(struct case_list *list, char **paths, int npaths)
{
	int ret = 0;

	*list = (struct case_list){ 0 };
	for (int i = 0; !ret && i < npaths; i++) {
		struct stat st;

		if (!stat(paths[i], &st) && S_ISDIR(st.st_mode))
			ret = add_folder(list, paths[i]);
		else
			ret = add_file(list, paths[i]);
	}
	if (ret)
		case_list_free(list);
	return ret;
}

void case_list_free(struct case_list *list)
{
	for (uint32_t i = 0; i < list->count; i++) {
		if (list->files[i])
			trace_file_free(list->files[i]);
		free(list->files[i]);
		free(list->paths[i]);
	}
	free(list->files);
	free(list->paths);
	*list = (struct case_list){ 0 };
}
