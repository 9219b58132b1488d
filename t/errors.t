#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Whatever refuses a request, its answer is the protocol's error document,
# and what the client said in confidence is not in the log.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::H2;
use ORS::HTTP qw( request get post_json http_start );
use ORS::JSON qw( json_encode );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( stream_ok response_ok error_ok );
use ORS::Util qw( free_port wait_for );

my $secret = 'sk-SECRET-0123456789';
my $prompt = 'PROMPT-9876543210';

sub fails ($status, $data, @headers) {
    return [ [ status => $status ], (map { [ header => @$_ ] } @headers),
             ref $data ? [ json => $data ] : [ raw => $data ] ];
}

my $html = [ 'Content-Type', 'text/html' ];
my %error = (error => { message => 'not so fast', type => 'x', code => undef });

my $model = ORS::Model->new(scripts => {
    rst => [ [ 'reset' ] ],
    close => [ [ 'close' ] ],
    silent => sub ($conn, $r) {
        $conn->touch('silent-gone') if $conn->wait_gone;
    },
    'silent-stream' => [ sse_head(), [ sse => chat_chunk(content => 'a') ],
                         [ hang => 'stream-gone' ] ],
    upgrade => [ [ wire => "HTTP/1.1 101 Switching Protocols\r\n"
                           . "Upgrade: websocket\r\n"
                           . "Connection: upgrade\r\n\r\nanything" ],
                 [ hang => 'upgrade-gone' ] ],
    'no-http' => [ [ wire => "SSH-2.0-nothing\r\n\r\n" ], [ 'close' ] ],
    's401' => fails(401, { error => { message => 'bad key',
                                      code => 'invalid_api_key' } }),
    's403' => fails(403, \%error),
    's404' => fails(404, { error => { message => 'no model',
                                      code => 'model_not_found' } }),
    's429' => fails(429, \%error, [ 'Retry-After', 7 ]),
    's500' => fails(500, \%error),
    's503' => fails(503, \%error, [ 'Retry-After', '9' ]),
    'h200' => fails(200, '<html>fine</html>', $html),
    'h404' => fails(404, '<html>nobody</html>', $html),
    'h500' => fails(500, '<html>broken</html>', $html),
    'h502' => fails(502, '<html>bad</html>', $html),
    'h504' => fails(504, '', $html),
    'no-type' => fails(200, '{"choices":[]}'),
    'r302' => fails(302, '', [ 'Location', 'http://example.com/' ]),
    'empty' => fails(204, ''),
    'no-json' => fails(200, '{"choices":[', [ 'Content-Type',
                                              'application/json' ]),
    'other-json' => fails(200, { hello => 'world' }),
});

