#!/bin/sh

# source.sh VERSION LINK PLACE...: nginx's source from the first PLACE that has
# it, unpacked beside LINK, which then leads to it.  A place is a release of
# Debian, whose system's package lists and sources are left alone and whose
# patches are left out, or "crate", the crate nginx-src.  An empty VERSION
# means the newest.  With NGINX_MIRROR=URL or SHA256=SUM the only place is a
# directory with nginx-X.Y.Z.tar.gz, nginx.org's by default; the sum of that
# file is in nginx.sha256, or it is SHA256.

set -eu

wanted=$1
link=$2
shift 2

mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
sums=$(cd "$(dirname "$0")" && pwd)/nginx.sha256


fail() {
    echo "$*" >&2
    exit 1
}


dir=$(mkdir -p "$(dirname "$link")" && cd "$(dirname "$link")" && pwd)
log=$dir/source.log


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


unpack() {
    rm -rf "$dir/new"
    mkdir "$dir/new"
    tar -xzf "$1" -C "$dir/new" --no-same-owner --strip-components=1
}


# mirrors hold lists of packages that are gone: then the next place is tried

fetch_debian() {
    suite=$1
    lists=$dir/lists-$suite

    mkdir -p "$lists/partial"
    echo "deb-src $mirror $suite main" >"$dir/$suite.list"

    apt apt-get update -qq 2>>"$log" || return 1

    full=$(newest)
    version=${full%-*}

    [ -n "$full" ] || return 1

    (cd "$dir" && apt apt-get source -qq --download-only --only-source \
        "nginx=$full") 2>>"$log" || return 1

    unpack "$dir/nginx_$version.orig.tar.gz"
}


version_of() {
    sed -n 's/.*NGINX_VERSION  *"\(.*\)"/\1/p' "$1/src/core/nginx.h"
}


# several versions of the crate hold one version of nginx: older ones are tried
# until it is the one that is wanted

fetch_crate() {
    work=$dir/crate
    tree=$work/vendor/nginx-src/nginx
    branch=${wanted%.*}
    needs=${branch:+"~$branch"}

    command -v cargo >/dev/null || return 1

    mkdir -p "$work"
    : >"$work/lib.rs"

    while :; do
        cat >"$work/Cargo.toml" <<END
[package]
name = "source"
version = "0.0.0"
edition = "2021"

[lib]
path = "lib.rs"

[dependencies]
nginx-src = "${needs:-*}"
END
        rm -f "$work/Cargo.lock"

        (cd "$work" && cargo vendor -q vendor) >>"$log" 2>&1 || return 1

        version=$(version_of "$tree")

        [ -n "$wanted" ] && [ "$version" != "$wanted" ] || break

        needs=$(sed -n '/^name = "nginx-src"/{n
                        s/^version = "\([0-9.]*\).*/\1/p;}' "$work/Cargo.lock")
        needs="~$branch, <$needs"
    done

    rm -rf "$dir/new"
    mv "$tree" "$dir/new"
    rm -rf "$work"
}


# nothing is unpacked that has another sum

fetch_mirror() {
    from=${NGINX_MIRROR:-https://nginx.org/download}
    tar=nginx-$wanted.tar.gz
    version=$wanted

    [ -n "$wanted" ] || fail "$from: which version? NGINX=X.Y.Z"

    right=${SHA256:-$(sed -n "s/  $tar\$//p" "$sums")}

    echo "fetching $from/$tar"
    curl -fsSL --connect-timeout 20 -o "$dir/$tar.new" "$from/$tar" \
        || fail "$from/$tar cannot be fetched"

    found=$(sha256sum <"$dir/$tar.new" | cut -d' ' -f1)

    if [ "$found" != "$right" ]; then
        rm -f "$dir/$tar.new"
        fail "$tar has the SHA-256 sum $found," \
            "${right:+not }${right:-which is not in nginx.sha256:
if it is right, repeat this with SHA256=$found}"
    fi

    mv "$dir/$tar.new" "$dir/$tar"
    unpack "$dir/$tar"
}


fetch() {
    case $1 in
        crate)
            place='the crate nginx-src'
            get=fetch_crate ;;
        *)
            place="Debian $1"
            get=fetch_debian ;;
    esac

    echo "fetching nginx ${wanted:-(the newest)} from $place"
    $get "$1"
}


: >"$log"

if [ -n "${NGINX_MIRROR:-}${SHA256:-}" ]; then
    fetch_mirror
    place=$from
    set --

else
    for name in "$@" ""; do
        [ -n "$name" ] || fail "nginx ${wanted:-(any)} is in none of $*, see" \
            "$log; NGINX_MIRROR=URL names another place"

        ! fetch "$name" || break
        echo "$place has it not, or cannot be reached"
    done
fi

rm -rf "$dir/nginx-$version" "$dir"/lists-*
mv "$dir/new" "$dir/nginx-$version"

[ "$link" -ef "$dir/nginx-$version" ] \
    || ln -sfn "nginx-$version" "$link"

echo "nginx $version, from $place"
