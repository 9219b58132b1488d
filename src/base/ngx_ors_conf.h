
/*
 * Shared by setters of directives: words out of a table, and names of
 * modules.
 */


#ifndef _NGX_ORS_CONF_H_INCLUDED_
#define _NGX_ORS_CONF_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


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


#endif /* _NGX_ORS_CONF_H_INCLUDED_ */