my $t = ORS::Nginx->new(model => $model, http => <<'HTTP', conf => <<'CONF',
    open_responses_strict off;

    limit_req_zone $binary_remote_addr zone=req:64k rate=1r/m;
    limit_conn_zone $binary_remote_addr zone=conn:64k;

    error_page 400 401 403 404 405 413 415 429 500 502 503 504 /page.html;
    error_page 404 =200 /page.html;
HTTP
    open_responses_target  default /to/model;
    open_responses_target  refused /to/refused;
    open_responses_target  missing /to/missing;
    open_responses_target  private /to/private;
    open_responses_target  said-404 /to/said-404;
    open_responses_target  said-html /to/said-html;
    open_responses_target  paged /to/paged;

    server {
        listen 127.0.0.1:%%PORT_0%%;
        listen 127.0.0.1:%%PORT_1%% http2;
        root %%TESTDIR%%;

        location /v1/ { open_responses on; }

        location /basic/ {
            open_responses on;
            auth_basic "a realm";
            auth_basic_user_file %%TESTDIR%%/users;
        }

        location /asked/ {
            open_responses on;
            auth_request /auth;
        }

        location /broken-auth/ {
            open_responses on;
            auth_request /auth500;
        }

        location = /auth {
            internal;
            proxy_pass http://127.0.0.1:%%PORT_0%%/auth-server;
            proxy_pass_request_body off;
            proxy_set_header Content-Length "";
        }

        location = /auth-server {
            add_header WWW-Authenticate 'Bearer realm="keys"' always;
            error_page 599 /no;
            return 401;
        }

        location = /auth500 { internal; return 500; }

        location /denied/ { open_responses on; deny all; }

        location /rate/ {
            open_responses on;
            limit_req zone=req;
            limit_req_status 429;
        }

        location /rate503/ { open_responses on; limit_req zone=req; }

        location /connections/ { open_responses on; limit_conn conn 1; }

        location /returned/ { open_responses on; return 410 "gone"; }

        location /some/ {
            open_responses on;
            open_responses_target one* /to/model;
        }

        location = /to/model {
            internal;
            open_responses_dialect chat;
            proxy_pass http://%%MODEL%%/v1/chat/completions;
            proxy_read_timeout 2s;
        }

        location = /to/refused {
            internal;
            open_responses_dialect chat;
            proxy_pass http://127.0.0.1:%%REFUSED%%;
        }

        location = /to/missing { internal; root %%TESTDIR%%/nowhere; }

        location = /to/private {
            internal;
            open_responses_dialect chat;
            deny all;
            root %%TESTDIR%%/nowhere;
        }

        location = /to/said-404 { open_responses_dialect chat; return 404; }

        location = /to/said-html {
            open_responses_dialect chat;
            default_type text/html;
            return 200 "<html>hello</html>";
        }

        location = /to/paged {
            internal;
            open_responses_dialect chat;
            proxy_intercept_errors on;
            error_page 500 502 /page.html;
            proxy_pass http://%%MODEL%%/script/s500;
        }
    }
CONF
    subst => { REFUSED => free_port() });

$t->write_file('users', "user:{PLAIN}password\n");
$t->write_file('page.html', '<html>a page for people</html>');
$t->start;

my $port = $t->port;
my %json = ('Content-Type' => 'application/json');


sub ask ($body, $path = '/v1/responses', %headers) {
    return post_json($port, $path, $body, headers => {
        Authorization => "Bearer $secret", %headers });
}


sub said ($model, @more) {
    return { model => $model, input => $prompt, @more };
}


# the client's mistakes

my @broken = (
    [ '', 'nothing' ],
    [ '{', 'half an object' ],
    [ "{\"model\":\"m\",\"input\":\"$prompt", 'half a string' ],
    [ '{"model":"m","input":"x"} {}', 'two values' ],
    [ '[]', 'an array' ],
    [ '"text"', 'a string' ],
    [ 'null', 'null' ],
    [ "{\"model\":\"m\",\"input\":\"\xff$prompt\"}", 'bad UTF-8' ],
    [ "{\"model\":\"m\",\"input\":\"\xed\xa0\x80\"}", 'a surrogate' ],
    [ "{\"model\":\"m\",\"input\":\"a\nb\"}", 'a raw line feed' ],
    [ '{"model":"m","x":' . '[' x 65 . ']' x 65 . '}', '65 levels' ],
    [ '[' x 100_000, '100,000 levels' ],
);

for (@broken) {
    my ($body, $name) = @$_;
    error_ok(ask($body), 400, $name, type => 'invalid_request',
             message => qr/\w/);
}

my @wrong = (
    [ { model => 5 }, 'model' ],
    [ { input => $prompt }, 'model' ],
    [ said('m', temperature => 'warm'), 'temperature' ],
    [ said('m', stream => 'yes'), 'stream' ],
    [ said('m', tools => [ { type => 'function' } ]), 'tools[0].name' ],
    [ { model => 'm', input => [ { type => 'message', role => 'user',
        content => [ { type => 'input_text', text => 5 } ] } ] },
      'input[0].content[0].text' ],
);

for (@wrong) {
    my ($body, $param) = @$_;
    error_ok(ask($body), 400, "wrong $param", type => 'invalid_request',
             param => $param);
    error_ok(ask({ %$body, stream => \1 }), 400, "wrong $param, stream",
             param => $param) if !$body->{stream};
}

