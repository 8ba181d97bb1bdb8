# SPDX-License-Identifier: GPL-2.0
# In a kernel tree, where make kselftest-install has put it: what the selftests are linked with
# is built here into OUTPUT, with libbpf from the tree itself. Included behind lib.mk. Which
# files there are is in sources.mk, from the Makefile of perfwake.
include sources.mk

CLANG   ?= clang
BPFTOOL ?= $(firstword $(wildcard /usr/sbin/bpftool) bpftool)
# libbpf's name for the machine that CC compiles for, and where Debian has that one's headers.
MACHINE  := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
BPF_ARCH := $(or $(patsubst %,x86,$(filter x86_64 i%86,$(MACHINE))),$(patsubst %,arm64,$(filter aarch64,$(MACHINE))),$(patsubst %,powerpc,$(filter powerpc%,$(MACHINE))),$(patsubst s390%,s390,$(patsubst riscv%,riscv,$(MACHINE))))
MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null)

LIBBPF := $(OUTPUT)/libbpf
PERFWAKE_LIB := $(OUTPUT)/libperfwake.a
OBJECT_FLAGS := -std=gnu11 -O2 -g -Wall -Wextra -isystem $(OUTPUT)/bpf -isystem $(LIBBPF)/include $(USERCFLAGS)
CFLAGS  += -isystem $(LIBBPF)/include
LDFLAGS += -L$(LIBBPF)

# The caller's O= and OUTPUT are not meant for libbpf. A folder of headers has no time to trust.
$(LIBBPF)/libbpf.a:
	mkdir -p $(LIBBPF)
	MAKEFLAGS= $(MAKE) -s -C $(top_srcdir)/tools/lib/bpf OUTPUT=$(LIBBPF)/ DESTDIR=$(LIBBPF) prefix= \
		CC='$(CC)' CROSS_COMPILE='$(CROSS_COMPILE)' ARCH='$(ARCH)' LLVM='$(LLVM)' \
		$(LIBBPF)/libbpf.a install_headers

$(OUTPUT)/bpf $(OUTPUT)/obj:
	mkdir -p $@

$(OUTPUT)/bpf/%.bpf.o: bpf_progs/%.bpf.c $(wildcard bpf_progs/*.h) $(LIBBPF)/libbpf.a | $(OUTPUT)/bpf
	$(CLANG) -target bpf -O2 -g -Wall -Wextra -Wno-unused-parameter -D__TARGET_ARCH_$(BPF_ARCH) \
		-isystem $(LIBBPF)/include -idirafter /usr/include/$(MULTIARCH) -c $< -o $@

$(OUTPUT)/bpf/%.skel.h: $(OUTPUT)/bpf/%.bpf.o
	$(BPFTOOL) gen skeleton $< name $*_bpf > $@

$(OUTPUT)/obj/%.o: validator/%.c $(wildcard validator/*.h bpf_progs/*.h) $(BPF:%=$(OUTPUT)/bpf/%.skel.h) \
		$(LIBBPF)/libbpf.a | $(OUTPUT)/obj
	$(CC) $(OBJECT_FLAGS) -DPERFWAKE_VERSION='"$(PERFWAKE_VERSION)"' -c $< -o $@

$(PERFWAKE_LIB): $(LIBRARY:%=$(OUTPUT)/obj/%.o)
	rm -f $@ && $(CROSS_COMPILE)ar rcs $@ $^

$(OUTPUT)/perfwake: $(COMMAND:%=$(OUTPUT)/obj/%.o) $(PERFWAKE_LIB)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# With O= the runner takes cases.sh from the source, where the command is not beside it.
PERFWAKE := $(or $(PERFWAKE),$(OUTPUT)/perfwake)

# make removes what is only in between, and the next build would begin anew.
.SECONDARY:
.DELETE_ON_ERROR:

EXTRA_CLEAN += $(LIBBPF) $(OUTPUT)/bpf $(OUTPUT)/obj $(PERFWAKE_LIB)
