/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rules as rows of steps. Every expectation was worked out by hand from the kernel's rules; the
 * arithmetic is beside it where it is not obvious. Half of one page is 2048 bytes; a sample of 4
 * bytes is a record of 16, of 8 bytes 24, of 180 bytes 192, of 500 bytes 512.
 */
#ifndef PERFWAKE_TESTS_MODEL_ROWS_H
#define PERFWAKE_TESTS_MODEL_ROWS_H

struct row {
	const char *rule;
	const char *name;
	const char *ring;	/* keys of ring 0, or several lines */
	const char *steps;
};

static const struct row rows[] = {
	{ "K1", "every fourth sample", "pages=8 wakeup_events=4",
	  "emit 0 count=40 size=8 every=look-consume = ready 3,7,11,15,19,23,27,31,35,39\n" },
	{ "K1", "one page, every hundredth and every half ring", "pages=1 wakeup_events=100",
	  "emit 0 count=500 size=8 every=look-consume = ready 85,99,170,199,256,299,341,399,426,"
	  "499\n" },
	{ "K1", "eight pages, every thousandth and every half ring", "pages=8 wakeup_events=1000",
	  "emit 0 count=4100 size=8 every=look-consume = "
	  "ready 682,999,1365,1999,2048,2730,2999,3413,3999,4096\n" },
	{ "K1", "each count wake moves the byte threshold by one byte", "pages=1 wakeup_events=8",
	  /* at 128: 2064 - 16 count wakes = 2048, not more; at 129: 2064 */
	  "emit 0 count=136 size=4 every=look-consume = ready "
	  "7,15,23,31,39,47,55,63,71,79,87,95,103,111,119,127,129,135\n" },
	{ "K1", "exactly half the ring is not more than half", "pages=1 wakeup_events=0",
	  "emit 0 count=128 size=4\n"		/* 128 * 16 = 2048 */
	  "look 0 = quiet\n"
	  "emit 0 count=1 size=4\n"		/* 2064 > 2048 */
	  "look 0 = ready\n" },
	{ "K1", "the next byte wake starts from the watermark, not from the head",
	  "pages=1 wakeup_events=0",
	  "emit 0 count=5 size=500 every=look-consume = ready 4\n"	/* 2560; wakeup 2048 */
	  "emit 0 count=3 size=500 every=look-consume = ready none\n"	/* 4096 - 2048 = 2048 */
	  "emit 0 count=1 size=500 every=look-consume = ready 8\n" },
	{ "K1", "a record above two watermarks steps once, the next record wakes again",
	  "pages=1 watermark=256",
	  "emit 0 count=1 size=501 every=look = ready 0\n"	/* 520 > 256; wakeup 256 */
	  "emit 0 count=1 size=4 every=look = ready 1\n"	/* 536 - 256 = 280; wakeup 512 */
	  "emit 0 count=14 size=4 every=look = ready none\n"	/* 760 - 512 = 248 */
	  "emit 0 count=1 size=4 every=look = ready 16\n" },	/* 776 - 512 = 264 */
	{ "K1", "bytes produced count, not bytes unread", "pages=1 wakeup_events=0",
	  "emit 0 count=100 size=4\nconsume 0 = 0..99 lost 0\n"
	  "emit 0 count=28 size=4\nlook 0 = quiet\nconsume 0 = 100..127 lost 0\n"
	  "emit 0 count=1 size=4\nlook 0 = ready\nconsume 0 = 128 lost 0\n" },
	{ "K1", "all but one byte can be used", "pages=1 wakeup_events=0",
	  "emit 0 count=256 size=4 = ok*255 ENOSPC*1\n" },	/* 255 * 16 = 4080, 15 left */
	{ "K1", "room is what was consumed", "pages=1 wakeup_events=0",
	  "emit 0 count=8 size=500 = ok*7 ENOSPC*1\n"		/* 3584; 511 left */
	  "consume 0 records=2 = 0..1 lost 0\n"			/* 1535 left */
	  "emit 0 count=3 size=500 = ok*2 ENOSPC*1\n"		/* 24 + 512, then 512: 487 left */
	  "consume 0 = 2..6,8..9 lost 1\n" },
	{ "K1", "a full ring takes a smaller sample", "pages=1 wakeup_events=0",
	  "emit 0 count=7 size=500\nemit 0 count=1 size=4 = ok\n" },

	/* Nestings: records of 24 bytes, or of 1024, three of which fit one page with 1023 bytes left. */
	{ "K8", "an output within another wakes nobody, the outermost once", "pages=1 wakeup_events=1",
	  "emit 0 count=6 size=8 from=process>hardirq>nmi every=look = ready 2,5 wakes 2 head 144\n"
	  "consume 0 = 0..5 lost 0\n" },
	{ "K8", "a crossing within is the outermost's wake", "pages=1 wakeup_events=2",
	  "emit 0 count=1 size=8 = wakes 0\n"
	  "emit 0 count=2 size=8 from=process>nmi = ok wakes 1\nlook 0 = ready\n"	/* events 1 */
	  "emit 0 count=1 size=8 = wakes 1\n" },
	{ "K8", "the outermost is counted last", "pages=1 wakeup_events=3",
	  "emit 0 count=3 size=8 from=nested every=look = ready 2 wakes 1\n" },
	{ "K8", "a byte step of the outer output wakes once those within have ended",
	  "pages=1 watermark=40",
	  "emit 0 count=1 size=8 every=look = ready none\n"		/* 24 */
	  "emit 0 count=2 size=8 from=softirq>nmi every=look = ready 2 wakes 1\n"	/* 48: step; 72 */
	  "emit 0 count=2 size=8 from=softirq>nmi every=look = ready 4 wakes 1\n" },	/* 96: step */
	{ "K8", "within an output that has taken the last room there is none",
	  "pages=1 wakeup_events=0",
	  "emit 0 count=2 size=1012\n"
	  "emit 0 count=3 size=1012 from=process>softirq>nmi = ok*1 ENOSPC*2 head 3072\n"
	  "consume 0 = 0..2 lost 0\n"
	  "emit 0 count=2 size=8 from=process>nmi = ok head 3144\n"	/* 24 of LOST, 24, 24 */
	  "consume 0 records=1 = none lost 2\nconsume 0 = 5..6 lost 0\n" },
	{ "K8", "in a backward ring the innermost is read first",
	  "pages=1 wakeup_events=3 backward",
	  "emit 0 count=3 size=8 from=nested = ok wakes 1\nconsume 0 = 2,1,0 lost 0\n" },
	{ "K8", "other contexts alone follow the same rules", "pages=1 wakeup_events=2",
	  "emit 0 count=2 size=8 from=softirq every=look = ready 1\n"
	  "emit 0 count=2 size=8 from=hardirq every=look = ready 3\n"
	  "emit 0 count=2 size=8 from=nmi every=look = ready 5\n" },
	{ "K6", "the fourth output within one another is refused, and no loss",
	  "pages=1 wakeup_events=4",
	  "emit 0 count=4 size=8 from=process>softirq>hardirq>nmi = ok*3 EBUSY*1 head 72 wakes 0\n"
	  "emit 0 count=1 size=8 = ok wakes 1\nread-lost 0 = lost 0\n"
	  "consume 0 = 0..2,4 lost 0\n" },
	{ "K6", "where the outer ones are refused the fourth is not the fourth",
	  "pages=1 wakeup_events=4",
	  "pause 0\nemit 0 count=4 size=8 from=process>softirq>hardirq>nmi = ENOSPC\n"
	  "read-lost 0 = lost 4\n" },

	{ "K2", "refused outputs do not count", "pages=8 wakeup_events=2",
	  "pause 0 = ok\nemit 0 count=5 size=8 = ENOSPC\nlook 0 = quiet\nresume 0 = ok\n"
	  "emit 0 count=1 size=8 = ok\nlook 0 = quiet\nemit 0 count=1 size=8 = ok\n"
	  "look 0 = ready\n" },
	{ "K2", "LOST records do not count", "pages=8 wakeup_events=3",
	  "pause 0 = ok\nemit 0 count=1 size=8 = ENOSPC\nresume 0 = ok\n"
	  "emit 0 count=2 size=8\nlook 0 = quiet\nemit 0 count=1 size=8\nlook 0 = ready\n" },
	{ "K2", "consuming does not begin the count anew", "pages=8 wakeup_events=5",
	  "emit 0 count=3 size=8\nconsume 0 = 0..2 lost 0\nlook 0 = quiet\n"
	  "emit 0 count=1 size=8\nlook 0 = quiet\nemit 0 count=1 size=8\nlook 0 = ready\n" },
	{ "K2", "disable and enable do not begin the count anew", "pages=8 wakeup_events=3",
	  "emit 0 count=2 size=8\ndisable 0 = ok\nemit 0 count=2 size=8 = EOPNOTSUPP\n"
	  "enable 0 = ok\n"
	  "look 0 = quiet\nemit 0 count=1 size=8 = ok\nlook 0 = ready\n"
	  "consume 0 = 0..1,4 lost 0\n" },
	{ "K2", "pause and resume do not begin the count anew", "pages=8 wakeup_events=3",
	  "emit 0 count=2 size=8\npause 0 = ok\nresume 0 = ok\nemit 0 count=1 size=8\n"
	  "look 0 = ready\n" },
	{ "K2", "looking does not begin the count anew", "pages=8 wakeup_events=2",
	  "emit 0 count=1 size=8\nlook 0 = quiet\nlook 0 = quiet\nemit 0 count=1 size=8\n"
	  "look 0 = ready\n" },
	{ "K2", "a new mapping begins the count anew", "pages=8 wakeup_events=3",
	  "emit 0 count=2 size=8\nremap 0 = ok\nemit 0 count=2 size=8\nlook 0 = quiet\n"
	  "emit 0 count=1 size=8\nlook 0 = ready\nconsume 0 = 2..4 lost 0\n" },
	{ "K2", "a new mapping begins the bytes anew", "pages=1 wakeup_events=0",
	  "emit 0 count=128 size=4\nremap 0 = ok\nemit 0 count=128 size=4\nlook 0 = quiet\n"
	  "emit 0 count=1 size=4\nlook 0 = ready\n" },
	{ "K2", "a new mapping is quiet, empty, resumed and knows of no loss",
	  "pages=8 wakeup_events=1",
	  "emit 0 count=1 size=8\npause 0 = ok\nemit 0 count=2 size=8 = ENOSPC\nremap 0 = ok\n"
	  "look 0 = quiet\nconsume 0 = none lost 0\nemit 0 count=1 size=8 = ok\nlook 0 = ready\n"
	  "consume 0 = 3 lost 0\n" },

	{ "K3", "N=0 has the byte rule only", "pages=1 wakeup_events=0",
	  "emit 0 count=600 size=4 every=look-consume = ready 128,256,384,512\n" },
	{ "K3", "N=2147483647 has the byte rule only", "pages=1 wakeup_events=2147483647",
	  "emit 0 count=600 size=4 every=look-consume = ready 128,256,384,512\n" },
	{ "K3", "N=2147483648 wakes at every sample", "pages=8 wakeup_events=2147483648",
	  "emit 0 count=10 size=8 every=look = ready 0..9\n" },
	{ "K3", "N=4294967295 wakes at every sample", "pages=8 wakeup_events=4294967295",
	  "emit 0 count=10 size=8 every=look = ready 0..9\n" },
	/*
	 * The counter is truncated to an int: 1 becomes 1 + 2^31 - 2 = 2^31 - 1, whose successors
	 * -2^31 and -2^31 + 1 are below N = -2^31 + 2; the next is N, which leaves 0. Measured.
	 */
	{ "K3", "N=2147483650 is the one that skips", "pages=8 wakeup_events=2147483650",
	  "emit 0 count=12 size=8 every=look = ready 0,3..4,7..8,11\n" },
	{ "K3", "watermark 0 is half the ring", "pages=1 watermark=0",
	  "emit 0 count=300 size=4 every=look-consume = ready 128,256\n" },
	{ "K3", "watermark 1 wakes from the first sample", "pages=1 watermark=1",
	  "emit 0 count=5 size=4 every=look-consume = ready 0..4\n" },
	{ "K3", "watermark of one record wakes from the second sample", "pages=1 watermark=16",
	  "emit 0 count=5 size=4 every=look-consume = ready 1..4\n" },
	{ "K3", "watermark one below a record wakes from the first sample", "pages=1 watermark=15",
	  "emit 0 count=5 size=4 every=look-consume = ready 0..4\n" },
	{ "K3", "watermark of the ring", "pages=1 watermark=4096",
	  "emit 0 count=255 size=4\nconsume 0 = 0..254 lost 0\nemit 0 count=1 size=4\n"
	  "look 0 = quiet\n"
	  "consume 0 = 255 lost 0\nemit 0 count=1 size=4\nlook 0 = ready\n" },
	{ "K3", "watermark of more than the ring is the ring", "pages=1 watermark=5000",
	  "emit 0 count=255 size=4\nconsume 0 = 0..254 lost 0\nemit 0 count=1 size=4\n"
	  "look 0 = quiet\n"
	  "consume 0 = 255 lost 0\nemit 0 count=1 size=4\nlook 0 = ready\n" },
	{ "K3", "a watermark has no count beside it", "pages=8 watermark=100",
	  "emit 0 count=4 size=8 every=look = ready none\n"		/* 96 */
	  "emit 0 count=1 size=8 every=look = ready 4\n" },
	{ "K3", "a watermark of 100 is no count of 100 either", "pages=1 watermark=100",
	  /* sample floor(100 * k / 24) for k from 1 to 24; the hundredth sample is number 99 */
	  "emit 0 count=101 size=8 every=look-consume = ready 4,8,12,16,20,25,29,33,37,41,45,50,54,"
	  "58,"
	  "62,66,70,75,79,83,87,91,95,100\n" },

	{ "K3", "N=3000000000 wakes twice and not again", "pages=8 wakeup_events=3000000000",
	  /* -1294967296: 1; 1294967298; 2589934595 and on are below it as an int */
	  "emit 0 count=12 size=8 every=look = ready 0..1\n" },
	{ "K3", "N=2147483649 wakes at every sample", "pages=8 wakeup_events=2147483649",
	  "emit 0 count=12 size=8 every=look = ready 0..11\n" },

	{ "K4", "the first look takes the flag", "pages=8 wakeup_events=1",
	  "emit 0 count=1 size=8\nlook 0 = ready\nlook 0 = quiet\nlook 0 via=poll = quiet\n"
	  "consume 0 = 0 lost 0\n" },
	{ "K4", "several crossings are one wake", "pages=8 wakeup_events=2",
	  "emit 0 count=9 size=8\nlook 0 = ready\nlook 0 = quiet\n" },
	{ "K4", "the flag stays until somebody looks", "pages=8 wakeup_events=2",
	  "emit 0 count=2 size=8\nemit 0 count=1 size=8\nconsume 0 = 0..2 lost 0\nlook 0 = ready\n"
	  "look 0 = quiet\n" },
	{ "K4", "each ring has its own flag and count",
	  "pages=8 wakeup_events=2\nring 1 pages=8 wakeup_events=3",
	  "emit 0 count=2 size=8\nemit 1 count=2 size=8\nlook 1 = quiet\nlook 0 = ready\n"
	  "emit 1 count=1 size=8\nlook 0 = quiet\nlook 1 = ready\nconsume 1 = 2..4 lost 0\n" },

	{ "K4", "any look takes it from any other", "pages=8 wakeup_events=1",
	  "emit 0 count=1 size=8\nlook 0 via=second = ready\nlook 0 = quiet\n"
	  "emit 0 count=1 size=8\nlook 0 via=nested = ready\nlook 0 via=edge = quiet\n"
	  "emit 0 count=1 size=8\nlook 0 via=edge = ready\nlook 0 via=oneshot = quiet\n"
	  "emit 0 count=1 size=8\nlook 0 via=oneshot = ready\nlook 0 via=both = quiet\n"
	  "emit 0 count=1 size=8\nlook 0 via=both = ready\nlook 0 via=rdnorm = quiet\n"
	  "emit 0 count=1 size=8\nlook 0 via=rdnorm = ready\nlook 0 via=nested = quiet\n" },
	{ "K4", "MOD swallows what came before it", "pages=8 wakeup_events=1",
	  "emit 0 count=1 size=8\nlook 0 via=mod = quiet\nlook 0 = quiet\n" },

	{ "K5", "a LOST record needs 24 bytes more", "pages=1 wakeup_events=0",
	  "emit 0 count=256 size=4 = ok*255 ENOSPC*1\n"
	  "consume 0 records=1 = 0 lost 0\n"		/* 31 left, 40 needed */
	  "emit 0 count=1 size=4 = ENOSPC\n"
	  "consume 0 records=1 = 1 lost 0\n"		/* 47 left */
	  "emit 0 count=1 size=4 = ok\n"
	  "consume 0 = 2..254,257 lost 2\n" },
	{ "K5", "one LOST record carries all", "pages=8 wakeup_events=0",
	  "pause 0 = ok\nemit 0 count=7 size=8 = ENOSPC\nresume 0 = ok\n"
	  "emit 0 count=2 size=8 = ok\n"
	  "consume 0 records=1 = none lost 7\nconsume 0 = 7..8 lost 0\n" },
	{ "K5", "a loss is told once", "pages=8 wakeup_events=0",
	  "pause 0 = ok\nemit 0 count=1 size=8\nresume 0 = ok\nemit 0 count=1 size=8\n"
	  "consume 0 = 1 lost 1\nemit 0 count=1 size=8\nconsume 0 = 2 lost 0\n" },
	{ "K5", "without a success nothing is told", "pages=8 wakeup_events=1",
	  "pause 0 = ok\nemit 0 count=9 size=8 = ENOSPC\nresume 0 = ok\nlook 0 = quiet\n"
	  "consume 0 = none lost 0\n" },
	{ "K5", "the bytes of a LOST record count for the byte rule", "pages=1 watermark=64",
	  "pause 0 = ok\nemit 0 count=1 size=4\nresume 0 = ok\n"
	  "emit 0 count=2 size=4 every=look = ready none\n"	/* 24 + 16, then 56 */
	  "emit 0 count=1 size=4 every=look = ready 3\n" },	/* 72 */

	{ "K5", "read() counts all that was refused, for ever", "pages=1 wakeup_events=0",
	  "read-lost 0 = lost 0\nemit 0 count=256 size=4\nread-lost 0 = lost 1\n"
	  "consume 0 = 0..254 lost 0\nemit 0 count=1 size=4\nconsume 0 = 256 lost 1\n"
	  "remap 0 = ok\nread-lost 0 = lost 1\n" },
	{ "K5", "in a backward ring the LOST record is read in front, too",
	  "pages=1 wakeup_events=0 backward overwrite",
	  /* 7 * 512 bytes and 24 are within the page, 512 more are not */
	  "pause 0 = ok\nemit 0 count=1 size=500 = ENOSPC\nresume 0 = ok\n"
	  "emit 0 count=8 size=500 = ok\nconsume 0 = 8,7,6,5,4,3,2 lost 1\n" },

	{ "K6", "an index beyond the array", "pages=8 wakeup_events=1",
	  "disable 0 = ok\nemit 0 count=2 size=8 index=64 = E2BIG\nenable 0 = ok\n"
	  "look 0 = quiet\nemit 0 count=1 size=8 = ok head 24\nconsume 0 = 2 lost 0\n" },
	{ "K6", "another CPU's ring", "cpu=1 pages=8 wakeup_events=1",
	  "emit 0 count=2 size=8 cpu=0 = EOPNOTSUPP\nlook 0 = quiet\nemit 0 count=1 size=8 = ok\n"
	  "consume 0 = 2 lost 0\n" },
	{ "K6", "a disabled ring, which is no loss", "pages=8 wakeup_events=1",
	  "disable 0 = ok\nemit 0 count=2 size=8 = EOPNOTSUPP\nlook 0 = quiet\nenable 0 = ok\n"
	  "emit 0 count=1 size=8 = ok\nconsume 0 = 2 lost 0\n" },
	{ "K6", "an empty slot comes before all else", "cpu=1 pages=8 wakeup_events=1",
	  "disable 0 = ok\npause 0 = ok\ndrop-slot 0 = ok\ndrop-slot 0 = ENOENT\n"
	  "emit 0 count=1 size=8 cpu=0 = ENOENT\n" },
	{ "K6", "disabled comes before paused", "pages=8 wakeup_events=1",
	  "pause 0 = ok\ndisable 0 = ok\nemit 0 count=1 size=8 = EOPNOTSUPP\nenable 0 = ok\n"
	  "emit 0 count=1 size=8 = ENOSPC\nresume 0 = ok\nemit 0 count=1 size=8 = ok\n"
	  "consume 0 = 2 lost 1\n" },
	{ "K6", "a dropped slot leaves what lies in the ring", "pages=8 wakeup_events=2",
	  "emit 0 count=2 size=8\ndrop-slot 0 = ok\nemit 0 count=1 size=8 = ENOENT\n"
	  "look 0 = ready\nconsume 0 = 0..1 lost 0\n" },

	{ "K7", "a record of the ring's size never fits", "pages=1 wakeup_events=1",
	  "emit 0 count=1 size=4077 = ENOSPC\n"		/* 8 + 4088 = 4096 */
	  "emit 0 count=1 size=4076 = ENOSPC\n" },	/* 4088, but the LOST record is in front */
	{ "K7", "the largest record that fits one page", "pages=1 wakeup_events=1",
	  "emit 0 count=1 size=4076 = ok\nlook 0 = ready\nconsume 0 = 0 lost 0\n" },
	{ "K7", "the largest record of all", "pages=32 wakeup_events=1",
	  "emit 0 count=3 size=65516 = ok*2 ENOSPC*1\n" },	/* 2 * 65528 = 131056, 15 left */
	{ "K7", "a refused sample uses up its number", "pages=8 wakeup_events=1",
	  "emit 0 count=1 size=8\npause 0 = ok\nemit 0 count=1 size=8 = ENOSPC\nresume 0 = ok\n"
	  "emit 0 count=1 size=8\nconsume 0 = 0,2 lost 1\n" },

	{ "K9", "a shared counter, each with its own N",
	  "pages=8 wakeup_events=5\nring 1 pages=8 wakeup_events=3",
	  /* the counter: 1 2 3 4 of 5; 5 of 3, 2 left; 3 of 3; 1 2 of 3; 3 4 of 5, 5 of 5 */
	  "unmap 1 = ok\nredirect 1 to=0 = ok\n"
	  "emit 0 count=4 size=8 every=look = ready none\n"
	  "emit 1 count=4 size=8 every=look = ready 4..5\n"
	  "emit 0 count=3 size=8 every=look = ready 10\nconsume 0 = 0..10 lost 0\n" },
	{ "K9", "a backward ring runs downwards and fills up", "pages=1 wakeup_events=0 backward",
	  "emit 0 count=8 size=500 every=look = ok*7 ENOSPC*1 ready 4 head 18446744073709548032\n"
	  "consume 0 = 6,5,4,3,2,1,0 lost 0\nemit 0 count=1 size=500 = ok\n"
	  "consume 0 = 8 lost 1\n" },
	{ "K9", "in overwrite mode there is always room", "pages=1 wakeup_events=0 overwrite",
	  "emit 0 count=10 size=500 every=look = ok ready 4,8 head 5120\n" },
	{ "K9", "a page of the newest, again and again", "pages=1 wakeup_events=0 backward overwrite",
	  "emit 0 count=10 size=500 = ok\nconsume 0 = 9,8,7,6,5,4,3,2 lost 0\n"
	  "consume 0 = 9,8,7,6,5,4,3,2 lost 0\n" },

	{ "K10", "a hang-up at every look, but for an edge", "pages=1 wakeup_events=1",
	  "emit 0 count=1 size=8\nunmap 0 = ok\nlook 0 = hup\nlook 0 = hup\n"
	  "look 0 via=edge = hup\nlook 0 via=edge = quiet\nlook 0 via=nested = ready\n"
	  "look 0 via=mod = hup\nlook 0 via=oneshot = hup\nlook 0 via=oneshot = hup\n"
	  "look 0 via=rdnorm = hup\nemit 0 count=1 size=8 = ENOSPC\npause 0 = EINVAL\n"
	  "consume 0 = none lost 0\nmap 0 = ok\nlook 0 = quiet\n"
	  "emit 0 count=1 size=8 = ok\nlook 0 = ready\n" },
	{ "K10", "who writes to a ring loses it with its mapping",
	  "pages=1 wakeup_events=1\nring 1 pages=1 wakeup_events=1",
	  "unmap 1 = ok\nredirect 1 to=0 = ok\nremap 0 = ok\nlook 1 = hup\n"
	  "emit 1 count=1 size=8 = ENOSPC\nlook 0 = quiet\n" },
};

#endif
