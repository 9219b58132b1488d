#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The life of a WebSocket: queue and lanes, idle and life time, clients that
# leave or are slow, a store, a log line for each turn, reload.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_encode json_false json_true );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( response_ok );
use ORS::Util qw( slurp wait_for );
use ORS::WS;

my @hang = (sse_head(), [ sse => chat_chunk(content => 'one') ]);

my $model = ORS::Model->new(scripts => {
    default => stream_script(text => 'Hello'),
    wait => [ @hang, [ wait_file => 'go-on' ],
              [ sse => chat_chunk(finish => 'stop') ], [ 'done' ] ],
    hang => [ @hang, [ hang => 'gone' ] ],
    copy => [ @hang, [ hang => 'gone-copy' ] ],
    queue => [ @hang, [ hang => 'gone-queue' ] ],
    closed => [ @hang, [ hang => 'gone2' ] ],
    flood => [ sse_head(), [ flood => 'flooded' ] ],
    slow => [ @hang, [ wait_file => 'go-on-slow' ],
              [ sse => chat_chunk(finish => 'stop') ], [ 'done' ] ],
});

my $t = ORS::Nginx->new(model => $model, http => <<'HTTP', conf => <<'CONF');
    log_format turns '$request_method $status $open_responses_id '
                     '$open_responses_status $open_responses_previous_id '
                     '$request_length $body_bytes_sent';
    open_responses_store main lmdb:%%TESTDIR%%/store size=64m;
HTTP
    server {
        listen 127.0.0.1:%%PORT_0%%;
        access_log %%TESTDIR%%/logs/turns.log turns;
        open_responses_target default /to/chat;

        location /v1/ {
            open_responses on;
            open_responses_websocket on queue=2;
        }

        location /lanes/ {
            open_responses on;
            open_responses_websocket on lanes=on;
        }

        location /bound/ {
            open_responses on;
            open_responses_limits context=4k scope_context=8k;
            open_responses_websocket on lanes=on;
            client_max_body_size 0;
        }

        location /idle/ {
            open_responses on;
            open_responses_websocket on idle=50ms;
        }

        location /short/ {
            open_responses on;
            open_responses_websocket on lifetime=50ms;
        }

        location /beat/ {
            open_responses on;
            open_responses_heartbeat 50ms;
            open_responses_websocket on;
        }

        location /stored/ {
            open_responses on;
            open_responses_websocket on;
            open_responses_store main;
        }

        %%CHAT /to/chat%%
    }
CONF

$t->start;

my $port = $t->port;

sub connected ($where = 'v1', %o) {
    return ORS::WS->new($port, path => "/$where/responses", %o);
}


# the queue

{
    my $ws = connected;

    $ws->create(model => 'wait', input => 'x');
    is($ws->message->{type}, 'response.created', 'one runs');

    $ws->create(model => 'm', input => 'a');
    $ws->create(model => 'm', input => 'b');
    $ws->create(model => 'm', input => 'c');

    my $m;

    do { $m = $ws->message } until $m->{type} eq 'error';

    is($m->{status}, 429, 'two wait, the third is refused');
    $model->touch('go-on');
    ok($ws->turn, 'the one that ran ends');
    $ws->turn_ok("then number $_", expect => 'completed') for 1, 2;
    $ws->drop;
}


# messages that wait have the memory of their text, not that of 100,000 values

{
    my $ws = connected('lanes');
    my $text = json_encode({ type => 'response.create', model => 'm',
                             input => [ ({}) x 100_000 ] });
    my $m;

    $ws->create(model => 'queue', input => 'x');
    is($ws->message->{type}, 'response.created', 'one runs');

    # the first one takes what the worker then has for the others

    $ws->send_text($text);
    $ws->send_json({ type => 'x' });
    1 until ($m = $ws->message)->{type} eq 'error';
    is($m->{status}, 400, 'one waits, what is bad does not');

    my $before = $t->memory;

    $ws->send_text($text) for 2 .. 17;
    1 until ($m = $ws->message)->{type} eq 'error';
    is($m->{status}, 429, '16 wait');

    my $n = ($t->memory - $before) / (15 * length $text);

    diag(sprintf '%.2f bytes for a byte that waits', $n);

    SKIP: {
        skip 'a sanitizer keeps what is freed', 1 if $ENV{TEST_NGINX_ASAN};
        cmp_ok($n, '<', 1.3, 'with the bytes that came');
    }

    $ws->drop;
    ok($model->wait_file('gone-queue'), 'all end');
}


