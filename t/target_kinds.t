#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Each kind of content that nginx has, as a target: documents and streams of
# it are translated, for slow clients too, no worker stands still, and what
# breaks off ends well.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Content;
use ORS::HTTP qw( get question request_text );
use ORS::JSON qw( json_encode json_true );
use ORS::Model qw( chat_chunk chat_reply chat_stream );
use ORS::Nginx;
use ORS::Stream qw( error_ok response_ok stream_ok );

use constant { PIECES => 400, PIECE => 1000 };

my $long = 'x' x PIECE x PIECES;

sub sse (@data) {
    return join '', map { 'data: ' . (ref ? json_encode($_) : $_) . "\n\n" }
                    @data;
}

my $document = json_encode(chat_reply(content => 'Hello'));
my $stream = sse(chat_stream(text => [ 'Hel', 'lo' ]), '[DONE]');
my $begin = sse(chat_chunk(content => 'Hel'));

my %answers = (
    'document.json' => $document,
    'stream.sse'    => $stream,
    'long.json'     => json_encode(chat_reply(content => $long)),
    'long.sse'      => sse(chat_stream(text => [ ('x' x PIECE) x PIECES ]),
                           '[DONE]'),
    'short.json'    => substr($document, 0, 40),
    'short.sse'     => $begin,
);

my %text = ('document.json' => 'Hello', 'stream.sse' => 'Hello',
            'long.json' => $long, 'long.sse' => $long);

my $content = ORS::Content->new(%answers);
my @ends = qw( whole cut reset garbage );

for my $kind (qw( fastcgi uwsgi scgi )) {
    for my $end (@ends) {
        for my $length ('', '-length') {
            my %of = (end => $end, $length ? (length => 5000) : ());

            $content->add($kind,
                "$end$length.sse" => { %of, body => $begin,
                                       type => 'text/event-stream' },
                "$end$length.json" => { %of, body => $answers{'short.json'} });
        }
    }
}

my %head = (json => "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n",
            sse => "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n");

for my $type (qw( sse json )) {
    my $body = $answers{"short.$type"};
    my $chunk = sprintf "%x\r\n%s\r\n", length $body, $body;
    my $chunked = "$head{$type}Transfer-Encoding: chunked\r\n\r\n";
    my $measured = "$head{$type}Content-Length: 5000\r\n\r\n";

    my %break = ('chunk'   => "$chunked${chunk}zz\r\n",
                 'only'    => "${chunked}zz\r\n",
                 'unended' => "$chunked$chunk",
                 'length'  => "$measured$body",
                 'header'  => substr($chunked, 0, 30));

    for my $break (keys %break) {
        $content->add('http11', "$break.$type" => [
            [ wire => $break{$break} ], [ 'close' ] ]);
        $content->add('http11', "$break-reset.$type" => [
            [ wire => $break{$break} ], [ sleep => 0.02 ], [ 'reset' ] ]);
    }
}

my $without = $content->without;
my $targets = join "\n", map { "open_responses_target $_ /to/$_/x;" }
                         $content->kinds, 'return',
                         $without->{lua} ? () : 'lua_fails';

my $failing = $without->{lua} ? '' : <<'CONF';
        location /to/lua_fails/ {
            open_responses_dialect chat;
            content_by_lua_block {
                ngx.header.content_type = ngx.var.content_type_of
                ngx.send_headers()

                if ngx.var.http_x_script ~= "nothing.json" then
                    local name = ngx.var.http_x_script
                    local file = io.open("%%TESTDIR%%/content/" .. name, "rb")

                    ngx.print(file:read("*a"))
                    ngx.flush(true)
                end

                error("no more")
            }
        }
CONF

# "return" has a text of the configuration: chunks that are doubled

my $same = sse(chat_chunk(content => 'x' x PIECE));
my $last = sse(chat_chunk(finish => 'stop'), '[DONE]');

my $t = ORS::Nginx->new($content->nginx, conf => <<"CONF");
    server {
        listen 127.0.0.1:%%PORT_0%% sndbuf=16k;

        $targets

        location /v1/ { open_responses on; }

        @{[ $content->locations('/to', 'open_responses_dialect chat;') ]}
        $failing

        location /to/return/ {
            internal;
            open_responses_dialect chat;
            default_type text/event-stream;
            set \$one '$same';
            set \$ten "\$one\$one\$one\$one\$one\$one\$one\$one\$one\$one";
            set \$hundred "\$ten\$ten\$ten\$ten\$ten\$ten\$ten\$ten\$ten\$ten";
            set \$many "\$hundred\$hundred";
            return 200 '\${many}\${many}$last';
        }

        location = /free { return 200 "free"; }
    }
