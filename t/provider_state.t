#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Members of answers that a provider wants back (signatures of calls and
# thoughts, "reasoning_details") come back byte for byte: in rounds at the
# gateway, from a client that runs its own tools, and in stored conversations;
# and go to nobody else.  The answers are written after the documentation of
# the providers.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json request );
use ORS::JSON qw( json_decode json_encode json_false json_true );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Sample;
use ORS::Stream qw( response_ok stream_ok );
use ORS::Util qw( spew );
use ORS::WS;

# as long as those of Gemini are, with all that base64 has

my $signature = 'AVSoXO4' . '+a/9Zq_-' x 700 . '==';
my $skip = '{"google":{"thought_signature":'
           . '"skip_thought_signature_validator"}}';

# members of a document, their pieces in a stream, and those that must come
# back: CALL stands for the call's name and arguments

my %provider = (
    gemini => {
        message => '"content":null,"tool_calls":[{"extra_content":{"google":'
            . qq({"thought_signature":"$signature"}},CALL,"id":"fc-1",)
            . '"type":"function"},{CALL,"id":"fc-2","type":"function"}]',
        deltas => [ '"role":"assistant","tool_calls":[{"extra_content":'
            . qq({"google":{"thought_signature":"$signature"}},CALL,)
            . '"id":"fc-1","index":0,"type":"function"}]',
            '"role":"assistant","tool_calls":[{CALL,"id":"fc-2","index":1,'
            . '"type":"function"}]' ],
        back => [ '"extra_content":{"google":{"thought_signature":'
                  . qq("$signature"}}) ],
    },
    openrouter => {
        message => '"content":"","reasoning":"Hm","reasoning_details":['
            . '{"type":"reasoning.text","text":"Hm","format":'
            . '"google-gemini-v1","index":0},{"id":"tool_0","type":'
            . qq("reasoning.encrypted","data":"$signature","format":)
            . '"google-gemini-v1","index":0}],"tool_calls":[{"index":0,'
            . '"id":"tool_0","type":"function",CALL}]',
        deltas => [ map({ '"content":"","reasoning":"' . $_ . '",'
            . '"reasoning_details":[{"type":"reasoning.text","text":"' . $_
            . '","format":"google-gemini-v1","index":0}]' } qw( H m )),
            '"content":"","tool_calls":[{"index":0,"id":"tool_0","type":'
            . '"function",CALL}]',
            '"content":"","reasoning_details":[{"id":"tool_0","type":'
            . qq("reasoning.encrypted","data":"$signature","format":)
            . '"google-gemini-v1","index":0}]' ],
        back => [ '"reasoning_details":[{"type":"reasoning.text","text":"Hm",'
            . '"format":"google-gemini-v1","index":0},{"id":"tool_0","type":'
            . qq("reasoning.encrypted","data":"$signature","format":)
            . '"google-gemini-v1","index":0}]', '"id":"tool_0"' ],
    },
    anthropic => {
        message => '"content":null,"reasoning_content":"Hm",'
            . '"thinking_blocks":[{"type":"thinking","thinking":"Hm",'
            . qq("signature":"$signature"}],"tool_calls":[{"id":"toolu_1",)
            . '"type":"function",CALL}]',
        deltas => [ map({ '"reasoning_content":"' . $_ . '",'
            . '"thinking_blocks":[{"type":"thinking","thinking":"' . $_
            . '","signature":null}]' } qw( H m )),
            '"reasoning_content":"","thinking_blocks":[{"type":"thinking",'
            . qq("thinking":"","signature":"$signature"}]),
            '"tool_calls":[{"index":0,"id":"toolu_1","type":"function",'
            . 'CALL}]' ],
        back => [ '"thinking_blocks":[{"type":"thinking","thinking":"Hm",'
                  . qq("signature":"$signature"}]) ],
    },
);

# the first round has calls of the request's first tool, the next one a text;
# Gemini refuses a first call of a message without a signature

