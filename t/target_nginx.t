#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Targets beside what else nginx does: headers of a model server that steer
# it, caches, pages for errors, variables of the request.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get post_json );
use ORS::JSON qw( json_encode json_false json_true );
use ORS::Model qw( chat_reply json_script
                   stream_script );
use ORS::Nginx;
use ORS::Stream qw( error_ok response_ok stream_ok );
use ORS::Util qw( free_port slurp wait_for );

my @accel = (
    [ header => 'X-Accel-Redirect', '/to/other' ],
    [ header => 'X-Accel-Buffering', 'yes' ],
    [ header => 'X-Accel-Limit-Rate', 1 ],
    [ header => 'X-Accel-Charset', 'utf-16' ],
    [ header => 'X-Accel-Expires', 1000 ],
);

my $model = ORS::Model->new(scripts => {
    default => json_script(chat_reply(content => 'Hello')),
    accel   => [ @accel, @{ json_script(chat_reply(content => 'accel')) } ],
    'accel-stream' => [ @accel, @{ stream_script(text => 'accel') } ],
    'cached-stream' => stream_script(text => 'Hello'),
    other   => json_script(chat_reply(content => 'other')),
});

my $t = ORS::Nginx->new(model => $model, subst => { REFUSED => free_port() },
                        http => <<'HTTP', conf => <<'CONF');
    proxy_cache_path %%TESTDIR%%/cache keys_zone=cache:1m;
    open_responses_flavor openai;
    open_responses_store one lmdb:%%TESTDIR%%/one;
    open_responses_store_scope everybody;

    log_format ids '$uri $request_id $content_length';
HTTP
    upstream pool {
        server %%MODEL%%;
        keepalive 1;
    }

    server {
        listen 127.0.0.1:%%PORT_0%%;
        access_log %%TESTDIR%%/logs/ids.log ids;

        location /v1/ {
            open_responses on;
            open_responses_store one;
            open_responses_target default      /to/model;
            open_responses_target page         /to/page;
            open_responses_target length       /to/down /to/length;
            open_responses_target ~^cached     /to/cached;
            open_responses_target accel-cached /to/cached-accel;
        }

        location /ids/ {
            open_responses on;
            open_responses_store one;
            open_responses_target default /to/model;
            add_header X-Request-Id $request_id;
        }

        location /expires/ {
            open_responses on;
            open_responses_target default /to/model;
            expires -1;
        }

        location /to/model {
            internal;
            open_responses_dialect chat;
            proxy_set_header X-Request-Id $request_id;
            proxy_pass http://%%MODEL%%/chat;
        }

        %%CHAT /to/other /script/other%%

        location = /to/page {
            internal;
            error_page 502 = /to/model/page;
            proxy_pass http://127.0.0.1:%%REFUSED%%;
        }

        location = /to/down {
            internal;
            open_responses_dialect chat;
            open_responses_model a-long-name-that-is-sent-upstream;
            proxy_set_header X-Length $content_length;
            proxy_set_header X-Type   $http_content_type;
            proxy_pass http://127.0.0.1:%%REFUSED%%;
        }

        location = /to/length {
            internal;
            open_responses_dialect chat;
            if ($content_length = "") { return 500; }
            proxy_set_header X-Length  $content_length;
            proxy_set_header X-Length2 $http_content_length;
            proxy_pass http://%%MODEL%%/chat;
        }

        location = /to/cached {
            internal;
            open_responses_dialect chat;
            proxy_cache cache;
            proxy_cache_methods POST;
            proxy_cache_key $request_body;
            proxy_cache_valid any 1m;
            proxy_pass http://%%MODEL%%/chat;
        }

        location = /to/cached-accel {
            internal;
            open_responses_dialect chat;
            proxy_cache cache;
            proxy_cache_methods POST;
            proxy_cache_key accel;
            proxy_cache_valid any 1m;
            proxy_pass http://%%MODEL%%/script/accel;
        }
    }
CONF

$t->start;


sub ask ($name, %more) {
    return post_json($t->port, '/v1/responses',
                     { model => $name, input => 'hi', %more });
}


