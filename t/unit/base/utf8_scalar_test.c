
/*
 * Copyright (C) Open Responses contributors
 *
 * How much of a text is UTF-8, on processors without vectors.
 */


/* a name of its own beside the one that src/base has */

#define ngx_ors_utf8_valid  ngx_ors_utf8_valid_scalar
#define NGX_ORS_VEC_LEVEL   0

#include <ngx_ors_utf8_valid.c>

#include "utf8_valid_test.c"
