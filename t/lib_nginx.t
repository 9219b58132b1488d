#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The tests' own tools against a plain nginx: starter, client, mock model.

use v5.36;
use Test::More;
use Time::HiRes qw( time );
use lib 't/lib';
use ORS::HTTP qw( request get post_json http_start h2_request );
use ORS::JSON qw( json_decode json_encode json_error );
use ORS::Model qw( :all );
use ORS::Nginx;

my $model = ORS::Model->new(scripts => {
    hello => stream_script(text => [ 'Hel', 'lo' ]),
    plain => json_script(chat_reply(content => 'Hello')),
    split => [ [ split => 7 ], @{ stream_script(text => [ 'x', 'y' ]) } ],
    cut => [ sse_head(), [ framing => 'chunked' ], [ 'head' ], [ cut_at => 20 ],
             [ sse => '0123456789abcdefghijklmnopqrstuvwxyz' ] ],
    stall => [ sse_head(), [ sse => 'a' ], [ touch => 'sent-a' ],
               [ wait_file => 'go-on' ], [ sse => 'b' ], [ 'done' ] ],
    gone => [ sse_head(), [ sse => 'a' ], [ hang => 'peer' ] ],
    flood => [ sse_head(), [ flood => 'flooded' ] ],
    rst => [ [ 'reset' ] ],
    full => [ [ status => 429, 'Too Many' ], [ header => 'Retry-After', 7 ],
              [ json => { error => { message => 'slow down' } } ] ],
    repeat => [ sse_head(), [ repeat => 3, [ sse => { n => 'no %%N%%' } ] ] ],
    loop => rounds(json_script({ n => 1 }), json_script({ n => 2 })),
    early => [ [ 'no_body' ], [ status => 413 ], [ json => { e => 1 } ],
               [ 'close' ] ],
    empty => [ [ status => 204 ] ],
    lie => [ [ wire => "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc" ],
             [ 'close' ] ],
    code => sub ($conn, $r) { $conn->body("uri $r->{uri}") },
});

my $conf = <<'CONF';
    client_max_body_size 64m;

    server {
        listen 127.0.0.1:%%PORT_0%%;
        listen 127.0.0.1:%%PORT_1%% http2;

        location / {
            proxy_pass http://%%MODEL%%;
            proxy_buffering off;
            proxy_read_timeout 20s;
        }

        location /kept/ {
            proxy_pass http://model/;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
        }

        location = /file { root %%TESTDIR%%; }
        location = /word { return 200 %%WORD%%; }
    }

    upstream model { server %%MODEL%%; keepalive 4; }
CONF

my $t = ORS::Nginx->new(module => 0, model => $model, conf => $conf,
                        subst => { WORD => 'first' });

$t->write_file('file', 'a file');
$t->start;

is(scalar $t->workers, 1, 'one worker');
is(get($t->port, '/file')->{body}, 'a file', 'a written file is served');
is(get($t->port, '/word')->{body}, 'first', 'a placeholder is filled');

# the client

my $r = post_json($t->port, '/v1/x', { model => 'plain', a => [ 1, 'b' ] },
                  headers => { 'X-One' => 'eins' });

is($r->{status}, 200, 'status');
ok($r->{complete}, 'complete');
is($r->{json}{choices}[0]{message}{content}, 'Hello', 'JSON reply');

my $seen = $model->last_request;

is($seen->{method}, 'POST', 'the model sees the method');
is($seen->{uri}, '/v1/x', 'the model sees the path');
is($seen->{headers}{'x-one'}, 'eins', 'the model sees the headers');
is($seen->{body}, '{"a":[1,"b"],"model":"plain"}', 'the model sees the body');
is_deeply($seen->{json}{a}, [ 1, 'b' ], 'the body is decoded');
is($seen->{name}, 'plain', 'the script is named');
is($model->count, 1, 'requests are counted');

$r = post_json($t->port, '/', { model => 'hello' });
is($r->{headers}{'content-type'}, 'text/event-stream', 'stream type');
like($r->{body}, qr/"content":"Hel".*"content":"lo".*\[DONE\]\n\n\z/s,
     'stream body');

$r = post_json($t->port, '/', { model => 'nobody knows', stream => \1 });
like($r->{body}, qr/"content":"Hello"/, 'default script, stream');
$r = post_json($t->port, '/', { model => 'nobody knows' });
is($r->{json}{choices}[0]{message}{content}, 'Hello', 'default script');

$r = post_json($t->port, '/', { model => 'split' });
like($r->{body}, qr/"y".*\[DONE\]\n\n\z/s, 'in pieces');
ok($r->{complete}, 'in pieces, complete');

