
/*
 * Copyright (C) Open Responses contributors
 */


/* Where the id of an output item is in the item's text, for each type. */


#include <ngx_ors_test.h>
#include <ngx_ors_item.h>


#define ID  "id_of_the_item"


static void id_of(ngx_ors_item_type_e type, ngx_ors_hosted_t *hosted,
    ngx_uint_t empty, const char *form);


int
main(void)
{
    ngx_uint_t         type;
    ngx_ors_hosted_t   plain, prefixed;

    ngx_memzero(&plain, sizeof(ngx_ors_hosted_t));
    ngx_memzero(&prefixed, sizeof(ngx_ors_hosted_t));

    ngx_str_set(&prefixed.slug, NGX_ORS_HOSTED_SLUG);

    for (type = ngx_ors_item_message;
         type < ngx_ors_item_list_tools;
         type++)
    {
        id_of(type, NULL, 0, "whole");
        id_of(type, NULL, 1, "empty");
    }

    for ( /* void */ ; type <= ngx_ors_item_own; type++) {
        id_of(type, &plain, 0, "openai");
        id_of(type, &plain, 1, "openai, empty");
        id_of(type, &prefixed, 0, "spec");
        id_of(type, &prefixed, 1, "spec, empty");
    }

    return done_testing();
}


static void
id_of(ngx_ors_item_type_e type, ngx_ors_hosted_t *hosted, ngx_uint_t empty,
    const char *form)
{
    u_char          *p;
    ngx_pool_t      *pool;
    ngx_chain_t     *cl;
    ngx_ors_out_t    out;
    ngx_ors_item_t   item;

    pool = ngx_ors_test_pool();

    ngx_memzero(&item, sizeof(ngx_ors_item_t));

    item.type = type;
    item.hosted = hosted;

    ngx_str_set(&item.name, "mine_call");
    ngx_str_set(&item.id, ID);

    ngx_ors_out_init(&out, pool, 1024);
    ngx_ors_item_render(&out, &item, empty);
    (void) ngx_ors_out_take(&out, &cl);

    p = ngx_strnstr(cl->buf->pos, ID, cl->buf->last - cl->buf->pos);

    if (ok(p != NULL, "%s, %s: has its id", ngx_ors_item_name(&item)->data,
           form))
    {
        is_int(ngx_ors_item_id(&item), p - cl->buf->pos, "%s, %s: the offset",
               ngx_ors_item_name(&item)->data, form);
    }

    ngx_destroy_pool(pool);
}
