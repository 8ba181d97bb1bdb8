# SPDX-License-Identifier: GPL-2.0
# Tests of the validator that need no kernel; part of the top Makefile, which gives B, CC, CLANG,
# CFLAGS, WARN, CSTD, DEPGEN, Q, say, CORE, TEXT and CASES. What make check runs is in HOST_TESTS.

TESTS		:= validator/tests
TESTS_B		:= $(B)/tests
TESTS_PARTS	:= $(CORE) $(TEXT)
TESTS_REPORTS	:= report_words report_ktap defects prediction terminal
TESTS_SANITIZE	:= -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
TESTS_FLAGS	:= $(CSTD) $(WARN) -Ivalidator
TESTS_SEEDS	:= $(wildcard $(TESTS)/malformed/*.case $(TESTS)/golden/*.trace) $(CASES) $(CONTEXT) $(FOURTH)
FUZZ_SECONDS	?= 20

WRONG_LIST	:= $(TESTS)/wrong-models/list
WRONG_MODELS	:= $(shell sed -n 's/^id[[:space:]]*//p' $(WRONG_LIST))
WRONG_B		:= $(B)/wrong-models

.PHONY: fuzz-parser wrong-models

$(TESTS_B) $(TESTS_B)/san $(TESTS_B)/plain $(TESTS_B)/fuzz $(TESTS_B)/corpus $(WRONG_B)/right \
$(WRONG_MODELS:%=$(WRONG_B)/%):
	$(Q)mkdir -p $@

# --- objects, in three ways: under sanitizers, as perfwake itself, for the fuzzer

define tests_cc
	$(call say,CC,$@)
	$(Q)$(CC) $(TESTS_FLAGS) $(1) $(DEPGEN) -c $< -o $@
endef

$(TESTS_B)/san/%.o: validator/%.c | $(TESTS_B)/san
	$(call tests_cc,-O1 -g $(TESTS_SANITIZE))
$(TESTS_B)/san/%.o: $(TESTS)/%.c | $(TESTS_B)/san
	$(call tests_cc,-O1 -g $(TESTS_SANITIZE))
$(TESTS_B)/san/fuzz_replay.o: $(TESTS)/fuzz_parser.c | $(TESTS_B)/san
	$(call tests_cc,-O1 -g $(TESTS_SANITIZE) -DFUZZ_REPLAY)

$(TESTS_B)/plain/%.o: validator/%.c | $(TESTS_B)/plain
	$(call tests_cc,$(CFLAGS))
$(TESTS_B)/plain/%.o: $(TESTS)/%.c | $(TESTS_B)/plain
	$(call tests_cc,$(CFLAGS))

define tests_clang
	$(call say,CLANG,$@)
	$(Q)$(CLANG) $(TESTS_FLAGS) -O1 -g $(TESTS_SANITIZE) -fsanitize=fuzzer-no-link $(DEPGEN) \
		-c $< -o $@
endef

$(TESTS_B)/fuzz/%.o: validator/%.c | $(TESTS_B)/fuzz
	$(tests_clang)
$(TESTS_B)/fuzz/%.o: $(TESTS)/%.c | $(TESTS_B)/fuzz
	$(tests_clang)

tests_objects = $(addprefix $(TESTS_B)/$(1)/,$(addsuffix .o,$(2)))

# --- tests in C, under AddressSanitizer and UBSan

C_TESTS := test_model test_nested test_enumerate test_verdict test_malformed test_golden test_batch \
	   test_payload test_timeline

$(TESTS_B)/test_model $(TESTS_B)/test_verdict: $(call tests_objects,san,flip)
$(TESTS_B)/test_nested: $(call tests_objects,san,situations explore_case)
$(TESTS_B)/test_batch: $(call tests_objects,san,consumer_raw)
$(TESTS_B)/test_payload: $(call tests_objects,san,payload)
$(TESTS_B)/test_timeline: $(call tests_objects,san,timeline report_svg markup utf8)
$(C_TESTS:%=$(TESTS_B)/%): $(TESTS_B)/%: $(TESTS_B)/san/%.o \
		$(call tests_objects,san,support $(TESTS_PARTS) $(TESTS_REPORTS))
	$(call say,LD,$@)
	$(Q)$(CC) $(TESTS_SANITIZE) -o $@ $^

$(TESTS_B)/fuzz_replay: $(call tests_objects,san,fuzz_replay support $(TESTS_PARTS) report_words defects)
	$(call say,LD,$@)
	$(Q)$(CC) $(TESTS_SANITIZE) -o $@ $^

# --- the HTML report, and traces to fill one with

$(TESTS_B)/report: $(call tests_objects,san,report_main complain command_report report_html report_table \
		report_data report_drawing results_file report_svg timeline markup utf8 terminal report_words defects $(TESTS_PARTS))
	$(call say,LD,$@)
	$(Q)$(CC) $(TESTS_SANITIZE) -o $@ $^

$(TESTS_B)/make_traces: $(call tests_objects,plain,make_traces flip) \
		$(B)/obj/fuzz_case.o $(B)/obj/fuzz_generate.o $(B)/libperfwake.a
	$(call say,LD,$@)
	$(Q)$(CC) -static -o $@ $^ $(LIBS)

# --- fuzzing the parser

$(TESTS_B)/fuzz_parser: $(call tests_objects,fuzz,fuzz_parser $(TESTS_PARTS))
	$(call say,LD,$@)
	$(Q)$(CLANG) $(TESTS_SANITIZE) -fsanitize=fuzzer -o $@ $^

# New inputs go to the corpus in $(B), and one that fails to crash-* beside it. The seed is printed.
fuzz-parser: $(TESTS_B)/fuzz_parser | $(TESTS_B)/corpus
	$(Q)$(TESTS_B)/fuzz_parser -max_total_time=$(FUZZ_SECONDS) -max_len=3000 \
		-print_final_stats=1 -dict=$(TESTS)/fuzz_parser.dict -artifact_prefix=$(TESTS_B)/ \
		$(TESTS_B)/corpus $(TESTS)/malformed $(TESTS)/golden selftests/cases \
		> $(TESTS_B)/fuzz.log 2>&1 || { tail -n 40 $(TESTS_B)/fuzz.log; exit 1; }
	$(Q)grep -e '^INFO: Seed' -e '^stat::number_of_executed_units' $(TESTS_B)/fuzz.log

# --- wrong models: the model as one file with one decision wrong, in a program that can only replay

WRONG_WITH := $(call tests_objects,plain,replay_main complain case_list command_replay report_words \
		report_ktap report_json markup utf8 terminal defects $(filter-out model%,$(TESTS_PARTS)))
WRONG_OF := $(patsubst %,validator/%.c,$(filter model%,$(CORE)))

$(WRONG_MODELS:%=$(WRONG_B)/%/model.c): $(WRONG_B)/%/model.c: $(WRONG_OF) $(WRONG_LIST) \
		$(TESTS)/wrong-models/apply.awk | $(WRONG_B)/%
	$(Q)awk -v id=$* -f $(TESTS)/wrong-models/apply.awk $(WRONG_LIST) $(WRONG_OF) > $@

$(WRONG_MODELS:%=$(WRONG_B)/%/replay): $(WRONG_B)/%/replay: $(WRONG_B)/%/model.c $(WRONG_WITH)
	$(call say,WRONG,$@)
	$(Q)$(CC) $(TESTS_FLAGS) -O1 -o $@ $^

$(WRONG_B)/right/replay: $(call tests_objects,plain,$(filter model%,$(CORE))) $(WRONG_WITH) | $(WRONG_B)/right
	$(call say,LD,$@)
	$(Q)$(CC) -o $@ $^

# Then $(TESTS)/test_wrong_models.sh $(WRONG_B) TRACES, with traces recorded on a real kernel.
wrong-models: $(WRONG_B)/right/replay $(WRONG_MODELS:%=$(WRONG_B)/%/replay)

# --- how fast

$(TESTS_B)/bench: $(call tests_objects,plain,bench support $(TESTS_PARTS) report_words defects)
	$(call say,LD,$@)
	$(Q)$(CC) -o $@ $^

bench: $(TESTS_B)/bench
	$(Q)$(TESTS_B)/bench

# --- what make check runs: each prints KTAP, and is run from the top folder

HOST_TEST_PROGRAMS := $(C_TESTS:%=$(TESTS_B)/%) $(TESTS_B)/fuzz_replay $(TESTS_B)/report \
	$(TESTS_B)/make_traces $(B)/perfwake

# Name and command of each, as NAME|COMMAND.
define HOST_TESTS
model|$(TESTS_B)/test_model
nested|$(TESTS_B)/test_nested
enumerate|$(TESTS_B)/test_enumerate
verdict|$(TESTS_B)/test_verdict $(CASES) $(CONTEXT) $(FOURTH)
malformed|$(TESTS_B)/test_malformed $(TESTS)/malformed $(CASES) $(CONTEXT) $(FOURTH) $(wildcard $(TESTS)/golden/*.trace)
golden|$(TESTS_B)/test_golden $(TESTS)/golden
batch|$(TESTS_B)/test_batch
payload|$(TESTS_B)/test_payload
timeline|$(TESTS_B)/test_timeline $(CASES) $(wildcard $(TESTS)/golden/*.trace)
report|$(TESTS)/test_report.sh $(TESTS_B)/report $(TESTS)/golden
parser|$(TESTS_B)/fuzz_replay $(TESTS_SEEDS)
cli|$(TESTS)/test_cli.sh $(B)/perfwake
consumers|$(TESTS)/test_consumers.sh $(B)/perfwake
install|$(TESTS)/test_install.sh $(B)
browser|$(TESTS)/test_browser.sh $(B)/perfwake $(TESTS_B)/make_traces
endef

-include $(wildcard $(TESTS_B)/*/*.d)
