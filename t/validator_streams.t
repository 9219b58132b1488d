#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Streams that servers send, good and broken, and what becomes of each: the
# order of events, their indexes and texts.

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
    my $make = delete $a{make} // \&good;
    my $check = delete $a{check} // {};

    return [ $name, { body => stream($change, $make), %a }, ended => $why,
             check => $check, $code ? (code => $code) : () ];
}

# ... of one that breaks a rule of the strict profile only

sub slips ($name, $why, $change, %a) {
    my $body = stream($change, $a{make} // \&good);

    return [ $name, { body => $body }, ended => $why ],
           [ "$name, not strict", { body => $body, at => 'loose' },
             body => $a{becomes} // $body ];
}

sub response_of ($e, $type, %o) {
    my $r = of($e, $type)->{response};

    @$r{keys %o} = values %o;
}

my @rows = (

    # what passes

    [ 'a good one', { body => stream() }, same => 1 ],
    [ 'in small pieces', { body => stream(), split => 7 }, same => 1 ],
    [ 'annotations', { body => stream(sub ($e) { }, \&annotated) },
      same => 1 ],
    [ 'incomplete', { body => stream(sub ($e) { }, \&incomplete) },
      same => 1 ],
    [ 'failed', { body => stream(sub ($e) { }, \&failed) }, same => 1 ],
    [ 'an extension among the events',
      { body => stream(sub ($e) {
            splice @$e, 3, 0, { type => 'acme:search.found', hits => [ 1 ] };
        }) }, same => 1 ],
    [ 'response.in_progress is left out',
      { body => stream(sub ($e) { drop($e, 'in_progress') }) }, same => 1 ],
    [ 'queued first',
      { body => stream(sub ($e) {
            response_of($e, 'created', status => 'queued');
            splice @$e, 1, 0, ev('queued', response => response('queued'));
        }) }, same => 1 ],

    # beginnings

    [ 'without response.created',
      { body => stream(sub ($e) { drop($e, 'created') }) },
      refused => qr/response\.created\ must\ be\ the\ first/ ],
    [ 'begins with an item',
      { body => stream(sub ($e) { splice @$e, 0, 2 }) },
      refused => qr/response\.created\ must\ be\ the\ first/ ],
    [ 'the end only', { body => stream(sub ($e) { splice @$e, 0, $#$e }) },
      refused => qr/response\.created\ must\ be\ the\ first/ ],
    [ 'nothing', { body => '', type => 'text/event-stream' },
      refused => qr/ended\ before/, code => 'upstream_disconnected' ],
    [ '[DONE] only', { body => "data: [DONE]\n\n" },
      refused => qr/ended\ before/, code => 'upstream_disconnected' ],
    [ 'no JSON in the first', { body => 'data: ' . SECRET . "\n\n" },
      refused => qr/not\ JSON/ ],
    [ 'a response without an id',
      { body => stream(sub ($e) {
            delete of($e, 'created')->{response}{id};
        }) }, refused => qr/"response\.id"/ ],
    [ 'an empty id',
      { body => stream(sub ($e) { response_of($e, 'created', id => '') }) },
      refused => qr/id\ is\ empty/ ],
    broken('response.created again', qr/comes\ again/,
           sub ($e) { double($e, 'created') }),
    slips('response.in_progress again', qr/comes\ again\ or\ late/,
          sub ($e) { double($e, 'in_progress') }),
    slips('response.in_progress late', qr/comes\ again\ or\ late/,
          sub ($e) {
              splice @$e, at($e, 'output_item.done'), 0,
                     copy(of($e, 'in_progress'));
          }),
    [ 'created as completed',
      { body => stream(sub ($e) {
            response_of($e, 'created', status => 'completed');
        }) }, refused => qr/status\ does\ not\ fit/ ],
    [ 'created with output',
      { body => stream(sub ($e) {
            response_of($e, 'created', output => [ message('msg_0',
                                                           'completed') ]);
        }) }, refused => qr/not\ empty\ in\ the\ beginning/ ],
    broken('another id in progress', qr/id\ has\ changed/,
           sub ($e) { response_of($e, 'in_progress', id => 'resp_8') }),

    # items

    broken('an index is left out', qr/not\ the\ number\ of\ items/,
           sub ($e) { of($e, 'output_item.added', 1)->{output_index} = 2 }),
    broken('an index comes again', qr/not\ the\ number\ of\ items/,
           sub ($e) { of($e, 'output_item.added', 1)->{output_index} = 0 }),
    broken('an item is not added', qr/was\ not\ added/,
           sub ($e) { drop($e, 'output_item.added', 1) }),
    broken('an item is added twice', qr/not\ the\ number\ of\ items/,
           sub ($e) { double($e, 'output_item.added', 1) }),
    broken('an item is null', qr/item/,
           sub ($e) { of($e, 'output_item.added')->{item} = undef }),
    broken('an item has no id', qr/"item\.id"/,
           sub ($e) { delete of($e, 'output_item.added')->{item}{id} }),
    broken('an item with the id of another', qr/that\ of\ another/,
           sub ($e) { of($e, 'output_item.added', 1)->{item}{id} = 'rs_a' }),
    broken('an item of unknown type', qr/"item\.type"/,
           sub ($e) { of($e, 'output_item.added')->{item}{type} = 'x' }),
    broken('done as another item', qr/not\ the\ one\ that\ was\ added/,
           sub ($e) { of($e, 'output_item.done')->{item}{id} = 'rs_b' }),
    broken('done as another type', qr/not\ the\ one\ that\ was\ added/,
           sub ($e) {
               of($e, 'output_item.done')->{item} =
                   message('rs_a', 'completed');
           }),
    broken('done twice', qr/after\ its\ item\ is\ done/,
           sub ($e) { double($e, 'output_item.done') }),
    broken('an item is never done', qr/an\ item\ is\ not\ done/,
           sub ($e) { drop($e, 'output_item.done', 3) }),
    (map { my $name = $_;
        slips("a call with another $name", qr/another\ name/,
              sub ($e) {
                  $_->{$name} = 'ebb'
                      for of($e, 'output_item.done', 2)->{item},
                          of($e, 'completed')->{response}{output}[2];
              })
    } qw( name call_id )),
    broken('an item after an incomplete one', qr/after\ one\ that\ is/,
           sub ($e) {
               $_->{status} = 'incomplete'
                   for of($e, 'output_item.done', 1)->{item},
                       of($e, 'completed')->{response}{output}[1];
           }, check => { lax => 1 }),

    # parts and texts

    broken('no part is added', qr/no\ part\ is\ open/,
           sub ($e) { drop($e, 'content_part.added', 1) }),
    slips('no part of a reasoning is added', qr/without\ a\ part/,
          sub ($e) { drop($e, 'content_part.added') }),
    broken('a part is added twice', qr/a\ part\ or\ a\ text/,
           sub ($e) { double($e, 'content_part.added') }),
    broken('a part with another index', qr/number\ of\ parts/,
           sub ($e) { of($e, 'content_part.added')->{content_index} = 1 }),
    broken('a delta with another index', qr/not\ the\ open\ one/,
           sub ($e) { of($e, 'output_text.delta')->{content_index} = 1 }),
    broken('a delta of another type', qr/of\ another\ type/,
           sub ($e) {
               my $x = of($e, 'output_text.delta');
               $x->{type} = 'response.refusal.delta';
               delete $x->{logprobs};
           }),
    broken('a delta of an unknown item', qr/was\ not\ added/,
           sub ($e) { of($e, 'output_text.delta')->{output_index} = 9 }),
    broken('a delta of another item', qr/item_id\ is\ not/,
           sub ($e) { of($e, 'output_text.delta')->{item_id} = 'rs_a' }),
    broken('a delta after the text is done', qr/after\ the\ text\ is\ done/,
           sub ($e) {
               splice @$e, at($e, 'content_part.done', 1), 0,
                      copy(of($e, 'output_text.delta'));
           }),
    broken('a delta is missing', qr/not\ the\ sum\ of\ its\ deltas/,
           sub ($e) { drop($e, 'output_text.delta') }),
    broken('a delta comes twice', qr/not\ the\ sum\ of\ its\ deltas/,
           sub ($e) { double($e, 'output_text.delta') }),
    broken('deltas in another order', qr/not\ the\ sum\ of\ its\ deltas/,
           sub ($e) {
               move($e, [ 'output_text.delta', 1 ], [ 'output_text.delta' ]);
           }),
    broken('a delta is a number', qr/"delta"/,
           sub ($e) { of($e, 'output_text.delta')->{delta} = 7 }),
    broken('a text is null', qr/"text"/,
           sub ($e) { of($e, 'output_text.done')->{text} = undef }),
    broken('a text is another', qr/not\ the\ sum\ of\ its\ deltas/,
           sub ($e) { of($e, 'output_text.done')->{text} = 'Hm.' }),
    slips('no text is done', qr/ends\ a\ text\ is\ left\ out/,
          sub ($e) { drop($e, 'output_text.done') }),
    slips('no part is done', qr/not\ done\ when\ its\ item\ is/,
          sub ($e) { drop($e, 'content_part.done', 1) }),
    broken('a part is done with another text',
           qr/not\ the\ sum\ of\ its\ deltas/,
           sub ($e) { of($e, 'content_part.done', 1)->{part}{text} = 'Hm.' }),
    broken('an item is done with another text', qr/not\ those\ that/,
           sub ($e) {
               of($e, 'output_item.done', 1)->{item}{content}[0]{text} = 'Hm';
           }),
    broken('an item is done with a part more', qr/not\ those\ that/,
           sub ($e) {
               push @{ of($e, 'output_item.done', 1)->{item}{content} },
                   output_text('Hm.');
           }),
    broken('arguments are others', qr/not\ the\ sum\ of\ its\ deltas/,
           sub ($e) {
               of($e, 'function_call_arguments.done')->{arguments} = '{}';
           }),
    broken('arguments of a message', qr/its\ item\ is\ of\ another\ type/,
           sub ($e) {
               splice @$e, at($e, 'output_text.delta'), 0,
                   ev('function_call_arguments.delta', item_id => 'msg_a',
                      output_index => 1, delta => '{');
           }),
    slips('a text at once', qr/at\ once,\ without\ deltas/,
          sub ($e) {
              drop($e, 'output_text.delta') for 1, 2;
          }),

    # ends

    broken('no end', qr/ended\ before/, sub ($e) { drop($e, 'completed') },
           code => 'upstream_disconnected'),
    [ 'the end twice',
      { body => stream(sub ($e) { double($e, 'completed') }) },
      body => stream() ],
    [ 'an item after the end',
      { body => stream(sub ($e) { push @$e, copy($e->[2]) }) },
      body => stream() ],
    broken('completed as incomplete', qr/another\ status/,
           sub ($e) { response_of($e, 'completed', status => 'incomplete') }),
    broken('completed as failed', qr/another\ status/,
           sub ($e) {
               response_of($e, 'completed', status => 'failed',
                           error => { code => 'x', message => 'y' });
           }),
    broken('completed with another id', qr/id\ has\ changed/,
           sub ($e) { response_of($e, 'completed', id => 'resp_8') }),
    broken('completed, an item is not', qr/an\ item\ is\ incomplete/,
           sub ($e) {
               response_of($e, 'incomplete', status => 'completed',
                           incomplete_details => undef);
               of($e, 'incomplete')->{type} = 'response.completed';
           }, make => \&incomplete, check => { lax => 1 }),
    broken('the output is empty', qr/another\ number\ of\ items/,
           sub ($e) { response_of($e, 'completed', output => []) }),
    broken('the output has an item less', qr/another\ number\ of\ items/,
           sub ($e) { pop @{ of($e, 'completed')->{response}{output} } }),
    broken('the output in another order', qr/another\ item/,
           sub ($e) {
               my $o = of($e, 'completed')->{response}{output};
               @$o[2, 3] = @$o[3, 2];
           }),
    broken('the output has another text', qr/another\ text/,
           sub ($e) {
               of($e, 'completed')->{response}{output}[1]{content}[0]{text}
                   = 'Hm.';
           }),
    broken('the output has other arguments', qr/another\ text/,
           sub ($e) {
               of($e, 'completed')->{response}{output}[2]{arguments} = '{}';
           }),
    slips('completed with an error', qr/do\ not\ fit\ its\ status/,
          sub ($e) {
              response_of($e, 'completed', error => { code => 'x',
                                                      message => 'y' });
          }),
    broken('incomplete without details', qr/do\ not\ fit\ its\ status/,
           sub ($e) {
               response_of($e, 'incomplete', incomplete_details => undef);
           }, make => \&incomplete, check => { lax => 1 }),
    broken('no response in the end', qr/"response"/,
           sub ($e) { delete of($e, 'completed')->{response} }),

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
    broken('failed, but the error is null', qr/"error"|error\ is\ null/,
           sub ($e) {
               drop($e, 'error');
               response_of($e, 'failed', error => undef);
           }, make => \&failed),
    broken('failed, but the status is another', qr/another\ status/,
           sub ($e) {
               drop($e, 'error');
               response_of($e, 'failed', status => 'completed');
           }, make => \&failed),
    broken('an error without a message', qr/"error\.message"/,
           sub ($e) { delete of($e, 'error')->{error}{message} },
           make => \&failed),
);

my $g = ORS::Validator->new(rows => \@rows, locations => {
    loose => 'open_responses_strict off;',
});

$g->run;
$g->report;

$g->finish;
done_testing();