error_ok(ask(said('two'), '/some/responses'), 404, 'unknown model',
         type => 'not_found', code => 'model_not_found', param => 'model',
         message => qr/"two"/);
error_ok(ask(said('two', stream => \1), '/some/responses'), 404,
         'unknown model, stream', code => 'model_not_found');
error_ok(ask(said("two\"\\\x{e9}" . 'x' x 200), '/some/responses'), 404,
         'unknown model with a long and strange name',
         code => 'model_not_found');


# paths and methods

for my $path (qw( /v1/ /v1/response /v1/responsess /v1/x/responses
                  /v1/responses/ /v1/responses/resp_1 /v1//responses/x ))
{
    error_ok(ask(said('m'), $path), 404, "no such path: $path",
             type => 'not_found', code => 'not_found');
}

for my $method (qw( GET PUT DELETE PATCH OPTIONS )) {
    my $r = request($port, $method, '/v1/responses', \%json);

    error_ok($r, 405, "method $method", code => 'method_not_allowed');
    is($r->{headers}{allow}, 'POST', "method $method: Allow");
}

{
    my $r = request($port, 'HEAD', '/v1/responses');

    is($r->{status}, 405, 'HEAD: status');
    is($r->{headers}{'content-type'}, 'application/json', 'HEAD: type');
    is($r->{body}, '', 'HEAD: no body');

    $r = request($port, 'PUT', '/v1/responses', \%json,
                 json_encode(said('m')));
    error_ok($r, 405, 'a method with a body');

    $r = request($port, 'HEAD', '/denied/responses');
    is($r->{status}, 403, 'HEAD of what is denied');
}


# nginx's own

{
    my $r = ask(said('m'), '/basic/responses');

    error_ok($r, 401, 'auth_basic', type => 'invalid_request',
             code => 'invalid_api_key');
    is($r->{headers}{'www-authenticate'}, 'Basic realm="a realm"',
       'auth_basic: WWW-Authenticate');

    $r = ask(said('m'), '/basic/responses',
             Authorization => 'Basic dXNlcjpwYXNzd29yZA==');
    response_ok($r, 'auth_basic with a password');
    $model->forget;

    $r = ask(said('m', stream => \1), '/asked/responses');
    error_ok($r, 401, 'auth_request', code => 'invalid_api_key');
    is($r->{headers}{'www-authenticate'}, 'Bearer realm="keys"',
       'auth_request: WWW-Authenticate');

    error_ok(ask(said('m'), '/broken-auth/responses'), 500,
             'auth_request that fails', code => 'server_error');
    error_ok(ask(said('m'), '/denied/responses'), 403, 'deny',
             code => 'forbidden');
    error_ok(get($port, '/denied/responses'), 403, 'deny, GET');
    error_ok(ask(said('m'), '/returned/responses'), 410, 'return',
             type => 'invalid_request', code => 'request_refused');

    error_ok(request($port, 'POST', '/v1/responses',
                     { %json, 'Content-Length' => 5_000_000 }),
             413, 'too large', code => 'request_too_large');
    is(get($port, '/nowhere')->{body}, '<html>a page for people</html>',
       'elsewhere pages are for people');

    response_ok(ask(said('m'), '/rate/responses'), 'limit_req, the first');
    error_ok(ask(said('m'), '/rate/responses'), 429, 'limit_req',
             type => 'too_many_requests', code => 'rate_limit_exceeded');
    error_ok(ask(said('m'), '/rate503/responses'), 503, 'limit_req, default',
             type => 'server_error', code => 'server_is_overloaded');

    my $c = ORS::H2->new($t->port(1));
    my $n = $c->send('POST', '/rate/responses', \%json,
                     json_encode(said('m')));

    error_ok($c->read_response($n), 429, 'limit_req, HTTP/2');
    $n = $c->send('GET', '/v1/responses', {}, undef, end => 1);
    $r = $c->read_response($n);
    error_ok($r, 405, 'GET, HTTP/2');
    is($r->{headers}{allow}, 'POST', 'GET, HTTP/2: Allow');
    $c->close;

    $c = http_start($port, 'POST', '/connections/responses', \%json,
                    json_encode(said('silent-stream', stream => \1)));
    $c->wait_body(qr/delta/);
    error_ok(ask(said('m'), '/connections/responses'), 503, 'limit_conn',
             code => 'server_is_overloaded');
    $c->close;
    ok($model->wait_file('stream-gone'), 'the other one has left');
}


# nothing of all this went to a model

is(join(' ', sort map { $_->{name} } $model->requests),
   'default silent-stream', 'the model heard only what was allowed');


# the model server's

my $count = $model->count;

for my $stream (0, 1) {
    my @s = $stream ? (stream => \1) : ();
    my $how = $stream ? 'stream' : 'plain';
    my $r;

    for my $name (qw( missing private said-404 )) {
        error_ok(ask(said($name, @s)), 502, "target is $name, $how",
                 type => 'server_error', code => 'upstream_unavailable');
    }

    error_ok(ask(said('said-html', @s)), 502, "target says HTML, $how",
             code => 'invalid_upstream_answer');
    error_ok(ask(said('refused', @s)), 502, "refused, $how",
             code => 'upstream_unavailable');
    is($model->count, $count, "$how: these do not come to the model");

    error_ok(ask(said('paged', @s)), 502, "target has an error page, $how",
             type => 'server_error', message => qr/^[^<]*$/);

    for my $name (qw( rst close )) {
        error_ok(ask(said($name, @s)), 502, "upstream $name, $how",
                 code => 'upstream_unavailable');
    }

    error_ok(ask(said('no-http', @s)), 502, "upstream no-http, $how",
             code => 'invalid_upstream_answer');

    error_ok(ask(said('upgrade', @s), '/v1/responses',
                 Upgrade => 'websocket', Connection => 'upgrade'), 502,
             "upstream switches protocols, $how");

    error_ok(ask(said('silent', @s)), 504, "upstream silent, $how",
             type => 'server_error', code => 'upstream_timeout');
    ok($model->wait_file('silent-gone'), "upstream silent, $how: closed");
    $model->untouch('silent-gone');

    $r = ask(said('s429', @s));
    error_ok($r, 429, "upstream 429, $how", type => 'too_many_requests',
             message => 'not so fast');
    is($r->{headers}{'retry-after'}, 7, "upstream 429, $how: Retry-After");

    $r = ask(said('s503', @s));
    error_ok($r, 503, "upstream 503, $how", type => 'server_error');
    is($r->{headers}{'retry-after'}, 9, "upstream 503, $how: Retry-After");

    error_ok(ask(said('s401', @s)), 401, "upstream 401, $how",
             code => 'invalid_api_key');
    error_ok(ask(said('s403', @s)), 403, "upstream 403, $how");
    error_ok(ask(said('s404', @s)), 404, "upstream 404, $how",
             code => 'model_not_found');
    error_ok(ask(said('s500', @s)), 500, "upstream 500, $how");

    for ([ h200 => 502 ], [ h404 => 404 ], [ h500 => 500 ], [ h502 => 502 ],
         [ h504 => 504 ], [ 'no-type' => 502 ], [ r302 => 502 ],
         [ empty => 502 ], [ 'no-json' => 502 ], [ 'other-json' => 502 ])
    {
        my ($name, $status) = @$_;
        error_ok(ask(said($name, @s)), $status, "upstream $name, $how",
                 message => qr/\A[^<]*\z/);
    }

    $count = $model->count;
}

{
    my $r = ask(said('silent-stream', stream => \1));

    stream_ok($r, 'silent in mid-stream', expect => 'failed');
    is($r->{status}, 200, 'silent in mid-stream: status');
}

response_ok(ask(said('m')), 'and still well');

for my $text ($secret, $prompt) {
    unlike($t->access_log, qr/\Q$text/, 'not in the access log');

    # where nginx writes each header
    next if $ENV{TEST_NGINX_DEBUG};

    unlike($t->error_log, qr/\Q$text/, 'not in the error log');
}

$t->finish;

done_testing();
