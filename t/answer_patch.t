#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# A patch for a custom tool, as Codex has them: it arrives while the model
# writes it, whatever the network does to it.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( http_start post_json );
use ORS::JSON qw( json_decode json_encode json_true json_false );
use ORS::Model qw( :all );
use ORS::Nginx ();
use ORS::Stream qw( stream_ok response_ok );
use ORS::Util qw( slurp );

my $PATCH = "*** Begin Patch\n*** Add File: a\n+\"\\d\t\x{e9}\x{1f600}\"\n"
            . '*** End Patch';

my @tools = ({ type => 'custom', name => 'apply_patch' });


# the chunks of one call

sub call ($first, @more) {
    return ((map { [ sse => chat_chunk(tool_calls => [ $_ ]) ] }
             { index => 0, id => 'a', type => 'function',
               function => { name => 'apply_patch', arguments => $first } },
             map { { index => 0, function => { arguments => $_ } } } @more),
            [ sse => chat_chunk(finish => 'tool_calls') ], [ 'done' ]);
}


utf8::decode(my $wrapped = json_encode({ input => $PATCH }));

my $ascii = $wrapped =~ s/([^\x00-\x7f])/escaped($1)/ger;

sub escaped ($c) {
    my $n = ord $c;

    return sprintf '\u%04x', $n if $n < 0x10000;

    $n -= 0x10000;
    return sprintf '\u%04x\u%04x', 0xd800 + ($n >> 10), 0xdc00 + ($n & 0x3ff);
}


my $model = ORS::Model->new(scripts => {
    pieces => [ sse_head(), call(split //, $ascii) ],
    split => [ [ split => 1, 0 ], sse_head(), call($ascii) ],
    cut => [ sse_head(), (call('{"input":"a\\'))[0],
             [ sse => chat_chunk(finish => 'length') ], [ 'done' ] ],
    wait => [ sse_head(), (call('{"input":"one\\'))[0],
              [ wait_file => 'go' ],
              (call('', 'ntwo"}'))[1 .. 3] ],
});

my $nginx = ORS::Nginx->new(model => $model, conf => <<'CONF')->start;
    open_responses_flavor openai;
    open_responses_target default /to/model;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ { open_responses on; }

        %%CHAT /to/model /v1/chat/completions%%
    }
CONF


sub ask ($script, $stream, %body) {
    return post_json($nginx->port, '/v1/responses',
                     { model => 'm', input => 'hi', tools => \@tools,
                       stream => $stream ? json_true : json_false, %body },
                     headers => { 'X-Script' => $script });
}


# the only item of an answer, in both ways; without its id

sub answer ($script, $name, %o) {
    my %as = (expect => 'completed', flavor => 'openai', %o);
    my $s = stream_ok(ask($script, 1), "$name: stream", %as);
    my $d = response_ok(ask($script, 0), $name, %as);
    my ($live, $item) = map { +{ $_->items->[0]->%* } } $s, $d;

    like(delete $_->{id}, qr/\Actc_\w{20,}\z/, "$name: its id")
        for $live, $item;
    is_deeply($live, $item, "$name: the same in both ways");

    return ($item, $s);
}


sub custom ($input, %more) {
    return { type => 'custom_tool_call', status => 'completed',
             call_id => 'a', name => 'apply_patch', input => $input, %more };
}


for my $script (qw( pieces split )) {
    my ($item, $s) = answer($script, "E64: $script");

    is_deeply($item, custom($PATCH), "E64: $script: the call");
    is(join('', $s->deltas('response.custom_tool_call_input.delta')), $PATCH,
       "E64: $script: its deltas");
    is($s->event('response.custom_tool_call_input.done')->{input}, $PATCH,
       "E64: $script: and their end");
}

{
    my ($item) = answer('cut', 'E49: a cut input', expect => 'incomplete');
    is_deeply($item, custom('a', status => 'incomplete'),
              'E49: a cut input: the call');
}


# it comes while the model writes it

{
    my $c = http_start($nginx->port, 'POST', '/v1/responses',
                       { 'Content-Type' => 'application/json',
                         'X-Script' => 'wait' },
                       json_encode({ model => 'm', input => 'hi',
                                     tools => \@tools,
                                     stream => json_true }));

    ok($c->wait_body(qr/custom_tool_call_input\.delta.*"delta":"one"\}\n\n/),
       'a delta comes before the escape is whole');
    $model->touch('go');

    my $s = stream_ok($c->read_response, 'a patch as it is written',
                      flavor => 'openai');

    is_deeply([ $s->deltas('response.custom_tool_call_input.delta') ],
              [ 'one', "\ntwo" ], 'a patch as it is written: its deltas');
}


# requests of Codex

for my $file (glob 't/data/requests/codex-*custom*.json') {
    my $q = json_decode(slurp($file));
    my ($name) = $file =~ m{([^/]+)\.json\z};

    my $s = stream_ok(ask('pieces', 1, %$q{qw( tools input )}), $name,
                      flavor => 'openai');
    is($s->items->[0]{input}, $PATCH, "$name: a patch");
}

$nginx->finish;

done_testing();
