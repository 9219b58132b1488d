# Unit tests of the pure rooms of src/; fuzz targets are in t/fuzz/fuzz.mk.
#
#   make unit [T=sse]        run all files (or those with "sse" in the name)
#   make unit-asan [T=sse]   the same with address and undefined sanitizers
#   make tsan                those of threads with the sanitizer of threads
#   make valgrind [T=sse]    all (or those) with memcheck
#   make unit-tools          programs of tests that are not in C
#
# The tests of a room are one program, which runs each file of them, and each
# corpus of a fuzz target, in a process of its own.  It is linked with that room
# and those below it, and with what else is in the directory of the tests.

NGX_SRC     ?= /usr/share/nginx/src
BUILD       ?= build
NGX_OBJS    ?= $(BUILD)/objs
CLANG       ?= clang

UNIT_MK     := $(lastword $(MAKEFILE_LIST))
UNIT_DIR    ?= $(BUILD)/unit
UNIT_FLAGS  ?=
UNIT_EXEC   ?=
UNIT_LDLIBS ?= -lz -lcrypto -llmdb -lhiredis -lwslay -lzstd -ljansson \
               -lpcre2-8 -lm
UNIT_Q      := $(if $(V),,@)

UNIT_SAN    := -fsanitize=address,undefined -fno-sanitize-recover=undefined \
               -fno-omit-frame-pointer

# a room and the rooms below it, from the top down

UNIT_ROOMS  := base json wire seal stats store schema jsonschema proto answer \
               chat tools turn session

UNIT_base   := base
UNIT_json   := json base
UNIT_wire   := wire base
UNIT_seal   := seal base
UNIT_stats  := stats json base
UNIT_store  := store seal wire base
UNIT_schema := schema json base
UNIT_jsonschema := jsonschema base
UNIT_proto  := proto schema wire json base
UNIT_answer := answer proto schema wire json base
UNIT_chat   := chat answer proto schema seal wire json base
UNIT_tools  := tools wire json base
UNIT_turn   := turn tools chat answer proto jsonschema schema seal wire json \
               base
UNIT_session := session turn tools chat answer proto jsonschema schema store \
               seal wire json base

UNIT_INCS   := $(addprefix -I,$(NGX_OBJS) t/unit \
               $(addprefix src/,$(UNIT_ROOMS)) \
               $(addprefix $(NGX_SRC)/src/,core event event/modules event/quic \
                                           os/unix))

UNIT_CFLAGS := -std=gnu99 -O2 -g -Wall -Wextra -Wno-unused-parameter -Werror \
               $(UNIT_FLAGS)

UNIT_CORE   := $(UNIT_DIR)/t/unit/ngx_ors_test.o \
               $(UNIT_DIR)/t/unit/ngx_ors_test_absent.o \
               $(UNIT_DIR)/t/unit/ngx_ors_test_conf.o \
               $(UNIT_DIR)/t/unit/ngx_ors_test_core.o \
               $(UNIT_DIR)/t/unit/ngx_ors_test_string.o

# the checker of answers, linked where it is called

UNIT_CHECK  := $(UNIT_DIR)/t/unit/check.a

include t/fuzz/fuzz.mk

# the files of a room, the fuzz targets whose corpora belong to it, both

