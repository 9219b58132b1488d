#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Failures of a model server, before and in the middle of its answer.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Adapter qw( nameless );
use ORS::JSON qw( json_encode );
use ORS::Model qw( :all );
use ORS::Stream qw( stream_ok error_ok );

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


# errors that come as data: data, name of the event, then what they become

my %errors = (
    'a number' => [ { error => { message => 'slow down', code => 429 } },
                    undef, 429, 'rate_limit_exceeded', 'slow down' ],
    'a numeric string' => [ { error => { message => 'slow down',
                                         code => '429' } },
                            undef, 429, 'rate_limit_exceeded', 'slow down' ],
    'a name' => [ { error => { message => 'Try again in 7s',
                               code => 'rate_limit_exceeded' } },
                  undef, 429, 'rate_limit_exceeded', 'Try again in 7s' ],
    'a type' => [ { type => 'error', error => {
                        type => 'overloaded_error',
                        message => 'Overloaded' } },
                  undef, 503, 'server_is_overloaded', 'Overloaded' ],
    'a name that is ours to keep' => [
        { error => { message => 'no', type => 'server_error',
                     code => 'gpu_on_fire' } },
        undef, 500, 'gpu_on_fire', 'no' ],
    'a text' => [ { error => 'out of memory' }, undef, 500, 'server_error',
                  'out of memory' ],
    'nothing but its name' => [ { error => {} }, undef, 500, 'server_error',
                                qr/model server/ ],
    'no object' => [ { error => 1 }, undef, 500, 'server_error',
                     qr/model server/ ],
    'vLLM' => [ { object => 'error', message => 'bad grammar',
                  type => 'BadRequestError', param => undef, code => 400 },
                undef, 400, 'upstream_error', 'bad grammar' ],
    'an event' => [ { message => 'gone wrong' }, 'error', 500,
                    'server_error', 'gone wrong' ],
    'an event with an error inside' => [
        { error => { message => 'gone wrong', code => 503 } }, 'error', 503,
        'server_is_overloaded', 'gone wrong' ],
    'an event with a code' => [ { message => 'full', code => 429 }, 'error',
                                429, 'rate_limit_exceeded', 'full' ],
    'a code beside choices' => [
        { choices => [ { index => 0, delta => { content => '' },
                         finish_reason => 'error' } ],
          error => { message => 'backend died', code => 502 } },
        undef, 502, qr/./, 'backend died' ],
    'an error in the choice' => [
        { choices => [ { index => 0, delta => {}, finish_reason => 'error',
                         error => { message => 'backend died',
                                    code => 502 } } ] },
        undef, 502, qr/./, 'backend died' ],
    'a prompt that is too long' => [
        { error => { message => "This model's maximum context length is"
                                . ' 4096 tokens.', code => 400 } },
        undef, 400, 'context_length_exceeded', qr/4096/ ],
    'control characters' => [ { error => "a\nb\x{0}c\x{1b}\"\\d" }, undef,
                              500, 'server_error', "a b c \"\\d" ],
    'a long message' => [ { error => "\x{e9}" x 5000 }, undef, 500,
                          'server_error', qr/\A\x{e9}{200,256}\z/ ],
    'a page' => [ { error => '<html>secret</html>' }, undef, 500,
                  'server_error', qr/\A(?!.*secret)/ ],
);

# and when

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

for my $error (keys %errors) {
    my ($data, $event) = @{ $errors{$error} };

    for my $when (keys %before) {
        $scripts{"$error $when"} = [ sse_head(),
            (map { [ sse => $_ ] } @{ $before{$when} }),
            [ sse => $data, $event ], [ 'done' ] ];
    }

    $scripts{"$error at once"} = [ sse_head(), [ sse => $data, $event ] ];
    $scripts{"$error in JSON"} = json_script($data);
}

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

# what servers say of a prompt that is too long

my @overflows = (
    [ 'vLLM', 400, { object => 'error', type => 'BadRequestError',
      param => undef, code => 400, message => "This model's maximum context "
      . 'length is 4096 tokens. However, you requested 5000 tokens.' } ],
    [ 'vLLM, newer', 400, { error => { type => 'BadRequestError', code => 400,
      message => "This model's maximum context length is 4096 tokens." } } ],
    [ 'llama.cpp', 400, { error => { code => 400,
      type => 'exceed_context_size_error', message => 'the request exceeds '
      . 'the available context size, try increasing it', n_ctx => 4096 } } ],
    [ 'llama.cpp, older', 500, { error => { code => 500,
      type => 'server_error', message => 'the request exceeds the available '
      . 'context size. try increasing the context size' } } ],
    [ 'Ollama', 400, { error => { type => 'invalid_request_error',
      message => 'the input length exceeds the context length' } } ],
    [ 'Ollama, a text', 400, { error => 'the input length exceeds the '
                                        . 'context length' } ],
    [ 'Anthropic', 400, { type => 'error', error => {
      type => 'invalid_request_error',
      message => 'prompt is too long: 205000 tokens > 200000 maximum' } } ],
    [ 'a code alone', 400, { error => { code => 'context_length_exceeded',
                                        message => 'no' } } ],
    [ 'with 413', 413, { error => { message => 'the prompt is over the '
                                    . 'context window' } } ],
    [ 'with 422', 422, { error => { message => 'maximum context length' } } ],
);

$scripts{"overflow $_"} = json_script($overflows[$_][2], $overflows[$_][1])
    for 0 .. $#overflows;

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

# errors in an answer

for my $error (sort keys %errors) {
    my (undef, undef, $status, $code, $message) = @{ $errors{$error} };
    my @want = (code => $code, message => $message);

    $a->fails("$error at once", "E52: $error, at once", $status, @want);
    $a->fails("$error in JSON", "E52: $error, in JSON", $status, @want)
        if !defined $errors{$error}[1];

    for my $when (sort keys %before) {
        my ($s, $e) = $a->breaks("$error $when", "E52: $error, $when",
                                 $status, code => $code);

        like($e->{message}, ref $message ? $message : qr/\A\Q$message\E\z/,
             "E52: $error, $when: what was said");
        is($s->response->{error}{message}, $e->{message},
           "E52: $error, $when: again in the response");
    }
}

{
    my ($s) = $a->breaks('a number after text and call', 'E52: finished items',
                         429, code => 'rate_limit_exceeded');

    is_deeply([ map { $_->{type} } @{ nameless($s->response->{output}) } ],
              [ 'message', 'function_call' ],
              'C28: the output has the items that were finished');
    is_deeply([ ($s->types)[-2, -1] ], [ 'error', 'response.failed' ],
              'error, then failed');

    ($s) = $a->answer(undef, 'E52: error null beside an answer');
}


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

    for my $stream (1, 0) {
        my $r = $a->ask("status $status", stream => $stream);
        is($r->{headers}{'retry-after'}, 7, "status $status: retry-after");
    }
}

is($a->ask('retry-date')->{headers}{'retry-after'},
   'Wed, 21 Oct 2026 07:28:00 GMT', 'retry-after as a date');

for my $i (0 .. $#overflows) {
    $a->fails("overflow $i", "E54: $overflows[$i][0]", 400,
              type => 'invalid_request', code => 'context_length_exceeded');
}


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
