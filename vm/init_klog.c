// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "init.h"
#include "klog.h"

static int kmsg_fd = -1;
static struct klog_reader reader;

bool klog_came(void)
{
	return reader.came;
}

int klog_open(const char *due)
{
	reader.due = due;
	kmsg_fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return kmsg_fd < 0 ? -errno : 0;
}

/* A record is "level,number,time,flags;text", then a newline and perhaps more lines. */
static void take_record(char *record, unsigned int i, struct outcome *o)
{
	char *text = strchr(record, ';'), *end;
	enum klog_line is;

	if (!text)
		return;
	text++;
	end = strchr(text, '\n');
	if (end)
		*end = '\0';
	is = klog_take(&reader, text);
	if (is == KLOG_DUE)
		port_send_text('W', i, text, strlen(text));
	if (is == KLOG_DUE || reader.within)
		return;
	if (is != KLOG_REPORT && !(o->klog_lines && o->klog_lines < KLOG_CONTEXT))
		return;
	o->klog_lines++;
	/* What tells may stand behind much that does not, as who was killed for want of memory. */
	if (o->klog_lines <= 2 * KLOG_CONTEXT)
		port_send_text('K', i, text, strlen(text));
}

void klog_scan(unsigned int i, struct outcome *o)
{
	char record[8192 + 1];	/* the kernel's own limit of a record */

	o->klog_lines = 0;
	o->klog_blind = kmsg_fd < 0;
	while (!o->klog_blind) {
		ssize_t n = read(kmsg_fd, record, sizeof(record) - 1);

		if (n > 0) {
			record[n] = '\0';
			take_record(record, i, o);
		} else if (n == 0 || errno == EAGAIN) {
			return;
		} else if (errno == EPIPE) {
			/* Records were overwritten unread, so the scan proves nothing. */
			port_send_text('K', i, "the kernel log ran over", 23);
			o->klog_blind = true;
			return;
		} else if (errno != EINTR) {
			o->klog_blind = true;
		}
	}
	port_send_text('K', i, "the kernel log cannot be read", 29);
}
