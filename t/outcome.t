#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Whose failure it was: of two tenants one does a thing a hundred times, and
# the other never notices; failures of a target are remembered; a validator
# counts what its client has seen, by class.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get http_start post_json );
use ORS::JSON qw( json_encode json_false );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Prometheus qw( prometheus );
use ORS::Util qw( free_port wait_for );

my $error = sub ($status, %e) { json_script({ error => \%e }, $status) };
my $whole = json_script(chat_reply(content => 'Hello'));

my %own = (                     # failures of a target, and their classes
    own_500  => [ $error->(500, message => 'no'), 'upstream_error' ],
    own_503  => [ $error->(503, message => 'no'), 'upstream_error' ],
    own_429  => [ $error->(429, message => 'no'), 'upstream_limit' ],
    cut      => [ [ [ header => 'Content-Type', 'application/json' ],
                    [ framing => 'chunked' ], [ raw => '{"id":' ], [ 'reset' ],
                  ], 'disconnected' ],
    garbage  => [ [ [ header => 'Content-Type', 'application/json' ],
                    [ raw => 'no JSON' ] ], 'invalid_answer' ],
    silent   => [ [ [ wait_file => 'heard' ] ], 'timeout' ],
    refused  => [ $whole, 'unavailable' ],
);

my $model = ORS::Model->new(scripts => {
    default   => $whole,
    hang      => [ [ header => 'Content-Type', 'application/json' ],
                   [ 'head' ], [ touch => 'there' ], [ hang => 'gone' ] ],
    bad       => $error->(400, message => 'a bad request'),
    absent    => $error->(404, code => 'model_not_found', message => 'none'),
    overflow  => $error->(400, code => 'context_length_exceeded',
                          message => 'too long'),
    key       => $error->(401, message => 'a wrong key'),
    large     => json_script(chat_reply(content => 'x' x 20000)),
    responses => json_script({ object => 'response', output => 'oops' }),
    map { $_ => $own{$_}[0] } keys %own,
});

my $own = join '', map { <<"CONF" } sort keys %own;
        location = /to/$_ {
            internal;
            open_responses_dialect chat;
            proxy_read_timeout 200ms;
            proxy_pass http://@{[ $_ eq 'refused' ? '127.0.0.1:%%REFUSED%%'
                                  : '%%MODEL%%' ]}/chat;
        }
CONF

my $routes = join '', map {
    "            open_responses_target $_ /to/$_ /to/second max_fails=1"
    . " fail_timeout=1h;\n"
} sort keys %own;

my $t = ORS::Nginx->new(model => $model, subst => { REFUSED => free_port() },
                        conf => <<"CONF");
    limit_req_zone \$http_x_user zone=rate:64k rate=10r/s;
    limit_conn_zone \$http_x_user zone=conn:64k;
    limit_req_status 429;

    open_responses_store main lmdb:%%TESTDIR%%/db size=64m sync=off;
    open_responses_store_scope \$http_x_user;
    open_responses_heartbeat 0;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        open_responses_target limited /to/limited /to/second max_fails=1
                                      fail_timeout=1h;
        open_responses_target alone   /to/alone;
        open_responses_target default /to/first /to/second max_fails=1
                                      fail_timeout=1h;

        location /v1/ {
            open_responses on;
            open_responses_store main;
            open_responses_schema enforce;
            open_responses_limits answer=16k context=32k scope_context=8k;
        }

        location /own/ {
            open_responses on;
$routes
        }

        location = /to/first {
            internal;
            open_responses_dialect chat;
            if (\$http_x_forbidden) { return 403; }
            proxy_pass http://%%MODEL%%/first;
        }

        location = /to/limited {
            internal;
            open_responses_dialect chat;
            limit_req zone=rate burst=1 nodelay;
            proxy_pass http://%%MODEL%%/first;
        }

        location = /to/alone {
            internal;
            open_responses_dialect chat;
            limit_conn conn 1;
            proxy_pass http://%%MODEL%%/first;
        }

        # it says nothing either where a script is silent

        location = /to/second {
            internal;
            open_responses_dialect chat;
            proxy_read_timeout 3s;
            proxy_pass http://%%MODEL%%/second;
        }

