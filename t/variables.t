#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Values of the variables, in a log, and in a target.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( request get post_json http_start );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( stream_ok response_ok error_ok );
use ORS::Util qw( slurp wait_for );

my $native = <<'JSON' =~ s/\n//gr;
{"id":"resp_1","object":"response","created_at":1767225600,
"completed_at":1767225601,"status":"completed","incomplete_details":null,
"model":"native","previous_response_id":null,"instructions":null,"output":[],
"error":null,"tools":[],"tool_choice":"auto","truncation":"disabled",
"parallel_tool_calls":true,"text":{"format":{"type":"text"}},"top_p":1,
"presence_penalty":0,"frequency_penalty":0,"top_logprobs":0,"temperature":1,
"reasoning":null,"usage":null,"max_output_tokens":null,
"max_tool_calls":null,"store":false,"background":false,
"service_tier":"default","metadata":{},"safety_identifier":null,
"prompt_cache_key":null}
JSON

my $model = ORS::Model->new(scripts => {
    short  => json_script(chat_reply(content => 'Hel', finish => 'length')),
    error  => [ [ status => 500 ], [ json => { error => 'no' } ] ],
    full   => [ [ status => 400 ], [ json => { error => {
                  message => 'too long',
                  code => 'context_length_exceeded' } } ] ],
    cut    => [ sse_head(), [ sse => chat_chunk(content => 'a') ],
                [ 'close' ] ],
    stall  => [ sse_head(), [ sse => chat_chunk(content => 'a') ],
                [ hang => 'gone' ] ],
    silent => sub ($conn, $r) {
        $conn->touch('asked');
        $conn->touch('left') if $conn->wait_gone;
    },
    native => sub ($conn, $r) {
        $conn->_step_header('Content-Type', 'application/json');
        $conn->body($native);
    },
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    log_format facts '$uri '
        'model=$open_responses_model target=$open_responses_target '
        'dialect=$open_responses_dialect stream=$open_responses_stream '
        'status=$open_responses_status code=$open_responses_error_code '
        'param=$open_responses_error_param uri=$open_responses_uri';

    map $open_responses_model $key {
        volatile;
        default   "none";
        hello     "key of hello";
        ~^hello-  "key of the others";
    }

    upstream models { server %%MODEL%%; }

    server {
        listen 127.0.0.1:%%PORT_0%%;
        access_log %%TESTDIR%%/logs/facts.log facts;

        # too early: it must not be kept

        set $early "$open_responses_model$open_responses_dialect$key";

        location /v1/ {
            open_responses on;
            open_responses_target  down      /to/down;
            open_responses_target  moved     /to/moved?x=y;
            open_responses_target  native*   /to/native;
            open_responses_target  returned  /to/returned;
            open_responses_target  ~.        /to/chat?x=y;
        }

        location /v1/denied { open_responses on; deny all;
                              open_responses_target default /to/chat; }

        location = /v1/limited/responses {
            open_responses on;
            open_responses_target default /to/chat;
            client_max_body_size 10;
        }

        location /plain/ {
            add_header X-Facts "$open_responses_model$open_responses_uri";
            return 200 ok;
        }

        location = /to/chat {
            internal;
            open_responses_dialect chat;
            proxy_set_header X-Model   $open_responses_model;
            proxy_set_header X-Target  $open_responses_target;
            proxy_set_header X-Dialect $open_responses_dialect;
            proxy_set_header X-Stream  $open_responses_stream;
            proxy_set_header X-Status  $open_responses_status;
            proxy_set_header X-Key     $key;
            proxy_pass http://models$open_responses_uri;
        }

        location = /to/native {
            internal;
            open_responses_model native;
            proxy_set_header X-Dialect $open_responses_dialect;
            proxy_pass http://models$open_responses_uri;
        }

        location = /to/moved {
            internal;
            proxy_set_header X-Uri $open_responses_uri;
            error_page 502 = @moved;
            proxy_pass http://127.0.0.1:1;
        }

        location @moved {
            open_responses_dialect chat;
            proxy_set_header X-Dialect $open_responses_dialect;
            proxy_pass http://models$open_responses_uri;
        }

        location = /to/down {
            internal;
            open_responses_dialect chat;
            proxy_pass http://127.0.0.1:1;
        }

        location = /to/returned {
            internal;
            open_responses_dialect chat;
            return 503;
        }
    }
CONF

$t->start;

my $port = $t->port;
my $log = $t->dir . '/logs/facts.log';
my $lines = 0;


# the line of the next request that has ended

sub line () {
    my @lines;

    wait_for(sub { @lines = split /\n/, slurp($log); @lines > $lines });
    $lines++;

    return $lines[$lines - 1] // 'no line';
}


# "-" is what nginx writes for what is not known

sub logged ($name, $what, %expected) {
    my $path = delete $expected{path} // '/v1/responses';

    $what->();

    is(line(), join(' ', $path, map { "$_=" . ($expected{$_} // '-') }
                    qw( model target dialect stream status code param uri )),
       $name);
}


sub ask ($model, %o) {
    return sub { post_json($port, '/v1/responses',
                           { model => $model, input => 'hi', %o }) };
}


sub begin ($name) {
    return http_start($port, 'POST', '/v1/responses',
                      { 'Content-Type' => 'application/json' },
                      qq({"model":"$name","input":"hi","stream":true}));
}


my @stream = (stream => \1);
my @chat = (target => '/to/chat', dialect => 'chat');

logged('an answer', ask('hello'), @chat, model => 'hello', stream => 0,
       status => 'completed');
logged('a stream', ask('hello', @stream), @chat, model => 'hello',
       stream => 1, status => 'completed');
logged('an answer that is not whole', ask('short'), @chat,
       model => 'short', stream => 0, status => 'incomplete');

logged('no JSON', sub { post_json($port, '/v1/responses', '{') },
       status => 'rejected', code => 'invalid_json');
logged('a wrong type', ask('hello', metadata => { a => 1 }),
       status => 'rejected', code => 'invalid_type', param => 'metadata.a');
logged('no model', sub { post_json($port, '/v1/responses',
                                   { input => 'hi' }) },
       status => 'rejected', code => 'missing_required_parameter',
       param => 'model');
logged('another model', ask(''), status => 'rejected',
       code => 'missing_required_parameter', param => 'model');
logged('what a target cannot do', ask('hello', background => \1), @chat,
       model => 'hello', stream => 0, status => 'rejected',
       code => 'unsupported_parameter', param => 'background');

logged('no such path', sub { get($port, '/v1/nothing') },
       path => '/v1/nothing', status => 'rejected', code => 'not_found');
logged('another method', sub { get($port, '/v1/responses') },
       status => 'rejected', code => 'method_not_allowed');
logged('denied', sub { get($port, '/v1/denied') }, path => '/v1/denied',
       status => 'rejected', code => 'forbidden');
logged('too large', sub { post_json($port, '/v1/limited/responses', '{}',
                                    chunked => 1);
                          post_json($port, '/v1/limited/responses',
                                    { model => 'hello', input => 'hi' }) },
       path => '/v1/limited/responses', status => 'rejected',
       code => 'missing_required_parameter', param => 'model');
is(line(), '/v1/limited/responses model=- target=- dialect=- stream=- '
           . 'status=rejected code=request_too_large param=- uri=-',
   'too large: refused by nginx');

logged('an error of the model server', ask('error'), @chat,
       model => 'error', stream => 0, status => 'failed',
       code => 'server_error');
logged('a request that is refused by the model server', ask('full'), @chat,
       model => 'full', stream => 0, status => 'failed',
       code => 'context_length_exceeded');
logged('a model server that is not there', ask('down'),
       target => '/to/down', dialect => 'chat', model => 'down',
       stream => 0, status => 'failed', code => 'upstream_unavailable');
logged('a target that says no', ask('returned'), target => '/to/returned',
       model => 'returned', stream => 0,
       status => 'failed', code => 'server_is_overloaded');
logged('a stream that is cut', ask('cut', @stream), @chat, model => 'cut',
       stream => 1, status => 'failed', code => 'upstream_disconnected');

logged('a client that leaves', sub {
    my $c = begin('stall');

    $c->wait_body(qr/output_text\.delta/) or diag('no stream');
    $c->reset;
    $model->wait_file('gone');
}, @chat, model => 'stall', stream => 1, status => 'canceled');

logged('a client that leaves before there is an answer', sub {
    my $c = begin('silent');

    $model->wait_file('asked') or diag('not asked');
    $c->reset;
    $model->wait_file('left');
}, @chat, model => 'silent', stream => 1, status => 'canceled');

logged('a location that is not ours', sub { get($port, '/plain/') },
       path => '/plain/');
is(get($port, '/plain/')->{headers}{'x-facts'}, undef,
   'they are empty in a location that is not ours');
line();


# nothing breaks out of its place in a line

logged('a name with quotes', ask("a\"b\\c d\x{e9}"), @chat,
       model => 'a\x22b\x5Cc d\xC3\xA9', stream => 0,
       status => 'completed');
logged('a name with a line feed', ask("a\nb"), status => 'rejected',
       code => 'invalid_value', param => 'model');


# in a target

{
    response_ok(ask('hello')->(), 'in a target');
    line();

    my $r = $model->last_request;

    is($r->{headers}{'x-model'}, 'hello', 'in a target: model');
    is($r->{headers}{'x-target'}, '/to/chat', 'in a target: target');
    is($r->{headers}{'x-dialect'}, 'chat', 'in a target: dialect');
    is($r->{headers}{'x-stream'}, '0', 'in a target: stream');
    is($r->{headers}{'x-status'}, undef, 'in a target: no status yet');
    is($r->{headers}{'x-key'}, 'key of hello', 'in a target: a map of them');
    is($r->{uri}, '/v1/chat/completions', 'in a target: uri');

    stream_ok(ask('hello-2', @stream)->(), 'in a target, stream');
    line();
    $r = $model->last_request;
    is($r->{headers}{'x-stream'}, '1', 'in a target, stream: stream');
    is($r->{headers}{'x-key'}, 'key of the others',
       'in a target, stream: a map of them');

    post_json($port, '/v1/responses?api-version=1&x=%20y',
              { model => 'hello', input => 'hi' });
    line();
    is($model->last_request->{uri},
       '/v1/chat/completions?api-version=1&x=%20y',
       "in a target: uri with the client's arguments");
}

logged('a target that speaks the protocol', sub {
    my $r = ask('native-1')->();

    response_ok($r, 'a target that speaks the protocol: answer', lax => 1);

    $r = $model->last_request;
    is($r->{uri}, '/v1/responses', 'a target that speaks the protocol: uri');
    is($r->{headers}{'x-dialect'}, 'responses',
       'a target that speaks the protocol: dialect');
}, model => 'native-1', target => '/to/native', dialect => 'responses',
   stream => 0, status => 'completed');


# the location that answers is what counts

logged('a target that is replaced', ask('moved'), model => 'moved',
       target => '/to/moved', dialect => 'chat', stream => 0,
       status => 'completed');
is($model->last_request->{uri}, '/v1/chat/completions',
   'a target that is replaced: uri');
is($model->last_request->{headers}{'x-dialect'}, 'chat',
   'a target that is replaced: dialect');

$t->finish;

done_testing();
