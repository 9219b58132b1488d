#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Configurations that people copy: nginx takes each file of conf.d and each
# piece in README.md and docs, and those of conf.d do as they say.

use v5.36;
use File::Temp ();
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get post_json question );
use ORS::JSON qw( json_decode json_false json_true );
use ORS::Loop qw( plan outputs );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Sample;
use ORS::Stream qw( response_ok error_ok );
use ORS::Util qw( slurp spew wait_for );

my %page = map { m{([^/]+)$} => slurp($_) }
               map { glob "$ORS::Nginx::ROOT/$_" } qw( README.md docs/*.md );
my @pieces = map { my $name = $_; my $n = 0;
                   map { { name => "$name, piece " . ++$n, text => $_ } }
                       $page{$name} =~ /^```nginx\n(.*?)^```$/gms }
                 sort keys %page;
my %file = map { m{([^/]+)$} => slurp($_) } glob "$ORS::Nginx::ROOT/conf.d/*";

my $model = ORS::Model->new(scripts => {
    tools => plan(map {
        $_ => [ { tool_calls => [ ORS::Loop::call($_,
                      $_ eq 'web_search' ? 'query' : 'city', 'Oslo') ] },
                'Done' ]
    } qw( get_weather get_time web_search )),
    weather => [ [ raw => 'rain' ] ],
    check => sub ($conn, $r) {
        my ($user) = ($r->{headers}{authorization} // '') =~ /^Bearer (\w+)$/;

        $conn->wire('HTTP/1.1 ' . ($user ? '204 OK' : '401 No') . "\r\n"
                    . ($user ? "X-User: $user\r\n" : '')
                    . "Content-Length: 0\r\n\r\n");
    },
    thought => json_script(chat_reply(
        content => "<think>Hm.</think>\n\nHello")),
    whole  => [ [ json => response('completed', model => 'its-own',
                                   x_extra => 1) ] ],
    broken => [ [ json => { id => 'resp_1', output => 'magpie' } ] ],
    key    => [ [ status => 401 ],
                [ json => { error => { message => 'key sk-1 is bad',
                                       type => 'invalid_request_error',
                                       param => undef,
                                       code => 'invalid_api_key' } } ] ],
});

my $address = $model->address;
my $certificate = do { local $/; <DATA> };

ok(keys %file > 4, 'there are examples');

for my $name (sort grep { $_ ne 'demo.conf' } keys %file) {
    takes($name, $file{$name});
}

for my $name (sort keys %file) {
    like($page{'operating.md'}, qr/^\|.*`\Q$name\E`.*\| \w/m,
         "$name is in the table of examples");
}

takes('demo.conf', "$file{'demo-model.conf'}\n$file{'demo.conf'}");

for my $piece (@pieces) {
    my $text = $piece->{text} =~ s/^load_module .*//mr;

    # some pieces belong where servers are

    $text = "server {\n$text\n" . others($text) . "}\n"
        if $text !~ /^\s*(?:http|server) \{/m
           && $text !~ /^open_responses_(?:secret|store|schema_cache
                                          |metrics_zone)[ ]/x;

    takes($piece->{name}, $text);

    # a host name in a variable, which nginx asks for at the first request

    like($text, qr/^\s*resolver /m, "$piece->{name} has a resolver")
        if $text =~ /^\s*set \$\w+ +[a-z][\w-]*\.[\w.]+;/m;
}

for my $name (qw( README.md directives.md )) {
    ok(grep({ index($_->{name}, $name) == 0 } @pieces),
       "$name has pieces of configuration");
}


# gateway.conf

my $t = ORS::Nginx->new(conf => at_home($file{'gateway.conf'}));
$t->start;

my @alice = (headers => { Authorization => 'Bearer key-of-alice' });

error_ok(ask($t, 'qwen3-32b'), 401, 'no key', code => 'invalid_api_key');

response_ok(ask($t, 'llama-3.3-70b', @alice), 'a key');
is(asked()->{model}, 'meta-llama/Llama-3.3-70B-Instruct', 'name sent');
is($model->last_request->{headers}{authorization}, undef,
   'the key of the client is not sent');

response_ok(ask($t, $_, @alice), "model $_"), is(asked()->{model}, $_)
    for qw( qwen3-32b Small-1 );

response_ok(ask($t, 'other', @alice), 'another model');
like(asked()->{model}, qr/^meta-llama/, 'is the default one');

is(get($t->port, '/v1/models')->{status}, 401, 'no key, no list of models');
is(get($t->port, '/v1/models', @alice)->{status}, 200, 'list of models');

is(post_json($t->port, '/v1/chat/completions',
             { model => 'qwen3-32b',
               messages => [ { role => 'user', content => 'hi' } ] }, @alice)
   ->{json}{object}, 'chat.completion', 'chat/completions');
is($model->last_request->{uri}, '/v1/chat/completions', 'has its own path');

my ($r) = grep { $_->{status} != 200 }
          map { ask($t, 'small-1', @alice) } 1 .. 40;
error_ok($r, 429, 'too many', code => 'rate_limit_exceeded');

$t->finish;


# conversations.conf

$t = ORS::Nginx->new(conf => at_home($file{'conversations.conf'}));
with_files($t->dir);
$t->start;

error_ok(ask($t, 'm'), 401, 'no key', code => 'invalid_api_key');

my $first = response_ok(ask($t, 'm', @alice), 'a turn of alice')->response;
my @next = (model => 'm', input => 'and?',
            previous_response_id => $first->{id});

response_ok(post_json($t->port, '/v1/responses', { @next }, headers => {
    Authorization => 'Bearer other-of-alice' }), 'it goes on, by another key');

is_deeply([ map { $_->{role} } @{ asked()->{messages} } ],
          [ qw( user assistant user ) ], 'from where it was');

error_ok(post_json($t->port, '/v1/responses', { @next }, headers => {
    Authorization => 'Bearer key-of-bob' }), 400, 'bob has no part in it',
         code => 'previous_response_not_found');

like(slurp($t->dir . '/turns.log'),
     qr/\ alice\ m\ (\S+)\ -\ 1\ completed\ .*\n
        \S+\ alice\ m\ \S+\ \1\ 1\ completed\ /x,
     'both turns in the log');

$t->finish('conversations.conf');


# auth.conf

$t = ORS::Nginx->new(conf => at_home($file{'auth.conf'})
                             =~ s{/check;}{/script/check;}r);
$t->start;

error_ok(ask($t, 'x'), 401, 'service says no', code => 'invalid_api_key');

response_ok(ask($t, 'x', headers => { Authorization => 'Bearer bob' }),
            'service says yes');
is($model->last_request->{headers}{'x-user'}, 'bob', 'who it is');

($r) = grep { $_->{status} != 200 }
       map { ask($t, 'x', headers => { Authorization => 'Bearer bob' }) }
       1 .. 40;
error_ok($r, 429, 'too many of one user', code => 'rate_limit_exceeded');

response_ok(ask($t, 'x', headers => { Authorization => 'Bearer eve' }),
            'but not of another');

$t->finish;


# validator.conf

$t = ORS::Nginx->new(conf => at_home($file{'validator.conf'}));
$t->start;

my @strange = (input => [ { role => 'tool', content => 'hi' } ]);

is(validated('/v1', 'whole')->{json}{x_extra}, 1, 'validator: an answer');
is(asked()->{model}, 'whole', 'what is good goes on');
is(validated('/v1', 'whole', x_mark => 1)->{json}{model}, 'whole',
   'the name that was asked for');
is(asked()->{x_mark}, 1, 'unknown keys go on');

error_ok(validated($_, 'whole', @strange), 400, "$_: a bad request",
         code => 'invalid_value', param => 'input[0].role')
    for qw( /v1 /outside/v1 );
error_ok(validated($_, 'broken'), 502, "$_: a bad answer",
         code => 'invalid_upstream_answer') for qw( /v1 /outside/v1 );

is(validated('/trial/v1', 'whole', @strange)->{status}, 200,
   'trial: a bad request passes');
is_deeply(validated('/trial/v1', 'broken')->{json},
          { id => 'resp_1', output => 'magpie' },
          'trial: a bad answer passes');
ok($t->wait_log(qr/$_/), "trial: $_")
    for 'request would be refused: invalid_value in input\[0\]\.role',
        'upstream answer would be refused: invalid_upstream_answer';

$r = validated('/v1', 'key');
is($r->{status}, 401, 'an error passes');
like($r->{body}, qr/sk-1/, 'with its text');

$r = validated('/outside/v1', 'whole', x_mark => 1);
response_ok($r, 'outside');
ok(!exists $r->{json}{x_extra}, 'outside: nothing unknown comes down');
ok(!exists asked()->{x_mark}, 'outside: nor goes up');

$r = validated('/outside/v1', 'key');
error_ok($r, 502, 'outside: an error is masked', code => 'server_error');
unlike($r->{body}, qr/sk-1/, 'outside: its text is not shown');

$r = get($t->port, '/validator-status')->{json};
is_deeply([ @{ $r->{requests} }{qw( checked refused reported )} ],
          [ 11, 2, 1 ], 'status: requests');
is_deeply([ @{ $r->{answers} }{qw( refused reported )} ], [ 2, 1 ],
          'status: answers');
is($r->{upstream_errors}, 2, 'status: errors of the server');

my @lines = (
    ' 200 "whole" completed - -',
    ' 400 "-" rejected invalid_value input[0].role',
    ' 502 "broken" failed invalid_upstream_answer -',
    ' 200 "-" completed invalid_value input[0].role',
    ' 401 "key" failed invalid_api_key -',
);

ok(wait_for(sub { slurp($t->dir . '/validated.log') =~ /\Q$_\E$/m }),
   "log:$_") for @lines;

$t->finish;


# local.conf

$t = ORS::Nginx->new(conf => at_home($file{'local.conf'}));
$t->start;

for (['ollama/any', 'llama3.2'], ['ollama/gpt-oss', 'gpt-oss:20b'],
     ['x', 'x'])
{
    my ($name, $sent) = @$_;

    response_ok(ask($t, $name), "model $name");
    is(asked()->{model}, $sent, 'name sent');
}

$t->finish;


# chat-options.conf

$t = ORS::Nginx->new(conf => at_home($file{'chat-options.conf'})
                             =~ s{https://\$api\b}{http://$address}gr);
with_files($t->dir);
$t->start;

my %low = (reasoning_effort => 'low');
my %high = (reasoning_effort => 'high');
my $no = json_false;
my $path = '/v1/chat/completions';

# members that are sent for efforts, and where

for (
    ['Qwen/Qwen3-8B', $path,
     none => { chat_template_kwargs => { enable_thinking => $no } },
     low => \%low, max => \%high],
    ['any', $path,
     none => { chat_template_kwargs => { enable_thinking => $no } },
     low => { chat_template_kwargs => \%low }],
    ['llama3.2', $path, none => { reasoning_effort => 'none' },
     minimal => \%low, max => \%high],
    ['gpt-5.1', $path, none => { reasoning_effort => 'none' },
     max => { reasoning_effort => 'xhigh' }],
    ['qwen/qwen3-8b:free', '/api/v1/chat/completions',
     none => { reasoning => { enabled => $no } },
     max => { reasoning => { effort => 'xhigh' } }],
    ['deepseek-chat', $path, none => { thinking => { type => 'disabled' } },
     low => \%low, max => { reasoning_effort => 'max' }],
    (map { [$_, $path, none => {}, high => {}] }
     qw( mistral-large magistral-medium codestral-1 )),
    ['claude-opus-4-1', $path, minimal => {},
     low => { thinking => { type => 'enabled', budget_tokens => 1024 } }],
    ['gemini-2.5-flash', '/v1beta/openai/chat/completions', low => \%low,
     max => \%high],
) {
    my ($name, $uri, %effort) = @$_;

    for my $effort (sort keys %effort) {
        response_ok(post_json($t->port, '/v1/responses', {
            model => $name, input => 'hi', max_output_tokens => 100,
            reasoning => { effort => $effort } }), "options: $name, $effort");

        my %sent = %{ asked() };
        my $tokens = $name =~ /^gpt/ ? 'max_completion_tokens' : 'max_tokens';

        is($model->last_request->{uri}, $uri, "options: $name: path");
        is(delete $sent{$tokens}, 100, "options: $name: $tokens");
        delete @sent{qw( model messages )};
        is_deeply(\%sent, $effort{$effort}, "options: $name, $effort: sent");
    }
}

# all endpoints, of a server with a path of its own too

for (['gpt-5.1', '/v1'], ['any', '/v1'], ['Qwen/Qwen3-8B', '/v1'],
     ['llama3.2', '/v1'], ['deepseek-chat', '/v1'], ['mistral-large', '/v1'],
     ['claude-opus-4-1', '/v1'], ['qwen/qwen3-8b:free', '/api/v1'],
     ['gemini-2.5-flash', '/v1beta/openai'])
{
    my ($name, $base) = @$_;

    for my $endpoint (qw( chat/completions embeddings )) {
        post_json($t->port, "/v1/$endpoint", question($endpoint, $name));
        is($model->last_request->{uri}, "$base/$endpoint",
           "options: $name: path of $endpoint");
    }
}

# tools

for (
    ['gpt-5.1', { type => 'function', function => {
        name => 'f', strict => json_true, parameters => {
            type => 'object', additionalProperties => $no,
            properties => { a => { type => [ 'string', 'null' ] } },
            required => [ 'a' ] } } } ],
    ['any', { type => 'function', function => {
        name => 'f', parameters => {
            type => 'object',
            properties => { a => { type => 'string' } } } } } ],
    ['qwen/qwen3-8b:free', { type => 'function', function => {
        name => 'f', parameters => {
            type => 'object',
            properties => { a => { type => 'string' } } } } },
     { type => 'openrouter:web_search' } ],
) {
    my ($name, @tools) = @$_;

    response_ok(post_json($t->port, '/v1/responses', {
        model => $name, input => 'hi', tools => [
            { type => 'function', name => 'f', parameters => {
                type => 'object',
                properties => { a => { type => 'string' } } } },
            { type => 'web_search' } ] }), "options: $name, tools",
        flavor => 'openai');
    is_deeply(asked()->{tools}, \@tools, "options: $name: tools");
}

# Gemini refuses calls without a signature, and has one for those of others

sub unsigned ($name) {
    return () unless $name =~ /gemini/;
    return (extra_content => { google => {
        thought_signature => 'skip_thought_signature_validator' } });
}

# thoughts that are sent back, with the call they led to

my %call = (name => 'f', arguments => '{}');

for (['Qwen/Qwen3-8B', 'reasoning'], ['any', 'reasoning_content'],
     ['llama3.2', 'reasoning'], ['qwen/qwen3-8b:free', 'reasoning'],
     ['deepseek-chat', 'reasoning_content'], ['gpt-5.1', ''],
     ['mistral-large', ''], ['claude-opus-4-1', ''], ['gemini-2.5-flash', ''])
{
    my ($name, $field) = @$_;

    response_ok(post_json($t->port, '/v1/responses', {
        model => $name, input => [
            { role => 'user', content => 'hi' },
            { type => 'reasoning', summary => [
                { type => 'summary_text', text => 'Hm.' } ] },
            { type => 'function_call', call_id => 'c', %call },
            { type => 'function_call_output', call_id => 'c',
              output => 'o' } ] }), "options: $name, a thought");

    is_deeply(asked()->{messages}[1],
              { role => 'assistant', content => undef,
                $field ? ($field => 'Hm.') : (),
                tool_calls => [ { id => 'c', type => 'function',
                                  function => \%call, unsigned($name) } ] },
              "options: $name, a thought: sent");
}

# thoughts in the text

for my $name ('Qwen/Qwen3-8B', 'llama3.2') {
    $r = response_ok(ask($t, $name, headers => { 'X-Script' => 'thought' }),
                     "options: $name, a thought in the text");

    is($r->summary, 'Hm.', "options: $name, the thought");
    is($r->text, 'Hello', "options: $name, the text");
}

error_ok(post_json($t->port, '/v1/responses', {
    model => 'deepseek-chat', input => [ { role => 'user', content => [
        { type => 'input_image', image_url => 'data:,' } ] } ] }), 400,
    'options: an image', code => 'unsupported_value');

$t->finish;


# hosted.conf

$t = ORS::Nginx->new(conf => at_home($file{'hosted.conf'})
                             =~ s{https://\$hosted\b}{http://$address}gr);
with_files($t->dir);
$t->start;

error_ok(ask($t, 'x'), 401, 'no key for a hosted API',
         code => 'invalid_api_key');
error_ok(ask($t, 'x', headers => { Authorization => 'Bearer KEY-OF-ALICE' }),
         401, 'a key in other letters', code => 'invalid_api_key');
is(get($t->port, '/v1/models')->{status}, 401, 'no key for its models');

{
    my @paths;

    response_ok(ask($t, 'x', @alice), 'hosted');
    push @paths, $model->last_request->{uri};
    is($model->last_request->{headers}{authorization}, 'Bearer sk-secret',
       'hosted: our key');

    for my $endpoint (qw( chat/completions embeddings )) {
        post_json($t->port, "/v1/$endpoint", question($endpoint, 'x'), @alice);
        push @paths, $model->last_request->{uri};
    }

    get($t->port, '/v1/models', @alice);
    push @paths, $model->last_request->{uri};
    is($model->last_request->{headers}{authorization}, 'Bearer sk-secret',
       'hosted, models: our key');

    is_deeply(\@paths, [ '/v1/chat/completions', '/v1/chat/completions',
                         '/v1/embeddings', '/v1/models' ], 'hosted: paths');
}

$t->finish;


# tools.conf

$t = ORS::Nginx->new(conf => at_home($file{'tools.conf'})
                             =~ s{proxy_pass \S+\K/(?:weather|search);}
                                 {/script/weather;}gr
                             =~ s{\$open_responses_uri}{/script/tools}r);
with_files($t->dir);
$t->start;

for my $row ([ get_weather => qr/^rain$/, 3 ],
             [ get_time => qr/^\d{4}-\d\d-\d\dT/, 1,
               tools => [ { type => 'function', name => 'get_time' } ] ],
             [ web_search => qr/^rain$/, 2,
               tools => [ { type => 'web_search' } ] ])
{
    my ($name, $output, $items, @more) = @$row;
    my $s = response_ok(post_json($t->port, '/v1/responses',
                                  { model => $name, input => 'hi', @more }),
                        "tools.conf: $name", flavor => 'openai');

    is(scalar @{ $s->items }, $items, "tools.conf: $name: items");
    like((outputs($model->last_request))[0], $output,
         "tools.conf: $name: output");
}

$t->finish;


# keys are compared as they are, and servers are checked

for my $name (sort keys %file) {
    my ($text) = ($file{$name});

    unlike($text =~ s/#.*//gr, qr/^\s*"Bearer /m, "$name: keys have a case");
    like($text, qr/proxy_ssl_verify\s+on;/, "$name: https is checked")
        if $text =~ /https:/;
}

for my $piece (@pieces) {
    like($piece->{text}, qr/proxy_ssl_verify\s+on;/,
         "$piece->{name}: https is checked")
        if $piece->{text} =~ /https:/;
    unlike($piece->{text}, qr/^\s*"Bearer /m,
           "$piece->{name}: keys have a case");
}

done_testing();


sub takes ($name, $text) {
    my $dir = File::Temp->newdir;

    with_files($dir);

    my ($code, $out) = ORS::Nginx->conf_test(
        at_home($text) =~ s/%%TESTDIR%%/$dir/gr);

    is($code, 0, "nginx takes $name") or diag($out);
}


# locations of targets and tools that a piece names and does not show

sub others ($text) {
    my %uris = map { s/\?.*//r => 1 } map { grep { m{^/} } split }
               $text =~ /open_responses_(?:target|tool|mcp)\s+(\S+\s[^;]*);/g;

    return join '', map { "location = $_ { internal; return 200; }\n" }
                    grep { $text !~ /location (?:= )?\Q$_\E / }
                    sort keys %uris;
}


# free ports, our model server for all others, files in the test's directory

sub at_home ($text) {
    my $n = 0;

    $text =~ s/listen\s+\K(?:127\.0\.0\.1:)?\d+/'127.0.0.1:%%PORT_'
                                               . $n++ . '%%'/ge;
    $text =~ s{(?:10\.0\.0\.\d|127\.0\.0\.1):\d+}{$address}g;
    $text =~ s{/etc/nginx/|/var/(?:log|lib)/nginx/}{%%TESTDIR%%/}g;
    # a busy machine is not slower than a rate

    $text =~ s{rate=10r/s}{rate=10r/m}g;
    $text =~ s{/etc/ssl/certs/ca-certificates.crt}{%%TESTDIR%%/ca.pem}g;

    return $text;
}


sub with_files ($dir) {
    my ($definition) = $page{'tools.md'}
                       =~ /^```json\n(\{\n  "description".*?)^```$/ms;

    spew("$dir/$_.json", $definition) for qw( weather time documents
                                             tickets );
    spew("$dir/hosted.key", "default \"Bearer sk-secret\";\n");
    spew("$dir/hosted.clients", "\"~^Bearer key-of-alice\$\" alice;\n");
    spew("$dir/secret", "0123456789abcdef" x 4 . "\n");
    spew("$dir/ca.pem", $certificate);
    spew("$dir/open_responses.key", '0123456789abcdef' x 4 . "\n");
    chmod 0600, "$dir/open_responses.key";
}


sub ask ($t, $name, @o) {
    return post_json($t->port, '/v1/responses',
                     { model => $name, input => 'hi' }, @o);
}


sub validated ($at, $name, @more) {
    return post_json($t->port, "$at/responses",
                     { model => $name, input => 'hi', @more });
}


sub asked () {
    return json_decode($model->last_request->{body});
}


__DATA__
-----BEGIN CERTIFICATE-----
MIIBdTCCARugAwIBAgIUDWwlrrurVfyf3GHUza/VdZUNDpswCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMjExMzE2MjBaGA8yMTI2MTAyODEzMTYy
MFowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABF14
IQKLgrRXM2ao7ggNRviuSYrZsAPL/QcAtojLp1hQa3TG/sLSrDe7u8s1IXn1SOYn
Qshftthv/wfidt1leGajUzBRMB0GA1UdDgQWBBSZVeLa4luPJ67NgEvZIAiOFL/B
HDAfBgNVHSMEGDAWgBSZVeLa4luPJ67NgEvZIAiOFL/BHDAPBgNVHRMBAf8EBTAD
AQH/MAoGCCqGSM49BAMCA0gAMEUCIQCMvxZVZOeiVbjI98cHdqxuP3yTRkbAAxGE
lUGmXMR2JAIgMIIgOvMMK93f/UlyWtJjRGkqB9arHB2rjM9qgb9/DCI=
-----END CERTIFICATE-----
