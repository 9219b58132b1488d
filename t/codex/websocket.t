#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Codex over a WebSocket: its warm-up, turns with tools that continue each
# other, errors, a reload of nginx in a session, and how it goes on by HTTP
# where there is no WebSocket.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Codex qw( said );
use ORS::JSON qw( json_encode );
use ORS::Model qw( :all );
use ORS::Nginx ();
use ORS::Util qw( slurp spew wait_for );

my sub call ($id, $name, %arguments) {
    my $text = json_encode(\%arguments);

    return { id => $id, name => $name,
             arguments => [ $text =~ /.{1,5}/gs ] };
}


my sub refuses ($status, $message, %more) {
    return [ [ status => $status ],
             [ json => { error => { message => $message, %more } } ] ];
}


my $bye = stream_script(text => [ 'All is ', 'done.' ]);

my $patch = <<"PATCH";
*** Begin Patch
*** Update File: old.txt
@@
 one
-two
+2
*** End Patch
PATCH

my sub shell (@commands) {
    my $n = 0;

    return rounds((map {
        stream_script(text => 'Step.', tool_calls => [
            call('call_' . ++$n, 'exec_command', cmd => $_) ])
    } @commands), $bye);
}

my %scripts = (
    shell => shell(q{printf 'caf\303\251 "x"\n' >made.txt}, 'cat made.txt',
                   'cat made.txt old.txt >both.txt'),
    fallback => shell('echo 1 >made.txt', 'cat made.txt'),
    reload => shell('touch begun; until [ -e go-on ]; do sleep .05; done',
                    'echo 2 >made.txt'),
    lifetime => shell('until grep -q "^GET 101" $NGINX_LOG; '
                      . 'do sleep .05; done', 'echo 3 >made.txt'),
    parallel => rounds(
        stream_script(tool_calls => [ map {
            call("call_$_", 'exec_command', cmd => "echo $_ >$_.txt")
        } 1 .. 3 ]), $bye),
    'gpt-5.5' => rounds(
        stream_script(tool_calls => [ call('call_1', 'apply_patch',
                                           input => $patch) ]),
        $bye),
    key => refuses(401, 'who are you', code => 'invalid_api_key'),
    none => refuses(404, 'no such model', code => 'model_not_found'),
    long => refuses(400, "This model's maximum context length is 8 tokens."),
    cut => [ sse_head(), [ sse => chat_chunk(content => 'a') ], [ 'close' ] ],
    hang => [ sse_head(), [ sse => chat_chunk(content => 'a') ],
              [ touch => 'begun' ], [ hang => 'gone' ] ],
);

my $model = ORS::Model->new(scripts => \%scripts);
my $nginx = ORS::Nginx->new(model => $model,
                            http => <<'HTTP', conf => <<'CONF');
            log_format turns '$request_method $status $open_responses_id '
                             '$open_responses_previous_id';
HTTP
            server {
                listen 127.0.0.1:%%PORT_0%%;
                access_log %%TESTDIR%%/logs/turns.log turns;

                open_responses_target    default /to/model;
                client_body_buffer_size  1m;

                location /v1/ {
                    open_responses            on;
                    open_responses_websocket  on;
                }

                location /http/v1/ {
                    open_responses  on;
                }

                location /short/v1/ {
                    access_log %%TESTDIR%%/logs/short.log turns;

                    open_responses            on;
                    open_responses_websocket  on lifetime=2s;
                }

                location = /to/model {
                    internal;
                    open_responses_dialect chat;
                    proxy_pass http://%%MODEL%%/v1/chat/completions;
                }
            }
CONF

$nginx->start;

my $url = 'http://' . $nginx->address(0);
my $codex = ORS::Codex->new(model => $model, base => "$url/v1",
                            websockets => 1);
my $read = 0;


# the lines of the access log since the last time, "until" one is among them

my sub logged ($until) {
    my $lines;

    wait_for(sub {
        $lines = substr slurp($nginx->dir . '/logs/turns.log'), $read;
        return $lines =~ $until;
    }) or diag("no line like $until: $lines");

    $read += length $lines;

    return map { [ split ] } split /\n/, $lines;
}


# a session in one connection, each turn after the one in front of it

