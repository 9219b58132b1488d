#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# A location with "open_responses on": the endpoints that it serves, and
# requests that it refuses before it has looked at a body.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get post_json question request );
use ORS::JSON qw( is_int json_encode );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Sample;
use ORS::Stream qw( error_ok );

my %answer = (
    '/v1/responses' => response('completed', model => 'zeta'),
    '/v1/responses/compact' => {
        id => 'resp_1', object => 'response.compaction',
        output => [ { type => 'compaction', id => 'cmp_1',
                      encrypted_content => 'AA==' } ],
        created_at => 1767225600, usage => response('completed')->{usage} },
    '/v1/chat/completions' => chat_reply(content => 'Hello',
                                         model => 'zeta'),
    '/v1/embeddings' => {
        object => 'list', model => 'zeta', data => [
            { object => 'embedding', index => 0, embedding => [ 0.5 ] } ],
        usage => { prompt_tokens => 1, total_tokens => 1 } },
);

my $model = ORS::Model->new(scripts => {
    by_path => sub ($conn, $r) {
        my ($path) = split /\?/, $r->{uri};

        $conn->_step_json($answer{$path});
    },
});

my $t = ORS::Nginx->new(
    model => $model, subst => { CAFE => "caf\xc3\xa9" }, conf => <<'CONF');
    open_responses_target  zeta     /to/native;
    open_responses_target  chatty   /to/chat;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ { open_responses on; }

        location /slashless { open_responses on; }

        location ~ ^/tenants/[a-z]+/ { open_responses on; }

        location = /exact/chat/completions { open_responses on; }

        location = /exact/models { open_responses on; }

        location /files/ { try_files $uri @named; }

        location @named { open_responses on; }

        location /small/ {
            open_responses on;
            client_max_body_size 10;
        }

        location /list/ {
            open_responses on;
            open_responses_target  zeta            /to/native;
            open_responses_target  prefix*         /to/native;
            open_responses_target  "a \"b\"\\"     /to/native;
            open_responses_target  ~^re            /to/native;
            open_responses_target  default         /to/native;
            open_responses_target  alpha           /to/native;
            open_responses_target  ~*^re           /to/native;
            open_responses_target  %%CAFE%%        /to/chat;
        }

        location /no-names/ {
            open_responses on;
            open_responses_target  default         /to/native;
        }

        location /validated/ {
            open_responses_validate        on;
            open_responses_unknown_fields  reject;
            proxy_pass http://127.0.0.1:%%PORT_0%%/list/;
        }

        location /uri { return 200 "<$open_responses_uri>"; }

        location = /to/native {
            internal;
            proxy_set_header X-Script by_path;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }

        location = /to/chat {
            internal;
            open_responses_dialect chat;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }
    }
CONF

$t->start;

my @posted = qw( chat/completions embeddings responses responses/compact );


sub ask ($path, $endpoint, $name = 'zeta') {
    return post_json($t->port, $path, question($endpoint, $name));
}


# where they are

for my $at ('/v1', '/slashless', '/tenants/abc', '/tenants/abc/d/e', '/files')
{
    for my $endpoint (@posted) {
        my $r = ask("$at/$endpoint", $endpoint);

        is($r->{status}, 200, "$at, $endpoint") or diag($r->{body});
        is_deeply($r->{json}, $answer{"/v1/$endpoint"},
                  "$at, $endpoint: answer");
    }

    is(get($t->port, "$at/models")->{json}{object}, 'list', "$at, models");
}

is(ask('/exact/chat/completions', 'chat/completions')->{status}, 200,
   'exact, chat/completions');
is(get($t->port, '/exact/models')->{status}, 200, 'exact, models');

for my $path (qw( /v1/ /v1/response /v1/responses/ /v1/responses/resp_1
                  /v1/responses/resp_1/input_items /v1/responses/compact/
                  /v1/responses/compact/x /v1/xresponses /v1/Responses
                  /v1/v1/responses /v1/compact /v1/chat
                  /v1/chat/completions/x /v1/completions /v1/embedding
                  /v1/embeddings/ /v1/model /v1/models/ /v1/modelsx/zeta
                  /slashlessresponses /slashless
                  /tenants/abc/xresponses /tenants/abc/responses/resp_1
                  /files/other ))
{
    my $n = $model->count;

    error_ok(ask($path, 'responses'), 404, "POST $path",
             code => 'not_found', type => 'not_found');
    error_ok(get($t->port, $path), 404, "GET $path", code => 'not_found');
    is($model->count, $n, "$path: not sent");
}


# methods

sub refused ($method, $path, $allow) {
    my $r = request($t->port, $method, $path,
                    { 'Content-Type' => 'application/json' },
                    $method =~ /^P/ ? '{}' : undef);

    is($r->{headers}{allow}, $allow, "$method $path: Allow");

    if ($method eq 'HEAD') {
        is($r->{status}, 405, "$method $path: status");
        is($r->{body}, '', "$method $path: no body");
        return;
    }

    error_ok($r, 405, "$method $path", code => 'method_not_allowed');
}

for my $endpoint (@posted) {
    refused($_, "/v1/$endpoint", 'POST')
        for qw( GET HEAD PUT PATCH DELETE OPTIONS );
}

refused($_, '/v1/models', 'GET, HEAD') for qw( POST PUT PATCH DELETE );
refused('POST', $_, 'GET, HEAD') for qw( /exact/models /v1/models/zeta );
refused('GET', '/tenants/abc/embeddings', 'POST');


