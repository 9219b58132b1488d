#!/usr/bin/perl

# The house rules: a line for each finding, a summary at the end, exit code 1
# if there was one.
#
#   check.pl [--root=DIR] [--tree=DIR] [--clang=COMMAND]
#
# --tree is the directory nginx was configured in (without it the objects
# are not looked at), --clang a compiler for its warnings.

use strict;
use warnings;

use File::Basename qw(dirname);
use File::Find qw(find);
use Getopt::Long;

use lib dirname(__FILE__);
use Docs qw(links reference source_names);
use House qw(blanked code_lines content cycles);

# headers besides nginx's own that the files of a room may include

my %below = (
    base   => [],
    json   => [qw(base)],
    wire   => [qw(base)],
    stats  => [qw(json base)],
    seal   => [qw(base)],
    store  => [qw(seal wire base)],
    schema => [qw(json base)],
    jsonschema => [qw(base)],
    proto  => [qw(schema json wire base)],
    answer => [qw(proto schema json wire base)],
    chat   => [qw(answer proto schema seal json wire base)],
    tools  => [qw(json wire base)],
    turn   => [qw(tools chat answer proto jsonschema schema seal json wire
                  base)],
    session => [qw(turn tools chat answer proto jsonschema schema store seal
                   json wire base)],
    http   => [qw(session turn tools chat answer proto jsonschema schema store
                  seal stats json wire base)],
);

# a header of a library, and the rooms that know it

my %private = (
    'ngx_http.h' => qr/^(http)?$/,
    'jansson.h'  => qr/^jsonschema$/,
    'pcre2.h'    => qr/^jsonschema$/,
    'zlib.h'     => qr/^wire$/,
    'lmdb.h'     => qr/^store$/,
    'hiredis.h'  => qr/^store$/,
    'wslay.h'    => qr/^wire$/,
    'zstd.h'     => qr/^wire$/,
    'evp.h'      => qr/^seal$/,
    'hmac.h'     => qr/^seal$/,
    'rand.h'     => qr/^seal$/,
);

my $max_width = 80;
my $max_lines = 1000;

# a source file is a chapter; one that is shorter is named with its reason

my ($min_chapter, $max_chapter) = (200, 1500);

my %short = (
    'src/base/ngx_ors_id.c'             => 'identifiers and random bytes',
    'src/base/ngx_ors_keyfile.c'        => 'the only one that reads secrets',
    'src/base/ngx_ors_utf8.c'           => 'tests build it in other ways',
    'src/base/ngx_ors_utf8_valid.c'     => 'the same',
    'src/seal/ngx_ors_digest.c'         => 'libcrypto in another room',
    'src/store/ngx_ors_store_engines.c' => 'tests have engines of their own',
);

# Code lines that a room may have; a commit that raises a number says why.

my %budget = (
    ''         => 665,
    answer     => 4300,
    base       => 2770,     # with the rows of the book
    chat       => 6300,
    http       => 11200,     # for what schema does not need
    json       => 2300,
    jsonschema => 3350,
    proto      => 7550,
    schema     => 3400,
    seal       => 600,
    session    => 4050,
    stats      => 1950,     # with repairs by field
    store      => 5020,
    tools      => 3350,
    turn       => 6000,     # with what the others tell a turn
    wire       => 2150,
);

# files of a room that need each other in a circle; a file and its header are
# one

my %max_cycle = (includes => 2, calls => 2);

my $module = 'ngx_http_open_responses_module';
my $global = qr/^(?:ngx_ors_|ngx_http_ors_|ngx_http_open_responses
                    |ngx_modules$|ngx_module_names$|ngx_module_order$)/x;

my ($root, $tree, $clang) = ('.', '', '');
my ($findings, %room, @files) = (0);

GetOptions('root=s' => \$root, 'tree=s' => \$tree, 'clang=s' => \$clang)
    or exit 2;

# a pipe to prove or a test must see findings in order

$| = 1;

main();


