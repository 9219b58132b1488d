#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Events reach the client when their chunks arrive: no item before its text, no
# end before the usage, calls while their arguments are made.  The rules of the
# translation are in t/data/edges, see t/translation_rules.t.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Adapter qw( nameless );
use ORS::JSON qw( json_encode );
use ORS::Model qw( :all );
use ORS::Stream qw( stream_ok response_ok );


sub frames (@data) {
    return map { [ sse => $_ ] } @data;
}


sub role () { return chat_chunk(role => 'assistant', content => '') }
sub word ($text) { return chat_chunk(content => $text) }
sub stop () { return chat_chunk(finish => 'stop') }


# a piece of a call; no id where it is not the first one

sub piece ($index, $id, $name, $arguments) {
    return [ sse => chat_chunk(tool_calls => [ {
        index => $index, defined $id ? (id => $id) : (), type => 'function',
        function => { defined $name ? (name => $name) : (),
                      arguments => $arguments } } ]) ];
}


my %scripts = (
    role => [ sse_head(), frames(role), [ comment => 'x' ],
              [ wait_file => 'go-role' ], frames(word('Hello'), stop),
              [ 'done' ] ],
    finish => [ sse_head(), [ wait_file => 'go-finish-1' ],
                [ raw => join '', map { 'data: ' . json_encode($_) . "\n\n" }
                         role, word('Hel'), word('lo'), stop ],
                [ wait_file => 'go-finish-2' ],
                frames(chat_chunk(usage => chat_usage())), [ 'done' ] ],
    calls => [ sse_head(), piece(0, 'a', 'f', ''), [ wait_file => 'go-1' ],
               piece(0, undef, undef, '{"x":'), [ wait_file => 'go-2' ],
               piece(0, undef, undef, '1}'), piece(1, 'b', 'g', '{"y"'),
               [ wait_file => 'go-3' ], piece(1, undef, undef, ':2}'),
               [ sse => chat_chunk(finish => 'tool_calls') ], [ 'done' ] ],
    refuse => stream_script(text => [ 'I ' ], refusal => [ 'can', 'not' ]),
);

my $a = ORS::Adapter->new(scripts => \%scripts, conf => {
    frank => 'open_responses_refusal text;' });


# the answer up to "re"

sub seen ($c, $re) {
    $c->wait_body($re) or diag('never came: ' . $c->body);
    return $c->body;
}


{
    my $c = $a->start('role', stream => 1);

    unlike(seen($c, qr/response\.in_progress.*\n\n/), qr/output_item/,
           'E38: no item yet');
    $a->model->touch('go-role');

    my $s = stream_ok($c->read_response, 'E38: a role and nothing else');
    is($s->text, 'Hello', 'E38: text');
    is($s->count('response.output_text.delta'), 1, 'E38: one delta');
}

for my $stream (1, 0) {
    my $c = $a->start('finish', stream => $stream);

    $a->model->touch('go-finish-1');

    if ($stream) {
        unlike(seen($c, qr/delta":"lo".*\n\n/), qr/"response\.completed/,
               'E39: not completed yet');
    }

    $a->model->touch('go-finish-2');

    my $r = $c->read_response;
    my $s = $stream ? stream_ok($r, 'E39: stream')
                    : response_ok($r, 'E39: plain');

    is_deeply($s->usage, {
                  input_tokens => 8, output_tokens => 2, total_tokens => 10,
                  input_tokens_details => { cached_tokens => 0 },
                  output_tokens_details => { reasoning_tokens => 0 } },
              'E39: usage after the reason');
    is($s->text, 'Hello', 'E39: text');
    $a->model->untouch(map { "go-finish-$_" } 1, 2);
}

{
    my $c = $a->start('calls', stream => 1);

    ok($c->wait_body(qr/output_item\.added.*"name":"f".*\n\n/),
       'E43: a call is announced by its first piece');
    $a->model->touch('go-1');
    ok($c->wait_body(qr/arguments\.delta.*"delta":"\{\\"x\\":"\}\n\n/),
       'E46: arguments come as they are made');
    $a->model->touch('go-2');
    ok($c->wait_body(qr/arguments\.done.*"arguments":"\{\\"x\\":1\}".*\n\n/),
       'E46: a call is done when its arguments are whole');
    ok($c->wait_body(qr/arguments\.delta.*"delta":"\{\\"y\\""\}\n\n/),
       'E46: the next call is sent live');
    $a->model->touch('go-3');

    my $s = stream_ok($c->read_response, 'E46: calls');
    is_deeply([ map { "$_->{name}($_->{call_id}) $_->{arguments}" }
                @{ nameless($s->items) } ],
              [ 'f(a) {"x":1}', 'g(b) {"y":2}' ], 'E46: items');
    is_deeply([ $s->deltas('response.function_call_arguments.delta') ],
              [ '{"x":', '1}', '{"y"', ':2}' ], 'E46: deltas');
}

{
    my ($s) = $a->answer('refuse', 'E59: a refusal as text', at => '/frank');

    is($s->text, 'I cannot', 'E59: the text has the refusal');
    is($s->refusal, '', 'E59: there is no part of it');
    is($s->count('response.output_text.delta'), 3, 'E59: its events');
}

$a->finish;

done_testing();
