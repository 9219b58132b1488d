#!/bin/sh

# test.sh MAKE: the phases of "make test".  A failure does not end the phases
# after it; the last lines name the tests that failed and the commands that run
# them again.

set -u

make=$1
dir=${BUILD:-build}/test
number=0
failed=

rm -rf "$dir"
mkdir -p "$dir"


# phase TITLE TARGET...: the log and the status of a target are files in "dir",
# as a pipe has the status of its end

phase() {
    title=$1
    shift
    number=$((number + 1))

    echo
    echo "$number of 4: $title"

    for target in "$@"; do
        {
            "$make" --no-print-directory "$target" 2>&1
            echo $? >"$dir/$target.status"
        } | tee "$dir/$target.log"

        [ "$(cat "$dir/$target.status")" = 0 ] || failed="$failed $target"
    done
}


# again TARGET: how to run what has failed of a target

again() {
    files=$(sed -n 's!^\(t/[^ ]*\.t\) *(Wstat.*!\1!p' "$dir/$1.log")

    if [ -n "$files" ]; then
        echo "$(echo "$files" | wc -l) files failed in $1; again:" \
             "make $1 TESTS=\"$(echo $files)\""
    else
        echo "$1 failed; again: make $1"
    fi
}


begin=$(date +%s)

phase 'unit tests, and with sanitizers' unit unit-asan
phase 'tests with a real nginx' prove
phase 'those of lifetimes once more, with sanitizers' asan-prove
phase 'a build without options, costs, benchmarks' without cost bench-programs

echo
echo "$(($(date +%s) - begin)) seconds, $dir has the logs"

for target in $failed; do
    again "$target"
done

[ -z "$failed" ] && echo 'all tests passed'
