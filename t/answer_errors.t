#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Failures of a model server, before and in the middle of its answer.  Which
# error becomes which is in t/unit/answer/answer_error_test.c.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Adapter;
use ORS::JSON qw( json_encode );
use ORS::Model qw( :all );

my %scripts;


sub call ($index, $id, $arguments) {
    return chat_chunk(tool_calls => [ {
        index => $index, id => $id, type => 'function',
        function => { name => 'f', arguments => $arguments } } ]);
}


sub page ($status, $type, $text, @) {
    return [ [ status => $status ], [ header => 'Content-Type', $type ],
             [ framing => 'length' ], [ code => sub ($conn, $r) {
                 $conn->{length} = length $text } ], [ raw => $text ] ];
}


# an error that comes as data, after what

my $error = { error => { message => 'slow down', code => 429 } };
my %before = (
    'after a role' => [ chat_chunk(role => 'assistant', content => '') ],
    'after a text' => [ chat_chunk(content => 'Hel') ],
    'after reasoning' => [ chat_chunk(reasoning => 'Hm') ],
    'in a call' => [ call(0, 'a', '{"x":') ],
    'after a call' => [ call(0, 'a', '{"x":1}') ],
    'after text and call' => [ chat_chunk(content => 'Hel'),
                               call(0, 'a', '{}'), call(1, 'b', '{') ],
    'after its end' => [ chat_chunk(content => 'Hello'),
                         chat_chunk(finish => 'stop') ],
);

$scripts{"error $_"} = [ sse_head(), (map { [ sse => $_ ] } @{ $before{$_} }),
                        [ sse => $error ], [ 'done' ] ]
    for keys %before;

my $secret = '<html><body>secret</body></html>';
my %pages = (
    'E53: HTML' => [ 200, 'text/html', $secret ],
    'E53: plain text' => [ 200, 'text/plain', 'secret' ],
    'E53: no type' => [ 200, '', 'secret' ],
    'E53: HTML that calls itself JSON' => [ 200, 'application/json',
                                            $secret ],
    'E53: HTML that calls itself a stream' => [ 200, 'text/event-stream',
                                                $secret ],
    'E53: data of a stream' => [ 200, 'text/event-stream',
                                 "data: $secret\n\n" ],
    'E53: an empty document' => [ 200, 'application/json', '' ],
    'E53: another document' => [ 200, 'application/json',
                                 '{"secret":true}' ],
    'E53: an array' => [ 200, 'application/json', '[{"choices":[]}]' ],
    'E53: HTML with 502' => [ 502, 'text/html', $secret ],
    'E53: plain text with 500' => [ 500, 'text/plain', 'secret' ],
    'E53: HTML with 404' => [ 404, 'text/html', $secret, 404 ],
    'E53: nothing with 503' => [ 503, 'text/plain', '', 503 ],
    'E53: HTML with 302' => [ 302, 'text/html', $secret ],
    'E53: HTML as an error' => [ 500, 'application/json',
                                 json_encode({ error => $secret }) ],
    'E53: half a document with 500' => [ 500, 'application/json',
                                         '{"error":{"message":"secret' ],
    'E53: nothing with 204' => [ 204, 'application/json', '' ],
);

$scripts{$_} = page(@{ $pages{$_} }) for keys %pages;

# statuses: what comes, what it becomes

my %status = (
    400 => [ 400, 'upstream_error' ], 401 => [ 401, 'invalid_api_key' ],
    402 => [ 402, 'insufficient_quota' ], 403 => [ 403, 'upstream_error' ],
    404 => [ 404, 'upstream_error' ], 408 => [ 408, 'upstream_error' ],
    409 => [ 409, 'upstream_error' ], 413 => [ 413, 'upstream_error' ],
    415 => [ 415, 'upstream_error' ], 422 => [ 422, 'upstream_error' ],
    429 => [ 429, 'rate_limit_exceeded' ], 500 => [ 500, 'server_error' ],
    501 => [ 502, 'server_error' ], 502 => [ 502, 'server_error' ],
    503 => [ 503, 'server_is_overloaded' ], 504 => [ 504, 'server_error' ],
    520 => [ 502, 'server_error' ], 529 => [ 503, 'server_is_overloaded' ],
);

$scripts{"status $_"} = [ [ status => $_ ], [ header => 'Retry-After', 7 ],
                          [ json => { error => { message => 'said',
                                                 param => 'secret' } } ] ]
    for keys %status;

