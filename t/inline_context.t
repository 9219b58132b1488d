#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Conversations with servers that speak Responses: with
# "open_responses_inline_context on" they are stored here and the server gets
# all of it as input; without it previous_response_id is theirs.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get post_json );
use ORS::JSON qw( json_true json_false );
use ORS::Model ();
use ORS::Nginx ();
use ORS::Sample;
use ORS::Stream qw( stream_ok response_ok error_ok );

my $n = 0;
my $model = ORS::Model->new(scripts => { default => \&answer });
my $nginx = ORS::Nginx->new(model => $model, workers => 2, conf => <<'CONF');
    open_responses_store main lmdb:%%TESTDIR%%/store;
    open_responses_store small lmdb:%%TESTDIR%%/small size=1m scope_size=0;
    open_responses_strict off;
    client_max_body_size 8m;
    client_body_buffer_size 8m;
    open_responses_flavor openai;

    server {
        listen 127.0.0.1:%%PORT_0%% reuseport;

        location /kept/ {
            open_responses on;
            open_responses_store main;
            open_responses_target default /to/kept;
        }

        location /bare/ {
            open_responses on;
            open_responses_store main instructions=off;
            open_responses_target default /to/kept;
        }

        location /full/ {
            open_responses on;
            open_responses_store small;
            open_responses_target default /to/kept;
        }

        location /strict/ {
            open_responses on;
            open_responses_store small required;
            open_responses_target default /to/kept;
        }

        location /passed/ {
            open_responses on;
            open_responses_store main;
            open_responses_target default /to/passed;
        }

        location = /to/kept {
            internal;
            open_responses_inline_context on;
            proxy_pass http://%%MODEL%%/v1/responses;
        }

        location = /to/passed {
            internal;
            proxy_pass http://%%MODEL%%/v1/responses;
        }
    }
CONF

$nginx->start;


# a server that knows nothing of what was before; its ids are of its own form

sub answer ($conn, $request) {
    my $id = $$ . '-' . ++$n;
    my $body = ORS::JSON::json_decode($request->{body});
    my $text = "answer $id";
    my @items = ([ opened(), added({ %{ message("m$id", 'in_progress') } }),
                   text_part("m$id", 0, $text),
                   done(message("m$id", 'completed', output_text($text))),
                   ended('completed', finished()) ]);
    my $events = $items[0];

    for my $e (@$events) {
        my $r = $e->{response} or next;

        $r->{id} = "up.$id";
        $r->{id} = 'x' x 257 if $body->{input} eq 'a long id';
        $r->{id} = "up.$id\x01" if $body->{input} eq 'a control character';
        $r->{store} = json_false;
        delete $r->{store} if $body->{input} eq 'says nothing';
        $r->{store} = undef if $body->{input} eq 'says null';
    }

    my $text_out = $body->{stream} ? render($events)
                  : ORS::JSON::json_encode($events->[-1]{response});

    if ($body->{input} eq 'an escape') {
        $text_out =~ s/"up\./"\\u0075p./g or die 'no id';
    }

    my $script = [ [ header => 'Content-Type', $body->{stream}
                     ? 'text/event-stream' : 'application/json' ],
                   [ raw => $text_out ] ];

    return $conn->_play($script, 0);
}


sub ask ($at, $who, $input, $stream, %more) {
    return post_json($nginx->port, "/$at/responses",
                     { model => 'parrot-1', input => $input,
                       stream => $stream ? json_true : json_false, %more },
                     headers => { Authorization => "Bearer $who" });
}


sub told ($at, $who, $input, $stream, $name, %more) {
    my $reply = ask($at, $who, $input, $stream, %more);

    return ($stream ? stream_ok($reply, $name, flavor => 'openai',
                                expect => 'completed')
                    : response_ok($reply, $name, flavor => 'openai',
                                  expect => 'completed'))->response;
}


sub user ($text) { { type => 'message', role => 'user', content => $text } }


