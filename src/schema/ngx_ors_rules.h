
/*
 * The elements of tables: the forms of rules, rows and shapes, and the
 * rules that several tables share.
 */


#ifndef _NGX_ORS_RULES_H_INCLUDED_
#define _NGX_ORS_RULES_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_validate.h>


#define NGX_ORS_MI  (1024 * 1024)


/* rules */

#define ngx_ors_rule(types, min, max)                                         \
    { types, min, max, NULL, 0, 0, NULL, NULL }

/* integers: no minimum unless the first number says one */
#define ngx_ors_rule_integer(min, max)                                        \
    ngx_ors_rule(NGX_ORS_V_INTEGER, min, max)

#define ngx_ors_rule_enum(types, values)                                      \
    { NGX_ORS_V_STRING|(types), 0, 0, values, 0, 0, NULL, NULL }

/* an enum, declared with its words */
#define ngx_ors_words(name, types, ...)                                       \
    const ngx_ors_rule_t  name =                                              \
        ngx_ors_rule_enum(types,                                              \
            ((const ngx_ors_value_t[]) { __VA_ARGS__, ngx_ors_values_end }))

#define ngx_ors_word(text)         { ngx_string(text), NGX_ORS_IN_ALL }
#define ngx_ors_word_in(text, in)  { ngx_string(text), NGX_ORS_IN_##in }
#define ngx_ors_other_words(in)    { ngx_null_string, NGX_ORS_IN_##in }

#define ngx_ors_rule_list(types, element)                                     \
    { NGX_ORS_V_ARRAY|(types), 0, 0, NULL, 0, 0, element, NULL }

#define ngx_ors_rule_object(types, shape)                                     \
    { NGX_ORS_V_OBJECT|(types), 0, 0, NULL, 0, 0, NULL, shape }

/* a text of at most 10 Mi characters, or a list */
#define ngx_ors_rule_content(types, element)                                  \
    { NGX_ORS_V_STRING|NGX_ORS_V_ARRAY|(types), 0, 10 * NGX_ORS_MI,           \
      NULL, 0, 0, element, NULL }


/* the same as the address of a rule, for a row or an element */

#define ngx_ors_is(types, min, max)                                           \
    (&(const ngx_ors_rule_t) ngx_ors_rule(types, min, max))

#define ngx_ors_is_integer(min, max)                                          \
    (&(const ngx_ors_rule_t) ngx_ors_rule_integer(min, max))

#define ngx_ors_is_enum(types, values)                                        \
    (&(const ngx_ors_rule_t) ngx_ors_rule_enum(types, values))

#define ngx_ors_is_word(text)                                                 \
    (&(const ngx_ors_rule_t) ngx_ors_rule_enum(0,                             \
        ((const ngx_ors_value_t[]) { ngx_ors_word(text), ngx_ors_values_end })))

/* objects of a shape without the front and the end of its name, their lists */

