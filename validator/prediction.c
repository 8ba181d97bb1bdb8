// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>

#include "prediction.h"
#include "trace_file.h"

static void see_wake(struct prediction *p, struct model_ring *r, uint32_t sample)
{
	struct model_record record;

	if (p->wakes < PREDICTION_SHOWN)
		p->at[p->wakes] = sample;
	p->wakes++;
	p->by_count += !!(r->cause & CAUSE_COUNT);
	p->by_bytes += !!(r->cause & CAUSE_BYTES);
	while (model_consume(r, &record))
		;
}

int prediction_make(const struct prediction_input *in, struct prediction *p)
{
	struct step emit = { .kind = STEP_EMIT, .count = in->samples, .size = in->size };
	struct wake_case c = { .steps = &emit, .nsteps = 1 };
	struct verdict_workspace w;
	struct model_ring *r = &w.model.rings[0];

	c.rings[0] = in->ring;
	if (verdict_workspace_alloc(&w, &c))
		return -1;
	*p = (struct prediction){ 0 };
	model_init(&w.model, &c, model_kernel(0), w.records);
	p->watermark = r->watermark;
	for (uint32_t i = 0; i < in->samples; i++) {
		if (model_emit(&w.model, 0, in->ring.cpu, in->size) != CODE_OK)
			p->refused++;
		else if (!p->record_bytes)
			p->record_bytes = (uint32_t)r->head;
		if (model_look(&w.model, 0, VIA_EPOLL) == READINESS_READY)
			see_wake(p, r, i);
		else if (r->count > p->unseen)
			p->unseen = r->count;
	}
	p->stuck = p->refused != 0;
	if (p->record_bytes)
		p->fits = (uint32_t)((r->size - 1) / p->record_bytes);
	verdict_workspace_free(&w);
	return 0;
}

/* The "s" behind a word of which there are @n. */
static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void write_threshold(FILE *out, const struct prediction_input *in,
			    const struct prediction *p)
{
	const struct ring_spec *r = &in->ring;

	if (r->by_watermark) {
		fprintf(out, "threshold  watermark=%" PRIu32 ": a wake for more than %" PRIu64
			" byte%s produced\n", r->threshold, p->watermark, plural(p->watermark));
		if (p->watermark != r->threshold)
			fprintf(out, "           %s, so %" PRIu64 " are in force\n",
				r->threshold ? "more than the ring has" :
					       "0 stands for half the ring", p->watermark);
		return;
	}
	fprintf(out, "threshold  wakeup_events=%" PRIu32, r->threshold);
	if (!r->threshold)
		fputs(": samples are not counted; a wake", out);
	else if (r->threshold > INT32_MAX)
		fputs(": negative for the kernel: a wake for each sample while its counter, which overflows, is not below that, and one",
		      out);
	else if (r->threshold == 1)
		fputs(": a wake for every sample, and one", out);
	else
		fprintf(out, ": a wake for every %" PRIu32 " samples, and one", r->threshold);
	fprintf(out, " for more than %" PRIu64 " bytes produced (half the ring)\n", p->watermark);
}

static void write_wakes(FILE *out, const struct prediction_input *in, const struct prediction *p)
{
	uint32_t shown = p->wakes < PREDICTION_SHOWN ? p->wakes : PREDICTION_SHOWN;

	fprintf(out, "wakes      %" PRIu32 " in %" PRIu32 " sample%s", p->wakes, in->samples,
		plural(in->samples));
	if (!in->ring.by_watermark && p->wakes)
		fprintf(out, ": %" PRIu32 " by count, %" PRIu32 " by half ring", p->by_count,
			p->by_bytes);
	fputs(shown ? "\n           at samples" : "\n", out);
	for (uint32_t i = 0; i < shown; i++)
		fprintf(out, " %" PRIu32, p->at[i]);
	if (shown)
		fprintf(out, "%s (numbered from 0)\n", p->wakes > shown ? " ..." : "");
}

static void write_advice(FILE *out, const struct prediction_input *in, const struct prediction *p)
{
	if (!p->record_bytes) {
		fputs("warning    a record does not fit into this ring: every output is refused; use more pages\n",
		      out);
		return;
	}
	if (p->stuck) {
		fprintf(out, "warning    the threshold is out of reach: after %" PRIu32
			" sample%s the ring is full, outputs are refused and nothing wakes the reader; use a lower threshold or more pages\n",
			p->fits, plural(p->fits));
		return;
	}
	if (!in->ring.by_watermark && p->by_bytes && in->ring.threshold)
		fprintf(out, "note       the half-ring rule adds wakes between those of the count: it works on bytes produced, however fast the reader is\n");
	if (p->unseen)
		fprintf(out, "note       when the samples stop, what is left stays unseen: consume once at the end, and on a timer if it must not wait\n");
}

void prediction_write(FILE *out, const struct prediction_input *in, const struct prediction *p)
{
	const struct ring_spec *r = &in->ring;

	fprintf(out, "ring       %" PRIu32 " page%s, %" PRIu64 " bytes", r->pages,
		plural(r->pages), ring_bytes(r));
	if (p->record_bytes)
		fprintf(out, "; a sample of %" PRIu32 " bytes is a record of %" PRIu32
			", and %" PRIu32 " fit%s", in->size, p->record_bytes, p->fits,
			p->fits == 1 ? "s" : "");
	fputc('\n', out);
	write_threshold(out, in, p);
	write_wakes(out, in, p);
	if (p->unseen)
		fprintf(out, "unseen     up to %" PRIu32 " sample%s lie%s in the ring while no wake tells of them\n",
			p->unseen, plural(p->unseen), p->unseen == 1 ? "s" : "");
	else if (p->record_bytes)
		fputs("unseen     no sample lies in the ring without a wake that tells of it\n", out);
	write_advice(out, in, p);
}
