#!/bin/sh

# fresh.sh DIR: what a user does who has Debian 12, git and make, and nothing
# else.  Makes such a system in DIR, with a clean checkout of HEAD, and runs
# the commands of the README in it: "make run", then "make test".  Needs root
# and debootstrap.  The system is taken away if they pass, and kept if not.

set -eu

name=$(basename "$0")
dir=$1
top=$(cd "$(dirname "$0")/../.." && pwd)

. "$top/t/make/tree.sh"

[ -z "$(git -C "$top" status --porcelain)" ] \
    || echo "$name: changes that are not committed are not looked at"

make_tree "$dir" git,make
git clone -q "file://$top" "$dir/root/project"

echo "$name: make run"
inside "$dir" 'make run </dev/null'

echo "$name: make test"
inside "$dir" 'make test' || fail "make test failed, the system is in $dir"

rm -rf "$dir" "$dir.log"
