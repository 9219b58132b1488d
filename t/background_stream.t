#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Streams of responses that run in the background: their client may leave, come
# back to any worker, and follow them to the end.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( http_start json_body post_json request );
use ORS::JSON qw( json_false json_true );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( error_ok stream_ok );

my @tail = ([ sse => chat_chunk(finish => 'stop') ],
            [ sse => chat_chunk(usage => chat_usage()) ], [ 'done' ]);

sub piece ($text) { [ sse => chat_chunk(content => $text) ] }

my $model = ORS::Model->new(scripts => {
    quick => stream_script(text => [ 'Hel', 'lo' ]),
    slow => [ sse_head(), piece('one '), piece('two '), [ touch => 'begun' ],
              [ wait_file => 'go' ], piece('three '), [ touch => 'more' ],
              [ wait_file => 'end' ], piece('four'), @tail ],
    busy => json_script({ error => { message => 'full' } }, 429),
    breaks => [ sse_head(), piece('one '), [ touch => 'begun' ],
                [ wait_file => 'go' ], [ 'reset' ] ],
});

my $t = ORS::Nginx->new(workers => 2, model => $model, conf => <<'CONF');
    open_responses_store main lmdb:%%TESTDIR%%/db size=64m;
    open_responses_store_scope $http_x_user;
    open_responses_target default /to/model;

    server {
        listen 127.0.0.1:%%PORT_0%% reuseport;

        location /v1/ {
            open_responses on;
            open_responses_store main;
            open_responses_heartbeat 200ms;
            open_responses_background progress=1s;
        }

        %%CHAT /to/model%%
    }
CONF

$t->start;

my %ann = ('X-User' => 'ann', 'Content-Type' => 'application/json');

sub start ($name) {
    return http_start($t->port, 'POST', '/v1/responses', \%ann,
                      json_body({ model => $name, input => 'hi',
                                  background => json_true,
                                  stream => json_true }));
}

sub get ($id, $query = '?stream=true', $user = 'ann') {
    return request($t->port, 'GET', "/v1/responses/$id$query",
                   { 'X-User' => $user });
}

sub frames ($r) {
    return grep { !/^:/ } $r->{body} =~ /(.*?\n\n)/gs;
}

sub id_of ($c) {
    $c->wait_body(qr/"id":"(resp_\w+)"/);
    my ($id) = $c->body =~ /"id":"(resp_\w+)"/;
    return $id;
}

# one that ends soon

my $r = post_json($t->port, '/v1/responses',
                  { model => 'quick', input => 'hi', background => json_true,
                    stream => json_true }, headers => { 'X-User' => 'ann' });
my $s = stream_ok($r, 'quick', expect => 'completed');

is_deeply([ ($s->types)[0 .. 2] ],
          [ map { "response.$_" } qw( created queued in_progress ) ],
          'it was queued');
is($s->event('response.created')->{response}{status}, 'queued',
   'and created so');
is($s->text, 'Hello', 'the text');
is(join('', frames(get($s->response->{id}))), join('', frames($r)),
   'once more, the same');

# a client that follows it, one that leaves, and others that come

my $c = start('slow');
my $id = id_of($c);

$c->wait_body(qr/two /);
ok(!$model->exists('more'), 'deltas come while it runs');

my $gone = start('slow');
my $other = id_of($gone);

$gone->wait_body(qr/"delta"/);
$gone->reset;

# connections of both workers, from the second delta on

my @later = map { http_start($t->port, 'GET', "/v1/responses/$_->[0]"
                             . "?stream=true&starting_after=$_->[1]", \%ann) }
            map { ([ $id, 5 ], [ $other, 5 ]) } 1 .. 8;

$model->touch('go');
$c->wait_body(qr/three /);

$_->wait_body(qr/three /) for @later[0, 1];
$model->touch('end');

my $whole = $c->read_response;

stream_ok($whole, 'a client that stayed', expect => 'completed');

my @frames = frames($whole);
my $left = get($other);

stream_ok($left, 'a client that had left', expect => 'completed');

for my $n (0 .. $#later) {
    my @all = $n % 2 ? frames($left) : @frames;

    is(join('', frames($later[$n]->read_response)), join('', @all[6 .. $#all]),
       "a client that came later, $n");
}

is(join('', frames(get($id))), join('', @frames), 'when it has ended');
error_ok(get($id, '?stream=true', 'bob'), 404, 'another scope',
         code => 'not_found');

# failures

error_ok(post_json($t->port, '/v1/responses',
                   { model => 'busy', input => 'hi', background => json_true,
                     stream => json_true, store => json_false },
                   headers => { 'X-User' => 'ann' }), 400, 'not stored',
         param => 'background');

$r = start('busy')->read_response;
$s = stream_ok($r, 'a server that refuses', expect => 'failed');
is($s->error->{code}, 'rate_limit_exceeded', 'says so');

$model->untouch(qw( go begun ));
$c = start('breaks');
$id = id_of($c);
$c->wait_body(qr/one /);
$model->touch('go');
$s = stream_ok($c->read_response, 'a server that breaks off',
               expect => 'failed');
is(get($id, '')->{json}{status}, 'failed', 'it is stored as failed');

# cancelled

$model->untouch(qw( go more end begun ));
$c = start('slow');
$id = id_of($c);
$c->wait_body(qr/two /);
is(request($t->port, 'POST', "/v1/responses/$id/cancel", \%ann)
   ->{json}{status}, 'cancelled', 'cancelled');
$r = $c->read_response;
like($r->{body}, qr/data: \[DONE\]\n\n\z/, 'the stream ends');
unlike($r->{body}, qr/response\.(completed|failed|incomplete)/,
       'without a terminal event, of which there is none');

# deleted while it is followed

$c = start('slow');
$id = id_of($c);
$c->wait_body(qr/two /);
is(request($t->port, 'DELETE', "/v1/responses/$id", \%ann)->{status}, 200,
   'deleted');
like($c->read_response->{body}, qr/"code":"not_found".*\[DONE\]\n\n\z/s,
     'the stream says that there is none');

$t->finish;

done_testing();
