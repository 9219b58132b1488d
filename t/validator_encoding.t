#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Compressed answers before a validator, and what nginx compresses after it.

use v5.36;
use Compress::Raw::Zlib qw( WANT_GZIP MAX_WBITS Z_FINISH Z_SYNC_FLUSH );
use Test::More;
use lib 't/lib';
use ORS::Util qw( zstd );
use ORS::Validator;
use ORS::HTTP qw( http_start post_json );
use ORS::JSON qw( json_encode json_true );
use ORS::Sample;

use constant { ZLIB => MAX_WBITS, RAW => -MAX_WBITS() };


# the pieces of a text as they would be sent, each of them flushed

sub compressed ($bits, @pieces) {
    my ($z) = Compress::Raw::Zlib::Deflate->new(-WindowBits => $bits,
                                                -AppendOutput => 1);

    return map {
        my $out = '';

        $z->deflate($pieces[$_], $out);
        $z->flush($out, $_ == $#pieces ? Z_FINISH : Z_SYNC_FLUSH);
        $out;
    } 0 .. $#pieces;
}

sub inflated ($bytes) {
    my ($z) = Compress::Raw::Zlib::Inflate->new(-WindowBits => WANT_GZIP);
    my $text = '';

    $z->inflate($bytes, $text);
    return $text;
}

my $plain = json_encode(document());
my ($gzip) = compressed(WANT_GZIP, $plain);
my ($zlib) = compressed(ZLIB, $plain);
my ($raw) = compressed(RAW, $plain);
my $half = length($plain) / 2;
my $members = join '', map { compressed(WANT_GZIP, $_) }
                       substr($plain, 0, $half), substr $plain, $half;
my ($bomb) = compressed(WANT_GZIP, $plain =~ s/\}\z/' ' x 5_000_000 . '}'/er);
my $crc = substr($gzip, 0, -8) . "\0\0\0\0" . substr $gzip, -4;
my ($broken) = compressed(WANT_GZIP, '{"secret":"' . SECRET . '"}');

my $events = render(good());
my @frames = $events =~ /(.*?\n\n)/gs;
my @pieces = compressed(WANT_GZIP, @frames);
my ($cut) = compressed(WANT_GZIP, @frames[0 .. 3]);
my $flushed = join '', @pieces;
my $error = json_encode({ error => { type => 'not_found', code => 'x',
                                     message => 'gone', param => undef } });

sub row ($name, $encoding, $body, @outcome) {
    my %a = ref $body ? %$body : (body => $body);

    return [ $name, { %a, headers => [ [ 'Content-Encoding', $encoding ] ] },
             @outcome ];
}

sub stream_row ($name, $body, @outcome) {
    return row($name, 'gzip', { type => 'text/event-stream', %$body },
               @outcome);
}

my @rows = (
    row('gzip', 'gzip', $gzip, body => $plain),
    row('gzip, byte by byte', 'gzip', { body => $gzip, split => 1 },
        body => $plain),
    row('x-gzip', 'X-Gzip', $gzip, body => $plain),
    row('gzip in two members', 'gzip', $members, body => $plain),
    row('deflate', 'deflate', $zlib, body => $plain),
    row('deflate without a header', 'deflate', $raw, body => $plain),
    row('zstd', 'zstd', zstd($plain), body => $plain),
    row('zstd, byte by byte', 'zstd', { body => zstd($plain), split => 1 },
        body => $plain),
    row('zstd, cut', 'zstd', substr(zstd($plain), 0, -4),
        refused => qr/ended\ before/, code => 'upstream_disconnected'),
    row('identity', 'identity', $plain, body => $plain),
    row('an error', 'gzip', { body => (compressed(WANT_GZIP, $error))[0],
                              status => 404 },
        error => [ 404, message => 'gone' ]),

    row('broken within', 'gzip', $broken, refused => qr/"id"/),
    row('not compressed at all', 'gzip', $plain,
        refused => qr/cannot\ be\ decompressed/),
    row('another sum', 'gzip', $crc, refused => qr/cannot\ be\ decompressed/),
    row('more after it', 'gzip', $gzip . SECRET,
        refused => qr/cannot\ be\ decompressed/),
    row('its end is left out', 'gzip', substr($gzip, 0, -4),
        refused => qr/ended\ before/, code => 'upstream_disconnected'),
    row('cut', 'gzip', { body => $gzip, cut => 100 },
        refused => qr/ended\ before/, code => 'upstream_disconnected'),
    row('empty', 'gzip', '', refused => qr/./, code => qr/./),
    row('a small one that is large', 'gzip', { body => $bomb, at => 'small' },
        refused => qr/limit\ of\ 65536/, code => 'answer_too_large'),

    (map { row($_, $_, $plain, refused => qr/Content-Encoding/) }
     'br', 'gzip, br', 'compress'),

    stream_row('a stream', { body => $flushed }, body => $events),
    stream_row('a stream, byte by byte', { body => $flushed, split => 1 },
               body => $events),
    stream_row('a stream that is cut',
               { body => $flushed, cut => length join '', @pieces[0 .. 6] },
               ended => qr/ended\ before/, code => 'upstream_disconnected'),
    stream_row('a stream without its end', { body => $cut },
               ended => qr/ended\ before/, code => 'upstream_disconnected'),
    stream_row('a stream that is not compressed', { body => $events },
               refused => qr/cannot\ be\ decompressed/),
    stream_row('a stream that breaks',
               { body => join('', @pieces[0 .. 6]) . "\xff" x 64 },
               ended => qr/cannot\ be\ decompressed/),
);