$r = post_json($t->port, '/kept/', { model => 'cut' });
is($r->{body}, 'data: 0123456789', 'cut upstream');
ok(!$r->{complete}, 'a cut reply is not complete');

$r = post_json($t->port, '/', { model => 'rst' });
is($r->{status}, 502, 'reset upstream');

$r = post_json($t->port, '/', { model => 'full' });
is($r->{status}, 429, 'status of a script');
is($r->{headers}{'retry-after'}, 7, 'header of a script');

$r = post_json($t->port, '/', { model => 'repeat' });
is($r->{body}, join('', map { qq(data: {"n":"no $_"}\n\n) } 1 .. 3), 'repeat');

is(post_json($t->port, '/', { model => 'loop' })->{json}{n}, $_ > 2 ? 2 : $_,
   "round $_") for 1 .. 3;

is(get($t->port, '/script/code?x')->{body}, 'uri /script/code?x',
   'code, selected by path');
is(get($t->port, '/', headers => { 'X-Script' => 'empty' })->{status}, 204,
   'selected by header');

$r = get($model->port, '/script/lie');
is($r->{body}, 'abc', 'bytes as they are');
ok(!$r->{complete}, 'short of its length');

$r = request($t->port, 'HEAD', '/script/plain');
is($r->{status}, 200, 'HEAD');
ok($r->{complete} && $r->{body} eq '', 'HEAD has no body');

# requests in every shape

my $big = json_encode({ model => 'plain', text => 'x' x 3_000_000 });

for my $how ([ 'length' ], [ 'chunked', chunked => 1 ],
             [ 'chunked by 1000', chunked => 1000 ])
{
    my ($name, @opt) = @$how;
    my $r = post_json($t->port, '/', $big, @opt);

    is($r->{status}, 200, "big body, $name");
    is(length $model->last_request->{body}, length $big, 'all of it came');
}

$r = post_json($model->port, '/', json_encode({ model => 'plain' }),
               chunked => 3);
is($r->{status}, 200, 'the model reads chunked bodies');
is($model->last_request->{body}, '{"model":"plain"}', 'and records them');

my $c = ORS::HTTP::Conn->new($t->port);

ok($c->write_slow("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:"
                  . " chunked\r\n\r\n", 1, 0.0005), 'byte by byte');
$c->write_chunk($_) for '{"mo', 'del":', '"plain"}';
$c->write_last_chunk;
is($c->read_response->{status}, 200, 'a reply to a slow request');

http_start($t->port, 'GET', '/word', {}, undef, conn => $c);
is($c->read_response->{body}, 'first', 'second request on the connection');
ok(!$c->is_closed(0.05), 'it is open');

$c->half_close;
ok($c->is_closed(5), 'closed after half close');

# events instead of times

$c = http_start($t->port, 'POST', '/', {}, '{"model":"stall"}');
ok($model->wait_file('sent-a'), 'the model tells how far it got');
is($c->read_head->{status}, 200, 'head first');
is($c->next_event->{data}, 'a', 'first event');
is($c->next_event(0.1), undef, 'no second event yet');
$model->touch('go-on');
is($c->next_event->{data}, 'b', 'second event after the touch');
is($c->next_event->{data}, '[DONE]', 'last event');
is($c->next_event, undef, 'no more');
ok($c->read_response->{complete}, 'and complete');

# clients that go away

for my $how (qw( close reset )) {
    $model->untouch('peer');
    $c = http_start($t->port, 'POST', '/', {}, '{"model":"gone"}');
    ok($c->wait_body(qr/data: a/), 'a stream begins');
    $c->$how;
    ok($model->wait_file('peer'), "the model sees the $how");
}

$c = http_start($t->port, 'POST', '/', {}, '{"model":"flood"}',
                rcvbuf => 4096);
