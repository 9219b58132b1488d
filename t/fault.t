#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Calls of a worker that fail, one at a time, through a script of requests:
# memory, writes to files, random bytes, sockets and maps.  Whichever it is,
# the worker lives, the client has a well-formed end or a closed connection,
# nothing is left open, and the next request is served.
#
# Here a few calls of each request fail, chosen at random (ORS_SEED); with
# ORS_FAULT=all all of them do ("make fault").

use v5.36;
use IO::Compress::Gzip ();
use Test::More;
use lib 't/lib';
use ORS::Fair qw( unfair );
use ORS::Fault;
use ORS::HTTP qw( get post_json request );
use ORS::JSON qw( json_encode json_true json_false );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Redis;
use ORS::Sample;
use ORS::Util qw( wait_for );

plan skip_all => 'allocations are the sanitizer\'s' if $ENV{TEST_NGINX_ASAN};

my $ALL = ($ENV{ORS_FAULT} // '') eq 'all';
my $ONLY = $ENV{ORS_ONLY};                 # part of a request's name
my $SAMPLE = 3;

# a sample takes seconds: one that waits for what never comes has failed

alarm 900 if !$ALL;
my $PATIENCE = 60;

my $seed = $ENV{ORS_SEED} // 1;

srand $seed;

my $reply = chat_reply(reasoning => 'Hm.', content => 'Hello');
my $events = stream_script(reasoning => [ 'H', 'm.' ],
                           text => [ 'Hel', 'lo' ]);
my $whole = json_encode(response('completed', model => 'm'));

IO::Compress::Gzip::gzip(\json_encode($reply), \my $packed);

sub streams ($r) { $r->{body} =~ /"stream"\s*:\s*true/ }

my $model = ORS::Model->new(scripts => {
    default => sub ($conn, $r) {
        $conn->_play(streams($r) ? $events : json_script($reply), 0);
    },
    down => json_script({ error => { message => 'no' } }, 503),
    packed => [ [ header => 'Content-Type', 'application/json' ],
                [ header => 'Content-Encoding', 'gzip' ], [ raw => $packed ] ],
    native => sub ($conn, $r) {
        my $steps = streams($r)
                    ? [ sse_head(), [ raw => render(good()) ] ]
                    : [ [ header => 'Content-Type', 'application/json' ],
                        [ raw => $whole ] ];

        $conn->_play($steps, 0);
    },
});

my $redis = eval { ORS::Redis->new };

my $t = ORS::Nginx->new(model => $model, subst => {
    REDIS => $redis ? $redis->address : '127.0.0.1:1' }, conf => <<'CONF');

    open_responses_store main lmdb:%%TESTDIR%%/db size=16m;
    open_responses_store other redis:%%REDIS%% timeout=2s;
    open_responses_store_scope $http_x_user;
    open_responses_secret %%TESTDIR%%/keys;
    open_responses_strict off;
    open_responses_flavor openai;
    open_responses_target default /to/model;
    open_responses_target first /to/down /to/model;
    open_responses_target packed /to/packed;

    keepalive_timeout 0;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location = /status { stub_status; }

        location /v1/ {
            open_responses on;
            open_responses_store main;
        }

        location /redis/ {
            open_responses on;
            open_responses_store other;
        }

        location /validator/ {
            open_responses_validate on;
            open_responses_strict on;
            proxy_set_header X-Script native;
            proxy_pass http://%%MODEL%%/v1/;
        }

        %%CHAT /to/model /chat%%

        location = /to/packed {
            internal;
            open_responses_dialect chat;
            proxy_set_header X-Script packed;
            proxy_pass http://%%MODEL%%/chat;
        }

        location = /to/down {
            internal;
            open_responses_dialect chat;
            proxy_set_header X-Script down;
            proxy_pass http://%%MODEL%%/chat;
        }
    }
CONF

$t->write_file('keys', '0123456789abcdef' x 4 . "\n");
chmod 0600, $t->dir . '/keys';

# the log is full of what has failed: that a worker has died is found below
$t->provokes(qr/./);

my $fault = ORS::Fault->new;
$fault->start($t);

my $port = $t->port;
my ($runs, $hits, @late, @wrong) = (0, 0);


# ---- the script: what comes before, and the request that meets the fault


my @script = (
    [ 'a document', sub { }, sub { ask('/v1', store => json_false) } ],
    [ 'a stream', sub { },
      sub { ask('/v1', store => json_false, stream => json_true) } ],
    [ 'another target', sub { },
      sub { ask('/v1', model => 'first', store => json_false) } ],
    [ 'another target for a stream', sub { },
      sub { ask('/v1', model => 'first', store => json_false,
                stream => json_true) } ],
    [ 'a compressed answer', sub { },
      sub { ask('/v1', model => 'packed', store => json_false) } ],
    [ 'sealed content', sub { }, sub { sealed() } ],
    [ 'a checked document', sub { }, sub { ask('/validator') } ],
    [ 'a checked stream', sub { },
      sub { ask('/validator', stream => json_true) } ],
    [ 'a refusal', sub { }, sub { ask('/validator', input => 7) } ],
    (map { my $at = $_->[1];
           [ "$_->[0], a turn", sub { kept($at); () }, sub { ask($at) } ],
           [ "$_->[0], the next turn", sub { first($at) },
             sub ($id) { ask($at, previous_response_id => $id) } ],
           [ "$_->[0], its stream", sub { first($at) },
             sub ($id) { ask($at, previous_response_id => $id,
                             stream => json_true) } ],
           [ "$_->[0], a reference", sub { item($at) },
             sub ($id) { ask($at, input => [ { type => 'item_reference',
                                               id => $id } ]) } ],
           [ "$_->[0], a list", sub { first($at) },
             sub ($id) { it('GET', "$at/responses/$id/input_items") } ],
           [ "$_->[0], a response", sub { first($at) },
             sub ($id) { it('GET', "$at/responses/$id") } ],
           [ "$_->[0], a deletion", sub { first($at) },
             sub ($id) { it('DELETE', "$at/responses/$id") } ],
           [ "$_->[0], in the background", sub { kept($at); () },
             sub { background($at) } ] }
     [ 'LMDB', '/v1' ], ($redis ? [ 'Redis', '/redis' ] : ())),
);


