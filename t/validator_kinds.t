#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Each kind of content that nginx has, behind a validator: documents and
# streams of it pass as they are, to slow clients too, bad ones do not, and
# what breaks off ends well.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Content;
use ORS::HTTP qw( get h2_request question request_text );
use ORS::JSON qw( json_encode json_true );
use ORS::Nginx;
use ORS::Sample;
use ORS::Stream qw( error_ok stream_ok );
use ORS::Util qw( slurp wait_for );

my @pieces = ('y' x 1000) x 300;
my $list = json_encode({ object => 'list', data => [
    map { { object => 'model', id => "parrot-$_", created => 1,
            owned_by => 'us' } } 1 .. 1000 ] });
my $document = json_encode(response('completed', model => 'parrot-1'));
my $stream = render(good());
my $begin = join '', ($stream =~ /(.*?\n\n)/gs)[0 .. 5];

my %answers = (
    'list.json'     => $list,
    'document.json' => $document,
    'stream.sse'    => $stream,
    'long.json'     => json_encode(response('completed', model => 'parrot-1',
        output => [ message('msg_1', 'completed',
                            output_text('x' x 500_000)) ])),
    'long.sse'      => render([
        opened(), added(message('msg_a', 'in_progress')),
        text_part('msg_a', 0, @pieces),
        done(message('msg_a', 'completed', output_text(join '', @pieces))),
        ended('completed', finished()) ]),
    'bad.json'      => '{"id":"resp_1","output":"secret words"}',
    'bad.sse'       => $begin . "data: {\"type\":\"secret\"}\n\n",
    'short.sse'     => $begin,
    'short.json'    => substr($document, 0, 90),
);

my $content = ORS::Content->new(%answers);

# answers that CGI servers break

my %sse = (type => 'text/event-stream', body => $begin);
my %json = (body => $answers{'short.json'});
my @ends = qw( whole cut reset garbage );

for my $kind (qw( fastcgi uwsgi scgi )) {
    for my $end (@ends) {
        $content->add($kind,
                      "$end.sse" => { %sse, end => $end },
                      "$end.json" => { %json, end => $end },
                      "$end-length.sse" => { %sse, end => $end,
                                             length => 5000 },
                      "$end-length.json" => { %json, end => $end,
                                              length => 5000 });
    }
}

# ... and what an HTTP/2 server resets

for my $how (qw( close reset )) {
    for my $type (qw( sse json )) {
        my $of = { sse => 'text/event-stream', json => 'application/json' };

        $content->add('grpc', "$how.$type" => [
            [ header => 'Content-Type', $of->{$type} ],
            [ raw => $answers{"short.$type"} ], [ sleep => 0.02 ], [ $how ] ]);
    }
}

my $without = $content->without;

# a script that fails when it has begun to answer

