#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Functions that run at the gateway, and what goes wrong: a tool that fails is
# told to the model in a few words, a model that fails ends the turn, a client
# that leaves ends everything.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( http_start post_json );
use ORS::JSON qw( json_encode json_false json_true );
use ORS::Loop qw( plan call outputs );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( response_ok stream_ok );
use ORS::Util qw( free_port slurp spew );

# names of tools, what they answer, and what the log says of it

my @failures = (
    [ missing => [ [ status => 404 ], [ json => { error => 'no' } ] ],
      qr/status 404: it answered with a status of failure/ ],
    [ broken => [ [ status => 500 ], [ raw => 'secret' ] ],
      qr/status 500: it answered with a status of failure/ ],
    [ moved => [ [ status => 302 ], [ header => 'Location', '/' ],
                 [ raw => 'x' ] ], qr/status 302/ ],
    [ html => [ [ header => 'Content-Type', 'text/html' ],
                [ raw => '<html>secret' ] ], qr/its answer is HTML/ ],
    [ large => [ [ header => 'Content-Type', 'text/plain' ],
                 [ raw => 'secret' x 400 ], [ hang => 'large-gone' ] ],
      qr/its answer is too large/ ],
    [ huge => [ [ header => 'Content-Type', 'text/plain' ],
                [ header => 'Content-Length', 5000 ], [ 'head' ],
                [ hang => 'huge-gone' ] ], qr/its answer is too large/ ],
    [ latin => [ [ header => 'Content-Type', 'text/plain' ],
                 [ raw => "caf\xe9" ] ], qr/its answer is not UTF-8/ ],
    [ short => [ [ framing => 'length' ],
                 [ header => 'Content-Length', 100 ], [ raw => 'secret' ],
                 [ 'close' ] ], qr/its answer was cut/ ],
    [ chunk => [ [ framing => 'chunked' ], [ raw => 'secret' ],
                 [ wire => "zz\r\n" ], [ 'close' ] ],
      qr/its answer was cut/ ],
    [ reset => [ [ 'reset' ] ], qr/status 502/ ],
    [ coded => [ [ header => 'Content-Encoding', 'br' ],
                 [ raw => 'secret' ] ], qr/its Content-Encoding is not/ ],
    [ slow => [ [ hang => 'slow-gone' ] ], qr/it did not answer in time/ ],
    [ stalls => [ [ header => 'Content-Type', 'text/plain' ],
                  [ raw => 'secret' ], [ hang => 'stalls-gone' ] ],
      qr/it did not answer in time/ ],
    [ http09 => [ [ wire => 'secret' ], [ 'close' ] ], qr/tool "http09"/ ],
);

my %timeout = map { $_ => '300ms' } qw( slow stalls delayed );

my $model = ORS::Model->new(scripts => { default => plan(
    (map { $_ => [ { tool_calls => [ call($_, secret => 1) ] }, 'Sorry' ] }
         map({ $_->[0] } @failures), qw( refused denied nowhere limited )),
    delayed => [ { tool_calls => [ call('delayed') ] }, 'Late' ],
    mixed => [ { tool_calls => [ call('broken'), call('good') ] }, 'Half' ],
    twice => [ { tool_calls => [ call('limited#1'), call('limited#2') ] },
               'Half' ],
    fails => [ { text => 'A', tool_calls => [ call('good') ] },
               [ [ status => 500 ], [ json => { error => {
                   message => 'broken' } } ] ] ],
    cuts  => [ { tool_calls => [ call('good') ] },
               [ sse_head(), [ sse => chat_chunk(content => 'B') ],
                 [ 'close' ] ] ],
    other => [ { tool_calls => [ call('good') ] },
               [ [ status => 503 ], [ json => { error => {
                   message => 'full' } } ] ] ],
    leave => [ { tool_calls => [ call('waits') ] }, 'never' ],
    late  => [ { tool_calls => [ call('good') ] },
               [ [ touch => 'there' ], [ hang => 'model-gone' ] ] ],
    beats => [ { tool_calls => [ call('until') ] }, 'Done' ],
) });

my $second = ORS::Model->new(scripts => { default => plan(
    other => [ 'wrong', 'From the second' ] ) });

my $tools = ORS::Model->new(scripts => {
    good => [ [ raw => 'fine' ] ],
    waits => [ [ touch => 'there' ], [ hang => 'gone' ] ],
    until => [ [ wait_file => 'go' ], [ raw => 'fine' ] ],
    map { $_->[0] => $_->[1] } @failures,
});

my $locations = join '', map { <<"CONF" } map({ $_->[0] } @failures),
        location = /tool/$_ {
            internal;
            proxy_pass http://%%TOOLS%%/script/$_;
        }
CONF
    qw( good waits until );

