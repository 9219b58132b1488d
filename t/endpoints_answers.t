#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Requests to all endpoints and their answers: what passes as it is, what is
# put right, and what does not pass.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_decode json_encode json_true );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Sample;
use ORS::Stream qw( error_ok );

use constant SECRET => 'magpie';

my $secret = SECRET;

my $usage = json_encode(response('completed')->{usage});
my $counts = '{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}';

# good answers, with the marks of their servers

my %good = (
    'responses/compact' => qq({ "id" : "resp_1",\n"object":"response.)
        . qq(compaction","output":[ ],"created_at":1e9,"x":[1e400],)
        . qq("usage":$usage}),
    'chat/completions' => qq({"id":"c-1", "object":"chat.completion",)
        . qq("created":1,"model":"inner","choices":[\n{"index":0,"message":)
        . qq({"role":"assistant","content":"\\u0048i","x":0.70},)
        . qq("finish_reason":"stop"}],"usage":$counts}),
    'embeddings' => qq({"object":"list","model":"inner","data":[{"object":)
        . qq("embedding","index":0,"embedding":[0.10, -2e-3]}],"usage":)
        . qq({"prompt_tokens":1,"total_tokens":1}, "x":null}),
);

my $base64 = $good{embeddings} =~ s/\[0\.10, -2e-3\]/"zczMPW8SA7s="/r;

my %ask = (
    'responses/compact' => '"input":[ ],"y":1e400',
    'chat/completions' => '"messages":[ {"role":"user","content":'
                          . '"\u0068i"}],"top_k":40,"temperature":0.70',
    'embeddings' => '"input":[[1, 2],[3]] ,"y":12345678901234567890',
);


sub chunk ($delta, $more = '') {
    return qq(data: {"id":"c-1","object":"chat.completion.chunk","created":)
           . qq(1,"model":"inner","choices":[{"index":0,"delta":$delta$more})
           . qq(]}\n\n);
}

my $begin = chunk('{"role":"assistant","content":""}')
            . chunk('{"content":"\u0048i"}');
my $finish = chunk('{}', ',"finish_reason":"stop"');
my $stream = ":\n\n$begin$finish" . "data: [DONE]\n\n";


# answers are sent by their number

my @scripts;

sub answers ($body, %o) {
    my $events = $body =~ /\A(?:data|:|event)/;

    push @scripts, [
        [ status => $o{status} // 200 ],
        [ header => 'Content-Type', $o{type}
          // ($events ? 'text/event-stream' : 'application/json') ],
        defined $o{cut} ? ([ framing => 'length' ],
                           [ header => 'Content-Length', length $body ],
                           [ 'head' ], [ cut_at => $o{cut} ]) : (),
        [ raw => $body ],
    ];

    return "answer-$#scripts";
}


my $t;
my $model;

my @cases;
my sub with ($name, $script, $check) {
    push @cases, [ $name, $script, $check ];
}


sub ask ($endpoint, $name, $script, $more = '') {
    return post_json($t->port, "/v1/$endpoint",
                     qq({"model": "$name",$ask{$endpoint}$more}),
                     headers => { 'X-Script' => $script });
}


# answers that pass

my sub passes ($endpoint, $text, $more = '') {
    with($endpoint, answers($text), sub ($script) {
        for ([ 'native', 'native' ], [ 'renamed', 'inner' ],
             [ 'chat', 'chat' ], [ 'chat\u002Drenamed', 'inner' ])
        {
            my ($name, $upstream) = @$_;
            next if $endpoint eq 'responses/compact' && $name =~ /^chat/;

            my $r = ask($endpoint, $name, $script, $more);
            my $label = "$endpoint, $name";

            is($r->{status}, 200, "$label: status") or diag($r->{body});
            is($r->{body}, $text =~ s/"inner"/"$name"/gr,
               "$label: answer, but for the name, byte for byte");
            is($model->last_request->{body},
               qq({"model": "$upstream",$ask{$endpoint}$more}),
               "$label: request, but for the name, byte for byte");
        }
    });
}

passes($_, $good{$_}) for sort keys %good;
passes('embeddings', $base64, ',"encoding_format":"base64"');
passes('chat/completions', $stream, ',"stream":true');


# answers that are put right

my sub repaired ($name, $endpoint, $text, $wanted, $more = '') {
    with("$endpoint, $name", answers($text), sub ($script) {
        my $r = ask($endpoint, 'native', $script, $more);

        is($r->{status}, 200, "$endpoint, $name: status");
        is($r->{body}, $wanted, "$endpoint, $name: put right");
    });
}

repaired('little', 'chat/completions',
       '{"choices":[{"message":{"content":"Hi"}}],"created":7}',
       '{"choices":[{"message":{"content":"Hi","role":"assistant"},'
       . '"index":0,"finish_reason":null}],"created":7,"id":"",'
       . '"object":"chat.completion","model":"native"}');
repaired('little', 'embeddings', '{"data":[{"embedding":[1]}]}',
       '{"data":[{"embedding":[1],"object":"embedding","index":0}],'
       . '"object":"list","model":"native",'
       . '"usage":{"prompt_tokens":0,"total_tokens":0}}');
repaired('no object', 'responses/compact',
       $good{'responses/compact'} =~ s/"object":"[^"]+",//r,
       $good{'responses/compact'} =~ s/"object":"[^"]+",//r
       =~ s/\}\z/,"object":"response.compaction"}/r);
