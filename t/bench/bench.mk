# Benchmarks of parts of the module.
#
#   make bench-json            the JSON reader beside jansson
#   make bench-json SCALAR=1   as on processors without SSE2

BENCH_DIR    ?= $(BUILD)/bench
BENCH_CFLAGS := -std=gnu99 -O2 -g -fPIC -fstack-protector-strong -Wall \
                -Wextra -Wno-unused-parameter -Werror \
                $(if $(SCALAR),-DNGX_ORS_JSON_SCALAR=1)

BENCH_JSON   := t/bench/json_bench.c src/json/ngx_ors_json.c \
                src/json/ngx_ors_json_reader.c t/unit/ngx_ors_test.c \
                t/unit/ngx_ors_test_core.c t/unit/ngx_ors_test_string.c


.PHONY: bench-json

bench-json: $(NGX_OBJS)/Makefile
	@mkdir -p $(BENCH_DIR)
	@$(CC) $(BENCH_CFLAGS) $(UNIT_INCS) -o $(BENCH_DIR)/json_bench \
	    $(BENCH_JSON) -ljansson
	@$(BENCH_DIR)/json_bench
