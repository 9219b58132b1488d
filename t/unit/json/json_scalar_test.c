
/*
 * Copyright (C) Open Responses contributors
 *
 * The grammar again, with the reader for processors without vectors.
 */


#include "json_level.h"

#define ngx_ors_json_read  json_level0_read

#include "json_reader_test.c"
