# SPDX-License-Identifier: GPL-2.0
# The only entry: make help. Everything that is made lies under $(B).

B       ?= build
CC      := $(if $(filter default,$(origin CC)),gcc,$(CC))
CLANG   ?= clang
BPFTOOL ?= $(firstword $(wildcard /usr/sbin/bpftool) bpftool)
# A kernel tree for the kselftest framework; by default Debian's package, see vm/fetch-source.
KSRC    ?= $(CURDIR)/build/linux-source-6.1
V       ?= 0

Q       := $(if $(filter 1,$(V)),,@)
say      = $(if $(filter 1,$(V)),,@printf '  %-8s %s\n' '$(1)' '$(2)';)

WARN    := -Wall -Wextra -Werror -Wshadow -Wswitch-enum -Wmissing-prototypes -Wstrict-prototypes \
	   -Wpointer-arith -Wvla -Wformat=2 -Wundef
CFLAGS  ?= -O2 -g
CSTD    := -std=gnu11
DEPGEN   = -MMD -MP -MF $(@:.o=).d
VERSION := $(shell git describe --always --dirty 2>/dev/null || echo unknown)

# The core judges and knows no kernel; the text side works on files; the world needs a kernel.
CORE    := value case trace model model_write model_poll model_step verdict
TEXT    := trace_file trace_lex trace_parse_value trace_parse trace_words trace_write
WORLD   := payload ring consumer consumer_raw consumer_libbpf consumer_pipe emitter emitter_module interrupter ksym \
	   injector settle overflow witness seen runner_step runner
COMMAND := main complain case_list command_world command_run command_replay command_predict command_fuzz \
	   command_explore explore explore_pairs explore_aftermath explore_case situations \
	   command_consumers consumer_probe deviation \
	   command_list command_timeline command_report prediction defects fuzz_case fuzz_generate \
	   fuzz_shrink report_words report_ktap report_json report_svg report_html report_table \
	   report_data report_drawing results_file timeline markup utf8 terminal
BPF     := emit_test_run emit_attached emit_packet emit_module emit_clock inject inside witness

SUITE   := threshold remainder half_ring loss readiness codes sizes blocked pollers uring sigio inherit \
	   hangup redirect direction mapping fields packet percpu hotplug parallel interrupts inside witness \
	   patterns own_loop batch
