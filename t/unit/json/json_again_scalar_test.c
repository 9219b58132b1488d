
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The tests of documents like the last one, without vectors.
 */


#define NGX_ORS_VEC_LEVEL  0

#define ngx_ors_json_again  json_scalar_again

#include <ngx_ors_json_again.c>

#include "json_again_test.c"
