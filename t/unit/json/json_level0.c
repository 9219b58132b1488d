
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The reader without vectors.
 */


#define NGX_ORS_VEC_LEVEL   0

#define ngx_ors_json_read    json_level0_read
#define ngx_ors_json_append  json_level0_append
#define ngx_ors_json_scalar  json_level0_scalar
#define ngx_ors_utf8_valid  json_level0_utf8_valid

#include <ngx_ors_json_reader.c>
#include <ngx_ors_utf8_valid.c>

#include "json_level.h"
