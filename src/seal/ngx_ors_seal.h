
/*
 * Sealed text: what a client keeps for us and can neither read nor change.
 *
 * A blob is "ors1" and, in base64url without padding, four bytes that name
 * the key, twelve random ones, the text in AES-256-GCM and its tag of 16.
 * It opens for the purpose and the scope only that it was sealed for.
 */


#ifndef _NGX_ORS_SEAL_H_INCLUDED_
#define _NGX_ORS_SEAL_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_digest.h>


#define NGX_ORS_SEAL_ID_LEN   4
#define NGX_ORS_SEAL_KEY_LEN  32

/* clients must not send more than 10 Mi characters (protocol, section 3) */
#define NGX_ORS_SEAL_MAX      (7 * 1024 * 1024)


/* a blob of one kind cannot be opened as another */

typedef enum {
    ngx_ors_seal_reasoning = 'r',
    ngx_ors_seal_compaction = 'c'
} ngx_ors_seal_purpose_e;


typedef struct {
    u_char                   id[NGX_ORS_SEAL_ID_LEN];
    u_char                   secret[NGX_ORS_SEAL_KEY_LEN];
} ngx_ors_seal_key_t;


/* errors in a file of keys */

typedef struct {
    ngx_uint_t               line;        /* 0: with all of it */
    const char              *text;        /* never holds a key */
} ngx_ors_seal_fault_t;


/* whose text is sealed, and with what; borrowed */

typedef struct {
    ngx_array_t             *keys;        /* of ngx_ors_seal_key_t, not */
                                          /* empty: the first one seals */
    u_char                   scope[NGX_ORS_DIGEST_LEN];
} ngx_ors_sealer_t;


/*
 * Appends to "keys" those of a file whose content is "text": one in a line,
 * 64 hexadecimal digits or 44 characters of base64; spaces around it, empty
 * lines and what follows a "#" do not count.
 *
 * NGX_OK         done
 * NGX_DECLINED   "fault" says what is wrong, and where
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_seal_keys(ngx_array_t *keys, ngx_str_t *text,
    ngx_ors_seal_fault_t *fault);

/* 1 if "blob" looks like one that was sealed here, by any key. */
ngx_uint_t ngx_ors_seal_is(ngx_str_t *blob);

/*
 * Seals "text"; the blob comes from "pool".
 *
 * NGX_OK         done
 * NGX_DECLINED   it has more than NGX_ORS_SEAL_MAX bytes
 * NGX_ERROR      no memory, or no random bytes
 */
ngx_int_t ngx_ors_seal(ngx_ors_sealer_t *sealer,
    ngx_ors_seal_purpose_e purpose, ngx_str_t *text, ngx_pool_t *pool,
    ngx_str_t *blob);

/*
 * Opens a blob; the text comes from "pool".  A blob of another maker is
 * recognized by its first characters.
 *
 * NGX_OK         done
 * NGX_DECLINED   it is not of ours, or of another key, purpose or scope, or
 *                was changed; which of them is not said
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_unseal(ngx_ors_sealer_t *sealer,
    ngx_ors_seal_purpose_e purpose, ngx_str_t *blob, ngx_pool_t *pool,
    ngx_str_t *text);

/*
 * Files of keys that a configuration names.
 */


/*
 * "open_responses_secret FILE...": cmd->offset is that of an ngx_array_t *, at
 * first NULL, of ngx_ors_seal_key_t, which are wiped with the configuration.
 */
char *ngx_ors_secret_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/*
 * Reads the file "name", which must hold one key; "key" is wiped with the
 * configuration.  NGX_OK, or NGX_ERROR: it is logged.
 */
ngx_int_t ngx_ors_secret_key(ngx_conf_t *cf, ngx_str_t *name, ngx_str_t *key);


#endif /* _NGX_ORS_SEAL_H_INCLUDED_ */
