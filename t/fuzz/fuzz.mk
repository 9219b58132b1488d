# Fuzz targets of the pure rooms of src/.
#
#   make fuzz                with libFuzzer, in $(BUILD)/fuzz
#   make fuzz CC=gcc         with a driver of our own, in $(BUILD)/fuzz-gcc
#   make fuzz-run            runs each of them [CC=gcc] [SECONDS=60] [F=turn]
#   make fuzz-run RUNS=N     N executions over all of them, shared by speed
#
# SAN= leaves the sanitizers out: faster, and only checks of the targets find
# something.
#
# t/fuzz/NAME_fuzz.c is linked as a test of the room that has ngx_ors_NAME.c,
# or of FUZZ_NAME.  What is in t/fuzz/corpus/NAME is a unit test of that room,
# NAME_corpus_test, without a fuzzer.

FUZZ_SRCS   := $(sort $(wildcard t/fuzz/*_fuzz.c))
FUZZ_NAME    = $(patsubst %_fuzz.c,%,$(notdir $1))
FUZZ_NAMES  := $(foreach s,$(FUZZ_SRCS),$(call FUZZ_NAME,$s))

FUZZ_ROOM    = $(or $(FUZZ_$(call FUZZ_NAME,$1)),$(patsubst src/%/,%,$(dir \
                   $(wildcard src/*/ngx_ors_$(call FUZZ_NAME,$1).h))),turn)
FUZZ_PROGS  := $(foreach s,$(FUZZ_SRCS),$(UNIT_DIR)/$(notdir $(s:.c=)))
FUZZ_RUN    := $(if $(F),$(foreach n,$(FUZZ_NAMES), \
                                  $(if $(findstring $(F),$(n)),$(n))), \
                         $(FUZZ_NAMES))

# a request goes on to a chat server, and is checked with what turns are
FUZZ_request := turn
FUZZ_options := chat
FUZZ_record  := session
FUZZ_redis   := store
FUZZ_stored  := turn

# no file has the name of the verification alone
FUZZ_verify  := answer

SAN         ?= $(UNIT_SAN)

FUZZ_CC     := $(strip $(if $(filter command environment, \
                                     $(firstword $(origin CC))), \
                            $(CC),$(CLANG)))
FUZZ_CLANG  := $(findstring clang,$(FUZZ_CC))
FUZZ_DIR    := $(BUILD)/fuzz$(if $(FUZZ_CLANG),,-gcc)$(if $(SAN),,-plain)

# clang's check of pointers takes NULL + 0 for a mistake, gcc's does not
FUZZ_SAN    := $(if $(FUZZ_CLANG), -fno-sanitize=pointer-overflow \
                    -fsanitize=fuzzer-no-link,-fsanitize-coverage=trace-pc)

# objects and flags that make a program a fuzz target
FUZZ_MAIN    = $(if $(findstring fuzzer-no-link,$(UNIT_FLAGS)),, \
                    $(UNIT_DIR)/t/fuzz/driver.o)
FUZZ_LINK    = $(if $(findstring fuzzer-no-link,$(UNIT_FLAGS)), \
                    -fsanitize=fuzzer)

SECONDS     ?= 60
RUNS        ?=


.PHONY: fuzz fuzz-run unit-fuzz-progs

# flags of the other compiler are none of this one

fuzz:
	+@env -u HARDEN $(MAKE) --no-print-directory -f $(firstword $(MAKEFILE_LIST)) \
	    unit-fuzz-progs UNIT_DIR=$(FUZZ_DIR) CC=$(FUZZ_CC) \
	    UNIT_FLAGS='$(strip $(SAN) $(FUZZ_SAN))'

unit-fuzz-progs: $(FUZZ_PROGS)

# inputs that are found are kept in $(FUZZ_DIR)/corpus, those that break a
# target in $(FUZZ_DIR)

fuzz-run: fuzz
	@t/fuzz/run.pl --dir=$(FUZZ_DIR) --seconds=$(SECONDS) \
	    $(if $(RUNS),--runs=$(RUNS)) $(FUZZ_RUN)


FUZZ_OBJS    = $(UNIT_DIR)/$(1:.c=.o) \
    $(patsubst %.c,$(UNIT_DIR)/%.o, \
               $(filter-out %_test.c,$(wildcard t/unit/$2/*.c))) \
    $(UNIT_CHECK) $(UNIT_CORE) $(foreach r,$(UNIT_$2),$(UNIT_DIR)/$r.a)

define FUZZ_PROG
$(UNIT_DIR)/$(notdir $(1:.c=)): $(FUZZ_MAIN) $(FUZZ_OBJS)
	$$(UNIT_Q)$$(CC) $$(UNIT_CFLAGS) $(FUZZ_LINK) -o $$@ $$^ $$(UNIT_LDLIBS)
endef

$(foreach s,$(FUZZ_SRCS), \
    $(eval $(call FUZZ_PROG,$s,$(call FUZZ_ROOM,$s))))