$own

        location /validated/down/ {
            open_responses_validate on;
            proxy_pass http://127.0.0.1:%%REFUSED%%/;
        }

        location /reported/down/ {
            open_responses_validate on report;
            proxy_pass http://127.0.0.1:%%REFUSED%%/;
        }

        location /validated/silent/ {
            open_responses_validate on;
            proxy_read_timeout 200ms;
            proxy_pass http://%%MODEL%%/;
        }

        location /validated/nginx/ {
            open_responses_validate on;
            limit_req zone=rate;
            limit_req_status 503;
            proxy_pass http://%%MODEL%%/;
        }

        location /validated/up/ {
            open_responses_validate on;
            proxy_pass http://%%MODEL%%/;
        }

        location /reported/up/ {
            open_responses_validate on report;
            proxy_pass http://%%MODEL%%/;
        }

        location = /ready { open_responses_ready; }
        location = /metrics { open_responses_status prometheus; }
    }
CONF

$t->start;

my $port = $t->port;


sub ask ($who, %o) {
    my $at = delete $o{at} // '/v1';
    my $script = delete $o{script} // 'default';
    my $headers = delete $o{headers} // {};

    return post_json($port, "$at/responses",
                     { model => 'm', input => 'hi', store => json_false(), %o },
                     headers => { 'X-User' => $who, 'X-Script' => $script,
                                  %$headers });
}

sub hang ($who, %o) {
    my $c = http_start($port, 'POST', '/v1/responses',
                       { 'Content-Type' => 'application/json',
                         'X-User' => $who, 'X-Script' => 'hang' },
                       json_encode({ model => 'm', input => 'hi', %o }));

    $model->wait_file('there');
    $model->untouch('there');

    return $c;
}

sub leave ($c) {
    $c->close;
    $model->wait_file('gone');
    $model->untouch('gone');
}

sub metrics () { prometheus(get($port, '/metrics')->{body})->{value} }

# another client has its answer, and all targets are up