# lanes

{
    my $ws = connected('lanes');
    my $r = $ws->say('main', store => json_false);

    $ws->create(model => 'slow', input => 'x');
    is($ws->message->{type}, 'response.created', 'the default lane is busy');

    $ws->create(model => 'm', input => 'y', stream_id => 'a',
                store => json_false, previous_response_id => $r->{id});

    my %seen;

    while (!$seen{a}) {
        my $m = $ws->message;

        $seen{$m->{stream_id}} = $m
            if defined $m->{stream_id} && $m->{type} eq 'response.completed';
    }

    is($seen{a}{response}{previous_response_id}, $r->{id},
       'another lane runs, and continues what the default one had');

    $model->touch('go-on-slow');
    ok($ws->turn, 'the default lane ends');

    $ws->create(model => 'm', input => 'x', stream_id => 'a b');
    $ws->error_ok(400, 'a bad name', code => 'invalid_stream_id');

    $ws->create(model => 'm', input => 7, stream_id => 'a');
    $ws->error_ok(400, 'an error of a lane', lane => 'a');
    $ws->drop;
}


# memory: of a response, and of the turns that continue one

{
    my $ws = connected('bound');
    my %warm = (store => json_false, generate => json_false);
    my $r = $ws->say('x' x 3000, %warm, name => '3 KB, of any size');
    my $s = $ws->say('y' x 2000, %warm, after => $r, name => '5 KB');

    $ws->create(model => 'm', input => 'z', previous_response_id => $s->{id});
    $ws->error_ok(400, 'a response over "context" is not continued',
                  code => 'previous_response_not_found');

    $r = $ws->say('x' x 3000, %warm);
    $ws->create(model => 'copy', input => 'a', stream_id => 'a',
                previous_response_id => $r->{id});
    is($ws->message->{type}, 'response.created', 'a lane continues one');

    # the copy of one is paid by the response that it copies

    $ws->create(model => 'copy', input => $_, stream_id => $_,
                previous_response_id => $r->{id}) for qw( b c );

    my $m;

    do { $m = $ws->message } while $m->{type} ne 'error';

    is($m->{status}, 429, 'another would hold more than "scope_context"');
    is($m->{error}{code}, 'rate_limit_exceeded', 'and can be tried again');
    $ws->drop;
    ok($model->wait_file('gone-copy'), 'the turn that ran ends');
}


# clients that leave

for my $case ([ hang => 'gone', sub ($ws) { $ws->drop } ],
              [ closed => 'gone2', sub ($ws) { $ws->close } ])
{
    my ($script, $file, $leave) = @$case;
    my $ws = connected;

    $ws->create(model => $script, input => 'x');
    is($ws->message->{type}, 'response.created', 'a turn runs');
    $leave->($ws);
    ok($model->wait_file($file), "$script: the model is stopped");
}


# a client that is slow

{
    my $ws = connected;

    $ws->create(model => 'flood', input => 'x');
    is($ws->message->{type}, 'response.created', 'a model that floods');

    ok($model->wait_flood_blocked('flooded'),
       'is stopped by a client that does not read');

    $ws->drop;
}


# life

is(connected('idle')->closed, 1000, 'idle');

{
    my $ws = connected('short');

    $ws->error_ok(400, 'life time',
                  code => 'websocket_connection_limit_reached');
    is($ws->closed, 1001, 'and its close');
}

{
    my $ws = connected('beat');
    my ($op) = $ws->frame;

    is($op, 9, 'a ping');
    $ws->send_frame(0x8a, '');
    1 while (($op) = $ws->frame);
    ok($ws->{eof}, 'a client that answers nothing more is gone');
}


