
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Results of MCP calls: the text is UTF-8 and no longer than it may be, what
 * is to be sent back is JSON.  Input: the limit, the era, the result.
 */


#include "fuzz.h"
#include <ngx_ors_mcp_result.h>
#include <ngx_ors_utf8.h>


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    size_t                  max;
    u_char                 *copy;
    ngx_int_t               rc;
    ngx_pool_t             *pool;
    ngx_uint_t              modern;
    ngx_ors_json_t          json, state;
    ngx_ors_mcp_result_t    result;
    ngx_ors_mcp_message_t   message;

    if (size < 2) {
        return 0;
    }

    max = input[0] ? input[0] : 100000;
    modern = input[1] & 1;

    copy = fuzz_copy(input + 2, size - 2);
    pool = ngx_ors_test_pool();

    ngx_ors_json_init(&json, pool, 64, 1000);

    if (ngx_ors_json_read(&json, copy, size - 2) == NGX_OK) {
        ngx_memzero(&message, sizeof(ngx_ors_mcp_message_t));
        message.json = &json;
        message.result = json.nodes;

        rc = ngx_ors_mcp_result_read(&result, &message, modern, max, pool);

        fuzz_check(rc != NGX_ERROR);
        fuzz_check((rc == NGX_DECLINED) == (result.invalid != NULL));
        fuzz_check((rc == NGX_AGAIN) == (result.state.len != 0));
        fuzz_check(modern || rc != NGX_AGAIN);

        if (rc == NGX_OK) {
            fuzz_check(result.text.len
                       <= max + (result.cut ? sizeof("\n[truncated]") - 1
                                            : 0));
            fuzz_check(ngx_ors_utf8_valid(result.text.data, result.text.len)
                       == result.text.len);
        }

        if (rc == NGX_AGAIN) {
            ngx_ors_json_init(&state, pool, 64, 1000);
            fuzz_check(ngx_ors_json_read(&state, result.state.data,
                                         result.state.len)
                       == NGX_OK);
        }
    }

    ngx_destroy_pool(pool);
    free(copy);

    return 0;
}