my sub chain_ok ($name, $turns) {
    my ($last, @lines) = reverse logged(qr/^GET /m);

    @lines = reverse @lines;

    is("@$last[0, 1]", 'GET 101', "$name: one connection");
    is(scalar @lines, $turns, "$name: its turns");
    is_deeply([ map { "@$_[0, 1]" } @lines ], [ ('POST 200') x $turns ],
              "$name: each has a line");
    is_deeply([ map { $_->[3] } @lines ],
              [ '-', map { $_->[2] } @lines[0 .. $#lines - 1] ],
              "$name: each continues the one in front of it");
    return;
}


# ---- what it does


my $s = $codex->session('shell');

is($s->{status}, 0, 'shell: exit status') or diag($codex->log($s));
is_deeply($s->{errors}, [], 'shell: no errors');
is(slurp("$s->{dir}/both.txt"), qq{caf\303\251 "x"\none\ntwo\n},
   'shell: the file');
is_deeply([ said($s) ], [ ('Step.') x 3, 'All is done.' ], 'shell: texts');

# the first turn is a warm-up, of which no model hears

is(scalar @{ $s->{asked} }, 4, 'shell: four rounds');
chain_ok('shell', 5);

my @messages = @{ $s->{asked}[3]{messages} };

is_deeply([ map { [ $_->{role}, $_->{tool_call_id}
                    // $_->{tool_calls}[0]{id} ] } @messages[-6 .. -1] ],
          [ map { [ assistant => "call_$_" ], [ tool => "call_$_" ] } 1 .. 3 ],
          'shell: all calls and answers upstream');
like($messages[-3]{content}, qr/caf\x{e9} "x"/, 'shell: what a command said');
ok((grep { $_->{role} eq 'user' && $_->{content} =~ /Do it[.]/ } @messages),
   'shell: what the warm-up brought');
ok((grep { $_->{function}{name} eq 'exec_command' }
    @{ $s->{asked}[3]{tools} }), 'shell: tools upstream');

$s = $codex->session('parallel');

is($s->{status}, 0, 'parallel: exit status') or diag($codex->log($s));
is(join('', map { slurp("$s->{dir}/$_.txt") } 1 .. 3), "1\n2\n3\n",
   'parallel: three files');
chain_ok('parallel', 3);

$s = $codex->session('gpt-5.5');

is($s->{status}, 0, 'patch: exit status') or diag($codex->log($s));
is(slurp("$s->{dir}/old.txt"), "one\n2\n", 'patch: a file that was changed');
chain_ok('patch', 3);


# ---- a connection that ends while Codex works: the next one has it all


my sub new_connection_ok ($name, $s, $text) {
    is($s->{status}, 0, "$name: exit status") or diag($codex->log($s));
    is_deeply($s->{errors}, [], "$name: no errors");
    is(slurp("$s->{dir}/made.txt"), $text, "$name: the file");
    is_deeply([ said($s) ], [ 'Step.', 'Step.', 'All is done.' ],
              "$name: texts");
    is_deeply([ map { scalar grep { $_->{role} eq 'tool' } @{ $_->{messages} } }
                @{ $s->{asked} } ], [ 0 .. 2 ],
              "$name: each round has all that was answered");
    return;
}


my $begun = $codex->start('reload');

ok(wait_for(sub { -e "$begun->{dir}/begun" }), 'reload: a tool runs');
$nginx->reload;
spew("$begun->{dir}/go-on", '');

new_connection_ok('reload', $codex->finish($begun), "2\n");

my @lines = logged(qr/(?:^GET 101.*\n(?:.*\n)*){2}/m);

is((grep { $_->[0] eq 'GET' } @lines), 2, 'reload: two connections');

$ENV{NGINX_LOG} = $nginx->dir . '/logs/short.log';

my $short = ORS::Codex->new(model => $model, base => "$url/short/v1",
                            websockets => 1);

new_connection_ok('lifetime', $short->session('lifetime'), "3\n");
cmp_ok(() = slurp($ENV{NGINX_LOG}) =~ /^GET 101/mg, '>=', 2,
       'lifetime: more than one connection');


# ---- errors; after two of them Codex asks once more, by HTTP


my %fails = (
    cut => [ 2, qr/ended before it was complete/ ],
    key => [ 2, qr/who are you/ ],
    long => [ 1, qr/ran out of room in the model's context window/ ],
    none => [ 1, qr/no such model/ ],
);

for my $name (sort keys %fails) {
    my ($asked, $text) = @{ $fails{$name} };

    $s = $codex->session($name);

    is($s->{status}, 1, "$name: exit status");
    like("@{ $s->{errors} }", $text, "$name: what it says");
    is(scalar @{ $s->{asked} }, $asked, "$name: how often the model is asked");
}


# ---- where there is no WebSocket: one refusal, then HTTP for good


logged(qr/x?/);

my $http = ORS::Codex->new(model => $model, base => "$url/http/v1",
                           websockets => 1);

$s = $http->session('fallback');

is($s->{status}, 0, 'refused: exit status') or diag($http->log($s));
is_deeply($s->{errors}, [], 'refused: no errors');
is_deeply([ said($s) ], [ 'Step.', 'Step.', 'All is done.' ],
          'refused: texts');
is_deeply([ map { "@$_[0, 1]" } logged(qr/^(?:POST.*\n){3}/m) ],
          [ 'GET 426', ('POST 200') x 3 ], 'refused: HTTP at once');


# ---- leaving early


$begun = $codex->start('hang');

ok($model->wait_file('begun'), 'a turn has begun');
kill 'TERM', $begun->{pid};
ok($model->wait_file('gone'), 'Codex is gone, and so is the call');
close $begun->{out};

$nginx->finish('nginx is well at the end');

done_testing();
