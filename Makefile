# "make help" says what there is.

NAME      := ngx_http_open_responses_module

BUILD     ?= build
CC        ?= cc
CLANG     ?= clang
JOBS      ?= $(shell nproc 2>/dev/null || echo 2)

# nginx's source: nginx-dev's headers, or any tree from 1.22 to mainline
NGINX_SRC ?=
NGX_SRC   := $(or $(NGINX_SRC),/usr/share/nginx/src)
NGX_TREE  := $(BUILD)/tree
NGX_OBJS  := $(NGX_TREE)/objs
NGX_H     := $(NGX_SRC)/src/core/nginx.h

MODULE    := $(BUILD)/$(NAME).so
MODULES   ?= /usr/lib/nginx/modules

DEPS      := t/make/deps.sh
SOURCE    := $(BUILD)/source
PAR        = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(JOBS)) $(if $(V),,-s)

# flags that make a fault harder to exploit, as far as the compiler has them
ifndef HARDEN
export HARDEN := $(shell t/make/flags.sh $(CC) -fstack-protector-strong \
                         -fstack-clash-protection -fcf-protection \
                         -ftrivial-auto-var-init=zero -D_FORTIFY_SOURCE=3)
endif

# libraries that a machine does not have: any of lmdb, redis and websocket
export ORS_WITHOUT ?=

# nginx's configuration: as Debian has it, or the least that fits
CC_OPT    ?= -O2 -g -Wformat -Werror=format-security $(HARDEN)
LD_OPT    ?= -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack
FLAGS     ?= $(if $(NGINX_SRC),--with-compat --with-debug --with-threads, \
                 $(shell sed -n 's/^NGX_CONF_FLAGS=(\(.*\))/\1/p' \
                         $(NGX_SRC)/conf_flags 2>/dev/null))
CONFIGURE  = --with-cc=$(CC) '--with-cc-opt=$(strip $(CC_OPT))' \
             '--with-ld-opt=$(strip $(LD_OPT))' $(strip $(FLAGS)) \
             --add-dynamic-module=$(CURDIR)

# beyond nginx's own warnings, for our files
OWN_FLAGS ?= -Wshadow -Wmissing-prototypes -Wstrict-prototypes \
             -Wdeclaration-after-statement -Wvla

# an nginx built here, for the sanitizers and for other versions
FULL      := --with-compat --with-debug --with-threads --with-pcre-jit \
             --with-http_ssl_module --with-http_v2_module \
             --with-http_gunzip_module --with-http_stub_status_module \
             --with-http_realip_module --with-http_auth_request_module \
             --with-http_slice_module --with-http_sub_module \
             --with-http_addition_module --with-http_secure_link_module
ASAN_SAN  := -fsanitize=address -fno-omit-frame-pointer
ASAN_OPT  := $(ASAN_SAN) -g -O1 -DNGX_DEBUG_PALLOC=1
UBSAN     := -fsanitize=undefined -fno-sanitize-recover=undefined

