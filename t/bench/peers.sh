#!/bin/sh

# peers.sh DIR: installs what the gateway is compared with from PyPI and
# crates.io into DIR, in the versions that are named here.  Silent and quick
# when everything is there; needs python3-venv, a Python of 3.12 or newer for
# OGX, and cargo for Onwards: what cannot be had is said and left out.

set -u

dir=$1


# installed NAME VERSION

installed() {
    [ "$(cat "$dir/$1/.installed" 2>/dev/null)" = "$2" ]
}


# pypi NAME VERSION PYTHON [EXTRA [PACKAGE...]]

pypi() {
    installed "$1" "$2" && return

    name=$1
    version=$2
    python=$3
    extra=${4:-}
    shift 3
    [ $# -eq 0 ] || shift

    echo "installing: $name $version"

    "$python" -m venv --clear "$dir/$name" \
    && "$dir/$name/bin/pip" install -q --disable-pip-version-check \
        --only-binary :all: "$name$extra==$version" "$@" \
    && echo "$version" > "$dir/$name/.installed" \
    || echo "cannot install: $name $version" >&2
}


crate() {
    installed "$1" "$2" && return

    echo "installing: $1 $2"

    cargo install -q --locked --root "$dir/$1" "$1@$2" \
    && echo "$2" > "$dir/$1/.installed" \
    || echo "cannot install: $1 $2" >&2
}


# the first that is there

newer_python() {
    for version in 3.13 3.12; do
        for python in python$version \
            "$HOME/.pyenv/versions/$version".*/bin/python3
        do
            if "$python" -c "" 2>/dev/null; then
                echo "$python"
                return
            fi
        done
    done

    echo python3
}


mkdir -p "$dir"

pypi codex-relay 0.5.8 python3
pypi litellm 1.106.0 python3 '[proxy]'
pypi ogx 1.5.0 "$(newer_python)" '' chardet numpy pandas pypdf sqlite-vec
pypi smg 1.13.0 python3
crate onwards 0.38.1

exit 0
