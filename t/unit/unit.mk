# Unit tests of the pure rooms of src/; fuzz targets are in t/fuzz/fuzz.mk.
#
#   make unit [T=sse]        build all (or those with "sse" in the name), run
#   make unit-asan [T=sse]   the same with address and undefined sanitizers
#   make tsan                those of threads with the sanitizer of threads
#   make valgrind [T=sse]    all (or those) with memcheck
#   make unit-tools          programs of tests that are not in C
#
# A test of a room is linked with that room and those below it, and with what
# else is in its directory and is no test.

NGX_SRC     ?= /usr/share/nginx/src
BUILD       ?= build
NGX_OBJS    ?= $(BUILD)/objs
CLANG       ?= clang

UNIT_MK     := $(lastword $(MAKEFILE_LIST))
UNIT_DIR    ?= $(BUILD)/unit
UNIT_FLAGS  ?=
UNIT_EXEC   ?=
UNIT_LDLIBS ?= -lz -lcrypto -llmdb -lhiredis -lwslay -ljansson \
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
UNIT_stats  := stats base
UNIT_store  := store seal wire base
UNIT_schema := schema json base
UNIT_jsonschema := jsonschema base
UNIT_proto  := proto schema wire json base
UNIT_answer := answer proto schema wire json base
UNIT_chat   := chat answer proto schema seal wire json base
UNIT_tools  := tools wire json base
UNIT_turn   := turn tools chat answer proto schema seal wire json base
UNIT_session := session turn tools chat answer proto schema store seal wire \
               json base

UNIT_INCS   := $(addprefix -I,$(NGX_OBJS) t/unit \
               $(addprefix src/,$(UNIT_ROOMS)) \
               $(addprefix $(NGX_SRC)/src/,core event event/modules os/unix))

UNIT_CFLAGS := -std=gnu99 -O2 -g -Wall -Wextra -Wno-unused-parameter -Werror \
               $(UNIT_FLAGS)

UNIT_CORE   := $(UNIT_DIR)/t/unit/ngx_ors_test.o \
               $(UNIT_DIR)/t/unit/ngx_ors_test_conf.o \
               $(UNIT_DIR)/t/unit/ngx_ors_test_core.o \
               $(UNIT_DIR)/t/unit/ngx_ors_test_string.o

include t/fuzz/fuzz.mk

UNIT_SRCS   := $(sort $(foreach r,$(UNIT_ROOMS),$(wildcard t/unit/$r/*_test.c)))
UNIT_PROGS  := $(foreach s,$(UNIT_SRCS),$(UNIT_DIR)/$(notdir $(s:.c=))) \
               $(foreach n,$(FUZZ_NAMES),$(UNIT_DIR)/$(n)_corpus_test)
UNIT_RUN    := $(if $(T),$(foreach p,$(UNIT_PROGS), \
                                  $(if $(findstring $(T),$(notdir $p)),$p)), \
                         $(UNIT_PROGS))

UNIT_TOOLS  := $(addprefix $(UNIT_DIR)/,schema_walk reader_walk \
               jsonschema_suite mcp_drive)


.PHONY: unit unit-asan unit-tools tsan valgrind

unit: $(UNIT_RUN)
	prove -e '$(UNIT_EXEC)' $(UNIT_RUN)

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

define UNIT_PROG
$(UNIT_DIR)/$(notdir $(1:.c=)): $(UNIT_DIR)/$(1:.c=.o) \
    $(patsubst %.c,$(UNIT_DIR)/%.o, \
               $(filter-out %_test.c,$(wildcard t/unit/$2/*.c))) \
    $(UNIT_CORE) $(foreach r,$(UNIT_$2),$(UNIT_DIR)/$r.a)
	$$(UNIT_Q)$$(CC) $$(UNIT_CFLAGS) -o $$@ $$^ $$(UNIT_LDLIBS)
endef

$(foreach r,$(UNIT_ROOMS),$(eval $(call UNIT_ROOM,$r)))
$(foreach r,$(UNIT_ROOMS),$(foreach s,$(filter t/unit/$r/%,$(UNIT_SRCS)), \
    $(eval $(call UNIT_PROG,$s,$r))))

# what t/schema_*.t, t/readers.t, t/jsonschema_suite.t and t/mcp_servers.t ask
$(UNIT_TOOLS): $(UNIT_DIR)/%: $(UNIT_DIR)/t/diff/%.o $(UNIT_CORE) \
    $(foreach r,jsonschema tools $(UNIT_proto),$(UNIT_DIR)/$r.a)
	$(UNIT_Q)$(CC) $(UNIT_CFLAGS) -o $@ $^ $(UNIT_LDLIBS)

-include $(wildcard $(UNIT_DIR)/t/*/*.d $(UNIT_DIR)/t/*/*/*.d \
    $(UNIT_DIR)/src/*/*.d)
