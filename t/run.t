#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# "make run" starts the gateway in front of its own model, which speaks from
# nginx.conf, or in front of a server.

use v5.36;
use File::Spec ();
use File::Temp ();
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get post_json question );
use ORS::JSON qw( json_true );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( stream_ok response_ok error_ok );
use ORS::Util qw( free_port slurp wait_for );
use ORS::WS;

local $ENV{ASAN_OPTIONS} = 'detect_leaks=0:detect_odr_violation=0'
    if $ENV{TEST_NGINX_ASAN};

my $binary = $ENV{TEST_NGINX_BINARY} || '/usr/sbin/nginx';
my $module = $ENV{TEST_NGINX_MODULE}
             // 'build/ngx_http_open_responses_module.so';

plan(skip_all => 'the module is part of this nginx') if $module eq '';

$module = File::Spec->rel2abs($module);

my $home = File::Temp->newdir;
my $dir = '';
my $port;

my @tool = (tools => [ { type => 'function', name => 'get_weather',
                         parameters => { type => 'object', properties => {
                             city => { type => 'string' } } } } ]);


# the model in nginx.conf

my ($status, $out) = run();

is($status, 0, 'make run shows what it can') or diag($out);

like($out, qr/You said: Hello!.*You said: Hello!/s, 'two answers are shown');
like($out, qr/"name":"get_weather","arguments":"\{\\"city\\":\\"Paris\\"\}"/,
     'a function call is shown');
like($out, qr/"name":"get_time".*"output":"It is \d.*The tool gave: It is \d/s,
     'a tool that runs at the gateway is shown');
like($out, qr/^\Q$_\E/m, "it is said: $_")
    for 'curl -s http', 'from openai', 'configuration:', 'logs:',
        'to stop it:     kill ';

my $text = "quotes \" and \\, lines\n, a smiling face \x{1F600} and \x{fc}";
my $said = "I am some nginx configuration, no model. You said: $text";

is(response_ok(ask(input => $text), 'answer')->text, $said, 'its text');

my $s = stream_ok(ask(input => $text, stream => \1), 'stream');
is($s->text, $said, 'its text');
is(scalar(() = $s->deltas), 12, 'word by word');

is_call(response_ok(ask(input => 'Is it warm in Rome?', @tool), 'call'));
is_call(stream_ok(ask(input => 'Is it warm in Rome?', @tool, stream => \1),
                  'streamed call'));

my @history = (
    { role => 'user', content => 'Is it warm in Rome?' },
    { type => 'function_call', call_id => 'c', name => 'get_weather',
      arguments => '{}' },
    { type => 'function_call_output', call_id => 'c', output => '25 "C"' },
);

is(response_ok(ask(input => \@history, @tool), 'result')->text,
   'The tool gave: 25 "C"', 'its text');
is(stream_ok(ask(input => \@history, @tool, stream => \1),
             'streamed result')->text, 'The tool gave: 25 "C"', 'its text');

# a tool of the gateway, alone and beside a function of the client

my %clock = (type => 'function', name => 'get_time',
             parameters => { type => 'object' });

for my $stream (\0, \1) {
    my $check = $$stream ? \&stream_ok : \&response_ok;
    my @items = @{ $check->(ask(input => 'What time is it?',
                                tools => [ \%clock ], stream => $stream),
                            'tool')->response->{output} };

    is_deeply([ map { $_->{type} } @items ],
              [ qw( function_call function_call_output message ) ],
              'it runs at the gateway');
    is($items[2]{content}[0]{text}, "The tool gave: $items[1]{output}",
       'the model has its output');
    is_call($check->(ask(input => 'Is it warm in Rome?', stream => $stream,
                         tools => [ \%clock, @{ $tool[1] } ]),
                     'both'));
}

response_ok(ask(input => 'x' x 200000), 'long text');
like(response_ok(ask(input => 'hi', @tool, tool_choice => 'none'),
                 'call that is not wanted')->text, qr/You said: hi/, 'text');
