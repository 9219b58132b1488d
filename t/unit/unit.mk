# Unit tests and fuzz targets of the pure rooms of src/.
#
#   make unit [T=sse]        build all (or those with "sse" in the name), run
#   make unit-asan [T=sse]   the same with address and undefined sanitizers
#   make unit-tools          programs of tests that are not in C
#   make fuzz                libFuzzer targets in $(BUILD)/fuzz
#   make fuzz-run            runs each of them [SECONDS=60] [F=turn]
#
# A test of a room is linked with that room and those below it, and with what
# else is in its directory and is no test;
# t/fuzz/NAME_fuzz.c as a test of the room that has ngx_ors_NAME.c, or of
# FUZZ_NAME.  What is in t/fuzz/corpus/NAME is a test of its own, without
# libFuzzer: NAME_corpus_test.

NGX_SRC     ?= /usr/share/nginx/src
BUILD       ?= build
NGX_OBJS    ?= $(BUILD)/objs
CLANG       ?= clang

UNIT_MK     := $(lastword $(MAKEFILE_LIST))
UNIT_DIR    ?= $(BUILD)/unit
UNIT_FLAGS  ?=
UNIT_EXEC   ?=
UNIT_LDLIBS ?= -lz -lcrypto -llmdb -lhiredis
UNIT_Q      := $(if $(V),,@)

UNIT_SAN    := -fsanitize=address,undefined -fno-sanitize-recover=undefined \
               -fno-omit-frame-pointer

# a room and the rooms below it, from the top down

UNIT_ROOMS  := base json wire seal stats store proto dialect guard turn

UNIT_base    := base
UNIT_json    := json base
UNIT_wire    := wire base
UNIT_seal    := seal base
UNIT_stats   := stats base
UNIT_store   := store wire base
UNIT_proto   := proto wire json base
UNIT_dialect := dialect proto seal wire json base
UNIT_guard   := guard dialect proto seal wire json base
UNIT_turn    := turn guard dialect proto seal wire json base

UNIT_INCS   := $(addprefix -I,$(NGX_OBJS) t/unit \
               $(addprefix src/,$(UNIT_ROOMS)) \
               $(addprefix $(NGX_SRC)/src/,core event event/modules os/unix))

UNIT_CFLAGS := -std=gnu99 -O2 -g -Wall -Wextra -Wno-unused-parameter -Werror \
               $(UNIT_FLAGS)

UNIT_CORE   := $(UNIT_DIR)/t/unit/ngx_ors_test.o \
               $(UNIT_DIR)/t/unit/ngx_ors_test_core.o \
               $(UNIT_DIR)/t/unit/ngx_ors_test_string.o

FUZZ_SRCS   := $(sort $(wildcard t/fuzz/*_fuzz.c))
FUZZ_NAME    = $(patsubst %_fuzz.c,%,$(notdir $1))
FUZZ_NAMES  := $(foreach s,$(FUZZ_SRCS),$(call FUZZ_NAME,$s))

UNIT_SRCS   := $(sort $(foreach r,$(UNIT_ROOMS),$(wildcard t/unit/$r/*_test.c)))
UNIT_PROGS  := $(foreach s,$(UNIT_SRCS),$(UNIT_DIR)/$(notdir $(s:.c=))) \
               $(foreach n,$(FUZZ_NAMES),$(UNIT_DIR)/$(n)_corpus_test)
UNIT_RUN    := $(if $(T),$(foreach p,$(UNIT_PROGS), \
                                  $(if $(findstring $(T),$(notdir $p)),$p)), \
                         $(UNIT_PROGS))

UNIT_TOOLS  := $(UNIT_DIR)/schema_walk

FUZZ_ROOM    = $(or $(FUZZ_$(call FUZZ_NAME,$1)),$(patsubst src/%/,%,$(dir \
                   $(wildcard src/*/ngx_ors_$(call FUZZ_NAME,$1).c))),turn)
FUZZ_PROGS  := $(foreach s,$(FUZZ_SRCS),$(UNIT_DIR)/$(notdir $(s:.c=)))
FUZZ_RUN    := $(if $(F),$(foreach n,$(FUZZ_NAMES), \
                                  $(if $(findstring $(F),$(n)),$(n))), \
                         $(FUZZ_NAMES))

# clang's check of pointers takes NULL + 0 for a mistake, gcc's does not
FUZZ_SAN    := -fno-sanitize=pointer-overflow -fsanitize=fuzzer-no-link

