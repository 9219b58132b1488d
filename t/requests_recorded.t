#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Recorded requests of real clients, posted again with their headers: to a model
# that reports what reached it, to aimock, which must take it, too, and to a
# server that speaks the protocol itself, through the gateway and through a
# validator that rejects all unknown keys.  t/data/requests/EXPECTED lists which
# of them are rejected, and why.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_decode json_encode json_false );
use ORS::Model;
use ORS::Nginx;
use ORS::SDK qw( aimock );
use ORS::Sample;
use ORS::Stream qw( stream_ok response_ok error_ok );
use ORS::Util qw( slurp );

my $DIR = 't/data/requests';

my %stainless = (
    'Accept' => 'application/json', 'User-Agent' => 'OpenAI/JS 7.55.0',
    'X-Stainless-Retry-Count' => 0, 'X-Stainless-Lang' => 'js',
    'X-Stainless-Package-Version' => '7.55.0', 'X-Stainless-OS' => 'Linux',
    'X-Stainless-Arch' => 'x64', 'X-Stainless-Runtime' => 'node',
    'X-Stainless-Runtime-Version' => 'v24.21.0',
);
my %fetch = (
    'Accept-Language' => '*', 'Sec-Fetch-Mode' => 'cors',
    'Accept-Encoding' => 'gzip, deflate',
);
my %headers = (
    'openai' => { %stainless, %fetch },
    'openai6' => { %stainless, %fetch },
    'agents' => { %stainless, %fetch,
                  'User-Agent' => 'Agents/JavaScript 0.20.0' },
    'langchain' => { %stainless, %fetch,
                     'User-Agent' => 'langchainjs-openai/1.0.0' },
    'ai-sdk-openai' => { %fetch, 'Accept' => '*/*',
                         'User-Agent' => 'ai/7.0.173' },
    'ai-sdk-open-responses' => { %fetch, 'Accept' => '*/*',
                                 'User-Agent' => 'ai/7.0.173' },
    'codex' => { 'Accept' => 'text/event-stream',
                 'User-Agent' => 'codex_exec/0.169.0',
                 'Originator' => 'codex_exec',
                 'Session-Id' => '01a1fd87-de41-7ec0-8d17-b3c0902adffe' },
);

# the only keys of a request that an old server may know

my %known = map { $_ => 1 } qw(
    model messages tools tool_choice parallel_tool_calls stream
    stream_options temperature top_p presence_penalty frequency_penalty
    max_tokens max_completion_tokens reasoning_effort response_format
);

my $answer = json_encode(response('completed'));
my $events = render(good());

my $model = ORS::Model->new(scripts => {
    native => sub ($conn, $r) {
        my $stream = $r->{body} =~ /"stream" *: *true/;

        $conn->_step_header('Content-Type', $stream ? 'text/event-stream'
                                                    : 'application/json');
        $conn->body($stream ? $events : $answer);
    },
});
my $aimock = aimock();

my $t = ORS::Nginx->new(
    model => { MODEL => $model, AIMOCK => $aimock }, conf => <<'CONF');
    open_responses_flavor openai;

        client_body_buffer_size 64k;

        server {
            listen 127.0.0.1:%%PORT_0%%;

            location /v1/ {
                open_responses        on;
                open_responses_target default /to/model;
            }

            location /aimock/ {
                open_responses        on;
                open_responses_target default /to/aimock;
            }

            location /native/ {
                open_responses        on;
                open_responses_target default /to/native;
            }

            location /validator/ {
                open_responses_validate       on;
                open_responses_unknown_fields reject;

                proxy_set_header X-Script native;
                proxy_pass http://%%MODEL%%/;
            }

            %%CHAT /to/model /v1/chat/completions%%

            location = /to/aimock {
                internal;
                open_responses_dialect chat;
                proxy_pass http://%%AIMOCK%%/v1/chat/completions;
            }

            location = /to/native {
                internal;
                proxy_pass http://%%MODEL%%/script/native;
            }
        }
CONF

$t->start;

my ($asked, $refused) = (0, 0);

