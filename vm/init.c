// SPDX-License-Identifier: GPL-2.0
/*
 * PID 1 of the guest, or a process in a distribution's image (init_agent.c). Mounts what tests
 * need, runs the tests of the plan one after the other, sends what they print and leave over the
 * results port, and leaves the machine with a status as its very last act.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init.h"
#include "port.h"

/* Both lie in the folder that we are started in, which is / for PID 1. */
#define PLAN_FILE	"plan"
#define MODULE_FILE	"lib/perfwake_test.ko"	/* where vm/run.sh puts it, if there is one */
#define PORT_FILE	"/dev/ttyS1"
#define CONSOLE_FILE	"/dev/console"
#define RUNTIME_DISK	"/dev/nvme0n1"
#define RUNTIME_DEADLINE_MS 20000
#define EXIT_PORT	0xf4	/* of isa-debug-exit, as vm/run.sh sets it */

static struct plan plan;

void console_say(const char *fmt, ...)
{
	va_list args;

	fputs("init: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

/* Whether something is mounted at path, which is not /. */
static bool is_mounted(const char *path)
{
	struct stat st, above;
	char parent[64];

	snprintf(parent, sizeof(parent), "%s/..", path);
	return stat(path, &st) == 0 && stat(parent, &above) == 0 && st.st_dev != above.st_dev;
}

/* A kernel may lack one; a test that needs it then says so itself. */
static void mount_one(const char *type, const char *path)
{
	const char *option = NULL;

	if (!strcmp(type, "devpts"))
		option = "ptmxmode=0666";
	else if (!strcmp(type, "tmpfs"))
		option = "size=20%";	/* of memory: files stay, so all of these have to fit in it */
	mkdir(path, 0755);
	if (is_mounted(path))	/* by the distribution that we run in */
		return;
	if (mount(type, path, type, 0, option) == 0)
		return;
	console_say("cannot mount %s at %s: %s", type, path, strerror(errno));
	port_send("N cannot mount %s at %s: %s", type, path, strerror(errno));
}

static void mount_all(void)
{
	mount_one("proc", "/proc");
	mount_one("sysfs", "/sys");
	mount_one("devpts", "/dev/pts");
	mount_one("tmpfs", "/dev/shm");
	if (!agent_is())	/* where it is on the disk, services have something in it */
		mount_one("tmpfs", "/tmp");
	mount_one("tmpfs", RESULTS_DIR);
	mount_one("tracefs", "/sys/kernel/tracing");
	mount_one("debugfs", "/sys/kernel/debug");
	mount_one("bpf", "/sys/fs/bpf");
	mkdir(RESULTS_DIR "/traces", 0755);
}

/*
 * The run-time of consumers, a disk that run.sh announces by a word on the command line, which the
 * kernel hands on as our environment. Their programs look for it where it was installed. The driver
 * finds its disk on its own time.
 */
static void mount_runtime(void)
{
	static const char *const folders[] = { "usr", "lib", "lib64" };
	char target[32], link[16];

	if (!getenv("PERFWAKE_RUNTIME"))
		return;
	for (int ms = 0; access(RUNTIME_DISK, F_OK) && ms < RUNTIME_DEADLINE_MS; ms += 10)
		usleep(10000);
	mkdir("/runtime", 0755);
	if (mount(RUNTIME_DISK, "/runtime", "ext4", MS_RDONLY, NULL)) {
		console_say("cannot mount %s: %s", RUNTIME_DISK, strerror(errno));
		port_send("N cannot mount the consumers' run-time: %s", strerror(errno));
		return;
	}
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(target, sizeof(target), "/runtime/%s", folders[i]);
		snprintf(link, sizeof(link), "/%s", folders[i]);
		if (symlink(target, link))
			port_send("N cannot put the consumers' run-time at %s: %s", link, strerror(errno));
	}
}

/*
 * Each test that detaches a program waits for a grace period, which is idle time here.
 * run.sh asks on the command line for RCU to hurry, but PREEMPT_RT takes that back once it
 * has booted (rcu_normal_after_boot). Where the file is missing, it is only slower.
 */
static void hurry_rcu(void)
{
	int fd = open("/sys/kernel/rcu_normal", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "0", 1) != 1)
		console_say("cannot make RCU hurry: %s", strerror(errno));
	close(fd);
}

/*
 * The test module. Its absence and its refusal are told; what needs it is skipped then, and the plan
 * says whether it may be.
 */
