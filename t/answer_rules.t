#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Rules that a request makes for tool calls hold, whatever the model does.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Adapter qw( nameless );
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_true json_false );
use ORS::Model qw( :all );
use ORS::Nginx ();
use ORS::Stream qw( stream_ok response_ok error_ok );

my @tools = map { { type => 'function', name => $_ } } qw( f g );


# a stream in which the functions are called, one after the other

sub calls (@names) {
    my $n = 0;

    return [ sse_head(),
             (map { [ sse => $_ eq 'text' ? chat_chunk(content => 'Hi')
                      : chat_chunk(tool_calls => [ {
                          index => $n, id => 'c' . $n++, type => 'function',
                          function => { name => $_, arguments => '{}' },
                      } ]) ] } @names),
             [ sse => chat_chunk(finish => 'stop') ], [ 'done' ] ];
}


sub allow ($mode, @names) {
    return { type => 'allowed_tools', mode => $mode,
             tools => [ map { { type => 'function', name => $_ } } @names ] };
}


# the client's view of an answer: names of functions, and "text"

sub told ($s) {
    return join ' ', map { $_->{name} // 'text' } $s->items->@*;
}


my %scripts = (
    f => calls('f'), g => calls('g'), x => calls('x'),
    text => calls('text'), fg => calls(qw( f g )),
    'text-f' => calls(qw( text f )), 'x-g' => calls(qw( x g )),
);

my $adapter = ORS::Adapter->new(scripts => \%scripts);


for my $case (
    [ 'R69: none', 'text-f', { tool_choice => 'none' }, 'text' ],
    [ 'R71: one of the list', 'g', { tool_choice => allow('auto', 'g') },
      'g' ],
    [ 'R73: another one beside it', 'fg',
      { tool_choice => allow('auto', 'g') }, 'g' ],
    [ 'R68: required', 'f', { tool_choice => 'required' }, 'f' ],
    [ 'R68: required, tolerant', 'text', { tool_choice => 'required' },
      'text' ],
    [ 'R70: named', 'g',
      { tool_choice => { type => 'function', name => 'g' } }, 'g' ],
    [ 'E65: not offered, tolerant', 'x', {}, 'x' ],
    [ 'one call at a time', 'fg', { parallel_tool_calls => json_false },
      'f' ],
    [ 'several calls', 'fg', { parallel_tool_calls => json_true }, 'f g' ],
) {
    my ($name, $script, $body, $expected) = @$case;
    my ($s) = $adapter->answer($script, $name,
                               body => { tools => \@tools, %$body });

    is(told($s), $expected, "$name: what is told");
}

$adapter->breaks('f', 'R69: nothing but a call', 500, code => 'model_error',
                 body => { tools => \@tools, tool_choice => 'none' });
$adapter->breaks('f', 'R73: nothing but another one', 500,
                 code => 'model_error',
                 body => { tools => \@tools,
                           tool_choice => allow('auto', 'g') });

my $told = $adapter->nginx->error_log;

like($told, qr/\[warn\].*model called a tool where none may be called/,
     'it is in the log');
unlike($told, qr/"(f|g)"/, 'without names');

$adapter->finish;


# the strict profile

my $model = ORS::Model->new(scripts => \%scripts);
my $nginx = ORS::Nginx->new(model => $model, conf => <<'CONF')->start;
    open_responses_target default /to/model;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ { open_responses on; }

        %%CHAT /to/model /v1/chat/completions%%
    }
CONF

sub ask ($script, $stream, %body) {
    return post_json($nginx->port, '/v1/responses',
                     { model => 'm', input => 'hi', tools => \@tools,
                       stream => $stream ? json_true : json_false, %body },
                     headers => { 'X-Script' => $script });
}


sub fails ($script, $name, %body) {
    stream_ok(ask($script, 1, %body), "$name: stream", expect => 'failed',
              code => 'model_error');
    error_ok(ask($script, 0, %body), 500, $name, type => 'model_error',
             code => 'model_error');
}


fails('text', 'R68: strict, no call', tool_choice => 'required');
fails('f', 'R70: strict, another one',
      tool_choice => { type => 'function', name => 'g' });
fails('x', 'E65: strict, not offered');

is(told(stream_ok(ask('x-g', 1), 'E65: strict, beside one that was')), 'g',
   'E65: strict, beside one that was: the text');
is(told(response_ok(ask('g', 0, tool_choice => 'required'),
                    'R68: strict, a call')), 'g',
   'R68: strict, a call: the text');

$nginx->finish;

done_testing();