my $declared = join '', map {
    "    open_responses_tool $_ /tool/$_ definition=%%TESTDIR%%/any.json "
    . 'timeout=' . ($timeout{$_} // '20s') . ";\n"
} map({ $_->[0] } @failures),
  qw( good waits until refused denied nowhere limited delayed );

my $t = ORS::Nginx->new(model => { MODEL => $model, SECOND => $second,
                                   TOOLS => $tools },
                        subst => { REFUSED => free_port() },
                        conf => <<"CONF");
    log_subrequest on;
    limit_req_zone \$open_responses_tool_name zone=one:1m rate=1r/m;

    open_responses_limits tool_answer=2k;
    open_responses_heartbeat 20ms;

    open_responses_target default /to/model;
    open_responses_target other /to/model /to/second;

$declared
    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ { open_responses on; }

        %%CHAT /to/model /chat%%

        location = /to/second {
            internal;
            open_responses_dialect chat;
            proxy_pass http://%%SECOND%%/chat;
        }

$locations
        location = /tool/refused {
            internal;
            proxy_pass http://127.0.0.1:%%REFUSED%%/;
        }

        location = /tool/denied {
            internal;
            return 403;
        }

        location = /tool/delayed {
            internal;
            limit_req zone=one burst=5;
            proxy_pass http://%%TOOLS%%/script/good;
        }

        location = /tool/limited {
            internal;
            limit_req zone=one;
            proxy_pass http://%%TOOLS%%/script/good;
        }
    }
CONF

spew($t->dir . '/any.json',
     json_encode({ description => 'Any', parameters => { type => 'object' } }));

$t->provokes(qr/refused/);
$t->start;


sub body ($name, $stream) {
    return { model => $name, input => 'hi',
             stream => $stream ? json_true : json_false };
}


sub ask ($name, $stream, %expect) {
    $model->forget;

    my $r = post_json($t->port, '/v1/responses', body($name, $stream));

    return ($stream ? \&stream_ok : \&response_ok)
           ->($r, $name . ($stream ? ', stream' : ''), expect => 'completed',
              %expect);
}


for my $stream (0, 1) {
    for my $row (@failures, [ refused => 0, qr/status 502/ ],
                 [ denied => 0, qr/status 403/ ],
                 [ nowhere => 0, qr/status 404/ ])
    {
        my ($name, undef, $log) = @$row;
        my $s = ask($name, $stream);
        my $how = $name . ($stream ? ', stream' : '');

        is($s->text, 'Sorry', "$how: the model goes on");
        is_deeply([ outputs($model->last_request) ], [ 'The tool failed.' ],
                  "$how: the model reads why");
        ok($t->wait_log(qr/tool "$name" has failed after \d+ ms, .*$log|$log/),
           "$how: the log says why");
    }

    my $s = ask('mixed', $stream);
    is_deeply([ outputs($model->last_request) ],
              [ 'The tool failed.', 'fine' ], 'one of two fails');

    # a model that fails after a tool has run

    for my $name (qw( fails cuts )) {
        $s = ask($name, $stream, expect => 'failed');
        is((grep { $_->{type} eq 'function_call_output' } @{ $s->items })[0]
           {output}, 'fine', "$name: what was done is there");
    }

    $s = ask('other', $stream);
    is($s->text, 'From the second', 'another target goes on');
    is(scalar @{ $s->items }, 3, '... with the items of the first');
}

ok($tools->wait_file("$_-gone"), "$_: the tool's connection is closed")
    for qw( large huge slow stalls );

unlike(slurp($t->dir . '/logs/error.log'), qr/\{"secret|secretsecret/,
       'nothing of a tool is in the log') if !$ENV{TEST_NGINX_DEBUG};


# limits of a tool's location

ask('twice', 0);
is_deeply([ sort(outputs($model->last_request)) ],
          [ 'The tool failed.', 'fine' ], "limit_req in a tool's location");

# a call that has to wait for longer than it may take ends with the request

for my $output ('fine', 'The tool failed.') {
    ask('delayed', 0);
    is_deeply([ outputs($model->last_request) ], [ $output ],
              "limit_req with a delay: $output");
}


# a client that leaves

for my $leave (qw( close reset )) {
    for my $stream (0, 1) {
        my %json = ('Content-Type' => 'application/json');

        $tools->untouch(qw( there gone ));
        $model->untouch(qw( there model-gone ));

        my $c = http_start($t->port, 'POST', '/v1/responses', { %json },
                           json_encode(body('leave', $stream)));

        ok($tools->wait_file('there'), "$leave: a tool runs");
        $c->$leave;
        ok($tools->wait_file('gone'), "$leave: it is cancelled");

        $c = http_start($t->port, 'POST', '/v1/responses', { %json },
                        json_encode(body('late', $stream)));

        ok($model->wait_file('there'), "$leave: the second round");
        $c->$leave;
        ok($model->wait_file('model-gone'), "$leave: it is cancelled");
    }
}


# heartbeats while a tool runs

{
    my $c = http_start($t->port, 'POST', '/v1/responses',
                       { 'Content-Type' => 'application/json' },
                       json_encode(body('beats', 1)));

    ok($c->wait_body(qr/function_call_arguments\.done.*?\n:\n.*?\n:\n/s),
       'heartbeats while a tool runs');
    $tools->touch('go');
    is(stream_ok($c->read_response, 'beats', expect => 'completed')->text,
       'Done', 'and the end');
}

$t->finish;

done_testing();
