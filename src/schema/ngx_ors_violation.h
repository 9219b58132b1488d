
/*
 * A mistake in a document while it is described: a code, a text, and the
 * path to the value, which is put together on the way back up to the root.
 */


#ifndef _NGX_ORS_VIOLATION_H_INCLUDED_
#define _NGX_ORS_VIOLATION_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_json.h>
#include <ngx_ors_validate.h>


/* enough for the longest path, the longest text and a quote, in bytes */
#define NGX_ORS_VIOLATION_PATH   512
#define NGX_ORS_VIOLATION_TEXT   1024
#define NGX_ORS_VIOLATION_QUOTE  768


typedef struct {
    ngx_ors_json_t  *json;
    ngx_ors_code_e   code;
    u_char          *last;        /* end of the text */
    u_char          *path;        /* start of the path, it ends the buffer */
    unsigned         listed:1;    /* a list of names has begun */
    unsigned         discreet:1;  /* the found text is not quoted */

    u_char           text_buf[NGX_ORS_VIOLATION_TEXT];
    u_char           path_buf[NGX_ORS_VIOLATION_PATH];
} ngx_ors_violation_t;


/*
 * Keys that are spelled otherwise than the tables have them.  To this module
 * such a key is unknown; a server that matches names without regard to case
 * takes it for the field.
 */


/* a name of the tables is shorter, also written in escapes: "\u006d" */
#define NGX_ORS_SPELLING_RAW  (NGX_ORS_SHAPE_NAME * 6)


/*
 * The elements of tables: the forms of rules, rows and shapes, and the
 * rules that several tables share.
 */

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
        ngx_null_string, NULL, NULL, NULL, 0, NULL, foreign, NULL, NULL       \
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
            }), absent, extension, ngx_ors_code_invalid_value, NULL, NULL)

/* the same of tools, with types that the operator has */

#define ngx_ors_variants_tool(name, extension, ...)                           \
    const ngx_ors_shape_t  name =                                             \
        ngx_ors_shape_choice("type",                                          \
            ((const ngx_ors_variant_t[]) {                                    \
                __VA_ARGS__, ngx_ors_variants_end                             \
            }), NULL, extension, ngx_ors_code_invalid_value,                  \
            &ngx_ors_typed_shape, NULL)

/* profiles and shapes without the front and the end of their names */

