#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Functions that run at the gateway, behind locations: the model's calls are
# answered there, round after round, and the client gets one response.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_encode json_false json_true );
use ORS::Loop qw( plan call messages outputs );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( response_ok stream_ok error_ok );
use ORS::Util qw( slurp spew );

my $usage = sub ($n) {
    return { prompt_tokens => $n, completion_tokens => 2 * $n,
             total_tokens => 3 * $n,
             prompt_tokens_details => { cached_tokens => $n },
             completion_tokens_details => { reasoning_tokens => $n } };
};

my $model = ORS::Model->new(scripts => { default => plan(
    weather => [ { tool_calls => [ call('get_weather', city => 'Oslo') ] },
                 'It rains' ],
    wordy   => [ { text => 'Let me see', reasoning => 'Hm',
                   tool_calls => [ call('get_weather', city => 'Oslo') ] },
                 'It rains' ],
    three   => [ { tool_calls => [ call('get_weather', n => 1) ],
                   usage => $usage->(1) },
                 { text => 'Again',
                   tool_calls => [ call('get_weather', n => 2) ],
                   usage => $usage->(10) },
                 { text => 'It rains', usage => $usage->(100) } ],
    pair    => [ { tool_calls => [ call('slow'), call('fast') ] }, 'Both' ],
    many    => [ { tool_calls => [ map { call("get_weather#$_", n => $_) }
                                   1 .. 12 ] }, 'All' ],
    same    => [ { tool_calls => [ call('get_weather#1', n => 1) ] },
                 { tool_calls => [ call('get_weather#1', n => 2) ] }, 'Two' ],
    hybrid  => [ { tool_calls => [ call('get_weather#h', city => 'Oslo'),
                                   call('mine#c', x => 1) ] }, 'Done' ],
    declared => [ { tool_calls => [ call('plain', x => 1) ] }, 'Done' ],
    quiet   => [ { text => 'A', tool_calls => [ call('hidden', x => 1) ] },
                 'B' ],
    empty   => [ { tool_calls => [ { id => 'c', name => 'get_weather',
                                     arguments => '' } ] }, 'Done' ],
    broken  => [ { tool_calls => [ { id => 'c', name => 'get_weather',
                                     arguments => '[1]' } ] }, 'Sorry' ],
) });

my $weather = qq({"rain":true,\n"text":"a \\"b\\" \xc3\xa5"});

my $text = $weather;
utf8::decode($text);

my $tools = ORS::Model->new(scripts => {
    weather => [ [ header => 'Content-Type', 'application/json' ],
                 [ raw => $weather ] ],
    text => [ [ header => 'Content-Type', 'text/plain' ], [ raw => 'fast' ] ],
    empty => [ [ status => 204 ], [ framing => 'length' ], [ 'head' ] ],
    slow => [ [ wait_file => 'fast' ], [ header => 'Content-Type',
                                         'text/plain' ], [ raw => 'slow' ] ],
    fast => [ [ header => 'Content-Type', 'text/plain' ], [ raw => 'quick' ],
              [ touch => 'fast' ] ],
});

my $t = ORS::Nginx->new(workers => 2, model => { MODEL => $model,
                                                 TOOLS => $tools },
                        conf => <<'CONF');
    open_responses_tool get_weather /tool/weather
                        definition=%%TESTDIR%%/weather.json;
    open_responses_tool slow /tool/slow definition=%%TESTDIR%%/any.json;
    open_responses_tool fast /tool/fast definition=%%TESTDIR%%/any.json;
    open_responses_tool hidden /tool/text definition=%%TESTDIR%%/any.json
                        show=none timeout=5s;
    open_responses_tool plain /tool/text?a=b;

    open_responses_target default /to/model;
    open_responses_target native /to/native;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ { open_responses on; }

        %%CHAT /to/model /chat%%

        location = /to/native {
            internal;
            proxy_pass http://%%MODEL%%/script/native;
        }

        location = /tool/weather {
            internal;
            proxy_set_header X-Tool $open_responses_tool_name;
            proxy_set_header X-Call $open_responses_tool_call_id;
            proxy_pass http://%%TOOLS%%/script/weather;
        }

        location = /tool/text {
            internal;
            proxy_set_header X-Args $args;
            proxy_pass http://%%TOOLS%%/script/text;
        }

        location = /tool/slow {
            internal;
            proxy_pass http://%%TOOLS%%/script/slow;
        }

        location = /tool/fast {
            internal;
            proxy_pass http://%%TOOLS%%/script/fast;
        }
    }
