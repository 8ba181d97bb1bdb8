// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "init.h"
#include "port.h"

static int port_fd = -1;
static char gathered[2 * PORT_LINE_MAX];
static size_t gathered_len;
static unsigned long lines_sent, bytes_sent;

int port_open(const char *path)
{
	struct termios tio;
	int fd = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (tcgetattr(fd, &tio) < 0) {
		int err = -errno;

		close(fd);
		return err;
	}
	/* Raw, or newlines would grow carriage returns and bytes would be lost. */
	cfmakeraw(&tio);
	tio.c_cflag |= CLOCAL;		/* nobody lifts a carrier here */
	cfsetspeed(&tio, B115200);	/* the fastest that every 8250 has; QEMU's is faster anyway */
	tcsetattr(fd, TCSANOW, &tio);
	port_fd = fd;
	return 0;
}

void port_flush(void)
{
	size_t done = 0;

	while (port_fd >= 0 && done < gathered_len) {
		ssize_t n = write(port_fd, gathered + done, gathered_len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			console_say("cannot write to the results port: %s", strerror(errno));
			port_fd = -1;
			break;
		}
		done += n;
	}
	gathered_len = 0;
}

static void send_line(const char *line, size_t len)
{
	if (gathered_len + len + 1 > sizeof(gathered))
		port_flush();
	memcpy(gathered + gathered_len, line, len);
	gathered_len += len;
	gathered[gathered_len++] = '\n';
	lines_sent++;
	bytes_sent += len + 1;
}

void port_send(const char *fmt, ...)
{
	char line[PORT_LINE_MAX - 1];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	if (len < 0)
		return;
	send_line(line, (size_t)len < sizeof(line) ? (size_t)len : sizeof(line) - 1);
}

void port_send_text(char kind, unsigned int test, const char *text, size_t len)
{
	char line[PORT_TEXT_MAX + 32];
	int head = snprintf(line, sizeof(line), "%c %u ", kind, test);

	if (len > PORT_TEXT_MAX)
		len = PORT_TEXT_MAX;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = text[i];

		line[head + i] = (c < ' ' && c != '\t') || c == 127 ? '?' : c;
	}
	send_line(line, head + len);
}

void port_send_end(int status, unsigned int passed, unsigned int failed, unsigned int skipped)
{
	port_send("E %d %u %u %u %lu %lu", status, passed, failed, skipped, lines_sent, bytes_sent);
}

void port_drain(void)
{
	port_flush();
	if (port_fd >= 0)
		tcdrain(port_fd);
}
