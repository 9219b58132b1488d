#!/bin/sh

# fresh.sh DIR: what a user does who has Debian 12, git and make, and nothing
# else.  Makes such a system in DIR, with a clean checkout of HEAD, and runs
# the commands of the README in it: "make run", then "make test".  Needs root
# and debootstrap.  The system is taken away if they pass, and kept if not.

set -eu

name=$(basename "$0")
dir=$1
top=$(cd "$(dirname "$0")/../.." && pwd)
suite=${SUITE:-bookworm}
mirror=${MIRROR:-http://deb.debian.org/debian}

# what the way to the registries needs on this machine, if it is set

way='http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY
     SSL_CERT_FILE NODE_EXTRA_CA_CERTS PIP_CERT PIP_INDEX_URL
     npm_config_registry'


fail() {
    echo "$name: $*" >&2
    exit 1
}


# the system: no package that Debian itself does not need, but git and make

make_tree() {
    rm -rf "$dir"
    mkdir -p "$dir"

    debootstrap --variant=minbase --include=git,make \
        "$suite" "$dir" "$mirror" >"$dir.log" 2>&1 \
        || fail "debootstrap failed, see $dir.log"

    for suffix in -updates -security; do
        case "$suffix" in
            -security) url=$mirror-security ;;
            *) url=$mirror ;;
        esac

        echo "deb $url $suite$suffix main" >>"$dir/etc/apt/sources.list"
    done

    cp /etc/resolv.conf "$dir/etc/"
    echo '127.0.0.1 localhost' >"$dir/etc/hosts"
    own_certificates

    git clone -q "file://$top" "$dir/root/project"
}


# authorities that this machine trusts beside Debian's

own_certificates() {
    mkdir -p "$dir/usr/local/share" "$dir/etc/ssl/certs"
    [ ! -d /usr/local/share/ca-certificates ] \
        || cp -r /usr/local/share/ca-certificates "$dir/usr/local/share/"
}


# processes and mounts of the tree are gone when the command has ended

inside() {
    # shellcheck disable=SC2086,SC2016
    unshare --mount --pid --fork --kill-child sh -c '
        mount --rbind /dev "$1/dev"
        mount -t proc proc "$1/proc"
        mount -t tmpfs tmpfs "$1/run"
        exec chroot "$@"
    ' sh "$dir" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        LC_ALL=C.UTF-8 $given sh -ec "cd /root/project; $1"
}


given=

for variable in $way; do
    eval "value=\${$variable:-}"
    [ -z "$value" ] || given="$given $variable=$value"
done

[ "$(id -u)" = 0 ] || fail "needs root"
[ -z "$(git -C "$top" status --porcelain)" ] \
    || echo "$name: changes that are not committed are not looked at"

make_tree

echo "$name: make run"
inside 'make run </dev/null'

echo "$name: make test"
inside 'make test' || fail "make test failed, the system is in $dir"

rm -rf "$dir" "$dir.log"