is(response_ok(ask(input => 'hi', @tool, tool_choice => {
                       type => 'function', name => 'get_weather' }),
               'call that is wanted')->calls->[0]{name}, 'get_weather');

is(get($port, '/v1/models')->{json}{data}[0]{id}, 'demo', 'list of models');

# features that need a store or a secret can be tried as well

{
    my $first = response_ok(ask(input => 'one'), 'a turn')->response;
    my $next = response_ok(ask(input => 'two', previous_response_id =>
                                   $first->{id}), 'the next one')->response;

    is($first->{store}, json_true, 'it is stored');
    is($next->{previous_response_id}, $first->{id}, 'it goes on');
    is(post_json($port, '/v1/responses/compact',
                 { model => 'demo', input => 'one' })->{status}, 200,
       'a summary');
    like(get($port, '/status')->{body}, qr/<html/i, 'a page with counters');

    my $ws = ORS::WS->new($port, path => '/v1/responses');

    $ws->create(model => 'demo', input => $text);
    is($ws->turn_ok('a turn on a WebSocket')->text, $said, 'its text');
    $ws->close;
}

# an agent gives its shell to the model: no word of a text may get there

for my $name (qw( shell exec_command bash local_shell get_weather2 )) {
    my $shell = { type => 'function', name => $name, parameters => {
        type => 'object', properties => { cmd => { type => 'string' } } } };

    for my $stream (\0, \1) {
        my @ask = (input => 'Write the docs for reboot', stream => $stream);
        my $check = $$stream ? \&stream_ok : \&response_ok;

        is_deeply($check->(ask(@ask, tools => [ $shell ]), $name)->calls, [],
                  "$name is not called");

        my $calls = $check->(ask(@ask, tools => [ $shell, @{ $tool[1] } ]),
                             "$name and another one")->calls;

        is_deeply([ map { "$_->{name} $_->{arguments}" } @$calls ],
                  [ 'get_weather {"city":"reboot"}' ],
                  "$name is not called, the other one is");
    }
}


# a port in use

my $busy = `PORT=$port t/make/run.sh '$binary' '$module' '$home' 2>&1`;

isnt($?, 0, 'a port in use is a reason not to start');
like($busy, qr/^port $port is taken by an earlier "make run".*kill \d+$/,
     'which is said');

stopped();


# it says first what it will do, and starts nothing for that

like(`PORT=123 t/make/run.sh -n`,
     qr/installs .* builds .* starts an\s+nginx on 127\.0\.0\.1:123\b/s,
     'what it will do');


# packages: how far apt is, and a second attempt with new lists

{
    my $bin = File::Temp->newdir;
    my %script = (id => 'echo 0', 'apt-get' => <<'END');
case $1 in update) touch "$(dirname "$0")/updated"; exit ;; esac
test -f "$(dirname "$0")/updated" || exit 100
printf 'dlstatus:1:%s:x\n' 0.0 10.5 99.9 >&3
printf 'pmstatus:gcc:%s:x\n' 30 100.0000 >&3
exit $APT
END

    for my $name (sort keys %script) {
        open(my $fh, '>', "$bin/$name") or die "$name: $!";
        print $fh "#!/bin/sh\n$script{$name}\n";
        close($fh);
        chmod(0755, "$bin/$name");
    }

    local @ENV{qw( PATH CC APT )} = ("$bin:$ENV{PATH}", 'no-such-cc', 0);

    my $said = `t/make/deps.sh build 2>&1`;

    is($?, 0, 'packages are installed');
    like($said, qr/^installing:.*\bgcc\b.*\ndownloading,\ 0\ %\n
                   downloading,\ 75\ %\ninstalling,\ 25\ %\n
                   installing,\ 100\ %\n\z/x, '... and how far they are');

    $ENV{APT} = 1;
    like(`t/make/deps.sh build 2>&1`, qr/^cannot install:/m, 'a failure');
    isnt($?, 0, '... is one');
}


