#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# A target whose answer comes from nginx itself, by "return": the client may
# be slower than it, and the worker serves others meanwhile.

use v5.36;
use Socket qw( SOL_SOCKET SO_RCVBUF );
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get post_json http_start request_text );
use ORS::JSON qw( json_encode );
use ORS::Model qw( chat_chunk chat_reply );
use ORS::Nginx;
use ORS::Stream qw( response_ok stream_ok );

# 2 ** DOUBLED events: more than a queue and the sockets hold
use constant { DOUBLED => 11, DELTA => 1000 };


sub quoted ($data) {
    my $text = ref $data ? json_encode($data) : $data;

    return $text =~ s/(["\\])/\\$1/gr;
}

my $delta = quoted(chat_chunk(content => 'x' x DELTA));
my $stop = quoted(chat_chunk(finish => 'stop'));
my $answer = json_encode(chat_reply(content => '%s'));
my ($head, $tail) = map { quoted($_) } split /%s/, $answer;
my $double = join "\n", ('set $big "$big$big";') x DOUBLED;

my $t = ORS::Nginx->new(conf => <<"CONF");
    open_responses_strict off;
    open_responses_flavor openai;

    server {
        listen 127.0.0.1:%%PORT_0%% sndbuf=64k;

        location /v1/ {
            open_responses on;
            open_responses_target stream   /to/stream;
            open_responses_target document /to/document;
        }

        location = /ok { return 200 ok; }

        location = /to/stream {
            internal;
            open_responses_dialect chat;
            default_type text/event-stream;

            set \$big "data: $delta\\n\\n";
            $double
            return 200 "\${big}data: $stop\\n\\ndata: [DONE]\\n\\n";
        }

        location = /to/document {
            internal;
            open_responses_dialect chat;
            default_type application/json;

            set \$big "@{[ 'x' x DELTA ]}";
            $double
            return 200 "$head\$big$tail";
        }
    }
CONF

$t->start;


sub body ($model) {
    return json_encode({ model => $model, input => 'hi',
                         stream => $model eq 'stream' ? \1 : \0 });
}


sub whole ($r, $model, $name) {
    my $ok = $model eq 'stream' ? \&stream_ok : \&response_ok;

    is(length $ok->($r, $name, flavor => 'openai')->text, DELTA * 2 ** DOUBLED,
       "$name: all of it comes");
}

for my $model (qw( stream document )) {
    whole(post_json($t->port, '/v1/responses', body($model)), $model,
          "$model, a fast client");

    my $c = ORS::HTTP::Conn->new($t->port, rcvbuf => 4096);

    $c->write(request_text('POST', '/v1/responses',
                           { 'Content-Type' => 'application/json' },
                           body($model)));
    $c->read_slow(1000, 0.001, 50);

    is(get($t->port, '/ok')->{status}, 200,
       "$model, a slow client: others are served");

    setsockopt $c->{fh}, SOL_SOCKET, SO_RCVBUF, 1024 * 1024;
    whole($c->read_response, $model, "$model, a slow client");
    $c->close;

    # one that leaves in the middle of it

    $c = ORS::HTTP::Conn->new($t->port, rcvbuf => 4096);
    $c->write(request_text('POST', '/v1/responses',
                           { 'Content-Type' => 'application/json' },
                           body($model)));
    $c->read_slow(1000, 0.001, 50);
    $c->reset;

    is(get($t->port, '/ok')->{status}, 200,
       "$model, a client that leaves: others are served");
}

$t->finish;
done_testing();