# a model server does not tell nginx what to do

{
    my $n = $model->count;

    is(response_ok(ask('accel'), 'X-Accel', flavor => 'openai')->text,
       'accel', 'X-Accel-Redirect: not followed');
    is(stream_ok(ask('accel-stream', stream => json_true), 'X-Accel, stream',
                 flavor => 'openai')->text,
       'accel', 'X-Accel-Redirect: not followed by a stream');
    is($model->count, $n + 2, 'X-Accel-Redirect: requests');

    is(response_ok(ask('accel-cached'), "X-Accel, cache $_",
                   flavor => 'openai')->text, 'accel',
       "X-Accel-Redirect: not followed from a cache, $_") for 1, 2;
}


# caches

{
    my $n = $model->count;

    is(response_ok(ask('cached'), "cache: request $_", flavor => 'openai')
       ->text, 'Hello', "cache: text $_") for 1, 2;
    is($model->count, $n + 1, 'cache: a document is stored');

    $n = $model->count;

    is(stream_ok(ask('cached-stream', stream => json_true),
                 "cache: stream $_", flavor => 'openai')->text, 'Hello',
       "cache: text of stream $_") for 1, 2;
    is($model->count, $n + 2, 'cache: a stream is not');
}


# a page for an error which is another location

{
    response_ok(ask('page'), 'error_page', flavor => 'openai');

    my $sent = $model->last_request;

    is($sent->{method}, 'POST', 'error_page: the method does not change');
    ok($sent->{json}{messages}, 'error_page: and the body');
}


# variables that tell of the body

{
    response_ok(ask('length'), 'length', flavor => 'openai');

    my $sent = $model->last_request;
    my $length = length $sent->{body};

    is($sent->{headers}{$_}, $length, "length: $_ is of what is sent")
        for qw( x-length x-length2 content-length );

    my $body = json_encode({ model => 'length', input => 'hi' });

    ok(wait_for(sub { slurp($t->dir . '/logs/ids.log')
                      =~ m{^/v1/responses \w+ (\d+)\n\z}m
                      && $1 == length $body }),
       'length: the log tells of what has come');
}


# the id of a request that runs in the background

{
    my $r = post_json($t->port, '/ids/responses',
                      { model => 'background', input => 'hi',
                        background => json_true });

    is($r->{status}, 200, 'background: it runs');
    ok(wait_for(sub { get($t->port, "/ids/responses/$r->{json}{id}")
                      ->{json}{status} eq 'completed' }),
       'background: to its end');
    is($model->last_request->{headers}{'x-request-id'},
       $r->{headers}{'x-request-id'}, 'background: its id');
}


# one header of one name

{
    my $r = post_json($t->port, '/expires/responses',
                      { model => 'm', input => 'hi', stream => json_true });

    stream_ok($r, 'expires', flavor => 'openai');
    is($r->{headers}{'cache-control'}, 'no-cache', 'expires: once');
}

$t->finish;


# a filter of njs in a target loses the mark of the end of a body

my $njs = '/usr/lib/nginx/modules/ngx_http_js_module.so';

if (-e $njs && ($ENV{TEST_NGINX_BINARY} // '') =~ m!\A(/usr/sbin/nginx)?\z!)
{
    my $js = ORS::Nginx->new(model => $model, main => "load_module $njs;",
                             conf => <<'CONF');
    js_path %%TESTDIR%%;
    js_import main from pass.js;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
            open_responses_target default /to/model;
        }

        location = /to/model {
            internal;
            open_responses_dialect chat;
            js_body_filter main.pass;
            proxy_pass http://%%MODEL%%/chat;
        }
    }
CONF

    $js->write_file('pass.js', 'export default { pass: (r, data, flags) => '
                               . 'r.sendBuffer(data, flags) }');
    $js->start;

    response_ok(post_json($js->port, '/v1/responses',
                          { model => 'm', input => 'hi' }), 'js_body_filter');
    stream_ok(post_json($js->port, '/v1/responses',
                        { model => 'cached-stream', input => 'hi',
                          stream => json_true }), 'a stream through it');
    $js->finish;
}

done_testing();
