#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# "open_responses_dialect chat server=NAME": what is sent to servers of that
# name, and what directives beside it change.  conf_d.t has those that are in
# conf.d/chat-options.conf.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_decode json_false json_true );
use ORS::Model qw( chat_reply json_script stream_script );
use ORS::Nginx;
use ORS::Stream qw( error_ok response_ok stream_ok );

# Ollama 0.17.4 answers this for a model that does not think, and for one that
# thinks but not in steps; the name of the model says which it is

my $model = ORS::Model->new(scripts => { ollama => sub ($conn, $r) {
    my $asked = json_decode($r->{body});
    my $effort = $asked->{reasoning_effort} // '';
    my $message
        = $asked->{model} =~ /thinker/ || $effort eq ''
              ? ''
        : $asked->{model} =~ /plain/
              ? qq("$asked->{model}" does not support thinking)
              : qq(think value "$effort" is not supported for this model);

    $message = 'something else' if $asked->{model} =~ /broken/;

    $conn->_play($message
        ? [ [ status => 400 ], [ json => { error => {
              message => $message, type => 'api_error', param => undef,
              code => undef } } ] ]
        : $asked->{stream}
        ? stream_script(text => [ 'Hello' ])
        : json_script(chat_reply(content => 'Hello')), 0);
} });

my $thinking = { chat_template_kwargs => { enable_thinking => json_false } };
my $low = { reasoning_effort => 'low' };
my $high = { reasoning_effort => 'high' };

# the words after "chat", the name for a limit, what efforts become

my @cases = (
    ['server=sglang', 'max_completion_tokens', none => $thinking,
     minimal => $thinking, low => $low, max => $high],
    ['server=lmstudio', 'max_tokens', minimal => $low, high => $high,
     none => { reasoning_effort => 'none' },
     max => { reasoning_effort => 'xhigh' }],
    ['server=groq', 'max_completion_tokens', minimal => $low, max => $high,
     none => { reasoning_effort => 'none' }],
    ['server=xai', 'max_completion_tokens', minimal => $low, xhigh => $high,
     medium => { reasoning_effort => 'medium' }],

    # the location's own directives come first, wherever they are in it

    ['server=groq; open_responses_chat_options tokens=max_tokens',
     'max_tokens', minimal => $low],
    ['server=xai; open_responses_reasoning_effort max /effort 9',
     'max_completion_tokens', max => { effort => 9 },
     minimal => { reasoning_effort => 'minimal' }],
);

my $locations = join '', map { <<"CONF" } 0 .. $#cases;
    location = /to/$_ {
        internal;
        open_responses_dialect chat $cases[$_][0];
        proxy_pass http://%%MODEL%%\$open_responses_uri;
    }
CONF
my $targets = join '', map { "open_responses_target m$_ /to/$_;\n" }
                           0 .. $#cases;

# those of the server around it come last, and nested locations inherit

my $t = ORS::Nginx->new(model => $model, conf => <<"CONF");
    open_responses_chat_options tokens=max_completion_tokens files=on;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
            open_responses_target nested /group/x;
            open_responses_target llama /to/llama;
            open_responses_target ~^o- /to/ollama;
            open_responses_target two /to/ollama /to/0 max_fails=1;
            $targets
        }

        location = /to/llama {
            internal;
            open_responses_dialect chat server=llama.cpp;
            proxy_pass http://%%MODEL%%\$open_responses_uri;
        }

        location = /to/ollama {
            internal;
            open_responses_dialect chat server=ollama;
            proxy_set_header X-Script ollama;
            proxy_pass http://%%MODEL%%\$open_responses_uri;
        }

        location /group/ {
            internal;
            open_responses_dialect chat server=ollama;

            location = /group/x {
                internal;
                proxy_pass http://%%MODEL%%\$open_responses_uri;
            }
        }

        $locations
    }
CONF

$t->start;

for my $i (0 .. $#cases) {
    my ($words, $tokens, %effort) = @{ $cases[$i] };

    sent("m$i", $words, $tokens, $_, $effort{$_}) for sort keys %effort;
}

sent('nested', 'nested', 'max_tokens', minimal => $low);

# llama.cpp takes a tool_choice that is an object for "auto"

post_json($t->port, '/v1/responses', {
    model => 'llama', input => 'hi',
    tools => [ map { { type => 'function', name => $_ } } qw( get_it do_it ) ],
    tool_choice => { type => 'function', name => 'do_it' } });

my $chosen = json_decode($model->last_request->{body});

is($chosen->{tool_choice}, 'required', 'llama.cpp: a call is required');
is_deeply([ map { $_->{function}{name} } $chosen->{tools}->@* ], ['do_it'],
          '... of the tool that is named');

# an effort that a model at Ollama refuses is left out, and remembered

for my $name (qw( o-plain-1 o-steps-1 )) {
    for my $stream (0, 1) {
        is(effort($name . $stream, $stream), ' high', "$name$stream: refused");
        is(effort($name . $stream, $stream), '', "$name$stream: left out");
    }
}

is(effort('o-thinker', 0), 'high', 'a model that thinks gets its effort');
is(effort('two', 1), ' high', 'no other target is called');
is(effort('two', 0), '', '... nor is the first one left out');

$model->forget;
error_ok(post_json($t->port, '/v1/responses', {
    model => 'o-broken', input => 'hi', reasoning => { effort => 'low' } }),
    400, 'something else that is refused');
is(scalar(my @asked = $model->requests), 1, '... is not tried again');

$t->finish;

done_testing();


# the efforts that were sent, the last one first

sub effort ($name, $stream) {
    $model->forget;

    my $r = post_json($t->port, '/v1/responses', {
        model => $name, input => 'hi', reasoning => { effort => 'high' },
        stream => $stream ? json_true : json_false });

    $r = ($stream ? \&stream_ok : \&response_ok)->($r, "$name, $stream");
    is($r->text, 'Hello', "$name, $stream: the text");
    is($r->response->{reasoning}{effort}, 'high', '... what was asked for');

    return join ' ', map { json_decode($_->{body})->{reasoning_effort} // '' }
                         reverse $model->requests;
}


sub sent ($name, $what, $tokens, $effort, $expected) {
    response_ok(post_json($t->port, '/v1/responses', {
        model => $name, input => 'hi', max_output_tokens => 100,
        reasoning => { effort => $effort } }), "$what, $effort");

    my $sent = json_decode($model->last_request->{body});

    is(delete $sent->{$tokens}, 100, "$what, $effort: $tokens");
    delete @$sent{qw( model messages )};
    is_deeply($sent, $expected, "$what, $effort: sent");
}
