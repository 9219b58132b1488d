#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# E55: one stream of a model in all the forms that it may come in, in packets of
# several sizes, and events of any size.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Adapter;
use ORS::JSON qw( json_encode );
use ORS::Model qw( :all );
use ORS::Stream qw( stream_ok response_ok );

# bytes of a packet; t/unit/wire/sse_test.c splits at each byte
my @SPLITS = (1, 2, 3, 7, 16, 40);

my %scripts;


# the bytes of a stream as they are, to the end of the connection

sub bytes ($text, @steps) {
    return [ sse_head(), [ framing => 'close' ], @steps, [ raw => $text ] ];
}


sub chunks (@chunks) {
    return [ sse_head(), (map { [ sse => $_ ] } @chunks), [ 'done' ] ];
}


sub role () { return chat_chunk(role => 'assistant', content => '') }
sub word ($text) { return chat_chunk(content => $text) }
sub stop () { return chat_chunk(finish => 'stop') }


my @answer = (role, word("H\x{e9}\x{20ac}\x{1f600}"), word("l\"\\\n\tl"),
              word("\x{0}\x{7f}o"), stop, chat_chunk(usage => chat_usage()));
my $said = "H\x{e9}\x{20ac}\x{1f600}l\"\\\n\tl\x{0}\x{7f}o";
my @json = map { json_encode($_) } @answer;


sub framed ($before, $after, $done = '[DONE]') {
    return join('', map { $before . $_ . $after } @json, $done);
}


# JSON of many lines, each of them a line of data

my $pretty = JSON::PP->new->utf8->pretty->canonical;
my $lines = '';

for my $text ((map { $pretty->encode($_) } @answer), '[DONE]') {
    $lines .= "data: $_\n" for split /\n/, $text;
    $lines .= "\n";
}

my %framing = (
    'LF' => framed('data: ', "\n\n"),
    'CRLF' => framed('data: ', "\r\n\r\n"),
    'CR' => framed('data: ', "\r\r"),
    'all three' => framed("data: ", "\r\n\n") =~ s/\r\n\n/\r\r\n/r,
    'no blank' => framed('data:', "\n\n"),
    'blanks after the data' => framed('data: ', " \t\n\n"),
    'blanks before' => framed("data: \t ", "\n\n", $json[0]),
    'comments' => framed(": ping\n:\n\n: data: {\ndata: ", "\n: x\n\n"),
    'empty lines' => "\n\n" . framed('data: ', "\n\n\n\n"),
    'many lines' => $lines,
    'many lines, CRLF' => $lines =~ s/\n/\r\n/gr,
    'BOM' => "\xef\xbb\xbf" . framed('data: ', "\n\n") =~ s/.*?\n\n//sr,
    'event lines' => framed("event: message\nid: 7\nretry: 10\ndata: ",
                            "\n\n"),
    'event lines after the data' => framed('data: ', "\nevent: chunk\nx\n\n"),
    'unknown fields' => framed("datas: {\nDATA: {\nx: y\ndata: ", "\n\n"),
    'empty data' => framed("data:\n\ndata: ", "\n\n"),
    'no last line' => framed('data: ', "\n\n") =~ s/\n\n\z/\n/r,
);

$scripts{"framing-$_"} = bytes($framing{$_}) for keys %framing;
$scripts{"split-$_"} = bytes($framing{CRLF}, [ split => $_, 0.0001 ])
    for @SPLITS;
$scripts{"split-lines-$_"} = bytes($framing{'many lines, CRLF'},
                                   [ split => $_, 0.0001 ]) for 7, 13;
$scripts{"split-chunked-$_"} = [ sse_head(), [ framing => 'chunked' ],
                                 [ split => $_, 0.0001 ],
                                 [ raw => $framing{CRLF} ] ] for 1, 5;
$scripts{'json-split'} = [ [ split => 1, 0.0001 ],
                           [ json => chat_reply(content => $said) ] ];

# events of any size; the reader that checks them is slow

my $big = 16 * 1024 * 1024;
my $before = '{"choices":[{"index":0,"delta":{"content":"';
my $after = '"}}]}';
my $frame = length "data: $before$after";


sub sized ($n) { return $before . '~' x $n . $after }


for my $n (1000, 4090 .. 4100, 8180 .. 8200, 100_000, 1_000_000) {
    $scripts{"size-$n"} = chunks(role, sized($n), stop);
}

$scripts{'size-big'} = chunks(sized($big - $frame), stop);
$scripts{'size-over'} = chunks(word('x'), sized($big - $frame + 1), stop);
$scripts{'size-over-first'} = chunks(sized($big - $frame + 1), stop);

my $a = ORS::Adapter->new(scripts => \%scripts);

my @events = ([ 'response.output_text.delta', "H\x{e9}\x{20ac}\x{1f600}" ],
              [ 'response.output_text.delta', "l\"\\\n\tl" ],
              [ 'response.output_text.delta', "\x{0}\x{7f}o" ]);


# all events of a stream, and nothing that is made up for it

sub same_events ($s, $name) {
    state $first;
    my $is = join "\n", map { $_->{raw} } @{ $s->events };

    $is =~ s/"((?:resp|msg)_)\w{20,}"/"$1"/g;
    $is =~ s/"(created_at|completed_at)":\d+/"$1":0/g;
    $first //= $is;
    ok($is eq $first, "$name: the same events");
}


for my $name (sort keys %framing) {
    my ($s) = $a->answer("framing-$name", "$name");

    is($s->text, $said, "$name: text");
    is_deeply([ $s->deltas ], [ map { $_->[1] } @events ],
              "$name: deltas");
    same_events($s, "$name");
}

for my $stream (1, 0) {
    my @open = map { [ $_, $a->start($_, stream => $stream) ] }
               (map({ "split-$_" } @SPLITS), qw( split-lines-7 split-lines-13
                split-chunked-1 split-chunked-5 json-split ));

    for my $open (@open) {
        my ($name, $c) = @$open;
        my $r = $c->read_response;
        my $s = $stream ? stream_ok($r, "$name")
                        : response_ok($r, "$name: plain");

        is($s->text, $said, "$name: text");
        same_events($s, "$name") if $stream && $name =~ /split-/
                                         && $name !~ /json/;
    }
}

for my $script (sort grep { /^size-\d/ } keys %scripts) {
    my ($n) = $script =~ /(\d+)/;
    my ($s) = $a->answer($script, "a text of $n bytes");

    ok($s->text eq '~' x $n, "a text of $n bytes: text");
}

for my $stream (1, 0) {
    my $r = $a->ask('size-big', stream => $stream);
    my $times = $stream ? 5 : 1;

    # delta, text, part, item and response have it
    is($r->{body} =~ tr/~/~/, $times * ($big - $frame),
       'an event of 16 MB: text');
    like(substr($r->{body}, -500), $stream ? qr/\ndata: \[DONE\]\n\n\z/
                                           : qr/"store":false.*\}\z/,
         'an event of 16 MB: end');
}

$a->breaks('size-over', 'a byte more', 502, code => 'event_too_large');
$a->fails('size-over-first', 'a byte more in the first event', 502,
          code => 'event_too_large');

$a->finish;

done_testing();
