#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# "post_action" leads a request that has ended, or whose client has left, to
# another location: nothing of its turn goes on there, and requests without a
# client have no post action.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( http_start post_json request );
use ORS::JSON qw( json_encode json_true );
use ORS::Loop qw( call );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Redis;
use ORS::RedisProxy;
use ORS::Stream qw( response_ok stream_ok );
use ORS::Util qw( spew wait_for );
use ORS::WS;

my @begun = (sse_head(), [ sse => chat_chunk(content => 'Hello') ]);

my $model = ORS::Model->new(scripts => {
    default => stream_script(text => 'Hello'),
    document => json_script(chat_reply(content => 'Hello')),
    hang => [ @begun, [ hang => 'gone' ] ],
    silent => [ [ touch => 'there' ], [ hang => 'gone' ] ],
    calls => json_script(chat_reply(tool_calls => [ call('slow') ])),
    slow => [ [ touch => 'there' ], [ hang => 'gone' ] ],
    action => [ [ touch => 'acting' ], [ wait_file => 'acted' ],
                [ status => 204 ], [ framing => 'length' ], [ 'head' ] ],
});

my $redis = ORS::Redis->new;
my $proxy = ORS::RedisProxy->new($redis);

my $conf = <<'CONF';
    open_responses_store main redis:%%REDIS%%;
    open_responses_store_scope $http_x_user empty=share;
    open_responses_strict off;
    open_responses_target default /to/model;
    open_responses_tool slow /tool/slow definition=%%TESTDIR%%/slow.json;
    open_responses_heartbeat 20ms;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
            open_responses_websocket on;
            open_responses_store main;
            post_action /action;
        }

        location /stored/ {
            open_responses on;
            open_responses_store main;
            post_action @nothing;
        }

        location /checked/ {
            open_responses_validate on;
            post_action /action;
            proxy_pass http://%%MODEL%%/;
        }

        location = /action {
            internal;
            proxy_method POST;
            proxy_set_body '{}';
            proxy_pass http://%%MODEL%%/script/action;
        }

        location @nothing { return 204; }

        %%CHAT /to/model /chat%%

        location = /tool/slow {
            internal;
            proxy_pass http://%%MODEL%%/script/slow;
        }
    }
CONF

my $t = ORS::Nginx->new(model => $model, conf => $conf, quit_may_hang => 1,
                        main => 'worker_shutdown_timeout 500ms;',
                        subst => { REDIS => $proxy->address });

spew($t->dir . '/slow.json',
     json_encode({ name => 'slow', description => 'Slow',
                   parameters => { type => 'object' } }));

$t->start;

my $port = $t->port;


sub begin ($path, $name, %o) {
    return http_start($port, 'POST', "$path/responses",
                      { 'Content-Type' => 'application/json' },
                      json_encode({ model => $name, input => 'hi', %o }));
}


# the post actions that have begun

sub actions () {
    return scalar grep { $_->{uri} =~ /action/ } $model->requests;
}


sub acts ($name) {
    ok($model->wait_file('acting'), "$name: the post action begins");
    $model->touch('acted');
    $model->untouch(qw( acting there gone ));
}


# commands of workers to the store

sub commands () {
    my $n = 0;

    for ($redis->cmd('INFO', 'commandstats') =~ /cmdstat_(\w+:calls=\d+)/g) {
        $n += $1 if !/^info/ && /=(\d+)/;
    }

    return $n;
}


sub serves ($name) {
    response_ok(post_json($port, '/stored/responses',
                          { model => 'document', input => 'hi' }),
                "$name: the worker serves");
}


# a turn that comes to its end

stream_ok(post_json($port, '/v1/responses', { model => 'm', input => 'hi',
                                              stream => json_true }), 'a turn');
acts('a turn');


# a client that leaves: its turn ends, whatever it waits for

{
    my $c = begin('/v1', 'hang', stream => json_true);

    $c->wait_body(qr/output_text[.]delta/);
    $c->close;
    ok($model->wait_file('gone'), 'left in a stream: the model is dropped');
    acts('left in a stream');
}

for my $what (qw( silent calls )) {
    my $c = begin('/v1', $what, stream => json_true);

    ok($model->wait_file('there'), "$what: is called");
    $c->close;
    ok($model->wait_file('gone'), 'left by its client: the call is dropped');
    acts($what);
}

serves('clients that leave');


# ... and a store that answers afterwards finds nobody

{
    my $r = post_json($port, '/stored/responses',
                      { model => 'document', input => 'hi' });
    my @after = (previous_response_id => $r->{json}{id});

    my %left = (
        'a chain' => sub { begin('/v1', 'document', @after) },
        'a commit' => sub { begin('/v1', 'document') },
        'a record' => sub {
            http_start($port, 'GET', "/v1/responses/$r->{json}{id}", {});
        },
    );

    for my $name (sort keys %left) {
        my $n = commands();

        $proxy->does('stall');

        my $c = $left{$name}->();

        ok(wait_for(sub { commands() > $n }), "$name: the store is asked");
        $c->close;
        ok($model->wait_file('acting'), "$name: the post action begins");
        $proxy->does('pass');
        serves($name);
        acts($name);
    }
}


# a validator's upstream is given up by nginx, and its answer is over

{
    my $c = begin('/checked/v1', 'hang', stream => json_true);

    $c->wait_body(qr/./);
    $c->close;
    acts('a validated stream');
    serves('a validator');
}


# the turns of a WebSocket have none, its connection has

{
    my $n = actions();
    my $ws = ORS::WS->new($port);

    $ws->say('hi');
    $ws->create(model => 'hang', input => 'hi');
    $ws->message;
    is(actions(), $n, 'a turn of a WebSocket has no post action');

    $ws->drop;
    ok($model->wait_file('gone'), 'the turn ends with its connection');
    acts('a WebSocket');
    is(actions(), $n + 1, 'one for the connection');
    serves('a WebSocket');
}


# neither has a turn in the background, when the worker does not wait for it

{
    my $n = actions();

    for my $name (qw( document silent )) {
        my $r = post_json($port, '/v1/responses',
                          { model => $name, input => 'hi',
                            background => json_true });

        is($r->{status}, 200, "$name in the background");
        acts("the request for $name");

        next if $name eq 'silent';

        my $path = "/stored/responses/$r->{json}{id}";

        ok(wait_for(sub { request($port, 'GET', $path, {})->{json}{status}
                          eq 'completed' }), 'which ends');
    }

    ok($t->reload(undef, wait_old => 1), 'the old worker leaves');
    is(actions(), $n + 2, 'one for each request of a client');
    serves('the background');
}

$t->finish;

done_testing();
