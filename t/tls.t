#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Clients that come through TLS: streams, documents, slow readers, and those
# that leave.  curl is the client.

use v5.36;
use POSIX ();
use Test::More;
use lib 't/lib';
use ORS::HTTP ();
use ORS::JSON qw( json_encode );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( stream_ok response_ok error_ok );
use ORS::Util qw( slurp wait_for );

my $model = ORS::Model->new(scripts => {
    long => stream_script(text => [ ('x' x 1000) x 500 ]),
    steps => [ sse_head(), [ sse => chat_chunk(content => 'one') ],
               [ wait_file => 'go' ], [ sse => chat_chunk(finish => 'stop') ],
               [ 'done' ] ],
    gone => sub ($conn, $r) {
        $conn->_step_header('Content-Type', 'text/event-stream');
        $conn->_step_sse(chat_chunk(content => 'one'));
        $conn->touch('gone') if $conn->wait_gone;
    },
    silent => sub ($conn, $r) {
        $conn->touch('there');
        $conn->touch('gone') if $conn->wait_gone;
    },
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    ssl_certificate      %%TESTDIR%%/cert.pem;
    ssl_certificate_key  %%TESTDIR%%/key.pem;

    proxy_read_timeout        10m;
    open_responses_heartbeat  0;

    server {
        listen 127.0.0.1:%%PORT_0%% ssl http2;

        location /v1/ {
            open_responses on;
            open_responses_target default /to/model;
        }

        %%CHAT /to/model /chat%%
    }
CONF

my $dir = $t->dir;

system('openssl req -x509 -nodes -days 2 -newkey ec '
       . '-pkeyopt ec_paramgen_curve:prime256v1 -subj /CN=localhost '
       . "-keyout $dir/key.pem -out $dir/cert.pem 2>$dir/openssl.log") == 0
    or die "openssl makes no certificate\n";

$t->start;


# starts curl; what it got is in files

sub curl ($http2, $name, $stream, @args) {
    my $pid = fork // die "cannot fork: $!\n";

    unlink map { "$dir/curl.$_" } qw( head body );

    if ($pid == 0) {
        open STDERR, '>', "$dir/curl.err";
        exec 'curl', '-q', '-sS', '-k', '--no-buffer', '--max-time', 60,
            $http2 ? '--http2' : '--http1.1',
            '-D', "$dir/curl.head", '-o', "$dir/curl.body", @args,
            '-H', 'Content-Type: application/json', '-d',
            json_encode({ model => $name, input => 'x',
                          stream => $stream ? \1 : \0 }),
            'https://127.0.0.1:' . $t->port . '/v1/responses'
            or POSIX::_exit(127);
    }

    return $pid;
}


sub reply ($pid) {
    waitpid $pid, 0;

    my $exit = $? >> 8;
    my $p = ORS::HTTP::Parser->new('POST');

    $p->take_head(slurp("$dir/curl.head") =~ s/\r\n\z//r);
    $p->{body} = slurp("$dir/curl.body");
    $p->{done} = $exit == 0;
    $p->{framing} = 'h2';

    return $p->reply;
}


sub wait_body ($re) {
    return wait_for(sub { slurp("$dir/curl.body") =~ $re });
}


for my $h2 (0, 1) {
    my $how = $h2 ? 'HTTP/2' : 'HTTP/1.1';
    my $r = reply(curl($h2, 'm', 1));

    stream_ok($r, "$how, stream");
    is($r->{version}, $h2 ? '2' : '1.1', "$how, stream: its version");
    response_ok(reply(curl($h2, 'm', 0)), "$how, plain");
    error_ok(reply(curl($h2, 5, 0)), 400, "$how, wrong type");
    is(length stream_ok(reply(curl($h2, 'long', 1)), "$how, long")->text,
       500_000, "$how, long: text");

    # curl reads one second's worth and rests, so that nginx is held up
    is(length stream_ok(reply(curl($h2, 'long', 1, '--limit-rate', '2M')),
                        "$how, slow")->text, 500_000, "$how, slow: text");

    # each event at once
    my $pid = curl($h2, 'steps', 1);

    ok(wait_body(qr/"one"/), "$how, steps: the first");
    $model->touch('go');
    stream_ok(reply($pid), "$how, steps");

    # and gone with the client
    for my $name (qw( gone silent )) {
        $pid = curl($h2, $name, 1);
        ok($name eq 'gone' ? wait_body(qr/"one"/)
                           : $model->wait_file('there'), "$how, $name: open");
        kill 'KILL', $pid;
        waitpid $pid, 0;

        ok($model->wait_file('gone'), "$how, $name: upstream closed");
        $model->untouch(qw( gone there ));
    }

    $model->untouch('go');
}

$t->finish;

done_testing();
