
/*
 * Shared by setters of directives: words out of a table, and names of
 * modules.
 */


#ifndef _NGX_ORS_CONF_H_INCLUDED_
#define _NGX_ORS_CONF_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * Parameters of directives, as in "ttl=1h": a table says what each of them may
 * be and where its value goes.
 */

typedef struct ngx_ors_conf_param_s  ngx_ors_conf_param_t;

/*
 * Sets a field from the text after "=".
 *
 * NGX_OK         it is set
 * NGX_BUSY       it has been set
 * NGX_DECLINED   the text is not allowed
 * NGX_ERROR      logged
 */
typedef ngx_int_t (*ngx_ors_conf_param_pt)(ngx_conf_t *cf,
    ngx_ors_conf_param_t *param, ngx_str_t *value, void *field);

struct ngx_ors_conf_param_s {
    ngx_str_t                name;      /* with its "=" */
    ngx_ors_conf_param_pt    set;
    size_t                   offset;    /* of the field */
    ngx_int_t                low;       /* bounds of numbers, sizes, times */
    ngx_int_t                high;      /* 0: none */
    ngx_conf_enum_t         *words;     /* of ngx_ors_conf_param_word() */
    char                    *must;      /* be, as in "it must be a time" */
};


/*
 * Logs what is wrong with the directive that is being parsed, at "emerg" with
 * file and line, and "err" if it is not 0.  A text without the name of the
 * directive gets it at its head.
 */
void ngx_ors_conf_error(ngx_conf_t *cf, ngx_err_t err, const char *fmt, ...);

/*
 * Sets "*field" to the value of the word "value" in the list "e".  A word that
 * is not in the list is logged, with those that are; "what", static text, and
 * "name" say what it is the value of.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_ors_conf_value(ngx_conf_t *cf, char *what, ngx_str_t *name,
    ngx_conf_enum_t *e, ngx_str_t *value, ngx_uint_t *field);

/*
 * Writes a list for people, as in "a", "b" or "c": "words" are elements of
 * "size" bytes that begin with an ngx_str_t, the last one with an empty name;
 * "mark" follows each word.  "buf" has NGX_MAX_CONF_ERRSTR bytes.  After the
 * list comes the word that "found" is a misspelling of, unless that is NULL.
 * Returns the end of the text.
 */
u_char *ngx_ors_conf_words(u_char *buf, const void *words, size_t size,
    char *mark, ngx_str_t *found);

/*
 * The word of such a list that "found" is a misspelling of, up to the "=" in
 * both; NULL: of none.
 */
const ngx_str_t *ngx_ors_conf_near(const void *words, size_t size,
    ngx_str_t *found);

/*
 * A setter of ngx_uint_t at cmd->offset, NGX_CONF_UNSET_UINT at first, from
 * the ngx_conf_enum_t list in cmd->post; its error says what is allowed.
 */
char *ngx_ors_conf_enum_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/* A setter of ngx_str_t; an empty text is an error. */
char *ngx_ors_conf_text_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/*
 * Reads the file "name" that is open as "fd", and closes it.  "text" has the
 * room for it, text->len bytes, and gets its length.
 *
 * NGX_OK         done
 * NGX_DECLINED   it has as many bytes as there is room for, or more
 * NGX_ERROR      it cannot be read, which has been logged
 */
ngx_int_t ngx_ors_conf_file(ngx_conf_t *cf, ngx_str_t *name, ngx_fd_t fd,
    ngx_str_t *text);

extern ngx_conf_enum_t  ngx_ors_conf_flags[];     /* on, off */


/*
 * Sets the parameter "word" in "conf"; "params" ends with an empty name.  What
 * is wrong is logged; "what" and "name", if it is not NULL, say what it is a
 * parameter of, as in: store "main".
 *
 * NGX_OK         it is set
 * NGX_DECLINED   it is none of "params"
 * NGX_ERROR      logged
 */
ngx_int_t ngx_ors_conf_param(ngx_conf_t *cf, ngx_ors_conf_param_t *params,
    void *conf, ngx_str_t *word, char *what, ngx_str_t *name);

/* Logs that "word" is none of "params", which it names, as above. */
void ngx_ors_conf_param_unknown(ngx_conf_t *cf, ngx_ors_conf_param_t *params,
    ngx_str_t *word, char *what, ngx_str_t *name);

/*
 * Sets the parameters in all words of the directive from number "n" on, as
 * ngx_ors_conf_param() does; a word that is none of "params" is logged.
 * NGX_CONF_OK or NGX_CONF_ERROR.
 */
char *ngx_ors_conf_params(ngx_conf_t *cf, ngx_ors_conf_param_t *params,
    void *conf, ngx_uint_t n, char *what, ngx_str_t *name);

/*
 * A setter of a directive with one value: cmd->post is the parameter that the
 * value is like, without a name.
 */
char *ngx_ors_conf_param_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/*
 * Setters for param->set, by the type of the field.  A field that is not
 * configured has NGX_CONF_UNSET of its type, a text is empty.  Return codes are
 * those of ngx_ors_conf_param_pt.
 */

ngx_int_t ngx_ors_conf_param_msec(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field);                           /* ngx_msec_t */
ngx_int_t ngx_ors_conf_param_sec(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field);                           /* time_t */
ngx_int_t ngx_ors_conf_param_size(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field);                           /* size_t */
ngx_int_t ngx_ors_conf_param_offset(ngx_conf_t *cf,
    ngx_ors_conf_param_t *param, ngx_str_t *value, void *field);  /* off_t */
ngx_int_t ngx_ors_conf_param_number(ngx_conf_t *cf,
    ngx_ors_conf_param_t *param, ngx_str_t *value, void *field);
/* ngx_uint_t */
ngx_int_t ngx_ors_conf_param_word(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field);                           /* ngx_uint_t */
ngx_int_t ngx_ors_conf_param_text(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field);                           /* ngx_str_t */


#endif /* _NGX_ORS_CONF_H_INCLUDED_ */
