// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "defects.h"
#include "model.h"

const struct defect defects[DEFECTS] = {
	{
		.bit = DEFECT_LOST_WAKE,
		.id = "K8a",
		.what = "a wake-up is lost",
		.why = "rb->nest is raised before the wake counter's snapshot is taken: a writer in between "
		       "crosses, leaves the wake to the outer one, and that one's snapshot has it already",
		.meaning = "what the ring holds stays unseen until the next crossing",
		.seen = "5.10 to 7.3",
	},
	{
		.bit = DEFECT_WAKE_STORM,
		.id = "K8b",
		.what = "two writers take one byte step",
		.why = "the byte rule tests and adds in two steps: the counter runs ahead of the head, and "
		       "their difference is unsigned",
		.meaning = "from then on every sample wakes, until the ring is mapped anew",
		.seen = "5.10 to 7.3",
	},
	{
		.bit = DEFECT_EMPTY_LOSS,
		.id = "K8c",
		.what = "two writers make room for one loss",
		.why = "whether there is a loss to tell of is read before the space is taken, and the loss "
		       "itself is taken after it",
		.meaning = "a LOST record of 0, and in a nearly full ring 24 bytes that a sample lacks",
		.seen = "5.10 to 7.3",
	},
	{
		.bit = DEFECT_COUNT_TWICE,
		.id = "K8d",
		.what = "two writers take one count",
		.why = "the count rule raises, compares and reduces in steps of their own: both find N reached, "
		       "and the counter falls below 0",
		.meaning = "two wakes at once, and then none for up to 2N - 1 samples",
		.seen = "5.10 to 7.3",
	},
};

const char *defect_ids(uint32_t bits)
{
	static char text[DEFECTS * 8];

	text[0] = 0;
	for (int i = 0; i < DEFECTS; i++) {
		if (!(bits & defects[i].bit))
			continue;
		if (text[0])
			strcat(text, "+");
		strcat(text, defects[i].id);
	}
	return text;
}