sub answer ($name) {
    my $p = $provider{$name};

    return sub ($conn, $r) {
        my $asked = json_decode($r->{body});
        my @called = grep { $_->{tool_calls} } @{ $asked->{messages} };
        my $tool = $asked->{tools}[0]{function}{name};

        if ($name eq 'gemini'
            && grep { !$_->{tool_calls}[0]{extra_content} } @called)
        {
            return $conn->_play([ [ status => 400 ], [ json => { error => {
                code => 400, status => 'INVALID_ARGUMENT', message =>
                'Function call is missing a thought_signature' } } ] ], 0);
        }

        if (@called) {
            return $conn->_play([ [ status => 503 ], [ raw => '' ] ], 0)
                if $asked->{model} =~ /fails/;

            return $conn->_play($asked->{stream}
                ? stream_script(text => [ 'Done' ])
                : json_script(chat_reply(content => 'Done')), 0);
        }

        my $call = qq("function":{"arguments":"{}","name":"$tool"});
        my ($message, @deltas) = map { s/CALL/$call/gr }
                                     $p->{message}, @{ $p->{deltas} };

        $conn->_play($asked->{stream}
            ? [ sse_head(), map({ [ raw => 'data: {"choices":[{"delta":{'
                . "$_},\"index\":0}]}\n\n" ] } @deltas),
                [ raw => 'data: {"choices":[{"delta":{},"index":0,'
                         . '"finish_reason":"tool_calls"}]}' . "\n\n" ],
                [ 'done' ] ]
            : [ [ header => 'Content-Type', 'application/json' ],
                [ raw => '{"object":"chat.completion","choices":[{"index":0,'
                         . "\"message\":{\"role\":\"assistant\",$message},"
                         . '"finish_reason":"tool_calls"}]}' ] ], 0);
    };
}


my $model = ORS::Model->new(scripts => {
    map({ $_ => answer($_) } keys %provider),
    weather => [ [ raw => 'rain' ] ],
    native => [ [ json => response('completed', model => 'native') ] ],
    other => sub ($conn, $r) {
        $conn->_play(json_decode($r->{body})->{stream}
            ? stream_script(text => [ 'Done' ])
            : json_script(chat_reply(content => 'Done')), 0);
    },
});

my $places = join '', map { <<"CONF" } sort keys %provider;
        location = /to/$_ {
            internal;
            open_responses_dialect chat server=$_;
            proxy_set_header X-Script $_;
            proxy_pass http://%%MODEL%%;
        }
CONF

my $t = ORS::Nginx->new(model => $model, workers => 2, conf => <<"CONF");
    open_responses_secret %%TESTDIR%%/key;
    open_responses_store main lmdb:%%TESTDIR%%/db size=64m;
    open_responses_tool get_weather /tool/weather
                        definition=%%TESTDIR%%/any.json;

    open_responses_target gemini /to/gemini;
    open_responses_target openrouter /to/openrouter;
    open_responses_target anthropic /to/anthropic;
    open_responses_target gemini-fails /to/gemini /to/other;
    open_responses_target openrouter-fails /to/openrouter /to/gemini;
    open_responses_target theirs /to/gemini provider=theirs;
    open_responses_target native /to/native;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
            open_responses_store main;
            open_responses_websocket on;
        }

        location /tool/ {
            internal;
            proxy_pass http://%%MODEL%%/script/;
        }

        location = /to/native {
            internal;
            proxy_set_header X-Script native;
            proxy_pass http://%%MODEL%%;
        }

        location = /to/other {
            internal;
            open_responses_dialect chat;
            open_responses_chat_options reasoning=reasoning_content
                                        state=extra_content,thinking_blocks;
            proxy_set_header X-Script other;
            proxy_pass http://%%MODEL%%;
        }

$places
    }
CONF

spew($t->dir . '/key', '0123456789abcdef' x 4);
chmod 0600, $t->dir . '/key';
spew($t->dir . '/any.json',
     json_encode({ description => 'Any', parameters => { type => 'object' } }));

$t->start;

my $mine = { type => 'function', name => 'mine', strict => json_false,
             parameters => { type => 'object' } };
my @asks = (include => [ 'reasoning.encrypted_content' ],
            store => json_false);


sub ask ($name, $stream, $who, %more) {
    $model->forget;

    my $r = post_json($t->port, '/v1/responses',
        { model => $name, input => 'hi', %more,
          stream => $stream ? json_true : json_false },
        headers => { Authorization => "Bearer $who" });
    my $label = "$name, $who" . ($stream ? ', stream' : '');

    unlike($r->{body}, qr/\Q$signature\E|a\/9Zq_-/,
           "$label: the client does not see the state");

    return ($stream ? \&stream_ok : \&response_ok)->($r, $label)->response;
}


sub asked () { scalar grep { $_->{uri} !~ /script/ } $model->requests }

# the last request has all of "back", or none of it

sub sent () { $model->last_request->{body} }

sub has ($name, $label) {
    for my $back (@{ $provider{$name}{back} }) {
        ok(index(sent(), $back) > 0, "$label: the state is sent back");
    }
}

sub lacks ($label) {
    unlike(sent(), qr/9Zq_-|ors1|reasoning_details|thinking_blocks/,
           "$label: no state is sent");
}


# a client that runs its own tools and keeps all that it gets

