#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Responses that run without their client: they are polled, cancelled and
# deleted, by any worker, and what becomes of them is stored.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( http_start post_json request h2_request );
use ORS::JSON qw( json_decode json_encode json_false json_true );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( error_ok response_ok );
use ORS::Util qw( slurp wait_for );

my $reply = chat_reply(content => 'Hello');

my $model = ORS::Model->new(scripts => {
    hello => json_script($reply),
    busy => json_script({ error => { message => 'full' } }, 429),
    slow => [ [ touch => 'started' ], [ wait_file => 'go' ],
              [ json => $reply ] ],
    hang => sub ($conn, $request) {
        $conn->touch('there');
        $conn->touch('gone') if $conn->wait_gone;
    },
});

my $conf = <<'CONF';
    open_responses_store main lmdb:%%TESTDIR%%/db size=64m;
    open_responses_store_scope $http_x_user;
    open_responses_strict off;
    open_responses_target default /to/model;
    open_responses_target nowhere /to/nowhere;
    open_responses_target native /to/native;
    open_responses_target whole /to/whole;
    open_responses_target moved /to/moved;
    open_responses_target paced /to/paced;
    limit_req_zone $uri zone=paced:1m rate=1r/m;

    log_format kind '$request|$status|$open_responses_status|$http_x_user';

    map $http_x_user $upper {
        ann   ANN;
        default NOBODY;
    }

    server {
        listen 127.0.0.1:%%PORT_0%%;
        listen 127.0.0.1:%%PORT_1%% http2;

        access_log %%TESTDIR%%/logs/kind.log kind;

        set $known "$remote_addr $http_x_user";

        location /v1/ {
            open_responses on;
            open_responses_store main;
        }

        location /short/ {
            open_responses on;
            open_responses_store main;
            open_responses_background timeout=3s;
        }

        location /few/ {
            open_responses on;
            open_responses_store main;
            open_responses_background limit=0;
        }

        location /none/ { open_responses on; }

        location = /to/model {
            internal;
            open_responses_dialect chat;
            proxy_pass http://%%MODEL%%/v1/chat/completions;
            proxy_set_header X-Known "$known $upper $remote_addr $server_port";
        }

        location = /to/nowhere {
            internal;
            open_responses_dialect chat;
            proxy_pass http://127.0.0.1:%%PORT_2%%;
        }

        location = /to/paced {
            internal;
            open_responses_dialect chat;
            limit_req zone=paced burst=9;
            proxy_pass http://%%MODEL%%/v1/chat/completions;
        }

        location = /to/moved { rewrite ^ /to/model last; }

        location = /to/native {
            internal;
            proxy_pass http://%%MODEL%%/v1/responses;
        }

        location = /to/whole {
            internal;
            open_responses_inline_context on;
            proxy_pass http://%%MODEL%%/v1/responses;
        }
    }
CONF

my $t = ORS::Nginx->new(model => $model, workers => 2, conf => $conf);

$t->start;

my $port = $t->port;


