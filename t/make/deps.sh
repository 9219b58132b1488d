#!/bin/sh

# Installs what is missing: deps.sh [-n] [build|run|check|test|bench|fresh]...
# Silent and quick when everything is there; with -n or without root it says
# what is missing.

set -u

packages=
without=${ORS_WITHOUT:-}
user=$(id -u)

if [ "${1:-}" = -n ]; then
    user=
    shift
fi


add() {
    case " $packages " in
        *" $1 "*) ;;
        *) packages="$packages $1" ;;
    esac
}


# a command, and the package that has it

need() {
    PATH=$PATH:/usr/sbin command -v "$1" >/dev/null 2>&1 || add "$2"
}


build_deps() {
    need "${CC:-gcc}" gcc
    need nm binutils
    need perl perl

    libraries

    # a module for another nginx needs none that is installed

    if [ -z "${NGINX_SRC:-}" ]; then
        need nginx nginx
        [ -f /usr/share/nginx/src/conf_flags ] || add nginx-dev
    fi
}


# a library that ORS_WITHOUT may leave out: its name there, header and package

optional() {
    case " $without " in
        *" $1 "*) ;;
        *) [ -f "/usr/include/$2" ] || add "$3" ;;
    esac
}


libraries() {
    [ -f /usr/include/zlib.h ] || add zlib1g-dev
    [ -f /usr/include/openssl/evp.h ] || add libssl-dev
    optional lmdb lmdb.h liblmdb-dev
    optional redis hiredis/hiredis.h libhiredis-dev
    optional websocket wslay/wslay.h libwslay-dev
    optional zstd zstd.h libzstd-dev
    [ -f /usr/include/jansson.h ] || add libjansson-dev
    [ -f /usr/include/pcre2.h ] || add libpcre2-dev
}


run_deps() {
    need nginx nginx
    need curl curl
}


check_deps() {
    need prove perl
    need clang clang
}


analyze_deps() {
    need gcc gcc
    need clang clang
    need cppcheck cppcheck
    gcc -m32 -E -include features.h -x c /dev/null >/dev/null 2>&1 \
        || add gcc-multilib
}


test_deps() {
    check_deps
    run_deps
    need npm npm
    need openssl openssl
    need redis-server redis-server
    need valgrind valgrind

    without=
    libraries

    python3 -c 'import ensurepip, venv' 2>/dev/null || add python3-venv

    for name in lua js; do
        [ -f /usr/lib/nginx/modules/ngx_http_${name}_module.so ] \
            || add libnginx-mod-http-$name
    done

    # only gcc knows where the libraries of its sanitizers are
    lib=$(${CC:-gcc} -print-file-name=libasan.so 2>/dev/null || echo gcc)
    [ "$lib" != libasan.so ] || add gcc

    fuzzer
}


fresh_deps() {
    need debootstrap debootstrap
    need git git
}


bench_deps() {
    build_deps
    need valgrind valgrind
}


# clang's libFuzzer has a package that carries the version of clang

fuzzer() {
    version=$(clang -dumpversion 2>/dev/null | sed 's/\..*//')

    if [ -z "$version" ]; then
        version=$(apt-cache depends clang 2>/dev/null \
                  | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p')
    fi

    lib=libclang_rt.fuzzer-$(uname -m).a

    case $(clang -print-file-name="$lib" 2>/dev/null) in
        /*) ;;
        *) add "libclang-rt-${version:-14}-dev" ;;
    esac
}


# apt's progress goes to descriptor 3

install() {
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
        --no-install-recommends -o DPkg::Lock::Timeout=300 \
        -o APT::Status-Fd=3 $packages
}


# a line for each quarter of the way

progress() {
    last=

    while IFS=: read -r kind _ percent _; do

        case $kind in
            dlstatus) text=downloading ;;
            pmstatus) text=installing ;;
            *) continue ;;
        esac

        step=$((${percent%%[!0-9]*} / 25 * 25))

        if [ "$text $step" != "$last" ]; then
            last="$text $step"
            echo "$text, $step %"
        fi
    done
}


for set in "${@:-build}"; do
    "${set}_deps"
done

[ -n "$packages" ] || exit 0

if [ "$user" != 0 ]; then
    echo "missing, run: apt-get install$packages" >&2
    exit 1
fi

echo "installing:$packages"

# package lists may be absent or too old: only then are they fetched

# a pipe has the status of its last command

exec 5>&1

attempt() {
    status=$({ { install 3>&1 >&6 2>&6; echo $? >&4; } | progress >&5; } 4>&1)
    return "$status"
}

attempt 6>/dev/null || { apt-get update -qq && attempt 6>&2; } || {
    echo "cannot install:$packages" >&2
    exit 1
}
