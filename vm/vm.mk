# SPDX-License-Identifier: GPL-2.0
# The virtual machine's part of the build: PID 1 of the guest, and the host's side of it.

VM_BINS  := $(addprefix $(B)/vm/,init results tally mkcpio tsc misbehave says counts change export)
VM_TESTS := vm/tests/tally.sh vm/tests/matrix.sh vm/tests/decode.sh vm/tests/usage.sh vm/tests/change.sh \
	    vm/tests/build-kernel.sh vm/tests/bisect.sh vm/tests/shell.sh vm/tests/mutants.sh vm/tests/soak.sh \
	    vm/tests/coverage.sh vm/tests/guest.sh vm/tests/image.sh vm/tests/fire.sh vm/tests/signals.sh

vm_init_objs    := init init_agent init_console init_port init_files init_klog init_test brief judge ktap plan klog
vm_results_objs := results guest decode save text brief judge ktap plan klog
vm_objs = $(patsubst %,$(B)/vm/%.o,$(1))

.PHONY: vm
vm: $(VM_BINS)

$(B)/vm:
	$(Q)mkdir -p $@

$(B)/vm/%.o: vm/%.c | $(B)/vm
	$(call say,CC,$@)
	$(Q)$(CC) $(CSTD) $(WARN) $(CFLAGS) -D_GNU_SOURCE $(DEPGEN) -c -o $@ $<

$(B)/vm/misbehave.o $(B)/vm/says.o $(B)/vm/counts.o: $(B)/vm/%.o: vm/tests/%.c | $(B)/vm
	$(call say,CC,$@)
	$(Q)$(CC) $(CSTD) $(WARN) $(CFLAGS) -D_GNU_SOURCE $(DEPGEN) -c -o $@ $<

# What runs in the guest is static: there is no C library in it.
$(B)/vm/init: $(call vm_objs,$(vm_init_objs))
$(B)/vm/misbehave: $(call vm_objs,misbehave)
$(B)/vm/says: $(call vm_objs,says)
$(B)/vm/counts: $(call vm_objs,counts)
$(B)/vm/init $(B)/vm/misbehave $(B)/vm/says $(B)/vm/counts:
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -static -o $@ $^

# What a terminal is shown is perfwake's own.
$(B)/vm/results: $(call vm_objs,$(vm_results_objs)) $(B)/obj/terminal.o $(B)/obj/utf8.o
$(B)/vm/tally: $(call vm_objs,tally ktap)
$(B)/vm/export: $(call vm_objs,export export_json export_junit ktap)
$(B)/vm/mkcpio: $(call vm_objs,mkcpio)
$(B)/vm/tsc: $(call vm_objs,tsc)
$(B)/vm/change: $(call vm_objs,change_main change)
$(B)/vm/results $(B)/vm/tally $(B)/vm/export $(B)/vm/mkcpio $(B)/vm/tsc $(B)/vm/change:
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

# What takes whole kernel sources and minutes, so that it is not part of check.
.PHONY: check-kernels
check-kernels: all
	$(Q)printf '%s\n' 'bisect|vm/tests/bisect-kernel.sh' 'own-kernel|vm/tests/own-kernel.sh' \
		'kselftest-6.1|scripts/with-tracefs vm/tests/kselftest.sh 6.1' \
		'kselftest-7.3|scripts/with-tracefs vm/tests/kselftest.sh 7.3' > $(B)/kernels.plan
	$(Q)B='$(abspath $(B))' scripts/check $(B)/kernels.plan | $(B)/vm/tally

# What takes a whole distribution, root, and programs that nothing else needs.
.PHONY: check-images
check-images: all
	$(Q)scripts/deps --image
	$(Q)B='$(abspath $(B))' vm/debian-image
	$(Q)printf '%s\n' 'disk-image|vm/tests/disk-image.sh' \
		'debian|vm/tests/image.sh $(abspath $(B))/debian/debian.img' > $(B)/images.plan
	$(Q)B='$(abspath $(B))' scripts/check $(B)/images.plan | $(B)/vm/tally

-include $(wildcard $(B)/vm/*.d)
