
/*
 * Copyright (C) Open Responses contributors
 */


/* A stand-in for nginx's trees of strings: a list by the links to the right. */


#include <ngx_config.h>
#include <ngx_core.h>


static uint32_t  ngx_ors_test_crc32[16];

uint32_t  *ngx_crc32_table_short = ngx_ors_test_crc32;


void
ngx_str_rbtree_insert_value(ngx_rbtree_node_t *temp, ngx_rbtree_node_t *node,
    ngx_rbtree_node_t *sentinel)
{
    node->right = (temp == sentinel) ? sentinel : temp;
}


void
ngx_rbtree_insert(ngx_rbtree_t *tree, ngx_rbtree_node_t *node)
{
    tree->insert(tree->root, node, tree->sentinel);
    tree->root = node;
}


void
ngx_rbtree_delete(ngx_rbtree_t *tree, ngx_rbtree_node_t *node)
{
    ngx_rbtree_node_t  **link;

    for (link = &tree->root; *link != node; link = &(*link)->right) {
        /* void */
    }

    *link = node->right;
}


ngx_str_node_t *
ngx_str_rbtree_lookup(ngx_rbtree_t *tree, ngx_str_t *name, uint32_t hash)
{
    ngx_str_node_t     *sn;
    ngx_rbtree_node_t  *node;

    for (node = tree->root; node != tree->sentinel; node = node->right) {
        sn = (ngx_str_node_t *) node;

        if (node->key == hash && sn->str.len == name->len
            && ngx_memcmp(sn->str.data, name->data, name->len) == 0)
        {
            return sn;
        }
    }

    return NULL;
}
