
/*
 * The page that people read, and the names that all pages share.
 */


#ifndef _NGX_ORS_STATS_PAGE_H_INCLUDED_
#define _NGX_ORS_STATS_PAGE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_stats.h>


/* of a kind, one counter after the other */
#define NGX_ORS_STATS_OUTCOMES  4


typedef struct {
    char                      *one;
    char                      *many;
    ngx_ors_stats_counter_e    first;
} ngx_ors_stats_kind_t;


typedef struct {
    ngx_ors_stats_counter_e    counter;
    char                      *name;
    char                      *title;
    char                      *more;      /* for Prometheus, after the title */
} ngx_ors_stats_single_t;


/* lists end with a name of NULL */

extern const ngx_ors_stats_kind_t    ngx_ors_stats_kinds[];
extern const ngx_ors_stats_single_t  ngx_ors_stats_singles[];


/* Appends the page as HTML; the rest is as of ngx_ors_stats_render(). */
void ngx_ors_stats_page(ngx_ors_out_t *out, ngx_ors_stats_t *stats,
    ngx_ors_metrics_shown_t *shown, time_t now);


/*
 * Appends what is known of the turns of one row: how many, how they ended, how
 * long they took.
 */
void ngx_ors_stats_page_row(ngx_ors_out_t *out,
    ngx_ors_metrics_labels_t *labels, time_t now);


#endif /* _NGX_ORS_STATS_PAGE_H_INCLUDED_ */
