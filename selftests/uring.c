// SPDX-License-Identifier: GPL-2.0
/*
 * K4: the poll request of io_uring, by its system calls alone. It looks when it is armed, and again
 * in the task's context when the ring wakes it; either look takes the flag.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <linux/io_uring.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "subject.h"

#define ENTRIES 4
#define NOTHING (-ENODATA)
#define NO_URING "io_uring is not in this kernel, or not allowed"

struct uring {
	int fd;
	uint8_t *rings;		/* submissions and completions in one mapping, from 5.4 on */
	size_t rings_bytes;
	struct io_uring_sqe *sqes;
	struct io_uring_params p;
};

static uint32_t *field(struct uring *u, uint32_t offset)
{
	return (uint32_t *)(u->rings + offset);
}

/* 0 or -errno: of io_uring_setup() when there is none for us. */
static int uring_open(struct uring *u)
{
	*u = (struct uring){ 0 };
	u->fd = (int)syscall(SYS_io_uring_setup, ENTRIES, &u->p);
	if (u->fd < 0)
		return -errno;
	u->rings_bytes = u->p.cq_off.cqes + u->p.cq_entries * sizeof(struct io_uring_cqe);
	u->rings = mmap(NULL, u->rings_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, u->fd,
			IORING_OFF_SQ_RING);
	u->sqes = mmap(NULL, u->p.sq_entries * sizeof(*u->sqes), PROT_READ | PROT_WRITE,
		       MAP_SHARED, u->fd, IORING_OFF_SQES);
	return u->rings == MAP_FAILED || u->sqes == MAP_FAILED ? -ENOMEM : 0;
}

static void uring_close(struct uring *u)
{
	munmap(u->rings, u->rings_bytes);
	munmap(u->sqes, u->p.sq_entries * sizeof(*u->sqes));
	close(u->fd);
}

/* Arm one poll for POLLIN on @fd. 0 or -errno. */
static int arm(struct uring *u, int fd)
{
	uint32_t *tail = field(u, u->p.sq_off.tail);
	uint32_t at = *tail & *field(u, u->p.sq_off.ring_mask);

	u->sqes[at] = (struct io_uring_sqe){
		.opcode = IORING_OP_POLL_ADD,
		.fd = fd,
		.poll_events = POLLIN,
	};
	field(u, u->p.sq_off.array)[at] = at;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	return syscall(SYS_io_uring_enter, u->fd, 1, 0, 0, NULL, 0) == 1 ? 0 : -errno;
}

/* What the poll found, or NOTHING while it waits. Waits not itself, but lets pending work be done. */
static int completed(struct uring *u)
{
	uint32_t *head = field(u, u->p.cq_off.head);
	struct io_uring_cqe *cqes = (struct io_uring_cqe *)(u->rings + u->p.cq_off.cqes);
	int res;

	syscall(SYS_io_uring_enter, u->fd, 0, 0, IORING_ENTER_GETEVENTS, NULL, 0);
	if (__atomic_load_n(field(u, u->p.cq_off.tail), __ATOMIC_ACQUIRE) == *head)
		return NOTHING;
	res = cqes[*head & *field(u, u->p.cq_off.ring_mask)].res;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return res;
}

FIXTURE(uring)
{
	struct subject s;
	struct uring u;
	bool none;	/* no io_uring here; 6.1's harness runs the test after a SKIP in its set-up */
};

FIXTURE_SETUP(uring)
{
	struct ring_spec spec = { .pages = 8, .threshold = 3 };
	int ret = uring_open(&self->u);

	self->s.ring = ring_closed();
	self->none = ret == -ENOSYS || ret == -EPERM;
	if (self->none)
		return;
	ASSERT_EQ(0, ret);
	ASSERT_TRUE(self->u.p.features & IORING_FEAT_SINGLE_MMAP);
	ASSERT_EQ(0, subject_open(&self->s, EMITTER_TEST_RUN, &spec));
}

FIXTURE_TEARDOWN(uring)
{
	if (self->none)
		return;
	uring_close(&self->u);
	subject_close(&self->s);
}

TEST_F(uring, completes_at_the_threshold_and_takes_the_flag)
{
	if (self->none)
		SKIP(return, NO_URING);
	for (int round = 0; round < 3; round++) {
		ASSERT_EQ(0, arm(&self->u, self->s.ring.fd));
		for (int i = 0; i < 2; i++) {
			ASSERT_EQ(0, subject_emit(&self->s, 8));
			ASSERT_EQ(NOTHING, completed(&self->u)) TH_LOG("round %d", round);
		}
		ASSERT_EQ(0, subject_emit(&self->s, 8));
		ASSERT_EQ(POLLIN, completed(&self->u)) TH_LOG("round %d", round);
		EXPECT_EQ(READINESS_QUIET, look(&self->s.ring, VIA_POLL));
		ASSERT_EQ(NOTHING, completed(&self->u));
	}
	ASSERT_EQ(9, subject_consume(&self->s, 0));
}

/* Unlike an epoll that is given the descriptor late, a late poll request reports what it finds. */
TEST_F(uring, armed_late_it_is_told_at_once)
{
	if (self->none)
		SKIP(return, NO_URING);
	ASSERT_EQ(0, subject_emit_many(&self->s, 3, 8));
	ASSERT_EQ(0, arm(&self->u, self->s.ring.fd));
	EXPECT_EQ(POLLIN, completed(&self->u));
	EXPECT_EQ(READINESS_QUIET, look(&self->s.ring, VIA_POLL));
}

TEST_F(uring, told_of_a_hang_up)
{
	if (self->none)
		SKIP(return, NO_URING);
	ASSERT_EQ(0, arm(&self->u, self->s.ring.fd));
	ASSERT_EQ(NOTHING, completed(&self->u));
	ring_unmap(&self->s.ring);
	EXPECT_EQ(POLLHUP, completed(&self->u));
}

TEST_HARNESS_MAIN