CONF

my $parameters = { type => 'object',
                   properties => { city => { type => 'string' } } };

spew($t->dir . '/weather.json',
     json_encode({ name => 'get_weather', description => 'The weather',
                   parameters => $parameters }));
spew($t->dir . '/any.json',
     json_encode({ description => 'Any', parameters => $parameters }));

$t->start;


sub ask ($name, $stream, %more) {
    $model->forget;
    $tools->forget;
    $tools->untouch('fast');

    my $r = post_json($t->port, '/v1/responses',
                      { model => $name, input => 'hi',
                        stream => $stream ? json_true : json_false, %more },
                      headers => { Authorization => 'Bearer key-of-client',
                                   'X-Mine' => 'mine' });

    my $how = $name . ($stream ? ', stream' : '');

    return $stream ? stream_ok($r, $how, expect => $more{expect} // 'completed')
                   : response_ok($r, $how,
                                 expect => $more{expect} // 'completed');
}


sub kinds ($s) {
    return map { $_->{type} =~ s/^function_call/call/r } @{ $s->items };
}


for my $stream (0, 1) {
    my $how = $stream ? 'stream' : 'document';
    my $s = ask('weather', $stream);
    my ($first, $second) = $model->requests;

    is_deeply([ kinds($s) ], [ qw( call call_output message ) ],
              "$how: call, output, text");
    is($s->text, 'It rains', "$how: text");
    is($s->items->[1]{call_id}, $s->items->[0]{call_id}, "$how: ids");
    is($s->items->[1]{output}, $text,
       "$how: the answer is the output");
    like($s->items->[1]{id}, qr/^fco_/, "$how: id of the output");
    is_deeply($s->response->{tools}, [], "$how: tools are not the client's");

    is(scalar(my @all = $model->requests), 2, "$how: two requests");
    is_deeply([ messages($first) ], [ 'user hi' ], "$how: first messages");
    is_deeply([ map { s/ \{"rain.*//sr } messages($second) ],
              [ 'user hi', 'call get_weather {"city":"Oslo"}', 'tool' ],
              "$how: messages of the second round");
    is_deeply($first->{json}{tools}[0],
              { type => 'function', function => {
                    name => 'get_weather', description => 'The weather',
                    parameters => $parameters } }, "$how: offered");
    is(scalar @{ $first->{json}{tools} }, 4, "$how: all that are defined");
    is($first->{headers}{authorization}, 'Bearer key-of-client',
       "$how: the model's key");
    is($second->{headers}{authorization}, 'Bearer key-of-client',
       "$how: the model's key in the second round");

    my ($r) = $tools->requests;

    is($r->{method}, 'POST', "$how: tool: POST");
    is($r->{body}, '{"city":"Oslo"}', "$how: tool: arguments");
    is($r->{headers}{'content-type'}, 'application/json', "$how: tool: type");
    is($r->{headers}{'content-length'}, 15, "$how: tool: length");
    is($r->{headers}{authorization}, undef, "$how: tool: no key");
    is($r->{headers}{'x-tool'}, 'get_weather', "$how: tool: its name");
    is($r->{headers}{'x-call'}, $s->items->[0]{call_id},
       "$how: tool: id of the call");

    $s = ask('wordy', $stream);
    is_deeply([ kinds($s) ],
              [ qw( reasoning message call call_output message ) ],
              "$how: a round with text");
    is(($model->requests)[1]{json}{messages}[1]{content}, 'Let me see',
       "$how: the client gets the text of the first round");

    $s = ask('three', $stream);
    is_deeply([ kinds($s) ],
              [ qw( call call_output message call call_output message ) ],
              "$how: three rounds");
    is_deeply($s->usage,
              { input_tokens => 111, output_tokens => 222,
                total_tokens => 333,
                input_tokens_details => { cached_tokens => 111 },
                output_tokens_details => { reasoning_tokens => 111 } },
              "$how: usage is the sum");

    $s = ask('pair', $stream);
    is_deeply([ kinds($s) ],
              [ qw( call call call_output call_output message ) ],
              "$how: calls side by side");
    is_deeply([ outputs(($model->requests)[1]) ], [ qw( slow quick ) ],
              "$how: outputs in the order of the calls");
    is_deeply([ map { $_->{output} // () } @{ $s->items } ],
              [ qw( slow quick ) ], "$how: the client's, too");

    $s = ask('many', $stream);
    is(scalar(grep { $_->{type} eq 'function_call_output' } @{ $s->items }),
       12, "$how: more calls than run at once");

    $s = ask('same', $stream);
    my %ids = map { $_->{call_id} => 1 } grep { $_->{call_id} } @{ $s->items };
    is(scalar keys %ids, 2, "$how: an id that comes again is replaced");

    $s = ask('quiet', $stream);
    is_deeply([ kinds($s) ], [ qw( message message ) ], "$how: show=none");
    is($s->text, 'AB', "$how: show=none: texts");
    is_deeply([ outputs(($model->requests)[1]) ], [ 'fast' ],
              "$how: show=none: the model sees it");

    $s = ask('empty', $stream);
    is(($tools->requests)[0]{body}, '{}', "$how: no arguments");

    $s = ask('broken', $stream);
    is(scalar($tools->requests), 0, "$how: arguments that are no object");
    is_deeply([ outputs(($model->requests)[1]) ],
              [ 'The tool was not called: its arguments are not the JSON '
                . 'object that it needs.' ], "$how: the model reads why");
}


# a client's own functions

my $mine = { type => 'function', name => 'mine', parameters => $parameters };
my $plain = { type => 'function', name => 'plain', parameters => $parameters };

for my $stream (0, 1) {
    my $how = $stream ? 'stream' : 'document';
    my $s = ask('hybrid', $stream, tools => [ $mine ]);

    is_deeply([ kinds($s) ], [ qw( call call call_output ) ],
              "$how: hybrid ends with the client's call");
    is(scalar $model->requests, 1, "$how: hybrid: one request");
    is(scalar @{ $s->response->{tools} }, 1, "$how: tools as they were sent");
    is(($model->requests)[0]{json}{tools}[0]{function}{name}, 'mine',
       "$how: the client's come first");

    my @next = ({ type => 'message', role => 'user', content => 'hi' },
                @{ $s->items },
                { type => 'function_call_output', output => 'ok',
                  call_id => $s->items->[1]{call_id} });

    $s = ask('hybrid', $stream, tools => [ $mine ], input => \@next);
    is_deeply([ map { s/ \{"rain.*//sr }
                messages(($model->requests)[0]) ],
              [ 'user hi', 'call get_weather {"city":"Oslo"}',
                'call mine {"x":1}', 'tool', 'tool ok' ],
              "$how: hybrid: the follow-up is complete");
    is($s->text, 'Done', "$how: hybrid: it goes on");

    $s = ask('declared', $stream, tools => [ $plain ]);
    is_deeply([ kinds($s) ], [ qw( call call_output message ) ],
              "$how: a function that the client declares runs here");
    is(($tools->requests)[0]{headers}{'x-args'}, 'a=b',
       "$how: arguments of the URI");

    error_ok(post_json($t->port, '/v1/responses',
                       { model => 'weather', input => 'hi',
                         stream => $stream ? json_true : json_false,
                         tools => [ $mine, { %$mine, name => 'fast' } ] }),
             400, "$how: a clash", param => 'tools[1].name',
             message => qr/"fast"/);
}

# a call that is required comes in the first round

ask('weather', 0, tool_choice => 'required');
is_deeply([ map { $_->{json}{tool_choice} } $model->requests ],
          [ qw( required auto ) ], 'tool_choice: required');

ask('weather', 1, tool_choice => { type => 'function',
                                   name => 'get_weather' });
is_deeply([ map { $_->{json}{tool_choice} } $model->requests ],
          [ { type => 'function', function => { name => 'get_weather' } },
            'auto' ], 'tool_choice: a name');

like(slurp($t->dir . '/logs/error.log'),
     qr/\[info\] .* tool "get_weather" has answered after \d+ ms, status 200/,
     'a line in the log');
unlike(slurp($t->dir . '/logs/error.log') =~ s/client sent.*//r, qr/Oslo/,
       'without arguments') if !$ENV{TEST_NGINX_DEBUG};

# bodies of each length: what is allocated for them ends at each address

{
    my $good = 0;

    for my $n (1 .. 32) {
        my $r = post_json($t->port, '/v1/responses',
                          { model => 'three', input => 'x' x $n });

        $good += ($r->{json}{status} // '') eq 'completed';
    }

    is($good, 32, 'requests of 32 lengths');
}


$t->finish;

done_testing();