#define ngx_ors_variant(name, in, shape)                                      \
    { ngx_string(name), NGX_ORS_IN_##in, &ngx_ors_##shape##_shape }

#define ngx_ors_others(in, shape)                                             \
    { ngx_null_string, NGX_ORS_IN_##in, &ngx_ors_##shape##_shape }

#define ngx_ors_shape_choice(key, values, absent, extension, code, tool, item) \
    { NULL, 0, 0, 0, ngx_string(key), values, absent, extension, code, NULL,  \
      NULL, tool, item }

#define ngx_ors_shape_map(map)                                                \
    { NULL, 0, 0, 0, ngx_null_string, NULL, NULL, NULL, 0, map, NULL, NULL,   \
      NULL }


/* the end of a list of values, and of variants that admits no others */

#define ngx_ors_values_end    { ngx_null_string, 0 }
#define ngx_ors_variants_end  { ngx_null_string, 0, NULL }


/*
 * Prepares for a walk through "json"; costs nothing until there is a mistake.
 * With "discreet" the text says of a value that was found only what it is.
 */
void ngx_ors_violation_init(ngx_ors_violation_t *m, ngx_ors_json_t *json,
    ngx_uint_t discreet);

/*
 * Sets the code, and the text, which is read after the path:
 * "must be ...".  Always returns NGX_DECLINED.
 */
ngx_int_t ngx_ors_violation_set(ngx_ors_violation_t *m, ngx_ors_code_e code,
    const char *fmt, ...);

/* Appends to the text, as ngx_sprintf() does. */
void ngx_ors_violation_add(ngx_ors_violation_t *m, const char *fmt, ...);

/* Appends what was found: ", found string ..." */
void ngx_ors_violation_found(ngx_ors_violation_t *m, ngx_ors_json_node_t *node);

/*
 * Puts the name of a member, or the index of an element, in front of the path.
 */
void ngx_ors_violation_at_name(ngx_ors_violation_t *m, const ngx_str_t *name);
void ngx_ors_violation_at_index(ngx_ors_violation_t *m, ngx_uint_t i);

/*
 * The first 64 characters of a string, decoded, or of a number, without
 * control characters; "buf" has NGX_ORS_VIOLATION_QUOTE bytes.
 */
void ngx_ors_violation_quote(ngx_ors_violation_t *m, ngx_ors_json_node_t *node,
    u_char *buf, ngx_str_t *text);

/*
 * Fills "err": status 400, "param" is the path.  "root" is what the message
 * calls the document when the mistake is not inside of it.
 *
 * NGX_DECLINED   "err" is filled
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_violation_error(ngx_ors_violation_t *m, char *root,
    ngx_pool_t *pool, ngx_ors_error_t *err);

/*
 * Sentences about a value that does not fit its rule: what it must be.  Each
 * sets "violation" and returns NGX_DECLINED.
 */


/* "node" is of a type that "rule" does not have. */
ngx_int_t ngx_ors_mismatch_type(ngx_ors_violation_t *violation,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule);

/* String "node" is none of "values", as far as "profile" knows them. */
ngx_int_t ngx_ors_mismatch_value(ngx_ors_violation_t *violation,
    ngx_uint_t profile, ngx_ors_json_node_t *node,
    const ngx_ors_value_t *values);

/* "node", the key of an object by which "shape" chooses, chooses nothing. */
ngx_int_t ngx_ors_mismatch_choice(ngx_ors_violation_t *violation,
    ngx_ors_policy_t *policy, ngx_ors_json_node_t *node,
    const ngx_ors_shape_t *shape);

/*
 * The row of "shape", of whichever profiles, that "key" is another spelling
 * of; NULL if there is none, or "key" is spelled as in the table.
 */
const ngx_ors_field_t *ngx_ors_spelling_field(ngx_ors_json_t *json,
    ngx_ors_json_node_t *key, const ngx_ors_shape_t *shape);

/*
 * As ngx_ors_spelling_field() for "name", decoded text of at most
 * NGX_ORS_SPELLING_RAW bytes.
 */
const ngx_ors_field_t *ngx_ors_spelling_row(const ngx_str_t *name,
    const ngx_ors_shape_t *shape);

/*
 * 1 if "key" is "name", in whatever spelling.  Names that are longer than
 * those of the tables are compared as they are, if the key is not.
 */
ngx_uint_t ngx_ors_spelling_is(ngx_ors_json_t *json, ngx_ors_json_node_t *key,
    const ngx_str_t *name);

/*
 * The text of "key", of the document or, if it has escapes, decoded in "buf",
 * NGX_ORS_SPELLING_RAW bytes.  NGX_OK, NGX_DECLINED: longer than any name.
 */
ngx_int_t ngx_ors_spelling_name(ngx_ors_json_t *json, ngx_ors_json_node_t *key,
    u_char *buf, ngx_str_t *name);

/*
 * Names in other letters: readers that match the names of members without
 * regard to case (Go's encoding/json and others) take more characters than
 * A to Z for an ASCII letter.
 */


/*
 * 1 if UTF-8 texts "a" and "b" are the same name to some such reader: ASCII
 * letters without regard to case, and those beyond ASCII that Unicode's
 * simple folding or some language's upper and lower case lead to one of
 * them: U+017F is an "s", U+212A a "k", U+0130 and U+0131 an "i".
 */
ngx_uint_t ngx_ors_fold_equal(const ngx_str_t *a, const ngx_str_t *b);

/*
 * Writes the folding of "text" to "dst", which has room for text->len bytes:
 * equal names have equal foldings.  Returns the end of what was written.
 */
u_char *ngx_ors_fold(u_char *dst, const ngx_str_t *text);

/* 1 if "text" consists of a-z, 0-9 and "_" only: it is its own folding. */
ngx_uint_t ngx_ors_fold_plain(const ngx_str_t *text);

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


#endif /* _NGX_ORS_VIOLATION_H_INCLUDED_ */
