#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Streams through a validator in time: nothing is held back, a slow client slows
# the server down, memory stays, and a reload cuts nothing.

use v5.36;
use Socket qw( SOL_SOCKET SO_RCVBUF SO_SNDBUF );
use Test::More;
use lib 't/lib';
use ORS::H2;
use ORS::HTTP qw( http_start post_json question request_text );
use ORS::JSON qw( json_encode json_true );
use ORS::Model qw( chat_chunk chat_stream );
use ORS::Nginx;
use ORS::Sample;
use ORS::Stream qw( error_ok stream_ok );

use constant { MB => 1024 * 1024, DELTA => 1000, MANY => 10_000 };

# bytes that sockets hold themselves; the model's has a small buffer
my $sockets = 1.8 * MB;

my $good = render(good());
my @frames = $good =~ /(.*?\n\n)/gs;
my @chunks = ((map { 'data: ' . json_encode($_) . "\n\n" }
               chat_stream(text => [ 'Hel', 'lo' ], model => 'parrot-1')),
              "data: [DONE]\n\n");
my @sse = ([ header => 'Content-Type', 'text/event-stream' ]);

# a message of many texts
my @long = (opened(), added(message('msg_a', 'in_progress')),
            (text_part('msg_a', 0, 'x'))[0]);
my @deltas = map { frame(ev('output_text.delta', item_id => 'msg_a',
                            output_index => 0, content_index => 0,
                            delta => 'x', logprobs => [],
                            sequence_number => $_ + 4)) } 0 .. MANY + 499;


