// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupted writers. First the model against itself: in every situation, wherever the inner writers
 * come, the end is that of one of the two serial orders, or a known defect is marked; and the
 * defect is real: without its mark the end would be neither. Then traces as a kernel shows them,
 * worked out by hand, with the verdict each has to get.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "defects.h"
#include "situations.h"
#include "support.h"
#include "tap.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MAX_CODES 8

/* What is left of a situation when all its writers are gone. */
struct end {
	struct model_ring ring;
	struct model_record records[512];
	enum code codes[MAX_CODES];
	uint32_t defects;
};

static void play(struct explore_case *e, struct model_kernel kernel, enum moment moment,
		 struct end *end)
{
	struct model *m = &e->work.model;
	struct value out = { 0 };

	memset(end, 0, sizeof(*end));
	model_init(m, &e->wcase, kernel, e->work.records);
	m->inner.moments[0] = moment;
	for (uint32_t i = 0; i < e->wcase.nsteps; i++) {
		value_store_clear(&e->work.store);
		model_step(m, &e->wcase.steps[i], VALUE_NO_SAMPLE, &e->work.store, &out);
		if (e->wcase.steps[i].interrupted)
			break;
	}
	end->ring = m->rings[0];
	end->defects = m->defects;
	for (uint32_t i = 0, n = 0; i < out.codes.count; i++)
		for (uint32_t j = 0; j < e->work.store.codes[out.codes.start + i].count; j++)
			end->codes[n++] = e->work.store.codes[out.codes.start + i].code;
	for (uint32_t i = 0; i < end->ring.count; i++)
		end->records[i] = end->ring.records[(end->ring.first + i) & (end->ring.capacity - 1)];
}

/* What was refused, told of or not yet. */
static uint64_t all_lost(const struct end *e)
{
	uint64_t lost = e->ring.lost;

	for (uint32_t i = 0; i < e->ring.count; i++)
		lost += e->records[i].lost ? e->records[i].value : 0;
	return lost;
}

static bool same_records(const struct end *a, const struct end *b)
{
	if (a->ring.count != b->ring.count)
		return false;
	for (uint32_t i = 0; i < a->ring.count; i++) {
		const struct model_record *x = &a->records[i], *y = &b->records[i];

		if (x->lost != y->lost || x->bytes != y->bytes || (!x->lost && x->value != y->value))
			return false;
	}
	return true;
}

static bool same_codes(const struct end *a, const struct end *b)
{
	return !memcmp(a->codes, b->codes, sizeof(a->codes));
}

/*
 * One thing may differ from any serial order: the outer writer takes the loss late, and with it the
 * refusal of an inner one, which so is told of in front of a sample that was there first. The
 * books balance all the same.
 */
static bool same(const struct end *a, const struct end *b)
{
	const struct model_ring *x = &a->ring, *y = &b->ring;

	return x->head == y->head && x->wakeup == y->wakeup && x->events == y->events &&
	       x->poll == y->poll && !x->nest && !y->nest && all_lost(a) == all_lost(b) &&
	       same_records(a, b) && same_codes(a, b);
}

static uint64_t compared, marked[DEFECTS];