sub main {
    if ($tree ne '' && $tree !~ m!^/!) {
        require Cwd;
        $tree = Cwd::getcwd() . "/$tree";
    }

    chdir($root) or die "$0: $root: $!\n";

    @files = files();

    for my $file (grep { m!^src/! } @files) {
        ($room{$file}) = $file =~ m!^src/(?:(.*)/)?[^/]+$!;
        $room{$file} //= '';
    }

    check_text($_) for @files;
    check_first($_) for grep { m!^(src|t)/! && !/\.mk$/ } @files;
    check_source($_) for sort keys %room;

    check_names();
    check_config();
    check_reference();
    check_docs();
    check_book();
    check_links($_) for documents();
    check_references($_) for grep { !m!^t/make/! } @files, documents();
    check_cycles();
    check_chapters();
    check_budgets();
    check_scripts();
    check_objects() if $tree ne '';
    check_clang() if $clang ne '';

    printf("check: %d files, %s\n", scalar @files,
           $findings == 0 ? 'no findings'
           : $findings == 1 ? '1 finding' : "$findings findings");

    exit($findings ? 1 : 0);
}


sub finding {
    my ($file, $line, $text) = @_;

    print($file, $line ? ":$line" : '', ": $text\n");
    $findings++;
}


# everything people write, without data and results

sub files {
    my @found;

    my $wanted = sub {
        if (-d && m!^t/data$|/(node_modules|__pycache__|\.?venv)$!) {
            $File::Find::prune = 1;
            return;
        }

        # a file given to find() comes as "./file"
        my $path = s!^\./!!r;

        push(@found, $path) if -f && !-l && is_text($path);
    };

    find({ wanted => $wanted, no_chdir => 1 },
         grep { -e } qw(.ci Makefile conf.d config src t));

    return sort @found;
}


sub is_text {
    my ($path) = @_;

    return 1 if $path =~ m!\.(c|h|pl|pm|t|sh|mk)$!;
    return 1 if $path =~ m!^(config|Makefile|\.ci/run)$!;
    return $path =~ m!^conf\.d/!;
}


sub lines {
    return split(/\n/, $_[0], -1);
}


# rules for every kind of file

sub check_text {
    my ($file) = @_;

    my $text = content($file);
    my @lines = lines($text);
    my $make = $file =~ m!(^|/)Makefile$|\.mk$!;

    pop(@lines) if @lines && $lines[-1] eq '';

    if ($text !~ /[^\n]\n\z/) {
        finding($file, scalar @lines, 'must end with one newline');
    }

    my $max = $file =~ m!^src/! ? $max_chapter : $max_lines;

    if (@lines > $max) {
        finding($file, 0, @lines . " lines, more than $max");
    }

    check_comments($file, $text);

    for my $n (1 .. @lines) {
        my $line = $lines[$n - 1];

        if (length($line) > $max_width && $line !~ m!^\W*https?://\S+$!) {
            finding($file, $n, length($line) . ' columns');
        }

        finding($file, $n, 'tab') if $line =~ /\t/ && !$make;
        finding($file, $n, 'blanks at the end') if $line =~ /[ \t\r]$/;

        # the words are taken apart here, or this file would be a finding
        if ($line =~ /\b(TO${\''}DO|FIX${\''}ME|XX${\''}X)\b(?!: \S+ \S+)/) {
            finding($file, $n, "$1 without a reason");
        }
    }
}


# a comment names its subject: "what is ..." has none

