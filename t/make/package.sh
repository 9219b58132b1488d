#!/bin/sh

# package.sh DIR OUT: makes Debian's package of HEAD in a bare Debian 12 of its
# own, DIR/build, and puts it into OUT; then installs it in another one,
# DIR/user, and asks a gateway there.  Needs root and debootstrap.  The systems
# are taken away if all is well, and stay if not.

set -eu

name=$(basename "$0")
dir=$1
out=$2
top=$(cd "$(dirname "$0")/../.." && pwd)
package=libnginx-mod-http-open-responses

. "$top/t/make/tree.sh"

mkdir -p "$dir" "$out"

[ -z "$(git -C "$top" status --porcelain)" ] \
    || echo "$name: changes that are not committed are not packaged"

echo "$name: a bare Debian $suite"
make_tree "$dir/base"
inside "$dir/base" 'apt-get update -qq'

rm -rf "$dir/build" "$dir/user"
cp -a "$dir/base" "$dir/build"
mv "$dir/base" "$dir/user"

# an archive has neither t/'s downloads nor git's files

mkdir "$dir/build/root/project"
git -C "$top" archive HEAD | tar -x -C "$dir/build/root/project"

echo "$name: packages that the build needs"
inside "$dir/build" 'apt-get install -y -qq --no-install-recommends \
    build-essential fakeroot lintian >/dev/null
    apt-get build-dep -y -qq --no-install-recommends ./ >/dev/null' \
    2>"$dir/apt.log" || fail "see $dir/apt.log"

echo "$name: dpkg-buildpackage"
inside "$dir/build" 'dpkg-buildpackage -b -us -uc' >"$dir/build.log" 2>&1 \
    || fail "dpkg-buildpackage failed, see $dir/build.log"

# the project has no mail address

echo "$name: lintian"
inside "$dir/build" 'cd ..; lintian --allow-root --fail-on error,warning \
    --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog \
    ./*.changes' \
    || fail "the package is in $dir/build/root"

echo "$name: apt-get install"
cp "$dir/build/root/$package"_*.deb "$dir/user/root/"
inside "$dir/user" "apt-get install -y -qq nginx curl ./${package}_*.deb" \
    >"$dir/user.log" 2>&1 || fail "see $dir/user.log"

inside "$dir/user" '
    test -L /etc/nginx/modules-enabled/50-mod-http-open-responses.conf
    cp /usr/share/doc/'$package'/examples/demo*.conf /etc/nginx/conf.d/
    nginx -t -q
    nginx
    curl -s http://127.0.0.1:8080/v1/responses \
        -H "Content-Type: application/json" \
        -d "{\"model\":\"demo\",\"input\":\"Hello!\"}"
    nginx -s quit
' >"$dir/answer" || fail "no gateway, the system is in $dir/user"

grep -q '"status":"completed".*Hello!' "$dir/answer" \
    || fail "not the answer of the demo: $(cat "$dir/answer")"

# nginx has no word of the module's when it is gone

echo "$name: apt-get remove"
inside "$dir/user" "rm /etc/nginx/conf.d/demo*.conf
    apt-get remove -y -qq $package
    test ! -e /etc/nginx/modules-enabled/50-mod-http-open-responses.conf
    nginx -t -q" >>"$dir/user.log" 2>&1 || fail "see $dir/user.log"

cp "$dir/build/root/$package"_*.deb "$out/"
rm -rf "$dir"
ls "$out/$package"_*.deb
