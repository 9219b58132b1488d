#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Two founding documents, from the client's side and with conf.d/text-only.conf:
# complete rounds of Gambit ("nested tools", "params", "JSON strings are passed
# byte for byte", "a stream asked of a backend that cannot", and
# "response.failed: { type, error: { code, message } }") and of Graphlit
# ("content: ResponseContentPart | ResponseContentPart[] | string").

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_decode json_true );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( stream_ok response_ok );
use ORS::Util qw( slurp );

# a call, and the text when its output is there

my $raw = '{"city": "Oslo",  "n":12345678901234567890,"t":1.0e+2,'
          . '"u":"\u00e5\/"}';
my $call = chat_reply(tool_calls => [ {
    id => 'call_1', name => 'weather', arguments => $raw } ]);

my $model = ORS::Model->new(scripts => {
    default => sub ($conn, $r) {
        my $body = json_decode($r->{body});
        my $last = $body->{messages}[-1];

        return $conn->_step_json({ error => { message => 'no', type => 'x',
                                              code => 'c', param => undef } },
                                 500)
            if $last->{content} && $last->{content} =~ /fail/;

        $conn->_step_json($last->{role} eq 'tool' || !$body->{tools}
                          ? chat_reply(content => "It rains.") : $call);
    },
});

my $conf = slurp("$ORS::Nginx::ROOT/conf.d/text-only.conf");
my $address = $model->address;

$conf =~ s/listen 8080;/listen 127.0.0.1:%%PORT_0%%;/;
$conf =~ s/127\.0\.0\.1:8000/$address/;

my $t = ORS::Nginx->new(conf => $conf);
$t->start;


sub ask (%body) {
    return post_json($t->port, '/v1/responses', { model => 'm', %body });
}

sub sent () { json_decode($model->last_request->{body}) }


# Gambit

my %tool = (type => 'function', function => {
    name => 'weather', description => 'The weather of a city.',
    parameters => { type => 'object',
                    properties => { city => { type => 'string' } } } });
my %nested = (
    tools => [ \%tool ],
    tool_choice => { type => 'function', function => { name => 'weather' } },
    params => { temperature => 0.5, seed => 7, top_k => 20 },
    stream => json_true,
);
my @said = ({ type => 'message', role => 'user',
              content => [ { type => 'input_text', text => 'Rain?' } ] });

my $s = stream_ok(ask(%nested, input => \@said), 'Gambit: a call, as a stream',
                  lax => 1);
my $sent = sent();

is_deeply($sent->{tools}[0]{function}{name}, 'weather', 'nested tools: sent');
is($sent->{tool_choice}{function}{name}, 'weather', 'nested choice: sent');
is_deeply([ @$sent{qw( temperature seed top_k )} ], [ 0.5, 7, 20 ],
          'params: sent');
ok(!$sent->{stream}, 'the backend is asked for a whole answer');

my ($item) = grep { $_->{type} eq 'function_call' }
             @{ $s->response->{output} };
is($item->{arguments}, $raw, 'arguments: byte for byte');

$s = stream_ok(ask(%nested, tool_choice => 'auto', input => [
    @said, $item,
    { type => 'function_call_output', call_id => $item->{call_id},
      output => $raw } ]), 'Gambit: the answer, as a stream', lax => 1);

my @messages = @{ sent()->{messages} };

is($messages[-2]{tool_calls}[0]{function}{arguments}, $raw,
   'arguments again: byte for byte');
is($messages[-1]{content}, $raw, 'output: byte for byte');
is($s->response->{output}[-1]{content}[0]{text}, 'It rains.', 'the answer');

# a failure within a stream: an error event, and what Gambit reads

my $failed = ORS::Model->new(scripts => {
    default => [ sse_head(), [ sse => chat_chunk(content => 'It') ],
                 [ 'close' ] ] });
my $broken = ORS::Nginx->new(conf => <<"CONF");
    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
            open_responses_strict off;
            open_responses_target default /to/model;
        }

        location /strict/ {
            open_responses on;
            open_responses_target default /to/model;
        }

        location = /to/model {
            internal;
            open_responses_dialect chat;
            proxy_pass http://@{[ $failed->address ]}/chat;
        }
    }
CONF
$broken->start;

for my $at (qw( /v1 /strict )) {
    my $r = post_json($broken->port, "$at/responses",
                      { model => 'm', input => 'hi', stream => json_true });
    my $event = stream_ok($r, "$at: a stream that fails",
                          expect => 'failed')->event('response.failed');

    is_deeply($event->{error},
              $at eq '/v1' ? $event->{response}{error} : undef,
              "$at: the error beside the response, where nothing is strict");
}

$broken->finish;

# Graphlit

for my $content ('Rain?', { type => 'input_text', text => 'Rain?' },
                 [ { type => 'input_text', text => 'Rain?' } ])
{
    response_ok(ask(input => [ { role => 'user', content => $content } ]),
                'Graphlit: content is ' . (ref $content || 'a string'));

    is(sent()->{messages}[-1]{content} =~ /Rain/ ? 1 : 0, 1, 'it is sent');
}

$t->finish;
done_testing();
