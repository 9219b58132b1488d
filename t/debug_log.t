#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The debug log tells the life of a call, of back-pressure and of an answer
# that is validated, one line for each change, and no text of anybody.

use v5.36;
use Socket qw( SOL_SOCKET SO_RCVBUF SO_SNDBUF );
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json request_text );
use ORS::JSON qw( json_encode );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Util qw( slurp wait_for );

my $nginx = $ENV{TEST_NGINX_BINARY} || '/usr/sbin/nginx';

plan skip_all => 'nginx is built without --with-debug'
    if `$nginx -V 2>&1` !~ /--with-debug/;

my $secret = 'a secret of yours';

sub flood ($name) {
    return sub ($conn, $r) {
        setsockopt $conn->{sock}, SOL_SOCKET, SO_SNDBUF, 16384;
        $conn->_step_header('Content-Type', 'text/event-stream');
        $conn->_step_flood($name, 1000, 2_500_000);
        $conn->_step_sse(chat_chunk(finish => 'stop'));
        $conn->_step_done;
    };
}

my $model = ORS::Model->new(scripts => {
    good => [ sse_head(), [ sse => chat_chunk(content => $secret) ],
              [ sse => chat_chunk(finish => 'stop') ], [ 'done' ] ],
    down => [ [ status => 503 ],
              [ json => { error => { message => $secret } } ] ],
    html => [ [ header => 'Content-Type', 'text/html' ],
              [ raw => "<p>$secret" ] ],

    flood => flood('flood'),
    left  => flood('left'),
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    server {
        listen 127.0.0.1:%%PORT_0%% sndbuf=64k;
        error_log %%TESTDIR%%/logs/debug.log debug;

        location /v1/ {
            open_responses on;
            open_responses_target two /to/down /to/model;
            open_responses_target default /to/model;
        }

        location /validated/ {
            open_responses_validate on;
            proxy_set_header X-Script $http_x_script;
            proxy_pass http://%%MODEL%%;
        }

        location = /to/model {
            internal;
            open_responses_dialect chat;
            proxy_set_header X-Script $http_x_script;
            proxy_http_version 1.1;
            proxy_pass http://%%MODEL%%/chat;
        }

        location = /to/down {
            internal;
            open_responses_dialect chat;
            proxy_set_header X-Script down;
            proxy_pass http://%%MODEL%%/chat;
        }
    }
CONF

$t->start;

my $file = $t->dir . '/logs/debug.log';
my $read = 0;


sub body ($name, $stream = 1) {
    return json_encode({ model => $name, input => $secret,
                         stream => $stream ? \1 : \0 });
}


# our lines that are new, in short

sub lines () {
    my $text = substr slurp($file), $read;

    $read += length $text;

    return grep { /^ors / } map { /\[debug\] \S+ (?:\*\d+ )?(.*)/ ? $1 : () }
           split /\n/, $text;
}


# the patterns are found one after the other, each in a line of its own; the
# last lines may come after the client has its answer

sub tells ($name, @patterns) {
    my (@lines, $i);

    wait_for(sub {
        push @lines, lines();
        $i = 0;
        $i += $i < @patterns && $_ =~ $patterns[$i] for @lines;
        return $i == @patterns;
    });

    is($i, @patterns, "$name: each line in its place")
        or diag("not found: $patterns[$i]\n", join "\n", @lines);
    is(scalar grep({ /secret/ } @lines), 0, "$name: no text of anybody");

    return @lines;
}


# a call that succeeds

post_json($t->port, '/v1/responses', body('good'),
          headers => { 'X-Script' => 'good' });
my @call = tells('a call',
      qr/^ors gateway: \d+ bytes, stream:1 stored:0 for "\/to\/model"/,
      qr/^ors call: started "\/to\/model"/,
      qr/^ors answer: stream, status 200/,
      qr/^ors turn: over, was \w+, status 200/,
      qr/^ors turn: finalized/);
is(scalar grep({ /^ors call: started/ } @call), 1, 'a call: one line');

# a target that fails, and the next one

post_json($t->port, '/v1/responses', body('two'),
          headers => { 'X-Script' => 'good' });
tells('a failover', qr/^ors call: started "\/to\/down", 1 more/,
      qr/^ors answer: error document, status 503/,
      qr/^ors turn: server_is_overloaded, 1 more targets may be tried/,
      qr/^ors peer: "\/to\/down", broken:1 worked:0/,
      qr/^ors call: retried after 503, "\/to\/model" is next/,
      qr/^ors call: started "\/to\/model"/, qr/^ors answer: stream/);

# an answer that cannot be read

post_json($t->port, '/v1/responses', body('html'),
          headers => { 'X-Script' => 'html' });
tells('an answer of another type', qr/^ors call: started/,
      qr/^ors answer: failure invalid_upstream_answer/,
      qr/^ors turn: fails, invalid_upstream_answer, 502, begun:0/,
      qr/^ors turn: over, was \w+, status 502/);

# a client that is slow

{
    my $c = ORS::HTTP::Conn->new($t->port, rcvbuf => 4096);

    $c->write(request_text('POST', '/v1/responses',
                           { 'Content-Type' => 'application/json',
                             'X-Script' => 'flood' }, body('flood')));

    ok($model->wait_flood_blocked('flood'), 'slow: the model is blocked');

    setsockopt $c->{fh}, SOL_SOCKET, SO_RCVBUF, 1024 * 1024;
    $c->read_response;
    $c->close;

    tells('a slow client', qr/^ors call: started/,
          qr/^ors output: the client takes nothing, sent \d+/,
          qr/^ors pump: back-pressure on, \d+ bytes queued/,
          qr/^ors pump: back-pressure off/);
}

# a client that leaves

{
    my $c = ORS::HTTP::Conn->new($t->port, rcvbuf => 4096);

    $c->write(request_text('POST', '/v1/responses',
                           { 'Content-Type' => 'application/json',
                             'X-Script' => 'left' }, body('left')));
    ok($model->wait_flood_blocked('left'), 'left: the model is blocked');
    $c->close;

    tells('a client that leaves',
          qr/^ors call: dropped with its request/);
}

# the validator's lines about an answer

post_json($t->port, '/validated/responses', body('html', 0),
          headers => { 'X-Script' => 'html' });
tells('a validator', qr/^ors answer: failure/,
      qr/^ors validator: answer refused, 0 repaired, status 502/);

$t->finish;
done_testing();