for my $line (split /\n/, slurp("$DIR/EXPECTED")) {
    my ($file, $code, $param) = split / /, $line;

    replay($file =~ s/\.json\z//r, $code, $param);
}

is($asked + $refused, () = glob("$DIR/*.json"), 'all were sent');
cmp_ok($asked, '>', 10 * $refused, 'most of them are served');

$t->finish;

done_testing();


sub replay ($name, $code, $param) {
    my $body = slurp("$DIR/$name.json");
    my ($client) = $name =~ /\A(ai-sdk-(?:openai|open-responses)|\w+)/;
    my %o = (headers => { %{ $headers{$client} },
                          'Authorization' => 'Bearer sk-test-key' });
    my $count = $model->count;

    my $r = post_json($t->port, '/v1/responses', $body, %o);
    my $a = post_json($t->port, '/aimock/responses', $body, %o);

    if ($code ne 'ok') {
        $refused++;
        error_ok($r, 400, "$name: $code", type => 'invalid_request',
                 code => $code, param => $param);
        is($model->count, $count, "$name: the model hears of none");
        native($name, $body, $code, $param, %o);
        return;
    }

    $asked++;

    my $q = json_decode($body);
    my $check = $q->{stream} ? \&stream_ok : \&response_ok;
    my %as = (expect => 'completed', flavor => 'openai');
    my $mine = must_call($q) ? obeyed($r, $name, $q->{stream})
                             : $check->($r, $name, %as);
    my $theirs = $check->($a, "$name, aimock", %as);

    is($mine->text, 'Hello', "$name: text") if $mine;

    if (can_call($q)) {
        my ($tool) = tools($q);
        my ($call) = grep { $_->{type} =~ /_call\z/ }
                     @{ $theirs->response->{output} };

        is("@$call{qw( type name )}",
           ($tool->{type} eq 'custom' ? 'custom_tool_call' : 'function_call')
           . " $tool->{name}", "$name: a call by aimock");
        is($call->{namespace}, $tool->{space}, "$name: its namespace");
        is($call->{input} // $call->{arguments}, '{"any":"thing"}',
           "$name: what it is called with");

    } else {
        is($theirs->text, 'All is well.', "$name: text of aimock");
    }

    echoed($name, $q, $mine->response) if $mine;
    arrived($name, $q, $model->last_request);
    native($name, $body, $code, $param, %o);
}


# references to the server's memory are for that server to refuse

sub native ($name, $body, $code, $param, %o) {
    my $good = $code eq 'ok' || $code eq 'previous_response_not_found'
               || $param =~ /\Ainput\[\d+\](?:\.type)?\z/;

    for my $at (qw( native validator )) {
        my $r = post_json($t->port, "/$at/responses", $body, %o);

        if (!$good) {
            error_ok($r, 400, "$name: $at, $code", code => $code,
                     param => $param);
            next;
        }

        is($r->{status}, 200, "$name: $at");
        is($model->last_request->{body}, $body,
           "$name: $at, byte for byte");
    }
}


# our model only says "Hello"

sub must_call ($q) {
    my $choice = $q->{tool_choice} // '';

    return tools($q) && (ref $choice || $choice eq 'required');
}


sub obeyed ($r, $name, $stream) {
    my %as = (code => 'model_error', flavor => 'openai');

    $stream ? stream_ok($r, "$name: no call", expect => 'failed', %as)
            : error_ok($r, 500, "$name: no call", type => 'model_error',
                       code => 'model_error');
    return;
}


# the rule of aimock.mjs, told by the request

sub can_call ($q) {
    my $last = ref $q->{input} ? $q->{input}[-1] : { role => 'user' };

    return tools($q) && ($last->{role} // '') eq 'user'
           && ($q->{tool_choice} // '') ne 'none';
}


# those that a chat server is offered, by their names there

sub tools ($q) {
    my @more = grep { ($_->{type} // '') eq 'additional_tools' }
               ref $q->{input} ? @{ $q->{input} } : ();
    my (%seen, @tools);

    for my $top (map { @{ $_->{tools} // [] } } $q, @more) {
        my $space = $top->{type} eq 'namespace' ? $top->{name} : undef;

        for my $tool (defined $space ? @{ $top->{tools} } : $top) {
            my $search = $tool->{type} eq 'tool_search'
                         && ($tool->{execution} // '') eq 'client';

            next if !$search && $tool->{type} !~ /\A(?:function|custom)\z/;

            my $sent = $search ? 'tool_search'
                       : defined $space ? "${space}__$tool->{name}"
                       : $tool->{name};

            push @tools, { %$tool, sent => $sent, space => $space }
                if !$seen{$sent}++;
        }
    }

    return @tools;
}


sub echoed ($name, $q, $response) {
    my @wrong = grep { defined $q->{$_} && !ref $q->{$_}
                       && json_encode($q->{$_})
                          ne json_encode($response->{$_}) }
                qw( model instructions temperature top_p max_output_tokens
                    parallel_tool_calls prompt_cache_key );

    is("@wrong", '', "$name: what is echoed");
}


# ---- what reached the model, by its meaning


sub arrived ($name, $q, $r) {
    my $chat = $r->{json};
    my @strange = grep { !$known{$_} } sort keys %$chat;
    my %h = %{ $r->{headers} };

    is("@strange", '', "$name: no key that Chat has not");
    is_deeply([ chat_facts($chat) ], [ facts($q) ], "$name: messages")
        or diag(substr $r->{body}, 0, 1000);

    is_deeply($chat->{tools} // [],
              [ map { { type => 'function', function => tool($_) } }
                tools($q) ], "$name: tools");
    is(!!$chat->{stream}, !!$q->{stream}, "$name: stream");
    is_deeply(format_of($chat), $q->{text}{format} // { type => 'text' },
              "$name: format");
    is($chat->{$_}, $q->{$_}, "$name: $_") for qw( temperature top_p );
    is($chat->{max_tokens}, $q->{max_output_tokens}, "$name: length");

    is_deeply([ @h{qw( content-type content-length accept-encoding
                       authorization )} ],
              [ 'application/json', length $r->{body}, undef,
                'Bearer sk-test-key' ], "$name: headers");
}


sub tool ($tool) {
    my %tool = (%$tool, name => $tool->{sent});

    return custom(%tool) if $tool->{type} eq 'custom';

    delete @tool{qw( type sent space execution )};
    delete @tool{ grep { !defined $tool{$_} } keys %tool };

    return \%tool;
}


# a function of one text, whose grammar stands in its description

sub custom (%tool) {
    my $format = $tool{format};

    return {
        name => $tool{name},
        description => "$tool{description}\n\n"
                       . '"input" is free text, not JSON. It must match this'
                       . " grammar ($format->{syntax}):\n"
                       . $format->{definition},
        parameters => { type => 'object',
                        properties => { input => { type => 'string' } },
                        required => [ 'input' ],
                        additionalProperties => json_false },
    };
}


sub format_of ($chat) {
    my $format = $chat->{response_format} // { type => 'text' };
    my $schema = $format->{json_schema} or return $format;

    return { type => 'json_schema', %$schema };
}


# a line for each message, call and answer of a tool

sub facts ($q) {
    my $input = ref $q->{input} ? $q->{input}
                : [ { role => 'user', content => $q->{input} } ];
    my @facts;

    push @facts, "system: $q->{instructions}" if length $q->{instructions};

    for my $item (@$input) {
        my $type = $item->{type} // 'message';

        if ($type eq 'message') {
            # many servers take nothing but a text from the system

            my $system = $item->{role} =~ /\A(?:developer|system)\z/;
            my $role = $system ? 'system' : $item->{role};

            push @facts, "$role: "
                         . content($item->{content}, $system ? "\n" : '|');

        } elsif ($type eq 'function_call') {
            push @facts, "call: @$item{qw( call_id name arguments )}";

        } elsif ($type eq 'custom_tool_call') {
            push @facts, "call: @$item{qw( call_id name )} input "
                         . $item->{input};

        } elsif ($type =~ /\A(?:function|custom_tool)_call_output\z/) {
            push @facts, "answer: $item->{call_id} "
                         . content($item->{output});

        } elsif ($type !~ /\A(?:reasoning|additional_tools)\z/) {
            push @facts, "what is $type?";
        }
    }

    return @facts;
}


sub chat_facts ($chat) {
    my @facts;

    for my $m (@{ $chat->{messages} }) {
        if ($m->{role} eq 'tool') {
            push @facts, "answer: $m->{tool_call_id} "
                         . content($m->{content});
            next;
        }

        push @facts, "$m->{role}: " . content($m->{content})
            if defined $m->{content};
        push @facts, map { "call: $_->{id} $_->{function}{name} "
                           . arguments($_->{function}{arguments}) }
                     @{ $m->{tool_calls} // [] };
    }

    return @facts;
}


# an object that wraps a text has one member

sub arguments ($text) {
    utf8::encode(my $bytes = $text);

    my $value = json_decode($bytes);

    return "@{[ keys %$value ]}" eq 'input' ? "input $value->{input}" : $text;
}


sub content ($c, $between = '|') {
    return $c if !ref $c;

    return join $between, map {
        $_->{text}
            // (ref $_->{image_url} ? $_->{image_url}{url}
                                    : "$_->{image_url}")
    } @$c;
}
