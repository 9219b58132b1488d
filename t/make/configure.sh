#!/bin/sh

# configure.sh SOURCE DIR [FLAG...]: runs nginx's configure for SOURCE in
# DIR, which only has links to SOURCE, so that nothing is written there.

set -eu

src=$1
dir=$2
shift 2


fail() {
    echo "$*" >&2
    exit 1
}


# one line for what is missing; the whole story is in the log

explain() {
    while read -r pattern package; do
        if grep -q "$pattern" "$dir/configure.log"; then
            fail "$package is missing: apt-get install $package"
        fi
    done <<END
C.compiler.*is.not.found gcc
requires.the.PCRE.library libpcre2-dev
requires.the.zlib.library zlib1g-dev
requires.the.z.library zlib1g-dev
requires.the.lmdb.library liblmdb-dev
requires.the.hiredis.library libhiredis-dev
requires.the.wslay.library libwslay-dev
requires.the.zstd.library libzstd-dev
requires.the.crypto.library libssl-dev
requires.the.jansson.library libjansson-dev
requires.the.pcre2-8.library libpcre2-dev
OpenSSL.library libssl-dev
SSL.modules.require libssl-dev
END

    tail -n 3 "$dir/configure.log" >&2
    fail "configure failed, see $dir/configure.log"
}


# releases have configure at the top, the repository has it in auto

conf=configure
[ -f "$src/$conf" ] || conf=auto/configure
[ -f "$src/$conf" ] || fail "$src is not an nginx source tree"

src=$(cd "$src" && pwd)
mkdir -p "$dir/objs"

for name in auto conf contrib docs man misc src; do
    rm -f "$dir/$name"
    [ ! -e "$src/$name" ] || ln -s "$src/$name" "$dir/$name"
done

# everything depends on these two: unchanged ones keep their age

for name in ngx_auto_config.h ngx_auto_headers.h; do
    [ ! -f "$dir/objs/$name" ] || cp -p "$dir/objs/$name" "$dir/$name"
done

[ "$conf" = auto/configure ] || ln -sf "$src/$conf" "$dir/$conf"

(cd "$dir" && sh "$conf" "$@" >configure.log 2>&1) || explain

for name in ngx_auto_config.h ngx_auto_headers.h; do
    if cmp -s "$dir/$name" "$dir/objs/$name"; then
        mv -f "$dir/$name" "$dir/objs/$name"
    fi

    rm -f "$dir/$name"
done
