# Systems of Debian for fresh.sh and package.sh, which have "name" and "dir":
# made with debootstrap, entered with "unshare" and "chroot".

suite=${SUITE:-bookworm}
mirror=${MIRROR:-http://deb.debian.org/debian}

# the way to the registries on this machine, if it is set

way='http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY
     SSL_CERT_FILE NODE_EXTRA_CA_CERTS PIP_CERT PIP_INDEX_URL
     npm_config_registry'


fail() {
    echo "$name: $*" >&2
    exit 1
}


# make_tree DIR [PACKAGE,...]: what Debian itself needs, and these packages

make_tree() {
    rm -rf "$1"
    mkdir -p "$1"

    debootstrap --variant=minbase ${2:+--include="$2"} \
        "$suite" "$1" "$mirror" >"$1.log" 2>&1 \
        || fail "debootstrap failed, see $1.log"

    for suffix in -updates -security; do
        case "$suffix" in
            -security) url=$mirror-security ;;
            *) url=$mirror ;;
        esac

        echo "deb $url $suite$suffix main" >>"$1/etc/apt/sources.list"
    done

    cp /etc/resolv.conf "$1/etc/"
    echo '127.0.0.1 localhost' >"$1/etc/hosts"
    own_certificates "$1"
}


# authorities that this machine trusts beside Debian's

own_certificates() {
    mkdir -p "$1/usr/local/share" "$1/etc/ssl/certs"
    [ ! -d /usr/local/share/ca-certificates ] \
        || cp -r /usr/local/share/ca-certificates "$1/usr/local/share/"
}


# inside DIR COMMANDS: in /root/project, or /root without it.  Processes and
# mounts of the tree are gone when they have ended

inside() {
    # shellcheck disable=SC2086,SC2016
    unshare --mount --pid --fork --kill-child sh -c '
        mount --rbind /dev "$1/dev"
        mount -t proc proc "$1/proc"
        mount -t tmpfs tmpfs "$1/run"
        exec chroot "$@"
    ' sh "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive $passed \
        sh -ec "cd /root; [ ! -d project ] || cd project; $2"
}


passed=

for variable in $way; do
    eval "value=\${$variable:-}"
    [ -z "$value" ] || passed="$passed $variable=$value"
done

[ "$(id -u)" = 0 ] || fail "needs root"
