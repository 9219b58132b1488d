#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Targets that have failed are left out for a while, in all workers; the time
# in which others are tried; and the location that says what can be used.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get post_json request );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Prometheus qw( prometheus );
use ORS::Util qw( free_port wait_for );

my $good = json_script(chat_reply(content => 'Hello'));
my $bad = [ [ status => 503 ], [ json => { error => { message => 'no' } } ] ];

my $model = ORS::Model->new(scripts => {
    good => $good,
    bad  => $bad,
    late => [ [ sleep => 0.05 ], @$bad ],
    sick => rounds($bad, $good),
    map { $_ => $bad } qw( twice first second alone long ),
});

my $targets = join '', map { <<"CONF" } qw( good late sick twice first second
        location = /to/$_ {
            internal;
            open_responses_dialect chat;
            proxy_pass http://%%MODEL%%/script/$_;
        }
CONF
                                            alone long );

my $conf = <<"CONF";
    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
            open_responses_target  long    /to/long /to/good fail_timeout=1h;
            open_responses_target  twice   /to/twice /to/good max_fails=2;
            open_responses_target  sick    /to/sick /to/good fail_timeout=1s;
            open_responses_target  both    /to/first /to/second
                                           fail_timeout=1h max_fails=1;
            open_responses_target  three   /to/first /to/second /to/good
                                           fail_timeout=1h provider=p;
            open_responses_target  always  /to/twice /to/good;
        }

        location /slow/ {
            open_responses on;
            open_responses_target          late /to/late /to/good;
            open_responses_target_timeout  1ms;
        }

        location = /ready { open_responses_ready; }
        location = /metrics { open_responses_status prometheus; }

$targets
    }

    server {
        listen 127.0.0.1:%%PORT_1%%;
        server_name other;

        location /v1/ {
            open_responses on;
            open_responses_target alone /to/alone;
        }

        location = /ready { open_responses_ready; }

$targets
    }
CONF

my $t = ORS::Nginx->new(model => $model, workers => 2, conf => $conf);

$t->start;


sub ask ($name, $at = 'v1', $port = $t->port) {
    return post_json($port, "/$at/responses", { model => $name,
                                                input => 'hi' })->{status};
}


# how often a target has been called

sub calls ($name) {
    return scalar grep { $_->{uri} eq "/script/$name" } $model->requests;
}


sub ready ($port = $t->port) {
    my $r = get($port, '/ready');
    my %usable = map { $_->{target} => $_->{usable} ? 1 : 0 }
                 @{ $r->{json}{targets} };

    return ($r->{status}, \%usable, $r);
}


{
    my ($status, $usable, $r) = ready();

    is($status, 200, 'ready at first');
    ok($r->{json}{ready}, '... and says so');
    is(@{ $r->{json}{targets} }, keys %$usable,
       '... with each target once, which several models name');
    is($r->{headers}{'cache-control'}, 'no-store', '... for now');
    is_deeply($usable, { map { +"/to/$_" => 1 }
                         qw( long twice sick first second good late ) },
              'all targets of this server');
}

is(ask('long'), 200, 'the first target fails, the second one answers');
is(calls('long'), 1, '... both were called');
is(ask('long'), 200, 'and again') for 1 .. 8;
is(calls('long'), 1, 'what has failed is left out, in all workers');

$t->reload;
is(ask('long'), 200, 'after a reload') for 1 .. 4;
is(calls('long'), 1, '... it still is');

ask('twice') for 1 .. 4;
is(calls('twice'), 2, 'max_fails=2: after two failures');

ask('always') for 1 .. 3;
is(calls('twice'), 5, 'without parameters a target is always called');

