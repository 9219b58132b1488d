
/*
 * Copyright (C) Open Responses contributors
 *
 * The grammar again, with the reader for processors without SSE2.
 */


#define NGX_ORS_JSON_SCALAR  1

#include <ngx_ors_json_reader.c>

#include "json_reader_test.c"
