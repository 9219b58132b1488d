#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The WebSocket cases of the Open Responses compliance suite, by its names and
# written anew, over a chat target; and turns that go to a responses target.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_decode json_encode json_false json_true );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Sample;
use ORS::WS;

my %head = ('Content-Type' => 'application/json', Authorization => 'Bearer a');

my $model = ORS::Model->new(scripts => {
    default => stream_script(text => [ 'Hel', 'lo' ]),
    native => [ sse_head(), [ raw => render(good()) ] ],
    document => json_script(response('completed')),
    breaks => [ sse_head(), [ raw => join '', map { frame($_) }
                                     (opened())[0, 1] ],
                [ sse => { type => 'error', sequence_number => 2,
                           code => 'server_error', message => 'no',
                           param => undef } ] ],
    cut => [ sse_head(), [ raw => join '', map { frame($_) }
                                  (opened())[0, 1] ], [ 'close' ] ],
    busy => [ [ status => 429 ], [ header => 'Retry-After', 7 ],
              [ json => { error => { message => 'slow down' } } ] ],
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    open_responses_secret %%TESTDIR%%/secret;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
            open_responses_websocket on;
            open_responses_target m /to/chat;
            open_responses_target default /to/responses;
        }

        %%CHAT /to/chat%%

        location = /to/responses {
            internal;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }
    }
CONF

chmod 0600, $t->write_file('secret', '5e' x 32);
$t->start;

my $port = $t->port;

sub connected { return ORS::WS->new($port, headers => \%head) }

sub user ($text) {
    return { type => 'message', role => 'user', content => $text };
}

sub said {
    return [ map { $_->{content} }
                 @{ $model->last_request->{json}{messages} } ];
}


# response, and sequential

{
    my $ws = connected;

    for my $n (1, 2) {
        my $r = $ws->say([ user("turn $n") ], name => "response $n");

        is($r->{status}, 'completed', "response $n: status");
        ok(scalar @{ $r->{output} }, "response $n: output");
        is_deeply(said(), [ "turn $n" ], "response $n: of its own");
    }

    $ws->close;
    is($ws->closed, 1000, 'no [DONE], no event more');
}


# continuation

{
    my $ws = connected;
    my $r = $ws->say([ user('one') ], store => json_false);
    my $s = $ws->say([ user('two') ], store => json_false, after => $r);

    is($s->{previous_response_id}, $r->{id}, 'continuation: the id');
    is_deeply(said(), [ qw( one Hello two ) ], 'continuation: the context');
    $ws->drop;

    # reconnect-store-false-recovery

    $ws = connected;
    $ws->create(model => 'm', input => [ user('three') ], store => json_false,
                previous_response_id => $s->{id});
    $ws->error_ok(400, 'reconnect-store-false-recovery',
                  code => 'previous_response_not_found');
    $ws->say([ user('one'), @{ $r->{output} }, user('three') ],
             store => json_false, name => 'the whole history');
    is_deeply(said(), [ qw( one Hello three ) ], 'the whole history goes');
}


# previous-response-not-found

{
    my $ws = connected;

    $ws->create(model => 'm', input => [ user('x') ],
                previous_response_id => 'resp_made_up');
    $ws->error_ok(400, 'previous-response-not-found',
                  code => 'previous_response_not_found',
                  param => 'previous_response_id');
    $ws->say([ user('y') ], name => 'the connection can be used');
}


# failed-continuation-evicts-cache

{
    my $ws = connected;
    my $r = $ws->say([ user('one') ], store => json_false);
    my $n = $model->count;

    for my $case ([ undef, { type => 'function_call_output', output => 'x',
                             call_id => 'call_unknown' } ],
                  [ 'previous_response_not_found', user('again') ])
    {
        my ($code, @input) = @$case;

        $ws->create(model => 'm', input => \@input, store => json_false,
                    previous_response_id => $r->{id});
        $ws->error_ok(400, 'failed-continuation-evicts-cache: '
                           . ($code // 'an output without a call'),
                      $code ? (code => $code) : ());
    }

    is($model->count, $n, 'the model is not asked');
}


# compact-new-chain

{
    my $http = post_json($port, '/v1/responses/compact',
                         { model => 'm', input => [ user('long ago') ] },
                         headers => \%head);
    my $compact = $http->{json};

    is($compact->{object}, 'response.compaction', 'compact-new-chain: by HTTP')
        or diag($http->{body});

    my $ws = connected;
    my $r = $ws->say([ @{ $compact->{output} }, user('and now') ],
                     tools => [], store => json_false,
                     name => 'compact-new-chain');

    is($r->{previous_response_id}, undef, 'a new chain');
    like(json_encode(said()), qr/Hello.*and now/, 'with the summary');

    $ws->say([ user('more') ], after => $r, store => json_false);
    like(json_encode(said()), qr/Hello.*and now.*more/, 'it is continued');
}


# a target that speaks Responses is called by HTTP

{
    my $ws = connected;

    $ws->create(model => 'native', input => 'hi', stream => json_true,
                store => json_false);

    my $s = $ws->turn_ok('a responses target', expect => 'completed');
    my $asked = $model->last_request;

    is($asked->{method}, 'POST', 'HTTP: method');
    is($asked->{uri}, '/v1/responses', 'HTTP: path');
    is($asked->{json}{stream}, json_true, 'HTTP: a stream');
    ok(!exists $asked->{json}{type}, "no member of the transport's");

    # the target's own store keeps it

    $ws->create(model => 'native', input => 'hi',
                previous_response_id => 'resp_of_it');
    $ws->turn_ok('continued there');
    is($model->last_request->{json}{previous_response_id}, 'resp_of_it',
       'the id goes to it');

    $ws->create(model => 'document', input => 'hi');
    $ws->error_ok(502, 'a server without streams',
                  code => 'invalid_upstream_answer');

    for my $model (qw( breaks cut )) {
        $ws->create(model => $model, input => 'hi');

        my @types = map { json_decode($_)->{type} } $ws->turn;

        is_deeply(\@types, [ map { "response.$_" }
                                 qw( created in_progress failed ) ],
                  "$model: one message ends it");
    }

    $ws->create(model => 'busy', input => 'hi');

    my $m = $ws->error_ok(429, 'a server that is busy',
                       code => 'rate_limit_exceeded');
    is($m->{headers}{'retry-after'}, 7, '... and for how long');
    $ws->say('hi', name => 'all of that on one connection');
}

$t->finish;

done_testing();
