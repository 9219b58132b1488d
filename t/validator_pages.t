#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Requests that nginx itself refuses in a location with a validator, error
# pages, and other answers in place of the server's.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get post_json request );
use ORS::JSON qw( json_encode );
use ORS::Model;
use ORS::Nginx;
use ORS::Sample;
use ORS::Stream qw( error_ok response_ok );

my $whole = json_encode(response('completed', model => 'parrot-1', output => [
    message('msg_1', 'completed', output_text('Hello')) ]));
my $list = json_encode({ object => 'list', data => [
    { id => 'parrot-1', object => 'model', created => 1, owned_by => 'us' } ]
});

my $model = ORS::Model->new(scripts => {
    whole  => [ [ json => $whole ] ],
    holes  => [ [ json => '{"id":"resp_1","status":"completed","output":[]}'
                ] ],
    broken => [ [ json => '{"id":"resp_1","output":"secret words"}' ] ],
    list   => [ [ json => $list ] ],
    down   => [ [ status => 503 ], [ json => '{"error":"secret words"}' ] ],
    down2  => [ [ status => 404 ], [ json => '{"error":"secret words"}' ] ],
    redir  => [ [ header => 'X-Accel-Redirect', '/elsewhere' ],
                [ json => '{}' ] ],
    inside => [ [ header => 'X-Accel-Redirect', '/inside/responses' ],
                [ json => '{}' ] ],
    key    => [ [ status => 401 ], [ json => '{}' ] ],
    ok     => [ [ status => 204 ] ],
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    limit_req_zone $binary_remote_addr zone=one:64k rate=1r/m;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        open_responses_validate on any_path;

        error_page 401 403 404 429 500 502 503 504 /page.html;

        location = /page.html {
            internal;
            default_type text/html;
            return 200 "<html>a page</html>";
        }

        location /v1/ { proxy_pass http://%%MODEL%%/v1/; }

        location /auth/ {
            auth_request /auth-at;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location = /auth-at {
            proxy_pass http://%%MODEL%%/script/key;
            proxy_pass_request_body off;
            proxy_set_header Content-Length "";
            proxy_set_header X-Script $http_x_auth;
        }

        location /limit/ {
            limit_req zone=one;
            limit_req_status 429;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /deny/ {
            deny all;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /short/ {
            client_max_body_size 50;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /fail/ {
            error_page 502 503 = @other;
            proxy_intercept_errors on;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /refused/ {
            error_page 502 = @other;
            proxy_pass http://127.0.0.1:1/v1/;
        }

        location @other {
            proxy_set_header X-Script $http_x_other;
            proxy_pass http://%%MODEL%%;
        }

        location /intercept/ {
            proxy_intercept_errors on;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /elsewhere { return 200 "elsewhere"; }

        location /inside/ {
            internal;
            proxy_set_header X-Script $http_x_other;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /named/ { try_files /none @other; }

        location /get-only/ {
            limit_except GET { deny all; }
            proxy_pass http://%%MODEL%%/v1/;
        }

    }

    server {
        listen 127.0.0.1:%%PORT_1%%;

        error_page 403 502 /page.html;
        error_page 404 /none.html;

        location = /page.html {
            internal;
            default_type text/html;
            return 200 "<html>a page</html>";
        }

        location /v1/ {
            open_responses_validate on;
            deny all;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /request/ {
            open_responses_validate request;
            proxy_pass http://127.0.0.1:1/v1/;
        }

        location /report/ {
            open_responses_validate on report;
            deny all;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /login/ {
            open_responses_validate on;
            error_page 403 = /page.html;
            deny all;
            proxy_pass http://%%MODEL%%/v1/;
        }
    }
CONF

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


# access and limits

{
    is(ask('auth', 'whole', 'X-Auth' => 'ok')->{body}, $whole,
       'auth_request lets it pass');

    my $count = $model->count;

    error_ok(ask('auth', 'whole', 'X-Auth' => 'key'), 401,
             'auth_request refuses it', code => 'invalid_api_key');
    error_ok(wrong('auth', 'X-Auth' => 'ok'), 400, 'the validator comes later',
             param => 'input');
    is($model->count, $count + 2, 'only whom it was asked');

    is(ask('limit')->{status}, 200, 'limit_req: one');
    error_ok(ask('limit'), 429, 'limit_req: two',
             code => 'rate_limit_exceeded');

    error_ok(ask('deny'), 403, 'deny', code => 'forbidden');
    error_ok(post_json($t->port, '/short/responses', { %$ask,
                       instructions => 'x' x 100 }), 413,
             'client_max_body_size', code => 'request_too_large');
    error_ok(request($t->port, 'POST', '/short/responses',
                     { 'Content-Type' => 'application/json' },
                     json_encode({ %$ask, instructions => 'x' x 100 }),
                     chunked => 10), 413, 'client_max_body_size, chunks',
             code => 'request_too_large');
    error_ok(ask('get-only'), 403, 'limit_except', code => 'forbidden');
    is(get($t->port, '/get-only/models', headers => { 'X-Script' => 'list' })
       ->{body}, $list, 'limit_except: GET');
}


# pages that are inherited by a location with a validator

{
    my $at = sub ($path) {
        return post_json($t->port(1), "/$path", $ask,
                         headers => { 'X-Script' => 'whole' });
    };

    $t->provokes(qr/connect\(\) failed/);
    error_ok($at->('v1/responses'), 403, 'no page', code => 'forbidden');
    error_ok($at->('request/responses'), 502, 'request only: no page',
             code => 'upstream_unavailable');
    like($at->('report/responses')->{body}, qr/a page/, 'report: the page');
    like($at->('v1/files')->{body}, qr/a page/, 'other paths: the page');

    my $r = $at->('login/responses');

    is($r->{status}, 200, 'what is to be the answer is the answer');
    like($r->{body}, qr/a page/, 'a page');
}


# error pages and what stands for an answer

{
    is_refused(ask('v1', 'broken'), 'an inherited page is not shown');
    error_ok(ask('intercept', 'down'), 503, 'proxy_intercept_errors',
             code => 'server_is_overloaded');
    error_ok(ask('intercept', 'down2'), 404, 'proxy_intercept_errors, 404');

    is(ask('fail', 'down', 'X-Other' => 'whole')->{body}, $whole,
       'another server instead');
    is_refused(ask('fail', 'down', 'X-Other' => 'broken'),
               'whose answer is broken');
    response_ok(ask('fail', 'down', 'X-Other' => 'holes'),
                'whose answer has holes', expect => 'completed');
    is($model->last_request->{body}, json_encode($ask),
       'it gets the same request');

    $t->provokes(qr/connect\(\) failed/);
    is(ask('refused', 'down', 'X-Other' => 'whole')->{body}, $whole,
       'another server for one that is not there');
    error_ok(ask('refused', 'down', 'X-Other' => 'down'), 503,
             'which is not well either', message => 'secret words');

    is_refused(ask('v1', 'redir'), 'X-Accel-Redirect to what is none');
    is_refused(ask('v1', 'inside', 'X-Other' => 'broken'),
               'X-Accel-Redirect to a validator');
    is(ask('v1', 'inside', 'X-Other' => 'whole')->{body}, $whole,
       'X-Accel-Redirect to a good one');
    is(ask('named', 'whole', 'X-Other' => 'whole')->{body}, $whole,
       'try_files');
    is_refused(ask('named', 'whole', 'X-Other' => 'broken'),
               'try_files, a broken one');
}


$t->finish;
done_testing();
