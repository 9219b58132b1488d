#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# A client that waits for a stream hears something while the model is silent.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( http_start post_json );
use ORS::JSON qw( json_encode json_false json_true );
use ORS::Model qw( chat_chunk json_script chat_reply sse_head
                   stream_script );
use ORS::Nginx;
use ORS::Sample;
use ORS::Stream qw( error_ok response_ok stream_ok );

my @events = split /(?<=\n\n)/, render(good());

my $model = ORS::Model->new(scripts => {
    thinks => [ [ wait_file => 'word' ],
                @{ stream_script(text => [ 'Hel', 'lo' ]) } ],
    pauses => [ sse_head(), [ sse => chat_chunk(content => 'Hel') ],
                [ wait_file => 'rest' ],
                [ sse => chat_chunk(content => 'lo') ],
                [ sse => chat_chunk(finish => 'stop') ], [ 'done' ] ],
    fails  => [ [ wait_file => 'fail' ], [ status => 500 ],
                [ json => { error => { message => 'no' } } ] ],
    slow   => [ [ wait_file => 'whole' ],
                @{ json_script(chat_reply(content => 'Hello')) } ],
    native => [ [ header => 'Content-Type', 'text/event-stream' ],
                [ raw => $events[0] ], [ wait_file => 'native' ],
                [ raw => join '', @events[ 1 .. $#events ] ] ],
    good   => stream_script(text => [ 'Hello' ]),
    quick  => [ sse_head(), map({ [ sse => chat_chunk(content => 'x') ],
                                  [ sleep => 0.5 ] } 1 .. 9),
                [ sse => chat_chunk(finish => 'stop') ], [ 'done' ] ],
});

my @chat = qw( thinks pauses fails slow good quick );

my $targets = join '', map { <<"CONF" } @chat;
        location = /to/$_ {
            internal;
            open_responses_dialect chat;
            proxy_set_header X-Script $_;
            proxy_pass http://%%MODEL%%/chat;
        }
CONF

my $t = ORS::Nginx->new(model => $model, conf => <<"CONF");
    server {
        listen 127.0.0.1:%%PORT_0%%;

        open_responses_target  thinks  /to/thinks;
        open_responses_target  pauses  /to/pauses;
        open_responses_target  fails   /to/fails;
        open_responses_target  other   /to/fails /to/good;
        open_responses_target  slow    /to/slow;
        open_responses_target  quick   /to/quick;
        open_responses_target  native  /to/native;

        location /v1/ {
            open_responses on;
            open_responses_heartbeat 100ms;
        }

        location /seldom/ {
            open_responses on;
            open_responses_heartbeat 4s;
        }

        location /off/ {
            open_responses on;
            open_responses_heartbeat 0;
        }

$targets
        location = /to/native {
            internal;
            proxy_set_header X-Script native;
            proxy_pass http://%%MODEL%%/native;
        }
    }
CONF

$t->start;


# waits for what matches, then lets the model go on

sub told ($name, $file, $re, $at = 'v1') {
    my $c = http_start($t->port, 'POST', "/$at/responses",
                       { 'Content-Type' => 'application/json' },
                       json_encode({ model => $name, input => 'hi',
                                     stream => json_true }));

    ok($c->wait_body($re), "$name: something is heard");
    $model->touch($file);

    return $c->read_response;
}

my $begun = qr/event: response\.in_progress\ndata: [^\n]+\n\n/;

{
    my $r = told('thinks', 'word', qr/$begun(?::\n\n){2}\z/);
    my $s = stream_ok($r, 'thinks', expect => 'completed');

    is($s->text, 'Hello', 'thinks: the answer');
    cmp_ok($s->comments, '>=', 2, 'thinks: comments');

    $r = told('pauses', 'rest', qr/delta.*?\n\n:\n\n/s);
    is(stream_ok($r, 'pauses', expect => 'completed')->text, 'Hello',
       'pauses: the answer');

    $r = told('native', 'native', qr/\n\n:\n\n/);
    stream_ok($r, 'native', lax => 1);
}

{
    my $r = told('fails', 'fail', qr/$begun/);

    stream_ok($r, 'fails: the stream says so', expect => 'failed',
              code => qr/./);

    is(stream_ok(told('other', 'fail', qr/$begun/), 'other',
                 expect => 'completed')->text, 'Hello',
       'other: another target is tried after response.created');
}


# who is told nothing

{
    my $s = stream_ok(post_json($t->port, '/seldom/responses',
                                { model => 'quick', input => 'hi',
                                  stream => json_true }), 'quick');

    is($s->comments, 0, 'quick: no comment is sent');

    my $c = http_start($t->port, 'POST', '/v1/responses',
                       { 'Content-Type' => 'application/json' },
                       json_encode({ model => 'slow', input => 'hi' }));

    ok(!$c->wait_body(qr/./, 0.4), 'slow: a document is not talked into');
    $model->touch('whole');
    response_ok($c->read_response, 'slow', expect => 'completed');
}

error_ok(post_json($t->port, '/off/responses',
                   { model => 'fails', input => 'hi', stream => json_true }),
         500, 'off: a failure before the first word is a status');

$t->finish;
done_testing();
