#!/usr/bin/perl

# The table of the rooms, for two small trees with known figures.

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use Test::More;

use lib dirname(__FILE__);
use House qw(blanked functions);

my $house = abs_path(dirname(__FILE__)) . '/house.pl';


sub tree {
    my (%files) = @_;

    my $dir = tempdir('a b XXXX', TMPDIR => 1, CLEANUP => 1);

    for my $file (keys %files) {
        make_path(dirname("$dir/$file"));
        open(my $out, '>', "$dir/$file") or die "$file: $!";
        print $out $files{$file};
        close($out);
    }

    return $dir;
}


# the rows of a table by room

sub rows {
    my (@options) = @_;

    my $out = `$^X '$house' @options 2>&1`;

    is($? >> 8, 0, "exit code: @options") or diag($out);

    return (map({ my ($room, @row) = split(/ {2,}/, $_);
                  ($room => "@row") }
                split(/\n/, $out)), text => $out);
}


# a function with a body of so many lines

sub f {
    my ($name, $lines, $what) = @_;

    return "int\n$name(void)\n{\n" . "    x();\n" x ($lines - 1)
           . '    ' . ($what // 'x()') . ";\n}\n";
}


my $text = <<'END';

/* int not(void) */
static int ngx_ors_a(int a,
    int b);
struct x {
    int  a;
};


static int
ngx_ors_a(int a,
    int b)
{
    if (a) {
        return '}';
    }

    return 1;
}


#define M(x)  { x }

ngx_int_t ngx_ors_b(void)
{
}


static int  list[] = {
    1,
};
END

is(join(' ', map { $_->{name} . ($_->{static} ? ' static ' : ' ')
                   . $_->{lines} } functions(blanked($text, 1))),
   'ngx_ors_a static 5 ngx_ors_b 0', 'functions');

is(blanked("a /* b\n*/ \"/*\" 'c'\n", 0), "a     \n   \"/*\" 'c'\n",
   'without comments');
is(blanked("a /* b\n*/ \"/*\" 'c'\n", 1), "a     \n" . ' ' x 11 . "\n",
   'without comments and strings');

# "base" has a cycle of calls, "json" one of headers, "wire" static functions
# of one name, and none

my $old = tree(
    'src/ngx_http_open_responses_module.c' => "\n/* a\n\n */\n" . f('m', 3),
    'src/base/ngx_ors_a.c' => f('ngx_ors_a', 1, 'ngx_ors_b()'),
    'src/base/ngx_ors_b.c' => f('ngx_ors_b', 2, 'ngx_ors_c()'),
    'src/base/ngx_ors_c.c' => f('ngx_ors_c', 3, 'ngx_ors_a()')
                              . f('ngx_ors_c2', 40),
    'src/base/ngx_ors_d.c' => "/* ngx_ors_c() */\n"
                              . f('ngx_ors_d', 4, 'ngx_ors_a()'),
    'src/json/ngx_ors_j.h' => "#include <ngx_ors_k.h>\n",
    'src/json/ngx_ors_k.h' => "int  a;\n",
    'src/json/ngx_ors_k.c' => "#include \"ngx_ors_k.h\"\n"
                              . "#include <ngx_ors_j.h>\n",
    'src/wire/ngx_ors_v.c' => "static " . f('same', 1, 'ngx_ors_w()'),
    'src/wire/ngx_ors_w.c' => f('ngx_ors_w', 1, 'same()') . "static "
                              . f('same', 1),
);

my %row = rows("--root='$old'");

is($row{room}, 'files lines file code functions median p95 max includes calls',
   'columns');
is($row{'(module)'}, '1 11 11 7 1 3 3 3 0 0', 'module file');
is($row{base}, '4 71 6 70 5 3 40 40 0 3', 'a cycle of calls');
is($row{json}, '3 4 1 4 0 0 0 0 2 0', 'a cycle of headers');
is($row{wire}, '2 15 5 15 3 1 1 1 0 0', 'static functions of one name');
is($row{all}, '10 101 5 96 9 2 40 40 2 3', 'sum');

%row = rows("--root='$old'", '--files');

like($row{text}, qr/^base, calls: ngx_ors_a ngx_ors_b ngx_ors_c$/m,
     'names of calls');
like($row{text}, qr/^json, includes: ngx_ors_j ngx_ors_k$/m,
     'names of includes');

my $new = tree('src/base/ngx_ors_a.c' => f('ngx_ors_a', 1),
               'src/seal/ngx_ors_s.c' => f('ngx_ors_s', 2));

%row = rows("--root='$new'", "--base='$old'");

is($row{base}, join(' ', '4 > 1 71 > 5 6 > 5 70 > 5 5 > 1 3 > 1 40 > 1 40 > 1',
                    '0 > 0 3 > 0'), 'two trees');
is($row{seal}, join(' ', map { "- > $_" } 1, 6, 6, 6, 1, 2, 2, 2, 0, 0),
   'a room that is new');
is($row{json}, join(' ', map { "$_ > -" } 3, 4, 1, 4, 0, 0, 0, 0, 2, 0),
   'a room that is gone');

my $empty = tree(a => '');

like(`$^X '$house' --root='$empty' 2>&1`, qr/no sources in/, 'no tree');
isnt($? >> 8, 0, 'no tree: exit code');

done_testing();
