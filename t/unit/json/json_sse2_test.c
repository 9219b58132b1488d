
/*
 * Copyright (C) Open Responses contributors
 *
 * Escapes again, with the reader for processors without AVX2.
 */


#define ngx_ors_json_has_avx2()  0

#include <ngx_ors_json_reader.c>

#include "json_escapes_test.c"
