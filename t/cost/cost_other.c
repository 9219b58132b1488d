
/*
 * Copyright (C) Open Responses contributors
 */


/* Bytes below the protocol: frames, compressed bodies, lists, blobs. */


#include <ngx_ors_body.h>
#include <ngx_ors_record.h>
#include <ngx_ors_seal.h>
#include <ngx_ors_sse.h>
#include <ngx_ors_stored.h>
#include <zlib.h>

#include "cost.h"


static ngx_int_t cost_frames(cost_t *cost);
static ngx_int_t cost_listing(cost_t *cost);
static ngx_int_t cost_record(cost_t *cost);
static ngx_int_t cost_sealed(cost_t *cost);
static ngx_int_t cost_inflate(cost_t *cost);


static const char  *cost_one[] = { "all", NULL };
static const char  *cost_pieces[] = { "whole", "by 16", "by 1", NULL };


static const cost_row_t  cost_frames_rows[] = {

    { "typical", 200, "", "event: response.output_text.delta\n"
      "data: {'type':'response.output_text.delta','sequence_number':#,"
      "'item_id':'m','output_index':0,'content_index':0,'delta':' word'}\n\n",
      "" },

    { "events", 1000, "", "data:a\n\n", "" },
    { "events without data", 1500, "", "data\n\n", "" },
    { "comments", 2000, "", ":\n", "" },
    { "comments that end an event", 2000, "", ":\n\n", "" },
    { "empty lines", 3000, "", "\n", "" },
    { "lines that end with CR", 3000, "", "\r", "" },
    { "lines that end with both", 2000, "", "\r\n", "" },
    { "all ends of lines", 1000, "", "data:a\r\n\rdata:b\n\r\n", "" },
    { "lines of one event", 2000, "", "data\n", "\n" },
    { "lines of one event with CR", 2000, "", "data\r", "\r" },
    { "names of one event", 1500, "", "event:a\n", "data:a\n\n" },
    { "names and data of one event", 800, "", "event:a\ndata:b\n", "\n" },
    { "unknown lines", 2000, "", "a\n", "data:a\n\n" },
    { "one long line", 10000, "data:", "words", "\n\n" },
    { "one long comment", 10000, ":", "words", "\n\n" },
    { "one long name", 10000, "event:", "words", "\ndata:a\n\n" },

    { NULL }
};


/* the first line is the query, others are turns */

static const cost_row_t  cost_listing_rows[] = {

    { "typical", 25, "limit=100\n",
      "{'type':'message','id':'msg_#','role':'user','content':[{'type':"
      "'input_text','text':'Please look at the parser.'}]}\n", "" },

    { "items", 400, "limit=100&order=asc\n", ",{'id':'m#'}", "" },
    { "items without ids", 500, "limit=100\n", ",{}", "" },
    { "items with one id", 400, "limit=100\n", ",{'id':'m'}", "" },
    { "items whose ids meet in a hash", 800, "limit=100\n",
      ",{'id':'itemid~'}", "" },
    { "items with escaped ids", 300, "limit=100\n", ",{'id':'\\u006d#'}",
      "" },
    { "turns", 400, "limit=100\n", "{'id':'m#'}\n", "" },
    { "turns after a cursor", 400, "limit=100&after=m0\n", "{'id':'m#'}\n",
      "" },
    { "keys of an item", 1000, "limit=100\n{'id':'m'", ",'x#':1", "}" },
    { "numbers in an item", 2000, "limit=100\n{'id':'m','x':[", ",1", "]}" },

    { NULL }
};


static const cost_row_t  cost_record_rows[] = {
    { "typical", 200, "", "{'type':'message','id':'m','role':'user'}", "" },
    { "small", 1, "", "{}", "" },
    { NULL }
};


static const cost_row_t  cost_sealed_rows[] = {
    { "typical", 100, "", "The reader allots its nodes anew each time.", "" },
    { "letters", 1000, "", "a", "" },
    { NULL }
};


static const cost_row_t  cost_inflate_rows[] = {
    { "typical", 100, "", "data: {'delta':'word # and @ others, ~'}\n\n",
      "" },
    { "one letter", 20000, "", "a", "" },
    { "other letters", 3000, "", "~#", "" },
    { NULL }
};


const cost_group_t  cost_others[] = {
    { "frames", cost_frames, cost_pieces, cost_frames_rows },
    { "listing", cost_listing, cost_one, cost_listing_rows },
    { "record", cost_record, cost_one, cost_record_rows },
    { "sealed content", cost_sealed, cost_one, cost_sealed_rows },
    { "compressed body", cost_inflate, cost_one, cost_inflate_rows },
    { NULL, NULL, NULL, NULL }
};


