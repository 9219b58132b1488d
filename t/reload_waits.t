#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Whatever a request waits for when its worker is told to leave, it goes on
# and ends there as it should have; then the worker leaves, in good order.

use v5.36;
use IO::Socket::INET ();
use Socket qw( SOL_SOCKET SO_SNDBUF );
use Test::More;
use lib 't/lib';
use ORS::H2;
use ORS::HTTP qw( get post_json http_start );
use ORS::JSON qw( json_encode );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( stream_ok response_ok error_ok );
use ORS::Util qw( wait_for );

use constant {
    FLOOD => 300_000,
    SMALL => 4096,      # a socket's buffer
};

my $json = [ header => 'Content-Type', 'application/json' ];
my $reply = json_encode(chat_reply(content => 'Hello world'));
my $hello = [ sse => chat_chunk(content => 'Hello') ];
my @rest = ([ sse => chat_chunk(content => ' world') ],
            [ sse => chat_chunk(finish => 'stop') ], [ 'done' ]);


# a script that stands still until the test wants it to go on

sub held ($name, $before, @after) {
    return ($name => [ @$before, [ touch => "$name.there" ],
                       [ wait_file => "$name.go" ], @after ]);
}


sub flood ($name) {
    return ($name => sub ($conn, $r) {
        setsockopt $conn->{sock}, SOL_SOCKET, SO_SNDBUF, SMALL;
        $conn->_play([ sse_head(), [ flood => $name, 1000, FLOOD ],
                       @rest[1, 2] ], 0);
    });
}

my $model = ORS::Model->new(scripts => {
    (map { held($_ => [ sse_head(), $hello ], @rest) }
         'stream', 'busy', 'h2-stream', map { "nth-$_" } 1 .. 4),
    (map { held($_ => [], @{ stream_script(text => 'Hello world') }) }
         qw( silent h2-silent )),
    (map { held($_ => [], $json, [ raw => $reply ]) } qw( plain h2-plain )),
    (map { held($_ => [ sse_head(), $hello ], @rest,
                [ hang => "$_.gone" ]) } qw( lingers h2-lingers )),
    held('no-body' => [ sse_head(), [ 'head' ] ], $hello, @rest),
    held(document => [ $json, [ raw => substr $reply, 0, 40 ] ],
         [ raw => substr $reply, 40 ]),
    held(error => [], @{ json_script({ error => {} }, 500) }),
    held(cut => [ sse_head(), $hello ], [ 'close' ]),
    stays => sub ($conn, $r) {
        $conn->_play([ sse_head(), $hello ], 0);
        $conn->touch('stays.there');
        $conn->touch('stays.gone') if $conn->wait_gone;
        $conn->_shut;
    },
    (map { flood($_) } qw( slow h2-slow )),
});

my $conf = <<'CONF';
    limit_req_zone $server_port zone=one:1m rate=2r/s;

    upstream kept {
        server %%MODEL%%;
        keepalive 4;
    }

    server {
        listen 127.0.0.1:%%PORT_0%% sndbuf=4k;
        listen 127.0.0.1:%%PORT_1%% http2 sndbuf=4k;

        add_header X-Pid $pid always;
        open_responses_limits queue=8k;

        location /v1/ {
            open_responses on;
            open_responses_target default /to/model;
        }

        location /late/ {
            open_responses on;
            open_responses_target default /to/late;
        }

        location = /to/model {
            internal;
            open_responses_dialect chat;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_pass http://kept/chat;
        }

        location = /to/other {
            internal;
            open_responses_dialect chat;
            open_responses_model other;
            proxy_pass http://%%MODEL%%/chat;
        }

        location = /to/late {
            internal;
            open_responses_dialect chat;
            limit_req zone=one burst=5;
            proxy_pass http://%%MODEL%%/chat;
        }
    }
CONF

my $t = ORS::Nginx->new(model => $model, conf => $conf)->start;
my $port = $t->port;
my %type = ('Content-Type' => 'application/json');


sub is_plain ($name) { $name =~ /plain|document|error/ }


sub body ($name) {
    return json_encode({ model => $name, input => 'hi',
                         stream => is_plain($name) ? \0 : \1 });
}


# a request that the model has stopped at: its name and connection

sub begin ($name, @o) {
    my $c = http_start($port, 'POST', '/v1/responses', \%type, body($name),
                       @o);

    ok($model->wait_file("$name.there"), "$name: waits");

    return [ $name, $c ];
}


sub begin_slow () {
    my $c = http_start($port, 'POST', '/v1/responses', \%type, body('slow'),
                       rcvbuf => SMALL);

    ok($model->wait_flood_blocked('slow'), 'slow: waits');

    return [ 'slow', $c ];
}


# one of which only the head and half of the body have been sent

