#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# A validated exchange that ends early: after a rejected answer, and after the
# client has gone, the connection to the server closes at once.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::H2;
use ORS::HTTP qw( http_start post_json question );
use ORS::JSON qw( json_encode json_true );
use ORS::Model;
use ORS::Nginx;
use ORS::Sample;
use ORS::Stream qw( error_ok stream_ok );

my $good = render(good());
my @frames = $good =~ /(.*?\n\n)/gs;
my @sse = ([ header => 'Content-Type', 'text/event-stream' ]);

my $begin = join '', @frames[0 .. 5];

my $model = ORS::Model->new(scripts => {
    broken => [ @sse, [ raw => $begin ], [ raw => "data: {}\n\n" ],
                [ hang => 'gone' ] ],
    first  => [ @sse, [ raw => "data: {}\n\n" ], [ hang => 'gone' ] ],
    large  => [ [ header => 'Content-Type', 'application/json' ],
                [ raw => '{"id":"' . 'x' x 5000 ], [ hang => 'gone' ] ],
    other  => [ [ header => 'Content-Type', 'text/html' ],
                [ raw => '<html>' ], [ hang => 'gone' ] ],
    over   => [ @sse, [ raw => $good ], [ hang => 'gone' ] ],
    open   => [ @sse, [ raw => $begin ], [ touch => 'there' ],
                [ hang => 'gone' ] ],
    silent => [ [ touch => 'there' ], [ hang => 'gone' ] ],
    half   => [ [ header => 'Content-Type', 'application/json' ],
                [ raw => '{"id":' ], [ touch => 'there' ],
                [ hang => 'gone' ] ],
    whole  => [ [ json => json_encode(response('completed',
                                               model => 'parrot-1')) ] ],
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    upstream kept {
        server %%MODEL%%;
        keepalive 4;
    }

    proxy_http_version 1.1;
    proxy_set_header Connection "";

    # only the test ends an exchange

    proxy_read_timeout 10m;

    server {
        listen 127.0.0.1:%%PORT_0%% sndbuf=64k;
        listen 127.0.0.1:%%PORT_1%% http2 sndbuf=64k;

        open_responses_validate on any_path;

        location /v1/ { proxy_pass http://kept/v1/; }

        location /small/ {
            open_responses_limits answer=4k;
            proxy_pass http://kept/v1/;
        }
    }
CONF

$t->start;


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

sub is_gone ($name) {
    ok($model->wait_file('gone'), "$name: upstream closed");
    $model->untouch(qw( there gone ));
}


# an answer that is refused is not read on, nor does the client wait for its
# end

for (([ broken => '/v1/responses', 1 ], [ first => '/v1/responses', 1 ],
      [ other => '/v1/responses', 0 ], [ large => '/small/responses', 0 ]))
{
    my ($script, $path, $stream) = @$_;
    my $c = start($path, $script, $stream);
    my $r = $c->read_response;

    if ($script eq 'broken') {
        stream_ok($r, "$script: the stream", expect => 'failed');

    } else {
        error_ok($r, 502, "$script: the answer");
    }

    is_gone($script);
    $c->close;
}

is(post_json($t->port, '/v1/responses', body('', 0),
             headers => headers('whole'))->{status}, 200,
   'the next one has a connection of its own') for 1 .. 3;

# one that is over for the client, and not for its server

{
    my $c = start('/v1/responses', 'over');

    stream_ok($c->read_response, 'over: the stream');
    $c->close;
    is_gone('over');
}


# who leaves

for my $script (qw( open silent half )) {
    my $stream = $script eq 'open';

    for my $leave (qw( close reset )) {
        my $c = start('/v1/responses', $script, $stream);

        ok($model->wait_file('there'), "$script, $leave: under way");
        $c->wait_body(qr/output_item/) if $stream;
        $c->$leave;
        is_gone("$script, $leave");
    }

    my $c = ORS::H2->new($t->port(1));
    my $n = $c->send('POST', '/v1/responses', headers($script),
                     body('', $stream));

    ok($model->wait_file('there'), "$script, HTTP/2: under way");
    $c->wait_body($n, qr/output_item/) if $stream;
    $c->rst($n);
    is_gone("$script, HTTP/2");
    $c->close;
}


$t->finish;
done_testing();
