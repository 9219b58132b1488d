#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# nginx's configuration around a validator: rewrites, nested locations,
# headers, buffers, caches, subrequests.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get post_json request );
use ORS::JSON qw( json_encode json_true );
use ORS::Model;
use ORS::Nginx;
use ORS::Sample;
use ORS::Stream qw( error_ok );

my $whole = json_encode(response('completed', model => 'parrot-1', output => [
    message('msg_1', 'completed', output_text('Hello')) ]));
my $stream = render(good());
my $list = json_encode({ object => 'list', data => [
    { id => 'parrot-1', object => 'model', created => 1, owned_by => 'us' } ]
});

# of an upstream's answer, its content and its caches

my @own = map { [ header => @$_ ] } (
    [ 'Cache-Control', 'public, max-age=3600' ],
    [ 'Expires', 'Thu, 01 Jan 2037 00:00:00 GMT' ], [ 'Age', 5 ],
    [ 'Content-MD5', 'abc' ], [ 'Digest', 'sha-256=x' ],
    [ 'Content-Digest', 'sha-256=:x:' ], [ 'Repr-Digest', 'sha-256=:x:' ],
    [ 'Content-Disposition', 'attachment; filename=a.json' ],
    [ 'Content-Language', 'de' ], [ 'Content-Location', '/other' ],
    [ 'Set-Cookie', 'a=b' ], [ 'Link', '</x>; rel=preload' ],
    [ 'Vary', 'Origin' ], [ 'Location', '/x' ], [ 'X-Other', 'y' ],
    [ 'X-Codex-A', 1 ], [ 'X-Request-Id', 'req_7' ], [ 'Retry-After', 7 ],
    [ 'WWW-Authenticate', 'Bearer' ],
);

