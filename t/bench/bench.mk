# Benchmarks: the budgets of the design, and parts of the module.
#
#   make bench                 adapter and validator beside plain proxy_pass
#   make bench QUICK=1         the same, rough, in less than a minute
#   make bench PART=memory     some of requests, latency, streams, memory,
#                              big, validator, unused, walker, reader,
#                              callgrind, hosted, store, schema, websocket
#   make bench-json            the JSON reader beside jansson
#   make bench-json VEC=1      as on processors without AVX2; 0: without vectors
#   make bench-walk FILES=...  reader and walker on requests
#   make bench-turn            a stream from its bytes to the client's
#   make bench-peers           the gateway beside others, which it installs
#                              [PEERS=litellm,gateway] [QUICK=1]

BENCH_DIR    ?= $(BUILD)/bench
BENCH_CFLAGS := -std=gnu99 -O2 -g -Wall -Wextra -Wno-unused-parameter -Werror

# measured programs are compiled as the module is

BENCH_UNIT   := $(BENCH_DIR)/unit$(VEC)
BENCH_FLAGS  := -fPIC -fstack-protector-strong \
                $(if $(VEC),-DNGX_ORS_VEC_LEVEL=$(VEC))

BENCH_LOAD   := $(addprefix t/bench/,load.c client.c model.c events.c loop.c)


.PHONY: bench bench-deps bench-json bench-walk bench-turn bench-peers \
        bench-build bench-programs

bench: bench-deps build $(BENCH_DIR)/load bench-build
	@TEST_NGINX_BINARY=$(abspath $(SERVER)) \
	TEST_NGINX_MODULE=$(abspath $(MODULE)) \
	    t/bench/bench.pl --load=$(BENCH_DIR)/load \
	    --json=$(BENCH_UNIT)/bench/json_bench \
	    --walk=$(BENCH_UNIT)/bench/walk_bench \
	    --store=$(BENCH_UNIT)/bench/store_bench \
	    --schema=$(BENCH_UNIT)/bench/schema_bench \
	    --out=$(abspath $(BENCH_DIR)) \
	    $(if $(QUICK),--quick) $(if $(PART),--only=$(PART))

bench-json: bench-build
	@$(BENCH_UNIT)/bench/json_bench

bench-walk: bench-build
	@$(BENCH_UNIT)/bench/walk_bench $(or $(FILES), \
	    $(wildcard t/data/requests/codex-*.json))

bench-turn: bench-build
	@$(BENCH_UNIT)/bench/turn_bench

# in a network of its own: some peers listen on each address, or call home

bench-peers: bench-deps build $(BENCH_DIR)/load
	@t/bench/peers.sh $(BUILD)/peers
	@TEST_NGINX_BINARY=$(abspath $(SERVER)) \
	TEST_NGINX_MODULE=$(abspath $(MODULE)) \
	    unshare --net -- sh -c 'ip link set lo up && exec "$$@"' - \
	    t/bench/peers.pl --load=$(BENCH_DIR)/load \
	    --out=$(abspath $(BENCH_DIR)) --peers=$(abspath $(BUILD))/peers \
	    $(if $(QUICK),--quick) $(if $(PEERS),--only=$(PEERS))

bench-deps:
	@CC='$(CC)' $(DEPS) bench

bench-build:
	+@$(MAKE) --no-print-directory bench-programs UNIT_DIR=$(BENCH_UNIT) \
	    UNIT_FLAGS='$(strip $(BENCH_FLAGS))'

# programs that are run by hand only must compile all the same: "make test"
# links them with the rooms of the unit tests

BENCH_PROGS  := $(patsubst %,$(UNIT_DIR)/bench/%_bench,json walk store turn \
                                                       schema)

bench-programs: $(BENCH_DIR)/load $(BENCH_PROGS)

$(BENCH_DIR)/load: $(BENCH_LOAD) $(wildcard t/bench/*.h)
	@mkdir -p $(BENCH_DIR)
	@$(CC) $(BENCH_CFLAGS) -o $@ $(BENCH_LOAD)

$(BENCH_PROGS): $(UNIT_DIR)/bench/%: $(UNIT_DIR)/t/bench/%.o $(UNIT_CORE) \
    $(foreach r,$(UNIT_session),$(UNIT_DIR)/$r.a)
	@mkdir -p $(@D)
	$(UNIT_Q)$(CC) $(UNIT_CFLAGS) -o $@ $^ $(UNIT_LDLIBS) -lpthread

# it counts failures by ngx_ors_lmdb_failed(), in place of the engine's

$(UNIT_DIR)/bench/store_bench: UNIT_LDLIBS += -Wl,-z,muldefs