repaired('no [DONE]', 'chat/completions', $begin . $finish,
       "$begin${finish}data: [DONE]\n\n" =~ s/"inner"/"native"/gr,
       ',"stream":true');
repaired('CRLF, words in a comment', 'chat/completions',
       $stream =~ s/:/: $secret/r =~ s/\n/\r\n/gr,
       $stream =~ s/"inner"/"native"/gr, ',"stream":true');


# answers that do not pass

my sub broken ($name, $endpoint, $body, $code = 'invalid_upstream_answer',
               %o)
{
    my $more = delete $o{more} // '';

    with("$endpoint, $name", answers($body, %o), sub ($script) {
        my $r = ask($endpoint, 'native', $script, $more);

        error_ok($r, 502, "$endpoint, $name", code => $code);
        unlike($r->{body}, qr/${\SECRET}|"zeta"/,
               "$endpoint, $name: nothing of it");
    });
}

for my $endpoint (sort keys %good) {
    my $text = $good{$endpoint} =~ s/"(?:c-1|resp_1|inner)"/"$secret"/r;

    broken('not JSON', $endpoint, "$secret says so");
    broken('empty', $endpoint, '');
    broken('a list', $endpoint, "[$text]");
    broken('another object', $endpoint, qq({"object":"$secret"}));
    broken('a page', $endpoint, "<html>$secret</html>",
           'invalid_upstream_answer', type => 'text/html');
    broken('cut', $endpoint, $text, 'upstream_disconnected', cut => 40);
    broken('events', $endpoint, $stream);
}

broken('no output', 'responses/compact',
       $good{'responses/compact'} =~ s/"output":\[ \],//r);
broken('no usage', 'responses/compact',
       $good{'responses/compact'} =~ s/,"usage":.*/}/sr);
broken('a response', 'responses/compact',
       json_encode(response('completed')));
broken('no choices', 'chat/completions', '{"choices":[]}');
broken('a number for a text', 'chat/completions',
       $good{'chat/completions'} =~ s/"\\u0048i"/5/r);
broken('a chunk', 'chat/completions',
       $good{'chat/completions'} =~ s/\.completion"/.completion.chunk"/r);
broken('a call without a name', 'chat/completions',
       $good{'chat/completions'} =~ s/"x":0.70/"tool_calls":[{"id":"c",
                                   "function":{"arguments":"$secret"}}]/r);
broken('a document', 'chat/completions', $good{'chat/completions'},
       'invalid_upstream_answer', more => ',"stream":true');
broken('a broken first chunk', 'chat/completions',
       qq(data: {"choices":"$secret"}\n\n), 'invalid_upstream_answer',
       more => ',"stream":true');
broken('no event at all', 'chat/completions', ": $secret",
       'upstream_disconnected', more => ',"stream":true');
broken('no data', 'embeddings', '{"data":[]}');
broken('words for numbers', 'embeddings',
       $good{embeddings} =~ s/0\.10/"$secret"/r);
broken('no numbers', 'embeddings',
       $good{embeddings} =~ s/\[0\.10, -2e-3\]/""/r);


# streams that begin, and break

