#!/bin/sh

# flags.sh CC FLAG...: prints those of the flags that the compiler and its
# linker take.

cc=$1
shift

for flag; do
    # shellcheck disable=SC2086
    echo 'int main(void) { return 0; }' \
        | $cc -Werror -O2 "$flag" -x c -o /dev/null - 2>/dev/null \
        && printf '%s ' "$flag"
done
