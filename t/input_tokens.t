#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# POST responses/input_tokens: what the tokenizers of vLLM, SGLang and llama.cpp
# are asked, what comes of their answers, and servers that have none.

use v5.36;
use File::Temp ();
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get http_start post_json );
use ORS::JSON qw( json_decode json_false json_true );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( error_ok );
use ORS::Util qw( slurp wait_for );

# vLLM 0.16: /tokenize with messages, or a prompt.  llama.cpp b7500: a prompt of
# messages by /apply-template, its tokens by /tokenize.  A token is a word.

my $model = ORS::Model->new(scripts => {
    default => \&tokenizer,
    error => [ [ status => 400 ], [ json => { error => {
        message => 'bad template', type => 'BadRequestError',
        param => undef, code => 400 } } ] ],
    absent => [ [ status => 404 ], [ json => { detail => 'Not Found' } ] ],
    down => [ [ status => 503 ], [ json => { error => {
        message => 'loading' } } ] ],
    chat => json_script(chat_reply(content => 'Hello')),
    html => [ [ header => 'Content-Type', 'text/html' ],
              [ raw => '<html>1</html>' ] ],
    stream => stream_script(text => 'Hello'),
    cut => [ [ header => 'Content-Length', 100 ],
             [ header => 'Content-Type', 'application/json' ],
             [ raw => '{"count":' ], [ 'close' ] ],
    hang => [ [ hang => 'gone' ] ],
    second => sub ($conn, $r) {
        $conn->_play($r->{uri} =~ m{^/tokenize}
            ? [ [ status => 503 ], [ json => { error => {
                  message => 'loading' } } ] ]
            : [ [ json => { prompt => 'a b' } ] ], 0);
    },
    again => sub ($conn, $r) {
        $conn->_play([ [ json => { prompt => 'a b' } ] ], 0);
    },
    map({ my $count = $_; ("says $count" => [
            [ header => 'Content-Type', 'application/json' ],
            [ raw => qq({"count":$count}) ] ]) }
        '-1', '1.5', '2147483647', '2147483648', '1e30', '"7"', 'null', '7.0',
        '9', '}'),
});

