#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The module loaded and not configured, or configured in another server: each
# answer and each request upstream is byte for byte as without it.

use v5.36;
use Compress::Zlib qw( memGzip );
use Test::More;
use lib 't/lib';
use ORS::H2;
use ORS::HTTP qw( http_start request_text );
use ORS::Model qw( stream_script );
use ORS::Nginx;
use ORS::Util qw( spew );

my $error = '{"error":{"message":"no"}}';

my $model = ORS::Model->new(scripts => {
    plain  => [ [ header => 'Content-Type', 'text/plain' ],
                [ header => 'ETag', '"abc"' ], [ header => 'X-One', 1 ],
                [ header => 'X-One', 2 ],
                [ header => 'Last-Modified',
                  'Mon, 05 Jan 2026 10:00:00 GMT' ], [ raw => 'Hello' x 100 ],
              ],
    json   => [ [ json => '{"id":1,"id":2}' ] ],
    stream => stream_script(text => [ 'Hel', 'lo' ]),
    cut    => [ [ framing => 'length' ], [ header => 'Content-Length', 99 ],
                [ raw => 'abc' ], [ 'close' ] ],
    gzip   => [ [ header => 'Content-Encoding', 'gzip' ],
                [ json => memGzip('{"a":1}') ] ],
    none   => [ [ status => 204 ] ],
    same   => [ [ status => 304 ], [ header => 'ETag', '"abc"' ] ],
    moved  => [ [ status => 302 ], [ header => 'Location', '/x' ] ],
    denied => [ [ status => 401 ], [ header => 'WWW-Authenticate', 'Basic' ],
                [ json => $error ] ],
    full   => [ [ status => 429 ], [ header => 'Retry-After', 7 ],
                [ json => $error ] ],
    broken => [ [ status => 502 ], [ json => $error ] ],
    accel  => [ [ header => 'X-Accel-Redirect', '/files/a.txt' ],
                [ json => '{}' ] ],
    ssi    => [ [ header => 'Content-Type', 'text/html' ],
                [ raw => '<!--#include virtual="/v1/a" -->.' ] ],
});