#define ngx_ors_object_of(shape)                                              \
    ngx_ors_is_object(0, &ngx_ors_##shape##_shape)

#define ngx_ors_object_or_null(shape)                                         \
    ngx_ors_is_object(NGX_ORS_V_NULL, &ngx_ors_##shape##_shape)

#define ngx_ors_list_of(shape)                                                \
    ngx_ors_is_list(0, ngx_ors_object_of(shape))

#define ngx_ors_list_or_null(shape)                                           \
    ngx_ors_is_list(NGX_ORS_V_NULL, ngx_ors_object_of(shape))

#define ngx_ors_is_list(types, element)                                       \
    (&(const ngx_ors_rule_t) ngx_ors_rule_list(types, element))

#define ngx_ors_is_object(types, shape)                                       \
    (&(const ngx_ors_rule_t) ngx_ors_rule_object(types, shape))


/*
 * Rows.  Profiles are written without NGX_ORS_IN_: "in" are those that know
 * it, "need" those that require it.  All profiles know the first three, and
 * all or none require them.
 */

#define ngx_ors_row(name, rule)                                               \
    ngx_ors_row_of(name, ALL, rule)

#define ngx_ors_row_needed(name, rule)                                        \
    ngx_ors_row_in(name, ALL, ALL, rule)

/* "value" is JSON text, as a C string */
#define ngx_ors_row_filled(name, rule, value)                                 \
    ngx_ors_row_filled_in(name, ALL, ALL, rule, value)

#define ngx_ors_row_of(name, in, rule)                                        \
    { ngx_string(name), NGX_ORS_IN_##in, 0, rule, ngx_null_string }

#define ngx_ors_row_in(name, in, need, rule)                                  \
    { ngx_string(name), NGX_ORS_IN_##in, NGX_ORS_IN_##need, rule,             \
      ngx_null_string }

#define ngx_ors_row_filled_in(name, in, need, rule, value)                    \
    { ngx_string(name), NGX_ORS_IN_##in, NGX_ORS_IN_##need, rule,             \
      ngx_string("\"" name "\":" value) }


/*
 * Shapes.  An object with members is declared with its rows, which are
 * counted by the compiler: the rows in "needed", in parentheses, are required
 * by some profile at least, the others by none.
 */

#define ngx_ors_members(name, needed, ...)                                    \
    ngx_ors_members_of(name, 0, ngx_ors_nrows(ngx_ors_rows needed),           \
                       ngx_ors_rows needed, __VA_ARGS__)

#define ngx_ors_members_needed(name, ...)                                     \
    ngx_ors_members_of(name, 0, ngx_ors_nrows(__VA_ARGS__), __VA_ARGS__)

#define ngx_ors_members_optional(name, ...)                                   \
    ngx_ors_members_of(name, 0, 0, __VA_ARGS__)

/* the same, and any other keys */

#define ngx_ors_open_needed(name, ...)                                        \
    ngx_ors_members_of(name, 1, ngx_ors_nrows(__VA_ARGS__), __VA_ARGS__)

#define ngx_ors_members_of(name, open, required, ...)                         \
    ngx_ors_members_foreign(name, NULL, open, required, __VA_ARGS__)

/* the same with names of another API */

#define ngx_ors_members_foreign(name, foreign, open, required, ...)           \
    const ngx_ors_shape_t  name = {                                           \
        (const ngx_ors_field_t[]) { __VA_ARGS__ },                            \
        ngx_ors_nrows(__VA_ARGS__), required, open,                           \
        ngx_null_string, NULL, NULL, NULL, 0, NULL, foreign                   \
    }

#define ngx_ors_foreign(name, text)                                           \
    ngx_ors_foreign_in(name, NGX_ORS_IN_ALL, text)

#define ngx_ors_foreign_in(name, in, text)                                    \
    { ngx_string(name), in,                                                   \
      ngx_string("is a parameter of Chat Completions, " text) }

#define ngx_ors_foreign_end  { ngx_null_string, 0, ngx_null_string }

#define ngx_ors_rows(...)  __VA_ARGS__

#define ngx_ors_nrows(...)                                                    \
    (sizeof((const ngx_ors_field_t[]) { __VA_ARGS__ })                        \
     / sizeof(ngx_ors_field_t))

/* the same, "type" is the first of the rows that are required */

#define ngx_ors_typed(name, needed, ...)                                      \
    ngx_ors_members(name, (ngx_ors_row_type, ngx_ors_rows needed), __VA_ARGS__)

#define ngx_ors_typed_needed(name, ...)                                       \
    ngx_ors_members_needed(name, ngx_ors_row_type, __VA_ARGS__)

#define ngx_ors_typed_optional(name, ...)                                     \
    ngx_ors_members(name, (ngx_ors_row_type), __VA_ARGS__)

#define ngx_ors_row_type  ngx_ors_row_needed("type", NULL)


/* a choice, declared with its variants; those of "absent" have a list */

#define ngx_ors_variants(name, key, ...)                                      \
    ngx_ors_variants_of(name, key, NULL, NULL, __VA_ARGS__)

#define ngx_ors_variants_of(name, key, absent, extension, ...)                \
    const ngx_ors_shape_t  name =                                             \
        ngx_ors_shape_choice(key,                                             \
            ((const ngx_ors_variant_t[]) {                                    \
                __VA_ARGS__, ngx_ors_variants_end                             \
            }), absent, extension, ngx_ors_code_invalid_value)

/* profiles and shapes without the front and the end of their names */

#define ngx_ors_variant(name, in, shape)                                      \
    { ngx_string(name), NGX_ORS_IN_##in, &ngx_ors_##shape##_shape }

#define ngx_ors_others(in, shape)                                             \
    { ngx_null_string, NGX_ORS_IN_##in, &ngx_ors_##shape##_shape }

#define ngx_ors_shape_choice(key, values, absent, extension, code)            \
    { NULL, 0, 0, 0, ngx_string(key), values, absent, extension, code, NULL,  \
      NULL }

#define ngx_ors_shape_map(map)                                                \
    { NULL, 0, 0, 0, ngx_null_string, NULL, NULL, NULL, 0, map, NULL }


/* the end of a list of values, and of variants that admits no others */

#define ngx_ors_values_end    { ngx_null_string, 0 }
#define ngx_ors_variants_end  { ngx_null_string, 0, NULL }


/* shared rules; those with "null" in the name admit null in all profiles */

extern const ngx_ors_rule_t  ngx_ors_boolean_rule;
extern const ngx_ors_rule_t  ngx_ors_boolean_null_rule;
extern const ngx_ors_rule_t  ngx_ors_number_rule;
extern const ngx_ors_rule_t  ngx_ors_number_null_rule;
extern const ngx_ors_rule_t  ngx_ors_integer_rule;
extern const ngx_ors_rule_t  ngx_ors_integer_null_rule;
extern const ngx_ors_rule_t  ngx_ors_string_rule;
extern const ngx_ors_rule_t  ngx_ors_string_null_rule;
extern const ngx_ors_rule_t  ngx_ors_null_rule;
extern const ngx_ors_rule_t  ngx_ors_object_rule;
extern const ngx_ors_rule_t  ngx_ors_object_null_rule;

/* a string of at most 10 Mi characters */
extern const ngx_ors_rule_t  ngx_ors_text_rule;

/* at least 0; a list of objects; the name of a function, 1 to 64 characters */
extern const ngx_ors_rule_t  ngx_ors_count_rule;
extern const ngx_ors_rule_t  ngx_ors_objects_rule;
extern const ngx_ors_rule_t  ngx_ors_name_rule;

/* of an error: some gateways send the number of a status */
extern const ngx_ors_rule_t  ngx_ors_any_code_rule;

extern const ngx_ors_rule_t  ngx_ors_metadata_rule;

/* an object that is no more than its "type", and one that has what it likes */
extern const ngx_ors_shape_t  ngx_ors_plain_shape;
extern const ngx_ors_shape_t  ngx_ors_typed_shape;


/* values that are the same in requests and in answers */

extern const ngx_ors_rule_t  ngx_ors_phase_rule;
extern const ngx_ors_rule_t  ngx_ors_truncation_rule;
extern const ngx_ors_rule_t  ngx_ors_verbosity_rule;

/* of "reasoning": its effort, and how brief its summary is */
extern const ngx_ors_rule_t  ngx_ors_effort_null_rule;
extern const ngx_ors_rule_t  ngx_ors_brevity_null_rule;


#endif /* _NGX_ORS_RULES_H_INCLUDED_ */