static void check_moment(struct explore_case *e, struct model_kernel kernel, enum moment moment)
{
	static struct end first, last, end;

	play(e, kernel, MOMENT_ENTERED, &first);
	play(e, kernel, MOMENTS, &last);
	play(e, kernel, moment, &end);
	compared++;
	for (int i = 0; i < DEFECTS; i++)
		marked[i] += !!(end.defects & defects[i].bit);
	tap_check(!first.defects && !last.defects, "%s: a serial order has a defect: %s",
		  e->situation->name, defect_ids(first.defects | last.defects));
	/* The one thing that takes a loss at once changes: an inner sample gets in in front of it. */
	if (kernel.lost_at_once && moment == MOMENT_LOST_HELD) {
		tap_check(!end.defects && all_lost(&end) == all_lost(&first) &&
				  (same_codes(&end, &first) || same_codes(&end, &last)),
			  "%s, the loss held: marked '%s', %" PRIu64 " lost, not %" PRIu64,
			  e->situation->name, defect_ids(end.defects), all_lost(&end),
			  all_lost(&first));
		return;
	}
	tap_check(!end.defects == (same(&end, &first) || same(&end, &last)),
		  "%s, moment %d, marked '%s': head %" PRIu64 " wakeup %" PRIu64 " events %d lost %"
		  PRIu64 " poll %d; inner first %" PRIu64 " %" PRIu64 " %d %" PRIu64
		  " %d; inner last %" PRIu64 " %" PRIu64 " %d %" PRIu64 " %d",
		  e->situation->name, moment, defect_ids(end.defects), end.ring.head,
		  end.ring.wakeup, (int)end.ring.events, end.ring.lost, end.ring.poll,
		  first.ring.head, first.ring.wakeup, (int)first.ring.events, first.ring.lost,
		  first.ring.poll, last.ring.head, last.ring.wakeup, (int)last.ring.events,
		  last.ring.lost, last.ring.poll);
}

static void test_moments(struct model_kernel kernel, const char *name)
{
	tap_begin("%s: wherever a writer is interrupted, a serial order or a known defect", name);
	memset(marked, 0, sizeof(marked));
	for (uint32_t i = 0; i < situation_count; i++) {
		struct explore_case e;

		if (explore_case_open(&e, &situations[i], 2))
			tap_bail_out("no memory");
		for (enum moment moment = 0; moment < MOMENTS; moment++)
			check_moment(&e, kernel, moment);
		explore_case_close(&e);
	}
	for (int i = 0; i < DEFECTS; i++)
		tap_check(!marked[i] == (kernel.lost_at_once && defects[i].bit == DEFECT_EMPTY_LOSS),
			  "%s is shown by %" PRIu64 " interruptions", defects[i].id, marked[i]);
	printf("# %" PRIu64 " interruptions\n", compared);
}

struct row {
	const char *name;
	const char *text;
	enum verdict_kind kind;
	uint32_t defects;
};

#define TRACE "ring 0 cpu=0 pages=1 wakeup_events="

