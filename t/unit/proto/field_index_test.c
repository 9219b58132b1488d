
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The search of fields by name, and objects inside of each other of which the
 * indexes have one place.
 */


#include <ngx_ors_validate.h>
#include <ngx_ors_violation.h>
#include <ngx_ors_test.h>
#include "shape_table.h"


/* shapes of which each has the place of another one */
#define SHAPES  1024


static void test_find(void);
static void test_order(void);
static void test_profiles(void);
static void test_shared_place(void);
static ngx_int_t validate(char *text, const ngx_ors_shape_t *shape);


static ngx_ors_members_optional(small,
    ngx_ors_row("a", NULL),
    ngx_ors_row("bb", NULL),
    ngx_ors_row("cc", NULL),
    ngx_ors_row("ddd", NULL)
);

static ngx_ors_members_optional(twice,
    ngx_ors_row_of("x", STRICT_SPEC, &ngx_ors_string_rule),
    ngx_ors_row_of("x", STRICT_OPENAI, &ngx_ors_boolean_rule)
);


int
main(void)
{
    test_find();
    test_order();
    test_profiles();
    test_shared_place();

    return done_testing();
}


static void
test_find(void)
{
    ngx_str_t               empty = ngx_null_string,
                            other = ngx_string("dd"),
                            bb = ngx_string("bb"),
                            cc = ngx_string("cc"),
                            longest = ngx_string(
                                "name_of_forty_letters_which_is_too_many_");
    ngx_ors_field_index_t  *index;

    index = ngx_ors_field_index(&small);

    ok(ngx_ors_field_index(&small) == index, "an index is made once");

    ok(ngx_ors_field_find(index, &bb, NGX_ORS_IN_ALL) == &small.fields[1],
       "a field is found");
    ok(ngx_ors_field_find(index, &cc, NGX_ORS_IN_ALL) == &small.fields[2],
       "another one of that length is");
    ok(ngx_ors_field_find(index, &other, NGX_ORS_IN_ALL) == NULL,
       "a name of that length that is no field is not");
    ok(ngx_ors_field_find(index, &empty, NGX_ORS_IN_ALL) == NULL,
       "no name is no field");
    ok(ngx_ors_field_find(index, &longest, NGX_ORS_IN_ALL) == NULL,
       "a name that is longer than any is not found");
}


static void
test_order(void)
{
    ngx_uint_t              i, n, right;
    ngx_str_t               names[] = { ngx_string("cc"), ngx_string("a"),
                                        ngx_string("bb") };
    ngx_ors_field_index_t  *index;

    static const ngx_uint_t  fields[] = { 2, 0, 1 };

    index = ngx_ors_field_index(&small);
    right = 0;

    for (n = 0; n < 2; n++) {
        for (i = 0; i < 3; i++) {
            right += ngx_ors_field_next(index, &small, i, &names[i],
                                        NGX_ORS_IN_ALL)
                     == &small.fields[fields[i]];
        }
    }

    ok(right == 6, "members are found, and in the same order again");
    ok(index->order[0] == 2 && index->order[1] == 0 && index->order[2] == 1,
       "the index has the order");

    right = 0;

    for (i = 0; i < 100; i++) {
        right += ngx_ors_field_next(index, &small, i, &names[i * 7 % 3],
                                    NGX_ORS_IN_ALL)
                 == &small.fields[fields[i * 7 % 3]];
    }

    ok(right == 100, "and in other orders, of more members than it has");
}


static void
test_profiles(void)
{
    ngx_str_t               x = ngx_string("x");
    ngx_ors_field_index_t  *index;

    index = ngx_ors_field_index(&twice);

    ok(ngx_ors_field_next(index, &twice, 0, &x, NGX_ORS_STRICT_SPEC)
       == &twice.fields[0], "a profile has its row");
    ok(ngx_ors_field_next(index, &twice, 0, &x, NGX_ORS_STRICT_OPENAI)
       == &twice.fields[1], "another one its own of the same name");
    ok(ngx_ors_field_next(index, &twice, 0, &x, NGX_ORS_TOLERANT_SPEC) == NULL,
       "a third one has none");
}


/* an object in an object: their shapes are far enough apart */

static void
test_shared_place(void)
{
    ngx_uint_t                i;
    static ngx_ors_rule_t     rule;
    static ngx_ors_field_t    outer[3], inner[1];
    static ngx_ors_shape_t    shapes[SHAPES];

    static const ngx_ors_field_t  first = ngx_ors_row("first", NULL),
                                  last = ngx_ors_row("last",
                                                     &ngx_ors_string_rule),
                                  deep = ngx_ors_row("deep", NULL),
                                  own = ngx_ors_row("deep",
                                                    &ngx_ors_boolean_rule);

    for (i = 1; i < SHAPES; i++) {

        if (ngx_ors_field_index(&shapes[0]) == ngx_ors_field_index(&shapes[i]))
        {
            break;
        }
    }

    ok(i < SHAPES, "two shapes have one place");

    if (i == SHAPES) {
        return;
    }

    rule.types = NGX_ORS_V_OBJECT;
    rule.shape = &shapes[i];

    outer[0] = first;
    outer[0].rule = &rule;
    outer[1] = last;
    outer[2] = deep;
    inner[0] = own;

    shapes[0].fields = outer;
    shapes[0].nfields = 3;
    shapes[i].fields = inner;
    shapes[i].nfields = 1;

    /* made when they had no fields */
    ngx_ors_field_index_fill(ngx_ors_field_index(&shapes[0]), &shapes[0]);

    is_int(validate("{\"first\":{\"deep\":true},\"last\":\"x\",\"deep\":1}",
                    &shapes[0]),
           NGX_OK, "the outer object goes on with its own fields");
    is_int(validate("{\"first\":{\"deep\":true},\"last\":1}", &shapes[0]),
           NGX_DECLINED, "which have their rules");
    is_int(validate("{\"first\":{\"deep\":1}}", &shapes[0]),
           NGX_DECLINED, "the inner one has its own");
}


static ngx_int_t
validate(char *text, const ngx_ors_shape_t *shape)
{
    ngx_int_t        rc;
    ngx_pool_t      *pool;
    ngx_ors_error_t  err;

    pool = ngx_ors_test_pool();

    rc = shape_validate(text, shape, NGX_ORS_STRICT_OPENAI, pool, &err, NULL);

    ngx_destroy_pool(pool);

    return rc;
}
