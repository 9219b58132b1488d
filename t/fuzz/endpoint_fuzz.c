
/*
 * Copyright (C) Open Responses contributors
 */


/* Paths: the endpoint that is found is the one the path ends with. */


#include "fuzz.h"
#include <ngx_ors_route.h>


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    ngx_str_t                  uri;
    const ngx_ors_endpoint_t  *endpoint;

    uri.len = size;
    uri.data = fuzz_copy(input, size);

    endpoint = ngx_ors_endpoint_find(&uri);

    if (endpoint) {
        fuzz_check(endpoint == ngx_ors_endpoint(endpoint->id));
        fuzz_check(uri.len >= endpoint->path.len
                   && fuzz_same(uri.data + uri.len - endpoint->path.len,
                                endpoint->path.len, endpoint->path.data,
                                endpoint->path.len));
    }

    free(uri.data);

    return 0;
}
