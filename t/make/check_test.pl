#!/usr/bin/perl

# Each house rule can fail: a small tree without findings, then the same
# tree with one mistake at a time.

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Path qw(make_path remove_tree);
use File::Temp qw(tempdir);
use Test::More;

my $check = abs_path(dirname(__FILE__)) . '/check.pl';
my $bare = "\n/*\n * Copyright (C) Open Responses contributors\n */\n";
my $head = "\n/* A part that a test needs. */\n";
my $copyright = "$bare$head";
my $chapter = "\n/*\n" . " * a line\n" x 200 . " */\n";
my $todo = 'TO' . 'DO';

my %good = (
    'src/base/ngx_ors_a.h' => "$head\nint ngx_ors_a(void);\n",
    'src/base/ngx_ors_a.c' => "$copyright\n\n#include <ngx_ors_a.h>\n\n"
        . "$chapter\n\n"
        . "int\nngx_ors_a(void)\n{\n    return 1;\n}\n\n\n"
        . "static int\nngx_ors_b(void)\n{\n    return 1;\n}\n",
    'src/json/ngx_ors_j.h' => "$head\n#include <ngx_ors_a.h>\n",
    'src/wire/ngx_ors_w.h' => "$head\n#include <ngx_ors_a.h>\n",
    'src/turn/ngx_ors_t.h' => "$head\n#include <ngx_ors_j.h>\n"
        . "#include <ngx_ors_w.h>\n",
    'src/http/ngx_http_ors_h.h' => "$head\n#include <ngx_http.h>\n"
        . "#include <ngx_ors_t.h>\n",
    'src/ngx_http_open_responses_module.c' => "$copyright\n"
        . "#include <ngx_http.h>\n#include <ngx_http_ors_h.h>\n"
        . "#include <ngx_ors_t.h>\n\n"
        . "/* http://a.test/ */\n"
        . "static ngx_command_t  a[] = {\n\n"
        . "    { ngx_string(\"open_responses_x\"),\n"
        . "      NGX_HTTP_LOC_CONF },\n};\n\n"
        . "static ngx_http_variable_t  v[] = {\n\n"
        . "    { ngx_string(\"open_responses_v\"), NULL, 0 },\n};\n\n"
        . "static ngx_str_t  b = ngx_string(\"http://a.test/\");\n",
    'README.md' => "[x](docs/directives.md#open_responses_x)\n",
    'docs/directives.md' => "# A b, c\n\n## open_responses_x\n\n"
        . "| `\$open_responses_v` | [one](#a-b-c) |\n",
    'Makefile' => "help:\n\t\@echo help\n",
    't/make/a.sh' => "#!/bin/sh\n\n# Does nothing at all.\n\ntrue\n",
    't/make/a.mk' => "a = b\n",
    't/make/h.c' => "$copyright\n#include <ngx_http_ors_h.h>\n",
    'docs/architecture.md' => join('', map({ "* `src/$_/`: what is in it\n" }
                                           qw(base json wire turn http)),
                                   map({ "* `t/$_/`: for the tests\n" }
                                       qw(make lib data data/edges)),
                                   "\n**D1. One.** Two\n"),
    'docs/protocol-notes.md' => "### 10.3. Order\n\n| R1 | one |\n"
        . "| C2 | two |\n| E3 | three |\n",
    't/data/edges/E3.txt' => "three\n",
    't/lib/A.pm' => "package A;\n\n# Copyright (C) A\n#\n# A module without"
        . " code.\n\n1;\n",
);


sub tree {
    my (%files) = @_;

    my $dir = tempdir(CLEANUP => 1);

    if (!exists $files{config}) {
        my @list = map { "    \$ngx_addon_dir/$_ \\\n" } sort keys %files;
        my %room = map { m!^(src/\w+)/! ? ($1 => 1) : () } keys %files;

        $files{config} = join('', "a=\" \\\n", grep({ m!/src/! } @list),
                              map({ "    \$ngx_addon_dir/$_ \\\n" }
                                  sort keys %room), "    \"\n");
    }

    for my $file (keys %files) {
        make_path(dirname("$dir/$file"));
        open(my $out, '>', "$dir/$file") or die "$file: $!";
        print $out $files{$file};
        close($out);
    }

    return $dir;
}


sub findings {
    my ($change, @options) = @_;

    my $dir = tree(%good, %$change);
    my $out = `$^X '$check' --root='$dir' @options 2>&1`;
    my $rc = $? >> 8;

    remove_tree($dir);

    return ($rc, $out);
}


sub fails {
    my ($name, $pattern, $change, @options) = @_;

    my ($rc, $out) = findings($change, @options);

    ok($rc == 1 && $out =~ /^$pattern/m, $name) or diag($out);
    unlike($out, qr/no findings/, "$name, summary");
}