# Codex: its configuration, and Codex itself, if it is there

{
    my $bin = File::Temp->newdir;

    ($status, $out) = run(CLIENT => 'codex', PATH => "$bin:$ENV{PATH}");

    is($status, 0, 'CLIENT=codex') or diag($out);
    like($out, qr{^base_url = "http://127\.0\.0\.1:$port/v1"$}m,
         'its configuration is printed');
    like($out, qr{^CODEX_HOME=\S+/codex codex$}m, '... and its command');

    is(slurp("$dir/codex/config.toml") =~ /^sandbox_mode.*\n\n\[model_/m, 1,
       '... and written, with a sandbox');
    stopped();

    open(my $fh, '>', "$bin/codex") or die "codex: $!";
    print $fh "#!/bin/sh\ntest -s \$CODEX_HOME/config.toml && echo works\n",
              "kill -0 \$(cat \$CODEX_HOME/../nginx.pid) && echo lives\n";
    close($fh);
    chmod(0755, "$bin/codex");

    ($status, $out) = run(CLIENT => 'codex', DETACH => 0,
                          PATH => "$bin:$ENV{PATH}");

    is($status, 0, 'Codex is started') or diag($out);
    like($out, qr/^works\nlives\nnginx \(\d+\) is stopped$/m,
         '... beside nginx, which stops when it ends');

    ($status, $out) = run(CLIENT => 'claude');
    isnt($status, 0, 'another client');
    is($out, "CLIENT=claude is not known, it must be codex\n", '... is said');
}


# a server, by its base URL

my $model = ORS::Model->new(scripts => {
    script => json_script(chat_reply(content => 'Hello')),
});

my %path = ('http://%s/base/v2' => '/base/v2', '%s' => '/v1',
            'http://%s/base/v2/' => '/base/v2', 'http://%s/' => '/v1',
            'http://%s/api/v1' => '/api/v1',
            'http://%s/v1beta/openai' => '/v1beta/openai',
            'http://%s/v1/chat/completions' => '/v1',
            'http://%s/base/responses' => '/base',
            'http://%s/openai/v1?api-version=2026-01&x=y' => '/openai/v1');

for my $base (sort keys %path) {
    my ($args) = $base =~ /(\?.*)?\z/;

    ($status, $out) = run(UPSTREAM => sprintf($base, $model->address));

    is($status, 0, "UPSTREAM=$base") or diag($out);

    my @headers = (headers => { Authorization => 'Bearer k' });
    response_ok(post_json($port, '/v1/responses',
                          { model => 'script', input => 'x' }, @headers),
                'answer');

    my $r = $model->last_request;
    is($r->{uri}, "$path{$base}/chat/completions" . ($args // ''), 'path');
    is($r->{headers}{authorization}, 'Bearer k', 'key');

    for my $endpoint (qw( chat/completions embeddings )) {
        post_json($port, "/v1/$endpoint", question($endpoint, 'script'));
        is($model->last_request->{uri},
           "$path{$base}/$endpoint" . ($args // ''), "path of $endpoint");
    }

    get($port, '/v1/models');
    is($model->last_request->{uri}, "$path{$base}/models" . ($args // ''),
       'path of models');

    stopped();
}

(undef, $out) = run(UPSTREAM => $model->address);
like($out, qr/"model":"(?!NAME)[^"]+","input":"Hello!"/,
     'a model of the list is in the commands');
like($out, qr/^ +\Q$_: works\E$/m, "it is tried: $_")
    for 'an answer', 'a stream';
like($out, qr/^ +a tool call: does not work, status \d+/m,
     'a server that calls nothing');
stopped();

# a server that wants a key, for its models too, and one that lists none

{
    my $none = ORS::Nginx->new(conf => <<'CONF');
    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /closed/ {
            if ($http_authorization != "Bearer right") {
                return 401;
            }

            return 200 '{"object":"list","data":[{"id":"m-1"},{"id":"m-2"}]}';
        }

        location /empty/ {
            return 200 '{"object":"list","data":[]}';
        }
    }
CONF
    $none->start;

    my $base = 'http://127.0.0.1:' . $none->port;

    for ([ closed => '', 'wants a key, which OPENAI_API_KEY may have' ],
         [ closed => 'wrong', 'does not accept the key in OPENAI_API_KEY' ],
         [ empty => '', 'lists no models; MODEL=name says which one to try' ])
    {
        my ($path, $key, $says) = @$_;

        (undef, $out) = run(UPSTREAM => "$base/$path", OPENAI_API_KEY => $key);
        like($out, qr/^ +is up and \Q$says\E$/m, "it $says");
        unlike($out, qr/asked for model/, 'nothing is tried');
        stopped();
    }

    (undef, $out) = run(UPSTREAM => "$base/closed", OPENAI_API_KEY => 'right');
    like($out, qr/^ +is up, its models: m-1 m-2 ?$/m, 'the key opens the list');
    like($out, qr/^ +asked for model m-1:$/m, 'its first model is tried');
    like($out, qr/OpenAI\(base_url="[^"]+"\)$/m, 'the SDK has the key, too');
    stopped();
    $none->finish;
}

run(UPSTREAM => $model->address, MODEL => 'a model');
response_ok(ask(input => 'x'), 'with MODEL');
like($model->last_request->{body}, qr/^\{"model":"a model",/, 'it is sent');
stopped();

($status, $out) = run(UPSTREAM => 'http://127.0.0.1:' . free_port());
is($status, 0, 'a server that is down is no reason not to start');
like($out, qr/cannot be reached now: nothing listens at its port;/,
     'but it is said, and why');
error_ok(ask(input => 'x'), 502, 'request', code => 'upstream_unavailable');
stopped();

for (['UPSTREAM', 'http://a b'], ['UPSTREAM', 'ftp://a'],
     ['UPSTREAM', 'http://a?x="y"'], ['UPSTREAM', 'http://a:1/api'],
     ['PORT', 'x'],
     ['PORT', 65536], ['MODEL', '"'],
     ['UPSTREAM', 'http://no-such-host.invalid/v1'])
{
    my ($name, $value) = @$_;

    ($status, $out) = run($name => $value);
    isnt($status, 0, "$name=$value is refused");
    like($out, qr/^\Q$name=$value\E|"no-such-host.invalid"/, 'with a word');
}

done_testing();


# run.sh in the background: its status and all it says

sub run (%env) {
    $port = free_port();

    local @ENV{qw( PORT DETACH UPSTREAM MODEL OPENAI_API_KEY CLIENT )}
        = ($port, 1, '', '', '', '');
    local @ENV{keys %env} = values %env;

    my $out = `t/make/run.sh '$binary' '$module' '$home' 2>&1`;
    my $status = $?;

    utf8::decode($out);
    $dir = "$home/$port";

    return ($status, $out);
}


sub stopped () {
    my ($pid) = slurp("$dir/nginx.pid") =~ /(\d+)/ or return fail('no pid');

    kill 'QUIT', $pid;
    ok(wait_for(sub { !-e "$dir/nginx.pid" }), 'nginx leaves');
    unlike(slurp("$dir/error.log"), qr/\[(?:emerg|alert|crit)\]/,
           'nginx was well');
}


sub ask (%fields) {
    return post_json($port, '/v1/responses', { model => 'demo', %fields });
}


sub is_call ($answer) {
    my $call = $answer->calls->[0];

    is($call->{name}, 'get_weather', 'its name');
    is($call->{arguments}, '{"city":"Rome"}', 'its arguments');
}


# a test that dies leaves no nginx behind

END {
    if ($dir ne '' && slurp("$dir/nginx.pid") =~ /(\d+)/) {
        kill 'TERM', $1;
    }
}
