#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# A target that fails before anything of its answer was told to the client is
# replaced by the next one.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( http_start post_json );
use ORS::JSON qw( json_decode json_encode json_false json_true );
use ORS::Model qw( chat_chunk chat_reply json_script sse_head
                   stream_script );
use ORS::Nginx;
use ORS::Sample;
use ORS::Stream qw( error_ok response_ok stream_ok );
use ORS::Util qw( free_port );

my $bad = { error => { message => 'no room', code => 'overloaded' } };
my $whole = json_encode(response('completed', model => 'm'));

my $model = ORS::Model->new(scripts => {
    good       => sub ($conn, $r) {
        my $steps = $r->{json}{stream}
                    ? stream_script(text => [ 'Hel', 'lo' ])
                    : json_script(chat_reply(content => 'Hello'));

        $conn->_play($steps, 0);
    },
    full       => [ [ status => 429 ], [ header => 'Retry-After', 9 ],
                    [ json => $bad ] ],
    down       => [ [ status => 503 ], [ json => $bad ] ],
    long       => [ [ status => 400 ], [ json => { error => {
                      message => 'too long',
                      code => 'context_length_exceeded' } } ] ],
    html       => [ [ header => 'Content-Type', 'text/html' ],
                    [ raw => '<html>' ] ],
    'cut-role' => [ sse_head(), [ sse => chat_chunk(role => 'assistant') ],
                    [ 'close' ] ],
    'err-role' => [ sse_head(), [ sse => chat_chunk(role => 'assistant') ],
                    [ sse => $bad ], [ hang => 'let-go' ] ],
    'cut-text' => [ sse_head(), [ sse => chat_chunk(content => 'Hel') ],
                    [ 'close' ] ],
    slow       => [ [ hang => 'left' ] ],
    native     => [ [ header => 'Content-Type', 'application/json' ],
                    [ raw => $whole ] ],
    broken     => [ [ header => 'Content-Type', 'application/json' ],
                    [ raw => '{"secret"' ] ],
});

my @first = qw( full down long html cut-role err-role cut-text slow broken );

my $targets = join '', map { <<"CONF" } @first, qw( good native );
        location = /to/$_ {
            internal;
            open_responses_dialect @{[ /native|broken/ ? 'responses'
                                                       : 'chat' ]};
            proxy_read_timeout @{[ $_ eq 'slow' ? '500ms' : '60s' ]};
            proxy_set_header X-Script $_;
            proxy_pass http://%%MODEL%%/chat;
        }
CONF

my $routes = join '', map { <<"CONF" } @first;
        open_responses_target $_ /to/$_ /to/good;
        open_responses_target only-$_ /to/$_;
CONF

my $t = ORS::Nginx->new(model => $model, subst => { REFUSED => free_port() },
                        conf => <<"CONF");
    server {
        listen 127.0.0.1:%%PORT_0%%;

$routes
        open_responses_target refused /to/refused /to/good;
        open_responses_target nowhere /to/nowhere /to/good;
        open_responses_target three /to/full /to/down /to/good;
        open_responses_target four /to/full /to/down /to/html /to/good;
        open_responses_target all /to/down /to/full;
        open_responses_target native /to/broken /to/down /to/native;

        location /v1/ { open_responses on; }

        location /two/ {
            open_responses on;
            open_responses_target_tries 2;
        }

$targets
        location = /to/nowhere { internal; root %%TESTDIR%%/nowhere; }

        location = /to/refused {
            internal;
            open_responses_dialect chat;
            proxy_pass http://127.0.0.1:%%REFUSED%%/;
        }
    }
CONF

$t->start;


sub ask ($model, $stream = 0, $at = 'v1') {
    return post_json($t->port, "/$at/responses",
                     { model => $model, input => 'hi',
                       stream => $stream ? json_true : json_false });
}


sub served ($name, $requests) {
    for my $stream (0, 1) {
        my $how = "E52: $name" . ($stream ? ', stream' : '');
        my $n = $model->count;
        my $check = $stream ? \&stream_ok : \&response_ok;
        my $s = $check->(ask($name, $stream), $how, expect => 'completed');

        is($s->text, 'Hello', "$how: the other one answers");
        is($model->count, $n + $requests, "$how: requests");
    }
}

served($_, 2) for qw( full down html cut-role err-role slow );
served($_, 1) for qw( refused nowhere );
served('three', 3);

ok($model->wait_file('let-go'), 'a target that has failed is let go');


# failures that another server would repeat, and failures that come late

for my $stream (0, 1) {
    my $n = $model->count;

    error_ok(ask('long', $stream), 400, "long, stream $stream",
             code => 'context_length_exceeded');
    is($model->count, $n + 1, "long, stream $stream: one request");

}

{
    my $n = $model->count;

    stream_ok(ask('cut-text', 1), 'E52: cut-text', expect => 'failed',
              code => 'upstream_disconnected');
    is($model->count, $n + 1, 'E52: cut-text: no failover after an item');

    is(response_ok(ask('cut-text'), 'cut-text, plain')->text, 'Hello',
       'cut-text, plain: a document is sent at its end');
    is($model->count, $n + 3, 'cut-text, plain: requests');
}


# the last one's failure is the client's, with its header and no other's

for my $stream (0, 1) {
    my $r = ask('all', $stream);

    error_ok($r, 429, "all, stream $stream", code => 'rate_limit_exceeded');
    is($r->{headers}{'retry-after'}, 9, "all, stream $stream: retry-after");

    $r = ask('three', $stream, 'two');
    error_ok($r, 503, "three, two tries, stream $stream");
    is($r->{headers}{'retry-after'}, undef,
       "three, two tries, stream $stream: nothing of the first one");

    my $n = $model->count;

    error_ok(ask('four', $stream), 502, "four, three tries, stream $stream");
    is($model->count, $n + 3, "four, three tries, stream $stream: requests");
}


# answers that are passed on

{
    my $n = $model->count;
    my $r = ask('native');

    is($r->{status}, 200, 'native: status');
    is(json_decode($r->{body})->{model}, 'native', 'native: answer');
    is($model->count, $n + 3, 'native: requests');
    unlike($r->{body}, qr/secret/, 'native: nothing of the others');
}


# a client that leaves while the second one is asked

{
    my $c = http_start($t->port, 'POST', '/v1/responses',
                       { 'Content-Type' => 'application/json' },
                       json_encode({ model => 'only-slow', input => 'hi' }));

    ok($model->wait_file('left'), 'slow ones are let go');
    $c->close;
}

ok($t->wait_log(qr{"/to/full" has failed with rate_limit_exceeded, trying}),
   'the log tells of it');

$t->finish;
done_testing();
