#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The JSON Schema Test Suite, draft 2020-12, with the room src/jsonschema.
# Every case has its verdict, or is of a group that is left out below, with
# the reason; a case of such a group may be "refused" or "busy" (no verdict),
# a wrong verdict is let pass only where the reason says so.

use v5.36;
use Test::More;
use File::Basename qw( basename dirname );
use lib 't/lib';
use ORS::Nginx ();

use constant {
    REMOTE => 'refers to another document',
    META => 'has a meta-schema of its own',
    SPACE => 'wrong: \s is ASCII only',
    NAMES => 'libpcre2 does not know long names of Unicode categories',
    LARGE => 'jansson cannot carry the file: integers beyond 64 bits',
};

my $ROOT = $ORS::Nginx::ROOT;
my $MODULE = $ENV{TEST_NGINX_MODULE} // "$ROOT/build/module";
my $UNIT = $ENV{TEST_UNIT_DIR} // dirname($MODULE) . '/unit';
my $SUITE = "$ROOT/t/sdk/suite/tests/draft2020-12";

# "file" or "file: group"

my %left_out = (
    'defs.json: validate definition against metaschema' => REMOTE,
    'ref.json: remote ref, containing refs itself' => REMOTE,
    'refRemote.json' => REMOTE,
    'vocabulary.json' => META,
    (map { ("dynamicRef.json: $_" => REMOTE) }
     'strict-tree schema, guards against misspelled properties',
     'tests for implementation dynamic anchor and reference link',
     '$ref and $dynamicAnchor are independent of order - $defs first',
     '$ref and $dynamicAnchor are independent of order - $ref first',
     '$ref to $dynamicRef finds detached $dynamicAnchor'),

    # optional files

    'bignum.json' => LARGE,
    'cross-draft.json' => REMOTE,
    'format-assertion.json' => META,
    'ecmascript-regex.json: ECMA 262 \s matches whitespace' => SPACE,
    'ecmascript-regex.json: ECMA 262 \S matches everything but whitespace'
        => SPACE,
    (map { ("ecmascript-regex.json: $_" => NAMES) }
     'patterns always use unicode semantics with pattern',
     'patterns always use unicode semantics with patternProperties',
     'pattern with non-ASCII digits',
     'patternProperties with non-ASCII digits'),
);

my @files = (glob("$SUITE/*.json"), glob("$SUITE/optional/*.json"));

die "$SUITE is missing, run: make deps-test\n" unless @files;

# optional/format asserts formats, which are annotations here

open(my $out, '-|', "$UNIT/jsonschema_suite", @files)
    or die "jsonschema_suite: $!\n";

my (%passed, %lost, @failed, %used);

while (my $line = <$out>) {
    chomp $line;

    my ($verdict, $file, $group, $case, $text) = split /\t/, $line, 5;
    my ($key) = grep { exists $left_out{$_} } "$file: $group", $file;
    my $why = $key ? $left_out{$key} : '';

    if ($verdict eq 'ok') {
        $passed{$file}++;
        next;
    }

    $used{$key}++ if $key;

    if ($key && ($verdict ne 'wrong' || $why =~ /^wrong/)) {
        $lost{$key}++;
        next;
    }

    push @failed, "$verdict: $file: $group: $case: $text";
}

ok(close $out, 'the program ends well');
is("@failed", '', 'every case has its verdict') or diag(join "\n", @failed);

# a file that nothing is left out of

my %partly = map { (s/:.*//r => 1) } keys %left_out;

ok($passed{$_}, "$_ passes") for grep { !$partly{$_} } map { basename($_) }
                                                       @files;

is(join(', ', grep { !$used{$_} } sort keys %left_out), '',
   'nothing is left out that passes');

my ($passed, $lost) = (0, 0);

$passed += $_ for values %passed;
$lost += $_ for values %lost;

note("$lost{$_} left out: $_: $left_out{$_}") for sort keys %lost;
diag("JSON Schema Test Suite: $passed passed, $lost left out");

done_testing();
