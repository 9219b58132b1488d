#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The validator: a location that has proxy_pass, and one line more.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get post_json request );
use ORS::JSON qw( json_decode json_encode json_true );
use ORS::Model;
use ORS::Nginx;
use ORS::Sample;
use ORS::Stream qw( error_ok response_ok stream_ok );

my $whole = json_encode(response('completed', model => 'parrot-1',
                                 output => [ message('msg_1', 'completed',
                                     output_text('Hello')) ]));
my $stream = render(good());

my $model = ORS::Model->new(scripts => {
    whole  => [ [ header => 'X-Request-Id', 'req_9' ],
                [ header => 'Content-Type', 'application/json' ],
                [ raw => $whole ] ],
    stream => [ [ header => 'Content-Type', 'text/event-stream' ],
                [ raw => $stream ] ],
    holes  => [ [ header => 'Content-Type', 'application/json' ],
                [ raw => '{"id":"resp_1","status":"completed","output":[]}'
                ] ],
    broken => [ [ header => 'Content-Type', 'application/json' ],
                [ raw => '{"id":"resp_1","output":"secret words"}' ] ],
    html   => [ [ status => 502 ], [ header => 'Content-Type', 'text/html' ],
                [ raw => '<html>10.0.0.5 is down</html>' ] ],
    quota  => [ [ status => 429 ], [ header => 'Retry-After', 7 ],
                [ header => 'Content-Type', 'application/json' ],
                [ raw => '{"error":{"message":"slow down, org-17",'
                  . '"type":"requests","param":null,"code":"rate"}}' ] ],
    key    => [ [ status => 401 ],
                [ json => { error => { message => 'key sk-1 is bad',
                                       type => 'invalid_request_error',
                                       param => undef,
                                       code => 'invalid_api_key' } } ] ],
    cut    => [ [ cut_at => 400 ], [ json => json_decode($whole) ] ],
    torn   => [ [ header => 'Content-Type', 'text/event-stream' ],
                [ cut_at => 6000 ], [ raw => $stream ] ],
    list   => [ [ json => { object => 'list', data => [
                    { id => 'parrot-1', object => 'model', created => 1,
                      owned_by => 'us' } ] } ] ],
    files  => [ [ header => 'Content-Type', 'text/plain' ],
                [ raw => 'not of the API' ] ],
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    open_responses_flavor spec;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        error_page 500 502 503 504 /50x.html;

        location = /50x.html { return 502 "a page for people"; }

        location /v1/ {
            open_responses_validate on;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /request/ {
            open_responses_validate request;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /response/ {
            open_responses_validate response;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /report/ {
            open_responses_validate on report;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /strip/ {
            open_responses_validate on;
            open_responses_unknown_fields strip;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /reject/ {
            open_responses_validate on;
            open_responses_unknown_fields reject;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /mask/ {
            open_responses_validate on;
            open_responses_upstream_errors mask;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /renamed/ {
            open_responses_validate on;
            open_responses_model its-own;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /small/ {
            open_responses_validate on;
            client_max_body_size 100;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /down/ {
            open_responses_validate on;
            proxy_pass http://127.0.0.1:1/v1/;
        }
    }
CONF

$t->start;


sub ask ($at, $script, $body, %o) {
    return post_json($t->port, "/$at/responses", $body,
                     headers => { 'X-Script' => $script, %o });
}


# a request

{
    my $body = qq({"model": "parrot-1",\n "input":"hi", "x_extra":1});

    for my $at (qw( v1 request response report )) {
        my $r = ask($at, 'whole', $body);

        is($r->{status}, 200, "$at: status");
        is($model->last_request->{body}, $body, "$at: byte for byte");
        is($r->{headers}{'x-request-id'}, 'req_9', "$at: headers stay");
    }

    my $n = $model->count;
    my $bad = { model => 'm', input => [ { role => 'user', type => 'message',
                content => [ { type => 'input_text' } ] } ] };

    for my $at (qw( v1 request )) {
        error_ok(ask($at, 'whole', $bad), 400, "$at, a part without text",
                 code => 'missing_required_parameter',
                 param => 'input[0].content[0].text');
    }

    is($model->count, $n, 'nothing of it went upstream');

    for my $at (qw( response report )) {
        is(ask($at, 'whole', $bad)->{status}, 200, "$at: it goes on");
        is_deeply(json_decode($model->last_request->{body}), $bad,
                  "$at: as it came");
    }

    ok($t->wait_log(qr/request\ would\ be\ refused:
                       \ missing_required_parameter
                       \ in\ input\[0\]\.content\[0\]\.text/x),
       'report: it is logged');

    error_ok(ask('reject', 'whole', $body), 400, 'an unknown key, reject',
             code => 'unknown_parameter', param => 'x_extra');

    is(ask('strip', 'whole', $body)->{status}, 200, 'an unknown key, strip');
    is($model->last_request->{body},
       qq({"model": "parrot-1",\n "input":"hi"}), 'it is not sent');

    is(ask('renamed', 'whole', $body)->{json}{model}, 'parrot-1',
       'renamed: the client sees its own name');
    is($model->last_request->{json}{model}, 'its-own', 'renamed: on the way');

    error_ok(request($t->port, 'POST', '/v1/responses',
                     { 'Content-Type' => 'text/plain' }, '{}'), 415,
             'another type', code => 'unsupported_media_type');
    error_ok(request($t->port, 'POST', '/v1/responses',
                     { 'Content-Type' => 'application/json' }, ''), 400,
             'no body', code => 'invalid_json');
    error_ok(ask('small', 'whole', { model => 'm', input => 'x' x 200 }), 413,
             'a large body', code => 'request_too_large');
}


# an answer

{
    my $ask = { model => 'parrot-1', input => 'hi' };
    my $r = ask('v1', 'whole', $ask);

    is($r->{body}, $whole, 'a good answer is not changed');

    my $d = response_ok(ask('v1', 'holes', { %$ask, temperature => 0.25 }),
                        'holes are filled', expect => 'completed');

    is($d->response->{model}, 'parrot-1', 'with what was asked for');
    is($d->response->{temperature}, 0.25, 'and said');

    $r = ask('v1', 'broken', $ask);
    error_ok($r, 502, 'a broken answer', code => 'invalid_upstream_answer');
    unlike($r->{body}, qr/secret/, 'nothing of it is shown');

    is(ask('report', 'broken', $ask)->{body},
       '{"id":"resp_1","output":"secret words"}', 'report: it goes on');
    ok($t->wait_log(qr/answer would be refused: .*output/),
       'report: it is logged');

    is(ask('request', 'broken', $ask)->{status}, 200, 'request: not looked at');

    $r = ask('v1', 'html', $ask);
    error_ok($r, 502, 'a page of HTML');
    unlike($r->{body}, qr/10\.0\.0\.5/, 'not shown');

    $r = ask('v1', 'quota', $ask);
    error_ok($r, 429, 'an error is passed on', message => qr/org-17/);
    is($r->{headers}{'retry-after'}, 7, 'with its headers');

    $r = ask('mask', 'quota', $ask);
    error_ok($r, 429, 'an error is masked');
    unlike($r->{body}, qr/org-17/, 'its text is not shown');

    error_ok(ask('v1', 'key', $ask), 401, 'the key of ours');
    error_ok(ask('mask', 'key', $ask), 502, 'masked, it is not the client\'s');

    error_ok(ask('v1', 'cut', $ask), 502, 'a document that is cut',
             code => 'upstream_disconnected');

    $t->provokes(qr/connect\(\) failed/);
    error_ok(ask('down', 'whole', $ask), 502, 'no upstream at all');

    $r = get($t->port, '/v1/models', headers => { 'X-Script' => 'list' });
    is($r->{json}{data}[0]{id}, 'parrot-1', 'models');

    is(get($t->port, '/v1/files', headers => { 'X-Script' => 'files' })
       ->{body},
       'not of the API', 'other paths are not looked at');
}


# a stream

{
    my $ask = { model => 'parrot-1', input => 'hi', stream => json_true };
    my $r = ask('v1', 'stream', $ask);

    stream_ok($r, 'a good stream', lax => 1);
    is($r->{body}, $stream, 'it is not changed');

    is(ask('report', 'stream', $ask)->{body}, $stream, 'report: nor there');

    stream_ok(ask('v1', 'torn', $ask), 'a stream that is cut',
              expect => 'failed', code => 'upstream_disconnected', lax => 1);
}


$t->finish;
done_testing();