sub ask ($at, %o) {
    return post_json($port, "$at/responses",
                     { model => 'm', input => 'hi', %o },
                     headers => { 'X-User' => 'ann' }, timeout => $PATIENCE);
}


sub it ($method, $path) {
    return request($port, $method, $path, { 'X-User' => 'ann' }, undef,
                   timeout => $PATIENCE);
}


# a turn that is stored: a connection to Redis that was lost is back by then

sub kept ($at) {
    my $response = {};

    wait_for(sub {
        my $r = ask($at);

        $response = $r->{status} == 200 && $r->{json} || {};
        return $response->{store};
    });

    return $response;
}


sub first ($at) { kept($at)->{id} // 'none' }
sub item ($at) { (kept($at)->{output} // [])->[0]{id} // 'none' }


sub sealed () {
    my %asks = (include => [ 'reasoning.encrypted_content' ],
                store => json_false);
    my $r = ask('/v1', %asks);
    my $output = ($r->{json} // {})->{output} // return $r;

    return ask('/v1', %asks, input => [ @$output,
                                        { role => 'user', content => 'x' } ]);
}


# until it has ended, or for a while

sub background ($at) {
    my $r = ask($at, background => json_true);
    my $id = ($r->{json} // {})->{id} // return $r;

    wait_for(sub {
        $r = it('GET', "$at/responses/$id");
        return 1 if $r->{status} != 200 || !$r->{complete};
        return ($r->{json} // {})->{status} !~ /^(?:queued|in_progress)$/;
    }, 1) or push @late, "$at/responses/$id";

    return $r;
}


# ---- what must be so, whatever has failed


# a worker that has died leaves its connections counted

my $base = 1;

sub active () {
    return get($port, '/status')->{body} =~ /Active connections: (\d+)/
           ? $1 : -1;
}


sub idle () {
    return wait_for(sub { active() == $base }, $PATIENCE)
           ? undef : active() - $base . ' connections are open';
}


sub one ($name, $kind, $n, $before, $request, %o) {
    my ($pid) = $t->workers;
    my @given = $before->();

    $fault->arm($pid, $kind, $n, %o);
    my $r = $request->(@given);
    my $failed = $fault->disarm;

    $runs++;
    $hits += $failed;

    my @now = $t->workers;
    my $what = "@now" ne "$pid" ? 'the worker has died'
               : unfair($r) // idle();

    push @wrong, "$name, $kind $n: $what" if $what;

    # later calls must not be counted against this one

    if ("@now" ne "$pid") {
        wait_for(sub { $t->workers == 1 });
        $base = active();
    }
}


for my $step (@script) {
    my ($name, $before, $request) = @$step;

    next if $ONLY && $name !~ /\Q$ONLY\E/;

    my ($pid) = $t->workers;
    my ($files, $wrong) = (0, scalar @wrong);

    for my $kind (qw( memory file random socket map )) {
        my @given = $before->();

        $fault->count($pid, $kind);
        my $r = $request->(@given);
        my $calls = $fault->calls;
        $fault->disarm;

        if ($kind eq 'memory') {
            ok(($r->{status} // 0) =~ /^[24]/ && !unfair($r), "$name is served")
                or diag($r->{status}, ' ', $r->{body});
        }

        is(idle(), undef, "$name leaves nothing open") if $kind eq 'map';

        $files ||= $t->open_files($pid);

        # the second one of two runs may need another call

        my @n = $ALL ? 1 .. $calls + 2
                : map { 1 + int rand $calls } 1 .. ($calls ? $SAMPLE : 0);

        one($name, $kind, $_, $before, $request) for @n;

        if ($kind eq 'file' && $calls) {
            one($name, $kind, $_, $before, $request, error => 'ENOSPC',
                last => 2 ** 31) for $ALL ? 1 .. $calls : 1;
        }
    }

    ($pid) = $t->workers;

    my $r = $request->($before->());
    ok($r->{status} =~ /^[24]/ && !unfair($r), "$name is served again")
        or diag($r->{status}, ' ', $r->{body});

    my $left = $t->open_files($pid) - $files;
    push @wrong, "$name: $left files are left open" if $left > 4;

    is(@wrong - $wrong, 0, "$name, whatever fails");
}

# rows that the failure has kept from being stored are named when nobody runs
# them

my @never = grep {
    my $at = $_;
    !wait_for(sub {
        my $r = it('GET', $at);
        return $r->{status} == 404 || ($r->{json} // {})->{status}
                                      !~ /^(?:queued|in_progress)$/;
    });
} @late;

is("@never", '', 'responses of the background end');

diag($_) for @wrong;
diag("$runs runs with $hits calls that failed, " . @late . ' late ends of'
     . " the background, seed $seed");

$t->{born} = [ $t->workers ];
$t->finish;

done_testing();