my $conf = <<'CONF';
    proxy_cache_path %%TESTDIR%%/cache keys_zone=kept:64k;

    server {
        listen 127.0.0.1:%%PORT_0%%;
        listen 127.0.0.1:%%PORT_1%% http2;

        server_name plain;
        root %%FILES%%;
        error_page 404 /404.html;
        error_page 502 504 = @down;

        location / { }

        location /v1/ {
            proxy_pass http://%%MODEL%%;
            client_max_body_size 1k;
        }

        location /kept/ {
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_cache kept;
            proxy_cache_valid 1m;
            add_header X-Cache $upstream_cache_status;
            proxy_pass http://%%MODEL%%/;
        }

        location /gzip/ {
            gzip on;
            gunzip on;
            gzip_types *;
            gzip_min_length 1;
            proxy_pass http://%%MODEL%%/;
        }

        location /ssi/ {
            ssi on;
            proxy_pass http://%%MODEL%%/;
        }

        location /auth/ {
            auth_request /auth-at;
            proxy_pass http://%%MODEL%%/;
        }

        location = /auth-at {
            proxy_pass_request_body off;
            proxy_set_header Content-Length "";
            proxy_pass http://%%MODEL%%;
        }

        location /caught/ {
            proxy_intercept_errors on;
            error_page 429 /files/a.txt;
            proxy_pass http://%%MODEL%%/;
        }

        location /deny/ { deny all; }
        location /none/ { proxy_pass http://127.0.0.1:1; }
        location /say/ { return 200 "$request_uri $args\n"; }
        location /move/ { return 301 /elsewhere; }
        location = /responses { return 200 "mine"; }
        location @down { return 503 "down\n"; }
    }
CONF

my $used = <<'CONF';
    server {
        listen 127.0.0.1:%%PORT_2%%;

        open_responses_validate on;

        location /v1/ {
            open_responses on;
            open_responses_target default /to/model;
        }

        location /validated/ { proxy_pass http://%%MODEL%%/; }

        %%CHAT /to/model%%
    }
CONF

my $dir = File::Temp->newdir('ors-files-XXXXXXXX', TMPDIR => 1);

chmod 0755, $dir;
mkdir "$dir/files";
spew("$dir/404.html", '<p>not here</p>');
spew("$dir/files/a.txt", join '', map { "line $_\n" } 1 .. 2000);
spew("$dir/files/index.html", '<p>index</p>');
chmod 0644, "$dir/404.html", glob "$dir/files/*";
utime 1767225600, 1767225600, "$dir/404.html", glob "$dir/files/*";

my %t = map {
    my ($name, $text, %o) = @$_;

    ($name => ORS::Nginx->new(model => $model, conf => $text, %o,
                              subst => { FILES => "$dir" })->start)
} [ without => $conf, module => 0 ], [ unused => $conf ],
  [ 'used elsewhere' => $conf . $used ];

my $etag = sprintf '"%x-%x"', 1767225600, -s "$dir/files/a.txt";
my $since = 'Thu, 01 Jan 2026 00:00:00 GMT';
my $post = '{"model":"m","input":7}';
my %json = ('Content-Type' => 'application/json');

sub of_script ($method, $path, $script, $body = undef, %h) {
    return [ $method, $path, { %json, 'X-Script' => $script, %h }, $body ];
}

# method, path, headers, body, version

my @requests = (
    [ 'GET', '/files/a.txt' ],
    [ 'GET', '/files/' ],
    [ 'GET', '/files' ],
    [ 'HEAD', '/files/a.txt' ],
    [ 'GET', '/files/a.txt', {}, undef, '1.0' ],
    [ 'GET', '/files/a.txt', { Range => 'bytes=0-9' } ],
    [ 'GET', '/files/a.txt', { Range => 'bytes=0-1,5-9,-3' } ],
    [ 'GET', '/files/a.txt', { Range => 'bytes=99999999-' } ],
    [ 'GET', '/files/a.txt', { 'If-None-Match' => $etag } ],
    [ 'GET', '/files/a.txt', { 'If-Modified-Since' => $since } ],
    [ 'GET', '/files/a.txt', { 'If-Match' => '"other"' } ],
    [ 'POST', '/files/a.txt', \%json, $post ],
    [ 'GET', '/nothing' ],
    [ 'HEAD', '/nothing' ],
    [ 'GET', '/deny/x' ],
    [ 'GET', '/none/x' ],
    [ 'GET', '/say/x?a=1' ],
    [ 'GET', '/move/x' ],
    [ 'BREW', '/say/x' ],
    [ 'GET', '/%00' ],
    [ 'GET', '/../x' ],
    [ 'POST', '/responses', \%json, '{' ],
    [ 'POST', '/v1/responses', \%json, 'x' x 2000 ],
    [ 'POST', '/v1/responses', { %json, 'Content-Encoding' => 'gzip' }, 'x' ],
    [ 'OPTIONS', '/v1/responses' ],

    (map { my $at = $_;
        (map { of_script('GET', "$at/models", $_) }
         qw( plain json stream gzip none same moved denied full broken accel
             ssi )),
        (map { of_script('POST', "$at/responses", $_, $post) }
         qw( plain json stream gzip denied full broken )),
        of_script('HEAD', "$at/models", 'plain'),
        of_script('POST', "$at/responses", 'json', '{"broken":'),
        of_script('POST', "$at/chat/completions", 'stream', $post),
        of_script('PUT', "$at/responses", 'json', $post),
        of_script('GET', "$at/models", 'plain', undef,
                  Range => 'bytes=0-3'),
        of_script('GET', "$at/models", 'plain', undef,
                  'If-None-Match' => '"abc"'),
        of_script('GET', "$at/models", 'plain', undef,
                  'Accept-Encoding' => 'gzip'),
        of_script('GET', "$at/models", 'gzip', undef,
                  'Accept-Encoding' => 'gzip'),
        of_script('POST', "$at/responses", 'cut', $post)
    } qw( /v1 /kept /gzip /ssi /auth /caught )),
);


# an answer without the time and its random parts

sub plain ($raw, $t) {
    return $raw =~ s/^Date: [^\r]*/Date: now/migr
                =~ s/\b\d{20}\b/boundary/gr
                =~ s/:@{[ $t->port ]}\b/:port/gr;
}

# requests of a server behind, without its ports

sub asked () {
    my @r = map { [ @$_{qw( method uri version body )},
                    map { "@$_" } @{ $_->{header_list} } ] } $model->requests;

    $model->forget;
    return \@r;
}

sub ask ($t, $method, $path, $headers = {}, $body = undef, $version = '1.1') {
    my $c = http_start($t->port, $method, $path, $headers, $body,
                       version => $version, keepalive => 1);

    my $r = $c->read_response;
    my $raw = $r->{raw};

    # where the chunks of a stream end is a matter of time
    if (($r->{framing} // '') eq 'chunked') {
        ($raw) = split /(?<=\r\n\r\n)/, $raw;
        $raw .= $r->{body};
    }

    # two in a row: keep-alive is the same, too

    if (!$r->{eof}) {
        $c->write(request_text('GET', '/say/again', {}, undef));
        $raw .= $c->read_response->{raw};
    }

    $c->close;

    return (plain($raw, $t), asked());
}

for my $request (@requests) {
    my ($method, $path, $headers) = @$request;
    my $name = join ' ', $method, $path,
               map { "$_=$headers->{$_}" } grep { $_ ne 'Content-Type' }
               sort keys %{ $headers // {} };
    my ($raw, $sent) = ask($t{without}, @$request);

    ok(length $raw, "$name: an answer");

    for my $kind ('unused', 'used elsewhere') {
        my ($raw2, $sent2) = ask($t{$kind}, @$request);

        is($raw2, $raw, "$name: $kind");
        is_deeply($sent2, $sent, "$name: $kind, upstream");
    }
}


# HTTP/2: the frames that matter

for my $path ('/files/a.txt', '/nothing', '/v1/models', '/gzip/models') {
    my %seen;

    for my $kind (sort keys %t) {
        my $c = ORS::H2->new($t{$kind}->port(1));
        my $n = $c->send('GET', $path, { 'x-script' => 'stream' }, undef,
                         end => 1);
        my $r = $c->read_response($n);

        delete $r->{headers}{date};
        $seen{$kind} = [ @$r{qw( status headers body )} ];
        $c->close;
    }

    is_deeply($seen{$_}, $seen{without}, "HTTP/2, $path: $_")
        for 'unused', 'used elsewhere';
}


for my $kind (sort keys %t) {
    $t{$kind}->provokes(qr/connect\(\) failed/);
    $t{$kind}->finish("$kind: nginx is well");
}

done_testing();
