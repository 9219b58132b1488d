#!/bin/sh

# source.sh SUITE VERSION LINK: nginx's source as Debian's SUITE has it,
# without Debian's patches, unpacked beside LINK, which then leads to it.
# An empty VERSION means the newest.  The system's package lists and
# sources are left alone.

set -eu

suite=$1
version=$2
link=$3
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}


fail() {
    echo "$*" >&2
    exit 1
}


dir=$(mkdir -p "$(dirname "$link")" && cd "$(dirname "$link")" && pwd)
lists=$dir/lists-$suite

mkdir -p "$lists/partial"
echo "deb-src $mirror $suite main" >"$dir/$suite.list"


apt() {
    tool=$1
    shift

    "$tool" -o Dir::Etc::sourcelist="$dir/$suite.list" \
        -o Dir::Etc::sourceparts=- -o Dir::State::lists="$lists" \
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
        -o APT::Get::List-Cleanup=0 -o APT::Sandbox::User=root "$@"
}


echo "fetching nginx $version from Debian $suite"

apt apt-get update -qq || fail "cannot fetch the list of sources of $suite"

# "1.22.1-9+deb12u9": what precedes the last dash is nginx's own version

full=$(apt apt-cache showsrc nginx \
       | sed -n 's/^Version: \([0-9][^ ]*\)$/\1/p' | sort -uVr \
       | while read -r v; do
             [ -n "$version" ] && [ "${v%-*}" != "$version" ] || echo "$v"
         done | head -n 1)

[ -n "$full" ] || fail "no source of nginx $version in Debian $suite"

version=${full%-*}
tar=nginx_$version.orig.tar.gz

(cd "$dir" && apt apt-get source -qq --download-only --only-source \
    "nginx=$full") || fail "cannot fetch the source of nginx $full"

[ -f "$dir/$tar" ] || fail "no $tar among the sources of nginx $full"

mkdir -p "$dir/new"
tar -xzf "$dir/$tar" -C "$dir/new" --no-same-owner --strip-components=1

rm -rf "$dir/nginx-$version" "$lists"
mv "$dir/new" "$dir/nginx-$version"

[ "$link" -ef "$dir/nginx-$version" ] \
    || ln -sfn "nginx-$version" "$link"
