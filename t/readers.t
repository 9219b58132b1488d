#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# A request that passes means the same to the server: other readers of JSON read
# in it what this module reads, or they refuse it.
#
# A program for each reader takes bodies of POST responses, a line each in
# hexadecimal digits, and gives a line for each: "-", refused, or the members
# that are compared, of the request, its input items, their parts and its
# tools.  {name=value;} is an object, sXX a string in UTF-8, dXX a number as
# a double, [] an array, n, t and f are null, true and false; members of the
# protocol that are null are absent.  Lone surrogates are U+FFFD.
#
# The compiler of Go is large.  What its encoding/json answers is recorded: the
# digest of all bodies, the numbers of those that pass here and are refused
# there, what it reads of the first odd body, and a digest for each group of
# bodies that pass.  Where the compiler is installed it is asked, and
# ORS_RECORD=1 writes the record; that is needed when other bodies pass.

use v5.36;
use Test::More;
use Digest::MD5 qw( md5_hex );
use File::Basename qw( dirname );
use File::Temp qw( tempdir );
use lib 't/lib';
use ORS::JSON qw( json_encode );
use ORS::Nginx ();
use ORS::SDK qw( node );
use ORS::Util qw( slurp spew );

use constant {
    SEED => 20260424,
    MUTANTS => 24,           # of each body
    LARGEST => 12_000,       # bytes of a body that is mutated
    SHOWN => 10,             # differences
    GROUP => 250,            # bodies of a digest in the record
};

my $ROOT = $ORS::Nginx::ROOT;
my $MODULE = $ENV{TEST_NGINX_MODULE} // "$ROOT/build/module";
my $UNIT = $ENV{TEST_UNIT_DIR} // dirname($MODULE) . '/unit';
my $LEVELS = json_encode({
    request => [ (map { [ $_, undef ] } 'include'), [ 'input', 'item' ],
                 (map { [ $_, undef ] } qw( instructions max_output_tokens
                      metadata model previous_response_id stream
                      temperature tool_choice )), [ 'tools', 'tool' ],
                 [ 'top_p', undef ], [ 'truncation', undef ] ],
    item => [ [ 'arguments', undef ], [ 'call_id', undef ],
              [ 'content', 'part' ], map { [ $_, undef ] }
              qw( id name output role status summary type ) ],
    part => [ map { [ $_, undef ] } qw( detail file_id image_url text
                                        type ) ],
    tool => [ map { [ $_, undef ] } qw( description name parameters strict
                                        type ) ],
});

my $dir = tempdir(CLEANUP => 1);
my $python = "$ROOT/t/sdk/.venv/bin/python";
my @readers = (
    [ 'body-parser', node('body-parser'), "$ROOT/t/sdk/readers.mjs",
      $LEVELS ],
    map { [ $_, $python, "$ROOT/t/sdk/readers.py", $_, $LEVELS ] }
    qw( json orjson pydantic ));

my $RECORD = "$ROOT/t/data/readers_go.txt";
my $go = go_reader();

srand(SEED);


# undef where there is no compiler

sub go_reader () {
    my ($path) = grep { -x } map { "$_/go" } split(/:/, $ENV{PATH}),
                      '/usr/local/go/bin';

    return undef if !$path;

    local @ENV{qw( GO111MODULE GOTOOLCHAIN GOFLAGS )} = ('off', 'local', '');
    local $ENV{GOCACHE} = $ENV{GOCACHE} // "$UNIT/go";

    system($path, 'build', '-o', "$UNIT/reader_go", "$ROOT/t/diff/reader.go")
        == 0 or die "cannot build t/diff/reader.go\n";

    return "$UNIT/reader_go";
}


