#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# How WebSockets end: with the worker, in time or killed; by a client that
# resets or does not read; and what an idle or an old connection is, while a
# turn runs.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Util qw( wait_for );
use ORS::WS;

my @hang = (sse_head(), [ sse => chat_chunk(content => 'one') ]);
my @end = ([ sse => chat_chunk(finish => 'stop') ], [ 'done' ]);

my $model = ORS::Model->new(scripts => {
    default => stream_script(text => 'Hello'),
    reset => [ @hang, [ hang => 'gone-reset' ] ],
    killed => [ @hang, [ hang => 'gone-killed' ] ],
    stopped => [ @hang, [ hang => 'gone-stopped' ] ],
    silent => [ [ wait_file => 'speak' ], [ 'close' ] ],
    late => [ @hang, [ wait_file => 'late' ], @end ],
    old => [ @hang, [ wait_file => 'old' ], @end ],
    big => stream_script(text => [ ('0123456789abcdef' x 1024) x 1024 ]),
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF',
    server {
        listen 127.0.0.1:%%PORT_0%%;
        open_responses_target default /to/chat;

        location /v1/ {
            open_responses on;
            open_responses_websocket on;
        }

        location /idle/ {
            open_responses on;
            open_responses_websocket on idle=50ms;
        }

        location /old/ {
            open_responses on;
            open_responses_websocket on lifetime=1s queue=4;
        }

        location = /to/chat {
            internal;
            open_responses_dialect chat;
            proxy_read_timeout 2s;
            proxy_pass http://%%MODEL%%;
        }
    }
CONF
    main => 'worker_shutdown_timeout 500ms;');

$t->provokes(qr/exited on signal 9/)->start;

my $port = $t->port;

sub connected ($where = 'v1') {
    return ORS::WS->new($port, path => "/$where/responses");
}

sub busy ($script, $where = 'v1') {
    my $ws = connected($where);

    $ws->create(model => $script, input => 'x');
    is($ws->message->{type}, 'response.created', "$script: a turn runs");

    return $ws;
}


# an RST in the middle of a turn

busy('reset')->reset;
ok($model->wait_file('gone-reset'), 'a reset stops the model');


# a model that says nothing at all

{
    my $ws = connected;

    $ws->create(model => 'silent', input => 'x');
    $ws->error_ok(504, 'a silent model', code => 'upstream_timeout');
    $ws->say('hi', name => 'the connection goes on');
    $model->touch('speak');
}


# the idle time does not run while a turn does

{
    my $ws = busy('late', 'idle');

    busy('reset', 'idle')->drop;        # a time-out of others has passed
    is(connected('idle')->closed, 1000, 'an idle one is closed meanwhile');

    $model->touch('late');
    ok(scalar(grep { /response[.]completed/ } $ws->turn), 'a turn is not idle');
    is($ws->closed, 1000, 'it is idle then');
}


# a turn that runs when the life time is over goes to its end, another does
# not begin

{
    my $ws = busy('old', 'old');
    my $other = connected('old');

    $other->error_ok(400, 'another connection is over',
                     code => 'websocket_connection_limit_reached');

    $ws->create(model => 'm', input => 'y');

    my $m;

    do { $m = $ws->message } until $m->{type} eq 'error';

    is($m->{error}{code}, 'websocket_connection_limit_reached',
       'no new turn after the life time');

    $model->touch('old');
    ok(scalar(grep { /response[.]completed/ } $ws->turn),
       'the one that ran ends');
    is($ws->closed, 1001, 'and the connection with it');
}


# a client that reads late gets all of it

{
    my $ws = connected;
    my $size = 0;

    $ws->create(model => 'big', input => 'x');
    is(connected->say('hi')->{status}, 'completed', 'others are served');

    while (my $text = $ws->text) {
        $size += length $1 if $text =~ /_text[.]delta".*"delta":"(\w+)"/;
        last if $text =~ /\A\{"type":"response[.]completed"/;
    }

    is($size, 16 * 1024 * 1024, 'all of a long answer');

    SKIP: {
        skip 'a sanitizer keeps what is freed', 1 if $ENV{TEST_NGINX_ASAN};
        cmp_ok($t->memory, '<', 160 * 1024 * 1024, 'the worker is not full');
    }
}


# reload: the worker does not wait for ever

{
    my $busy = busy('stopped');
    my $idle = connected;
    my ($old) = $t->workers;

    ok($t->reload, 'reload');
    is($idle->closed, 1001, 'an idle connection: 1001');
    is($busy->closed, 1006, 'a turn that does not end is cut');
    ok($model->wait_file('gone-stopped'), 'with its model');
    ok(wait_for(sub { !kill 0, $old }), 'the old worker has left');
    is(connected->say('hi')->{status}, 'completed', 'the new one serves');
}


# a worker that is killed

{
    my $busy = busy('killed');
    my $idle = connected;
    my ($old) = $t->workers;

    kill KILL => $old;

    is($idle->closed, 1006, 'the connection is gone');
    is($busy->closed, 1006, 'and that with a turn');
    ok($model->wait_file('gone-killed'), 'the model sees it');
    ok(wait_for(sub { my ($new) = $t->workers; $new && $new != $old }),
       'another worker');
    is(connected->say('hi')->{status}, 'completed', 'it serves');
    $t->{born} = [ $t->workers ];
}

$t->finish;

done_testing();
