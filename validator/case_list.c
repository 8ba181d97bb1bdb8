// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <glob.h>
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

static int add_folder(struct case_list *list, const char *path)
{
	char pattern[4096];
	glob_t found;
	int ret = 0;

	if (snprintf(pattern, sizeof(pattern), "%s/*.case", path) >= (int)sizeof(pattern))
		return complain("%s: the name is too long", path);
	if (glob(pattern, 0, NULL, &found))
		return complain("%s: no *.case file lies in this folder", path);
	for (size_t i = 0; !ret && i < found.gl_pathc; i++)
		ret = add_file(list, found.gl_pathv[i]);
	globfree(&found);
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