# a request goes on to the dialect, and is checked with what turns are
FUZZ_request := turn

SECONDS     ?= 60


.PHONY: unit unit-asan unit-tools fuzz fuzz-run unit-fuzz-progs

unit: $(UNIT_RUN)
	prove -e '$(UNIT_EXEC)' $(UNIT_RUN)

unit-asan:
	+@$(MAKE) --no-print-directory -f $(firstword $(MAKEFILE_LIST)) unit \
	    unit-tools UNIT_DIR=$(BUILD)/asan/unit UNIT_FLAGS='$(UNIT_SAN)'

unit-tools: $(UNIT_TOOLS)

fuzz:
	+@$(MAKE) --no-print-directory -f $(firstword $(MAKEFILE_LIST)) \
	    unit-fuzz-progs UNIT_DIR=$(BUILD)/fuzz CC=$(CLANG) \
	    UNIT_FLAGS='$(UNIT_SAN) $(FUZZ_SAN)'

unit-fuzz-progs: $(FUZZ_PROGS)

# what is found is kept in $(BUILD)/fuzz/corpus, what breaks in $(BUILD)/fuzz

fuzz-run: fuzz
	@set -e; for f in $(FUZZ_RUN); do \
	    echo "$$f: $(SECONDS) seconds"; \
	    found=$(BUILD)/fuzz/corpus/$$f; mkdir -p $$found; \
	    dict=; test ! -f t/fuzz/$$f.dict || dict=-dict=t/fuzz/$$f.dict; \
	    $(BUILD)/fuzz/$${f}_fuzz -max_total_time=$(SECONDS) $$dict \
	        -verbosity=0 -print_final_stats=1 \
	        -artifact_prefix=$(BUILD)/fuzz/ $$found t/fuzz/corpus/$$f; \
	done


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

define UNIT_PROG
$(UNIT_DIR)/$(notdir $(1:.c=)): $(UNIT_DIR)/$(1:.c=.o) \
    $(patsubst %.c,$(UNIT_DIR)/%.o, \
               $(filter-out %_test.c,$(wildcard t/unit/$2/*.c))) \
    $(UNIT_CORE) $(foreach r,$(UNIT_$2),$(UNIT_DIR)/$r.a)
	$$(UNIT_Q)$$(CC) $$(UNIT_CFLAGS) -o $$@ $$^ $$(UNIT_LDLIBS)
endef

FUZZ_OBJS    = $(UNIT_DIR)/$(1:.c=.o) \
    $(patsubst %.c,$(UNIT_DIR)/%.o, \
               $(filter-out %_test.c,$(wildcard t/unit/$2/*.c))) \
    $(UNIT_CORE) $(foreach r,$(UNIT_$2),$(UNIT_DIR)/$r.a)

define FUZZ_PROG
$(UNIT_DIR)/$(notdir $(1:.c=)): $(FUZZ_OBJS)
	$$(UNIT_Q)$$(CC) $$(UNIT_CFLAGS) -fsanitize=fuzzer -o $$@ $$^ $$(UNIT_LDLIBS)

$(UNIT_DIR)/$(notdir $(1:_fuzz.c=_corpus_test)): \
    $(UNIT_DIR)/t/fuzz/corpus.o $(FUZZ_OBJS)
	$$(UNIT_Q)$$(CC) $$(UNIT_CFLAGS) -o $$@ $$^ $$(UNIT_LDLIBS)
endef

$(foreach r,$(UNIT_ROOMS),$(eval $(call UNIT_ROOM,$r)))
$(foreach r,$(UNIT_ROOMS),$(foreach s,$(filter t/unit/$r/%,$(UNIT_SRCS)), \
    $(eval $(call UNIT_PROG,$s,$r))))
$(foreach s,$(FUZZ_SRCS), \
    $(eval $(call FUZZ_PROG,$s,$(call FUZZ_ROOM,$s))))

# what t/schema_*.t ask
$(UNIT_DIR)/schema_walk: $(UNIT_DIR)/t/diff/schema_walk.o $(UNIT_CORE) \
    $(foreach r,$(UNIT_proto),$(UNIT_DIR)/$r.a)
	$(UNIT_Q)$(CC) $(UNIT_CFLAGS) -o $@ $^

# compared with another implementation
$(UNIT_DIR)/json_jansson_test: UNIT_LDLIBS += -ljansson

-include $(wildcard $(UNIT_DIR)/t/*/*.d $(UNIT_DIR)/t/*/*/*.d \
    $(UNIT_DIR)/src/*/*.d)
