#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Streams that are open when nginx is reloaded or told to leave end as if
# nothing had happened.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::H2;
use ORS::HTTP qw( post_json http_start request_text );
use ORS::JSON qw( json_encode );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( stream_ok response_ok error_ok );
use ORS::Util qw( wait_for );


sub two_halves ($name) {
    return [ sse_head(), [ sse => chat_chunk(content => 'one') ],
             [ touch => "$name-there" ], [ wait_file => "$name-go" ],
             [ sse => chat_chunk(content => ' two') ],
             [ sse => chat_chunk(finish => 'stop') ], [ 'done' ] ];
}


my $model = ORS::Model->new(scripts => {
    (map { ($_ => two_halves($_)) } qw( first second third last )),
    plain => [ [ touch => 'plain-there' ], [ wait_file => 'plain-go' ],
               [ json => chat_reply(content => 'plain') ] ],
    flood => [ sse_head(), [ flood => 'flood', 1000, 2_000_000 ],
               [ sse => chat_chunk(finish => 'stop') ], [ 'done' ] ],
});

# the limit tells old from new

my $conf = <<'CONF';
    open_responses_strict off;

    server {
        listen 127.0.0.1:%%PORT_0%%;
        listen 127.0.0.1:%%PORT_1%% http2;

        location /v1/ {
            open_responses on;
            open_responses_target ~^(first|second|plain|m)$ /to/model;
            open_responses_target default /to/model;
            open_responses_limits items=LIMIT;
        }

        %%CHAT /to/model /chat%%
    }
CONF

my $t = ORS::Nginx->new(model => $model, conf => $conf =~ s/LIMIT/1/r);

$t->start;

my %json = ('Content-Type' => 'application/json');


sub open_stream ($name, $stream = 1) {
    my $c = http_start($t->port, 'POST', '/v1/responses', \%json,
                       json_encode({ model => $name, input => 'x',
                                     stream => $stream ? \1 : \0 }));

    ok($model->wait_file("$name-there"), "$name: open");
    return $c;
}


sub three_items () {
    return post_json($t->port, '/v1/responses', { model => 'm',
        input => [ map { { role => 'user', content => 'x' } } 1 .. 3 ] });
}


sub go_on ($c, $name) {
    $model->touch("$name-go");

    my $s = stream_ok($c->read_response, "$name: ends");

    is($s->text, 'one two', "$name: text");
}


error_ok(three_items(), 400, 'the old limit');

my ($old) = $t->workers;
my $first = open_stream('first');
my $plain = open_stream('plain', 0);

# a body that is on its way, and a client that does not read

my $half = http_start($t->port, 'POST', '/v1/responses',
                      { %json, 'Content-Length' => 28 }, '{"model":"m",');
my $slow = ORS::HTTP::Conn->new($t->port, rcvbuf => 4096);
my $h2 = ORS::H2->new($t->port(1));
my $n = $h2->send('POST', '/v1/responses', \%json,
                  json_encode({ model => 'second', input => 'x',
                                stream => \1 }));

ok($h2->wait_body($n, qr/"one"/), 'second: open, HTTP/2');

$slow->write(request_text('POST', '/v1/responses', \%json,
                          '{"model":"flood","input":"x","stream":true}'));
ok($slow->read_head, 'flood: open');

ok($t->reload($conf =~ s/LIMIT/3/r), 'reloaded');

my ($new) = $t->workers;

isnt($new, $old, 'another worker');
ok(kill(0, $old), 'the old one is there');
response_ok(three_items(), 'the new limit');

my $third = open_stream('third');

ok($t->reload, 'reloaded again, with three streams on two workers');
response_ok(three_items(), 'the new worker serves');

go_on($third, 'third');
go_on($first, 'first');
$model->touch('second-go');
is(stream_ok($h2->read_response($n), 'second: ends, HTTP/2')->text,
   'one two', 'second: text');
$model->touch('plain-go');
response_ok($plain->read_response, 'plain: ends');

my $s = stream_ok($slow->read_response, 'flood: ends');

is(length $s->text, 1000 * $s->deltas, 'flood: text');
$half->write('"input":"text"');
ok(kill(0, $old), 'the old worker waits for the last one');
$half->write('}');
response_ok($half->read_response, 'a body that was on its way');
$_->close for $first, $third, $plain, $slow, $half, $h2;

ok(wait_for(sub { !kill 0, $old }), 'then the old worker leaves');


# told to leave

my ($pid) = $t->workers;
my $last = open_stream('last');

kill 'QUIT', $t->pid;
ok($t->wait_log(qr/gracefully shutting down/), 'the old worker shuts down');
ok(kill(0, $pid), 'a stream is open');
go_on($last, 'last');
$last->close;
ok(wait_for(sub { !kill 0, $pid }), 'it ends, and nginx leaves');

# there is no nginx left for the usual comparison
$t->{born} = [];
$t->finish;

done_testing();