TESTS       ?= $(wildcard t/*.t)
PROVE       ?= prove
# files of tests wait more than they work
PROVE_FLAGS ?= -j$(shell expr 3 '*' $(JOBS))
SERVER      ?= $(or $(shell PATH=$$PATH:/usr/sbin command -v nginx),nginx)


.PHONY: build module server check house prove without test test-codex \
        test-engine asan asan-prove mainline fresh bench run deps deps-run \
        deps-test sources install clean help need FORCE

build: need
	+@mkdir -p $(BUILD) && flock $(BUILD) \
	    $(MAKE) --no-print-directory module

help:
	@echo 'make [BUILD=dir] [NGINX_SRC=dir] [CC=cc] [V=1] [ORS_WITHOUT=...]'
	@echo '     TARGET'
	@echo
	@echo 'build      $(MODULE), a minute'
	@echo 'test       unit, unit-asan, prove, asan-prove; installs what they need;'
	@echo '           9 minutes on two cores'
	@echo 'unit       unit tests, a minute [T=part of a name]'
	@echo 'prove      tests with a real nginx, 3 minutes [TESTS="t/a.t ..."]'
	@echo '           one of each: make unit T=edges; make prove TESTS=t/status.t'
	@echo 'without    a build that lacks all that ORS_WITHOUT may name'
	@echo 'asan       both with sanitizers and an nginx built with them'
	@echo 'asan-prove those of lifetimes, or [TESTS="t/a.t ..."], with these'
	@echo 'test-codex sessions of Codex, which it installs: a large download'
	@echo 'test-engine with a real model, whose server has to be compiled'
	@echo 'mainline   tests with the newest nginx that is to be had, or with'
	@echo '           [NGINX=X.Y.Z], in 10 minutes'
	@echo 'fresh      "make run" and "make test" in a bare Debian 12'
	@echo 'package    a package for Debian, tried in bare systems, 5 minutes;'
	@echo '           with [NGINX=X.Y.Z] the module for that nginx of nginx.org'
	@echo 'check      house rules, warnings of clang, and analyze, 5 minutes'
	@echo '           the first time, then seconds'
	@echo 'house      a table of src: sizes, cycles [BASE=another tree V=1]'
	@echo 'analyze    the analyzers of gcc and clang, and cppcheck'
	@echo 'fuzz       fuzz targets [CC=gcc SAN=]'
	@echo 'fuzz-run   runs them, each for a while [SECONDS=60 F=part of a name],'
	@echo '           or so often in all [RUNS=n]'
	@echo 'fault      each call of a worker that can fail, one by one'
	@echo 'chaos      hostile peers, with sanitizers [SECONDS=600 SEED=1]'
	@echo 'soup       directives of nginx at random beside ours, for clients of'
	@echo '           all kinds [SECONDS=180 SEED=1]'
	@echo 'reloads    1,000 streams and WebSockets under 20 reloads'
	@echo 'cost       what inputs cost: instructions and memory [R=name V=1]'
	@echo 'bench      benchmarks (bench-peers: beside other servers)'
	@echo 'run        an nginx to try it out, with a model of its own or in front'
	@echo '           of a server [UPSTREAM=http://host:port/v1 MODEL=name PORT=n]'
	@echo '           [CLIENT=codex]: starts it'
	@echo 'sources    the lists in "config", written anew from src/'
	@echo 'deps       installs what the build needs (deps-test: the tests)'
	@echo 'install    copies the module to $(MODULES) [DESTDIR=]'
	@echo 'clean      removes the results, keeps downloaded sources'

need:
	@NGINX_SRC='$(NGINX_SRC)' CC='$(CC)' $(DEPS) -n build

deps:
	@NGINX_SRC='$(NGINX_SRC)' CC='$(CC)' $(DEPS) build

deps-run:
	@NGINX_SRC='$(NGINX_SRC)' CC='$(CC)' $(DEPS) build run

deps-test: deps
	@CC='$(CC)' $(DEPS) test
	@t/make/sdk.sh


# the module

$(BUILD)/configure: FORCE
	@mkdir -p $(BUILD)
	@printf '%s\n' "$(NGX_SRC)" "$(CONFIGURE)" "$(ORS_WITHOUT)" >$@.new
	@cmp -s $@ $@.new && rm $@.new || mv $@.new $@

$(NGX_OBJS)/Makefile: config t/make/configure.sh $(BUILD)/configure $(NGX_H)
	@echo "configure $(NGX_SRC)"
	@t/make/configure.sh $(NGX_SRC) $(NGX_TREE) $(CONFIGURE)

$(NGX_H):
	@$(DEPS) -n build
	@echo '$(NGX_SRC) is not an nginx source tree' >&2; exit 1

module: $(NGX_OBJS)/Makefile
	+@$(MAKE) --no-print-directory -C $(NGX_TREE) $(PAR) \
	    -f $(CURDIR)/t/make/module.mk OWN_FLAGS='$(OWN_FLAGS)' \
	    LIST_FLAGS='$(LIST_FLAGS)' \
	    FILES=$(words $(wildcard src/*.c src/*/*.c)) modules
	@t/make/symbols.sh $(NGX_OBJS)/$(NAME).so
	@cmp -s $(NGX_OBJS)/$(NAME).so $(MODULE) || { \
	    cp $(NGX_OBJS)/$(NAME).so $(MODULE).new && \
	    mv $(MODULE).new $(MODULE) && echo $(MODULE); }

server: module
	+@$(MAKE) --no-print-directory -C $(NGX_TREE) $(PAR) \
	    -f objs/Makefile binary

install: build
	install -d $(DESTDIR)$(MODULES)
	install -m 644 $(MODULE) $(DESTDIR)$(MODULES)

