
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Pairs of names that are equal but for case, and pairs that are not.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_violation.h>


typedef struct {
    char        *a;
    char        *b;
    ngx_uint_t   same;
} fold_t;


static fold_t  rows[] = {
    { "", "", 1 },
    { "", "a", 0 },
    { "model", "model", 1 },
    { "Model", "model", 1 },
    { "MODEL", "mOdEl", 1 },
    { "model", "models", 0 },
    { "mode", "model", 0 },
    { "model", "modem", 0 },
    { "top_p", "TOP_P", 1 },
    { "top_p", "top-p", 0 },
    { "top\x7fp", "top_p", 0 },

    /* letters whose simple folding is an ASCII letter, and only these */

    { "meſſages", "messages", 1 },
    { "Kind", "kind", 1 },
    { "maſK", "mask", 1 },
    { "ſ", "S", 1 },
    { "K", "K", 1 },
    { "ſ", "z", 0 },
    { "Å", "a", 0 },
    { "é", "e", 0 },
    { "ﬀ", "ff", 0 },
    { "ß", "ss", 0 },

    /* languages that have an "i" with and one without a dot */

    { "ınput", "input", 1 },
    { "İnput", "input", 1 },
    { "ınput", "İNPUT", 1 },

    /* characters that are cut off, or begin alike */

    { "\xc5", "s", 0 },
    { "\xe2\x84", "k", 0 },
    { "\xc5\xbe", "s", 0 },
    { "\xc4\xb2", "i", 0 },
    { "\xe2\x84\xab", "k", 0 },
    { "é", "É", 0 },
    { "é", "é", 1 }
};


int
main(void)
{
    size_t      n;
    u_char      one[32], two[32];
    ngx_str_t   a, b;
    ngx_uint_t  i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        a.data = (u_char *) rows[i].a;
        a.len = ngx_strlen(rows[i].a);

        b.data = (u_char *) rows[i].b;
        b.len = ngx_strlen(rows[i].b);

        is_int(ngx_ors_fold_equal(&a, &b), rows[i].same, "%s and %s",
               rows[i].a, rows[i].b);
        is_int(ngx_ors_fold_equal(&b, &a), rows[i].same, "%s and %s",
               rows[i].b, rows[i].a);

        n = ngx_ors_fold(one, &a) - one;

        is_int(n == (size_t) (ngx_ors_fold(two, &b) - two)
               && ngx_memcmp(one, two, n) == 0, rows[i].same,
               "foldings of %s and %s", rows[i].a, rows[i].b);

        if (ngx_ors_fold_plain(&a) && ngx_ors_fold_plain(&b)) {
            is_int(rows[i].same, strcmp(rows[i].a, rows[i].b) == 0,
                   "plain names are as they look");
        }
    }

    return done_testing();
}