my sub ends ($name, $rest, $code = 'invalid_upstream_answer') {
    with("stream, $name", answers($begin . $rest), sub ($script) {
        my $r = ask('chat/completions', 'native', $script,
                    ',"stream":true');
        my ($head, $error) = $r->{body} =~ m{\A(.*?\n\n)
            data:\ (\{"error":[^\n]+)\n\ndata:\ \[DONE\]\n\n\z}xs;

        is($r->{status}, 200, "stream, $name: status");
        ok($r->{complete}, "stream, $name: it is not cut");
        is($head, $begin =~ s/"inner"/"native"/gr,
           "stream, $name: what was good");

        my $e = json_decode($error // '{}')->{error};

        is_deeply([ @{ $e // {} }{qw( type code )} ],
                  [ 'server_error', $code ], "stream, $name: error")
            or diag($r->{body});
        unlike($r->{body}, qr/${\SECRET}/, "stream, $name: nothing of it");
    });
}

ends('cut', '', 'upstream_disconnected');
ends('cut in a chunk', qq(data: {"id":"$secret), 'upstream_disconnected');
ends('not JSON', "data: $secret\n\n");
ends('text that is a number', chunk(qq({"content":5,"x":"$secret"})));
ends('no choices', qq(data: {"id":"$secret"}\n\n));
ends('a call that is no object', chunk(qq({"tool_calls":["$secret"]})));
ends('an index below zero',
     chunk('{}') =~ s/"index":0/"index":-1,"x":"$secret"/r);
ends('a chunk over the limit', chunk('{"content":"' . $secret x 1000 . '"}'),
     'event_too_large');
ends('[DONE] and more', "data: [DONE$secret\n\n");


# requests

my sub wrong ($name, $endpoint, $text, $code, $param, %expect) {
    with("$endpoint, $name", undef, sub ($script) {
        my $n = $model->count;

        for my $to (qw( native chat )) {
            error_ok(post_json($t->port, "/v1/$endpoint",
                               $text =~ s/MODEL/"model":"$to"/r), 400,
                     "$endpoint, $name, $to", code => $code,
                     param => $param, type => 'invalid_request', %expect);
        }

        is($model->count, $n, "$endpoint, $name: not sent");
    });
}

for my $endpoint (sort keys %ask) {
    my $rest = $ask{$endpoint};

    wrong('no body', $endpoint, '', 'invalid_json', '');
    wrong('not JSON', $endpoint, '{MODEL,', 'invalid_json', '');
    wrong('a list', $endpoint, "[{MODEL,$rest}]", 'invalid_type', '');
    wrong('no model', $endpoint, "{$rest}", 'missing_required_parameter',
          'model');
    wrong('no model\'s name', $endpoint, qq({"model":"",$rest}),
          'missing_required_parameter', 'model');
    wrong('a number for a model', $endpoint, qq({"model":5,$rest}),
          'invalid_type', 'model');
    wrong('a model twice', $endpoint, qq({MODEL,"model":"x",$rest}),
          'duplicate_key', 'model');
    wrong('a model that is a line', $endpoint, qq({"model":"a\\n",$rest}),
          'invalid_value', 'model');
}

wrong('an input of another type', 'responses/compact', '{MODEL,"input":5}',
      'invalid_type', 'input');
wrong('an item without content', 'responses/compact',
      '{MODEL,"input":[{"type":"message","role":"user"}]}',
      'missing_required_parameter', 'input[0].content');
wrong('no messages', 'chat/completions', '{MODEL}',
      'missing_required_parameter', 'messages');
wrong('an empty list', 'chat/completions', '{MODEL,"messages":[]}',
      'array_below_min_length', 'messages');
wrong('an unknown role', 'chat/completions',
      '{MODEL,"messages":[{"role":"user","content":""},{"role":"king"}]}',
      'invalid_value', 'messages[1].role', message => qr/"king"/);
wrong('a part without text', 'chat/completions',
      '{MODEL,"messages":[{"role":"user","content":[{"type":"text"}]}]}',
      'missing_required_parameter', 'messages[0].content[0].text');
wrong('a tool without a name', 'chat/completions',
      '{MODEL,"messages":[{"role":"user","content":""}],'
      . '"tools":[{"type":"function","function":{}}]}',
      'missing_required_parameter', 'tools[0].function.name');
wrong('stream "yes"', 'chat/completions',
      '{MODEL,"messages":[{"role":"user","content":""}],"stream":"yes"}',
      'invalid_type', 'stream');
wrong('no input', 'embeddings', '{MODEL}', 'missing_required_parameter',
      'input');
wrong('an empty list', 'embeddings', '{MODEL,"input":[]}',
      'array_below_min_length', 'input');
wrong('an unknown form', 'embeddings',
      '{MODEL,"input":"","encoding_format":"hex"}', 'invalid_value',
      'encoding_format');
wrong('no dimensions', 'embeddings', '{MODEL,"input":"","dimensions":0}',
      'integer_below_min_value', 'dimensions');


# all of them

$model = ORS::Model->new(scripts => {
    map { ("answer-$_" => $scripts[$_]) } 0 .. $#scripts });

$t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    open_responses_limits  event=4k;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
            open_responses_target  native        /to/native;
            open_responses_target  renamed       /to/renamed;
            open_responses_target  chat          /to/chat;
            open_responses_target  chat-renamed  /to/chat-renamed;
        }

        location = /to/native {
            internal;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }

        location = /to/renamed {
            internal;
            open_responses_model inner;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }

        location = /to/chat {
            internal;
            open_responses_dialect chat;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }

        location = /to/chat-renamed {
            internal;
            open_responses_dialect chat;
            open_responses_model inner;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }
    }
CONF

$t->start;

for (@cases) {
    my ($name, $script, $check) = @$_;

    $check->($script);
}

unlike($t->error_log, qr/${\SECRET}/,
       'nothing of the answers is in the log');

$t->finish;

done_testing();