my $model = ORS::Model->new(scripts => {
    whole  => [ [ header => 'ETag', '"abc"' ],
                [ header => 'Last-Modified',
                  'Mon, 05 Jan 2026 10:00:00 GMT' ],
                [ header => 'Accept-Ranges', 'bytes' ], [ json => $whole ] ],
    holes  => [ [ json => '{"id":"resp_1","status":"completed","output":[]}'
                ] ],
    broken => [ [ json => '{"id":"resp_1","output":"secret words"}' ] ],
    stream => [ [ header => 'Content-Type', 'text/event-stream' ],
                [ raw => $stream ] ],
    list   => [ [ header => 'ETag', '"abc"' ], [ json => $list ] ],
    bad    => [ [ json => '{"object":"list"}' ] ],
    fresh  => [ [ status => 304 ], [ header => 'ETag', '"abc"' ] ],
    ssi    => [ [ header => 'Content-Type', 'text/html' ],
                [ raw => '<!--#include virtual="/sub/models" -->.' ] ],
    part   => [ [ raw => 'not a list' ] ],
    map { my ($name, @answer) = @$_; $name => [ @own, @answer ] }
        [ headers_good => [ json => $whole ] ],
        [ headers_holes => [ json => '{"id":"resp_1","status":"completed",'
                                     . '"output":[]}' ] ],
        [ headers_bad => [ json => '{"id":"resp_1"}' ] ],
        [ headers_206 => [ status => 206 ],
                         [ header => 'Content-Range', 'bytes 0-9/100' ],
                         [ json => $whole ] ],
        [ headers_302 => [ status => 302 ], [ raw => 'secret' ] ],
        [ headers_401 => [ status => 401 ], [ raw => '<html>secret' ] ],
        [ headers_503 => [ status => 503 ], [ raw => '<html>secret' ] ],
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    proxy_cache_path %%TESTDIR%%/cache keys_zone=kept:64k;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        open_responses_validate on any_path;
        open_responses_websocket pass;

        location /v1/ { proxy_pass http://%%MODEL%%/v1/; }

        location /if/ {
            if ($http_x_if) {
                proxy_pass http://%%MODEL%%;
            }

            proxy_pass http://%%MODEL%%;
        }

        location /if-off/ {
            set $x 1;

            if ($http_x_if) {
                set $x 2;
            }

            proxy_set_header X-X $x;
            proxy_pass http://%%MODEL%%;
        }

        location /rewritten/ {
            rewrite ^/rewritten/(.*)$ /v1/$1 last;
        }

        location /renamed/ {
            rewrite ^ /v1/responses break;
            proxy_pass http://%%MODEL%%;
        }

        location /outer/ {
            location /outer/off/ {
                open_responses_validate off;
                proxy_pass http://%%MODEL%%/v1/;
            }

            location /outer/report/ {
                open_responses_validate on report;
                proxy_pass http://%%MODEL%%/v1/;
            }

            location ~ ^/outer/re/ { proxy_pass http://%%MODEL%%; }

            proxy_pass http://%%MODEL%%/v1/;
        }

        location /cached/ {
            proxy_cache kept;
            proxy_cache_valid 200 1m;
            proxy_cache_key $uri$http_x_key;
            add_header X-Cache $upstream_cache_status;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /ranges/ {
            proxy_pass http://127.0.0.1:%%PORT_1%%/;
        }

        location /ranges/report/ {
            open_responses_validate on report;
            proxy_pass http://127.0.0.1:%%PORT_1%%/;
        }

        location /sliced/ {
            slice 16;
            proxy_set_header Range $slice_range;
            proxy_pass http://127.0.0.1:%%PORT_1%%/;
        }

        location /replaced/ {
            sub_filter_types application/json;
            sub_filter parrot-1 crow-22;
            sub_filter_once off;
            proxy_pass http://127.0.0.1:%%PORT_1%%/;
        }

        location /buffered/ {
            proxy_buffering on;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /unbuffered/ {
            proxy_buffering off;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /ssi/ {
            ssi on;
            open_responses_validate off;
            proxy_pass http://%%MODEL%%/;
        }

        location /sub/ {
            proxy_set_header X-Script part;
            proxy_set_header Accept-Encoding "";
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /mirror/ {
            mirror /copy/responses;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /copy/ {
            internal;
            proxy_set_header X-Script broken;
            proxy_set_header X-Copy 1;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /added/ {
            expires 1h;
            add_header X-Added yes always;
            add_header X-Request-Id ours always;
            add_header X-Good yes;
            proxy_hide_header X-Codex-A;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /masked/ {
            open_responses_upstream_errors mask;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /static/ { return 200 "$request_method"; }
    }

    server {
        listen 127.0.0.1:%%PORT_1%%;
        default_type application/json;
        root %%TESTDIR%%;
    }
CONF

$t->write_file('models', $list);
$t->start;

my $ask = { model => 'parrot-1', input => 'hi' };
my $bad = { model => 'parrot-1', input => 7 };

sub ask ($at, $script = 'whole', %h) {
    return post_json($t->port, "/$at/responses", $ask,
                     headers => { 'X-Script' => $script, %h });
}

sub wrong ($at, %h) {
    return post_json($t->port, "/$at/responses", $bad,
                     headers => { 'X-Script' => 'whole', %h });
}

sub is_refused ($r, $name) {
    error_ok($r, 502, $name, code => 'invalid_upstream_answer');
    unlike($r->{body}, qr/secret/, "$name: nothing of it");
}


# which location it is

{
    for my $at (qw( if if-off rewritten renamed outer outer/re )) {
        for my $if (0, 1) {
            my @h = $if ? ('X-If' => 1) : ();
            my $name = $if ? "$at, if" : $at;
            my $count = $model->count;

            error_ok(wrong($at, @h), 400, "$name: a request",
                     param => 'input');
            is($model->count, $count, "$name: it goes nowhere");
            is(ask($at, 'whole', @h)->{body}, $whole, "$name: a good one");
            is_refused(ask($at, 'broken', @h), "$name: a broken one");
        }
    }

    is(wrong('outer/off')->{status}, 200, 'off within: a request');
    like(ask('outer/off', 'broken')->{body}, qr/secret/,
         'off within: an answer');
    is(wrong('outer/report')->{status}, 200, 'report within: a request');
    like(ask('outer/report', 'broken')->{body}, qr/secret/,
         'report within: an answer');
}


# answers that are not looked at

{
    for my $method (qw( GET PUT DELETE OPTIONS PATCH )) {
        my $r = request($t->port, $method, '/v1/responses',
                        { 'X-Script' => 'broken' },
                        $method eq 'PUT' ? 'x' : undef);

        like($r->{body}, qr/secret/, "$method is not looked at");
        is($model->last_request->{method}, $method, "$method: on the way");
    }

    my $r = request($t->port, 'HEAD', '/v1/models', { 'X-Script' => 'list' });

    is($r->{status}, 200, 'HEAD is not looked at');
    is($r->{headers}{'content-length'}, length $list, 'HEAD: its length');
    is($r->{headers}{etag}, '"abc"', 'HEAD: its ETag');

    is(request($t->port, 'POST', '/static/x', {}, '{')->{body}, 'POST',
       'other paths');

    $r = request($t->port, 'GET', '/v1/responses',
                 { Upgrade => 'websocket', Connection => 'upgrade',
                   'X-Script' => 'broken' }, undef, keepalive => 1);
    like($r->{raw}, qr/secret/, 'an upgrade that may pass is not looked at');

    $r = get($t->port, '/ssi/page', headers => { 'X-Script' => 'ssi' });
    is($r->{body}, 'not a list.', 'nor a subrequest');

    my $count = $model->count;

    is(ask('mirror')->{body}, $whole, 'a mirror: the answer');
    ok($model->wait_requests($count + 2), 'a mirror: both are asked');
    my @both = ($model->requests)[-2, -1];
    is($both[0]{body}, $both[1]{body}, 'a mirror: the same');
    error_ok(wrong('mirror'), 400, 'a mirror: a broken request');
    is($model->count, $count + 2, 'a mirror: it goes nowhere');
}


# headers

{
    my $r = ask('v1');

    is($r->{headers}{$_}, undef, "no $_") for qw( etag last-modified
                                                  accept-ranges );
    is($r->{headers}{'content-length'}, length $whole, 'the length');

    $r = ask('v1', 'holes');
    is($r->{headers}{'content-length'}, length $r->{body},
       'the length of what was repaired');

    $r = ask('added', 'broken');
    is($r->{headers}{'x-added'}, 'yes', 'add_header on a refusal');
    is(wrong('added')->{headers}{'x-added'}, 'yes', '... of a request');
    is(ask('outer/report')->{headers}{etag}, '"abc"', 'report: all stay');

    my $names = sub ($r) {
        return join ' ', sort grep { !/^(?:connection|content-length|date
                                        |content-type|server
                                        |openresponses-version)$/x }
                              keys %{ $r->{headers} };
    };
    my @digests = qw( content-digest content-md5 digest repr-digest );
    my $sent = join ' ', sort map { lc $_->[1] } @own;

    is($names->(ask('v1', 'headers_good')), $sent, 'those of a good answer');
    is($names->(ask('v1', 'headers_holes')),
       join(' ', grep { my $n = $_; !grep { $_ eq $n } @digests }
                 split / /, $sent), 'no digest of what was repaired');
    is($names->(ask('v1', "headers_$_")), 'x-codex-a x-request-id',
       "those that stay with a refusal, $_") for qw( bad 206 302 );
    is($names->(ask('v1', "headers_$_")),
       'retry-after www-authenticate x-codex-a x-request-id',
       "those that stay with an error page, $_") for 401, 503;
    is($names->(ask('masked', "headers_$_->[0]")), $_->[1],
       "mask: those that stay, $_->[0]")
        for [ bad => '' ], [ 503 => 'retry-after www-authenticate' ];

    $r = ask('added', 'headers_bad');
    is($names->($r), 'x-added x-request-id',
       "nginx's own are those of a refusal");
    is(join(',', $r->{raw} =~ /^x-request-id: (\S+)/mgi), 'req_7,ours',
       'each once');

    $r = ask('v1', 'whole', Range => 'bytes=0-9');
    is($r->{body}, $whole, 'no ranges of what is checked');
}


# parts of an answer, and what is put into it

{
    my $range = { Range => 'bytes=0-9' };
    my $r = get($t->port, '/ranges/models', headers => $range);

    is($r->{status}, 200, 'a server of ranges: status');
    is($r->{body}, $list, 'a server of ranges is asked for all');
    is(get($t->port, '/ranges/report/models', headers => $range)->{body},
       substr($list, 0, 10), 'report: a range stays a range');
    is_refused(get($t->port, '/sliced/models'), 'slices');
    is(get($t->port, '/replaced/models')->{body},
       $list =~ s/parrot-1/crow-22/r, 'sub_filter comes after the check');
}


# buffering, and a cache

{
    my %stream = (%$ask, stream => json_true);

    for my $at (qw( buffered unbuffered )) {
        is(ask($at)->{body}, $whole, "$at: a document");
        is_refused(ask($at, 'broken'), "$at: a broken one");
        is(post_json($t->port, "/$at/responses", \%stream,
                     headers => { 'X-Script' => 'stream' })->{body}, $stream,
           "$at: a stream");
    }

    my $list_of = sub ($key, $script, @h) {
        return get($t->port, '/cached/models',
                   headers => { 'X-Script' => $script, 'X-Key' => $key, @h });
    };

    for my $what (qw( MISS HIT )) {
        my $r = $list_of->('a', 'list');

        is($r->{body}, $list, "cache: $what");
        is($r->{headers}{'x-cache'}, $what, "cache: it is a $what");

        $r = $list_of->('b', 'bad');
        is_refused($r, "cache: a broken one, $what");
    }

    my $r = get($t->port, '/v1/models', headers => {
        'X-Script' => 'fresh', 'If-None-Match' => '"abc"' });

    is($r->{status}, 304, '304 passes');
    is($r->{body}, '', '304 has no body');
}


$t->finish;
done_testing();
