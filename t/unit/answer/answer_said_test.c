
/*
 * Copyright (C) Open Responses contributors
 */


/* A server's words in an error: which of them may be in a log. */


#include <ngx_ors_test.h>
#include <ngx_ors_answer.h>


#define TEN  "0123456789"


typedef struct {
    char  *text;
    char  *said;
} said_t;


static void test_long(void);


static said_t  rows[] = {
    { "", "" },
    { "The model is overloaded.", "The model is overloaded." },
    { "can't go on, don't ask", "can't go on, don't ask" },

    /* quotes */
    { "model 'gpt-5' not found", "model ... not found" },
    { "input \"a secret\": too long", "input ...: too long" },
    { "`a` and `b`.", "...." },
    { "'a 'b' c' ends", "... ends" },
    { "an open \"quote goes on", "an open ..." },
    { "\"", "..." },
    { "'it's mine' we can't", "... we can't" },

    /* words */
    { "key sk-ab is bad", "key ... is bad" },
    { "key SK-ab", "key ..." },
    { "sk- alone", "sk- alone" },
    { "at " TEN TEN "0123", "at " TEN TEN "0123" },
    { "at " TEN TEN "01234 end", "at ... end" },

    /* lines */
    { "one\r\ntwo", "one??two" },
    { "bad \xff byte", "bad ? byte" },
    { NULL, NULL }
};


int
main(void)
{
    u_char      buf[NGX_ORS_LINE_MAX];
    said_t     *row;
    ngx_str_t   text;

    for (row = rows; row->text; row++) {
        text.data = (u_char *) row->text;
        text.len = strlen(row->text);

        is_mem(buf, ngx_ors_answer_said(buf, &text) - buf, row->said,
               strlen(row->said), row->text);
    }

    test_long();

    return done_testing();
}


/* never more than a line has room for, wherever it is full */

static void
test_long(void)
{
    u_char      data[4 * NGX_ORS_LINE_MAX], buf[NGX_ORS_LINE_MAX + 1];
    size_t      len;
    ngx_str_t   text;
    ngx_uint_t  i, bad;

    static const char  tail[] = " \"q\" sk-key word";

    bad = 0;

    for (i = 0; i < 3 * NGX_ORS_LINE_MAX; i++) {
        ngx_memset(data, 'a', i);
        memcpy(data + i, tail, sizeof(tail) - 1);

        /* words of seven letters */

        for (len = 7; len < i; len += 8) {
            data[len] = ' ';
        }

        text.data = data;
        text.len = i + sizeof(tail) - 1;

        buf[NGX_ORS_LINE_MAX] = 0x5a;
        len = ngx_ors_answer_said(buf, &text) - buf;

        bad += (len > NGX_ORS_LINE_MAX || buf[NGX_ORS_LINE_MAX] != 0x5a);
    }

    is_int(bad, 0, "none is longer than a line");
}