$scripts{'retry-date'} = [ [ status => 503 ], [ header => 'retry-after',
                           'Wed, 21 Oct 2026 07:28:00 GMT' ],
                           [ raw => 'no' ] ];

# limits

$scripts{'answer-text'} = stream_script(text => [ ('x' x 1000) x 10 ]);
$scripts{'answer-thought'} = stream_script(reasoning => [ ('x' x 1000) x 10 ]);
$scripts{'answer-call'} = stream_script(tool_calls => [ {
    id => 'a', name => 'f', arguments => [ ('1' x 1000) x 10 ] } ]);
$scripts{'answer-items'} = stream_script(tool_calls => [ map { {
    id => "c$_", name => 'f' } } 1 .. 30 ]);
$scripts{'answer-json'} = json_script(chat_reply(content => 'x' x 10000));
$scripts{'answer-ok'} = stream_script(text => [ ('x' x 300) x 10 ]);
$scripts{'event-first'} = [ sse_head(), [ sse => 'x' x 5000 ] ];
$scripts{'event-later'} = [ sse_head(), [ sse => chat_chunk(content => 'x') ],
                            [ comment => 'x' x 5000 ] ];
$scripts{'event-ok'} = stream_script(text => [ ('x' x 3800) x 3 ]);

for my $n (2, 3) {
    my @calls = map { { id => "c$_", name => 'f' } } 1 .. $n;

    $scripts{"calls-$n"} = stream_script(tool_calls => \@calls);
    $scripts{"calls-$n-json"} = json_script(chat_reply(tool_calls => \@calls));
}

my $a = ORS::Adapter->new(scripts => \%scripts, limits => {
    answer => 'answer=5k', event => 'event=4k', calls => 'calls=2',
});

# E52: an error in an answer

for my $when (sort keys %before) {
    my ($s, $e) = $a->breaks("error $when", "E52: $when", 429,
                             code => 'rate_limit_exceeded');

    is($e->{message}, 'slow down', "E52: $when: the server's words");
    is($s->response->{error}{message}, $e->{message},
       "E52: $when: again in the response");
    is_deeply([ ($s->types)[-2, -1] ], [ 'error', 'response.failed' ],
              "E52: $when: error, then failed");
    is_deeply([ map { $_->{type} } @{ $s->response->{output} } ],
              [ 'message', 'function_call' ],
              'C28: the output has the items that were finished')
        if $when eq 'after text and call';
}

$a->answer(undef, 'E52: error null beside an answer');


# pages

for my $name (sort keys %pages) {
    my ($status, undef, undef, $want) = @{ $pages{$name} };
    my $e = $a->fails($name, $name, $want // ($status == 500 ? 500 : 502));

    unlike($e->{message}, qr/secret|html/i, "$name: nothing leaks");
    is($e->{type}, ($want // 500) < 500 ? 'not_found' : 'server_error',
       "$name: type");
}

for my $status (sort keys %status) {
    my ($want, $code) = @{ $status{$status} };

    $a->fails("status $status", "status $status", $want, code => $code,
              message => 'said', param => '');
}

is($a->ask('status 429', stream => $_)->{headers}{'retry-after'}, 7,
   'retry-after in seconds') for 1, 0;

is($a->ask('retry-date')->{headers}{'retry-after'},
   'Wed, 21 Oct 2026 07:28:00 GMT', 'retry-after as a date');


# limits

for my $script (qw( answer-text answer-thought answer-call answer-items )) {
    $a->breaks($script, "limit of an answer: $script", 502,
               at => '/answer', code => 'answer_too_large');
}

$a->fails('answer-json', 'limit of an answer: a document', 502,
          at => '/answer', code => 'answer_too_large');
$a->answer('answer-ok', 'limit of an answer: met', at => '/answer');

$a->fails('event-first', 'limit of an event: the first', 502,
          at => '/event', code => 'event_too_large');
$a->breaks('event-later', 'limit of an event: a comment', 502,
           at => '/event', code => 'event_too_large');
$a->answer('event-ok', 'limit of an event: met', at => '/event');

for my $form ('', '-json') {
    $a->answer("calls-2$form", "limit of calls: met$form", at => '/calls');
    $a->breaks("calls-3$form", "limit of calls: passed$form", 502,
               at => '/calls', code => 'too_many_tool_calls');
}

$a->finish;

done_testing();