{
    my ($status, $usable) = ready();

    is($status, 200, 'each model has a target that works');
    is($usable->{'/to/long'}, 0, '... and one is left out');
    is($usable->{'/to/good'}, 1, '... another one is not');

    my $value = prometheus(get($t->port, '/metrics')->{body})->{value};
    my %of = map { $_ => "{server=\"\",target=\"/to/$_\"}" } qw( long good );

    is($value->{"open_responses_target_up$of{long}"}, 0, 'a metric says so');
    is($value->{"open_responses_target_up$of{good}"}, 1, '... of both');
    is($value->{"open_responses_target_failures_total$of{long}"}, 1,
       '... and how often');
}

is(ask('sick'), 200, 'a target is sick');
ok(wait_for(sub { ask('sick') == 200 && calls('sick') > 1 }),
   'it is tried again when the time is over');
is(ask('sick'), 200, '... and has all requests again') for 1 .. 3;
is(calls('sick'), 5, '... all of them');

is(ask('both'), 503, 'both targets fail');
is(ask('both'), 503, 'all are left out: the first one is called');
is(calls('first'), 2, '... and has been');
is(ask('three'), 200, 'memory is of the target, whatever the model is');
is(calls('first') + calls('second'), 4, '... neither of the two was called')
    or diag(calls('first'), ' ', calls('second'));

is((ready())[0], 503, 'not ready: a model has no target that works');


# the time for all tries

is(ask('late', 'slow'), 503, 'the time is over: no other target is called');
is(calls('late'), 1, '... after one');


# one target only

is(ask('alone', 'v1', $t->port(1)), 503, 'a target alone') for 1 .. 4;
is(calls('alone'), 4, '... is always called');

{
    my ($status, $usable) = ready($t->port(1));

    is($status, 503, '... and is not usable after three failures');
    is_deeply($usable, { '/to/alone' => 0 }, '... of its server');
}

is(request($t->port, 'POST', '/ready', {}, 'x')->{status}, 405, 'POST');
is(request($t->port, 'HEAD', '/ready')->{body}, '', 'HEAD');

$t->finish;


# a store that is down

{
    my $down = ORS::Nginx->new(subst => { REDIS => free_port() },
                               conf => <<'CONF');
        open_responses_store main redis:127.0.0.1:%%REDIS%%;

        server {
            listen 127.0.0.1:%%PORT_0%%;
            location = /ready { open_responses_ready; }
        }
CONF

    $down->start;

    ok(wait_for(sub { get($down->port, '/ready')->{status} == 503 }),
       'not ready: the store is down');
    is_deeply(get($down->port, '/ready')->{json}{stores},
              [ { store => 'main', usable => ORS::JSON::json_false() } ],
              '... and which one');
    $down->finish;
}


# nginx -t

sub bad ($name, $conf, $say) {
    my ($code, $out) = ORS::Nginx->conf_test(
        "server { listen 127.0.0.1:%%PORT_0%%; $conf }");

    is($code, 1, $name);
    like($out, $say, "$name: says why");
}


my $on = 'location /v1/ { open_responses on; open_responses_target default /a';

bad('no failure', "$on max_fails=0; }",
    qr/"max_fails=0", it must be a number from 1 to 1000 in /);
bad('no time', "$on fail_timeout=0; }",
    qr/"fail_timeout=0", it must be a time of a second or more/);
bad('words', "$on fail_timeout=soon; }", qr/"fail_timeout=soon", it must be/);
bad('another parameter', "$on weight=2; }", qr/invalid parameter "weight=2"/);
bad('two pages', 'location / { open_responses_ready; open_responses_status; }',
    qr/"open_responses_status" directive is beside "open_responses_ready" in /);
bad('two pages, the other way round',
    'location / { open_responses_status; open_responses_ready; }',
    qr/"open_responses_ready" directive is duplicate or beside "open_resp/);
bad('readiness beside a gateway', "$on; open_responses_ready; }",
    qr/"open_responses on" and another content handler/);
bad('no time at all', 'open_responses_target_timeout x;',
    qr/"x" of "open_responses_target_timeout", it must be a time/);

done_testing();