my $g = ORS::Validator->new(rows => \@rows,
    locations => {
        small => 'open_responses_limits answer=64k;',
        gzip => 'gzip on; gzip_types application/json text/event-stream;
                 gzip_min_length 1; gzip_proxied any;',
        gunzip => 'gunzip on;',
    },
    conf => <<'CONF',
            location /request/ {
                open_responses_validate request;
                proxy_pass http://%%MODEL%%/v1/;
            }
CONF
    scripts => {
        gzip => [ [ header => 'Content-Encoding', 'gzip' ],
                  [ json => $gzip ] ],
        plain => [ [ json => $plain ] ],
        br => [ [ header => 'Content-Encoding', 'br' ], [ json => $plain ] ],
        slow => [ [ header => 'Content-Type', 'text/event-stream' ],
                  [ header => 'Content-Encoding', 'gzip' ],
                  map { ([ wait_file => "go-$_" ], [ raw => $pieces[$_] ]) }
                  0 .. $#pieces ],
        frames => [ [ header => 'Content-Type', 'text/event-stream' ],
                    map { ([ wait_file => "frame-$_" ],
                           [ raw => $frames[$_] ]) } 0 .. $#frames ],
    });

$g->run;
$g->report;


my $ask = { model => 'parrot-1', input => 'hi' };

sub ask ($at, $script, %headers) {
    return post_json($g->port, "/$at/responses", $ask,
                     headers => { 'X-Script' => $script, %headers });
}

sub asked () { ($g->model->requests)[-1]{headers}{'accept-encoding'} }


# headers

{
    my $r = ask('v1', 'gzip');

    is($r->{headers}{'content-encoding'}, undef, 'no Content-Encoding is left');
    is($r->{headers}{'content-length'}, length $plain, 'the length fits');

    $r = ask('v1', 'br');
    is($r->{status}, 502, 'an encoding that is not known');
    is($r->{headers}{'content-encoding'}, undef, 'nor is that one left');

    $r = ask('v1-report', 'gzip', 'Accept-Encoding' => 'gzip');
    is($r->{headers}{'content-encoding'}, 'gzip', 'report: it stays');
    is($r->{body}, $gzip, 'report: so does the text');

    ask('v1', 'plain', 'Accept-Encoding' => 'br, gzip');
    is(asked(), 'identity', 'upstream is asked for plain text');

    ask('v1', 'plain');
    is(asked(), undef, 'it is not where the client asks for nothing');

    ask('request', 'plain', 'Accept-Encoding' => 'br, gzip');
    is(asked(), 'br, gzip', 'nor where answers are not looked at');
}


# nginx compresses for the client

{
    my $r = ask('gzip', 'gzip', 'Accept-Encoding' => 'gzip');

    is($r->{headers}{'content-encoding'}, 'gzip', 'gzip on: compressed');
    is(inflated($r->{body}), $plain, 'gzip on: anew');
    is(asked(), 'identity', 'gzip on: not upstream');

    $r = ask('gzip', 'plain');
    is($r->{headers}{'content-encoding'}, undef, 'gzip on: if asked for');

    $r = ask('gzip-report', 'plain', 'Accept-Encoding' => 'gzip');
    is(inflated($r->{body}), $plain, 'gzip on, report');

    $r = ask('gunzip', 'gzip');
    is($r->{body}, $plain, 'gunzip on');

    $r = ask('gunzip-report', 'gzip');
    is($r->{body}, $plain, 'gunzip on, report: for a client that needs it');

    $r = ask('gunzip-report', 'gzip', 'Accept-Encoding' => 'gzip');
    is($r->{body}, $gzip, 'gunzip on, report: for one that does not');
}


# each event when it is there

for my $at (qw( v1 v1-report )) {
    my $c = http_start($g->port, 'POST', "/$at/responses",
                       { 'Content-Type' => 'application/json',
                         'X-Script' => 'slow' },
                       json_encode({ %$ask, stream => json_true }));
    my $seen = 0;

    for my $n (0 .. $#frames - 1) {
        $g->model->touch("go-$n");

        my $sent = join '', $at eq 'v1' ? @frames[0 .. $n] : @pieces[0 .. $n];

        last if !$c->wait_body(qr/\A\Q$sent\E/);
        $seen++;
    }

    is($seen, $#frames, "$at: each event comes before the next is sent");

    $g->model->touch("go-$#frames");
    ok($c->read_response->{complete}, "$at: to its end");
    $g->model->untouch(map { "go-$_" } 0 .. $#frames);
}

{
    my $c = http_start($g->port, 'POST', '/gzip/responses',
                       { 'Content-Type' => 'application/json',
                         'Accept-Encoding' => 'gzip',
                         'X-Script' => 'frames' },
                       json_encode({ %$ask, stream => json_true }));
    my ($z) = Compress::Raw::Zlib::Inflate->new(-WindowBits => WANT_GZIP,
                                                -AppendOutput => 1);
    my ($seen, $text, $at) = (0, '', 0);

    for my $n (0 .. $#frames) {
        my $want = length join '', @frames[0 .. $n];

        $g->model->touch("frame-$n");

        while (length $text < $want) {
            $c->wait_body(qr/\A.{$at}./s) or last;
            my $more = substr $c->body, $at;

            $at += length $more;
            $z->inflate($more, $text);
        }

        last if length $text < $want;
        $seen++;
    }

    is($seen, scalar @frames, 'gzip on: each event is flushed');
    is($text, $events, 'gzip on: the stream');
    $c->close;
}


$g->finish;
done_testing();
