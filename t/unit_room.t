#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The program of a room of unit tests: a file that crashes, that ends too early
# or whose process fails is a failed test, and the files after it run.

use v5.36;

use Test::More;
use File::Basename qw( dirname );
use File::Temp qw( tempdir );
use FindBin;

my $root = "$FindBin::Bin/..";
my $module = $ENV{TEST_NGINX_MODULE} // "$root/build/x";
my $tree = dirname($module) . '/tree';
my $cc = $ENV{CC} // 'cc';

plan skip_all => "no $tree, see \"make\"" if !-f "$tree/objs/ngx_auto_config.h";
plan skip_all => "no $cc" if system("command -v $cc >/dev/null 2>&1") != 0;

my $dir = tempdir(CLEANUP => 1);

write_file('tests.c', <<'C');
#include <ngx_ors_test.h>

int good_test(void) { ok(1, "good"); return done_testing(); }
int crash_test(void) { abort(); }
int early_test(void) { exit(0); }
int bad_test(void) { ok(0, "bad"); return done_testing(); }
int status_test(void) { (void) done_testing(); exit(99); }
int skip_test(void) { skip_all("nothing here"); return 1; }
int last_test(void) { ok(1, "last"); return done_testing(); }
C

write_file('files.h', join '', map { "UNIT_TEST(${_}_test)\n" }
                               qw( good crash early bad status skip last ));

my @incs = map { "-I$_" } "$tree/objs", "$root/t/unit",
           map { "$tree/src/$_" } qw( core event event/modules event/quic
                                     os/unix );

my $built = system($cc, '-w', @incs, "-DUNIT_FILES=\"$dir/files.h\"",
                   '-o', "$dir/room", "$dir/tests.c",
                   "$root/t/unit/room_main.c",
                   map { "$root/t/unit/ngx_ors_test$_.c" }
                   '', '_core', '_string');

is($built, 0, 'a room is built');

my $out = room();

isnt($?, 0, 'a room with failed tests has failed');
like($out, qr/^ok 1 - good$/m, 'a file passes');
like($out, qr/^not ok \d+ - crash_test was ended by signal 6$/m, 'a crash');
like($out, qr/^not ok \d+ - early_test has ended without done_testing/m,
     'an end in the middle');
like($out, qr/^not ok \d+ - bad$/m, 'a test that fails');
unlike($out, qr/- bad_test /, 'is one failure, not two');
like($out, qr/^not ok \d+ - status_test has ended with status 99$/m,
     'what a sanitizer says at the end');
like($out, qr/^ok \d+ # SKIP nothing here$/m, 'a file is skipped');
like($out, qr/^ok \d+ - last$/m, 'the last file runs');

my @numbers = $out =~ /^(?:not )?ok (\d+)/mg;

is_deeply(\@numbers, [ 1 .. @numbers ], 'numbers go on from file to file');
like($out, qr/^1\.\.${\scalar @numbers}$/m, 'the plan has all of them');

$out = room('good', 'last');

is($?, 0, 'files that pass alone');
is_deeply([ $out =~ /^# (\w+)$/mg ], [ qw( good_test last_test ) ],
          'are chosen by parts of their names');

done_testing();


sub room (@parts) {
    return qx($dir/room @parts 2>/dev/null);
}


sub write_file ($name, $text) {
    open(my $fh, '>', "$dir/$name") or die "$dir/$name: $!\n";
    print $fh $text;
    close($fh);
}