my $n = $model->wait_flood_blocked('flooded');
cmp_ok($n // 0, '>', 1000, 'a flood that nobody reads stands still');
cmp_ok($c->read_slow(1000, 0.001, 5), '>', 0, 'slow reading');
$c->reset;
ok($model->wait_file('flooded.end'), 'the flood ends with the client');

# an answer before the body is sent

$c = ORS::HTTP::Conn->new($model->port);
$c->write("POST /script/early HTTP/1.1\r\nContent-Length: 100\r\n\r\n");
is($c->read_response->{status}, 413, 'early answer');

# HTTP/2

$r = post_json($t->port(1), '/', { model => 'hello' }, h2 => 1);
is($r->{version}, 2, 'HTTP/2');
is($r->{status}, 200, 'HTTP/2 status');
ok($r->{complete}, 'HTTP/2 complete');
like($r->{body}, qr/\[DONE\]\n\n\z/, 'HTTP/2 body');
is($r->{headers}{'content-type'}, 'text/event-stream', 'HTTP/2 headers');

$r = post_json($t->port(1), '/', { model => 'cut' }, h2 => 1);
ok(!$r->{complete}, 'HTTP/2 cut');

# the upstream connection is kept

$model->forget;
my $conns = $model->connections;
post_json($t->port, '/kept/', { model => 'plain' }) for 1 .. 3;
is($model->connections - $conns, 1, 'keepalive to the model');
is_deeply([ map { $_->{nth} } $model->requests ], [ 1, 2, 3 ],
          'requests on one connection');

# a client that sends nonsense gets what nginx says

$r = request($t->port, 'GET', '/', {}, undef, raw_head => "G\x01T\r\n\r\n");
is($r->{status}, 400, 'raw head');

# several at a time

my @c = map { http_start($t->port, 'POST', '/', {}, '{"model":"hello"}') }
        1 .. 20;
is((grep { $_->read_response->{complete} } @c), 20, '20 at a time');

# the model away and back, a new script

$model->stop;
is(post_json($t->port, '/', { model => 'plain' })->{status}, 502, 'model away');
$model->start;
is(post_json($t->port, '/', { model => 'plain' })->{status}, 200, 'model back');
$model->script(new => json_script({ new => 1 }));
is(post_json($t->port, '/', { model => 'new' })->{json}{new}, 1, 'new script');

# reload

$c = http_start($t->port, 'POST', '/', {}, '{"model":"gone"}');
$c->wait_body(qr/data: a/);
my @old = $t->workers;
ok($t->reload($conf =~ s/%%WORD%%/second/r), 'reload');
isnt("@old", join(' ', $t->workers), 'a new worker');
is(scalar(my @all = $t->workers(all => 1)), 2, 'the old one still serves');
is(get($t->port, '/word')->{body}, 'second', 'a new configuration');
$c->close;

ok(!$t->reload("$conf nonsense;"), 'a bad configuration is refused');
$t->provokes(qr/unknown directive "nonsense"|unexpected end/);

# conf_test

my ($code, $out) = $t->conf_test($conf);
is($code, 0, 'nginx -t') or diag $out;
($code, $out) = ORS::Nginx->conf_test('server { nonsense on; }', module => 0);
is($code, 1, 'nginx -t with a bad file');
like($out, qr/unknown directive "nonsense"/, 'and its reason');

# JSON

is(json_error('{"a":[1,-0.5e3,"\u00e9\ud83d\ude00",null,true]}'), undef,
   'JSON');
ok(json_error($_), "not JSON: " . s{\n}{\\n}gr) for
    '', '{', '{"a":1,}', '[1,]', '01', '1.', 'nul', '"\x"', "\"\n\"", '{}{}',
    "\"\xff\"", "\"\xed\xa0\x80\"", '{"a":1,"a":2}', '[1 2]', '"a', '+1',
    "\xef\xbb\xbf{}", "'a'", '{a:1}', '[[[[[', '1e', '-', '"\u12"';

# troubles that finish() must notice

sub troubles ($what, $like, %o) {
    my $t = ORS::Nginx->new(module => 0, %o,
        conf => 'server { listen 127.0.0.1:%%PORT_0%%; }');
    $t->start;
    $what->($t);
    like(join("\n", $t->_troubles), $like, "finish() notices: $like");
    $t->{finished} = 1;
}

troubles(sub ($t) { }, qr/\A\z/);
troubles(sub ($t) {
    open my $fh, '>>', "$t->{dir}/logs/error.log";
    print $fh "2026/01/01 00:00:00 [alert] 1#1: oh\n";
}, qr/\[alert\] 1#1: oh/);
troubles(sub ($t) {
    $t->write_file('sanitizer/report.1', "ERROR: AddressSanitizer: x\n");
}, qr/AddressSanitizer/);
troubles(sub ($t) {
    my ($old) = $t->workers;
    kill 'KILL', $old;
    $t->wait_log(qr/exited on signal 9/);
    ORS::Util::wait_for(sub { my @w = $t->workers; @w && $w[0] != $old });
}, qr/workers were \d+, are \d+.*exited on signal 9/s);

my $kept;

troubles(sub ($t) {
    $kept = ORS::HTTP::Conn->new($t->port);
    $kept->write("GET / HTTP/1.1\r\n");
    ORS::Util::wait_for(sub { $t->open_files > 0 });
    get($t->port, '/');
}, qr/did not leave on SIGQUIT/, quit_timeout => 0.3);

$t->finish;
done_testing();
