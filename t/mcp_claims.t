#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Two follow-ups of one stored response that both approve of a call: it runs
# once, whichever of them comes first, in each engine of the store.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( http_start post_json request );
use ORS::JSON qw( json_decode json_encode json_false json_true );
use ORS::Loop qw( plan call );
use ORS::MCP qw( legacy tool said );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Redis;
use ORS::Stream qw( response_ok stream_ok error_ok );
use ORS::Util qw( spew wait_for );

my $model = ORS::Model->new(scripts => { default => plan(
    hello => [ 'Hello' ],
    write => [ { tool_calls => [ call('files__write', text => '1') ] },
               'Done' ],
    two   => [ { tool_calls => [ call('files__write#1', text => '1'),
                                 call('files__write#2', text => '2') ] },
               'Done' ],
) });

my $mcp = ORS::Model->new(scripts => {
    slow => legacy(tools => [ tool('write') ], call => sub ($name, $arguments) {
        return [ [ wait_file => 'go' ],
                 [ json => { jsonrpc => '2.0', id => 0, result => {
                     content => [ { type => 'text', text => 'x' } ] } } ] ];
    }),
    files => legacy(tools => [ tool('write') ],
                    call => sub ($name, $arguments) {
                        return "$name: $arguments->{text}";
                    }),
});

my $redis = ORS::Redis->new;

my $t = ORS::Nginx->new(workers => 2,
                        model => { MODEL => $model, MCP => $mcp },
                        subst => { REDIS => $redis->address },
                        conf => <<'CONF');
    open_responses_store lmdb lmdb:%%TESTDIR%%/db size=64m;
    open_responses_store short redis:%%REDIS%% prefix=t: ttl=3s;
    open_responses_store redis redis:%%REDIS%% timeout=2s;
    open_responses_store shares redis:%%REDIS%% prefix=s: scope_turns=100;
    open_responses_store_scope $http_x_user;
    open_responses_target default /to/model;
    open_responses_mcp files /mcp/files;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /lmdb/v1/ {
            open_responses on;
            open_responses_store lmdb;
        }

        location /redis/v1/ {
            open_responses on;
            open_responses_store redis;
        }

        location /shares/v1/ {
            open_responses on;
            open_responses_store shares;
        }

        location /short/v1/ {
            open_responses on;
            open_responses_store short;
        }

        location /cut/v1/ {
            open_responses on;
            open_responses_store short;
            open_responses_limits truncate=1k;
        }

        location /slow/v1/ {
            open_responses on;
            open_responses_store lmdb;
            open_responses_mcp files /mcp/slow timeout=600s;
        }

        %%CHAT /to/model /chat%%

        location ~ ^/mcp/(\w+)$ {
            internal;
            proxy_read_timeout 600s;
            proxy_pass http://%%MCP%%/script/$1;
        }
    }
CONF

$t->start;

my %as = ('X-User' => 'alice');


sub body ($name, %o) {
    return { model => $name, stream => $o{stream} ? json_true : json_false,
             input => $o{input} // 'hi',
             $o{after} ? (previous_response_id => $o{after}{id}) : (),
             $o{truncation} ? (truncation => $o{truncation}) : (),
             tools => $o{tools} // [ { type => 'mcp',
                                       server_label => 'files' } ] };
}


sub post ($path, $name, %o) {
    return post_json($t->port, "/$path/v1/responses", body($name, %o),
                     headers => \%as);
}


sub asked ($response) {
    return grep { $_->{type} eq 'mcp_approval_request' }
           @{ $response->{output} };
}


sub answers ($response, $n = 1) {
    return [ map { { type => 'mcp_approval_response', approve => json_true,
                     approval_request_id => $_->{id} } }
             (asked($response))[0 .. $n - 1] ];
}


sub calls () {
    return scalar grep { /call/ } said($mcp);
}


sub first ($path, $name) {
    my $r = post($path, $name);

    return response_ok($r, "$path: a request for approval", flavor => 'openai')
           ->response;
}