CASES   := $(wildcard selftests/cases/*.case)
ASKED   := $(wildcard selftests/consumers/*.case)
REFUSED := $(wildcard selftests/cases/refused/*.case)
# Performed with the test module only: other contexts than process, alone and in one another.
CONTEXT := $(wildcard selftests/cases/contexts/*.case selftests/cases/nested/*.case)
FOURTH  := selftests/cases/fourth/fourth-level.case

.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
.PHONY: install uninstall all help deps vmtest image matrix explore mutants coverage soak native check bench clean selftests

all: $(B)/perfwake selftests

include vm/vm.mk
include validator/tests/tests.mk

all: $(VM_BINS)

help:
	@echo 'make deps     install what is missing, fetch the kernel and the kselftest framework'
	@echo 'make all      build perfwake, the BPF programs, the selftests and the guest tools'
	@echo 'make vmtest   all of that, then prove it on a stock kernel in a guest'
	@echo 'make image    files to publish in build/image: the guest, and a disk that boots with it and proves it'
	@echo 'make matrix   the suite on every kernel of vm/kernels, one table (KERNELS="5.10 7.3" for some)'
	@echo 'make explore  a nested sample at every instruction of the writer, boundary by kernel'
	@echo 'make mutants  kernels with one fault each, and what catches it: docs/mutants.md (M="NAME..." for some,'
	@echo '              NEIGHBOURS=1 asks the tests of others, too)'
	@echo 'make coverage  what the suite reaches of the kernel: docs/coverage.md (NEIGHBOURS=1 as well)'
	@echo 'make soak     the suite over all kernels again and again on a busy machine (RUNS=200)'
	@echo 'make native   the same selftests and cases on the running kernel (root)'
	@echo 'make kselftest-install KDIR=FOLDER  put the selftests into a kernel tree, as target perf_wakeup'
	@echo 'make check    host tests, fuzzing, wrong models, guest faults, then vmtest'
	@echo 'make consumers  ask each library that reads rings what it does: docs/consumers.md (root)'
	@echo 'make check-images  the image of make image, and the tests inside a Debian made for it (root)'
	@echo 'make check-kernels  what takes whole kernel sources and half an hour'
	@echo 'make bench    how many steps a second are judged'
	@echo 'make install  program, man page and completion below PREFIX (and DESTDIR); make uninstall'
	@echo 'make clean    remove build/ except what was fetched'
	@echo 'V=1 shows the commands; KSRC=FOLDER takes the kselftest framework from a kernel tree.'

deps:
	$(Q)KSRC='$(KSRC)' KSRC_GIVEN='$(if $(filter file,$(origin KSRC)),,1)' scripts/deps

# --- BPF programs and their skeletons

$(B)/bpf $(B)/obj $(B)/selftests:
	$(Q)mkdir -p $@

# libbpf's name for this machine: kprobe programs read its registers.
BPF_ARCH := $(subst x86_64,x86,$(subst aarch64,arm64,$(shell uname -m)))

$(B)/bpf/%.bpf.o: bpf_progs/%.bpf.c | $(B)/bpf
	$(call say,BPF,$@)
	$(Q)$(CLANG) -target bpf -O2 -g -Wall -Wextra -Werror -Wno-unused-parameter -D__TARGET_ARCH_$(BPF_ARCH) \
		-idirafter /usr/include/$(shell uname -m)-linux-gnu $(DEPGEN) -c $< -o $@

$(B)/bpf/%.skel.h: $(B)/bpf/%.bpf.o
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

# --- perfwake

objects = $(addprefix $(B)/obj/,$(addsuffix .o,$(1)))

$(B)/obj/%.o: validator/%.c | $(B)/obj
	$(call say,CC,$@)
	$(Q)$(CC) $(CSTD) $(CFLAGS) $(WARN) -isystem $(B)/bpf $(DEFINES) $(DEPGEN) -c $< -o $@

$(B)/obj/emitter.o $(B)/obj/emitter_module.o $(B)/obj/interrupter.o $(B)/obj/injector.o $(B)/obj/witness.o: $(BPF:%=$(B)/bpf/%.skel.h)
$(B)/obj/main.o: DEFINES = -DPERFWAKE_VERSION='"$(VERSION)"'

$(B)/libperfwake.a: $(call objects,$(CORE) $(TEXT) $(WORLD))
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

LIBS := -lbpf -lelf -lz

$(B)/perfwake: $(call objects,$(COMMAND)) $(B)/libperfwake.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) -static -o $@ $^ $(LIBS)

# --- installation; DESTDIR is for packages

PREFIX	?= /usr/local
MANDIR	?= $(PREFIX)/share/man
BASHDIR	?= $(PREFIX)/share/bash-completion/completions

install: $(B)/perfwake
	$(Q)install -D -m 755 $< '$(DESTDIR)$(PREFIX)/bin/perfwake'
	$(Q)install -D -m 644 docs/perfwake.1 '$(DESTDIR)$(MANDIR)/man1/perfwake.1'
	$(Q)install -D -m 644 docs/perfwake.bash '$(DESTDIR)$(BASHDIR)/perfwake'

uninstall:
	$(Q)rm -f '$(DESTDIR)$(PREFIX)/bin/perfwake' '$(DESTDIR)$(MANDIR)/man1/perfwake.1' \
		'$(DESTDIR)$(BASHDIR)/perfwake'

# --- programs around the libraries that have a run-time of their own: those whose packages are there

CONSUMER_C	:= $(if $(wildcard /usr/include/bcc/perf_reader.h),bcc bcc-cc)
CONSUMER_PY	:= bcc-py
CONSUMER_GO	:= $(if $(wildcard /usr/share/gocode/src/github.com/cilium/ebpf/perf),cilium)

.PHONY: consumer-programs
consumer-programs: $(addprefix $(B)/consumers/,$(CONSUMER_C) $(CONSUMER_PY) $(CONSUMER_GO))

$(B)/consumers:
	$(Q)mkdir -p $@

$(B)/consumers/talk.o: consumers/talk.c consumers/talk.h | $(B)/consumers
	$(call say,CC,$@)
	$(Q)$(CC) $(CSTD) $(CFLAGS) $(WARN) -c $< -o $@

# Static: it runs in any guest.
$(B)/consumers/bcc: consumers/bcc.c $(B)/consumers/talk.o
	$(call say,LD,$@)
	$(Q)$(CC) $(CSTD) $(CFLAGS) $(WARN) -static -o $@ $^ -lbcc_bpf $(LIBS)

$(B)/consumers/bcc-cc: consumers/bcc_cc.cc $(B)/consumers/talk.o
	$(call say,LD,$@)
	$(Q)$(CXX) -O2 -g -Wall -Wextra -Werror -isystem /usr/include/bcc -isystem /usr/include/bcc/compat \
		-o $@ $^ -lbcc

$(B)/consumers/bcc-py: consumers/bcc-py | $(B)/consumers
	$(Q)cp $< $@

# Debian has Go's libraries as sources in a GOPATH. Static, too.
$(B)/consumers/cilium: consumers/cilium/main.go | $(B)/consumers
	$(call say,GO,$@)
	$(Q)cd consumers/cilium && GO111MODULE=off GOPATH=/usr/share/gocode CGO_ENABLED=0 \
		GOCACHE='$(abspath $(B))/go-cache' GOFLAGS=-trimpath go build -o '$(abspath $@)' \
		-ldflags "-s -X main.version=$$(dpkg-query -W -f '$${Version}' golang-github-cilium-ebpf-dev)" .

# Whole or not at all: a table of a run that failed is no table.
.PHONY: consumers
consumers: all consumer-programs
	$(Q)$(B)/perfwake consumers selftests/consumers > $(B)/consumers.md || \
		{ status=$$?; cat $(B)/consumers.md; exit $$status; }
	$(Q)mkdir -p docs && mv $(B)/consumers.md docs/consumers.md

# --- the test module, for the kernel that make vmtest boots; for others: vm/build-module

KMOD := $(B)/kmod/6.1/perfwake_test.ko

# make deps fetches the headers; where it cannot, the guest does without the module, and says so.
ifneq ($(wildcard $(B)/headers/6.1/source),)
all: $(KMOD)
endif

$(KMOD): $(wildcard selftests/kmod/*) bpf_progs/sample.h vm/build-module $(wildcard $(B)/headers/6.1/source)
	$(call say,KMOD,$@)
	$(Q)B='$(abspath $(B))' vm/build-module 6.1

# --- selftests, by the kernel's own lib.mk

selftests: $(B)/libperfwake.a $(B)/bpf/inside.skel.h | $(B)/selftests
	$(Q)test -e '$(KSRC)/tools/testing/selftests/lib.mk' || \
		{ echo 'make: no kselftest framework in $(KSRC); run: make deps' >&2; exit 2; }
	$(Q)$(MAKE) --no-print-directory -s -C selftests all KSRC='$(KSRC)' \
		OUTPUT='$(abspath $(B))/selftests' PERFWAKE_LIB='$(abspath $(B))/libperfwake.a' \
		CC='$(CC)'

# --- the suite, as vm/run.sh takes it: what is carried into the guest, and what is run there

$(B)/suite.files: Makefile $(CASES) $(REFUSED) $(CONTEXT) $(ASKED) | $(B)/obj
	$(Q){ echo '/bin/perfwake $(B)/perfwake'; \
	for t in $(SUITE); do echo "/selftests/$$t $(B)/selftests/$$t"; done; \
	for c in $(CASES) $(REFUSED) $(CONTEXT) $(ASKED); do echo "/$${c#selftests/} $$c"; done; } > $@

# NAME|SECONDS|STATUS|COMMAND
$(B)/suite.plan: Makefile | $(B)/obj
	$(Q){ for t in $(SUITE); do echo "$$t|60|0|/selftests/$$t"; done; \
	echo 'cases|30|0|perfwake run --traces /results/traces /cases'; \
	echo 'cases-attached|30|0|perfwake run --emitter attached --no-witness /cases'; \
	echo 'cases-packet|30|0|perfwake run --emitter packet --no-witness /cases'; \
	echo 'consumer-libbpf|30|0|perfwake run --consumer libbpf-raw --no-witness /cases|it maps rings once and for all, and reads forward ones only'; \
	echo 'consumers|30|0|perfwake consumers /consumers'; \
	echo 'contexts|30|0|perfwake run --traces /results/traces /cases/contexts'; \
	echo 'nested|30|0|perfwake run --traces /results/traces /cases/nested'; \
	echo 'fuzz|60|0|perfwake fuzz --no-witness --seed 1 --ops 50000 --traces /results/traces'; \
	echo 'refused-pages|5|2|perfwake run /cases/refused/pages-not-power-of-two.case'; } > $@

all: $(B)/suite.files $(B)/suite.plan

# --- tests

# An install that a compile rule hides helps nobody: deps is a step of its own, and may stop.
vmtest:
	$(Q)$(MAKE) --no-print-directory deps
	$(Q)$(MAKE) --no-print-directory all
	$(Q)B='$(abspath $(B))' vm/run.sh

# Another kernel than 6.1: vm/disk-image KERNEL
image:
	$(Q)$(MAKE) --no-print-directory deps
	$(Q)scripts/deps --image
	$(Q)$(MAKE) --no-print-directory all
	$(Q)B='$(abspath $(B))' vm/disk-image

matrix:
	$(Q)$(MAKE) --no-print-directory deps
	$(Q)$(MAKE) --no-print-directory all
	$(Q)B='$(abspath $(B))' scripts/matrix $(KERNELS)

explore:
	$(Q)$(MAKE) --no-print-directory deps
	$(Q)$(MAKE) --no-print-directory all
	$(Q)B='$(abspath $(B))' scripts/explore $(KERNELS)

# The object code of each is kept, so what was built and judged before is not done again.
mutants:
	$(Q)$(MAKE) --no-print-directory deps
	$(Q)$(MAKE) --no-print-directory all
	$(Q)$(if $(NEIGHBOURS),B='$(abspath $(B))' scripts/neighbours)
	$(Q)B='$(abspath $(B))' scripts/mutants $(if $(NEIGHBOURS),--neighbours) $(M)

coverage:
	$(Q)$(MAKE) --no-print-directory deps
	$(Q)$(MAKE) --no-print-directory all
	$(Q)$(if $(NEIGHBOURS),B='$(abspath $(B))' scripts/neighbours)
	$(Q)B='$(abspath $(B))' scripts/coverage $(if $(NEIGHBOURS),--neighbours)

RUNS ?= 200
soak:
	$(Q)$(MAKE) --no-print-directory deps
	$(Q)$(MAKE) --no-print-directory all
	$(Q)B='$(abspath $(B))' scripts/soak $(RUNS)

native: all
	$(Q)B='$(abspath $(B))' KSRC='$(abspath $(KSRC))' scripts/with-tracefs scripts/native

# As a target among the kernel's own selftests.
.PHONY: kselftest-install
kselftest-install:
	$(Q)LIBRARY='$(CORE) $(TEXT) $(WORLD)' COMMAND='$(COMMAND)' BPF='$(BPF)' VERSION='$(VERSION)' \
		scripts/kselftest-install '$(KDIR)'

# Needs root, so it says so and the rest of bench goes on without.
.PHONY: bench-fuzz bench-consumers
bench: bench-fuzz bench-consumers
bench-fuzz: $(B)/bench_fuzz
	$(Q)if [ "$$(id -u)" -eq 0 ]; then $<; else echo 'fuzz: not measured, needs root'; fi

$(B)/bench_fuzz: validator/tests/bench_fuzz.c \
		$(call objects,fuzz_case fuzz_generate fuzz_shrink) $(B)/libperfwake.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CSTD) $(CFLAGS) $(WARN) -Ivalidator -static -o $@ $^ $(LIBS)

bench-consumers: $(B)/bench_consumers
	$(Q)if [ "$$(id -u)" -eq 0 ]; then $<; else echo 'consumers: not measured, needs root'; fi

$(B)/bench_consumers: validator/tests/bench_consumers.c $(B)/libperfwake.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CSTD) $(CFLAGS) $(WARN) -Ivalidator -static -o $@ $^ $(LIBS) -lpthread

SHELL_SCRIPTS := docs/perfwake.bash $(filter-out %.awk,$(wildcard scripts/*)) vm/run.sh vm/finish vm/image vm/fetch-kernel vm/fetch-source vm/fetch-headers \
	vm/build-kernel vm/build-module vm/build-tree vm/bisect.sh vm/runtime vm/fetch-busybox vm/apt.sh vm/signals.sh vm/kernel.sh vm/suite.sh \
	vm/disk.sh vm/disk-image vm/debian-image \
	vm/tests/*.sh vm/tests/in-schema validator/tests/*.sh selftests/cases.sh .ci/run

# The other compiler; whose turn it is depends on which one built this.
OTHER_CC := $(if $(findstring clang,$(CC)),gcc,$(CLANG))

define newline


endef

# Name and command of each test, in order. The guest comes before what judges its traces again.
define CHECK_PLAN
$(HOST_TESTS)
fuzz-parser|make --no-print-directory fuzz-parser B=$(B)
shell|shellcheck -x $(SHELL_SCRIPTS)
other-compiler|make --no-print-directory all B=$(B)/other CC=$(OTHER_CC) KSRC=$(KSRC)
$(subst $() ,$(newline),$(foreach t,$(VM_TESTS),$(notdir $(t:.sh=))|$(t)))
vmtest|B=$(abspath $(B)) vm/run.sh
one-cpu|vm/run.sh -c 1 -- $(B)/selftests/percpu
four-cpus|vm/run.sh -c 4 -- $(B)/selftests/percpu
eight-cpus|vm/run.sh -c 8 -- $(B)/selftests/percpu
explore|vm/run.sh -- perfwake explore --quick
interrupts|vm/run.sh -- PERFWAKE_INTERRUPTS_OUTPUTS=100000 $(B)/selftests/interrupts
fourth-level|B=$(abspath $(B)) vm/run.sh -- perfwake run --traces /results/traces $(FOURTH)
formats|B=$(abspath $(B)) KSRC=$(abspath $(KSRC)) vm/tests/export.sh
mutants|B=$(abspath $(B)) scripts/mutants --sample
wrong-models|validator/tests/test_wrong_models.sh $(WRONG_B) $(B)/results/6.1/traces $(B)/results/6.1-command/traces
endef

# make writes the file when it expands the recipe, before any line of it runs: the folder has to be there.
.PHONY: check-plan
check-plan: | $(B)/obj
	$(file > $(B)/check.plan,$(CHECK_PLAN))

check:
	$(Q)$(MAKE) --no-print-directory deps
	$(Q)$(MAKE) --no-print-directory all host-tests wrong-models check-plan
	$(Q)scripts/check $(B)/check.plan | $(B)/vm/tally

.PHONY: host-tests
host-tests: $(HOST_TEST_PROGRAMS)

-include $(wildcard $(B)/bpf/*.d $(B)/obj/*.d)

clean:
	$(Q)find $(B) -mindepth 1 -maxdepth 1 ! -name kernels ! -name headers ! -name 'linux-source-*' -exec rm -rf {} + 2>/dev/null; true