my $failing = $without->{lua} ? '' : <<'CONF';
        location /lua_fails/ {
            open_responses_validate on;
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

my $t = ORS::Nginx->new($content->nginx, conf => <<"CONF");
    server {
        listen 127.0.0.1:%%PORT_0%% sndbuf=16k;
        listen 127.0.0.1:%%PORT_1%% http2;
        access_log %%TESTDIR%%/logs/ended.log;

        @{[ $content->locations('', 'open_responses_validate on;') ]}
        $failing

        location /return/ {
            open_responses_validate on;
            default_type application/json;
            return 200 '{"secret":1}';
        }

        location = /free { return 200 "free"; }
    }
CONF

$content->start($t);


sub text ($kind, $name, $method = 'POST') {
    return request_text('GET', "/$kind/models", { 'X-Script' => $name })
        if $method eq 'GET';

    return request_text('POST', "/$kind/responses",
        { 'X-Script' => $name, 'Content-Type' => 'application/json' },
        json_encode(question('', 'parrot-1',
                             $name =~ /sse/ ? (stream => json_true) : ())));
}

sub ask ($kind, $name, $method = 'POST') {
    my $c = ORS::HTTP::Conn->new($t->port);

    $c->write(text($kind, $name, $method));

    return $c->read_response;
}

# a client that reads its head, and the rest when another has been served

sub ask_slowly ($kind, $name) {
    my $c = ORS::HTTP::Conn->new($t->port, rcvbuf => 4096);

    $c->write(text($kind, $name));
    $c->read_head;
    is(get($t->port, '/free')->{body}, 'free', "$kind, $name: another one");

    return $c->read_response;
}

sub is_whole ($r, $name, $what) {
    is($r->{status}, 200, "$what: status");
    ok($r->{complete}, "$what: complete");
    ok($r->{body} eq $answers{$name}, "$what: body")
        or diag(length $r->{body}, ' bytes of ', length $answers{$name},
                ': ', substr $r->{body}, -300);
}

sub is_refused ($r, $name, $code, $what) {
    if ($name =~ /sse/) {
        stream_ok($r, $what, expect => 'failed', code => $code);

    } else {
        error_ok($r, 502, $what, code => $code);
    }

    unlike($r->{body}, qr/secret/, "$what: nothing of it");
}


for my $kind (qw( http10 http11 http2 grpc fastcgi uwsgi scgi cache fallback
                  lua lua_flush njs ))
{
    SKIP: {
        skip "$kind: $without->{$kind}", 1 if $without->{$kind};

        for my $time ('first', $kind eq 'cache' ? 'second' : ()) {
            for my $name (qw( document.json stream.sse long.json long.sse )) {
                is_whole(ask($kind, $name), $name, "$kind, $name, $time");
            }

            for my $name (qw( long.json long.sse )) {
                is_whole(ask_slowly($kind, $name), $name,
                         "$kind, $name, $time, slow");
            }

            is_whole(ask($kind, 'list.json', 'GET'), 'list.json',
                     "$kind, list, $time");

            for my $name (qw( bad.json bad.sse short.json )) {
                is_refused(ask($kind, $name), $name,
                           'invalid_upstream_answer',
                           "$kind, $name, $time");
            }

            is_refused(ask($kind, 'short.sse'), 'short.sse',
                       'upstream_disconnected', "$kind, short.sse, $time");
        }
    }
}


# nginx has static files for GET

for my $kind (qw( file try_files )) {
    is_whole(ask($kind, 'list.json', 'GET'), 'list.json', "$kind, list");
    error_ok(ask($kind, 'bad.json', 'GET'), 502, "$kind, a bad list",
             code => 'invalid_upstream_answer');
    error_ok(ask($kind, 'document.json'), 405, "$kind, POST",
             code => 'method_not_allowed');
}

error_ok(ask('try_files', 'none.json', 'GET'), 404, 'try_files, none',
         code => 'not_found');


# "return" answers before anything is looked at

is(ask('return', 'document.json')->{body}, '{"secret":1}',
   'return is not looked at');


# Answers that break off. nginx does not tell the end of such an answer from
# the end of its connection when there is no length, and with FastCGI not even
# then: the text has to tell.

for my $kind (qw( fastcgi uwsgi scgi )) {
    for my $end (@ends) {
        next if $end eq 'garbage' && $kind ne 'fastcgi';

        for my $type (qw( sse json )) {
            my $code = $type eq 'sse' || $end =~ /garbage|reset/
                       ? 'upstream_disconnected' : 'invalid_upstream_answer';

            is_refused(ask($kind, "$end.$type"), $type, $code,
                       "$kind, $end.$type");

            $code = 'upstream_disconnected' if "$kind, $end" ne 'fastcgi, cut';
            is_refused(ask($kind, "$end-length.$type"), $type, $code,
                       "$kind, $end-length.$type");
        }
    }
}

for my $kind (qw( grpc http2 )) {
    SKIP: {
        skip "$kind: $without->{$kind}", 1 if $without->{$kind};

        for my $name (qw( close.sse close.json reset.sse reset.json )) {
            is_refused(ask($kind, $name), $name, 'upstream_disconnected',
                       "$kind, $name");
        }
    }
}

SKIP: {
    skip "lua: $without->{lua}", 1 if $without->{lua};

    for my $name (qw( short.json short.sse nothing.json )) {
        is_refused(ask('lua_fails', $name), $name, 'upstream_disconnected',
                   "lua fails, $name");

        my $r = h2_request($t->port(1), 'POST', '/lua_fails/responses',
            { 'X-Script' => $name, 'Content-Type' => 'application/json' },
            json_encode(question('', 'parrot-1',
                                 $name =~ /sse/ ? (stream => json_true) : ()
                        )));

        is_refused($r, $name, 'upstream_disconnected',
                   "lua fails, $name, HTTP/2");
    }

    ok(wait_for(sub { slurp($t->dir . '/logs/ended.log')
                      =~ m{/lua_fails/responses HTTP/1.1" 502 } }),
       'lua fails: the access log');
}


$t->finish;
done_testing();
