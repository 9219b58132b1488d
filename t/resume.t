#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Streams of stored responses, once more: what was sent up to an event and what
# comes after it is the original, to the byte.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( h2_request http_start post_json request );
use ORS::JSON qw( json_decode json_encode json_false json_true );
use ORS::Loop qw( plan call );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( error_ok response_ok stream_ok );
use ORS::Util qw( spew );

my @logprob = map { { token => $_, logprob => -0.5, bytes => [ ord ],
                      top_logprobs => [] } } 'a' .. 'f';

sub scored ($text, @tokens) {
    my $chunk = chat_chunk(content => $text);

    $chunk->{choices}[0]{logprobs} = { content => \@tokens };
    return [ sse => $chunk ];
}

sub cited ($n) {
    return [ sse => chat_chunk(delta => { annotations => [
        { type => 'url_citation', url_citation => {
            url => "http://e.com/$n", title => "T$n", start_index => 0,
            end_index => 2 } } ] }) ];
}

my @tail = ([ sse => chat_chunk(finish => 'stop') ],
            [ sse => chat_chunk(usage => chat_usage()) ], [ 'done' ]);

my %script = (
    text => stream_script(text => [ 'Hel', 'lo "', "w\x{f6}rld\n", 'x' x 300,
                                    "\x{1f600}", 'y' x 70_000, '.' ]),
    reasons => stream_script(reasoning => [ 'Let', ' me', ' see' ],
                             text => [ 'Yes', '.' ]),
    refuses => stream_script(text => [ 'Well' ], refusal => [ 'I', ' can',
                                                              'not' ]),
    calls => stream_script(text => 'Calling', tool_calls => [
        { id => 'c1', name => 'one', arguments => [ '{"a"', ':1', '}' ] },
        { id => 'c2', name => 'two', arguments => [ '{}' ] } ]),
    custom => stream_script(tool_calls => [
        { id => 'c1', name => 'patch',
          arguments => [ '{"inp', 'ut":"a', '\nb"', '}' ] } ]),
    cut => stream_script(text => [ 'One', ' two' ], finish => 'length'),
    empty => stream_script(text => [ '' ]),
    many => stream_script(text => [ map { "piece $_ " } 1 .. 10_000 ]),
    scores => [ sse_head(), scored('ab', @logprob[0, 1]),
                scored('c', $logprob[2]), scored('', $logprob[3]),
                scored('ef', @logprob[4, 5]), @tail ],
    cites => [ sse_head(), [ sse => chat_chunk(content => 'ab') ], cited(1),
               [ sse => chat_chunk(content => 'cd') ], cited(2), cited(3),
               @tail ],
    document => json_script(chat_reply(content => 'whole',
                                       reasoning => 'thought')),
);

my %tooled = (
    hosted => [ { text => 'Wait', tool_calls => [
                  call('get_weather', city => 'Oslo') ] }, 'It rains' ],
    hidden => [ { tool_calls => [ call('hidden') ] }, 'It rains' ],
);

my $model = ORS::Model->new(scripts => {
    default => plan(%tooled, map { $_ => [ $script{$_} ] } keys %script),
});
my $tools = ORS::Model->new(scripts => { weather => [ [ raw => 'rain' ] ] });

my $t = ORS::Nginx->new(workers => 2, model => { MODEL => $model,
                                                 TOOLS => $tools },
                        conf => <<'CONF');
    open_responses_store main lmdb:%%TESTDIR%%/db size=64m;
    open_responses_store_scope $http_x_user;
    open_responses_target default /to/model;

    open_responses_tool get_weather /tool/weather
                        definition=%%TESTDIR%%/any.json;
    open_responses_tool hidden /tool/weather definition=%%TESTDIR%%/any.json
                        show=none;

    server {
        listen 127.0.0.1:%%PORT_0%%;
        listen 127.0.0.1:%%PORT_1%% http2;

        location /v1/ {
            open_responses on;
            open_responses_store main;
        }

        location /limited/ {
            open_responses on;
            open_responses_store main;
            open_responses_limits queue=16k;
            limit_rate 4m;
        }

        location /openai/ {
            open_responses on;
            open_responses_store main;
            open_responses_flavor openai;
            open_responses_strict off;
        }

        %%CHAT /to/model /chat%%

        location /tool/ {
            internal;
            proxy_pass http://%%TOOLS%%/script/;
        }
    }
CONF

spew($t->dir . '/any.json',
     json_encode({ description => 'Any', parameters => { type => 'object' } }));

$t->start;

sub create ($at, $name, %more) {
    my $r = post_json($t->port, "/$at/responses",
                      { model => $name, input => 'hi', %more },
                      headers => { 'X-User' => 'ann' });

    is($r->{status}, 200, "$at, $name: created") or diag($r->{body});
    return $r;
}

sub get ($at, $id, $query, $user = 'ann') {
    return request($t->port, 'GET', "/$at/responses/$id$query",
                   { 'X-User' => $user });
}

my @frames;

