
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Streams that are made once more: in pieces they are the same, and from an
 * event on they are the end of the whole.
 *
 * Input: flags, the first event, the allocation that fails, the length of the
 * journal, the journal, the response.
 */


#include "fuzz.h"
#include <ngx_ors_replay.h>
#include <ngx_ors_validate.h>


#define REPLAY_FUZZ_OPENAI     0x01
#define REPLAY_FUZZ_NO_MEMORY  0x02

#define REPLAY_FUZZ_HEAD       4


typedef struct {
    ngx_int_t      rc;
    ngx_uint_t     sequence;
    ngx_str_t      text;
} replay_fuzz_t;


static void replay_fuzz_run(replay_fuzz_t *f, const uint8_t *input,
    ngx_str_t *journal, ngx_str_t *response, ngx_uint_t after, size_t step,
    ngx_pool_t *pool);


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    ngx_str_t      journal, response;
    ngx_pool_t    *pool;
    replay_fuzz_t  whole, pieces, rest;

    if (size < REPLAY_FUZZ_HEAD) {
        return 0;
    }

    journal.len = ngx_min(input[3], size - REPLAY_FUZZ_HEAD);
    journal.data = fuzz_copy(input + REPLAY_FUZZ_HEAD, journal.len);

    response.len = size - REPLAY_FUZZ_HEAD - journal.len;
    response.data = fuzz_copy(input + REPLAY_FUZZ_HEAD + journal.len,
                              response.len);

    pool = ngx_ors_test_pool();

    if (input[0] & REPLAY_FUZZ_NO_MEMORY) {
        ngx_ors_test_fail_after(input[2] % 32 + 1);
        replay_fuzz_run(&whole, input, &journal, &response, 0, 100, pool);
        ngx_ors_test_fail_after(0);
    }

    replay_fuzz_run(&whole, input, &journal, &response, 0, (size_t) -1, pool);
    replay_fuzz_run(&pieces, input, &journal, &response, 0, 1, pool);
    replay_fuzz_run(&rest, input, &journal, &response, input[1], 1000, pool);

    fuzz_check(whole.rc != NGX_ERROR);
    fuzz_check(pieces.rc == whole.rc && pieces.sequence == whole.sequence);
    fuzz_check(fuzz_same(pieces.text.data, pieces.text.len, whole.text.data,
                         whole.text.len));
    fuzz_check(rest.rc == whole.rc);

    /* the number of an end that was cut off is another one */

    if (rest.sequence == whole.sequence) {
        fuzz_check(rest.text.len <= whole.text.len
                   && fuzz_same(rest.text.data, rest.text.len,
                                whole.text.data + whole.text.len
                                - rest.text.len, rest.text.len));
    }

    ngx_destroy_pool(pool);
    free(journal.data);
    free(response.data);

    return 0;
}


static void
replay_fuzz_run(replay_fuzz_t *f, const uint8_t *input, ngx_str_t *journal,
    ngx_str_t *response, ngx_uint_t after, size_t step, ngx_pool_t *pool)
{
    ngx_ors_out_t     out;
    ngx_ors_replay_t  replay;

    ngx_memzero(f, sizeof(replay_fuzz_t));
    ngx_memzero(&replay, sizeof(ngx_ors_replay_t));

    replay.after = after;
    replay.profile = (input[0] & REPLAY_FUZZ_OPENAI) ? NGX_ORS_STRICT_OPENAI
                                                     : NGX_ORS_STRICT_SPEC;

    ngx_ors_out_init(&out, pool, 256);

    f->rc = ngx_ors_replay_init(&replay, response, journal, pool);

    if (f->rc != NGX_OK) {
        return;
    }

    do {
        f->rc = ngx_ors_replay(&replay, step, &out);
    } while (f->rc == NGX_OK);

    f->sequence = replay.sequence;

    fuzz_check(f->sequence <= replay.total);

    if (ngx_ors_out_text(&out, &f->text) != NGX_OK) {
        f->rc = NGX_ERROR;
    }
}