sources:
	@t/make/sources.pl


# tests

include t/unit/unit.mk
include t/make/analyze.mk
-include t/bench/bench.mk
include t/fault/fault.mk
-include t/cost/cost.mk

test: deps-test
	+@BUILD=$(BUILD) t/make/test.sh '$(MAKE)'

prove: build
	@for test in $(TESTS); do \
	    test -e "$$test" || { echo "there is no test $$test"; exit 1; }; \
	done
	+@$(MAKE) --no-print-directory unit-tools
	TEST_NGINX_BINARY=$(abspath $(SERVER)) \
	TEST_NGINX_MODULE=$(abspath $(MODULE)) \
	    $(PROVE) $(PROVE_FLAGS) $(TESTS)

# without optimization, as it is made for one test

without:
	+@$(MAKE) --no-print-directory build BUILD=$(BUILD)/without \
	    ORS_WITHOUT='lmdb redis websocket zstd' CC_OPT='-O0 -g'
	TEST_NGINX_BINARY=$(abspath $(SERVER)) \
	TEST_NGINX_MODULE=$(abspath $(BUILD)/without/$(NAME).so) \
	    $(PROVE) t/without/without.t

# Codex's package is too large for every "make test"

test-codex: build deps-test
	@t/make/sdk.sh codex
	TEST_NGINX_BINARY=$(abspath $(SERVER)) \
	TEST_NGINX_MODULE=$(abspath $(MODULE)) $(PROVE) t/codex/*.t

# nor is there time to compile a model's server

test-engine: build deps-test
	@t/make/sdk.sh engine
	TEST_NGINX_BINARY=$(abspath $(SERVER)) \
	TEST_NGINX_MODULE=$(abspath $(MODULE)) $(PROVE) t/engine/engine.t

# the sanitizer of undefined behaviour is for our files: nginx's own have
# findings that are not ours to repair

NGX_VERSION = $(shell sed -n 's/.*NGINX_VERSION  *"\(.*\)"/\1/p' $(NGX_H))
ASAN_SRC   ?= $(SOURCE)/nginx-$(NGX_VERSION)

asan-server: need
	@test -d $(ASAN_SRC) || t/make/source.sh $(NGX_VERSION) \
	    $(ASAN_SRC) $$(. /etc/os-release; echo $$VERSION_CODENAME)
	+@mkdir -p $(BUILD)/asan && flock $(BUILD)/asan \
	    $(MAKE) --no-print-directory server BUILD=$(BUILD)/asan \
	    NGINX_SRC=$(ASAN_SRC) FLAGS='$(FULL)' CC_OPT='$(ASAN_OPT)' \
	    LD_OPT='$(ASAN_SAN) -fsanitize=undefined' \
	    OWN_FLAGS='$(OWN_FLAGS) $(UBSAN)' LIST_FLAGS='--param=asan-globals=0'

# files in which requests, connections or workers end in the middle of work, or
# memory is kept beyond a request: "make test" runs these with sanitizers, too,
# "make asan" all

LIFETIMES := abort background% backpressure body chaos compact connections \
             conversation failover filters heartbeat hosted_cut many_% mcp \
             mcp_failures mcp_leave mcp_lists mcp_resume memory_pages \
             post_action reload% retry soup store_% target_gunzip \
             target_kinds target_memory tls tools tools_failures tools_stored \
             upstream_cut upstream_framing validator_abort validator_body \
             validator_down validator_flow validator_framing websocket \
             websocket_frames websocket_leave websocket_life websocket_many \
             websocket_suite
ASAN_TESTS = $(if $(filter command%,$(origin TESTS)),$(TESTS), \
                 $(filter $(LIFETIMES:%=t/%.t),$(TESTS)))

asan: asan-server
	+@$(MAKE) --no-print-directory unit-asan
	+@$(MAKE) --no-print-directory asan-prove TESTS='$(TESTS)'

asan-prove: asan-server
	+@$(MAKE) --no-print-directory unit-tools UNIT_DIR=$(BUILD)/asan/unit \
	    UNIT_FLAGS='$(UNIT_SAN)'
	LSAN_OPTIONS=suppressions=$(CURDIR)/t/make/leaks.txt:print_suppressions=0 \
	TEST_NGINX_ASAN=1 \
	TEST_NGINX_BINARY=$(abspath $(BUILD)/asan/tree/objs/nginx) \
	TEST_NGINX_MODULE=$(abspath $(BUILD)/asan/$(NAME).so) \
	    $(PROVE) $(PROVE_FLAGS) $(ASAN_TESTS)

# the newest nginx that is to be had, or NGINX=X.Y.Z; nginx itself would take
# that variable for a list of sockets

MAINLINE_SRC ?= $(SOURCE)/$(if $(NGINX),nginx-$(NGINX),mainline)

unexport NGINX

mainline-server: need
	@test -d $(MAINLINE_SRC) || t/make/source.sh '$(NGINX)' \
	    $(MAINLINE_SRC) sid testing crate stable
	+@mkdir -p $(BUILD)/mainline && flock $(BUILD)/mainline \
	    $(MAKE) --no-print-directory server BUILD=$(BUILD)/mainline \
	    NGINX_SRC=$(MAINLINE_SRC) FLAGS='$(FULL)'
	@$(BUILD)/mainline/tree/objs/nginx -v

mainline: mainline-server
	+@$(MAKE) --no-print-directory unit-tools
	TEST_UNIT_DIR=$(abspath $(UNIT_DIR)) \
	TEST_NGINX_BINARY=$(abspath $(BUILD)/mainline/tree/objs/nginx) \
	TEST_NGINX_MODULE=$(abspath $(BUILD)/mainline/$(NAME).so) \
	    $(PROVE) $(PROVE_FLAGS) $(TESTS)

.PHONY: asan-server mainline-server

# HEAD, as a user meets it whose system has git and make

fresh:
	@$(DEPS) fresh
	@t/make/fresh.sh $(abspath $(BUILD)/fresh)

# for Debian's nginx; with NGINX=X.Y.Z for nginx.org's builds of that version

ifdef NGINX
PACKAGE_SRC := $(SOURCE)/nginx-$(NGINX)

package: need
	@test -d $(PACKAGE_SRC) || t/make/source.sh $(NGINX) $(PACKAGE_SRC) \
	    $$(. /etc/os-release; echo $$VERSION_CODENAME) stable testing sid crate
	+@mkdir -p $(BUILD)/nginx-$(NGINX) && flock $(BUILD)/nginx-$(NGINX) \
	    $(MAKE) --no-print-directory server BUILD=$(BUILD)/nginx-$(NGINX) \
	    NGINX_SRC=$(PACKAGE_SRC) FLAGS='--with-compat --with-threads'
	@t/make/load.sh $(BUILD)/nginx-$(NGINX)/tree/objs/nginx \
	    $(BUILD)/nginx-$(NGINX)/$(NAME).so
	@install -d $(BUILD)/package/nginx-$(NGINX)
	@install -s -m 644 $(BUILD)/nginx-$(NGINX)/$(NAME).so \
	    $(BUILD)/package/nginx-$(NGINX)
	@echo $(BUILD)/package/nginx-$(NGINX)/$(NAME).so
else
package:
	@$(DEPS) fresh
	@t/make/package.sh $(abspath $(BUILD)/packaging) \
	    $(abspath $(BUILD)/package)
endif

.PHONY: package

# a tree that does not compile is checked all the same

check:
	@NGINX_SRC='$(NGINX_SRC)' CC='$(CC)' $(DEPS) build check analyze
	@$(PROVE) -Q t/make/check_test.pl t/make/house_test.pl
	+@status=0; \
	$(MAKE) --no-print-directory build || status=1; \
	$(PROVE) t/make/book_test.pl :: $(NGX_TREE) || status=1; \
	t/make/check.pl --tree=$(NGX_TREE) --clang='$(CLANG)' || status=1; \
	$(MAKE) --no-print-directory analyze || status=1; \
	exit $$status

# how large the rooms of src/ are, and which of their files form a cycle

house:
	@t/make/house.pl $(if $(BASE),--base="$(BASE)") $(if $(V),--files)

run:
	@t/make/run.sh -n
	@$(MAKE) --no-print-directory deps-run
	@test -f $(MODULE) || echo 'building the module, about a minute'
	+@$(MAKE) --no-print-directory build
	@t/make/run.sh $(SERVER) $(abspath $(MODULE)) $(abspath $(BUILD))/run

clean:
	@test ! -f $(BUILD)/configure || find $(BUILD) -mindepth 1 -maxdepth 1 \
	    ! -name source -exec rm -rf {} +
