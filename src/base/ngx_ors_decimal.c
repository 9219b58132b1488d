
/*
 * Copyright (C) Open Responses contributors
 */


/* Decimal numbers, written from the last digit on. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_decimal.h>


static const u_char  ngx_ors_decimal_pairs[] =
    "0001020304050607080910111213141516171819"
    "2021222324252627282930313233343536373839"
    "4041424344454647484950515253545556575859"
    "6061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";


u_char *
ngx_ors_decimal(u_char *last, uint64_t n)
{
    const u_char  *pair;

    while (n >= 100) {
        pair = &ngx_ors_decimal_pairs[2 * (n % 100)];
        n /= 100;

        *--last = pair[1];
        *--last = pair[0];
    }

    if (n >= 10) {
        pair = &ngx_ors_decimal_pairs[2 * n];

        *--last = pair[1];
        *--last = pair[0];

        return last;
    }

    *--last = (u_char) (n + '0');

    return last;
}