sub unharmed ($name, $model_name = 'm') {
    my $failovers = metrics()->{open_responses_failovers_total};

    is(ask('bob', model => $model_name)->{status}, 200,
       "$name: another client has its answer");

    is($model->last_request->{uri}, '/first', "$name: from the first target");

    my $value = metrics();

    is($value->{open_responses_failovers_total}, $failovers,
       "$name: without another try");
    is_deeply([ grep { /^open_responses_target_up\{/ && !$value->{$_} }
                sort keys %$value ], [], "$name: all targets are up");

    my $ready = get($port, '/ready');
    is($ready->{status}, 200, "$name: the server is ready")
        or diag($ready->{body});
}


my $call = { type => 'function', name => 'f', strict => json_false(),
             parameters => { type => 'object' } };
my $never = { format => { type => 'json_schema', name => 'never',
                          schema => { not => {} } } };

my @rows = (
    [ 'a request that is not valid', 400, temperature => 'x' ],
    [ 'a rate of its own', 429, model => 'limited' ],
    [ 'a bad request that the server refuses', 400, script => 'bad' ],
    [ 'a model that the server has not', 404, script => 'absent' ],
    [ 'a request that is too long for it', 400, script => 'overflow' ],
    [ 'a key that is wrong', 401, script => 'key' ],
    [ 'a model that is not allowed to it', 403,
      headers => { 'X-Forbidden' => 1 } ],
    [ 'a choice that the model does not obey', 500, tools => [ $call ],
      tool_choice => { type => 'function', name => 'f' } ],
    [ 'a schema that nothing matches', 500, text => $never ],
    [ 'an answer over the limit, and one of the next target', 200,
      script => 'large' ],
);

for my $row (@rows) {
    my ($name, $status, %o) = @$row;

    my $n = $status == 429 ? 100 : 10;
    my %got;

    $got{ask('eve', %o)->{status}}++ for 1 .. $n;

    cmp_ok($got{$status} // 0, '>=', $n / 2, "$name: its answer")
        or diag(explain(\%got));

    unharmed($name);
    unharmed("$name, the same model", 'limited') if $status == 429;
}

{
    leave(hang('eve')) for 1 .. 5;
    unharmed('a client that leaves');
}

{
    my $c = hang('eve', model => 'alone');

    is(ask('eve', model => 'alone')->{status}, 503, 'connections: one is all')
        for 1 .. 10;
    unharmed('connections', 'alone');
    leave($c);
}

{
    my $first = ask('eve', input => 'x' x 5000, store => undef);
    my %next = (previous_response_id => $first->{json}{id}, store => undef);

    is($first->{status}, 200, 'context: a turn is stored');

    my $c = hang('eve', %next);

    is(ask('eve', %next)->{status}, 429, 'context: it has its share')
        for 1 .. 10;
    unharmed('context');
    leave($c);
}


# failures of a target itself are remembered, and have a class

for my $name (sort keys %own) {
    my $r = ask('bob', at => '/own', model => $name, script => $name);

    my $value = metrics();

    is($value->{"open_responses_target_up{server=\"\",target=\"/to/$name\"}"},
       0, "$name: the target has failed");
    is($value->{'open_responses_target_failures_total{server="",'
                . "target=\"/to/$name\"}"}, 1, "$name: once");
}


# of one that has no other, in place of an answer

{
    my %class = map { $_ => $own{$_}[1] } keys %own;

    for my $name (grep { $_ ne 'refused' && $_ ne 'silent' } sort keys %own) {
        my $count = sub {
            my $value = metrics();
            my ($key) = grep {
                /^gen_ai_server_request_duration_seconds_count\{
                 .*error_type="$class{$name}"/x && m!target="/to/alone"!
            } keys %$value;

            return $key ? $value->{$key} : 0;
        };

        my $before = $count->();

        ask('bob', model => 'alone', script => $name);
        is($count->(), $before + 1, "$name: counted as $class{$name}");
    }
}


# a validator counts what its client has seen

sub validated ($at) {
    my $value = metrics();
    my %of;

    for (grep { /^gen_ai_server_request_duration_seconds_count\{/ }
         keys %$value)
    {
        next if !m!location="\Q$at\E/"!;
        $of{/error_type="(\w+)"/ ? $1 : 'completed'} += $value->{$_};
    }

    return \%of;
}

ask('bob', at => "/$_/down") for qw( validated reported );
is_deeply(validated("/$_/down"), { unavailable => 1 },
          "$_: a server that is not there") for qw( validated reported );

ask('bob', at => '/validated/silent', script => 'silent');
is_deeply(validated('/validated/silent'), { timeout => 1 },
          'validated: a server that is silent');

{
    my %got;
    $got{ask('eve', at => '/validated/nginx', script => 'bad')->{status}}++
        for 1 .. 20;

    cmp_ok($got{503} // 0, '>', 0, 'validated: a limit of nginx');
    is(validated('/validated/nginx')->{limit}, $got{503}, '... is counted');
    is(validated('/validated/nginx')->{client}, $got{400},
       '... and the mistakes of clients by themselves');
}

{
    my $before = metrics()->{'open_responses_reported_total{kind="answer"}'};

    is(ask('bob', at => '/validated/up', script => 'responses')->{status}, 502,
       'validated: an answer that is not valid');
    is_deeply(validated('/validated/up'), { invalid_answer => 1 },
              '... is a failure of the server');

    is(ask('bob', at => '/reported/up', script => 'responses')->{status}, 200,
       'reported: the same answer passes');
    is_deeply(validated('/reported/up'), { completed => 1 },
              '... and is none');
    is(metrics()->{'open_responses_reported_total{kind="answer"}'}, $before + 1,
       '... but is reported');
}

$model->touch('heard');

$t->finish;

done_testing();