sub begin_half () {
    my $c = http_start($port, 'POST', '/v1/responses',
                       { %type, 'Content-Length' => length body('m') },
                       substr body('m'), 0, 10);

    # a worker closes connections that it has read nothing of; a later one is
    # read after this

    error_ok(get($port, '/v1/nothing'), 404, 'half a request has come');

    return [ 'm', $c, substr body('m'), 10 ];
}


# ones that wait for their turn at "limit_req"

sub begin_late () {
    my @late = map { [ 'm', http_start($port, 'POST', '/late/responses',
                                       \%type, body('m')) ] } 1 .. 3;

    ok($t->wait_log(qr/delaying request/), 'requests are delayed');

    # a later connection is accepted after theirs

    error_ok(get($port, '/v1/nothing'), 404, 'all of them are accepted');

    return @late;
}


sub go_on (@names) {
    $model->touch("$_.go") for @names;
}


# an answer is as it should be, from the worker that had the question

sub answered ($r, $name, $pid, $label) {
    if ($name eq 'error') {
        error_ok($r, 500, $label);

    } elsif ($name eq 'cut') {
        stream_ok($r, $label, expect => 'failed');

    } else {
        my $s = is_plain($name)
                ? response_ok($r, $label, expect => 'completed')
                : stream_ok($r, $label, expect => 'completed');

        like($s->text, $name =~ /slow/ ? qr/\Ax{50000}/
                       : $name eq 'm' ? qr/\AHello\z/ : qr/\AHello world\z/,
             "$label: text");
    }

    is($r->{headers}{'x-pid'}, $pid, "$label: by its worker");
}


sub ends ($what, $pid, @open) {
    for (@open) {
        my ($name, $c, $rest) = @$_;

        go_on($name);
        $c->write($rest) if defined $rest;
        answered($c->read_response, $name, $pid, "$what: $name");
        $c->close;
    }
}


sub left ($pid, $what) {
    ok(wait_for(sub { !kill 0, $pid }), "$what: the worker leaves");
    ok($t->wait_log(qr/worker process $pid exited with code 0/),
       "$what: in good order");
}


sub served ($pid, $what) {
    answered(post_json($port, '/v1/responses', body('m')), 'm', $pid,
             "$what: a new request");
}


# scripts stand still again

sub again () {
    unlink grep { !-d } glob $model->dir . '/*';
}


# a reload

{
    my ($old) = $t->workers;
    my @open = ((map { begin($_) } qw( stream silent no-body plain document
                                       error cut lingers )),
                begin_slow, begin_half);

    my $idle = http_start($port, 'POST', '/v1/responses', \%type, body('m'),
                          keepalive => 1);
    stream_ok($idle->read_response, 'a keep-alive connection');

    my (undef, $busy) = @{ begin('busy', keepalive => 1) };

    my $h2 = ORS::H2->new($t->port(1));
    my %stream = map { $_ => $h2->send('POST', '/v1/responses', \%type,
                                       body($_)) }
                 qw( h2-stream h2-silent h2-plain h2-lingers );
    my $half = $h2->send('POST', '/v1/responses', \%type);

    $h2->data($half, substr body('m'), 0, 10);
    ok($model->wait_file("$_.there"), "$_: waits") for sort keys %stream;

    my $narrow = ORS::H2->new($t->port(1), window => 100);
    my $slow = $narrow->send('POST', '/v1/responses', \%type,
                             body('h2-slow'));

    ok($narrow->wait_body($slow, qr/created/), 'h2-slow: has begun');
    ok($model->wait_flood_blocked('h2-slow'), 'h2-slow: waits');

    push @open, begin_late;

    ok($t->reload, 'reload');

    my ($new) = $t->workers;

    isnt($new, $old, 'reload: another worker');
    served($new, 'reload');
    ok(kill(0, $old), 'reload: the old one is there');
    ok($idle->is_closed, 'reload: an idle connection is closed');
    $idle->close;

    ends('reload', $old, @open);
    ok($model->wait_file('lingers.gone'), 'reload: upstream closed');

    go_on('busy');
    stream_ok($busy->read_response, 'reload: on a keep-alive connection');
    ok($busy->is_closed, 'reload: which is closed then');
    $busy->close;

    go_on(keys %stream);
    $h2->data($half, substr(body('m'), 10), 1);

    answered($h2->read_response($stream{$_}), $_, $old, "reload: $_")
        for sort keys %stream;
    answered($h2->read_response($half), 'm', $old, 'reload: half, HTTP/2');
    $h2->close;

    ok(kill(0, $old), 'reload: the old one waits for the last');
    $narrow->open_window($slow, 10_000_000);
    answered($narrow->read_response($slow), 'h2-slow', $old,
             'reload: h2-slow');
    $narrow->close;

    left($old, 'reload');
    served($new, 'after the reload');
    again();
}


# another target is for new requests; a bad configuration is for none

