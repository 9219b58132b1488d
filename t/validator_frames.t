#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# How streams are written, and what becomes of each: lines and their ends,
# sequence numbers, JSON in frames, streams that are cut, errors in streams of
# servers that are not trusted.  Every form of lines is in
# t/unit/wire/sse_test.c, every repair in t/unit/answer/stream_repair_test.c.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Validator;
use ORS::JSON qw( json_encode );
use ORS::Sample;

my $good = render(good()) =~ s/Let me/${\SECRET}/gr;
my $size = length $good;

# the place after the n-th frame
sub behind ($n) {
    my $at = 0;

    $at = 2 + index $good, "\n\n", $at for 1 .. $n;
    return $at;
}

# a good stream with something put behind its n-th frame
sub put ($n, $text) {
    return substr($good, 0, behind($n)) . $text . substr $good, behind($n);
}

# ... with its data objects changed, numbers and all
sub numbered ($change) {
    my $e = copy(good());

    render($e);
    $change->($e);
    return render($e, numbered => 1) =~ s/Let me/${\SECRET}/gr;
}

# a stream that fails with an error of its own: error, then response.failed
sub failing ($type, $code, $message = 'account ' . SECRET) {
    my $e = copy(failed());

    @{ of($e, 'error')->{error} }{qw( type code message )}
        = ($type, $code, $message);
    of($e, 'failed')->{response}{error} = { code => $code,
                                            message => $message };
    return render($e);
}

# all lines of an event are in their own data lines
my $lines = $good =~ s{^data: (\{.*)$}{
    join "\n", map { "data: $_" } split /(?<=[\{,])(?=")/, $1 }gmer;

my @repaired = (
    [ 'CRLF', $good =~ s/\n/\r\n/gr ],
    [ 'no event lines', $good =~ s/^event:.*\n//gmr ],
    [ 'data in many lines', $lines ],
    [ 'no [DONE]', $good =~ s/data: \[DONE\]\n\n//r ],
    [ 'no [DONE], nor an empty line', $good =~ s/\ndata: \[DONE\]\n\n//r ],
    [ 'an event after [DONE]', $good . frame(ev('x')) ],
    [ 'no sequence numbers', numbered(sub ($e) {
          delete $_->{sequence_number} for @$e }) ],
    [ 'numbers begin anew', numbered(sub ($e) {
          $_->{sequence_number} -= 5 for @$e[5 .. $#$e] }) ],
    [ 'another model', $good =~ s/"parrot-1"/"parrot-1-2026"/gr ],
    [ 'no status of items', $good =~ s/"status":"in_progress",(?="type)//gr ],
    [ 'no annotations', $good =~ s/"annotations":\[\],//gr ],
    [ 'no logprobs', $good =~ s/(?:,"logprobs":\[\]|"logprobs":\[\],)//gr ],
    [ 'most of the response is left out',
      $good =~ s/"(?:metadata|store|tools|top_p|error|text)":(?:\{\}|false
                |\[\{.*?\}\]|1|null|\{"format":\{.*?\}\}),//gxr ],
);

my @rows = (
    (map { my ($name, $body) = @$_;
        [ $name, { body => $body }, repaired => 1,
          check => { expect => 'completed' } ],
        [ "$name, in small pieces", { body => $body, split => 64 },
          repaired => 1, check => { expect => 'completed' } ]
    } @repaired),

    [ 'numbers from 1', { body => numbered(sub ($e) {
          $_->{sequence_number}++ for @$e }) }, same => 1 ],

    # comments and other signs of life

    [ 'comments first', { body => ": hello\n\n:\n\n$good" },
      repaired => sub ($s) { is($s->comments, 2, 'they are passed on') } ],
    [ 'comments between', { body => put(3, ":\n\n") },
      repaired => sub ($s) { is($s->comments, 1, 'it is passed on') } ],
    [ 'a comment only', { body => ": ping\n\n" },
      ended => qr/ended\ before/, code => 'upstream_disconnected' ],
    [ 'a comment, then a broken event', { body => ": a\n\ndata: {}\n\n" },
      ended => qr/"type"/ ],
    [ 'an event without data', { body => put(3, "event: ping\n\n") },
      body => $good ],

    # JSON in frames

    [ 'no JSON between', { body => put(4, "data: \"" . SECRET . "\n\n") },
      ended => qr/not\ JSON/ ],
    [ 'an event over the limit',
      { body => put(4, ev_of_size(5000)), at => 'small' },
      ended => qr/limit\ of\ 4096/, code => 'event_too_large' ],
    [ 'the first over the limit',
      { body => ev_of_size(5000) . $good, at => 'small' },
      refused => qr/limit\ of\ 4096/, code => 'event_too_large' ],
    # streams that are cut

    (map { my ($name, $at) = @$_;
        [ "cut $name", { body => $good, cut => $at },
          $at < behind(1) ? 'refused' : 'ended', qr/ended\ before/,
          code => 'upstream_disconnected' ]
    } [ 'before it begins', 0 ], [ 'in the first event', 40 ],
      [ 'in a data line', behind(6) - 20 ],
      [ 'in the last event', $size - 200 ]),

    [ 'cut after the last event', { body => $good, cut => $size - 14 },
      body => $good ],
    [ '[DONE] too early', { body => put(9, "data: [DONE]\n\n") },
      ended => qr/ended\ before/, code => 'upstream_disconnected' ],

    # errors in streams

    [ 'an error, trusted', { body => failing('server_error', 'usage_limit') },
      same => 1 ],
    [ 'an error, masked',
      { body => failing('server_error', 'power_cut'), at => 'mask' },
      repaired => \&masked,
      check => { expect => 'failed', code => 'server_error' } ],
    (map { my $code = $_;
        [ "$code, masked",
          { body => failing('invalid_request', $code), at => 'mask' },
          repaired => \&masked,
          check => { expect => 'failed', code => 'server_error' } ]
    } qw( insufficient_quota invalid_api_key billing_not_active )),
    [ 'rates, masked',
      { body => failing('too_many_requests', 'rate_limit_exceeded'),
        at => 'mask' },
      repaired => \&masked,
      check => { expect => 'failed', code => 'rate_limit_exceeded' } ],
    [ 'response.failed only, masked',
      { body => failing('server_error', 'invalid_api_key')
                =~ s/event: error\n.*\n\n//r, at => 'mask' },
      repaired => \&masked,
      check => { lax => 1, expect => 'failed', code => 'server_error' } ],
    [ 'an error before all else, masked',
      { body => 'data: ' . json_encode({ type => 'error',
          sequence_number => 0, error => {
          type => 'invalid_request', code => 'invalid_api_key',
          message => 'key ' . SECRET, param => undef } }) . "\n\n",
        at => 'mask' },
      error => [ 502, code => 'server_error', message => qr/model server/ ] ],
);


# an extension whose frame has this many bytes
sub ev_of_size ($n) {
    my $frame = sub ($pad) {
        frame({ type => 'acme:pad', sequence_number => 0, pad => $pad })
    };

    return $frame->('x' x ($n - length $frame->('')));
}

sub masked ($s) {
    my $said = json_encode([ map { $_->{data} } @{ $s->events } ]);

    unlike($said, qr/account|${\SECRET}/, 'nothing of its text');
}

my $g = ORS::Validator->new(rows => \@rows, locations => {
    small => 'open_responses_limits event=4k;',
    mask => 'open_responses_upstream_errors mask;',
});

$g->run;
$g->report;

$g->finish;
done_testing();