# a file of a room, with text after what such a file must have

sub source {
    my ($file, $text) = @_;

    return { $file => ($good{$file} // $copyright) . $text };
}


my $c = 'src/base/ngx_ors_a.c';
my $h = 'src/base/ngx_ors_a.h';
my ($rc, $out) = findings({});

is($rc, 0, 'a tree without findings');
is($out, "check: 13 files, no findings\n", 'and its summary');

fails('columns', qr/\Q$c\E:\d+: 81 columns/, source($c, 'x' x 81 . "\n"));
fails('tab', qr/\Q$c\E:\d+: tab/, source($c, "\tx\n"));
fails('blanks', qr/\Q$c\E:\d+: blanks/, source($c, "x \n"));
fails('no newline', qr/\Q$c\E:\d+: must end/, source($c, 'x'));
fails('blank line at the end', qr/\Q$c\E:\d+: must end/, source($c, "\n"));
fails('lines', qr/\Q$c\E: 1\d+ lines/, source($c, "x\n" x 1500));
fails('reason', qr/\Q$c\E:\d+: $todo/, source($c, "/* $todo later */\n"));
fails('copyright', qr/\Q$c\E:1: must begin/, { $c => "\nint  i;\n" });
fails('no first comment', qr!\Q$c\E:1: the first comment!,
      { $c => "$bare\n\nint  i;\n" });
fails('a first comment later', qr!\Q$c\E:1: the first comment!,
      { $c => "$bare\n\nint  i;\n$head\n" });
fails('a first comment of two words',
      qr!\Q$h\E:1: the first comment!,
      { $h => "\n/* Some words. */\n" });
fails('a first comment that is no sentence',
      qr!\Q$h\E:1: the first comment!,
      { $h => "\n/* what a test needs here */\n" });
fails('no first comment in Perl', qr!t/a.t:1: the first comment!,
      { 't/a.t' => "#!/usr/bin/perl\n\n# Copyright (C) A\n\nuse v5.36;\n" });
fails('no first comment in a module', qr!t/lib/A.pm:1: the first comment!,
      { 't/lib/A.pm' => "package A;\n\n1;\n" });
fails('no first comment in a script',
      qr!t/make/a.sh:1: the first comment!,
      { 't/make/a.sh' => "#!/bin/sh\n\ntrue\n" });

fails('comment', qr!\Q$c\E:\d+: a // !, source($c, "int  i; // x\n"));
fails('a comment without a subject', qr/\Q$c\E:\d+: a comment begins/,
      source($c, "int  i; /* what is kept */\n"));
fails('a comment without a subject in Perl', qr!t/a.t:\d+: a comment begins!,
      { 't/a.t' => "#!/usr/bin/perl\n\n# Copyright (C) A\n\n# A test.\n\n"
                   . "use v5.36;\n\n# what is kept\n\nf();\n" });
fails('dead code', qr/\Q$c\E:\d+: dead/, source($c, "# if 0\n#endif\n"));
fails('private configuration', qr/\Q$c\E:\d+: private/,
      source($c, "int  i = r->loc_conf[index];\n"));

fails('a field of a turn', qr/\Q$c\E:\d+: a field of a turn/,
      source($c, "int  i = f(ctx->turn->response.status |= 1);\n"));

fails('one blank line', qr/\Q$c\E:\d+: two blank/, source($c, "\nint  i;\n"));
fails('three blank lines', qr/\Q$c\E:\d+: more than/,
      source($c, "\n\n\nint  i;\n"));

fails('room above', qr/\Q$h\E:\d+: base must not know json/,
      source($h, "#include <ngx_ors_j.h>\n"));
fails('room beside', qr/\S+: wire must not know json/,
      source('src/wire/ngx_ors_w.h', "#include \"ngx_ors_j.h\"\n"));
fails('room beside, back', qr/\S+: json must not know wire/,
      source('src/json/ngx_ors_j.h', "#include <ngx_ors_w.h>\n"));
fails('turn and http', qr/\S+: turn must not know http/,
      source('src/turn/ngx_ors_t.h', "#include <ngx_http_ors_h.h>\n"));
fails('unknown room', qr/\S+: unknown room src\/attic/,
      { 'src/attic/ngx_ors_z.h' => "$head\n#include <ngx_ors_a.h>\n" });
fails('request', qr/\S+: ngx_http_request_t outside/,
      source('src/turn/ngx_ors_t.h', "ngx_http_request_t  *r;\n"));
fails('http header', qr/\S+: ngx_http.h in src\/turn/,
      source('src/turn/ngx_ors_t.h', "#include <ngx_http.h>\n"));
fails('jansson', qr/\S+: jansson.h in src\/http/,
      source('src/http/ngx_http_ors_h.h', "#include <jansson.h>\n"));

fails('not in config', qr/config: \Q$h\E is not listed/,
      { config => "\$ngx_addon_dir/$c\n" });
fails('gone', qr/config: src\/gone.c does not exist/,
      { config => "\$ngx_addon_dir/src/gone.c\n" });
fails('include path', qr/config: src\/base is not in/,
      { config => "\$ngx_addon_dir/$c\n" });

fails('file name', qr!\S+: the name must match!,
      { 'src/base/ngx_x.h' => "$head\n" . "int  i;\n" });
fails('same name', qr!\S+ngx_ors_a.h: the name of src/base/ngx_ors_a.h!,
      { 't/unit/ngx_ors_a.h' => "${head}int  i;\n" });

fails('directive', qr/\S+:\d+: docs\S+ has no entry for open_responses_y\n/,
      source('src/ngx_http_open_responses_module.c',
             "static ngx_command_t  c[] = {\n"
             . "    { ngx_string(\"open_responses_y\"), NGX_HTTP_LOC_CONF },\n"
             . "};\n"));
fails('variable', qr/\S+:\d+: docs\S+ has no entry for open_responses_w\n/,
      source('src/ngx_http_open_responses_module.c',
             "static ngx_http_variable_t  c[] = {\n"
             . "    { ngx_string(\"open_responses_w\"), NULL },\n};\n"));

my $reference = $good{'docs/directives.md'};

fails('longer directive', qr/\S+: docs\S+ has no entry for open_responses_x\n/,
      { 'docs/directives.md' => $reference =~ s/^## open\w+\K$/x/mr });
fails('a directive that is a variable', qr/\S+: docs\S+ has no entry for/,
      { 'docs/directives.md' => $reference =~ s/## (open\w+)/| `\$$1` |/r });
fails('no reference', qr/\S+: docs\S+ has no entry for open_responses_x/,
      { 'docs/directives.md' => "# A b, c\n" });
fails('a directive of nothing', qr/docs\S+: open_responses_z is not in the/,
      { 'docs/directives.md' => "$reference\n## open_responses_z\n" });
fails('a variable of nothing', qr/docs\S+: open_responses_z is not in the/,
      { 'docs/directives.md' => "$reference| `\$open_responses_z` | 1 |\n" });

for my $link ('docs/gone.md', 'docs/directives.md#gone', '#gone', 'gone',
              'http:/x')
{
    fails("a link to $link",
          qr/README.md:2: (?:the link to )?\S+ (?:leads|has)/,
          { 'README.md' => "a\n[b]($link)\n" });
}

for my $link ('docs/directives.md', 'docs/', 'docs/directives.md#a-b-c',
              'https://a.test/b#c', 'https://a.test')
{
    my ($rc, $out) = findings({ 'README.md' => "[b]($link)\n" });
    is($rc, 0, "a link to $link leads somewhere") or diag($out);
}

for my $code ('`[b](gone)`', "```\n[b](gone)\n```") {
    my ($rc) = findings({ 'README.md' => "$code\n" });
    is($rc, 0, 'code has no links');
}

fails('no purpose', qr!docs/architecture.md: no line says what src/base/ is!,
      { 'docs/architecture.md' => "* `src/json/`: what is in it\n" });
fails('a purpose of one word', qr!docs/architecture.md: .* src/base/ is for!,
      { 'docs/architecture.md' => $good{'docs/architecture.md'}
                                  =~ s!base/`: .*!base/`: base!r });
fails('no map', qr!docs/architecture.md: no line says what src/base/ is for!,
      { 'docs/architecture.md' => "none\n" });
fails('purpose of nothing', qr!docs/architecture.md: src/attic/ does not!,
      { 'docs/architecture.md' => $good{'docs/architecture.md'}
                                  . "* `src/attic/`: what was there\n" });

my $codes = "$head\n#define NGX_ORS_CODES(row) \\\n    row(lost, 404)\n";

fails('a code without a line', qr!docs/\S+: no line has lost of NGX_ORS_CODES!,
      { 'src/base/ngx_ors_error.h' => $codes,
        'docs/behaviour.md' => "| 400 | a | `lost` |\n" });
fails('a name of nothing', qr!docs/behaviour.md: gone is not in the book!,
      { 'src/base/ngx_ors_error.h' => $codes,
        'docs/behaviour.md' => "| 404 | a | `lost` |\n\n| parameter | b |\n"
                               . "| --- | --- |\n| `gone` | c |\n" });

for my $cite ('R1', '(C2)', 'E3', 'D1', 'R1 to R1', 'protocol, section 10.3',
              "protocol,\n * section 10.3", 'protocol, sections 10.3 and 10.3')
{
    my ($rc) = findings(source($c, "\n\n/* $cite */\n"));

    is($rc, 0, "it may cite $cite");
}

for my $cite ('R2', '(C1)', 'E2', 'E45', 'D2', 'R1 to R9') {
    my ($what) = reverse($cite =~ /\w\d+/g);

    fails("cites $cite", qr/\Q$c\E:\d+: $what is not in docs/,
          source($c, "\n\n/* $cite */\n"));
    fails("cites $cite in a string", qr/\Q$c\E:\d+: $what is not in docs/,
          source($c, "\n\nchar  *a = \"$cite\";\n"));
}

fails('a rule without cases', qr!docs/protocol-notes.md:6: E4 is not in!,
      { 'docs/protocol-notes.md' => $good{'docs/protocol-notes.md'}
                                    . "| E4 | four |\n" });
fails('a name in code', qr/\Q$c\E:\d+: R2 is not/,
      source($c, "\n\nint  R9;    /* R2 */\n"));
fails('cites in Perl', qr!t/lib/A.pm:\d+: R2 is not in docs/!,
      { 't/lib/A.pm' => $good{'t/lib/A.pm'} . "# see R2\n" });
fails('cites in a document', qr!README.md:2: R2 is not in docs/!,
      { 'README.md' => "`open_responses_x`\nR2\n" });

fails('another document', qr/\Q$c\E:\d+: a section of what is not here/,
      source($c, "\n\n/* spec, section 10.3 */\n"));
fails('no document', qr/\Q$c\E:\d+: a section of what is not here/,
      source($c, "\n\n/*\n * see section 10.3\n */\n"));
fails('no section', qr/\Q$c\E:\d+: section 10.4 is not in docs/,
      source($c, "\n\n/* protocol, section 10.4 */\n"));
fails('one of two sections', qr/\Q$c\E:\d+: section 9 is not in docs/,
      source($c, "\n\n/* protocol, sections 10.3\n * and 9 */\n"));
fails('a file that is not here', qr/\Q$c\E:\d+: style.md is not here/,
      source($c, "\n\n/* as style.md has it */\n"));

{
    my @names = map { "ngx_ors_c$_" } 1 .. 4;
    my %circle = map { my $n = $_; ("src/json/$names[$n].c" => "$copyright\n"
                     . "int\n$names[$n](void)\n{\n    return $names[$n - 1]();"
                     . "\n}\n") } 0 .. $#names;

    fails('a cycle of calls', qr!src/json: 4 files in a cycle of calls: !,
          \%circle);

    my %headers = map { my $n = $_; ("src/json/$names[$n].h" => "$head\n"
                      . "#include <$names[$n - 1].h>\n") } 0 .. $#names;

    fails('a cycle of headers', qr!src/json: 4 files in a cycle of inclu!,
          \%headers);
}

fails('a short file', qr/\Q$c\E: 8 lines, fewer than 200/,
      { $c => "$copyright\nint  i;\n" });
fails('a header of one file', qr!src/json/ngx_ors_k.h: a header of one file!,
      { 'src/json/ngx_ors_k.h' => "$head\nint  i;\n" });
fails('a room over its budget', qr!src/base: \d+ code lines, more than \d+!,
      source($c, "x\n" x 2760));

fails('shell', qr!t/make/a.sh: !,
      { 't/make/a.sh' => "# A shell script.\n\nif\n" });
fails('makefile', qr/Makefile: /, { Makefile => "help:\n    x\n" });

SKIP: {
    my $cc = $ENV{CC} // 'cc';
    my $tree = tempdir(CLEANUP => 1);

    make_path("$tree/objs/addon/base");
    system("echo 'int ngx_ors_a; static int b; int loose;'"
           . " | $cc -x c -c -o $tree/objs/addon/base/a.o - 2>/dev/null")
        and skip('no compiler', 4);

    fails('global', qr/a.o: loose is global/, {}, "--tree=$tree");

    system("echo 'int ngx_http_ors_a; static int b;'"
           . " | $cc -x c -c -o $tree/objs/addon/base/a.o - 2>/dev/null");

    ($rc) = findings({}, "--tree=$tree");
    is($rc, 0, 'our globals');

    fails('no objects', qr/\S+: no objects/, {}, "--tree=$tree/none");
}

SKIP: {
    system('command -v clang >/dev/null 2>&1') and skip('no clang', 2);

    # warnings of ours only: nginx's headers are not there

    fails('clang', qr/\Q$c\E:\d+: clang: .*never|\Q$c\E:\d+: clang: unused/,
          { $c => "$copyright\n\nstatic int  i;\n",
            'src/ngx_http_open_responses_module.c' => $copyright },
          '--clang=clang');
}

fails('clang is missing', qr/no-clang: not found/, {}, '--clang=no-clang');

done_testing();
