#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# A real model behind the gateway: llama.cpp's server for Python, which takes
# one request at a time, and a model so small that it makes no sense.  What
# has sense are the answers' form, and what a grammar makes it say.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Engine;
use ORS::HTTP qw( post_json http_start );
use ORS::JSON qw( json_decode json_encode json_true );
use ORS::Nginx;
use ORS::SDK qw( python_tests );
use ORS::Stream qw( stream_ok response_ok error_ok );

use constant PATIENCE => 120;

my $engine = ORS::Engine->new(text => 'gemma',
                              tools => 'chatml-function-calling');

my $nginx = ORS::Nginx->new(model => { ENGINE => $engine }, conf => <<'CONF');
    upstream engine {
        server %%ENGINE%%;
        keepalive 4;
    }

    server {
        listen 127.0.0.1:%%PORT_0%%;

        proxy_http_version  1.1;
        proxy_set_header    Connection "";
        proxy_read_timeout  120s;

        # it closes connections after streams, and after errors

        proxy_next_upstream  error non_idempotent;

        location /v1/ {
            open_responses         on;
            open_responses_flavor  openai;
            open_responses_target  default  /to/engine;
            open_responses_target  bare     /to/bare;
        }

        location = /to/engine {
            internal;
            open_responses_dialect  chat;
            open_responses_chat_options     tokens=max_tokens systems=one
                                    content=empty format=json_object
                                    strict=off;
            proxy_pass http://engine$open_responses_uri;
        }

        location = /to/bare {
            internal;
            open_responses_dialect  chat;
            proxy_pass http://engine$open_responses_uri;
        }
    }
CONF

$nginx->start;


sub ask ($name, $stream, $input, %more) {
    return post_json($nginx->port, '/v1/responses', {
        model => $name, input => $input, temperature => 0,
        max_output_tokens => 60, $stream ? (stream => json_true) : (), %more },
        timeout => PATIENCE);
}


# a model may say more than there is room for

sub answered ($r, $stream, $label, %expect) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;

    return $stream ? stream_ok($r, $label, %expect)
                   : response_ok($r, $label, %expect);
}


my %city = (type => 'string', enum => [ 'Paris', 'Rome' ]);
my %schema = (type => 'object', properties => { city => \%city },
              required => [ 'city' ]);

my @tools = map {
    { type => 'function', name => $_, description => "Tells the $_",
      parameters => \%schema }
} qw( weather time );

for my $stream (0, 1) {
    my $how = $stream ? ', streamed' : '';

    my $s = answered(ask('text', $stream, 'Count: 1, 2, 3, 4,',
                         max_output_tokens => 16),
                     $stream, "a text that is cut$how",
                     expect => 'incomplete', reason => 'max_output_tokens');

    like($s->text, qr/\S/, "a text$how");

    # there is no usage with a stream of this server

    is($s->usage->{output_tokens}, $stream ? 0 : 16, "usage$how");
    cmp_ok($s->usage->{input_tokens}, $stream ? '==' : '>', 0, "input$how");

    $s = answered(ask('tools', $stream, 'A city?', text => { format => {
                          type => 'json_schema', name => 'city',
                          schema => \%schema } }),
                  $stream, "an object$how", expect => 'completed');

    like(json_decode($s->text)->{city}, qr/^(?:Paris|Rome)$/,
         "it fits the schema$how");

    $s = answered(ask('tools', $stream, 'Rain in Rome?', tools => \@tools,
                      tool_choice => { type => 'function',
                                       name => 'weather' }),
                  $stream, "a call$how", expect => 'completed');

    my ($call, @others) = @{ $s->calls };

    is(@others, 0, "one call$how");
    is($call->{name}, 'weather', "its name$how");
    like(json_decode($call->{arguments})->{city}, qr/^(?:Paris|Rome)$/,
         "its arguments fit the schema$how");

    $s = answered(ask('tools', $stream, [
        { role => 'user', content => 'Rain in Rome?' },
        { %$call{qw( type call_id name arguments )} },
        { type => 'function_call_output', call_id => $call->{call_id},
          output => 'No rain.' },
        { role => 'developer', content => 'Be brief.' },
        { role => 'user', content => [
            { type => 'input_text', text => 'And in' },
            { type => 'input_text', text => 'Paris?' } ] },
    ], tools => \@tools, instructions => 'Speak.', max_output_tokens => 16,
       tool_choice => 'none'), $stream, "several rounds$how");
}

# which of both it is, the model knows

my $s = response_ok(ask('tools', 0, 'Say hi.', tools => \@tools,
                        max_output_tokens => 16), 'tools that may be called');

cmp_ok(@{ $s->calls }, '<=', 1, 'one call, or a text');


# errors

my $long = 'far too long ' x 2000;

error_ok(ask('text', 0, $long), 400, 'more than the context',
         code => 'context_length_exceeded', message => qr/2048 tokens/);
error_ok(ask('text', 1, $long), 502, 'more than the context, streamed',
         code => 'upstream_disconnected');
error_ok(ask('tools', $_, 'x', tools => \@tools, tool_choice => 'required'),
         $_ ? 502 : 500, 'what the server cannot do', type => 'server_error')
    for 0, 1;
error_ok(ask('text', 0, 'x', temperature => 'hot'), 400,
         'a temperature that is none', param => 'temperature');
error_ok(ask('bare', 0, 'A city?', text => { format => {
             type => 'json_schema', name => 'n', schema => \%schema } }),
         500, 'a format it does not know', message => qr/json_object/);


# a client that leaves, and the next one, which does not wait for its text

my @story = (model => 'text', temperature => 0, stream => json_true,
             input => 'Count: 1, 2, 3, 4,', max_output_tokens => 1900);

my $c = http_start($nginx->port, 'POST', '/v1/responses',
                   { 'Content-Type' => 'application/json' },
                   json_encode({ @story }), timeout => PATIENCE);

ok($c->wait_body(qr/output_text\.delta/), 'a text has begun')
    or diag($c->body);

my $begun = $c->body;

$c->close;
stream_ok($begun, 'as far as it was seen', partial => 1);

response_ok(ask('text', 0, 'Hi', max_output_tokens => 16), 'the next client');

# one that stays is cut by the next one, as the server does by default, which
# says [DONE] then

$c = http_start($nginx->port, 'POST', '/v1/responses',
                { 'Content-Type' => 'application/json' },
                json_encode({ @story }), timeout => PATIENCE);

ok($c->wait_body(qr/output_text\.delta/), 'another text has begun');

response_ok(ask('text', 0, 'Hi', max_output_tokens => 16), 'who cuts it');
stream_ok($c->read_response, 'a stream that was cut', expect => 'completed');


python_tests('engine/engine_test.py',
             { front => $nginx->address(0), model => $engine });

$nginx->finish;

done_testing();
