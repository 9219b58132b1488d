#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Streams that servers send, good and broken, and what becomes of each.  Every
# rule about events, indexes and texts is in t/unit/answer/stream_*_test.c.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Validator;
use ORS::Sample;


# a good stream with a change; the text of it is not for the log

sub stream ($change = sub ($e) { }, $make = \&good) {
    my $e = copy($make->());

    $change->($e);

    return render($e) =~ s/Let me/${\SECRET}/gr;
}

# a row of a stream that ends where the change is

sub broken ($name, $why, $change, %a) {
    my $code = delete $a{code};

    return [ $name, { body => stream($change), %a }, ended => $why,
             $code ? (code => $code) : () ];
}

# ... of one that breaks a rule of the strict profile only

sub slips ($name, $why, $change) {
    my $body = stream($change);

    return [ $name, { body => $body }, ended => $why ],
           [ "$name, not strict", { body => $body, at => 'loose' },
             body => $body ];
}

my @rows = (

    # streams that pass

    [ 'a good one', { body => stream() }, same => 1 ],
    [ 'in small pieces', { body => stream(), split => 7 }, same => 1 ],
    [ 'annotations', { body => stream(sub ($e) { }, \&annotated) },
      same => 1 ],
    [ 'incomplete', { body => stream(sub ($e) { }, \&incomplete) },
      same => 1 ],
    [ 'failed', { body => stream(sub ($e) { }, \&failed) }, same => 1 ],

    # beginnings: nothing has been sent yet

    [ 'without response.created',
      { body => stream(sub ($e) { drop($e, 'created') }) },
      refused => qr/response\.created\ must\ be\ the\ first/ ],
    [ 'nothing', { body => '', type => 'text/event-stream' },
      refused => qr/ended\ before/, code => 'upstream_disconnected' ],
    [ 'no JSON in the first', { body => 'data: ' . SECRET . "\n\n" },
      refused => qr/not\ JSON/ ],

    # items, texts and the end: the client has read the beginning

    broken('an index is left out', qr/not\ the\ number\ of\ items/,
           sub ($e) { of($e, 'output_item.added', 1)->{output_index} = 2 }),
    broken('an item is never done', qr/an\ item\ is\ not\ done/,
           sub ($e) { drop($e, 'output_item.done', 3) }),
    broken('a delta is missing', qr/not\ the\ sum\ of\ its\ deltas/,
           sub ($e) { drop($e, 'output_text.delta') }),
    broken('no end', qr/ended\ before/, sub ($e) { drop($e, 'completed') },
           code => 'upstream_disconnected'),
    broken('the output has an item less', qr/another\ number\ of\ items/,
           sub ($e) { pop @{ of($e, 'completed')->{response}{output} } }),
    [ 'the end twice',
      { body => stream(sub ($e) { double($e, 'completed') }) },
      body => stream() ],

    # mistakes that only the strict profile refuses

    slips('response.in_progress again', qr/comes\ again\ or\ late/,
          sub ($e) { double($e, 'in_progress') }),
    slips('a text at once', qr/at\ once,\ without\ deltas/,
          sub ($e) {
              drop($e, 'output_text.delta') for 1, 2;
          }),

    # failures

    [ 'an error without response.failed',
      { body => stream(sub ($e) { drop($e, 'failed') }, \&failed) },
      repaired => 1,
      check => { expect => 'failed', code => 'upstream_closed' } ],
    [ 'response.failed without an error before it',
      { body => stream(sub ($e) { drop($e, 'error') }, \&failed) },
      same => 1 ],
    [ 'an error, then more of the answer',
      { body => stream(sub ($e) {
            splice @$e, at($e, 'output_text.delta', 1), 0,
                { type => 'error', error => { type => 'server_error',
                  code => 'server_error', message => 'no power',
                  param => undef } };
        }) },
      repaired => 1, check => { expect => 'failed', code => 'server_error' } ],
    [ 'an error before all else',
      { body => stream(sub ($e) { splice @$e, 0, $#$e - 1 }, \&failed) },
      error => [ 500, code => 'upstream_closed', message => 'cut' ] ],
    [ 'response.failed before all else',
      { body => stream(sub ($e) { splice @$e, 0, $#$e }, \&failed) },
      error => [ 500, code => 'upstream_closed', message => 'cut' ] ],
);

my $g = ORS::Validator->new(rows => \@rows, locations => {
    loose => 'open_responses_strict off;',
});

$g->run;
$g->report;

$g->finish;
done_testing();