sub steps ($name, @list) {
    return [ @sse, map { ([ wait_file => "$name-$_" ], [ raw => $list[$_] ]) }
                   0 .. $#list ];
}

# chunks up to a limit, then the end
sub flood ($name, $limit) {
    return sub ($conn, $r) {
        setsockopt $conn->{sock}, SOL_SOCKET, SO_SNDBUF, 16384;
        $conn->_step_header('Content-Type', 'text/event-stream');
        $conn->_step_flood($name, DELTA, $limit);
        $conn->_step_sse(chat_chunk(finish => 'stop'));
        $conn->_step_done;
    };
}

my $begin = join '', @frames[0 .. 5];

my $model = ORS::Model->new(scripts => {
    events => steps(events => @frames),
    chunks => steps(chunks => @chunks),
    alive  => [ @sse, [ raw => ": a\n\n" ], [ wait_file => 'alive-1' ],
                [ raw => ": b\n\n" ], [ wait_file => 'alive-2' ],
                [ raw => $good ] ],
    (map { ($_ => flood($_, 2.5 * MB)) } qw( http1 http2 report buffered )),
    (map { ($_ => flood($_, 100 * MB)) } qw( leaves never )),
    reload => [ @sse, [ raw => $begin ], [ touch => 'reload-there' ],
                [ wait_file => 'reload-go' ],
                [ raw => substr $good, length $begin ] ],
    long   => [ @sse, [ raw => render([ @long ]) =~ s/data: \[DONE\]\n\n//r ],
                (map { [ raw => $deltas[$_] ] } 0 .. 499),
                [ touch => 'long-500' ], [ wait_file => 'long-go' ],
                (map { [ raw => $deltas[$_] ] } 500 .. $#deltas),
                [ hang => 'gone' ] ],
    whole  => [ [ json => json_encode(response('completed',
                                               model => 'parrot-1')) ] ],
});

my $conf = <<'CONF';
    upstream kept {
        server %%MODEL%%;
        keepalive 4;
    }

    proxy_http_version 1.1;
    proxy_set_header Connection "";

    server {
        listen 127.0.0.1:%%PORT_0%% sndbuf=64k;
        listen 127.0.0.1:%%PORT_1%% http2 sndbuf=64k;

        open_responses_validate on any_path;

        location /v1/ { proxy_pass http://kept/v1/; }

        location /report/ {
            open_responses_validate on report;
            proxy_pass http://kept/v1/;
        }

        location /buffered/ {
            proxy_buffering on;
            proxy_buffers 64 64k;
            proxy_pass http://kept/v1/;
        }

        # a connection that was used has larger buffers in the kernel

        location /new/ { proxy_pass http://%%MODEL%%/v1/; }

        location /new/report/ {
            open_responses_validate on report;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /new/buffered/ {
            proxy_buffering on;
            proxy_buffers 64 64k;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /short/ {
            send_timeout 300ms;
            proxy_pass http://kept/v1/;
        }
    }
CONF

my $t = ORS::Nginx->new(model => $model, conf => $conf);

$t->start;

my $pid = ($t->workers)[0];


sub headers ($script) {
    return { 'Content-Type' => 'application/json', 'X-Script' => $script };
}

sub body ($path, $stream = 1) {
    return json_encode(question($path, 'parrot-1',
                                $stream ? (stream => json_true) : ()));
}

sub start ($path, $script, $stream = 1) {
    return http_start($t->port, 'POST', $path, headers($script),
                      body($path, $stream));
}

# a client with a small window, that reads nothing by itself
sub slow_client ($path, $script) {
    my $c = ORS::HTTP::Conn->new($t->port, rcvbuf => 4096);

    $c->write(request_text('POST', $path, headers($script), body($path)));

    return $c;
}


# each event when it is there

for (([ v1 => 'responses', 'events', @frames ],
      [ buffered => 'responses', 'events', @frames ],
      [ report => 'responses', 'events', @frames ],
      [ v1 => 'chat/completions', 'chunks', @chunks ],
      [ report => 'chat/completions', 'chunks', @chunks ]))
{
    my ($at, $path, $script, @list) = @$_;

    for my $h2 (0, 1) {
        my $name = "/$at/$path" . ($h2 ? ', HTTP/2' : '');
        my ($c, $n, $seen) = (undef, undef, 0);

        if ($h2) {
            $c = ORS::H2->new($t->port(1));
            $n = $c->send('POST', "/$at/$path", headers($script),
                          body($path));

        } else {
            $c = start("/$at/$path", $script);
        }

        # the last chunk of all ends a stream; [DONE] may come before it
        for my $i (0 .. $#list - 2) {
            my $sent = quotemeta join '', @list[0 .. $i];

            $model->touch("$script-$i");
            last if !$c->wait_body($h2 ? $n : (), qr/\A$sent/);
            $seen++;
        }

        is($seen, $#list - 1, "$name: each before the next is sent");
        $model->touch("$script-$_") for $#list - 1, $#list;

        my $r = $c->read_response($h2 ? $n : ());

        ok($r->{complete}, "$name: to its end");
        is($r->{body}, join('', @list), "$name: as it was sent");
        $model->untouch(map { "$script-$_" } 0 .. $#list);
        $c->close;
    }
}

for my $at (qw( v1 report )) {
    my $c = start("/$at/responses", 'alive');

    ok($c->wait_body(qr/\A:[^\n]*\n\n\z/), "$at: a comment before all else");
    is($c->read_head->{status}, 200, "$at: the head has come with it");
    $model->touch('alive-1');
    ok($c->wait_body(qr/\A(?::[^\n]*\n\n){2}\z/), "$at: and another");
    $model->touch('alive-2');
    is(stream_ok($c->read_response, "$at: then the stream")->comments, 2,
       "$at: they count") if $at eq 'v1';
    $c->close;
    $model->untouch(qw( alive-1 alive-2 ));
}


# a client that reads nothing for a while

for (([ http1 => '/new', 0 ], [ http2 => '/new', 1 ],
      [ report => '/new/report', 0 ], [ buffered => '/new/buffered', 0 ]))
{
    my ($name, $at, $h2) = @$_;
    my $path = "$at/chat/completions";
    my $before = $t->memory($pid);
    my ($c, $n);

    if ($h2) {
        $c = ORS::H2->new($t->port(1), window => 20_000);
        $n = $c->send('POST', $path, headers($name), body($path));

    } else {
        $c = slow_client($path, $name);
    }

    my $bytes = $model->wait_flood_blocked($name);

    ok($bytes, "$name: the server is blocked");
    cmp_ok($bytes // 1e9, '<', $sockets, "$name: soon");
    cmp_ok($t->memory($pid) - $before, '<', 3 * MB, "$name: little memory");
    is(post_json($t->port, '/v1/responses', body('', 0),
                 headers => headers('whole'))->{status}, 200,
       "$name: others are served");
    ok(!$model->exists("$name.end"), "$name: and the server waits");

    if ($h2) {
        $c->{window} = undef;
        $c->open_window($n, 1 << 20);

    } else {
        setsockopt $c->fh, SOL_SOCKET, SO_RCVBUF, MB;
    }

    my $r = $h2 ? $c->read_response($n) : $c->read_response;

    ok($r->{complete}, "$name: all of it comes");
    like($r->{body}, qr/data: \[DONE\]\n\n\z/, "$name: to its end");
    cmp_ok(length $r->{body}, '>', 2.5 * MB, "$name: each chunk");
    $c->close;
}

{
    my $c = slow_client('/short/chat/completions', 'never');

    ok($model->wait_file('never.end'), 'never reads: the server is cut off');
    ok($t->wait_log(qr/client timed out/), 'never reads: the log says why');
    $c->close;

    $c = slow_client('/new/chat/completions', 'leaves');
    ok($model->wait_flood_blocked('leaves'), 'leaves: it is blocked');
    $c->reset;
    ok($model->wait_file('leaves.end'), 'leaves: the server is cut off');
}


# memory of a long stream

{
    my $c = start('/v1/responses', 'long');
    my $count = sub ($n) {
        $c->wait_body(qr/"sequence_number":@{[ $n + 3 ]},/);
    };

    ok($model->wait_file('long-500') && $count->(500), 'long: the beginning');

    my $before = $t->memory($pid);

    $model->touch('long-go');
    ok($count->(MANY + 500), 'long: all of it');

    my $grown = $t->memory($pid) - $before;

    cmp_ok($grown, '<', $ENV{TEST_NGINX_ASAN} ? 8 * MB : MB / 2,
           'long: no memory for what has passed')
        or diag("grown by $grown");
    $c->close;
    ok($model->wait_file('gone'), 'long: upstream is closed');
}


# a reload

{
    my $c = start('/v1/responses', 'reload');

    ok($model->wait_file('reload-there') && $c->wait_body(qr/output_item/),
       'reload: a stream is open');
    ok($t->reload($conf =~ s/validate on any_path;/validate off;/r),
       'reload: done');
    is(post_json($t->port, '/v1/responses', '{', headers => headers('whole'))
       ->{status}, 200, 'reload: there is no validator for others');
    $model->touch('reload-go');
    is(stream_ok($c->read_response, 'reload: the stream goes on')->text,
       "Let me look \x{1f30a}.", 'reload: to its end');
    $c->close;
    ok($t->reload($conf, wait_old => 1), 'reload: again');
    error_ok(post_json($t->port, '/v1/responses', '{',
                       headers => headers('whole')), 400,
             'reload: the validator is back');
}


$t->finish;
done_testing();
