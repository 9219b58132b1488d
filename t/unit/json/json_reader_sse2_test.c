
/*
 * Copyright (C) Open Responses contributors
 *
 * The grammar again, with the reader for processors without AVX2.
 */


#include "json_level.h"

#define ngx_ors_json_read  json_level1_read

#include "json_reader_test.c"