static void load_module(void)
{
	int fd = open(MODULE_FILE, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		port_send("N no test module in this guest");
	else if (syscall(SYS_finit_module, fd, "", 0))
		port_send("N this kernel refuses the test module: %s%s", strerror(errno),
			  errno == ENOEXEC ? " (built for another kernel: run vm/build-module)" : "");
	else
		port_send("N test module loaded");
	if (fd >= 0)
		close(fd);
}

/* stdin, stdout and stderr, which the kernel gives us only where /dev/console was packed. */
static void use_console(void)
{
	int fd = open(CONSOLE_FILE, O_RDWR | O_NOCTTY);

	if (fd < 0)
		return;
	for (int i = 0; i < 3; i++)
		dup2(fd, i);
	if (fd > 2)
		close(fd);
	setvbuf(stderr, NULL, _IOLBF, 0);
}

/*
 * The way out that tells the host a status: QEMU ends with 2 * (status + 1) + 1. Code 0
 * would look like a QEMU that could not start. Power-off is for machines without it.
 */
__attribute__((noreturn))
static void leave(int status, bool exit_port)
{
	port_drain();
	sync();
	if (exit_port)
		outb(status + 1, EXIT_PORT);
	console_linger();
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

__attribute__((noreturn))
static void give_up(const char *what, const char *why, bool exit_port)
{
	console_say("%s: %s", what, why);
	port_send("N %s: %s", what, why);
	console_end(2, &(struct score){ 0 });
	port_send_end(2, 0, 0, 0);
	leave(2, exit_port);
}

/* A shell on the console, for a look around; ends the guest when it ends. */
static void run_shell(void)
{
	/* No limit of locked memory, as tests have it: BPF maps count towards it before 5.11. */
	char *argv[] = { "sh", "-c", "/bin/busybox --install -s /bin; ulimit -l unlimited; exec sh", NULL };
	char *env[] = { "PATH=/bin:/selftests", "HOME=/", "TERM=linux", "PS1=guest:\\w# ", NULL };
	pid_t pid = fork();

	if (pid == 0) {
		setsid();
		ioctl(0, TIOCSCTTY, 1);
		execve("/bin/busybox", argv, env);
		console_say("cannot start /bin/busybox: %s", strerror(errno));
		_exit(127);
	}
	while (pid > 0 && wait(NULL) != pid)
		;
}

/* Run what is planned, judge it, and send both; adds to the score. */
static void run_suite(struct score *score)
{
	static struct outcome o;

	/* Trouble while booting spoils the run, but belongs to no test. */
	klog_scan(0, &o);
	score->trouble |= o.klog_lines || o.klog_blind;
	for (unsigned int i = 1; i <= plan.tests; i++) {
		const struct plan_test *t = &plan.test[i - 1];
		char reason[JUDGE_REASON_MAX];
		enum judgement j;

		port_send("T %u", i);
		port_flush();
		test_run(t, i, &o);
		klog_scan(i, &o);
		files_send();
		j = judge_test(t, &o, reason, score);
		port_send("R %u %s %s %d", i, judge_word(j), judge_way_word(o.way), o.value);
		console_result(i, t->name, j, reason);
		port_flush();
	}
}

int main(void)
{
	struct score score = { 0 };
	struct utsname u = { 0 };
	bool exit_port = ioperm(EXIT_PORT, 1, 1) == 0;
	const char *why = "";
	int err, port_err, status;

	/* /dev first: the console and the port are in it, and the rest is told there. */
	mount_one("devtmpfs", "/dev");
	use_console();
	console_init();
	port_err = port_open(PORT_FILE);
	uname(&u);
	err = plan_load(&plan, PLAN_FILE, &why);
	port_send("B %d %u %ld %s %s", PORT_VERSION, plan.tests, sysconf(_SC_NPROCESSORS_ONLN),
		  exit_port ? "port" : "off", u.release);
	mount_all();
	mount_runtime();
	hurry_rcu();
	load_module();
	if (err)
		give_up("cannot use the plan", why, exit_port);
	if (plan.mode == PLAN_SHELL) {
		run_shell();
		leave(0, exit_port);
	}
	err = agent_is() ? agent_enter(&why) : 0;
	if (err)
		give_up(why, strerror(-err), exit_port);
	if (port_err && !console_is_answer())
		give_up("cannot open the results port " PORT_FILE, strerror(-port_err), exit_port);
	err = test_init();
	if (!err)
		err = klog_open(plan.warns);
	if (err)
		give_up("cannot watch tests and the kernel log", strerror(-err), exit_port);
	run_suite(&score);
	score.silent = *plan.warns && !klog_came();
	status = judge_status(plan.mode, &score);
	console_end(status, &score);
	port_send_end(status, score.passed, score.failed, score.skipped);
	leave(status, exit_port);
}