sub check_comments {
    my ($file, $text) = @_;

    my $head = $file =~ /\.[ch]$/ ? qr!/\*\s+(?:\*\s+)?what\b!i
                                 : qr!^(?\!\h*#\h*\S).*\n\K\h*#\h+what\b!im;

    while ($text =~ /$head/g) {
        place($file, $text, $-[0], 'a comment begins with "what"');
    }
}


# the first words of a file say what lives there

sub check_first {
    my ($file) = @_;

    my $first = first_comment($file, content($file));

    if ($first !~ /\w\W+\w+\W+\w/ || $first !~ /[.:?]$/) {
        finding($file, 1, 'the first comment must be a sentence that says'
                          . ' what lives here');
    }
}


# the first paragraph of the first comment, in one line, without a copyright

sub first_comment {
    my ($file, $text) = @_;

    my $mark = $file =~ /\.[ch]$/ ? qr/ \*/ : qr/#/;
    my $comment;

    if ($file =~ /\.[ch]$/) {
        $text =~ s!\A\s*/\*\n \* Copyright [^\n]*\n(?: \*\n)*(?: \*/\s*)?!!;
        $text =~ s!\A(?= \* )!/*\n!;
        ($comment) = $text =~ m!\A\s*/\*(.*?)\*/!s;

    } else {
        $text =~ s/\A#![^\n]*\n//;
        $text =~ s/\A\s*package \S+;\n//;
        $text =~ s/\A\s*# Copyright [^\n]*\n(?:#?\n)*//;
        ($comment) = $text =~ /\A\s*((?:#[^\n]*\n)+)/;
    }

    $comment //= '';
    $comment =~ s/^$mark//mg;

    my ($first) = $comment =~ /\A\s*(.*?)\s*(?:\n *\n|\z)/s;

    return $first =~ s/\s+/ /gr;
}


sub check_source {
    my ($file) = @_;

    my $text = content($file);
    my @bare = lines(blanked($text, 1));
    my @lines = lines(blanked($text, 0));

    if ($file =~ /\.c$/
        && $text !~ m!\A\n/\*\n \* Copyright \(C\) Open Responses !)
    {
        finding($file, 1, 'must begin with the copyright');
    }

    for my $n (1 .. @bare) {
        local $_ = $bare[$n - 1];

        finding($file, $n, 'a // comment') if m!//!;
        finding($file, $n, 'dead code, #if 0') if /^\s*#\s*if\s+0\b/;

        finding($file, $n, 'private configuration of another module')
            if /loc_conf\[(?!ngx_http_(?:core|open_responses)_module\b)/;

        if ($room{$file} !~ /^(http)?$/ && /\b(ngx_http_\w+)/) {
            finding($file, $n, "$1 outside of src/http");
        }

        finding($file, $n, 'a field of a turn is written outside of src/turn')
            if $room{$file} ne 'turn'
               && /\bturn->[\w.]+\s*(?:\+\+|--|[-+|&]?=(?!=))/;

        if ($lines[$n - 1] =~ /^\s*#\s*include\s*[<"]([^>"]+)[>"]/) {
            check_include($file, $n, $1);
        }
    }

    check_blank_lines($file, lines($text));
}


# arrows between rooms point down

sub check_include {
    my ($file, $n, $header) = @_;

    my $room = $room{$file};
    my ($target) = grep { m!(^|/)\Q$header\E$! } sort keys %room;

    if (my $rooms = $private{$header}) {
        if ($room !~ $rooms) {
            finding($file, $n, "$header in src/$room");
        }
    }

    return if $room eq '' || !defined $target || $room{$target} eq $room;

    if (!$below{$room}) {
        finding($file, $n, "unknown room src/$room, see check.pl");
        return;
    }

    if (!grep { $_ eq $room{$target} } @{$below{$room}}) {
        finding($file, $n, "$room must not know $room{$target} ($header)");
    }
}


sub check_blank_lines {
    my ($file, @lines) = @_;

    my $blank = 0;
    my $end = 0;

    pop(@lines) if @lines && $lines[-1] eq '';

    for my $n (1 .. @lines) {
        my $line = $lines[$n - 1];

        if ($line eq '') {
            $blank++;
            next;
        }

        finding($file, $n, 'more than two blank lines') if $blank > 2;

        # "}" in the first column ends a function

        if ($end && $blank != 2 && $line !~ /^#\s*(else|elif|endif)/) {
            finding($file, $n, 'two blank lines must follow a function');
        }

        $end = ($line eq '}');
        $blank = 0;
    }
}


# objects are named by folder and file, editors by file

sub check_names {
    my %seen;

    for my $file (grep { /\.(c|h)$/ } @files) {
        my ($name) = $file =~ m!([^/]+)$!;

        finding($file, 0, "the name of $seen{$name}") if $seen{$name};
        $seen{$name} //= $file;

        next unless exists $room{$file};

        my $want = $room{$file} eq '' ? qr/^ngx_http_open_responses_/
                   : $room{$file} eq 'http' ? qr/^ngx_http_ors[_.]/
                   : qr/^ngx_ors_/;

        finding($file, 0, "the name must match $want") if $name !~ $want;
    }
}


sub check_config {
    return unless -f 'config';

    my $text = content('config');
    my %listed = map { $_ => 1 } $text =~ m!\$ngx_addon_dir/(src/\S+\.[ch])!g;

    for my $file (sort keys %room) {
        next if delete $listed{$file};
        finding('config', 0, "$file is not listed, run \"make sources\"");
    }

    finding('config', 0, "$_ does not exist") for sort keys %listed;

    my %rooms = map { $_ => 1 } grep { $_ ne '' } values %room;

    for my $room (sort keys %rooms) {
        next if $text =~ m!\$ngx_addon_dir/src/\Q$room\E \\\n!;
        finding('config', 0, "src/$room is not in ngx_module_incs");
    }
}


# a directive or a variable without its entry is not finished, and an entry
# without it misleads

sub check_reference {
    my $docs = 'docs/directives.md';
    my $entries = reference(-f $docs ? content($docs) : '');
    my %seen;

    for my $file (grep { $room{$_} =~ /^(http)?$/ } sort keys %room) {
        my $rows = source_names(content($file));

        for my $kind (sort keys %$rows) {
            for my $row (@{ $rows->{$kind} }) {
                my ($name, $line) = @$row;

                $seen{$kind}{$name} = 1;
                next if $entries->{$kind}{$name};
                finding($file, $line, "$docs has no entry for $name");
            }
        }
    }

    for my $kind (sort keys %$entries) {
        finding($docs, 0, "$_ is not in the source")
            for grep { !$seen{$kind}{$_} } sort keys %{ $entries->{$kind} };
    }
}


sub check_links {
    my ($file) = @_;

    my $text = content($file);

    place($file, $text, @$_) for links($file, $text);
}


# a directory says at the head of docs/architecture.md what it is for

sub check_docs {
    my $map = 'docs/architecture.md';
    my $text = -f $map ? content($map) : '';
    my %listed = map { $_ => 1 }
                 $text =~ m!^\W*`((?:src|t)/[^`]*/)`[^\w\n]+\w+[^\w\n]+\w+!mg;

    for my $dir (directories()) {
        next if delete $listed{$dir};
        finding($map, 0, "no line says what $dir is for");
    }

    finding($map, 0, "$_ does not exist") for grep { !-d } sort keys %listed;
}


# a name of the protocol has a line in docs/behaviour.md, a code with its
# status, and the rows of tables there begin with a name of the protocol

sub check_book {
    my $docs = 'docs/behaviour.md';
    my $text = -f $docs ? content($docs) : '';
    my $book = join('', map { content($_) } grep { -f }
                    map { "src/base/ngx_ors_$_.h" } qw(book error));
    my %known;

    while ($book =~ /^\#define\ NGX_ORS_(ITEMS_\w+|HOSTED_TYPES|REQUEST_\w+
                     |CHAT_OPTIONALS|CODES)\(row\)(.*?[^\\])$/msgx)
    {
        my ($list, $rows) = ($1, $2);

        while ($rows =~ /\brow\((\w+)(?:, (\d{3}))?/g) {
            my ($name, $status) = ($1, $2);
            my $line = $status ? "^\\| (?:$status|other \\dxx) \\|.*" : '';

            $known{$name} = 1;
            finding($docs, 0, "no line has $name of NGX_ORS_$list")
                if $text !~ /$line`$name`/m;
        }
    }

    return if $book eq '';

    while ($text =~ /^\| (?:parameter|input item) \|.*\n((?:^\|.*\n)*)/mg) {
        finding($docs, 0, "$_ is not in the book")
            for grep { !$known{$_} } $1 =~ /^\| `(\w+)`/mg;
    }
}


sub directories {
    my %dirs = map { m!^((?:src|t)/(?:.*/)?)! ? ($1 => 1) : () } @files;

    delete $dirs{'t/'};
    delete $dirs{'src/'};

    return sort(keys %dirs, grep { -d } map { "$_/" } glob('t/data t/data/*'));
}


sub documents {
    return grep { -f } glob('*.md docs/*.md');
}


# numbers of rules and sections lead to docs/, and nothing else is cited

sub check_references {
    my ($file) = @_;

    my $text = content($file);

    $text = prose($text) if $file =~ /\.[ch]$/;

    while ($text =~ /\b([RCED]\d+)\b/g) {
        my $what = $1;
        next if defined(defined_numbers()->{$what});
        place($file, $text, $-[0], "$what is not in docs/");
    }

    while ($text =~ /\b(?<!protocol,\ )(?<!protocol,\n)(?<!protocol,\n\ \*\ )
                     sections?[\s*#]+(?=\d)/xg)
    {
        place($file, $text, $-[0], 'a section of what is not here');
    }

    while ($text =~ /\bprotocol,[\s*#]+sections?[\s*#]+(\d[\d., and*to\n]*)/g) {
        my ($list, $at) = ($1, $-[0]);

        for my $n ($list =~ /\d+(?:\.\d+)*/g) {
            next if defined_numbers()->{$n};
            place($file, $text, $at, "section $n is not in docs/");
        }
    }

    while ($text =~ m{(?<![\w\$./-])([a-z][\w-]*[.]md)\b}g) {
        my ($what, $at) = ($1, $-[0]);

        next if -f $what || -f "docs/$what";
        place($file, $text, $at, "$what is not here");
    }
}


my %numbers;

sub defined_numbers {
    return \%numbers if %numbers;

    my ($rules, $map) = map { -f "docs/$_.md" ? content("docs/$_.md") : '' }
                        qw(protocol-notes architecture);

    $numbers{none} = 1;
    $numbers{$_} = 1 for $rules =~ /^\| ([RC]\d+) \|/mg,
                         $rules =~ /^#+ ([\d.]*\d)\. /mg,
                         $map =~ /^\*\*(D\d+)\./mg;

    # a rule of the translation has its cases, too

    for my $rule ($rules =~ /^\| (E\d+) \|/mg) {
        $numbers{$rule} = 1 if -f "t/data/edges/$rule.txt";
    }

    return \%numbers;
}


# comments and strings of C; the rest of the text is blank

sub prose {
    my ($text) = @_;

    my @code = split(//, blanked($text, 1));
    my @text = split(//, $text);

    return join('', map { $code[$_] eq $text[$_] && $text[$_] ne "\n"
                          ? ' ' : $text[$_] } 0 .. $#text);
}


sub place {
    my ($file, $text, $at, $what) = @_;

    finding($file, 1 + (substr($text, 0, $at) =~ tr/\n//), $what);
}


# a room is a tree, or nearly so

sub check_cycles {
    my %code;

    for my $file (grep { $room{$_} ne '' } keys %room) {
        my $text = content($file);

        $code{$room{$file}}[0]{$file} = blanked($text, 1);
        $code{$room{$file}}[1]{$file} = blanked($text, 0);
    }

    for my $room (sort keys %code) {
        my %cycle;

        @cycle{qw(includes calls)} = cycles(@{$code{$room}});

        for my $how (sort keys %cycle) {
            my @files = @{$cycle{$how}};

            next if @files <= $max_cycle{$how};
            finding("src/$room", 0, @files . " files in a cycle of $how:"
                                    . " @files");
        }
    }
}


# a header is what several files share

sub check_chapters {
    my %users;

    # a header's includes count for all of its files; a template is no header

    for my $file (grep { /\.[ch]$/ } @files) {
        for my $name (content($file) =~ /^#include <(\w+\.h)>/mg) {
            $users{$name} += $file =~ /\.h$/ || $name =~ /_block\.h$/ ? 2 : 1;
        }
    }

    for my $file (sort grep { $room{$_} ne '' } keys %room) {
        my ($name) = $file =~ m!([^/]+)$!;

        if ($name =~ /\.h$/) {
            finding($file, 0, 'a header of one file')
                if ($users{$name} // 0) < 2;
            next;
        }

        my $lines = content($file) =~ tr/\n//;

        finding($file, 0, "$lines lines, fewer than $min_chapter")
            if $lines < $min_chapter && !$short{$file};
    }
}


sub check_budgets {
    my %code;

    $code{$room{$_}} += code_lines(blanked(content($_), 0)) for keys %room;

    for my $room (sort keys %code) {
        my $name = $room eq '' ? 'src' : "src/$room";

        finding($name, 0, "$code{$room} code lines, more than $budget{$room}")
            if $code{$room} > ($budget{$room} // 0);
    }
}


sub check_scripts {
    for my $file (@files) {
        next unless $file =~ /\.sh$/ || $file =~ m!^(\.ci/run|config)$!;

        my $shell = content($file) =~ m!^#\!.*\bbash! ? 'bash' : 'sh';
        my $out = `$shell -n '$file' 2>&1`;

        finding($file, 0, (lines($out))[0] // 'bad syntax') if $?;
    }

    if (-f 'Makefile') {
        my $out = `make -n help 2>&1`;
        finding('Makefile', 0, (lines($out))[0] // 'bad syntax') if $?;
    }
}


# modules share one space of symbols with nginx and each other

sub check_objects {
    my @objects = glob("$tree/objs/addon/*/*.o");
    my $list = "$tree/objs/${module}_modules.o";

    push(@objects, $list) if -f $list;

    if (!@objects) {
        finding($tree, 0, 'no objects, run "make"');
        return;
    }

    my $command = join(' ', map { "'$_'" } @objects);

    for (`nm -A -g --defined-only $command 2>&1`) {
        next unless m!([^/]+\.o):[0-9a-f]* [A-Z] (\S+)$! && $2 !~ $global;
        finding($1, 0, "$2 is global, it lacks \"static\" or our prefix");
    }
}


# the second compiler warns of other things

sub check_clang {
    my @sources = grep { /\.c$/ } sort keys %room;

    return unless @sources;

    if (system("command -v $clang >/dev/null 2>&1") != 0) {
        finding($clang, 0, 'not found, run: apt-get install clang');
        return;
    }

    my @incs = map { "-I$tree/$_" }
               qw(objs src/core src/event src/event/modules src/event/quic
                  src/os/unix src/http src/http/modules src/http/v2
                  src/http/v3);

    my %rooms = map { m!(.*)/! => 1 } keys %room;

    my @command = ($clang, qw(-fsyntax-only -Wall -Wextra
                              -Wno-unused-parameter -fno-caret-diagnostics
                              -fno-color-diagnostics),
                   @incs, map { "-I$_" } sort keys %rooms);

    my $failed = 0;
    my @pipes;

    # two halves at a time: there are two cores at least

    for my $half (0, 1) {
        my @half = @sources[grep { $_ % 2 == $half } 0 .. $#sources];

        next unless @half;

        my $line = join(' ', map { "'$_'" } @command, @half);
        open(my $pipe, '-|', "$line 2>&1") or die "$0: $clang: $!\n";
        push(@pipes, $pipe);
    }

    for my $pipe (@pipes) {
        my @out = <$pipe>;

        for (@out) {
            next unless m!^(\S+?):(\d+):\d+: ((?:fatal )?error|warning): (.*)!;
            finding($1, $2, "clang: $4");
            $failed = 1;
        }

        if (!close($pipe) && !$failed) {
            finding($clang, 0, $out[0] // 'failed');
        }
    }
}
