#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The context of a client's trace goes to targets and tools, of a failover and
# in the background, too, unless a directive leaves it out.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::Loop qw( plan call );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Util qw( wait_for );

my $model = ORS::Model->new(scripts => {
    default => plan(tool => [ { tool_calls => [ call('weather', x => 1) ] },
                              'It rains' ]),
    down    => [ [ status => 503 ], [ json => { error => 'no' } ] ],
    hello   => json_script(chat_reply(content => 'Hello')),
});

my $tools = ORS::Model->new(scripts => {
    weather => [ [ header => 'Content-Type', 'application/json' ],
                 [ raw => '{"rain":true}' ] ] });

my $t = ORS::Nginx->new(model => { MODEL => $model, TOOLS => $tools },
                        conf => <<'CONF');
    open_responses_store main lmdb:%%TESTDIR%%/store size=16m;
    log_format ids '$uri $request_id';

    server {
        listen 127.0.0.1:%%PORT_0%%;
        access_log %%TESTDIR%%/logs/ids.log ids;

        open_responses_target  spare  /to/down /to/hello;
        open_responses_target  default /to/model;
        open_responses_tool    weather /tool/weather;
        open_responses_store   main;
        open_responses_store_scope one;

        location /v1/ { open_responses on; }

        location /off/ {
            open_responses on;
            open_responses_pass_trace off;
        }

        location /to/ {
            internal;
            open_responses_dialect chat;
            proxy_pass http://%%MODEL%%/script/;
        }

        location = /to/model {
            internal;
            open_responses_dialect chat;
            proxy_set_header X-Id $request_id;
            proxy_pass http://%%MODEL%%/chat;
        }

        location = /tool/weather {
            internal;
            proxy_pass http://%%TOOLS%%/script/weather;
        }
    }
CONF

my $parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

my @tool = (tools => [ { type => 'function', name => 'weather',
                         parameters => { type => 'object' },
                         strict => \0 } ]);

$t->start;


sub ask ($at, $name, %o) {
    return post_json($t->port, "/$at/responses",
                     { model => $name, input => 'hi', %o },
                     headers => { traceparent => $parent, tracestate => 'a=1',
                                  'X-Request-Id' => 'x' });
}


sub traced ($server, $n, $expected, $name) {
    my @r = ($server->requests)[-$n .. -1];

    for my $r (@r) {
        is($r->{headers}{traceparent}, $expected ? $parent : undef,
           "$name: traceparent");
        is($r->{headers}{tracestate}, $expected ? 'a=1' : undef,
           "$name: tracestate");
        is($r->{headers}{'x-request-id'}, 'x', "$name: another header");
    }
}


is(ask('v1', 'tool', @tool)->{status}, 200, 'a turn with a tool');
traced($model, 2, 1, 'each round');
traced($tools, 1, 1, 'a tool');

is(ask('v1', 'spare')->{status}, 200, 'a failover');
traced($model, 2, 1, 'both targets');

is(ask('off', 'tool', @tool)->{status}, 200, 'without a trace');
traced($model, 2, 0, 'each round');
traced($tools, 1, 0, 'a tool');

{
    my @before = $model->requests;

    is(ask('v1', 'hello', background => \1)->{status}, 200,
       'in the background');
    ok($model->wait_requests(@before + 1), '... the model is called');
    traced($model, 1, 1, 'its call');

    my $id = $model->last_request->{headers}{'x-id'};
    my $log = $t->dir . '/logs/ids.log';

    ok(wait_for(sub { my @l = ORS::Util::slurp($log) =~ /\Q$id\E/g; @l == 2 }),
       '$request_id is that of its client')
        or diag(ORS::Util::slurp($log));
}

$t->finish;


# nginx -t

{
    my ($code, $out) = ORS::Nginx->conf_test(
        'server { listen 127.0.0.1:%%PORT_0%%; open_responses_pass_trace x; }');

    is($code, 1, 'another word');
    like($out, qr/"x" in "open_responses_pass_trace" directive, it must be/,
         '... says why');
}

done_testing();