CONF

$content->start($t);


sub text ($kind, $name) {
    return request_text('POST', '/v1/responses',
        { 'X-Script' => $name, 'Content-Type' => 'application/json' },
        json_encode(question('', $kind,
                             $name =~ /sse/ ? (stream => json_true) : ())));
}

sub ask ($kind, $name) {
    my $c = ORS::HTTP::Conn->new($t->port);

    $c->write(text($kind, $name));

    return $c->read_response;
}

# a client that waits until another has been served

sub ask_slowly ($kind, $name) {
    my $c = ORS::HTTP::Conn->new($t->port, rcvbuf => 4096);

    $c->write(text($kind, $name));
    $c->read_head;
    is(get($t->port, '/free')->{body}, 'free', "$kind, $name: another one");

    return $c->read_response;
}

sub is_whole ($r, $name, $what) {
    my $s = $name =~ /sse/ ? stream_ok($r, $what) : response_ok($r, $what);

    ok($s->text eq $text{$name}, "$what: text");
}

sub is_failed ($r, $name, $what, $code = 'upstream_disconnected') {
    if ($name =~ /sse/ && $r->{status} == 200) {
        stream_ok($r, $what, expect => 'failed', code => $code);

    } else {
        error_ok($r, 502, $what, code => $code);
    }
}


for my $kind (qw( http10 http11 http2 grpc fastcgi uwsgi scgi cache file
                  try_files fallback lua lua_flush njs ))
{
    SKIP: {
        skip "$kind: $without->{$kind}", 1 if $without->{$kind};

        # the type of a file is that of its location

        my $is_json = $kind eq 'file' ? qr/json/ : qr/./;

        for my $time ('first', $kind eq 'cache' ? 'second' : ()) {
            for my $name (grep { $_ =~ $is_json } sort keys %text) {
                is_whole(ask($kind, $name), $name, "$kind, $name, $time");
            }

            for my $name (grep { $_ =~ $is_json } qw( long.json long.sse )) {
                is_whole(ask_slowly($kind, $name), $name,
                         "$kind, $name, $time, slow");
            }

            is_failed(ask($kind, 'short.json'), 'short.json',
                      "$kind, short.json, $time", 'invalid_upstream_answer');
            is_failed(ask($kind, 'short.sse'), 'short.sse',
                      "$kind, short.sse, $time") if $kind ne 'file';
        }
    }
}


$text{'return.sse'} = $long;
is_whole(ask('return', 'return.sse'), 'return.sse', 'return');
is_whole(ask_slowly('return', 'return.sse'), 'return.sse', 'return, slow');


# answers that break off

for my $break (qw( chunk only unended length header )) {
    for my $type (qw( sse json )) {
        for my $how ('', '-reset') {
            my $name = "$break$how.$type";

            is_failed(ask('http11', $name), $name, "http11, $name",
                      $break eq 'header' ? 'upstream_unavailable'
                                         : 'upstream_disconnected');
        }
    }
}

for my $kind (qw( fastcgi uwsgi scgi )) {
    for my $end (@ends) {
        next if $end eq 'garbage' && $kind ne 'fastcgi';

        for my $type (qw( sse json )) {
            my $code = $type eq 'sse' || $end =~ /garbage|reset/
                       ? 'upstream_disconnected' : 'invalid_upstream_answer';

            is_failed(ask($kind, "$end.$type"), $type, "$kind, $end.$type",
                      $code);

            $code = 'upstream_disconnected' if "$kind, $end" ne 'fastcgi, cut';
            is_failed(ask($kind, "$end-length.$type"), $type,
                      "$kind, $end-length.$type", $code);
        }
    }
}

for my $kind (qw( grpc http2 )) {
    SKIP: {
        skip "$kind: $without->{$kind}", 1 if $without->{$kind};

        for my $name (qw( chunk.sse chunk.json length.sse length.json )) {
            is_failed(ask($kind, $name), $name, "$kind, $name");
        }
    }
}

SKIP: {
    skip "lua: $without->{lua}", 1 if $without->{lua};

    for my $name (qw( short.json short.sse nothing.json )) {
        is_failed(ask('lua_fails', $name), $name, "lua fails, $name");
    }
}


$t->finish;
done_testing();