# types, and bodies that are too large

for my $endpoint (@posted) {
    my $text = json_encode(question($endpoint, 'zeta'));
    my $n = $model->count;

    for my $type (undef, '', 'text/plain', 'application/jsonx',
                  'application/x-www-form-urlencoded')
    {
        error_ok(request($t->port, 'POST', "/v1/$endpoint",
                         { defined $type ? ('Content-Type' => $type) : () },
                         $text), 415, "$endpoint, type " . ($type // 'absent'),
                 code => 'unsupported_media_type');
    }

    error_ok(request($t->port, 'POST', "/v1/$endpoint",
                     { 'Content-Type' => 'application/json',
                       'Content-Encoding' => 'br' }, $text), 415,
             "$endpoint, compressed", code => 'unsupported_media_type');
    error_ok(ask("/small/$endpoint", $endpoint), 413, "$endpoint, too large",
             code => 'request_too_large');
    is($model->count, $n, "$endpoint: nothing was sent");

    for my $headers ({ 'Content-Type' => 'Application/JSON; charset=utf-8' },
                     { 'Content-Type' => 'application/json',
                       'Content-Encoding' => 'identity' })
    {
        is(request($t->port, 'POST', "/v1/$endpoint", $headers, $text)
           ->{status}, 200, "$endpoint, @{[ %$headers ]}");
    }
}


# models

sub names ($at) {
    my $r = get($t->port, "$at/models");
    my $list = $r->{json};

    is($r->{status}, 200, "$at, models: status");
    is($r->{headers}{'content-type'}, 'application/json',
       "$at, models: type");
    is_deeply([ sort keys %$list ], [ qw( data object ) ],
              "$at, models: members");

    for my $m (@{ $list->{data} }) {
        my $created = $m->{created};

        ok(is_int($created) && abs($created - time) < 600,
           "$at, $m->{id}: when");
        is_deeply($m, { id => $m->{id}, object => 'model',
                        created => $created, owned_by => 'open_responses' },
                  "$at, $m->{id}: members");
    }

    return [ map { $_->{id} } @{ $list->{data} } ];
}

{
    my $n = $model->count;

    is_deeply(names('/v1'), [ qw( zeta chatty ) ], 'those of http');
    is_deeply(names('/list'), [ 'zeta', 'a "b"\\', 'alpha', "caf\x{e9}" ],
              'names in their order, and only names');
    is_deeply(names('/no-names'), [], 'no names at all');

    my $whole = get($t->port, '/list/models');
    my $validated = get($t->port, '/validated/models');
    my $head = request($t->port, 'HEAD', '/list/models');

    is($validated->{body}, $whole->{body}, 'models, validated: all is known');
    is($head->{status}, 200, 'HEAD models: status');
    is($head->{body}, '', 'HEAD models: no body');
    is($head->{headers}{'content-length'}, length $whole->{body},
       'HEAD models: length');

    my $args = request($t->port, 'GET', '/list/models?limit=1',
                       { 'Content-Type' => 'text/plain' }, 'a body');

    is($args->{body}, $whole->{body}, 'models, with arguments and a body');

    # one of them

    for my $id ('zeta', 'alpha', 'a%20%22b%22%5C', "caf%C3%A9") {
        my $one = get($t->port, "/list/models/$id")->{json};

        is_deeply([ grep { $_->{id} eq $one->{id} }
                    @{ $whole->{json}{data} } ], [ $one ], "models/$id");
    }

    for my $id (qw( prefix prefix/a%2Fb refuge )) {
        my $r = get($t->port, "/list/models/$id");

        is($r->{status}, 200, "models/$id: one that no list has");
        is($r->{json}{id}, $id =~ s/%2F/\//r, "models/$id: its id");
    }

    is(request($t->port, 'HEAD', '/list/models/zeta')->{status}, 200,
       'HEAD models/zeta');
    is(get($t->port, '/slashless/models/zeta')->{json}{id}, 'zeta',
       'models/zeta, another location');

    error_ok(get($t->port, $_), 404, $_, code => 'model_not_found')
        for qw( /list/models/other /no-names/models/zeta /v1/models/zeta/x );

    is($model->count, $n, 'models: no server is asked');
}


# paths upstream

sub upstream ($name, $endpoint, $path) {
    for my $args ('', '?', '?a=1&b=%20/x') {
        ask("/v1/$endpoint$args", $endpoint, $name);

        is($model->last_request->{uri}, $path . ($args eq '?' ? '' : $args),
           "$name, $endpoint$args: path upstream");
    }
}

upstream('zeta', $_, "/v1/$_") for @posted;
upstream('chatty', $_, '/v1/chat/completions')
    for qw( responses chat/completions );
upstream('chatty', 'embeddings', '/v1/embeddings');

is(get($t->port, '/uri')->{body}, '<>', 'no path but in a target');

{
    my $n = $model->count;

    error_ok(ask('/v1/responses/compact', 'responses/compact', 'chatty'), 501,
             'compact, chat', code => 'not_implemented');
    error_ok(ask("/v1/$_", $_, 'nobody'), 404, "$_, no such model",
             code => 'model_not_found', param => 'model') for @posted;
    is($model->count, $n, 'nothing of them was sent');
}

$t->finish;

done_testing();
