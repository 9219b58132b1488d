#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The engine "location" of stores: what it asks of a server, and servers that
# are slow, gone, full, or not what they should be.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( http_start json_body post_json request );
use ORS::JSON qw( json_decode json_true );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Store qw( kept lost turn );
use ORS::StoreServer ();
use ORS::Stream qw( error_ok );
use ORS::Util qw( slurp wait_for );

my $server = ORS::StoreServer->new;
my $long = 'x' x 100_000;

my $model = ORS::Model->new(scripts => {
    default => json_script(chat_reply(content => 'told')),
    cut => [ [ header => 'Content-Length', 100 ], [ raw => 'abc' ],
             [ 'close' ] ],
    huge => [ [ raw => $long ] ],
    zip => [ [ header => 'Content-Encoding', 'gzip' ], [ raw => 'abc' ] ],
    hang => sub ($conn, $request) { $conn->wait_gone },
    put => [ [ status => 204 ] ],
});

# a store by each name: what its location does with a GET, and with all else

my %bad = (
    garbage => 'return 200 garbage;',
    nothing => 'return 200;',
    moved => 'return 302 /elsewhere;',
    forbidden => 'return 403;',
    broken => 'return 500 broken;',
    odd => 'add_header Store-Expires soon; return 200 x;',
    cut => 'rewrite ^ /script/cut break; proxy_pass http://%%MODEL%%;',
    huge => 'rewrite ^ /script/huge break; proxy_pass http://%%MODEL%%;',
    zip => 'rewrite ^ /script/zip break; proxy_pass http://%%MODEL%%;',
    hang => 'rewrite ^ /script/hang break; proxy_pass http://%%MODEL%%;',
    down => 'proxy_pass http://127.0.0.1:%%PORT_9%%;',
);

my %put = (full => 507, large => 413, refused => 405, none => 404,
           crash => 500);

sub store ($name, $params = '') {
    return "open_responses_store $name location:/$name/ timeout=2s $params;\n";
}

my $conf = store('main') . store('few', 'requests=1')
         . join '', map { store($_, 'record=8k') } sort keys %bad, keys %put;

$conf .= <<'CONF';
    open_responses_strict off;
    open_responses_store_scope $http_x_user empty=share;
    open_responses_target default /to/model;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        %%CHAT /to/model /script/default%%

        location ~ ^/(main|few)/ {
            internal;
            rewrite ^/few/(.*) /main/$1 break;
            proxy_pass http://%%STORE%%;
        }

        location /v1/ { open_responses on; open_responses_store main; }
        location /one/ { open_responses on; open_responses_store few; }
CONF

for my $name (sort keys %bad) {
    $conf .= <<"CONF";
        location /$name/ {
            internal;
            if (\$request_method != GET) { return 204; }
            $bad{$name}
        }

        location /at/$name/ { open_responses on; open_responses_store $name; }
CONF
}

for my $name (sort keys %put) {
    $conf .= <<"CONF";
        location /$name/ { internal; return $put{$name}; }
        location /at/$name/ {
            open_responses on;
            open_responses_store $name required;
        }
        location /loose/$name/ {
            open_responses on;
            open_responses_store $name;
        }
CONF
}

my $t = ORS::Nginx->new(model => $model, conf => "$conf\n}",
                        subst => { STORE => $server->address });

$t->start;


sub asked_again ($name) {
    ok(wait_for(sub { (turn($t->port, 'x'))[2]{store} }),
       "$name: the store is asked again");
}


# conversations: chains longer than a batch, by one request at a time or many

for my $at (qw( /v1 /one )) {
    my ($id) = kept($t->port, "$at: the first", 'turn 0', at => $at);

    for (1 .. 40) {
        ($id) = turn($t->port, "turn $_", at => $at,
                     previous_response_id => $id);
        last if !$id;
    }

    ok($id, "$at: 41 turns");
    turn($t->port, 'and now?', at => $at, previous_response_id => $id);
    is(scalar @{ json_decode($model->last_request->{body})->{messages} }, 83,
       "$at: the model has all of them");
}

# who has them

my ($mine) = kept($t->port, 'mine', 'x', headers => { 'X-User' => 'ann' });

