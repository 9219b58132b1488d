
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The reader with the vectors that each processor of the kind has.
 */


#define NGX_ORS_VEC_LEVEL   1

#define ngx_ors_json_read    json_level1_read
#define ngx_ors_json_append  json_level1_append
#define ngx_ors_json_scalar  json_level1_scalar
#define ngx_ors_utf8_valid  json_level1_utf8_valid

#include <ngx_ors_json_reader.c>
#include <ngx_ors_utf8_valid.c>

#include "json_level.h"