sub tokenizer ($conn, $r) {
    my $asked = json_decode($r->{body});
    my $words = sub (@texts) { my @w = map { split ' ' } @texts; 0 + @w };

    my $answer
        = $r->{uri} eq '/apply-template'
        ? { prompt => join ' ', '<s>', map { $_->{role},
            $_->{content} // () } @{ $asked->{messages} } }
        : defined $asked->{content}
        ? { tokens => [ 1 .. $words->($asked->{content}) ] }
        : $asked->{messages}
        ? { count => $words->(map { $_->{role}, $_->{content} // () }
                                  @{ $asked->{messages} }),
            max_model_len => 4096, tokens => [ 1, 2 ], token_strs => undef }
        : { error => 'what?' };

    $conn->_play([ [ json => $answer ] ], 0);
}

my $dir = File::Temp::tempdir(CLEANUP => 1);

my $conf = <<'CONF';
    open_responses_flavor openai;
    open_responses_strict on;
    open_responses_store main lmdb:%%TESTDIR%%/store;
    open_responses_store_scope $http_authorization empty=share;

    log_format facts '$request_uri $status $open_responses_status '
                     '$open_responses_error_code $open_responses_stored '
                     '[$open_responses_input_tokens] $open_responses_rounds '
                     '[$open_responses_ignored_fields]';

    open_responses_target v /to/vllm;
    open_responses_target v2 /to/down /to/vllm;
    open_responses_target s /to/sglang;
    open_responses_target l /to/llama;
    open_responses_target l2 /to/second /to/llama;
    open_responses_target word /to/word;
    open_responses_target o /to/ollama;
    open_responses_target plain /to/plain;
    open_responses_target native /to/native;
    open_responses_target prefix /to/prefix;
    open_responses_target limited /to/limited;

    limit_req_zone all zone=all:1m rate=1r/m;

    server {
        listen 127.0.0.1:%%PORT_0%%;
        access_log %%TESTDIR%%/logs/facts.log facts;
        client_max_body_size 4m;

        location /v1/ {
            open_responses on;
            open_responses_store main;
        }

        location /bare/ { open_responses on; }

        location = /to/vllm {
            internal;
            open_responses_dialect chat server=vllm;
            open_responses_model org/v;
            open_responses_set /chat_template_kwargs/x 1;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }

        location = /to/down {
            internal;
            open_responses_dialect chat server=vllm;
            proxy_set_header X-Script down;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }

        location = /to/sglang {
            internal;
            open_responses_dialect chat server=sglang;
            open_responses_chat_options stream=always;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }

        location = /to/llama {
            internal;
            open_responses_dialect chat server=llama.cpp;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }

        location = /to/second {
            internal;
            open_responses_dialect chat server=llama.cpp;
            proxy_set_header X-Script second;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }

        location = /to/word {
            internal;
            open_responses_dialect chat;
            open_responses_chat_options count=template;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }

        location = /to/ollama {
            internal;
            open_responses_dialect chat server=ollama;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }

        location = /to/plain {
            internal;
            open_responses_dialect chat;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }

        location = /to/prefix {
            internal;
            open_responses_dialect chat server=vllm;
            proxy_pass http://%%MODEL%%/api/v1$open_responses_path;
        }

        location = /to/limited {
            internal;
            open_responses_dialect chat server=vllm;
            limit_req zone=all;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }

        location = /to/native {
            internal;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }
    }

    # whose requests and answers are checked by the validator

    server {
        listen 127.0.0.1:%%PORT_1%%;

        location / {
            open_responses_validate on;
            proxy_pass http://127.0.0.1:%%PORT_0%%;
        }

        location /native/ {
            open_responses_validate on;
            proxy_pass http://%%MODEL%%;
        }
    }
CONF

my $t = ORS::Nginx->new(model => $model, conf => $conf);

$t->start;


sub ask ($name, %body) {
    my $script = delete $body{script};
    my $port = delete $body{port} // 0;
    my $at = delete $body{at} // '/v1';

    $model->forget;

    return post_json($t->port($port), "$at/responses/input_tokens",
                     { model => $name, input => 'one two', %body },
                     headers => { $script ? ('X-Script' => $script) : () });
}

sub counted ($r, $n, $name) {
    is($r->{status}, 200, "$name: status") or diag($r->{body});
    is($r->{body}, qq({"object":"response.input_tokens","input_tokens":$n}),
       "$name: body");
    like($r->{headers}{'content-type'}, qr{\Aapplication/json}, "$name: type");
}

my @tools = ({ type => 'function', name => 'f',
               parameters => { type => 'object' } });


# vLLM and SGLang: the chat request itself

for my $port (0, 1) {
    my $name = $port ? ', validated' : '';

    counted(ask('v', port => $port, instructions => 'Be kind',
                tools => \@tools, reasoning => { effort => 'none' },
                max_output_tokens => 20), 6, "vllm$name");

    my @r = $model->requests;
    my $json = $r[0]{json};

    is(scalar(@r), 1, "vllm: one call$name");
    is("$r[0]{method} $r[0]{uri}", 'POST /tokenize', "vllm: of that path$name");
    is($json->{model}, 'org/v', "vllm: the model's name there$name");
    is_deeply($json->{messages}, [ { role => 'system', content => 'Be kind' },
                                   { role => 'user', content => 'one two' } ],
              "vllm: the messages of a turn$name");
    is($json->{tools}[0]{function}{name}, 'f', "vllm: its tools$name");
    is_deeply($json->{chat_template_kwargs},
              { enable_thinking => json_false, x => 1 },
              "vllm: arguments of the template, and what is set$name");
    ok(!exists $json->{stream}, "vllm: no stream$name");
}

counted(ask('s'), 3, 'sglang');
is(($model->requests)[0]{uri}, '/tokenize', 'sglang: path');
ok(!exists $model->last_request->{json}{stream}, 'sglang: never a stream');

counted(ask('prefix'), 3, 'a path of its own');
is(($model->requests)[0]{uri}, '/api/v1/tokenize',
   'a path of its own: $open_responses_path');


# llama.cpp: a template, then its tokens

for my $target (qw( l word )) {
    counted(ask($target, input => [
        { role => 'user', content => qq(say "hi"\n\x{e9}) },
        { type => 'function_call', call_id => 'c', name => 'f',
          arguments => '{}' },
        { type => 'function_call_output', call_id => 'c', output => 'ok' } ],
        tools => \@tools), 8, $target);

    my @r = $model->requests;

    is(join(' ', map { $_->{uri} } @r), '/apply-template /tokenize',
       "$target: two calls");
    is_deeply([ map { $_->{role} } @{ $r[0]{json}{messages} } ],
              [ qw( user assistant tool ) ], "$target: messages");
    is($r[0]{json}{tools}[0]{function}{name}, 'f', "$target: tools");
    is_deeply($r[1]{json}, {
        model => $target, content => qq(<s> user say "hi"\n\x{e9} assistant)
                                     . ' tool ok',
        add_special => json_true, parse_special => json_true,
    }, "$target: its prompt, byte for byte");
}

counted(ask('l', input => 'w ' x 250_000), 250_002,
        'more tokens than a document has values');


# the conversation counts, and nothing is stored

{
    my $turn = post_json($t->port, '/v1/responses',
                         { model => 'v', input => 'hi' },
                         headers => { 'X-Script' => 'chat' })->{json};

    for my $target (qw( v l )) {
        counted(ask($target, previous_response_id => $turn->{id},
                    input => 'and now'), $target eq 'v' ? 7 : 8,
                "stored: $target");
        is_deeply([ map { $_->{content} }
                        @{ ($model->requests)[0]{json}{messages} } ],
                  [ qw( hi Hello ), 'and now' ],
                  "stored: $target: the conversation");
    }

    error_ok(ask('v', previous_response_id => 'resp_none'), 400,
             'stored: no such response', code => 'previous_response_not_found',
             param => 'previous_response_id');
    error_ok(ask('v', previous_response_id => $turn->{id}, at => '/bare'), 400,
             'no store', code => 'previous_response_not_found');
}


# servers that have no tokenizer

for my $target (qw( o plain )) {
    error_ok(ask($target), 501, "$target: none", code => 'not_implemented',
             type => 'server_error', message => qr/no tokenizer/);
    is(scalar($model->requests), 0, "$target: is not called");
}


# a server that speaks Responses

{
    $model->script(native => [ [ json => {
        object => 'response.input_tokens', input_tokens => 11 } ] ]);

    my $r = ask('native', script => 'native', instructions => 'Be kind');

    is($r->{status}, 200, 'native: status') or diag($r->{body});
    is_deeply($r->{json}, { object => 'response.input_tokens',
                            input_tokens => 11 }, 'native: body');
    is($model->last_request->{uri}, '/v1/responses/input_tokens',
       'native: path');
    is_deeply($model->last_request->{json},
              { model => 'native', input => 'one two',
                instructions => 'Be kind' }, 'native: as it came');

    for my $port (0, 1) {
        my %o = (port => $port, at => $port ? '/native' : '/v1',
                 script => 'native');

        for my $bad ('"11"', '-1', '1.5', 'null') {
            $model->script(native => [
                [ header => 'Content-Type', 'application/json' ],
                [ raw => qq({"input_tokens":$bad}) ] ]);

            error_ok(ask('native', %o), 502, "native: $bad, $port",
                     code => 'invalid_upstream_answer');
        }

        $model->script(native => [ [ json => { input_tokens => 5 } ] ]);
        is_deeply(ask('native', %o)->{json},
                  { object => 'response.input_tokens', input_tokens => 5 },
                  "native: repaired, $port");
    }

    $r = ask('native', script => 'error');
    is("$r->{status} $r->{json}{error}{message}", '400 bad template',
       'native: an error');
}


# errors and answers of no use

for my $target (qw( v l )) {
    error_ok(ask($target, script => 'error'), 400, "$target: an error",
             message => qr/bad template/);
    error_ok(ask($target, script => 'absent'), 404, "$target: no tokenizer");
    error_ok(ask($target, script => 'down'), 503, "$target: down",
             code => 'server_is_overloaded');
    error_ok(ask($target, script => $_), 502, "$target: $_",
             code => 'invalid_upstream_answer')
        for qw( chat html stream ), map { "says $_" }
            '-1', '1.5', '2147483648', '1e30', '"7"', 'null', '}';
    error_ok(ask($target, script => 'cut'), 502, "$target: cut",
             code => 'upstream_disconnected');
}

counted(ask('v', script => 'says 2147483647'), 2147483647, 'the largest');
counted(ask('v', script => 'says 7.0'), 7, 'an integer with a point');

error_ok(ask('l', script => 'again'), 502, 'a template of a template',
         code => 'invalid_upstream_answer');
error_ok(ask('l', script => 'second'), 503, 'the second call fails',
         code => 'server_is_overloaded');

counted(ask('v2'), 3, 'failover');
counted(ask('l2'), 4, 'failover after the template');
is(join(' ', map { $_->{uri} } $model->requests),
   '/apply-template /tokenize /apply-template /tokenize',
   'failover: the other server makes its own prompt');

counted(ask('limited'), 3, 'limit_req of the target');
error_ok(ask('limited'), 503, 'limit_req: the second one');


# requests

error_ok(ask('v', $_ => json_true), 400, $_, code => 'unsupported_parameter',
         param => $_)
    for qw( stream background );
counted(ask('v', stream => json_false, background => json_false,
            store => json_true), 3, 'neither');

error_ok(ask('v', port => 1, stream => json_true), 400, 'validator: stream',
         code => 'unsupported_parameter', param => 'stream');
error_ok(ask('v', temperature => 'hot', port => $_), 400, "bad value, $_",
         code => 'invalid_type', param => 'temperature')
    for 0, 1;
error_ok(ask('nobody'), 404, 'no such model', code => 'model_not_found');
error_ok(ask(undef), 400, 'no model', param => 'model');
error_ok(ask('v', input => undef), 400, 'no input', param => 'input');
error_ok(ask('v', conversation => 'conv_1'), 400, 'a conversation',
         code => 'unsupported_parameter', param => 'conversation');

is(get($t->port, '/v1/responses/input_tokens')->{status}, 405,
   '"input_tokens" is no id');


# a client that leaves

{
    $model->forget;

    my $c = http_start($t->port, 'POST', '/v1/responses/input_tokens',
                       { 'Content-Type' => 'application/json',
                         'X-Script' => 'hang' },
                       '{"model":"l","input":"hi"}');

    $model->wait_requests(1);
    undef $c;
    $model->wait_file('gone');
    pass('a client that leaves ends the call');
}

# the variables

{
    my $log = $t->dir . '/logs/facts.log';
    my $said = qr{^/v1/responses/input_tokens 200 (.*)}m;

    wait_for(sub { slurp($log) =~ $said });
    my ($line) = slurp($log) =~ $said;

    is($line, 'completed - 0 [-] 1 [-]', 'variables: nothing is used');
}

$t->finish;

done_testing();
