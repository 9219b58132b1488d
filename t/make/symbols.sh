#!/bin/sh

# symbols.sh MODULE: a function of ours that is called and defined nowhere
# would only be noticed when nginx loads the module.

lost=$(nm -D --undefined-only "$1" \
       | sed -n 's/.* U \(ngx_\(http_\)\{0,1\}ors_.*\)/\1/p')

[ -n "$lost" ] || exit 0

echo "$1 lacks" $lost "(a file that is not in config? make sources)" >&2
rm -f "$1"
exit 1
