
/*
 * A connection to a Redis server on nginx's event loop: it is made, greeted
 * and made again when it is lost.  Commands are written one after the other
 * without waiting for replies.
 */


#ifndef _NGX_ORS_REDIS_LINK_H_INCLUDED_
#define _NGX_ORS_REDIS_LINK_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <hiredis/async.h>
#include <ngx_ors_redis_text.h>


/* the number of elements of an array, as hiredis has it */
#if (HIREDIS_MAJOR > 0)
typedef size_t  ngx_ors_redis_count_t;
#else
typedef int     ngx_ors_redis_count_t;
#endif


typedef struct ngx_ors_redis_link_s  ngx_ors_redis_link_t;

typedef void (*ngx_ors_redis_link_pt)(ngx_ors_redis_link_t *link);


typedef struct {
    ngx_str_t                 text;       /* for the log */
    ngx_str_t                 host;       /* null-terminated, or a path */
    in_port_t                 port;       /* 0: a unix socket */
} ngx_ors_redis_addr_t;


typedef struct {
    ngx_str_t                 user;
    ngx_str_t                 password;   /* empty: none */
    ngx_str_t                 database;   /* empty: the first one */
} ngx_ors_redis_login_t;


typedef enum {
    ngx_ors_redis_link_closed = 0,
    ngx_ors_redis_link_greeting,          /* connecting, or logging in */
    ngx_ors_redis_link_up,
    ngx_ors_redis_link_waiting            /* until the next attempt */
} ngx_ors_redis_link_e;


struct ngx_ors_redis_link_s {

    /* set by who makes it, the rest is zeroed */

    ngx_ors_redis_addr_t     *addresses;  /* tried in turn */
    ngx_uint_t                naddresses;
    ngx_ors_redis_login_t    *login;
    ngx_msec_t                timeout;
    ngx_str_t                *name;       /* of the store, for the log */
    ngx_log_t                *log;

    /*
     * Called from the event loop when it has come up, and when it is lost:
     * all commands that were written have got their status by then.
     */
    ngx_ors_redis_link_pt     handler;

    /* the link's own */

    ngx_ors_redis_link_e      state;
    ngx_uint_t                failures;   /* attempts since it was up */
    ngx_uint_t                address;    /* that is tried */

    /* of its owner */
    ngx_queue_t               waiting;    /* commands */
    ngx_uint_t                used;

    redisAsyncContext        *context;
    ngx_connection_t         *connection;
    redisReplyObjectFunctions functions;  /* the validator of what is read */
    redisReplyObjectFunctions make;       /* hiredis' own */

    ngx_event_t               event;      /* posted: calls the handler */
    ngx_event_t               timer;
    ngx_msec_t                began;      /* the attempt */
    ngx_msec_t                heard;      /* or asked, if it was idle */

    size_t                    limit;      /* bytes of a reply */
    size_t                    size;       /* of this one, so far */
    size_t                    elements;   /* in all of its arrays */
    char                     *refused;    /* the reply that is refused */

    size_t                    reason_len;
    u_char                    reason[NGX_ORS_REDIS_REASON];
    ngx_uint_t                said;       /* CRC of the logged reason */

    unsigned                  busy:1;     /* in a function of hiredis */
    unsigned                  writing:1;
    unsigned                  broken:1;
    unsigned                  cluster:1;
    unsigned                  mute:1;     /* does not answer */
    unsigned                  silent:1;   /* closed by us */
};


/* Readies a link whose first fields are set; it is closed. */
void ngx_ors_redis_link_init(ngx_ors_redis_link_t *link);

/* Connects, unless that is done or under way. */
void ngx_ors_redis_link_open(ngx_ors_redis_link_t *link);

/*
 * Writes a command to a link that is up.
 *
 * NGX_OK         "handler" is called once, with NULL when the link is lost
 * NGX_ERROR      it is not written, and the link is about to be lost
 */
ngx_int_t ngx_ors_redis_link_write(ngx_ors_redis_link_t *link,
    redisCallbackFn *handler, void *data, ngx_uint_t n, ngx_str_t *args);

/*
 * Gives the connection up, for a reason that is logged, and makes a new one
 * to the next address after a while.
 */
void ngx_ors_redis_link_break(ngx_ors_redis_link_t *link, u_char *reason,
    size_t len);

/* Closes the connection without a new one; nothing is logged. */
void ngx_ors_redis_link_close(ngx_ors_redis_link_t *link);

/*
 * Guards what is read by a link that has its context: hiredis aborts the
 * process when there is a reply to no command, and reads replies of any size.
 */
void ngx_ors_redis_guard(ngx_ors_redis_link_t *link);

/* 1 if it is up, or may be at once: there are addresses to be tried. */
#define ngx_ors_redis_link_usable(link)                                       \
    ((link)->state == ngx_ors_redis_link_up                                   \
     || (link)->failures < (link)->naddresses)


#endif /* _NGX_ORS_REDIS_LINK_H_INCLUDED_ */