for my $stream (0, 1) {
    my $way = $stream ? ': stream' : '';
    my $a = told('kept', 'alice', 'one', $stream, "a first turn$way");

    is($a->{store}, json_true, "it is stored$way");
    is(told('kept', 'alice', $_, $stream, "$_$way")->{store}, json_true,
       "$_: it is stored$way") for 'says nothing', 'says null';
    like($a->{id}, qr/\Aup\./, "the id is that of the server$way");

    my $b = told('kept', 'alice', 'two', $stream, "a second one$way",
                 previous_response_id => $a->{id});
    my $sent = $model->last_request->{json};

    is($b->{previous_response_id}, $a->{id}, "the client sees it$way");
    is($sent->{previous_response_id}, undef, "the server is not$way");
    is_deeply($sent->{input}, [ user('one'), $a->{output}[0], user('two') ],
              "but of all that was said$way");

    told('kept', 'alice', 'three', $stream, "a third one$way",
         previous_response_id => $b->{id});

    is(scalar @{ $model->last_request->{json}{input} }, 5,
       "it grows$way");

    told('kept', 'alice', [ { type => 'item_reference',
         id => $a->{output}[0]{id} }, user('more') ], $stream,
         "a reference$way");

    is_deeply($model->last_request->{json}{input},
              [ $a->{output}[0], user('more') ],
              "the server gets what is referred to$way");

    # an output that is sent again, as the stored part has it

    my $call = { type => 'function_call', call_id => 'c1', name => 'f',
                 arguments => '{}' };
    my $done = { type => 'function_call_output', call_id => 'c1',
                 output => 'x' };
    my $ran = told('kept', 'alice', [ user('one'), $call, $done ], $stream,
                   "a call$way");

    told('kept', 'alice', [ $done, user('two') ], $stream,
         "its output again$way", previous_response_id => $ran->{id});
    is_deeply($model->last_request->{json}{input},
              [ user('one'), $call, $done, $ran->{output}[0], user('two') ],
              "the server gets it once$way");
    error_ok(ask('kept', 'alice', [ user('two'), { %$done, output => 'y' } ],
                 $stream, previous_response_id => $ran->{id}), 400,
             "another output$way", code => 'duplicate_call_id',
             param => 'input[1].call_id', message => qr/: "c1"\z/);

    my $count = $model->count;

    error_ok(ask('kept', 'bob', 'two', $stream,
                 previous_response_id => $a->{id}), 400,
             "of another one$way", code => 'previous_response_not_found',
             param => 'previous_response_id');
    error_ok(ask('kept', 'bob', [ { type => 'item_reference',
                 id => $a->{output}[0]{id} } ], $stream), 400,
             "a reference to it$way", code => 'item_not_found');

    is($model->count, $count, "neither is sent$way");

    my $c = told('kept', 'alice', 'one', $stream, "store: false$way",
                 store => json_false);

    is($c->{store}, json_false, "is said$way");

    error_ok(ask('kept', 'alice', 'two', $stream,
                 previous_response_id => $c->{id}), 400,
             "and kept$way", code => 'previous_response_not_found');

    # without it

    ask('passed', 'alice', 'two', $stream,
        previous_response_id => 'what it knows');

    is($model->last_request->{json}{previous_response_id}, 'what it knows',
       "the id is for the server$way");
    is($model->last_request->{json}{input}, 'two', "and nothing else$way");

    is(told('passed', 'alice', 'says nothing', $stream,
            "a server that does not say$way")->{store}, json_false,
       "whether it has stored it$way");

    # instructions that are not to be kept

    my %stored = map {
        my $r = told($_, 'alice', 'one', $stream, "a turn at /$_$way");

        $_ => get($nginx->port, "/$_/responses/$r->{id}",
                  headers => { Authorization => 'Bearer alice' })->{json};
    } qw( kept bare );

    is($stored{kept}{instructions}, 'Be brief.', "instructions$way");
    is($stored{bare}{instructions}, undef, "no instructions$way");
    is($stored{bare}{output}[0]{type}, 'message', "but all else$way");

    # ids in another spelling, and such as nobody could ask for

    my $e = told('kept', 'alice', 'an escape', $stream, "an escape$way");

    like($e->{id}, qr/\Aup\./, "the id is read$way");
    told('kept', 'alice', 'two', $stream, "it is kept by this id$way",
         previous_response_id => $e->{id});
    is(get($nginx->port, "/kept/responses/$e->{id}",
           headers => { Authorization => 'Bearer alice' })->{status}, 200,
       "and is found by it$way");

    $nginx->provokes(qr/invalid_upstream_answer: .* its id is empty, longer/);

    for my $what ('a long id', 'a control character') {
        my $reply = ask('kept', 'alice', $what, $stream);

        if ($stream) {
            my $s = stream_ok($reply, "$what$way", flavor => 'openai',
                              expect => 'failed',
                              code => 'invalid_upstream_answer');

            is($s->count('error'), 1, "$what: one error event");

        } else {
            error_ok($reply, 502, $what, code => 'invalid_upstream_answer');
        }
    }

    # a turn that cannot be stored

    my $big = user('x' x 700_000);

    $nginx->provokes(qr/a response is not written to store "small"/);

    my $d = told('full', 'alice', [ $big, $big ], $stream, "no room$way");

    is($d->{store}, json_false, "the client sees store: false$way");

    if ($stream) {
        stream_ok(ask('strict', 'alice', [ $big, $big ], 1),
                  "no room, and it is required$way", flavor => 'openai',
                  expect => 'failed', code => 'store_unavailable');

    } else {
        error_ok(ask('strict', 'alice', [ $big, $big ], 0), 503,
                 'no room, and it is required', code => 'store_unavailable');
    }
}

$nginx->finish;

done_testing();
