
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_ors_test.h>
#include <ngx_ors_digest.h>


int
main(void)
{
    u_char  digest[NGX_ORS_DIGEST_LEN], other[NGX_ORS_DIGEST_LEN];

    /* printf '\002abc' | sha256sum | cut -c 1-32 */

    static u_char     known[] =
        "\x90\x9a\xc4\x5e\x43\x99\x11\x19"
        "\x32\x05\x99\x4d\x09\x39\x9c\x29";
    static ngx_str_t  text = ngx_string("abc");
    static ngx_str_t  none = ngx_null_string;

    is_int(ngx_ors_digest(2, &text, digest), NGX_OK, "a digest");
    is_mem(digest, NGX_ORS_DIGEST_LEN, known, NGX_ORS_DIGEST_LEN,
           "it is SHA-256, cut, over the kind and the text");

    is_int(ngx_ors_digest(3, &text, other), NGX_OK, "another kind");
    ok(ngx_memcmp(digest, other, NGX_ORS_DIGEST_LEN) != 0,
       "has another digest");

    is_int(ngx_ors_digest(0, &none, other), NGX_OK, "a text that is empty");

    return done_testing();
}