for my $at (qw( v1 openai )) {
    for my $name (grep { $_ ne 'many' } sort keys %script, keys %tooled) {
        next if $name eq 'custom' && $at eq 'v1';

        my @custom = $name eq 'custom'
            ? (tools => [ { type => 'custom', name => 'patch' } ]) : ();
        my @functions = $name eq 'calls'
            ? (tools => [ map { { type => 'function', name => $_,
                                  strict => json_false,
                                  parameters => { type => 'object' } } }
                          qw( one two ) ]) : ();
        my $r = create($at, $name, stream => json_true, @custom, @functions,
                       $name eq 'scores'
                       ? (include => [ 'message.output_text.logprobs' ],
                          top_logprobs => 0) : ());
        my @expect = ($at eq 'openai' ? (flavor => 'openai') : (),
                      expect => $name eq 'cut' ? 'incomplete' : 'completed');
        my $s = stream_ok($r, "$at, $name", @expect);
        my $id = $s->response->{id};

        @frames = $r->{body} =~ /(.*?\n\n)/gs;

        my $again = get($at, $id, '?stream=true');

        stream_ok($again, "$at, $name: again", @expect);
        is($again->{body}, $r->{body}, "$at, $name: the same bytes")
            or last;

        for my $n (0 .. $#frames - 1) {
            my $rest = get($at, $id, "?stream=true&starting_after=$n");

            if ($rest->{body} ne join '', @frames[$n + 1 .. $#frames]) {
                is($rest->{body}, join('', @frames[$n + 1 .. $#frames]),
                   "$at, $name: after $n");
                last;
            }
        }
    }
}

# a response that was no stream has one, of whole texts

my $r = create('v1', 'document');
my $id = $r->{json}{id};
my $s = stream_ok(get('v1', $id, '?stream=true'), 'of a document');

is_deeply($s->response, $r->{json}, 'ends with the same response');
is(join(' ', $s->deltas), 'whole', 'a text is one delta');

my $last = $s->events->[-1]{data}{sequence_number};

is(get('v1', $id, '?stream=false')->{json}{id}, $id, 'stream=false');
is(get('v1', $id, '?stream=')->{json}{id}, $id, 'an empty argument');
is(get('v1', $id, '?starting_after=5')->{json}{id}, $id,
   'without a stream "starting_after" says nothing');

for my $case ([ 'stream=1', 'stream' ], [ 'stream=TRUE', 'stream' ],
              [ 'stream=true&include_obfuscation=x', 'include_obfuscation' ],
              [ 'stream=true&starting_after=-1', 'starting_after' ],
              [ 'stream=true&starting_after=x', 'starting_after' ],
              [ 'stream=true&starting_after=1.5', 'starting_after' ],
              [ 'stream=true&starting_after=99999999999999999999',
                'starting_after' ],
              [ 'stream=true&starting_after=' . ($last + 1), 'starting_after' ])
{
    my ($query, $param) = @$case;

    error_ok(get('v1', $id, "?$query"), 400, $query, code => 'invalid_value',
             param => $param);
}

is(get('v1', $id, "?stream=true&starting_after=$last")->{body},
   "data: [DONE]\n\n", 'after the last one there is nothing');
error_ok(get('v1', $id, '?stream=true', 'bob'), 404, 'of another scope',
         code => 'not_found');
error_ok(get('v1', 'resp_none', '?stream=true'), 404, 'of no response',
         code => 'not_found');

# a long one, for clients that are slow, limited, of HTTP/2, or leave

$r = create('v1', 'many', stream => json_true);
$id = stream_ok($r, 'many')->response->{id};

my $whole = $r->{body};
my $path = "responses/$id?stream=true";
my %ann = ('X-User' => 'ann');

my $slow = http_start($t->port, 'GET', "/v1/$path", \%ann);
my $gone = http_start($t->port, 'GET', "/limited/$path", \%ann);

$gone->read_slow(10_000, 0.01, 3);
$gone->reset;
$slow->read_slow(20_000, 0.02, 10);
ok($slow->read_response->{body} eq $whole, 'a slow client gets all of it');
ok(get('limited', $id, '?stream=true')->{body} eq $whole, 'with limit_rate');
ok(h2_request($t->port(1), 'GET', "/v1/$path", \%ann)->{body} eq $whole,
   'over HTTP/2');
ok(get('v1', $id, '?stream=true&starting_after=9000')->{body}
   eq $whole =~ s/\A.*?"sequence_number":9000,[^\n]*\n\n//sr,
   'the end of it');

# padding is as long as the client wants, not as it was

$s = stream_ok(get('openai', create('v1', 'document')->{json}{id},
                   '?stream=true&include_obfuscation=true'),
               'with obfuscation');
ok(length $s->event('response.output_text.delta')->{obfuscation},
   'deltas are padded');

is(request($t->port, 'HEAD', "/v1/responses/$id?stream=true",
           { 'X-User' => 'ann' })->{headers}{'content-type'},
   'text/event-stream', 'HEAD');

$t->finish;

done_testing();
