
/*
 * Copyright (C) Open Responses contributors
 *
 * Escapes again, with the reader for processors without vectors.
 */


#include "json_level.h"

#define ngx_ors_json_read  json_level0_read

#include "json_escapes_test.c"