UNIT_TESTS   = $(sort $(basename $(notdir $(wildcard t/unit/$1/*_test.c))))
UNIT_CORPORA = $(strip $(foreach s,$(FUZZ_SRCS), \
                  $(if $(filter $1,$(call FUZZ_ROOM,$s)),$(call FUZZ_NAME,$s))))
UNIT_FILES   = $(strip $(call UNIT_TESTS,$1) \
                       $(addsuffix _corpus_test,$(call UNIT_CORPORA,$1)))

UNIT_RUN    := $(strip $(foreach r,$(UNIT_ROOMS), \
                  $(if $(if $(T),$(findstring $(T),$(call UNIT_FILES,$r)), \
                                 $(call UNIT_FILES,$r)), \
                       $(UNIT_DIR)/$(r)_tests)))

UNIT_TOOLS  := $(addprefix $(UNIT_DIR)/,schema_walk reader_walk \
               jsonschema_suite mcp_drive)


.PHONY: unit unit-asan unit-tools tsan valgrind

# programs are made, and run, as many at a time as there are processors

unit:
	$(if $(UNIT_RUN),,$(error no unit test has "$(T)" in its name))
	+@$(MAKE) --no-print-directory $(PAR) -f $(firstword $(MAKEFILE_LIST)) \
	    $(UNIT_RUN)
	prove $(addprefix -j,$(JOBS)) -e '$(UNIT_EXEC)' $(UNIT_RUN) \
	    $(if $(T),:: $(T))

unit-asan:
	+@$(MAKE) --no-print-directory -f $(firstword $(MAKEFILE_LIST)) unit \
	    unit-tools UNIT_DIR=$(BUILD)/asan/unit UNIT_FLAGS='$(UNIT_SAN)'

tsan:
	+@$(MAKE) --no-print-directory -f $(firstword $(MAKEFILE_LIST)) unit \
	    T=threads UNIT_DIR=$(BUILD)/tsan/unit UNIT_FLAGS=-fsanitize=thread

# pools are freed by their tests, what a table of a test keeps is not

valgrind:
	+@$(MAKE) --no-print-directory -f $(firstword $(MAKEFILE_LIST)) unit \
	    UNIT_EXEC='valgrind -q --error-exitcode=99 --leak-check=no'

unit-tools: $(UNIT_TOOLS)


$(UNIT_DIR)/%.o: %.c $(UNIT_MK) | $(NGX_OBJS)/Makefile
	@mkdir -p $(@D)
	$(UNIT_Q)$(CC) $(UNIT_CFLAGS) -MMD -MP $(UNIT_INCS) -c -o $@ $<

# the rooms are archives: a test takes what it calls

define UNIT_ROOM
$(UNIT_DIR)/$1.a: $(patsubst %.c,$(UNIT_DIR)/%.o,$(wildcard src/$1/*.c)) \
    $(wildcard src/$1)
	@mkdir -p $$(@D)
	@rm -f $$@
	@ar rcs $$@ $$(filter %.o,$$^)
endef

$(UNIT_CHECK): $(patsubst %.c,$(UNIT_DIR)/%.o,$(wildcard t/unit/check/*.c)) \
    $(wildcard t/unit/check)
	@rm -f $@
	@ar rcs $@ $(filter %.o,$^)

# main() of a file has the file's name, what a fuzz target does has its own

$(UNIT_DIR)/t/unit/%_test.o: UNIT_CFLAGS += -Dmain=$(notdir $*)

$(UNIT_DIR)/t/fuzz/%_corpus.o: t/fuzz/%_fuzz.c $(UNIT_MK) \
    | $(NGX_OBJS)/Makefile
	@mkdir -p $(@D)
	$(UNIT_Q)$(CC) $(UNIT_CFLAGS) -DLLVMFuzzerTestOneInput=corpus_$* -MMD -MP \
	    $(UNIT_INCS) -c -o $@ $<

define UNIT_PROG
$(UNIT_DIR)/t/unit/$1/files.h: $(UNIT_MK) t/fuzz/fuzz.mk \
    $(wildcard t/unit/$1 t/fuzz)
	@mkdir -p $$(@D)
	@printf '%s\n' $(patsubst %,'UNIT_TEST(%)',$(call UNIT_TESTS,$1)) \
	    $(patsubst %,'UNIT_CORPUS(%)',$(call UNIT_CORPORA,$1)) >$$@

$(UNIT_DIR)/t/unit/$1/room_main.o: t/unit/room_main.c \
    $(UNIT_DIR)/t/unit/$1/files.h | $(NGX_OBJS)/Makefile
	$$(UNIT_Q)$$(CC) $$(UNIT_CFLAGS) -MMD -MP $$(UNIT_INCS) \
	    -DUNIT_FILES='"$(abspath $(UNIT_DIR))/t/unit/$1/files.h"' -c -o $$@ $$<

$(UNIT_DIR)/$1_tests: $(UNIT_DIR)/t/unit/$1/room_main.o \
    $(patsubst %.c,$(UNIT_DIR)/%.o,$(wildcard t/unit/$1/*.c)) \
    $(patsubst %,$(UNIT_DIR)/t/fuzz/%_corpus.o,$(call UNIT_CORPORA,$1)) \
    $(UNIT_CHECK) $(UNIT_CORE) $(foreach r,$(UNIT_$1),$(UNIT_DIR)/$r.a)
	$$(UNIT_Q)$$(CC) $$(UNIT_CFLAGS) -o $$@ $$^ $$(UNIT_LDLIBS)
endef

$(foreach r,$(UNIT_ROOMS),$(eval $(call UNIT_ROOM,$r)))
$(foreach r,$(UNIT_ROOMS),$(eval $(call UNIT_PROG,$r)))

# programs that t/schema_*.t, t/readers.t, t/jsonschema_suite.t and
# t/mcp_servers.t ask
$(UNIT_TOOLS): $(UNIT_DIR)/%: $(UNIT_DIR)/t/diff/%.o $(UNIT_CORE) \
    $(foreach r,jsonschema tools $(UNIT_proto),$(UNIT_DIR)/$r.a)
	$(UNIT_Q)$(CC) $(UNIT_CFLAGS) -o $@ $^ $(UNIT_LDLIBS)

-include $(wildcard $(UNIT_DIR)/t/*/*.d $(UNIT_DIR)/t/*/*/*.d \
    $(UNIT_DIR)/src/*/*.d)
