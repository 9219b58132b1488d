
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Digests compared with those that openssl prints.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_digest.h>


int
main(void)
{
    u_char     digest[NGX_ORS_DIGEST_LEN], other[NGX_ORS_DIGEST_LEN];
    u_char     whole[NGX_ORS_DIGEST_WHOLE], letters[100];
    ngx_str_t  key;

    /* printf '\002abc' | sha256sum */

    static u_char     known[] =
        "\x90\x9a\xc4\x5e\x43\x99\x11\x19"
        "\x32\x05\x99\x4d\x09\x39\x9c\x29"
        "\xfe\xde\x97\x7a\xb2\x12\x60\x5f"
        "\x29\xea\xd5\x25\x0a\x81\x2e\x73";

    /* printf '\002\001\0\0\0\0\0\0\0a\002\0\0\0\0\0\0\0bc' | sha256sum */

    static u_char     listed[] =
        "\x79\xbf\xc0\x5b\x01\x5f\x3c\x5e"
        "\x1c\xb7\x0f\x95\x1f\x86\xba\x93";

    /* ... | openssl dgst -sha256 -binary | openssl dgst -sha256 -hmac abc */

    static u_char     mac[] =
        "\xeb\x68\x0b\x44\x9b\xea\x25\xb7"
        "\x52\x3c\x81\x33\xfe\x85\xdd\x15";

    /* the same with a key of 100 times "k": longer than a block */

    static u_char     long_mac[] =
        "\x60\x30\x39\xb0\x50\xd7\x72\x4d"
        "\xde\xa5\x2e\xf7\x21\x12\xa7\x8c";

    static ngx_str_t  ab[] = { ngx_string("a"), ngx_string("bc") };
    static ngx_str_t  abc[] = { ngx_string("ab"), ngx_string("c") };
    static ngx_str_t  text = ngx_string("abc");
    static ngx_str_t  none = ngx_null_string;

    is_int(ngx_ors_digest(2, &text, digest), NGX_OK, "a digest");
    is_mem(digest, NGX_ORS_DIGEST_LEN, known, NGX_ORS_DIGEST_LEN,
           "it is SHA-256, cut, over the kind and the text");

    is_int(ngx_ors_digest_whole(2, &text, whole), NGX_OK, "not cut");
    is_mem(whole, NGX_ORS_DIGEST_WHOLE, known, NGX_ORS_DIGEST_WHOLE,
           "it is SHA-256 whole");

    is_int(ngx_ors_digest(3, &text, other), NGX_OK, "another kind");
    ok(ngx_memcmp(digest, other, NGX_ORS_DIGEST_LEN) != 0,
       "has another digest");

    is_int(ngx_ors_digest(0, &none, other), NGX_OK, "a text that is empty");

    /* a list of texts, here of lengths 1 and 2, is not another list */

    is_int(ngx_ors_digest_list(2, ab, 2, &none, digest), NGX_OK, "a list");
    is_mem(digest, NGX_ORS_DIGEST_LEN, listed, NGX_ORS_DIGEST_LEN,
           "has lengths in front of its texts");

    is_int(ngx_ors_digest_list(2, abc, 2, &none, other), NGX_OK, "another");
    ok(ngx_memcmp(digest, other, NGX_ORS_DIGEST_LEN) != 0,
       "of the same bytes is not the same");

    is_int(ngx_ors_digest_list(2, ab, 2, &text, other), NGX_OK, "with a key");
    is_mem(other, NGX_ORS_DIGEST_LEN, mac, NGX_ORS_DIGEST_LEN,
           "it is the HMAC of it");

    ngx_memset(letters, 'k', sizeof(letters));
    key.data = letters;
    key.len = sizeof(letters);

    is_int(ngx_ors_digest_list(2, ab, 2, &key, other), NGX_OK, "a long key");
    is_mem(other, NGX_ORS_DIGEST_LEN, long_mac, NGX_ORS_DIGEST_LEN,
           "is hashed first, as HMAC says");

    return done_testing();
}
