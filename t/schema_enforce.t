#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# open_responses_schema: arguments of calls and structured outputs are checked
# against the schemas of the request, and what violates them is reported, or
# never reaches the client.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get post_json );
use ORS::JSON qw( json_decode json_encode json_false json_true );
use ORS::Loop qw( call messages outputs );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( error_ok response_ok stream_ok );
use ORS::Util qw( slurp spew wait_for );

my %plan = (
    good    => [ { tool_calls => [ call('mine', n => 1) ] } ],
    wrong   => [ { tool_calls => [ call('mine', n => 'secret') ] },
                 { tool_calls => [ call('mine#b', n => 2) ] } ],
    never   => [ { tool_calls => [ call('mine', n => 'secret') ] } ],
    nojson  => [ { tool_calls => [ { id => 'c', name => 'mine',
                                     arguments => '{"n":' } ] },
                 { tool_calls => [ call('mine#b', n => 2) ] } ],
    empty   => [ { tool_calls => [ { id => 'c', name => 'mine',
                                     arguments => '' } ] },
                 { tool_calls => [ call('mine#b', n => 2) ] } ],
    pair    => [ { text => 'Both', tool_calls => [ call('free', x => 1),
                                                   call('mine', n => 'a') ] },
                 { tool_calls => [ call('free#b', x => 1),
                                   call('mine#b', n => 2) ] } ],
    mixed   => [ { tool_calls => [ call('hosted#h', city => 'Oslo'),
                                   call('mine', n => 'a') ] },
                 { tool_calls => [ call('mine#b', n => 2) ] } ],
    hosted  => [ { tool_calls => [ call('hosted', city => 5) ] },
                 { tool_calls => [ call('hosted#b', city => 'Oslo') ] },
                 'It rains' ],
    odd     => [ { tool_calls => [ call('odd', n => 1) ] } ],
    slow    => [ { tool_calls => [ call('slow', a => 'a' x 40 . '!'),
                                   call('mine', n => 'secret') ] } ],
    again   => [ { tool_calls => [ call('mine', n => 'secret'),
                                   call('slow', a => 'a' x 40 . '!') ] },
                 { tool_calls => [ call('mine#b', n => 'secret') ] } ],
    text    => [ '{"n": "secret"}', '{"n": 2}' ],
    prose   => [ 'It is 2.', '{"n": 2}' ],
    fine    => [ '{"n": 2}' ],
    bad     => [ '{"n": "secret"}' ],
    refuse  => [ { refusal => 'No' } ],
    cut     => [ { text => '{"n":', finish => 'length' } ],
);

my $model = ORS::Model->new(scripts => { default => sub ($conn, $r) {
    my $asked = json_decode($r->{body});
    my $rounds = $plan{$asked->{model} =~ s/^\w+-//r};
    my $n = grep { $_->{role} eq 'assistant' } @{ $asked->{messages} };
    my $round = $rounds->[$n] // $rounds->[-1];
    my %o = ref $round ? %$round : (text => $round);

    return $conn->_play(stream_script(%o), 0) if $asked->{stream};

    $o{content} = delete $o{text};
    $conn->_play(json_script(chat_reply(%o)), 0);
} });

my $tools = ORS::Model->new(scripts => { hosted => [ [ raw => 'rain' ] ] });

my $conf = <<'CONF';
    open_responses_store main lmdb:%%TESTDIR%%/db size=64m;
    open_responses_store_scope $http_x_user;
    open_responses_schema_cache max=2 size=1m;

    open_responses_tool hosted /tool/hosted
                        definition=%%TESTDIR%%/hosted.json;
    open_responses_target default /to/model;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        open_responses_schema enforce;

        location /v1/ {
            open_responses on;
            open_responses_store main;
        }

        location /report/v1/ {
            open_responses on;
            open_responses_schema report;
        }

        location /thrice/v1/ {
            open_responses on;
            open_responses_schema enforce retry=3;
        }

        location /once/v1/ {
            open_responses on;
            open_responses_schema enforce retry=0;
        }

        location /off/v1/ {
            open_responses on;
            open_responses_schema off;
        }

        location /native/v1/ {
            open_responses on;
            open_responses_target default /to/native;
        }

        location = /to/native {
            internal;
            proxy_pass http://127.0.0.1:%%PORT_0%%/off/v1/responses;
        }

        %%CHAT /to/model /chat%%

        location /tool/ {
            internal;
            proxy_pass http://%%TOOLS%%/script/;
        }

        location = /status { open_responses_status json; }
        location = /metrics { open_responses_status prometheus; }
    }
CONF

my $t = ORS::Nginx->new(workers => 1, conf => $conf,
                        model => { MODEL => $model, TOOLS => $tools });

spew($t->dir . '/hosted.json',
     json_encode({ description => 'Any', parameters => {
         type => 'object', required => [ 'city' ],
         properties => { city => { type => 'string' } } } }));

$t->start;

my $number = { type => 'object', required => [ 'n' ],
               properties => { n => { type => 'integer' } } };
my $mine = { type => 'function', name => 'mine', strict => json_false,
             parameters => $number };