sub history ($response) {
    return [ { role => 'user', content => 'hi' }, @{ $response->{output} },
             map { { type => 'function_call_output', output => 'ok',
                     call_id => $_->{call_id} } }
                 grep { $_->{type} eq 'function_call' }
                      @{ $response->{output} } ];
}


for my $name (sort keys %provider) {
    for my $stream (0, 1) {
        my $how = $name . ($stream ? ', stream' : '');

        ask($name, $stream, 'gateway', store => json_false);
        is(asked(), 2, "$how: two rounds with a tool here");
        has($name, "$how, a tool here");

        my $first = ask($name, $stream, 'client', @asks, tools => [ $mine ]);
        my @sealed = grep { $_->{encrypted_content} } @{ $first->{output} };

        ok(@sealed > 0, "$how: the client gets it sealed");

        ask($name, $stream, 'client', @asks, tools => [ $mine ],
            input => history($first));
        has($name, "$how, a tool of the client");

        # reasoning is left out by some, or stands in front

        my @items = @{ history($first) };
        ask($name, $stream, 'client', @asks, tools => [ $mine ], input => [
            $items[0], grep({ $_->{type} eq 'reasoning' } @items[1 .. $#items]),
            grep { $_->{type} ne 'reasoning' } @items[1 .. $#items] ]);
        has($name, "$how, in front of the call");

        my $other = ask($name, $stream, 'store', tools => [ $mine ]);
        is(scalar(grep { $_->{encrypted_content} } @{ $other->{output} }), 0,
           "$how: who does not ask for it gets no item of it");

        ask($name, $stream, 'store', tools => [ $mine ],
            previous_response_id => $other->{id},
            input => [ grep { ($_->{type} // '') eq 'function_call_output' }
                            @{ history($other) } ]);
        has($name, "$how, stored");

        my $r = request($t->port, 'GET', "/v1/responses/$other->{id}",
                        { Authorization => 'Bearer store' });
        is($r->{status}, 200, "$how: what is stored can be read");
        unlike($r->{body}, qr/9Zq_-/, '... and is sealed');
    }
}

# a WebSocket's memory of a turn that is not stored

for my $name (sort keys %provider) {
    my $ws = ORS::WS->new($t->port, path => '/v1/responses',
                          headers => { Authorization => 'Bearer ws' });
    my %more = (model => $name, store => json_false, tools => [ $mine ]);
    my $first = $ws->say('hi', %more);

    $ws->say([ map { { type => 'function_call_output', output => 'ok',
                       call_id => $_->{call_id} } }
                   grep { $_->{type} eq 'function_call' }
                        @{ $first->{output} } ], %more, after => $first);
    has($name, "$name, WebSocket");
    $ws->close(1000);
}

# another provider does not get it

for my $stream (0, 1) {
    ask('gemini-fails', $stream, 'gateway', store => json_false);
    is(asked(), 3, 'the second target goes on');
    lacks('the second target');

    my $first = ask('gemini', $stream, 'client', @asks, tools => [ $mine ]);
    ask('gemini-fails', $stream, 'client', @asks, tools => [ $mine ],
        input => history($first));
    lacks('the second target, a tool of the client');

    # Gemini gets its placeholder in the call of another model

    ask('openrouter-fails', $stream, 'gateway', store => json_false);
    lacks('Gemini after another one');
    ok(index(sent(), qq("extra_content":$skip)) > 0, '... a placeholder is');

    ask('theirs', $stream, 'client', @asks, tools => [ $mine ],
        input => history($first));
    lacks('another provider at the same place');

    # sealed for somebody else, or changed

    ask('gemini', $stream, 'mallory', @asks, tools => [ $mine ],
        input => history($first));
    lacks('sealed for another client');

    # a server that has sealed reasoning itself would refuse ours

    my @items = ({ type => 'reasoning', summary => [],
                   encrypted_content => 'theirs' }, @{ history($first) });

    ask('native', 0, 'client', @asks, tools => [ $mine ], input => \@items);
    lacks('a server with sealed reasoning of its own');
    is_deeply(json_decode(sent())->{input},
              [ grep { ($_->{encrypted_content} // '') !~ /^ors1/ } @items ],
              '... gets all other items');

    for my $item (grep { $_->{encrypted_content} } @items[1 .. $#items]) {
        my $at = \substr $item->{encrypted_content}, 100, 1;

        $$at = $$at eq 'A' ? 'B' : 'A';
    }

    ask('gemini', $stream, 'client', @asks, tools => [ $mine ],
        input => \@items);
    lacks('sealed and changed');
}

is($t->error_log =~ /9Zq_-/, '', 'nothing of it is logged');

$t->finish;

done_testing();
