#!/bin/sh

# source.sh VERSION LINK SUITE...: nginx's source as Debian's SUITE has it,
# or the next SUITE if that fails, without Debian's patches, unpacked beside
# LINK, which then leads to it.  An empty VERSION means the newest.  The
# system's package lists and sources are left alone.

set -eu

wanted=$1
link=$2
shift 2

mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}


fail() {
    echo "$*" >&2
    exit 1
}


dir=$(mkdir -p "$(dirname "$link")" && cd "$(dirname "$link")" && pwd)


apt() {
    tool=$1
    shift

    "$tool" -o Dir::Etc::sourcelist="$dir/$suite.list" \
        -o Dir::Etc::sourceparts=- -o Dir::State::lists="$lists" \
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
        -o APT::Get::List-Cleanup=0 -o APT::Sandbox::User=root "$@"
}


# "1.22.1-9+deb12u9": what precedes the last dash is nginx's own version

newest() {
    apt apt-cache showsrc nginx 2>/dev/null \
        | sed -n 's/^Version: \([0-9][^ ]*\)$/\1/p' | sort -uVr \
        | while read -r full; do
              [ -n "$wanted" ] && [ "${full%-*}" != "$wanted" ] \
                  || echo "$full"
          done | head -n 1
}


# mirrors hold lists of packages that are gone: then the next suite is tried

fetch() {
    lists=$dir/lists-$suite

    mkdir -p "$lists/partial"
    echo "deb-src $mirror $suite main" >"$dir/$suite.list"

    apt apt-get update -qq 2>"$dir/apt.log" || return 1

    full=$(newest)
    version=${full%-*}
    tar=nginx_$version.orig.tar.gz

    [ -n "$full" ] || return 1

    (cd "$dir" && apt apt-get source -qq --download-only --only-source \
        "nginx=$full") 2>>"$dir/apt.log" || return 1

    [ -f "$dir/$tar" ]
}


for suite in "$@" ""; do
    [ -n "$suite" ] || fail "nginx ${wanted:-(any)} is in none of $*," \
                            "see $dir/apt.log"

    echo "fetching nginx ${wanted:-(the newest)} from Debian $suite"
    ! fetch || break
    echo "Debian $suite has it not, or cannot be reached"
done

rm -rf "$dir/new"
mkdir "$dir/new"
tar -xzf "$dir/$tar" -C "$dir/new" --no-same-owner --strip-components=1

rm -rf "$dir/nginx-$version" "$dir"/lists-*
mv "$dir/new" "$dir/nginx-$version"

[ "$link" -ef "$dir/nginx-$version" ] \
    || ln -sfn "nginx-$version" "$link"

echo "nginx $version, from Debian $suite"