my $free = { type => 'function', name => 'free', strict => json_false };
my $format = { format => { type => 'json_schema', name => 'out',
                           schema => $number } };


sub ask ($path, $name, $stream, %more) {
    my $expect = delete $more{expect} // 'completed';

    $model->forget;
    $tools->forget;

    my $r = post_json($t->port, "$path/v1/responses",
                      { model => $name, input => 'hi',
                        tools => [ $mine, $free ],
                        stream => $stream ? json_true : json_false, %more },
                      headers => { 'X-User' => 'ann' });

    my $how = "$path $name" . ($stream ? ', stream' : '');

    return $stream ? stream_ok($r, $how, expect => $expect)
                   : $expect eq 'failed' ? $r
                   : response_ok($r, $how, expect => $expect);
}


sub calls ($s) {
    return map { $_->{name} . ($_->{arguments} =~ s/["{}]//gr) }
           grep { $_->{type} eq 'function_call' } @{ $s->items };
}


sub roles ($n) {
    return join(' ', map { $_->{role} }
                     @{ ($model->requests)[$n]{json}{messages} });
}


sub counted ($name) {
    return json_decode(get($t->port, '/status')->{body})->{$name};
}


for my $stream (0, 1) {
    my $how = $stream ? 'stream' : 'document';

    my $s = ask('', 'good', $stream);
    is_deeply([ calls($s) ], [ 'mine' . 'n:1' ], "$how: a call that matches");
    is(scalar $model->requests, 1, "$how: nothing is repeated");

    $s = ask('', 'wrong', $stream);
    is_deeply([ calls($s) ], [ 'minen:2' ], "$how: a wrong call is withdrawn");
    is(scalar @{ $s->items }, 1, "$how: without a trace");
    is(scalar $model->requests, 2, "$how: the round is repeated once");
    like((outputs(($model->requests)[1]))[0],
         qr/^The tool was not called: .*"n" must be an integer/,
         "$how: the model reads why");
    is($s->usage->{output_tokens}
       > ask('', 'good', $stream)->usage->{output_tokens}, 1,
       "$how: usage of both rounds");

    ask('', 'wrong', $stream, tool_choice => 'required');
    is_deeply([ map { $_->{json}{tool_choice} } $model->requests ],
              [ 'required', 'required' ],
              "$how: what is required has not been done");

    is_deeply([ calls(ask('', 'nojson', $stream)) ], [ 'minen:2' ],
              "$how: arguments that are no JSON");
    is_deeply([ calls(ask('', 'empty', $stream)) ], [ 'minen:2' ],
              "$how: no arguments");

    $s = ask('', 'pair', $stream);
    is_deeply([ calls($s) ], [ 'freex:1', 'minen:2' ],
              "$how: all calls of a round are withdrawn");
    is($s->text, 'Both', "$how: its text is not");
    is(scalar(outputs(($model->requests)[1])), 2, "$how: each has an output");

    $s = ask('', 'mixed', $stream);
    is_deeply([ calls($s) ], [ 'hostedcity:Oslo', 'minen:2' ],
              "$how: what runs here, runs");
    is(scalar $tools->requests, 1, "$how: once");

    $s = ask('', 'hosted', $stream);
    is($s->text, 'It rains', "$how: a tool that runs here");
    is(scalar $tools->requests, 1, "$how: is not called with wrong arguments");
    like((outputs(($model->requests)[1]))[0], qr/"city" must be a string/,
         "$how: the model reads why");

    $s = ask('', 'never', $stream, expect => 'failed');

    if ($stream) {
        like($s->error->{message}, qr/"mine"/, "$how: a model that never does");
        is($s->error->{code}, 'model_error', "$how: a code for it");
        is_deeply($s->items, [], "$how: the client gets nothing of it");

    } else {
        error_ok($s, 500, "$how: a model that never does",
                 type => 'model_error', message => qr/"mine"/);
    }

    is(scalar $model->requests, 2, "$how: one repeat");

    ask('/thrice', 'never', $stream, expect => 'failed');
    is(scalar $model->requests, 4, "$how: three repeats");

    ask('/once', 'never', $stream, expect => 'failed');
    is(scalar $model->requests, 1, "$how: no repeat");

    # structured outputs

    for my $name (qw( text prose )) {
        $s = ask('', $name, $stream, text => $format);
        is($s->text, '{"n": 2}', "$how: $name: the output matches");
        is(scalar @{ $s->items }, 1, "$how: $name: without the first one");
        is(roles(1), 'user assistant user', "$how: $name: the model sees it");
        like(($model->requests)[1]{json}{messages}[-1]{content},
             qr/^The answer does not match/, "$how: $name: and why");
    }

    is(ask('', 'fine', $stream, text => $format)->text, '{"n": 2}',
       "$how: an output that matches");
    is(ask('', 'refuse', $stream, text => $format)->refusal, 'No',
       "$how: a refusal is not checked");
    is(ask('', 'cut', $stream, text => $format, expect => 'incomplete')->text,
       '{"n":', "$how: an output that is cut is not");
    ask('', 'bad', $stream, text => $format, expect => 'failed');
    is(scalar $model->requests, 2, "$how: an output that never matches");

    # no verdict

    for my $schema ({ '$ref' => 'https://example.com/schema' },
                    { type => 5 }, { pattern => '(' }) {
        my $odd = { %$mine, name => 'odd', parameters => $schema };

        is_deeply([ calls(ask($_, 'odd', $stream, tools => [ $odd ])) ],
                  [ 'oddn:1' ], "$how: $_: a schema that cannot be used")
            for '', '/report';
    }

    # the steps of a round are those of all its calls

    my $slow = { %$mine, name => 'slow', parameters => {
                     properties => { a => { pattern => '^(a+)+$' } } } };

    is_deeply([ calls(ask('', 'slow', $stream, tools => [ $slow, $mine ])) ],
              [ 'slowa:' . 'a' x 40 . '!', 'minen:secret' ],
              "$how: no steps are left for the second call");
    ask('', 'again', $stream, tools => [ $slow, $mine ], expect => 'failed');
    is(scalar $model->requests, 2, "$how: the next round has all of them");

    # no effect

    for my $path ('/report', '/off', '/native') {
        $s = ask($path, 'wrong', $stream);
        is_deeply([ calls($s) ], [ 'minen:secret' ], "$how: $path: a call");
        is(scalar $model->requests, 1, "$how: $path: no repeat");
        is(ask($path, 'text', $stream, text => $format)->text,
           '{"n": "secret"}', "$how: $path: an output");
    }
}

# the client gets text of a stream as it comes where nothing is held

cmp_ok(scalar(() = ask('/report', 'text', 1, text => $format)->deltas), '>', 0,
       'a report holds nothing');

# a stored response has no wrong call; a response in the background

my $r = post_json($t->port, '/v1/responses',
                  { model => 'wrong', input => 'hi', tools => [ $mine ],
                    background => json_true, store => json_true },
                  headers => { 'X-User' => 'ann' });
my $id = json_decode($r->{body})->{id};
my $stored;

ok(wait_for(sub {
    $stored = json_decode(get($t->port, "/v1/responses/$id",
                              headers => { 'X-User' => 'ann' })->{body});
    return $stored->{status} ne 'queued' && $stored->{status} ne 'in_progress';
}), 'the background response ends');

is($stored->{status}, 'completed', 'background: completed');
is_deeply([ map { $_->{arguments} } @{ $stored->{output} } ], [ '{"n":2}' ],
          'background: only the call that matches');

$model->forget;
post_json($t->port, '/v1/responses',
          { model => 'fine', tools => [ $mine ], previous_response_id => $id,
            input => [ { type => 'function_call_output', output => 'ok',
                         call_id => $stored->{output}[0]{call_id} } ] },
          headers => { 'X-User' => 'ann' });
is_deeply([ messages(($model->requests)[0]) ],
          [ 'user hi', 'call mine {"n":2}', 'tool ok' ],
          'a follow-up knows nothing of the wrong call');

# counters and the log

my $violations = counted('schema_violations');
my $repeats = counted('schema_repeats');
my $unchecked = counted('schema_unchecked');

ask('', 'wrong', 0);
ask('/report', 'wrong', 1);
ask('', 'odd', 0, tools => [ { %$mine, name => 'odd',
                               parameters => { type => 5 } } ]);

is(counted('schema_violations') - $violations, 2, 'violations are counted');
is(counted('schema_repeats') - $repeats, 1, 'repeats are counted');
is(counted('schema_unchecked') - $unchecked, 1, 'schemas of no use, too');
like(get($t->port, '/metrics')->{body},
     qr/^open_responses_schema_violations_total \d+$/m, 'Prometheus');

my $log = slurp($t->dir . '/logs/error.log') =~ s/client sent.*//r;

like($log, qr/\[warn\] .* call of tool "mine" of the model violates "type"/,
     'the log names the tool');
like($log, qr/violates "type" of its schema at "n"/, 'and the path');
like($log, qr/\[warn\] .* structured output of the model violates "type"/,
     'and outputs');
unlike($log, qr/secret/, 'and no value') if !$ENV{TEST_NGINX_DEBUG};

$t->finish;

# bad words

for my $case (
    [ 'open_responses_schema maybe;', qr/"maybe"/ ],
    [ 'open_responses_schema report retry=1;', qr/"retry=1".*"enforce" only/ ],
    [ 'open_responses_schema enforce retry=6;', qr/"retry=6".*from 0 to 5/ ],
    [ 'open_responses_schema enforce retry=x;', qr/"retry=x"/ ],
    [ 'open_responses_schema enforce; open_responses_schema off;',
      qr/is duplicate/ ],
    [ 'open_responses_schema_cache max=0;', qr/"max=0"/ ],
    [ 'open_responses_schema_cache size=x;', qr/"size=x"/ ],
    [ 'open_responses_schema_cache max=1; open_responses_schema_cache max=1;',
      qr/is duplicate/ ])
{
    my ($code, $out) = ORS::Nginx->conf_test($case->[0]);

    is($code, 1, "nginx -t: $case->[0]");
    like($out, $case->[1], 'and why');
}

done_testing();