sub ask ($bodies, @command) {
    spew("$dir/in", join '', map { unpack('H*', $_) . "\n" } @$bodies);

    my $pid = fork // die "cannot fork: $!\n";

    if ($pid == 0) {
        open STDIN, '<', "$dir/in" or die "$!\n";
        open STDOUT, '>', "$dir/out" or die "$!\n";
        $ENV{PYTHONDONTWRITEBYTECODE} = 1;
        exec { $command[0] } @command or die "$command[0]: $!\n";
    }

    waitpid $pid, 0;
    die "@command[0 .. 1] failed: $?\n" if $?;

    return split /\n/, slurp("$dir/out");
}


# ---- bodies


my $rest = '"input":[{"type":"message","role":"user","content":"hi"}]';

sub in_model ($text) { return qq({"model":$text,$rest}) }
sub with_member ($text) { return qq({"model":"m",$rest,$text}) }

my @hand = (
    in_model('"m"'), '', ' ', '{}', '[]', 'null', '"x"', '5', 'true',

    # keys: exact, in other letters, in escapes; at any depth
    (map { (with_member($_), "{$_,\"model\":\"m\",$rest}") }
     '"model":"x"', '"MODEL":"x"', '"Model":"x"', '"m\u006fdel":"x"',
     '"\u004dODEL":"x"', '"Input":"x"', '"\u0130nput":"x"',
     '"in\u0070ut":"x"', qq("\xc5\xbftream":true), '"\u017ftream":true',
     '"STREAM":true', '"Temperature":1', '"Tools":[]', '"TOP_P":1',
     '"Metadata":{"a":"b"}', '"model\u0000":"x"', '"\u0000model":"x"',
     '"model ":"x"', qq("model\xe2\x80\xa8":"x"), '"\u2028":1',
     qq("\xef\xbb\xbfmodel":"x"), '"":1', '"__proto__":{"model":"x"}',
     '"constructor":{"prototype":{"model":"x"}}', '"prototype":1',
     '"toString":1', '"hasOwnProperty":"x"', '"model_config":{"a":1}',
     '"model_fields":1', '"\ud800":1', '"a":1,"a":2',
     '"metadata":{"a":"1","a":"2"}', '"metadata":{"A":"1","a":"2"}',
     '"metadata":{"__proto__":"1"}', '"metadata":{"\u0000":"1"}'),
    qq({"model":"m","input":[{"type":"message","role":"user","content":"a",)
    . '"Content":"b"}]}',
    '{"model":"m","input":[{"type":"message","role":"user","ROLE":"system",'
    . '"content":"a"}]}',
    '{"model":"m","input":[{"type":"message","role":"user","content":['
    . '{"type":"input_text","text":"a","TEXT":"b"}]}]}',
    '{"model":"m","input":[{"Type":"function_call","role":"user",'
    . '"content":"a"}]}',
    '{"model":"m","input":"","tools":[{"type":"function","name":"f",'
    . '"Name":"g","parameters":{"a":{"b":1,"b":2},"a":{"c":3}}}]}',

    # numbers
    (map { (with_member("\"temperature\":$_"),
            with_member("\"max_output_tokens\":$_"),
            with_member("\"x\":$_")) }
     qw( 1e400 -1e400 1e-400 12345678901234567890 -0 -0.0 0.1 1E2 1e+2 16.0
         0.10000000000000001 0.30000000000000004 9007199254740993 1.7e308
         2e308 16 "16" 0x10 010 +1 1. .5 1e NaN Infinity -Infinity 1_000
         123456789012345678901234567890.5 4.9e-324 2e-324 00 -01 - ),
     '1 2', '1,', '١'),

    # strings
    (map { in_model("\"$_\"") }
     '\ud800', '\udc00\ud800', '\ud83d\ude00', 'a\ud800b', '\u0000', '\x41',
     '\u00e9', '\u12', '\a', "\t", "\n", "\x7f", "\x00", "\x1f", '\/',
     "\xff", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
     "\xf0\x9f\x98\x80", "\xe2\x80\xa8", "\xef\xbf\xbe", "\xc3", '\u{41}'),
    in_model("'m'"), in_model('m'), in_model('"m'), in_model('"m""n"'),
    in_model('5'), in_model('null'), in_model('["m"]'), in_model('{}'),

    # in front of the text and after it
    (map { ($_ . in_model('"m"'), in_model('"m"') . $_) }
     ' ', "\t\r\n ", "\xef\xbb\xbf", "\x0b", "\x0c", "\xc2\xa0",
     "\xe2\x80\xa8", "\xe3\x80\x80", "\x00", 'x', '{}', ',', ']', '//x',
     '/**/', "\x1e", "#x\n", ")]}',\n"),
    in_model('"m"') x 2, '[' . in_model('"m"') . ']',
    in_model('"m"') =~ s/,/, \/\*x\*\/ /r, in_model('"m"') =~ s/\}\z/,}/r,
    in_model('"m"') =~ s/:/=/r, in_model('"m"') =~ s/,/;/r,
    in_model('"m"') =~ s/"/'/gr, in_model('"m"') =~ s/"model"/model/r,
    (map { join '', map { "\0$_" } split //, in_model('"m"') } 1),
    (map { join '', map { "$_\0" } split //, in_model('"m"') } 1),

    # types
    (map { with_member("\"stream\":$_") }
     qw( true false null 1 0 "true" "" {} [] TRUE True )),

    # depth
    (map { with_member('"metadata":null,"x":' . '[' x $_ . ']' x $_) }
     1, 10, 60, 70, 500, 2000, 20_000),
    (map { with_member('"x":' . '{"a":' x $_ . '1' . '}' x $_) }
     10, 60, 2000),
);


my @mutations = (
    sub ($b) { $b =~ s/"(\w+)":/'"' . ucfirst($1) . '":'/er },
    sub ($b) { nth($b, qr/"\w+":/, sub ($k) { uc $k }) },
    sub ($b) { nth($b, qr/"\w+":/, sub ($k) { $k =~ tr/sk/\x01\x02/r
                   =~ s/\x01/\xc5\xbf/gr =~ s/\x02/\xe2\x84\xaa/gr }) },
    sub ($b) { nth($b, qr/"\w+":/, sub ($k) { "$k\"x\"," . $k }) },
    sub ($b) { nth($b, qr/"\w+":/, sub ($k) { uc($k) . "\"x\",$k" }) },
    sub ($b) { nth($b, qr/"\w+":/, sub ($k) {
                   $k =~ s/(\w)/sprintf '\\u%04x', ord $1/er }) },
    sub ($b) { nth($b, qr/"\w+":/, sub ($k) {
                   $k =~ s/(\w)/sprintf '\\u%04x', ord $1/er
                   . "\"x\",$k" }) },
    sub ($b) { nth($b, qr/[:,]/, sub ($c) { $c . pick(
                   ' ', "\x0b", "\xc2\xa0", '/**/', "\xef\xbb\xbf") }) },
    sub ($b) { nth($b, qr/:\s*"[^"\\]*"/, sub ($v) { pick(
                   ':"\ud800"', ":\"\xff\"", ':"\u0000"', ":\"\x01\"",
                   ':1e400', ':NaN', ':null', ':[]', ':{}', ':-0',
                   ':12345678901234567890') }) },
    sub ($b) { nth($b, qr/\}/, sub ($c) { pick(
                   ',"__proto__":{"model":"x"}}', ',"\u2028":1}', ',}',
                   ',"":null}', ',"a":1,"A":2,"a":3}') }) },
    sub ($b) { substr($b, 0, rand length $b) },
    sub ($b) { my $p = rand length $b; substr($b, $p, 1) = ''; $b },
    sub ($b) { my $p = rand length $b; substr($b, $p, 1) = chr rand 256;
               $b },
);


sub pick (@list) { return $list[rand @list] }


# one of the matches, changed

sub nth ($text, $re, $change) {
    my $n = () = $text =~ /$re/g;
    my $i = int rand($n || 1);

    return $text =~ s/($re)/$i-- == 0 ? $change->($1) : $1/ger;
}


my @bodies = @hand;
my @seeds = grep { length $_ <= LARGEST }
            map { slurp($_) } sort glob "$ROOT/t/data/requests/*.json";

for my $body (@seeds) {
    push @bodies, $body, map { pick(@mutations)->($body) } 1 .. MUTANTS;
}


# ---- the comparison


my @ours = ask(\@bodies, "$UNIT/reader_walk");
my $taken = grep { $_ ne '-' } @ours;

is(scalar @ours, scalar @bodies, @bodies . ' bodies');
cmp_ok($taken, '>', @seeds, "$taken pass, " . (@bodies - $taken)
                            . ' are refused');
cmp_ok($taken, '<', @bodies - @seeds, 'and not too many');

sub compare ($name, $ours, $theirs) {
    my ($same, $refused, $shown) = (0, 0, 0);

    is(scalar @$theirs, scalar @bodies, "$name: all are answered");

    for my $i (grep { $ours->[$_] ne '-' } 0 .. $#bodies) {

        if ($theirs->[$i] eq $ours->[$i]) {
            $same++;

        } elsif ($theirs->[$i] eq '-') {
            $refused++;

        } elsif ($shown++ < SHOWN) {
            fail("$name reads another request");
            diag(substr($bodies[$i], 0, 400) =~ s/([^ -~])/
                     sprintf '\\x%02x', ord $1/gerx);
            diag('ours:   ' . substr $ours->[$i], 0, 400);
            diag('theirs: ' . substr $theirs->[$i], 0, 400);
        }
    }

    is($shown, 0, "$name: $same pass and mean the same, $refused are "
                  . 'refused there');
    cmp_ok($same, '>', 0.9 * $taken, "$name: most are read");
}


for my $reader (@readers) {
    my ($name, @command) = @$reader;

    compare($name, \@ours, [ ask(\@bodies, @command) ]);
}


# a reader that saw no difference would be of no use

my @odd = ('{"model":"a","MODEL":"b"}', '{"model":"a"}{"model":"b"}',
           "\xef\xbb\xbf{\"model\":\"a\"}", '{"temperature":NaN}',
           '{"model":"a","model":"b"}');
my %sees;

for my $reader (@readers) {
    my ($name, @command) = @$reader;
    $sees{$name} = [ ask(\@odd, @command) ];
}

is_deeply([ ask(\@odd, "$UNIT/reader_walk") ], [ ('-') x @odd ],
          'what readers differ in is refused');
is($sees{json}[3], '{temperature=d7ff8000000000000;}', 'Python reads NaN');
is($sees{'body-parser'}[4], '{model=s62;}', 'Node takes the last one');


# Go

my @all = (@bodies, @odd);
my @said = $go ? ask(\@all, $go) : ();


# the record of answers to bodies that pass

sub record ($first, @answers) {
    my @taken = grep { $ours[$_] ne '-' } 0 .. $#bodies;
    my @groups;

    push @{ $groups[$_ / GROUP] }, $answers[$_] for @taken;

    return join "\n", md5_hex(join ' ', map { unpack 'H*', $_ } @all),
           join(' ', grep { $answers[$_] eq '-' } @taken), $first,
           (map { md5_hex(join "\n", @{ $_ // [] }) } @groups), '';
}


spew($RECORD, record($said[@bodies], @said)) if $go && $ENV{ORS_RECORD};

my (undef, $refused, $first) = split /\n/, slurp($RECORD);
my @theirs = @ours;

$theirs[$_] = '-' for split / /, $refused;

is(record($first, @theirs), slurp($RECORD),
   'encoding/json: the record is of these bodies, and of what they mean here');
is($first, '{model=s62;}', 'encoding/json takes other letters');

if ($go) {
    is(record($said[@bodies], @said), slurp($RECORD),
       'encoding/json: the record is what Go says');
    compare('encoding/json', \@ours, [ @said[0 .. $#bodies] ]);
}

done_testing();
