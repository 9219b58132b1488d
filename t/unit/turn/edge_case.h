
/*
 * Cases of t/data/edges: see t/lib/ORS/Edge.pm for how they are written.
 */


#ifndef _EDGE_CASE_H_INCLUDED_
#define _EDGE_CASE_H_INCLUDED_


#include "turn_run.h"


#define EDGE_PARTS  16


/* settings and parts alike; all of it is borrowed from the file's text */

typedef struct {
    char         *name;
    ngx_uint_t    nparts;
    char         *keys[EDGE_PARTS];
    char         *values[EDGE_PARTS];
} edge_t;


/*
 * The next case of a file, whose text is changed; the first call gets the
 * beginning of the text.  0: there is none.
 */
ngx_uint_t edge_next(edge_t *edge, char **text);

/* A setting or part, NULL if it is not there. */
char *edge_get(edge_t *edge, const char *key);

/*
 * The model server's answer in the form "bytes" or "document", malloc();
 * NULL: nothing in that form.
 */
u_char *edge_body(edge_t *edge, const char *form, size_t *len);


#endif /* _EDGE_CASE_H_INCLUDED_ */