static ngx_int_t
cost_frames(cost_t *cost)
{
    size_t          step;
    ngx_buf_t       b;
    ngx_int_t       rc;
    ngx_ors_sse_t   sse;

    step = (cost->nvariant == 0) ? 4096 : (cost->nvariant == 1) ? 16 : 1;

    ngx_ors_sse_init(&sse, cost->pool, cost_limits.event);

    memset(&b, 0, sizeof(ngx_buf_t));
    b.pos = cost->text;
    b.last = b.pos;

    while (b.last < cost->text + cost->len) {
        b.last = ngx_min(b.pos + step, cost->text + cost->len);

        do {
            rc = ngx_ors_sse_read(&sse, &b);
            sse.comments = 0;

        } while (rc == NGX_OK);

        if (rc != NGX_AGAIN) {
            return rc;
        }
    }

    return NGX_OK;
}


static ngx_int_t
cost_listing(cost_t *cost)
{
    u_char                  *p, *last, *end;
    ngx_int_t                rc;
    ngx_str_t                line, owner;
    ngx_ors_out_t            out;
    ngx_ors_error_t          err;
    ngx_ors_index_t          index;
    ngx_ors_listing_t        list;

    ngx_str_set(&owner, "resp_abcdefghijklmnopqrstuvwx");

    end = cost->text + cost->len;
    last = memchr(cost->text, LF, cost->len);

    line.data = cost->text;
    line.len = last - cost->text;


    if (ngx_ors_listing_init(&list, &line, cost->pool, &err) != NGX_OK) {
        return NGX_DECLINED;
    }

    rc = NGX_OK;

    for (p = last + 1; p < end && rc == NGX_OK; p = last + 1) {
        last = memchr(p, LF, end - p);
        last = last ? last : end;

        cost_list(cost, p, last, &line);

        cost_index(cost, &line, &index);

        rc = ngx_ors_listing_add(&list, &index, &owner);
    }

    if (rc != NGX_OK && rc != NGX_DONE) {
        return rc;
    }

    ngx_ors_out_init(&out, cost->pool, 4096);

    rc = ngx_ors_listing_render(&list, &out, &err);

    return (rc == NGX_OK) ? ngx_ors_out_drop(&out) : rc;
}


static ngx_int_t
cost_record(cost_t *cost)
{
    u_char            *p;
    ngx_str_t          value;
    ngx_ors_record_t   rec;

    memset(&rec, 0, sizeof(ngx_ors_record_t));

    rec.input.data = cost->text;
    rec.input.len = cost->len;
    rec.response = rec.input;

    value.len = ngx_ors_record_size(&rec);
    value.data = ngx_pnalloc(cost->pool, value.len);

    p = ngx_ors_record_head(&rec, value.data);
    p = ngx_cpymem(p, rec.input.data, rec.input.len);
    (void) ngx_cpymem(p, rec.response.data, rec.response.len);

    return ngx_ors_record_read(&rec, &value);
}


static ngx_int_t
cost_sealed(cost_t *cost)
{
    ngx_int_t            rc;
    ngx_str_t            text, blob;
    ngx_array_t          keys;
    ngx_ors_sealer_t     sealer;
    ngx_ors_seal_key_t   key;

    memset(&key, 0, sizeof(ngx_ors_seal_key_t));
    keys.elts = &key;
    keys.nelts = 1;

    memset(&sealer, 0, sizeof(ngx_ors_sealer_t));
    sealer.keys = &keys;

    text.data = cost->text;
    text.len = cost->len;

    rc = ngx_ors_seal(&sealer, ngx_ors_seal_reasoning, &text, cost->pool,
                      &blob);

    return (rc == NGX_OK)
           ? ngx_ors_unseal(&sealer, ngx_ors_seal_reasoning, &blob,
                            cost->pool, &text)
           : rc;
}


/* its bytes are those that come out: how many that may be is a limit's */

static ngx_int_t
cost_inflate(cost_t *cost)
{
    uLongf              len;
    u_char             *packed, buf[4096];
    ngx_buf_t           in, out;
    ngx_int_t           rc;
    ngx_ors_inflate_t  *inflate;

    len = compressBound(cost->len);
    packed = ngx_pnalloc(cost->pool, len);

    if (compress2(packed, &len, cost->text, cost->len, 1) != Z_OK) {
        return NGX_ERROR;
    }

    inflate = ngx_ors_inflate_create(ngx_ors_inflate_deflate, cost->pool);
    if (inflate == NULL) {
        return NGX_ERROR;
    }

    memset(&in, 0, sizeof(ngx_buf_t));
    in.pos = packed;
    in.last = packed + len;

    memset(&out, 0, sizeof(ngx_buf_t));
    out.end = buf + sizeof(buf);

    do {
        out.pos = buf;
        out.last = buf;

        rc = ngx_ors_inflate(inflate, &in, &out);

    } while (rc == NGX_OK);

    return (rc == NGX_DONE) ? NGX_OK : rc;
}
