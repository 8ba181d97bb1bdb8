# SPDX-License-Identifier: GPL-2.0
# The virtual machine's part of the build: PID 1 of the guest, and the host's side of it.

VM_BINS  := $(addprefix $(B)/vm/,init results tally mkcpio misbehave says change)
VM_TESTS := vm/tests/tally.sh vm/tests/matrix.sh vm/tests/decode.sh vm/tests/usage.sh vm/tests/change.sh \
	    vm/tests/build-kernel.sh vm/tests/mutants.sh vm/tests/soak.sh vm/tests/guest.sh

vm_init_objs    := init init_port init_files init_klog init_test judge ktap plan klog
vm_results_objs := results guest decode save judge ktap plan klog
vm_objs = $(patsubst %,$(B)/vm/%.o,$(1))

.PHONY: vm
vm: $(VM_BINS)

$(B)/vm:
	$(Q)mkdir -p $@

$(B)/vm/%.o: vm/%.c | $(B)/vm
	$(call say,CC,$@)
	$(Q)$(CC) $(CSTD) $(WARN) $(CFLAGS) -D_GNU_SOURCE $(DEPGEN) -c -o $@ $<

$(B)/vm/misbehave.o $(B)/vm/says.o: $(B)/vm/%.o: vm/tests/%.c | $(B)/vm
	$(call say,CC,$@)
	$(Q)$(CC) $(CSTD) $(WARN) $(CFLAGS) -D_GNU_SOURCE $(DEPGEN) -c -o $@ $<

# What runs in the guest is static: there is no C library in it.
$(B)/vm/init: $(call vm_objs,$(vm_init_objs))
$(B)/vm/misbehave: $(call vm_objs,misbehave)
$(B)/vm/says: $(call vm_objs,says)
$(B)/vm/init $(B)/vm/misbehave $(B)/vm/says:
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -static -o $@ $^

$(B)/vm/results: $(call vm_objs,$(vm_results_objs))
$(B)/vm/tally: $(call vm_objs,tally ktap)
$(B)/vm/mkcpio: $(call vm_objs,mkcpio)
$(B)/vm/change: $(call vm_objs,change_main change)
$(B)/vm/results $(B)/vm/tally $(B)/vm/mkcpio $(B)/vm/change:
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

-include $(wildcard $(B)/vm/*.d)