{
    my ($old) = $t->workers;
    my @open = ((map { begin($_) } qw( stream silent )), begin_half);
    my $count = $model->count;

    $t->provokes(qr/unknown directive "nonsense"/);
    ok(!$t->reload("nonsense;\n$conf"), 'a bad configuration');
    served($old, 'a bad configuration');

    ok($t->reload($conf =~ s{default /to/model}{default /to/other}r),
       'another target');
    served(($t->workers)[0], 'another target');
    is($model->last_request->{json}{model}, 'other',
       'another target: of a new request');

    ends('another target', $old, @open);
    is($model->last_request->{json}{model}, 'm',
       'another target: not of one that is on its way');
    is($model->count, $count + 3, 'another target: each was asked once');
    left($old, 'another target');

    ok($t->reload($conf, wait_old => 1), 'and back');
    again();
}


# some reloads in a row; what was first ends last

{
    my @open;

    for my $n (1 .. 4) {
        push @open, [ $t->workers, begin("nth-$n"), begin_half ];
        ok($t->reload, "reload $n");
        served(($t->workers)[0], "reload $n");
    }

    is(scalar(() = $t->workers(all => 1)), 5, 'five workers');

    for (reverse @open) {
        my ($pid, @requests) = @$_;

        ends('some reloads', $pid, @requests);
        left($pid, $requests[0][0]);
    }

    again();
}


# nor a model server that does not end its stream nor a client that leaves
# keeps a worker

{
    my ($old) = $t->workers;
    my (undef, $c) = @{ begin('lingers') };

    go_on('lingers');
    ok($c->wait_body(qr/\[DONE\]\n\n\z/), 'all of a stream has come');

    # the master would let too much time pass
    kill 'QUIT', $old;

    answered($c->read_response, 'lingers', $old, 'told at its end');
    $c->close;
    ok($model->wait_file('lingers.gone'), 'told at its end: upstream closed');
    left($old, 'told at its end');
    ok($t->reload, 'a worker again');
    again();

    for my $leave (qw( close reset half_close )) {
        my ($pid) = $t->workers;
        my (undef, $stays) = @{ begin('stays') };

        ok($t->reload, "$leave: reload");
        $stays->$leave;
        ok($model->wait_file('stays.gone'), "$leave: upstream closed");
        left($pid, $leave);
        $stays->close;
        again();
    }
}


# the end of nginx: no new connections, but what is there goes on

{
    my ($pid) = $t->workers;
    my @open = ((map { begin($_) } qw( stream silent plain no-body )),
                begin_slow, begin_half);
    my $lingers = begin('lingers');

    go_on('lingers');
    ok($lingers->[1]->wait_body(qr/\[DONE\]\n\n\z/), 'lingers: all has come');

    kill 'QUIT', $t->pid;

    ok(wait_for(sub { !IO::Socket::INET->new(PeerAddr => $t->address) }),
       'quit: no new connections');
    ends('quit', $pid, $lingers, @open);
    ok($t->stop, 'quit: nginx leaves');
    is($t->{exit}, 0, 'quit: in good order');
    $t->finish;
    again();
}


# worker_shutdown_timeout ends what is still there

{
    $t = ORS::Nginx->new(model => $model, conf => $conf,
                         main => 'worker_shutdown_timeout 500ms;')->start;
    $port = $t->port;

    my ($old) = $t->workers;
    my @open = ((map { begin($_) } qw( stream silent no-body plain document
                                       stays )),
                begin_slow, begin_half);
    my $lingers = begin('lingers');
    my $h2 = ORS::H2->new($t->port(1));
    my @n = map { $h2->send('POST', '/v1/responses', \%type, body($_)) }
            qw( h2-stream h2-silent h2-plain );

    ok($model->wait_file('h2-plain.there'), 'h2-plain: waits');

    my @late = begin_late;

    go_on('lingers');
    ok($lingers->[1]->wait_body(qr/\[DONE\]\n\n\z/), 'lingers: has come');
    ok($t->reload, 'time-out: reload');
    served(($t->workers)[0], 'time-out');
    left($old, 'time-out');
    ok($model->wait_file("$_.gone"), "time-out: $_: upstream closed")
        for qw( stays lingers );
    stream_ok($lingers->[1]->read_response, 'time-out: one that was sent');

    # the first has had its turn, the last has not
    stream_ok($_->[1]->read_response->{body}, 'time-out: delayed',
              partial => 1) for @late;

    for (@open) {
        my ($name, $c) = @$_;
        my $r = $c->read_response;

        ok(!$r->{complete} && !$r->{timeout}, "time-out: $name: is cut");
        stream_ok($r->{body}, "time-out: $name: so far", partial => 1)
            if $r->{status} && !is_plain($name);
        $c->close;
    }

    $h2->read_response($n[0]);
    ok($h2->{eof}, 'time-out: HTTP/2 is closed');
    $t->finish;
}

done_testing();