lost($t->port, $mine, 'another scope', headers => { 'X-User' => 'bob' });
is(request($t->port, 'DELETE', "/v1/responses/$mine", { 'X-User' => 'bob' })
   ->{status}, 404, 'is not deleted by another scope');
is(request($t->port, 'DELETE', "/v1/responses/$mine", { 'X-User' => 'ann' })
   ->{status}, 200, 'but by its own');
is(request($t->port, 'DELETE', "/v1/responses/$mine", { 'X-User' => 'ann' })
   ->{status}, 404, 'once');
lost($t->port, $mine, 'deleted', headers => { 'X-User' => 'ann' });

is(request($t->port, 'GET', '/main/x')->{status}, 404,
   'a client does not reach the location of the store');

# values that cannot be read

my %why = (huge => 400, nothing => 503);
my $id = 'resp_0000000000000000000000';

for my $name (sort keys %bad) {
    my $r = request($t->port, 'GET', "/at/$name/responses/$id");

    error_ok($r, $why{$name} // 503, "$name: GET",
             code => $why{$name} && $why{$name} == 400
                     ? 'context_length_exceeded' : 'store_unavailable');
    unlike($r->{body}, qr/garbage|broken|abc/, 'says nothing of it');

    (undef, $r) = turn($t->port, 'x', at => "/at/$name",
                       previous_response_id => $id);
    isnt($r->{status}, 200, "$name: no turn goes on from it");
}

# values that cannot be written

for my $name (sort keys %put) {
    my $r = post_json($t->port, "/at/$name/responses",
                      { model => 'default', input => 'x' });

    cmp_ok($r->{status}, '>=', 400, "$name: required");
    is($r->{json}{error}{type}, $r->{status} == 413 ? 'invalid_request'
       : 'server_error', "$name: an error");

    $r = post_json($t->port, "/loose/$name/responses",
                   { model => 'default', input => 'x' });
    is($r->{status}, 200, "$name: not required");
    ok(!$r->{json}{store}, "$name: and not stored");
}

ok($t->wait_log(qr/store "crash": a request of the kind "put" got status 500/),
   'the log has the status');

# a server that stands still: the job has its time, and no longer

my ($last) = kept($t->port, 'before', 'x');

$server->pause;

my $c = http_start($t->port, 'POST', '/v1/responses',
                   { 'Content-Type' => 'application/json' },
                   json_body({ model => 'default', input => 'x',
                               previous_response_id => $last }));
my $gone = http_start($t->port, 'POST', '/v1/responses',
                      { 'Content-Type' => 'application/json' },
                      json_body({ model => 'default', input => 'y',
                                  previous_response_id => $last }));

ok(!$c->read_head(timeout => 0.3), 'a turn waits for a server that is slow');
$gone->reset;
$server->resume;
is($c->read_response->{status}, 200, 'and goes on');

$server->pause;
(undef, my $r) = turn($t->port, 'x', previous_response_id => $last);
error_ok($r, 503, 'a server that does not answer', code => 'store_unavailable');

# a reload in the middle of a job; it is not asked for a second after a failure

$server->resume;
asked_again('after a time-out');
$server->pause;

$c = http_start($t->port, 'POST', '/v1/responses',
                { 'Content-Type' => 'application/json' },
                json_body({ model => 'default', input => 'x' }));
ok(!$c->read_head(timeout => 0.3), 'a turn waits to be stored');
$t->reload;
$server->resume;
$r = $c->read_response;
is($r->{status}, 200, 'in a worker that leaves');
ok(json_decode($r->{body})->{store}, 'and is stored');
kept($t->port, 'afterwards', 'x', previous_response_id =>
     json_decode($r->{body})->{id});

# gone, and there again

$server->kill;
(undef, $r) = turn($t->port, 'x', previous_response_id => $last);
error_ok($r, 503, 'no server', code => 'store_unavailable');
$server->start;
asked_again('there again');
kept($t->port, 'there again', 'x', previous_response_id => $last);

# a worker that ends with jobs

$server->pause;
$c = http_start($t->port, 'POST', '/v1/responses',
                { 'Content-Type' => 'application/json' },
                json_body({ model => 'default', input => 'x' }));
ok(!$c->read_head(timeout => 0.3), 'a job at the end');
$t->finish;
$server->resume;

done_testing();
