#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Which target serves a model, and what the target is sent.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( request post_json );
use ORS::JSON qw( json_encode json_decode );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( stream_ok response_ok error_ok );

# a finished answer of a server that speaks the protocol itself

my $native = <<'JSON' =~ s/\n//gr;
{"id":"resp_native","object":"response","created_at":1767225600,
"completed_at":1767225601,"status":"completed",
"incomplete_details":null,"model":"its-own",
"previous_response_id":null,"instructions":null,"output":[],"error":null,
"tools":[],"tool_choice":"auto","truncation":"disabled",
"parallel_tool_calls":true,"text":{"format":{"type":"text"}},"top_p":1,
"presence_penalty":0,"frequency_penalty":0,"top_logprobs":0,"temperature":1,
"reasoning":null,"usage":null,"max_output_tokens":null,
"max_tool_calls":null,"store":false,"background":false,
"service_tier":"default","metadata":{},"safety_identifier":null,
"prompt_cache_key":null}
JSON

my @events = ('created', 'in_progress', 'completed');
my $events = '';

for my $n (0 .. 2) {
    my %r = (%{ json_decode($native) },
             status => $n == 2 ? 'completed' : 'in_progress',
             completed_at => $n == 2 ? 1767225601 : undef);

    $events .= "event: response.$events[$n]\ndata: "
               . json_encode({ type => "response.$events[$n]",
                               sequence_number => $n, response => \%r })
               . "\n\n";
}

$events .= "data: [DONE]\n\n";