for my $store (qw( lmdb redis shares )) {
    my $first = first($store, 'write');

    # a request that cannot run claims nothing

    error_ok(post($store, 'write', after => $first, input => answers($first),
                  tools => [ { type => 'mcp', server_label => 'files',
                               allowed_tools => [ 'x' ] } ]),
             400, "$store: the tool is not there", code => 'tool_not_found');

    $mcp->forget;

    my $second = response_ok(post($store, 'write', after => $first,
                                  input => answers($first)),
                             "$store: the first answer", flavor => 'openai')
                 ->response;

    is($second->{output}[0]{output}, 'write: 1', "$store: the call has run");

    error_ok(post($store, 'write', after => $first,
                  input => answers($first)), 409, "$store: the second answer",
             param => 'input', code => 'approval_already_used');

    stream_ok(post($store, 'write', after => $first, stream => 1,
                   input => answers($first)),
              "$store: the third answer, stream", flavor => 'openai',
              expect => 'failed', code => 'approval_already_used');

    is(calls(), 1, "$store: it has run once");

    response_ok(post($store, 'hello', after => $second,
                     input => answers($first)),
                "$store: an answer after the call", flavor => 'openai');

    is(calls(), 1, "$store: it has still run once");

    # one of two that was used holds the other one back

    $first = first($store, 'two');
    $mcp->forget;

    response_ok(post($store, 'two', after => $first,
                     input => answers($first)), "$store: one of two",
                flavor => 'openai');
    error_ok(post($store, 'two', after => $first,
                  input => answers($first, 2)), 409, "$store: both",
             code => 'approval_already_used');
    is(calls(), 1, "$store: one has run");
}

# a request that is referred to, alone or after others of its turn

for my $n (1, 2) {
    my $first = first('lmdb', 'write');
    my @refs = map { { type => 'item_reference', id => $_->{id} } }
               (reverse @{ $first->{output} })[0 .. $n - 1];

    $mcp->forget;

    my $r = response_ok(post('lmdb', 'write',
                             input => [ reverse(@refs), @{ answers($first) } ]),
                        "$n references: a call that is approved of",
                        flavor => 'openai');

    is($r->response->{output}[0]{type}, $n == 1 ? 'mcp_list_tools' : 'mcp_call',
       "$n references: an item has its label");
    is(calls(), 1, "$n references: the call has run");

    error_ok(post('lmdb', 'write',
                  input => [ reverse(@refs), @{ answers($first) } ]),
             409, "$n references: once", code => 'approval_already_used');
    error_ok(post('lmdb', 'write', after => $first,
                  input => answers($first)),
             409, "$n references: and not by the conversation",
             code => 'approval_already_used');
    is(calls(), 1, "$n references: it has run once");
}

# a response to no request, in a stream that has not begun

error_ok(post('lmdb', 'write', stream => 1,
              input => [ { type => 'mcp_approval_response',
                           approval_request_id => 'mcpr_x',
                           approve => json_true } ]),
         400, 'an unknown request, stream', code => 'item_not_found',
         param => 'input[0].approval_request_id');

# a conversation that goes on: what has run lives as long as its request, which
# is not in the context any more where that is cut

{
    my @paths = ([ 'short' ], [ 'cut', truncation => 'auto' ]);
    my %first = map { $_->[0] => first($_->[0], 'write') } @paths;
    my %next;

    $mcp->forget;

    for (@paths) {
        my ($path, @more) = @$_;
        $next{$path} = response_ok(post($path, 'write', @more,
                                        after => $first{$path},
                                        input => answers($first{$path})),
                                   "$path: the answer", flavor => 'openai')
                       ->response;
    }

    my $end = time + 5;

    for my $n (1 .. 20) {
        last if time > $end;

        for (@paths) {
            my ($path, @more) = @$_;
            $next{$path} = response_ok(post($path, 'hello', @more,
                                            after => $next{$path},
                                            input => 'x' x 600),
                                       "$path: turn $n", flavor => 'openai')
                           ->response;
        }

        select(undef, undef, undef, 0.5);
    }

    is_deeply([ map { $_->{role} }
                @{ $model->last_request->{json}{messages} } ],
              [ qw( user assistant user ) ],
              'cut: nothing of the approval is in the context');

    for (map { $_->[0] } @paths) {
        error_ok(post($_, 'write', after => $first{$_},
                      input => answers($first{$_})),
                 409, "$_: after the time that entries live",
                 code => 'approval_already_used');
    }

    is(calls(), 2, 'each has run once');
}

# while the call runs

my $first = first('slow', 'write');

$mcp->forget;

my $c = http_start($t->port, 'POST', '/slow/v1/responses',
                   { 'Content-Type' => 'application/json', %as },
                   json_encode(body('write', after => $first,
                                    input => answers($first))));

ok(wait_for(sub { calls() == 1 }), 'the call runs');

error_ok(post('slow', 'write', after => $first, input => answers($first)),
         409, 'an answer at the same time', code => 'approval_already_used');

is(calls(), 1, 'it runs once');

$c->close;

# a store that does not answer

$first = first('redis', 'write');
$mcp->forget;

$redis->kill;

error_ok(post('redis', 'write', after => $first, input => answers($first)),
         503, 'no store', code => 'store_unavailable');
is(calls(), 0, 'nothing runs');

$t->finish;
done_testing();