sub as ($who, $method, $path, $body = undef, %o) {
    my %headers = ('X-User' => $who, 'X-Script' => $o{script} // 'hello');

    return post_json($port, $path, $body, headers => \%headers)
        if ref $body;

    return request($port, $method, $path, \%headers, $body);
}

sub found ($r, $name) {
    is($r->{status}, 200, $name) or diag($r->{body});
    return json_decode($r->{body} || '{}');
}

sub background ($who, $script, %body) {
    my $at = delete $body{at} // '/v1/responses';

    my $d = found(as($who, POST => $at,
                     { model => 'm', input => 'hi',
                       background => json_true, %body }, script => $script),
                  "$script is begun in the background");

    # one that ends before the model has its request is not seen there

    ok($model->wait_file('there'), 'the model has it') if $script eq 'hang';
    $model->untouch('there');

    return $d;
}

sub status ($who, $id) {
    my $r = as($who, GET => "/v1/responses/$id");
    return $r->{status} == 200 ? json_decode($r->{body})->{status} : '';
}

sub becomes ($who, $id, $status, $name) {
    my $r;

    wait_for(sub {
        $r = as($who, GET => "/v1/responses/$id");
        $r->{status} == 200
            && json_decode($r->{body})->{status} !~ /in_progress|queued/;
    });

    my $d = found($r, $name);
    is($d->{status}, $status, "$name: $status");

    return $d;
}

sub absent ($r, $name) {
    return error_ok($r, 404, $name, code => 'not_found', param => '',
                    message => qr/\Athere is no response with this id: ".*"\z/);
}


# it is answered at once, runs, and is complete

my $d = background('ann', 'slow', metadata => { a => 'b' });

is($d->{status}, 'queued', 'it is about to begin');
is($d->{background}, json_true, 'in the background');
is($d->{store}, json_true, 'stored');
is_deeply($d->{output}, [], 'without any output yet');
is_deeply($d->{metadata}, { a => 'b' }, 'what was sent is echoed');

is_deeply(found(as('ann', GET => "/v1/responses/$d->{id}"), 'it is polled'),
          { %$d, status => 'in_progress' }, 'and has begun') for 1 .. 4;

absent(as('bob', $_->[0], "/v1/responses/$d->{id}$_->[1]"),
       "$_->[0] $_->[1]: another client cannot see it")
    for [ GET => '' ], [ DELETE => '' ], [ GET => '/input_items' ],
        [ POST => '/cancel' ];

is(found(as('ann', GET => "/v1/responses/$d->{id}/input_items"),
         'its input')->{data}[0]{content}[0]{text}, 'hi', 'is there already');

error_ok(as('ann', POST => '/v1/responses',
            { model => 'm', input => 'x', previous_response_id => $d->{id} }),
         400, 'it cannot go on yet', param => 'previous_response_id');

ok($model->wait_file('started'), 'the model is called');
is($model->last_request->{headers}{'x-known'},
   "127.0.0.1 ann ANN 127.0.0.1 $port", 'with all that its request had');

$model->touch('go');

my $end = becomes('ann', $d->{id}, 'completed', 'it comes to its end');

is($end->{output}[0]{content}[0]{text}, 'Hello', 'with its output');
is($end->{background}, json_true, 'it still is one of the background');
is($end->{id}, $d->{id}, 'it keeps its id');

found(as('ann', POST => '/v1/responses',
         { model => 'm', input => 'x', previous_response_id => $d->{id} }),
      'now it can go on');

is(found(as('ann', POST => "/v1/responses/$d->{id}/cancel"),
         'it is cancelled too late')->{status}, 'completed',
   'and stays complete');

$d = background('ann', 'hello', model => 'moved');

is(becomes('ann', $d->{id}, 'completed',
           'a target that is rewritten into one that translates')
   ->{output}[0]{content}[0]{text}, 'Hello', 'runs there, too');


# a wrong request is refused immediately, and nothing is begun

error_ok(as('ann', POST => '/v1/responses',
            { model => 'm', input => 'hi', background => json_true, %$_ }),
         400, join(' ', 'not with', %$_), code => 'unsupported_parameter')
    for { store => json_false },
        { prompt => { id => 'pmpt_1' } };

error_ok(as('ann', POST => '/v1/responses',
            { model => 'm', background => json_true, input => 'x',
              previous_response_id => 'resp_0' }),
         400, 'what it is to follow must be there',
         code => 'previous_response_not_found');

error_ok(as('ann', POST => '/none/responses',
            { model => 'm', input => 'hi', background => json_true }),
         400, 'not without a store', param => 'background');

error_ok(as('ann', POST => '/v1/responses',
            { model => 'whole', input => 'hi', background => json_true }),
         400, 'not where another server keeps nothing',
         param => 'background');

my $r = as('ann', POST => '/few/responses',
           { model => 'm', input => 'hi', background => json_true });
error_ok($r, 503, 'not beyond the limit', code => 'server_is_overloaded');
is($r->{headers}{'retry-after'}, 10, 'which says when to try again');

found(as('ann', POST => '/few/responses',
         { model => 'm', input => 'hi', background => json_false }),
      'nor is it for others');

as('ann', POST => '/v1/responses',
   { model => 'native', input => 'hi', background => json_true });
is($model->last_request->{json}{background}, json_true,
   'a server that speaks Responses is asked itself');


# it fails as others do

my $failed = becomes('ann', background('ann', 'busy')->{id}, 'failed',
                     'a model that is busy');
is($failed->{error}{code}, 'rate_limit_exceeded', 'says why');

$failed = becomes('ann', background('ann', 'x', model => 'nowhere')->{id},
                  'failed', 'a model that is not there');
is($failed->{error}{code}, 'upstream_unavailable', 'too');

error_ok(as('ann', POST => '/v1/responses',
            { model => 'm', input => 'x',
              previous_response_id => $failed->{id} }),
         400, 'it cannot go on', code => 'invalid_previous_response');

$t->provokes(qr/connect\(\) failed/);

$failed = becomes('ann', background('ann', 'hang',
                                    at => '/short/responses')->{id},
                  'failed', 'one that takes too long');
is($failed->{error}{code}, 'upstream_timeout', 'says so');
ok($model->wait_file('gone'), 'the call to the model has ended');
$model->untouch('gone');


# the answer comes before a target's limit lets the call go on

becomes('ann', background('ann', 'hello', model => 'paced')->{id},
        'completed', 'the first one of a minute');

{
    my $n = $model->count;

    $d = background('ann', 'hello', model => 'paced');
    is(status('ann', $d->{id}), 'in_progress', 'the second one is there');
    is($model->count, $n, 'and waits for its minute');
    found(as('ann', POST => "/v1/responses/$d->{id}/cancel"), 'cancelled');
    is(status('ann', $d->{id}), 'cancelled', 'meanwhile');
}


# it is cancelled, by another worker as well

for my $n (1 .. 4) {
    $d = background('ann', 'hang');

    absent(as('bob', POST => "/v1/responses/$d->{id}/cancel"),
           'not by somebody else') if $n == 1;

    is_deeply(found(as('ann', POST => "/v1/responses/$d->{id}/cancel"),
                    'it is cancelled'),
              { %$d, status => 'cancelled' }, 'which is what is said')
        for 1, 2;

    is(status('ann', $d->{id}), 'cancelled', 'from then on');

    ok($model->wait_file('gone'), 'the model is disconnected');
    $model->untouch('gone');
}

ok(wait_for(sub { slurp($t->dir . '/logs/kind.log') =~ /\|canceled\|ann$/m }),
   'the log has it');

is(status('ann', $d->{id}), 'cancelled', 'and it is stored');
is(found(as('ann', POST => "/v1/responses/$d->{id}/cancel"),
         'it may be asked again')->{status}, 'cancelled', 'nothing changes');


# it is deleted while it runs, and does not come back

$d = background('ann', 'hang');

absent(as('bob', DELETE => "/v1/responses/$d->{id}"), 'not by others');
is(found(as('ann', DELETE => "/v1/responses/$d->{id}"),
         'it is deleted')->{deleted}, json_true, 'and says so');
absent(as('ann', GET => "/v1/responses/$d->{id}"), 'it is gone');
ok($model->wait_file('gone'), 'the model is disconnected');
$model->untouch('gone');
sleep 1;
absent(as('ann', GET => "/v1/responses/$d->{id}"), 'it is still gone');


# a client may come over HTTP/2

$model->untouch('go', 'started');

my %ann = ('X-User' => 'ann', 'X-Script' => 'slow',
           'Content-Type' => 'application/json');
my $body = json_encode({ model => 'm', input => 'hi',
                         background => json_true });

$r = h2_request($t->port(1), 'POST', '/v1/responses', \%ann, $body);
$d = json_decode($r->{body});
is($d->{status}, 'queued', 'over HTTP/2');
ok($model->wait_file('started'), 'the model is called');
$model->touch('go');
becomes('ann', $d->{id}, 'completed', 'it comes to its end');

# the next request on its connection does not wait for it

$model->untouch('go', 'started');

my $c = http_start($port, 'POST', '/v1/responses', \%ann, $body,
                   keepalive => 1);
$d = json_decode($c->read_response->{body});
http_start($port, 'GET', "/v1/responses/$d->{id}",
           { 'X-User' => 'ann' }, undef, conn => $c);
is(json_decode($c->read_response->{body})->{status}, 'in_progress',
   'a connection is used again');
$c->close;

# it outlives a reload, as long as it takes

ok($model->wait_file('started'), 'the model is called');
ok($t->reload, 'nginx is reloaded');
is(status('ann', $d->{id}), 'in_progress', 'a new worker knows it');
$model->touch('go');
becomes('ann', $d->{id}, 'completed', 'it ends in the old one');


# a worker that is killed takes its turns with it, and that is known

$d = background('ann', 'hang');
my @old = $t->workers;
kill KILL => @old;
$t->provokes(qr/exited on signal 9/);
ok(wait_for(sub { my %now = map { $_ => 1 } $t->workers;
                  keys %now == 2 && !grep { $now{$_} } @old }),
   'workers are killed');
$t->{born} = [ $t->workers ];
my $lost = becomes('ann', $d->{id}, 'failed', 'one that was killed');
is($lost->{error}{code}, 'server_error', 'says that it is lost');
is(found(as('ann', POST => "/v1/responses/$d->{id}/cancel"),
         'it is cancelled')->{status}, 'failed', 'it has failed');


$t->finish;


# one whose worker is not to wait any longer

$t = ORS::Nginx->new(model => $model, conf => $conf, workers => 2,
                     main => 'worker_shutdown_timeout 500ms;');
$t->start;
$port = $t->port;

$d = background('ann', 'hang');
ok($t->reload(undef, wait_old => 1), 'the old workers leave');
$failed = becomes('ann', $d->{id}, 'failed', 'with what they ran');
is($failed->{error}{message}, 'the server that ran it has stopped',
   'which the client reads');

$t->finish;

done_testing();
