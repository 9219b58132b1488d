#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Answers behind a validator in place of a server's: cache entries, fresh,
# stale or revalidated, and files that an error_page names.  However large, and
# however slow the client, none is taken for an answer cut short.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get http_start post_json question request_text );
use ORS::JSON qw( json_encode json_true );
use ORS::Model;
use ORS::Nginx;
use ORS::Sample;
use ORS::Stream qw( error_ok );
use ORS::Util qw( wait_for );

my @sse = ([ header => 'Content-Type', 'text/event-stream' ]);

sub list ($size) {
    my $one = { object => 'model', created => 1, owned_by => 'us' };
    my $n = int($size / 66) + 1;

    return json_encode({ object => 'list', data => [
        map { { %$one, id => "parrot-$_" } } 1 .. $n ] });
}

sub document ($size) {
    return json_encode(response('completed', model => 'parrot-1', output => [
        message('msg_1', 'completed', output_text('x' x $size)) ]));
}

sub stream ($size) {
    my @pieces = ('y' x 1000) x ($size / 1000);

    return render([ opened(), added(message('msg_a', 'in_progress')),
                    text_part('msg_a', 0, @pieces),
                    done(message('msg_a', 'completed',
                                 output_text(join '', @pieces))),
                    ended('completed', finished()) ]);
}

# more than one buffer of nginx, more than several, more than all sockets

my %content = (
    'a small list'     => [ GET  => list(20_000) ],
    'a list'           => [ GET  => list(40_000) ],
    'a large list'     => [ GET  => list(200_000) ],
    'a document'       => [ POST => document(40_000) ],
    'a large document' => [ POST => document(3_000_000) ],
    'a stream'         => [ POST => stream(50_000), 1 ],
    'a large stream'   => [ POST => stream(800_000), 1 ],
);

my (%scripts, %id);

for my $what (sort keys %content) {
    my ($method, $body, $stream) = @{ $content{$what} };
    my $id = $id{$what} = keys(%id);

    $scripts{"c$id"} = [
        $stream ? (@sse, [ framing => 'length' ],
                   [ header => 'Content-Length', length $body ],
                   [ raw => $body ])
                : ([ header => 'ETag', '"1"' ], [ json => $body ]),
        [ touch => "sent-$id" ] ];
}

$scripts{fresh} = [ [ status => 304 ], [ header => 'ETag', '"1"' ] ];
$scripts{gone} = [ [ 'reset' ] ];
$scripts{busy} = [ [ status => 503 ], [ json => '{}' ] ];
$scripts{cut} = [ @sse, [ cut_at => 3000 ], [ raw => stream(50_000) ] ];