# a store

{
    my $ws = connected('stored', headers => { Authorization => 'Bearer a' });
    my $r = $ws->say('one');

    is($r->{store}, json_true, 'stored');

    my $s = $ws->say('two', after => $r);

    is($s->{previous_response_id}, $r->{id}, 'continued');

    my $other = connected('stored', headers => { Authorization => 'Bearer a' });
    my $u = $other->say('three', after => $s, store => json_false,
                        name => 'on another connection');

    is($u->{store}, json_false, 'not stored');
    $other->say('four', after => $u);
    is_deeply([ map { $_->{content} }
                    @{ $model->last_request->{json}{messages} } ],
              [ qw( one Hello two Hello three Hello four ) ],
              'what is in the connection goes on from what is stored');

    response_ok(post_json($port, '/stored/responses',
                          { model => 'm', input => 'x',
                            previous_response_id => $s->{id} },
                          headers => { Authorization => 'Bearer a' }),
                'and by HTTP');

    my $bob = connected('stored', headers => { Authorization => 'Bearer b' });

    $bob->create(model => 'm', input => 'x', previous_response_id => $r->{id});
    $bob->error_ok(400, 'of another owner',
                   code => 'previous_response_not_found');
}


# many turns on one connection

{
    my $ws = connected;
    $ws->say('x') for 1 .. 50;

    my $before = $t->memory;
    my $bad = 0;

    # fewer with a sanitizer, where their memory is not looked at
    my $turns = $ENV{TEST_NGINX_ASAN} ? 100 : 1000;

    for (1 .. $turns) {
        $ws->create(model => 'm', input => 'x');
        $bad++ if !grep { /"type":"response[.]completed"/ } $ws->turn;
    }

    is($bad, 0, "$turns turns");

    SKIP: {
        skip 'a sanitizer keeps what is freed', 1 if $ENV{TEST_NGINX_ASAN};
        cmp_ok($t->memory - $before, '<', 1024 * 1024, 'take no memory');
    }

    $ws->close;
    is($ws->closed, 1000, 'closed');
}


# the log

{
    my $ws = connected;
    my $first = $ws->say('one', store => json_false);
    my $text = json_encode({ type => 'response.create', model => 'm',
                             input => 'two', store => json_false,
                             previous_response_id => $first->{id} });
    my ($sent, $end) = (0);

    $ws->send_text($text);

    do {
        my (undef, $payload) = $ws->frame;

        $end = $payload;
        $sent += 2 + (length $payload < 126 ? 0 : 2) + length $payload;
    } until $end =~ /\A\{"type":"response[.]completed"/;

    my ($id) = $end =~ /"id":"(resp_[^"]+)"/;
    my $length = length $text;

    ok(wait_for(sub { slurp($t->dir . '/logs/turns.log')
                          =~ /^POST[ ]200[ ]$id[ ]completed[ ]$first->{id}
                              [ ]$length[ ]$sent$/mx }),
       'a line for a turn, with what it continued and its bytes');

    $ws->create(model => 'm', input => 7);
    $ws->error_ok(400, 'a turn that is refused');
    $ws->drop;

    ok(wait_for(sub { slurp($t->dir . '/logs/turns.log')
                          =~ /^POST 400 - rejected - \d+ [1-9]/m }),
       'a line for it, too');
}

like(slurp($t->dir . '/logs/turns.log'), qr/^GET 101 - - /m,
     'a line for a connection');


# reload

{
    my $idle = connected;
    my $busy = connected;

    unlink $model->dir . '/go-on';
    $busy->create(model => 'wait', input => 'x');
    is($busy->message->{type}, 'response.created', 'a turn runs');

    $t->reload;

    is($idle->closed, 1001, 'an idle connection is closed');
    $model->touch('go-on');
    ok(scalar(grep { /response[.]completed/ } $busy->turn),
       'a turn goes to its end');
    is($busy->closed, 1001, 'and then its connection');
}

is(connected->say('hi')->{status}, 'completed', 'the new worker serves');

$t->finish;

done_testing();