my $model = ORS::Model->new(scripts => {
    native => sub ($conn, $r) {
        my $stream = $r->{body} =~ /"stream" *: *true/;

        $conn->_step_header('Content-Type', $stream
            ? 'text/event-stream' : 'application/json; charset=utf-8');
        $conn->body($_) for unpack '(a100)*', $stream ? $events : $native;
    },
    'native-500' => [ [ status => 500 ],
                      [ json => { error => { message => 'native' } } ] ],
    error => [ [ status => 500 ], [ json => { error => 'no' } ] ],
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    open_responses_strict off;

    open_responses_target  default /to/http;
    open_responses_target  shared  /to/http;

    upstream pool { server 127.0.0.1:%%PORT_1%%; }

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /http/ { open_responses on; }

        location /v1/ {
            open_responses on;

            open_responses_target  default        /to/default;
            open_responses_target  ~^first        /to/regex-1;
            open_responses_target  ~first         /to/regex-2;
            open_responses_target  ~*^caseless$   /to/regex-3;
            open_responses_target  "~^.{40}$"     /to/regex-4;
            open_responses_target  gpt*           /to/prefix-1;
            open_responses_target  gpt-5*         /to/prefix-2;
            open_responses_target  gpt-5-x        /to/exact;
            open_responses_target  ~gpt-5-x       /to/regex-1;
            open_responses_target  a/b:c@d        /to/exact;
            open_responses_target  "a b"          /to/exact;
            open_responses_target  ~*\.MINI$      /to/regex-5;
        }

        location /star/ {
            open_responses on;
            open_responses_target  *       /to/star;
            open_responses_target  default /to/default;
        }

        location /none/ {
            open_responses on;
            open_responses_target  default-not  /to/default;
        }

        location = /exact/responses { open_responses on; }

        location ~ ^/tenants/[a-z]+/responses$ { open_responses on; }

        location /prefix { open_responses on; }

        location /files/ { try_files $uri @front; }

        location @front { open_responses on; }

        location /nested/ {
            open_responses on;
            open_responses_target default /to/nested;

            location /nested/in/ { open_responses on; }

            location /nested/not/ { return 200 "not\n"; }
        }

        location / { open_responses on; }

        location /to/ {
            internal;
            open_responses_dialect chat;
            proxy_set_header X-Target $uri;
            proxy_set_header X-Args $args;
            proxy_pass http://%%MODEL%%/chat;
        }

        location = /to/renamed {
            internal;
            open_responses_dialect chat;
            open_responses_model "org/Model \"7B\"";
            proxy_pass http://%%MODEL%%/chat;
        }

        location = /to/pool {
            internal;
            open_responses_dialect chat;
            proxy_pass http://pool/chat;
        }

        location /group/ {
            internal;
            open_responses_dialect chat;
            open_responses_model   of-the-group;
            proxy_set_header X-Target $uri;

            location = /group/model {
                proxy_pass http://%%MODEL%%/chat;
            }

            location = /group/own {
                open_responses_model its-own;
                proxy_pass http://%%MODEL%%/chat;
            }
        }

        location = /to/native {
            internal;
            proxy_set_header X-Script native;
            proxy_pass http://%%MODEL%%/native;
        }

        location = /to/native-renamed {
            internal;
            open_responses_dialect responses;
            open_responses_model its-own;
            proxy_set_header X-Script native;
            proxy_pass http://%%MODEL%%/native;
        }

        location = /to/native-500 {
            internal;
            proxy_pass http://%%MODEL%%/script/native-500;
        }

        location = /to/native-refused {
            internal;
            proxy_pass http://127.0.0.1:1;
        }

        location = /to/rewritten {
            internal;
            rewrite ^ /to/pool last;
        }

        location = /to/tried {
            internal;
            try_files /no/such/file /to/renamed;
        }

        location = /to/named {
            internal;
            open_responses_dialect chat;
            error_page 418 = @named;
            return 418;
        }

        location = /to/fallback {
            internal;
            open_responses_dialect chat;
            error_page 502 = @named;
            proxy_pass http://127.0.0.1:1;
        }

        location = /to/fallback-500 {
            internal;
            open_responses_dialect chat;
            proxy_intercept_errors on;
            error_page 500 =200 /to/returned;
            proxy_pass http://%%MODEL%%/script/error;
        }

        location = /to/fallback-fails {
            internal;
            open_responses_dialect chat;
            error_page 502 = /to/fallback-again;
            proxy_pass http://127.0.0.1:1;
        }

        location = /to/fallback-again {
            internal;
            open_responses_dialect chat;
            error_page 502 = @named;
            proxy_pass http://127.0.0.1:1;
        }

        location @named {
            open_responses_dialect chat;
            open_responses_model named;
            proxy_pass http://%%MODEL%%;
        }

        location = /to/returned {
            open_responses_dialect chat;
            default_type application/json;
            return 200 '{"choices":[{"message":{"content":"canned"}}]}';
        }


        location = /to/other { internal; rewrite ^ /http/responses last; }
        location = /to/self { internal; rewrite ^ /all/responses last; }

        location /all/ {
            open_responses on;
            open_responses_target  args             /to/args?x=1&y=%20;
            open_responses_target  renamed          /to/renamed;
            open_responses_target  pool             /to/pool;
            open_responses_target  group            /group/model;
            open_responses_target  group-own        /group/own;
            open_responses_target  native           /to/native;
            open_responses_target  native-renamed   /to/native-renamed;
            open_responses_target  native-500       /to/native-500;
            open_responses_target  native-refused   /to/native-refused;
            open_responses_target  rewritten        /to/rewritten;
            open_responses_target  tried            /to/tried;
            open_responses_target  named            /to/named;
            open_responses_target  returned         /to/returned;
            open_responses_target  fallback         /to/fallback;
            open_responses_target  fallback-500     /to/fallback-500;
            open_responses_target  fallback-fails   /to/fallback-fails;
            open_responses_target  self             /to/self;
            open_responses_target  other-front      /to/other;
        }
    }

    server {
        listen 127.0.0.1:%%PORT_1%%;

        open_responses_target default /to/server;

        location /v1/ { open_responses on; }

        location = /to/server {
            internal;
            open_responses_dialect chat;
            proxy_set_header X-Target $uri;
            proxy_pass http://%%MODEL%%/chat;
        }

        location = /chat {
            proxy_set_header X-Target pool;
            proxy_pass http://%%MODEL%%/chat;
        }
    }
CONF

$t->start;

my $port = $t->port;


sub ask ($path, $model, @more) {
    return post_json($port, "$path/responses",
                     { model => $model, input => 'hi', @more });
}


sub goes ($path, $name, $target) {
    my $d = response_ok(ask($path, $name), "$path, model $name");
    my $seen = $model->last_request;

    is($seen->{headers}{'x-target'}, $target, "$path, model $name: target");
    is($d->response->{model}, $name, "$path, model $name: its own name");
    is($seen->{json}{model}, $name, "$path, model $name: name upstream");
}


goes('/v1', 'other', '/to/default');
goes('/v1', 'default', '/to/default');
goes('/v1', 'gpt', '/to/prefix-1');
goes('/v1', 'gpt-4', '/to/prefix-1');
goes('/v1', 'gpt-5', '/to/prefix-2');
goes('/v1', 'gpt-5-x', '/to/exact');
goes('/v1', 'gpt-5-xy', '/to/prefix-2');
goes('/v1', 'GPT-5', '/to/default');
goes('/v1', 'first', '/to/regex-1');
goes('/v1', 'the first', '/to/regex-2');
goes('/v1', 'CaseLess', '/to/regex-3');
goes('/v1', 'caseless2', '/to/default');
goes('/v1', 'x' x 40, '/to/regex-4');
goes('/v1', 'o9.mini', '/to/regex-5');
goes('/v1', 'gpt.mini', '/to/prefix-1');
goes('/v1', 'a/b:c@d', '/to/exact');
goes('/v1', 'a b', '/to/exact');
goes('/v1', "caf\x{e9}", '/to/default');
goes('/v1', 'shared', '/to/default');

# options of a group of targets hold for each of them
{
    for (['group', '/group/model', 'of-the-group'],
         ['group-own', '/group/own', 'its-own'])
    {
        my ($name, $target, $sent) = @$_;
        my $d = response_ok(ask('/all', $name), "target in a group, $name");
        my $seen = $model->last_request;

        is($seen->{headers}{'x-target'}, $target, "$name: target");
        is($seen->{json}{model}, $sent, "$name: model name upstream");
        is($d->response->{model}, $name, "$name: its own name");
    }
}

# an escaped name is the same name
{
    my $r = post_json($port, '/v1/responses',
                      '{"model":"\u0067pt\u002d5-x","input":"hi"}');

    response_ok($r, 'escaped name');
    is($model->last_request->{headers}{'x-target'}, '/to/exact',
       'escaped name: target');
}

goes('/star', 'anything', '/to/star');
goes('/http', 'anything', '/to/http');
goes('/exact', 'm', '/to/http');
goes('/tenants/abc', 'm', '/to/http');
goes('/prefix', 'm', '/to/http');
goes('/files', 'm', '/to/http');
goes('/files/of/any', 'm', '/to/http');
goes('/nested', 'm', '/to/nested');
goes('/nested/in', 'm', '/to/nested');
goes('', 'm', '/to/http');

is(ask('/nested/not', 'm')->{body}, "not\n",
   'a nested location is not ours unless it says so');
error_ok(ask('/none', 'default'), 404, 'no default',
         code => 'model_not_found');
error_ok(ask('/none', "a\x{e9}" . 'x' x 200), 404, 'a long name',
         code => 'model_not_found', param => 'model',
         message => qr/no model "a\x{e9}x{62}" here/);
error_ok(ask('/prefixed', 'm'), 404, 'a path that begins like the location');
error_ok(ask('/exact/deeper', 'm'), 404, 'a path below an exact location');
error_ok(post_json($port, '/files/other', { model => 'm', input => 'hi' }),
         404, 'another path in a named location');

$port = $t->port(1);
goes('/v1', 'shared', '/to/server');
$port = $t->port;


# the target's request

for my $stream (0, 1) {
    my @s = $stream ? (stream => \1) : ();
    my $how = $stream ? 'stream' : 'plain';
    my $ok = $stream ? \&stream_ok : \&response_ok;
    my $d = $ok->(ask('/all', 'args', @s), "target with arguments, $how");

    is($model->last_request->{headers}{'x-args'}, 'x=1&y=%20',
       "target with arguments, $how: they arrive");

    $d = $ok->(ask('/all', 'renamed', @s), "another name upstream, $how");
    is($model->last_request->{json}{model}, 'org/Model "7B"',
       "another name upstream, $how: the model's");
    is($d->response->{model}, 'renamed',
       "another name upstream, $how: the client's");

    $d = $ok->(ask('/all', 'pool', @s), "upstream of another server, $how");
    is($model->last_request->{headers}{'x-target'}, 'pool',
       "upstream of another server, $how: through it");

    $ok->(ask('/all', 'rewritten', @s), "rewritten target, $how");
    is($model->last_request->{headers}{'x-target'}, 'pool',
       "rewritten target, $how: the new one");

    $ok->(ask('/all', 'tried', @s), "target with try_files, $how");
    is($model->last_request->{json}{model}, 'org/Model "7B"',
       "target with try_files, $how: the last of them");

    $ok->(ask('/all', 'named', @s), "target with error_page, $how");
    is($model->last_request->{json}{model}, 'named',
       "target with error_page, $how: the named location");

    $ok->(ask('/all', 'fallback', @s), "refused, with another target, $how");
    is($model->last_request->{json}{model}, 'named',
       "refused, with another target, $how: it answers");

    $d = $ok->(ask('/all', 'fallback-500', @s), "error replaced, $how");
    is($d->text, 'canned', "error replaced, $how: text");
    error_ok(ask('/all', 'fallback-fails', @s), 502,
             "the other target is refused, too, $how",
             code => 'upstream_unavailable');

    $d = $ok->(ask('/all', 'returned', @s), "canned answer, $how");
    is($d->text, 'canned', "canned answer, $how: text");

    error_ok(ask('/all', $_, @s), 502, "a target that is $_, $how",
             code => 'upstream_unavailable')
        for qw( self other-front );
}


# a server that speaks the protocol

my $body = qq( {"model" : "native",\n"input":"\\u0068i\xc3\xa9", )
           . '"unknown":[1e400,12345678901234567890 ],"temperature":0.70 }';

{
    my $r = post_json($port, '/all/responses', $body);

    response_ok($r, 'native, plain', lax => 1);
    is($r->{body}, $native =~ s/"its-own"/"native"/r,
       'native, plain: but for the name, byte for byte');
    is($r->{headers}{'content-type'}, 'application/json',
       'native, plain: type');
    is($model->last_request->{body}, $body, 'native: request as it came');

    my $stream = $body =~ s/ \}\z/,"stream":true}/r;

    $r = post_json($port, '/all/responses', $stream);
    is($r->{body}, $events =~ s/"its-own"/"native"/gr,
       'native, stream: but for the name, byte for byte');
    is($r->{headers}{'content-type'}, 'text/event-stream',
       'native, stream: type');
    is_deeply([ @{ $r->{headers} }{qw( content-length cache-control
                                       x-accel-buffering )} ],
              [ undef, 'no-cache', 'no' ], 'native, stream: headers');
    is($model->last_request->{body}, $stream,
       'native, stream: request as it came');

    my $renamed = $body =~ s/"native"/"native\\u002Drenamed"/r;

    $r = post_json($port, '/all/responses', $renamed);
    is($r->{body}, $native =~ s/its-own/native\\u002Drenamed/r,
       'native, renamed: the name as the client has written it');
    is($model->last_request->{body},
       $renamed =~ s/"native\S+"/"its-own"/r,
       'native, renamed: only the name is another');

    $r = ask('/all', 'native-500');
    error_ok($r, 500, 'native error', message => qr/\Anative\z/);

    error_ok(ask('/all', 'native-refused'), 502, 'native, refused');
}

ok($t->wait_log(qr/cannot serve a subrequest to "\/http\/responses"/),
   'the log says why a front cannot be a target');

$t->finish;

done_testing();