static const struct row rows[] = {
	{ "inner first", "name a\n" TRACE "2\n"
	  "emit 0 count=2 size=8 at=f+0x1 -> ok head 48\nlook 0 -> ready\nconsume 0 -> 1,0 lost 0\n",
	  VERDICT_PROVED, 0 },
	{ "outer first", "name a\n" TRACE "2\n"
	  "emit 0 count=2 size=8 at=f+0x1 -> ok head 48\nlook 0 -> ready\nconsume 0 -> 0..1 lost 0\n",
	  VERDICT_PROVED, 0 },
	/* 1 and 2 are 2 of 2, with 0 before them: the inner one crosses, whichever comes first */
	{ "K8a: quiet where the inner one crosses", "name a\n" TRACE "2\n"
	  "emit 0 count=1 size=8 -> ok\n"
	  "emit 0 count=2 size=8 at=f+0x1 -> ok head 72\nlook 0 = ready -> quiet\n"
	  "emit 0 count=1 size=8 -> ok\nlook 0 -> ready\n",
	  VERDICT_DEFECT, DEFECT_LOST_WAKE },
	{ "quiet for good is no known defect", "name a\n" TRACE "2\n"
	  "emit 0 count=1 size=8 -> ok\n"
	  "emit 0 count=2 size=8 at=f+0x1 -> ok head 72\nlook 0 -> quiet\n"
	  "emit 0 count=1 size=8 -> ok\nlook 0 -> quiet\n",
	  VERDICT_KERNEL, 0 },
	{ "with N of 1 no wake is lost", "name a\n" TRACE "1\n"
	  "emit 0 count=2 size=8 at=f+0x1 -> ok head 48\nlook 0 -> quiet\n",
	  VERDICT_KERNEL, 0 },
	{ "a wake without a crossing", "name a\n" TRACE "4\n"
	  "emit 0 count=2 size=8 at=f+0x1 -> ok head 48\nlook 0 -> ready\n",
	  VERDICT_KERNEL, 0 },
	/* 2040 bytes; the next sample crosses 2048, and both writers add 2048 */
	{ "K8b: every sample wakes", "name a\n" TRACE "1000\n"
	  "emit 0 count=85 size=8 -> ok\n"
	  "emit 0 count=2 size=8 at=f+0x1 -> ok head 2088\nlook 0 -> ready\nconsume 0 -> 0..86 lost 0\n"
	  "emit 0 count=3 size=8 every=look -> ok ready 87..89\n",
	  VERDICT_DEFECT, DEFECT_WAKE_STORM },
	{ "one spare wake is no storm", "name a\n" TRACE "1000\n"
	  "emit 0 count=85 size=8 -> ok\n"
	  "emit 0 count=2 size=8 at=f+0x1 -> ok head 2088\nlook 0 -> ready\nconsume 0 -> 0..86 lost 0\n"
	  "emit 0 count=3 size=8 every=look -> ok ready 87\n",
	  VERDICT_KERNEL, 0 },
	{ "K8c: 24 bytes for a loss of 0", "name a\n" TRACE "100\n"
	  "pause 0 -> ok\nemit 0 count=1 size=8 -> ENOSPC\nresume 0 -> ok\n"
	  "emit 0 count=2 size=8 at=f+0x1 -> ok head 96\nconsume 0 -> 2,1 lost 1\n",
	  VERDICT_DEFECT, DEFECT_EMPTY_LOSS },
	{ "a loss told twice", "name a\n" TRACE "100\n"
	  "pause 0 -> ok\nemit 0 count=1 size=8 -> ENOSPC\nresume 0 -> ok\n"
	  "emit 0 count=2 size=8 at=f+0x1 -> ok head 96\nconsume 0 -> 2,1 lost 2\n",
	  VERDICT_KERNEL, 0 },
	/* N=3 with 2 counted: both find 3, take 3 off twice; 2 more than -2 are needed, and 3 */
	{ "K8d: two take one count", "name a\n" TRACE "3\n"
	  "emit 0 count=2 size=8 -> ok\n"
	  "emit 0 count=2 size=8 at=f+0x1 -> ok head 96\nlook 0 -> ready\n"
	  "emit 0 count=8 size=8 every=look -> ok ready 8,11\n",
	  VERDICT_DEFECT, DEFECT_COUNT_TWICE },
	{ "a sample less", "name a\n" TRACE "100\n"
	  "emit 0 count=2 size=8 at=f+0x1 -> ok head 48\nconsume 0 -> 0 lost 0\n",
	  VERDICT_KERNEL, 0 },
	{ "a torn sample", "name a\n" TRACE "100\n"
	  "emit 0 count=2 size=8 at=f+0x1 -> ok head 48\nconsume 0 -> 0..1 lost 0 torn 1\n",
	  VERDICT_KERNEL, 0 },
	{ "the head too low", "name a\n" TRACE "100\n"
	  "emit 0 count=2 size=8 at=f+0x1 -> ok head 24\n",
	  VERDICT_KERNEL, 0 },
	{ "what a person expects, the kernel does not, and no defect either", "name a\n" TRACE "3\n"
	  "emit 0 count=2 size=8 at=f+0x1 -> ok\nlook 0 = ready -> quiet\n",
	  VERDICT_EXPECTATION, 0 },
};

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct trace_file f;
		struct verdict v;

		tap_begin("%s", rows[i].name);
		text_to_file(rows[i].text, &f);
		v = judge_file(&f, false);
		tap_check(v.kind == rows[i].kind, "the verdict is %s, not %s", kind_name(v.kind),
			  kind_name(rows[i].kind));
		tap_check(v.defects == rows[i].defects, "the defects are '%s', not %x",
			  defect_ids(v.defects), rows[i].defects);
		trace_file_free(&f);
	}
}

int main(void)
{
	struct model_kernel kernel = model_kernel(0);

	test_moments(kernel, "a stock kernel");
	kernel.lost_at_once = true;
	test_moments(kernel, "one that takes losses at once");
	test_rows();
	return tap_done();
}
