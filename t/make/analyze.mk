# Four readers of the source, besides compilers: gcc's analyzer, clang's,
# cppcheck, and gcc for a 32-bit platform.  A finding is an error; a stamp tells
# what had none, so that only what has changed is read again.

ANALYZE      := $(BUILD)/analyze
ANALYZE_SRCS := $(sort $(shell find src -name '*.c'))
ANALYZE_INCS  = $(addprefix -isystem $(NGX_TREE)/,objs src/core src/event \
                    src/event/modules src/event/quic src/os/unix src/http \
                    src/http/modules src/http/v2 src/http/v3) \
                $(addprefix -I,$(sort $(dir $(shell find src -name '*.h'))))

# -O2 is where gcc sees through inline functions

ANALYZE_GCC   = gcc -O2 -fanalyzer -Wnull-dereference -Werror -S
# a debugging nginx sets the links of what leaves a queue to NULL, of which
# clang believes that they are followed

ANALYZE_CLANG = $(CLANG) --analyze --analyzer-output text -DNGX_DEBUG=0 \
                -Xclang -analyzer-werror

# the libraries' own headers are those of this platform, as are nginx's limits,
# of which constants do not fit

ANALYZE_M32   = gcc -m32 -fsyntax-only -Wall -Werror -Wno-overflow \
                -idirafter /usr/include/$(shell gcc -print-multiarch)

# engines and setters of directives copy what they take, and return no part of
# it

CPPCHECK_NOT := returnDanglingLifetime:src/store/ngx_ors_store.c \
                returnDanglingLifetime:src/chat/ngx_ors_chat_options_conf.c

CPPCHECK     := $(ANALYZE)/cppcheck
CPPCHECK_ARGS = -q -j$(JOBS) --enable=warning,performance,portability \
                --error-exitcode=1 --suppress=missingInclude \
                $(addprefix --suppress=,$(CPPCHECK_NOT)) \
                --cppcheck-build-dir=$(CPPCHECK)

.PHONY: analyze cppcheck

analyze: build
	@NGINX_SRC='$(NGINX_SRC)' CC='$(CC)' $(DEPS) analyze
	+@$(MAKE) --no-print-directory -k $(PAR) cppcheck \
	    $(patsubst src/%.c,$(ANALYZE)/gcc/%.ok,$(ANALYZE_SRCS)) \
	    $(patsubst src/%.c,$(ANALYZE)/clang/%.ok,$(ANALYZE_SRCS)) \
	    $(patsubst src/%.c,$(ANALYZE)/m32/%.ok,$(ANALYZE_SRCS))

$(ANALYZE)/gcc/%.ok: src/%.c t/make/analyze.mk
	@mkdir -p $(@D)
	@$(ANALYZE_GCC) $(ANALYZE_INCS) -MMD -MF $(@:.ok=.d) -MT $@ \
	    -o $(@:.ok=.s) $<
	@rm $(@:.ok=.s)
	@touch $@

$(ANALYZE)/m32/%.ok: src/%.c t/make/analyze.mk
	@mkdir -p $(@D)
	@$(ANALYZE_M32) $(ANALYZE_INCS) -MMD -MF $(@:.ok=.d) -MT $@ $<
	@touch $@

$(ANALYZE)/clang/%.ok: src/%.c t/make/analyze.mk
	@mkdir -p $(@D)
	@$(ANALYZE_CLANG) $(ANALYZE_INCS) -MMD -MF $(@:.ok=.d) -MT $@ $<
	@touch $@

cppcheck:
	@mkdir -p $(CPPCHECK)
	@cppcheck $(CPPCHECK_ARGS) $(filter -Isrc%,$(ANALYZE_INCS)) src

-include $(wildcard $(ANALYZE)/*/*.d $(ANALYZE)/*/*/*.d)
