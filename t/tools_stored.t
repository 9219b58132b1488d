#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Functions that run at the gateway, and stored conversations: a follow-up has
# the calls and their outputs, and a response in the background runs its tools.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json request );
use ORS::JSON qw( json_encode json_false json_true );
use ORS::Loop qw( plan call messages outputs );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( response_ok stream_ok );
use ORS::Util qw( slurp spew wait_for );

my $model = ORS::Model->new(scripts => { default => plan(
    weather => [ { tool_calls => [ call('get_weather', city => 'Oslo') ] },
                 'It rains' ],
    hybrid => [ { tool_calls => [ call('get_weather#h', city => 'Oslo'),
                                  call('mine#c', x => 1) ] }, 'Done' ],
    hidden => [ { tool_calls => [ call('hidden') ] }, 'It rains' ],
    slow => [ { tool_calls => [ call('slow') ] }, 'At last' ],
    hang => [ { tool_calls => [ call('hang') ] }, 'never' ],
) });

my $tools = ORS::Model->new(scripts => {
    weather => [ [ raw => 'rain' ] ],
    slow => [ [ touch => 'there' ], [ wait_file => 'go' ], [ raw => 'ok' ] ],
    hang => [ [ touch => 'there' ], [ hang => 'gone' ] ],
});

my $t = ORS::Nginx->new(workers => 2, model => { MODEL => $model,
                                                 TOOLS => $tools },
                        conf => <<'CONF');
    open_responses_store main lmdb:%%TESTDIR%%/db size=64m;
    open_responses_store_scope $http_x_user;
    open_responses_target default /to/model;

    open_responses_tool get_weather /tool/weather
                        definition=%%TESTDIR%%/any.json;
    open_responses_tool slow /tool/slow definition=%%TESTDIR%%/any.json;
    open_responses_tool hang /tool/hang definition=%%TESTDIR%%/any.json;
    open_responses_tool hidden /tool/weather definition=%%TESTDIR%%/any.json
                        show=none;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
            open_responses_store main;
        }

        %%CHAT /to/model /chat%%

        location /tool/ {
            internal;
            proxy_pass http://%%TOOLS%%/script/;
        }
    }
CONF

spew($t->dir . '/any.json',
     json_encode({ description => 'Any', parameters => { type => 'object' } }));

$t->start;

my @user = (headers => { 'X-User' => 'ann' });
my $mine = { type => 'function', name => 'mine' , strict => json_false,
             parameters => { type => 'object' } };


sub ask ($name, $stream, %more) {
    $model->forget;
    $tools->forget;

    my $r = post_json($t->port, '/v1/responses',
                      { model => $name, input => 'hi',
                        stream => $stream ? json_true : json_false, %more },
                      @user);

    return ($stream ? \&stream_ok : \&response_ok)
           ->($r, $name . ($stream ? ', stream' : ''),
              expect => $more{background} ? 'queued' : 'completed');
}


sub get ($path) {
    return request($t->port, 'GET', "/v1/responses/$path",
                   { 'X-User' => 'ann' });
}


for my $stream (0, 1) {
    my $how = $stream ? 'stream' : 'document';

    my $id = ask('weather', $stream)->response->{id};
    my $r = get($id);

    is_deeply([ map { $_->{type} } @{ $r->{json}{output} } ],
              [ qw( function_call function_call_output message ) ],
              "$how: what is stored");
    is_deeply([ map { $_->{type} } @{ get("$id/input_items")->{json}{data} } ],
              [ 'message' ], "$how: the input is the client's own");

    ask('plain', $stream, previous_response_id => $id, input => 'and?');
    is_deeply([ messages(($model->requests)[0]) ],
              [ 'user hi', 'call get_weather {"city":"Oslo"}', 'tool rain',
                'assistant It rains', 'user and?' ],
              "$how: a follow-up has all of it, once");

    # with tools of its own, that run again

    $id = ask('weather', $stream, previous_response_id => $id,
              input => 'again')->response->{id};
    is(scalar(outputs(($model->requests)[1])), 2,
       "$how: a tool runs in a follow-up");

    $id = ask('hybrid', $stream, tools => [ $mine ])->response->{id};

    my $s = ask('hybrid', $stream, tools => [ $mine ],
                previous_response_id => $id,
                input => [ { type => 'function_call_output', output => 'ok',
                             call_id => 'call_c' } ]);

    is_deeply([ messages(($model->requests)[0]) ],
              [ 'user hi', 'call get_weather {"city":"Oslo"}',
                'call mine {"x":1}', 'tool rain', 'tool ok' ],
              "$how: only the client's output comes, and it is complete");
    is($s->text, 'Done', "$how: it goes on");

    $id = ask('hidden', $stream)->response->{id};
    is_deeply([ map { $_->{type} } @{ get($id)->{json}{output} } ],
              [ 'message' ], "$how: show=none: stored as it was shown");

    ask('plain', $stream, previous_response_id => $id, input => 'and?');
    is_deeply([ messages(($model->requests)[0]) ],
              [ 'user hi', 'assistant It rains', 'user and?' ],
              "$how: show=none: a follow-up does not see it");
}


# in the background

sub ended ($id) {
    wait_for(sub { get($id)->{json}{status} ne 'in_progress' }, 20);
    return get($id)->{json};
}

{
    my $r = post_json($t->port, '/v1/responses',
                      { model => 'slow', input => 'hi',
                        background => json_true }, @user);
    my $id = $r->{json}{id};

    is($r->{json}{status}, 'queued', 'background: it is stored');
    ok($tools->wait_file('there'), 'background: the tool runs');
    $tools->touch('go');

    my $end = ended($id);

    is($end->{status}, 'completed', 'background: it ends');
    is_deeply([ map { $_->{type} } @{ $end->{output} } ],
              [ qw( function_call function_call_output message ) ],
              'background: all items');
}

{
    $tools->untouch(qw( there go ));

    my $r = post_json($t->port, '/v1/responses',
                      { model => 'hang', input => 'hi',
                        background => json_true }, @user);
    my $id = $r->{json}{id};

    ok($tools->wait_file('there'), 'cancel: the tool runs');

    is(request($t->port, 'POST', "/v1/responses/$id/cancel",
               { 'X-User' => 'ann' })->{status}, 200, 'cancel');
    ok($tools->wait_file('gone'), 'cancel: the tool is cancelled');
    is(ended($id)->{status}, 'cancelled', 'cancel: what is stored');
}

$t->finish;

done_testing();
