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
BENCH_CFLAGS := -std=gnu99 -O2 -g -fPIC -fstack-protector-strong -Wall \
                -Wextra -Wno-unused-parameter -Werror \
                $(if $(VEC),-DNGX_ORS_VEC_LEVEL=$(VEC))

BENCH_JSON   := t/bench/json_bench.c src/json/ngx_ors_json.c \
                src/json/ngx_ors_json_reader.c src/base/ngx_ors_utf8.c \
                src/base/ngx_ors_utf8_valid.c t/unit/ngx_ors_test.c \
                t/unit/ngx_ors_test_core.c t/unit/ngx_ors_test_string.c

# key files are read with functions of nginx's configuration
BENCH_ROOMS   = $(filter-out src/base/ngx_ors_keyfile.c, \
                    $(foreach r,$1,$(wildcard src/$r/*.c)))

# whole rooms are linked: what needs more of nginx and is not called goes
BENCH_GC     := -ffunction-sections -fdata-sections -Wl,--gc-sections

BENCH_WALK   := t/bench/walk_bench.c $(wildcard t/unit/ngx_ors_test*.c) \
                $(call BENCH_ROOMS,$(UNIT_proto))

BENCH_STORE  := t/bench/store_bench.c $(wildcard t/unit/ngx_ors_test*.c) \
                $(addprefix src/store/ngx_ors_,chain.c lmdb.c lmdb_scope.c \
                            lmdb_write.c lmdb_jobs.c record.c store.c)

BENCH_LOAD   := $(addprefix t/bench/,load.c client.c model.c events.c loop.c)


.PHONY: bench bench-deps bench-json bench-walk bench-turn bench-peers \
        bench-programs

bench: bench-deps build $(BENCH_DIR)/load $(BENCH_DIR)/json_bench \
       $(BENCH_DIR)/walk_bench $(BENCH_DIR)/store_bench \
       $(BENCH_DIR)/schema_bench
	@TEST_NGINX_BINARY=$(abspath $(SERVER)) \
	TEST_NGINX_MODULE=$(abspath $(MODULE)) \
	    t/bench/bench.pl --load=$(BENCH_DIR)/load \
	    --json=$(BENCH_DIR)/json_bench --walk=$(BENCH_DIR)/walk_bench \
	    --store=$(BENCH_DIR)/store_bench \
	    --schema=$(BENCH_DIR)/schema_bench \
	    --out=$(abspath $(BENCH_DIR)) \
	    $(if $(QUICK),--quick) $(if $(PART),--only=$(PART))

bench-json: $(BENCH_DIR)/json_bench
	@$(BENCH_DIR)/json_bench

bench-walk: $(BENCH_DIR)/walk_bench
	@$(BENCH_DIR)/walk_bench $(or $(FILES), \
	    $(wildcard t/data/requests/codex-*.json))

bench-turn: $(BENCH_DIR)/turn_bench
	@$(BENCH_DIR)/turn_bench

# in a network of its own: some peers listen on each address, or call home

bench-peers: bench-deps build $(BENCH_DIR)/load
	@t/bench/peers.sh $(BUILD)/peers
	@TEST_NGINX_BINARY=$(abspath $(SERVER)) \
	TEST_NGINX_MODULE=$(abspath $(MODULE)) \
	    unshare --net -- sh -c 'ip link set lo up && exec "$$@"' - \
	    t/bench/peers.pl --load=$(BENCH_DIR)/load \
	    --out=$(abspath $(BENCH_DIR)) --peers=$(abspath $(BUILD))/peers \
	    $(if $(QUICK),--quick) $(if $(PEERS),--only=$(PEERS))

# what is measured by hand only must compile all the same

bench-programs: $(addprefix $(BENCH_DIR)/,load json_bench walk_bench \
                            store_bench turn_bench schema_bench)

bench-deps:
	@CC='$(CC)' $(DEPS) bench

$(BENCH_DIR)/load: $(BENCH_LOAD) $(wildcard t/bench/*.h)
	@mkdir -p $(BENCH_DIR)
	@$(CC) $(BENCH_CFLAGS) -o $@ $(BENCH_LOAD)

# VEC may be another than the last time

$(BENCH_DIR)/json_bench: $(NGX_OBJS)/Makefile FORCE
	@mkdir -p $(BENCH_DIR)
	@$(CC) $(BENCH_CFLAGS) $(BENCH_GC) $(UNIT_INCS) -o $@ $(BENCH_JSON) -ljansson

$(BENCH_DIR)/walk_bench: $(NGX_OBJS)/Makefile FORCE
	@mkdir -p $(BENCH_DIR)
	@$(CC) $(BENCH_CFLAGS) $(BENCH_GC) $(UNIT_INCS) -o $@ $(BENCH_WALK) \
	    $(UNIT_LDLIBS)

$(BENCH_DIR)/store_bench: $(NGX_OBJS)/Makefile FORCE
	@mkdir -p $(BENCH_DIR)
	@$(CC) $(BENCH_CFLAGS) $(BENCH_GC) $(UNIT_INCS) -o $@ $(BENCH_STORE) \
	    $(UNIT_LDLIBS) -lpthread

$(BENCH_DIR)/turn_bench: $(NGX_OBJS)/Makefile FORCE
	@mkdir -p $(BENCH_DIR)
	@$(CC) $(BENCH_CFLAGS) $(BENCH_GC) $(UNIT_INCS) -o $@ t/bench/turn_bench.c \
	    $(wildcard t/unit/ngx_ors_test*.c) \
	    $(call BENCH_ROOMS,$(UNIT_turn)) $(UNIT_LDLIBS)

$(BENCH_DIR)/schema_bench: $(NGX_OBJS)/Makefile FORCE
	@mkdir -p $(BENCH_DIR)
	@$(CC) $(BENCH_CFLAGS) $(BENCH_GC) $(UNIT_INCS) -o $@ \
	    t/bench/schema_bench.c $(wildcard t/unit/ngx_ors_test*.c) \
	    $(call BENCH_ROOMS,$(UNIT_turn)) $(UNIT_LDLIBS)