my $model = ORS::Model->new(scripts => \%scripts);

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    proxy_cache_path %%TESTDIR%%/cache keys_zone=kept:64k;

    proxy_http_version 1.1;
    client_max_body_size 1m;

    open_responses_limits answer=8m;

    server {
        listen 127.0.0.1:%%PORT_0%% sndbuf=16k;
        listen 127.0.0.1:%%PORT_1%% http2 sndbuf=16k;

        open_responses_validate on any_path;

        proxy_cache_methods GET HEAD POST;
        proxy_cache_key $uri$http_x_key;
        proxy_cache_valid 200 1m;
        proxy_cache_use_stale error timeout http_503;
        proxy_max_temp_file_size 16m;
        add_header X-Cache $upstream_cache_status always;

        location /cached/ {
            proxy_cache kept;
            proxy_pass http://%%MODEL%%/v1/;

            location /cached/report/ {
                open_responses_validate on report;
                proxy_cache kept;
                proxy_pass http://%%MODEL%%/v1/;
            }
        }

        location /short/ {
            proxy_cache kept;
            proxy_cache_valid 200 1s;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /checked/ {
            proxy_cache kept;
            proxy_cache_valid 200 1s;
            proxy_cache_revalidate on;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /rate/ {
            limit_rate 10m;
            limit_rate_after 100k;
            proxy_cache kept;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /failed/ {
            error_page 502 503 =200 /files/$http_x_key;
            proxy_intercept_errors on;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /failed/report/ {
            open_responses_validate on report;
            error_page 502 503 =200 /files/$http_x_key;
            proxy_pass http://127.0.0.1:1/v1/;
        }

        location /refused/ {
            error_page 502 =200 /files/$http_x_key;
            proxy_pass http://127.0.0.1:1/v1/;
        }

        location /files/ {
            internal;
            root %%TESTDIR%%;
            types {
                application/json json;
                text/event-stream sse;
            }
        }

        location = /status { open_responses_status json; }
    }
CONF

mkdir $t->dir . '/files';

for my $what (keys %content) {
    my ($method, $body, $stream) = @{ $content{$what} };

    $t->write_file("files/c$id{$what}." . ($stream ? 'sse' : 'json'), $body);
}

$t->start;


sub text ($at, $what, $script = "c$id{$what}") {
    my ($method, undef, $stream) = @{ $content{$what} };
    my %headers = ('X-Script' => $script, 'X-Key' => "c$id{$what}."
                   . ($stream ? 'sse' : 'json'));

    return request_text($method, "/$at/models", \%headers)
        if $method eq 'GET';

    $headers{'Content-Type'} = 'application/json';

    return request_text($method, "/$at/responses", \%headers,
        json_encode(question('', 'parrot-1',
                             $stream ? (stream => json_true) : ())));
}

sub ask ($at, $what, $script = "c$id{$what}") {
    my $c = ORS::HTTP::Conn->new($t->port);

    $c->write(text($at, $what, $script));

    return $c->read_response;
}

# nothing is read before all was sent, or before nginx has nothing to do

sub ask_slowly ($at, $what, $sent = undef) {
    my $c = ORS::HTTP::Conn->new($t->port, rcvbuf => 4096);

    $c->write(text($at, $what));

    if ($sent) {
        ok($model->wait_file($sent), "$what, $at, slow: all is sent");
        $model->untouch($sent);

    } else {
        $c->read_head;
    }

    # a request that came later has been answered

    get($t->port, '/status');

    return $c->read_response;
}

sub count () { get($t->port, '/status')->{json} }

sub is_whole ($r, $what, $name, $cache = undef) {
    is($r->{status}, 200, "$name: status");
    ok($r->{complete}, "$name: complete");
    ok($r->{body} eq $content{$what}[1], "$name: body")
        or diag(length $r->{body}, ' bytes of ', length $content{$what}[1],
                ', the end: ', substr $r->{body}, -300);
    is($r->{headers}{'x-cache'}, $cache, "$name: it is a $cache") if $cache;
}

my $before = count();


# a cache

for my $what (sort keys %content) {
    my $sent = "sent-$id{$what}";

    for my $at (qw( cached cached/report rate )) {
        is_whole(ask_slowly($at, $what, $sent), $what, "$what, $at, slow",
                 'MISS');
        is_whole(ask($at, $what, 'gone'), $what, "$what, $at", 'HIT');
        is_whole(ask_slowly($at, $what), $what, "$what, $at, slow", 'HIT');
    }

    for my $at (qw( short checked )) {
        is_whole(ask($at, $what), $what, "$what, $at", 'MISS');
    }

    $model->untouch($sent);
}

# entries grow old

my %old = (short => [ gone => 'STALE', busy => 'STALE' ],
           checked => [ fresh => 'REVALIDATED' ]);

for my $at (sort keys %old) {
    while (my ($script, $cache) = splice @{ $old{$at} }, 0, 2) {

        for my $what (sort keys %content) {

            # an event stream of this server has no ETag to ask for

            next if $content{$what}[2] && $script eq 'fresh';

            my $r;

            wait_for(sub {
                $r = ask($at, $what, $script);
                return $r->{headers}{'x-cache'} eq $cache;
            });

            is_whole($r, $what, "$what, $at, $script", $cache);
        }
    }
}

{
    my $now = count();

    for my $kind (qw( streams answers )) {
        is($now->{$kind}{$_}, $before->{$kind}{$_}, "caches: no $kind $_")
            for qw( refused reported );
    }
}


# files in the place of a server that fails

for my $what (sort keys %content) {
    is_whole(ask('failed', $what, 'gone'), $what, "$what, for a 502");
    is_whole(ask('failed', $what, 'busy'), $what, "$what, for a 503");
    is_whole(ask('refused', $what), $what, "$what, no server");
    is_whole(ask_slowly('refused', $what), $what, "$what, no server, slow");
    is_whole(ask('failed/report', $what), $what, "$what, report");
}

{
    my $now = count();

    for my $kind (qw( streams answers )) {
        is($now->{$kind}{$_}, $before->{$kind}{$_}, "files: no $kind $_")
            for qw( refused reported );
    }
}


# an answer that is cut is not kept

{
    my $c = ORS::HTTP::Conn->new($t->port);

    $c->write(text('cached', 'a stream', 'cut')
              =~ s/X-Key: \S+/X-Key: cut/r);

    my $r = $c->read_response;

    like($r->{body}, qr/upstream_disconnected/, 'a cut: the stream says so');
    ok($r->{complete}, 'a cut: a whole body');

    $c = ORS::HTTP::Conn->new($t->port);
    $c->write(text('cached', 'a stream') =~ s/X-Key: \S+/X-Key: cut/r);
    is_whole($c->read_response, 'a stream', 'the next one', 'MISS');
}


$t->finish;
done_testing();
