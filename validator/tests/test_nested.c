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
		 enum moment within, struct end *end)
{
	struct model *m = &e->work.model;
	struct value out = { 0 };

	memset(end, 0, sizeof(*end));
	model_init(m, &e->wcase, kernel, e->work.records);
	m->inner.moments[0] = moment;
	m->inner.moments[1] = within;
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

static uint64_t compared, made_good, marked[DEFECTS];

#define ORDERS 4

/*
 * The serial orders that can come of it. Two within one another have four: the inmost one right in front of
 * the middle one or right behind it, and both in front of the outer one or behind it.
 */
static uint32_t play_orders(struct explore_case *e, struct model_kernel kernel, struct end orders[ORDERS])
{
	play(e, kernel, MOMENT_ENTERED, MOMENTS, &orders[0]);
	play(e, kernel, MOMENTS, MOMENTS, &orders[1]);
	if (!e->situation->within)
		return 2;
	play(e, kernel, MOMENT_ENTERED, MOMENT_ENTERED, &orders[2]);
	play(e, kernel, MOMENT_PUBLISHED, MOMENT_ENTERED, &orders[3]);
	return ORDERS;
}

static void check_moment(struct explore_case *e, struct model_kernel kernel, enum moment moment,
			 enum moment within)
{
	static struct end orders[ORDERS], end;
	uint32_t n = play_orders(e, kernel, orders), serial = 0, codes = 0;

	play(e, kernel, moment, within, &end);
	compared++;
	for (int i = 0; i < DEFECTS; i++)
		marked[i] += !!(end.defects & defects[i].bit);
	for (uint32_t i = 0; i < n; i++) {
		serial += same(&end, &orders[i]);
		codes += same_codes(&end, &orders[i]);
		tap_check(!orders[i].defects, "%s: serial order %" PRIu32 " has a defect: %s",
			  e->situation->name, i, defect_ids(orders[i].defects));
	}
	/* The one thing that takes a loss at once changes: an inner sample gets in in front of it. */
	if (kernel.lost_at_once && (moment == MOMENT_LOST_HELD || within == MOMENT_LOST_HELD)) {
		tap_check((within != MOMENTS || !end.defects) &&
				  all_lost(&end) == all_lost(&orders[0]) && codes,
			  "%s, the loss held: marked '%s', %" PRIu64 " lost, not %" PRIu64,
			  e->situation->name, defect_ids(end.defects), all_lost(&end),
			  all_lost(&orders[0]));
		return;
	}
	/* Of two, the outer writer may make good what the inner ones met: then the mark is one too many. */
	made_good += end.defects && serial;
	tap_check(within == MOMENTS ? !end.defects == !!serial : end.defects || serial,
		  "%s, moments %d %d, marked '%s': head %" PRIu64 " wakeup %" PRIu64 " events %d lost %"
		  PRIu64 " poll %d", e->situation->name, moment, within, defect_ids(end.defects),
		  end.ring.head, end.ring.wakeup, (int)end.ring.events, end.ring.lost, end.ring.poll);
}

static void test_moments(struct model_kernel kernel, const char *name, bool within)
{
	tap_begin("%s: wherever a writer is interrupted%s, a serial order or a known defect", name,
		  within ? " by one that is too" : "");
	memset(marked, 0, sizeof(marked));
	compared = made_good = 0;
	for (uint32_t i = 0; i < situation_count; i++) {
		struct explore_case e;

		if (situations[i].within != within)
			continue;
		if (explore_case_open(&e, &situations[i], 2))
			tap_bail_out("no memory");
		for (enum moment moment = 0; moment < MOMENTS; moment++)
			for (enum moment in = within ? 0 : MOMENTS; in <= MOMENTS; in++)
				check_moment(&e, kernel, moment, in);
		explore_case_close(&e);
	}
	for (int i = 0; i < DEFECTS; i++)
		tap_check(!marked[i] == (kernel.lost_at_once && defects[i].bit == DEFECT_EMPTY_LOSS),
			  "%s is shown by %" PRIu64 " interruptions", defects[i].id, marked[i]);
	printf("# %" PRIu64 " interruptions, what %" PRIu64 " met was made good\n", compared, made_good);
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
	/* N=3 with one counted: the inmost and the middle one are the second and third, 0 starts anew */
	{ "K8a within: quiet where the middle one crosses", "name a\n" TRACE "3\n"
	  "emit 0 count=1 size=8 -> ok\n"
	  "emit 0 count=3 size=8 at=f+0x1 within=f+0x1 -> ok head 96\nlook 0 = ready -> quiet\n"
	  "emit 0 count=1 size=8 -> ok\nlook 0 -> quiet\nemit 0 count=1 size=8 -> ok\nlook 0 -> ready\n",
	  VERDICT_DEFECT, DEFECT_LOST_WAKE },
	{ "within: the inmost first, then the middle one", "name a\n" TRACE "3\n"
	  "emit 0 count=3 size=8 at=f+0x1 within=f+0x1 -> ok head 72\nlook 0 -> ready\n"
	  "consume 0 -> 2,1,0 lost 0\n",
	  VERDICT_PROVED, 0 },
	{ "within: the inmost one last of all", "name a\n" TRACE "3\n"
	  "emit 0 count=3 size=8 at=f+0x1 within=f+0x1 -> ok head 72\nlook 0 -> ready\n"
	  "consume 0 -> 1,0,2 lost 0\n",
	  VERDICT_KERNEL, 0 },
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

	test_moments(kernel, "a stock kernel", false);
	test_moments(kernel, "a stock kernel", true);
	kernel.lost_at_once = true;
	test_moments(kernel, "one that takes losses at once", false);
	test_moments(kernel, "one that takes losses at once", true);
	test_rows();
	return tap_done();
}
