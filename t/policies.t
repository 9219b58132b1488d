#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Requests and answers are judged by the location: its strictness, its flavor,
# and its policy for unknown fields.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_encode );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Sample;
use ORS::Stream qw( error_ok );

sub document ($body) {
    return [ [ header => 'Content-Type', 'application/json' ],
             [ raw => ref $body ? json_encode($body) : $body ] ];
}

sub with_item ($item) {
    return document(response('completed', output => [ $item ]));
}

my @thought = ('rs_1', 0, 'Six times ', 'seven.');

sub thinking ($prefix) {
    my $e = [ opened(), added(reasoning('rs_1', 'in_progress', [])),
              reasoning_part(@thought),
              done(reasoning('rs_1', 'completed', [],
                             { type => 'reasoning_text',
                               text => 'Six times seven.' })) ];

    push @$e, ended('completed', finished());
    $_->{type} =~ s/^response\.reasoning\./response.$prefix./ for @$e;

    return [ sse_head(), [ raw => render($e) ] ];
}

my %extra = (extra => { a => [ 1 ] });
my %mark = (mark => 1);
my $chunk = chat_chunk(content => 'Hi', delta => { %mark },
                       extra => { %extra });

my $model = ORS::Model->new(scripts => {
    whole => document(response('completed')),
    chat => document(chat_reply(content => 'Hi')),
    vectors => document({ object => 'list', model => 'm', data => [
        { object => 'embedding', index => 0, embedding => [ 1 ] } ],
        usage => { prompt_tokens => 1, total_tokens => 1 } }),

    custom => with_item({ type => 'custom_tool_call', id => 'ctc_1',
                          call_id => 'c', name => 'n', input => 'x',
                          status => 'completed' }),
    slug => with_item({ type => 'acme:thing', id => 'x',
                        status => 'completed' }),
    dream => with_item({ type => 'dream', id => 'x',
                         status => 'completed' }),
    content => thinking('reasoning'),
    text => thinking('reasoning_text'),

    'more-whole' => document(response('completed', %extra,
        output => [ { %{ message('msg_1', 'completed',
                                 output_text('Hi')) }, %mark } ])),
    'more-chat' => document(chat_reply(content => 'Hi', extra => { %extra },
                                       message => { %mark })),
    'more-chunks' => [ sse_head(), [ sse => $chunk ],
                       [ sse => chat_chunk(finish => 'stop') ], [ 'done' ] ],
});

my %strict = (spec => 'on', openai => 'on', loose => 'off',
              'loose-openai' => 'off');
my $locations = '';

for my $profile (sort keys %strict) {
    my $flavor = $profile =~ /openai/ ? 'openai' : 'spec';

    $locations .= <<"CONF";
        location /$profile/ {
            open_responses on;
            open_responses_strict $strict{$profile};
            open_responses_flavor $flavor;
        }

        location /validator-$profile/ {
            open_responses_validate on;
            open_responses_strict $strict{$profile};
            open_responses_flavor $flavor;
            proxy_pass http://%%MODEL%%/v1/;
        }
CONF
}

for my $policy (qw( pass strip reject )) {
    $locations .= <<"CONF";
        location /$policy/ {
            open_responses on;
            open_responses_unknown_fields $policy;
        }

        location /validator-$policy/ {
            open_responses_validate on;
            open_responses_unknown_fields $policy;
            proxy_pass http://%%MODEL%%/v1/;
        }
CONF
}

my $t = ORS::Nginx->new(model => $model, conf => <<"CONF");
    open_responses_target  m     /to/native;
    open_responses_target  chat  /to/chat;

    server {
        listen 127.0.0.1:%%PORT_0%%;
        $locations

        location = /to/native {
            internal;
            proxy_pass http://%%MODEL%%\$open_responses_uri;
        }

        location = /to/chat {
            internal;
            open_responses_dialect chat;
            proxy_pass http://%%MODEL%%\$open_responses_uri;
        }
    }

    # a level above says how its locations read
    server {
        listen 127.0.0.1:%%PORT_1%%;

        open_responses_strict         off;
        open_responses_flavor         openai;
        open_responses_unknown_fields reject;

        location /v1/ { open_responses on; }

        location /own/ {
            open_responses on;
            open_responses_strict         on;
            open_responses_flavor         spec;
            open_responses_unknown_fields pass;
        }

        location = /to/native {
            internal;
            proxy_pass http://%%MODEL%%\$open_responses_uri;
        }
    }

    open_responses_validate on report any_path;

    server {
        listen 127.0.0.1:%%PORT_2%%;

        location /told/ { proxy_pass http://%%MODEL%%/v1/; }

        location /refused/ {
            open_responses_validate on;
            proxy_pass http://%%MODEL%%/v1/;

            location /refused/too/ { proxy_pass http://%%MODEL%%/v1/; }

            location /refused/off/ {
                open_responses_validate off;
                proxy_pass http://%%MODEL%%/v1/;
            }
        }
    }
CONF

$t->start;

my %script = (responses => 'whole', 'chat/completions' => 'chat',
              embeddings => 'vectors');
my $port = $t->port;


sub ask ($at, $endpoint, $text, $script = $script{$endpoint}) {
    return post_json($port, "/$at/$endpoint", $text,
                     headers => { 'X-Script' => $script });
}


# the same request in four profiles: who takes it, and what the others say

my @ALL = qw( spec openai loose loose-openai );
my @WIDE = @ALL[1 .. 3];
my @LOOSE = @ALL[2, 3];

for ([ 'a list without types', 'responses',
       '"input":[{"role":"user","content":"hi"}]', \@WIDE,
       'missing_required_parameter', 'input[0].type' ],
     [ 'a custom tool', 'responses', '"tools":[{"type":"custom","name":"x"}]',
       \@WIDE, 'invalid_value', 'tools[0].type' ],
     [ 'a tool of the future', 'responses', '"tools":[{"type":"dream"}]',
       \@LOOSE, 'invalid_value', 'tools[0].type' ],
     [ 'a tool of a vendor', 'responses', '"tools":[{"type":"acme:dream"}]',
       \@ALL ],
     [ 'null for strict', 'responses',
       '"tools":[{"type":"function","name":"x","strict":null}]', \@WIDE,
       'invalid_type', 'tools[0].strict' ],
     [ 'the least effort', 'responses', '"reasoning":{"effort":"minimal"}',
       \@WIDE, 'invalid_value', 'reasoning.effort' ],
     [ 'any JSON', 'responses',
       '"text":{"format":{"type":"json_object"}}', \@WIDE, 'invalid_value',
       'text.format.type' ],
     [ 'something to include', 'responses', '"include":["dream"]', \@LOOSE,
       'invalid_value', 'include[0]' ],
     [ 'null for store', 'responses', '"store":null', \@WIDE, 'invalid_type',
       'store' ],
     [ 'an unknown key', 'responses', '"x":null', \@ALL ],
     [ 'a text for a number', 'responses', '"temperature":"hot"', [],
       'invalid_type', 'temperature' ],
     [ 'an unknown role', 'chat/completions',
       '"messages":[{"role":"king","content":""}]', \@LOOSE, 'invalid_value',
       'messages[0].role' ],
     [ 'any tool', 'chat/completions',
       '"messages":[{"role":"user","content":""}],"tool_choice":"any"',
       \@LOOSE, 'invalid_value', 'tool_choice' ],
     [ 'an image', 'embeddings', '"input":{"image":"x"}', \@LOOSE,
       'invalid_type', 'input' ])
{
    my ($name, $endpoint, $members, $taken, $code, $param) = @$_;
    my %taken = map { $_ => 1 } @$taken;
    my $body = qq({"model":"m",$members});

    for my $profile (@ALL) {
        for my $at ($profile, "validator-$profile") {
            my $n = $model->count;
            my $r = ask($at, $endpoint, $body);

            if ($taken{$profile}) {
                is($r->{status}, 200, "$at, $name") or diag($r->{body});
                is($model->last_request->{body}, $body,
                   "$at, $name: as it came");
                next;
            }

            error_ok($r, 400, "$at, $name", code => $code, param => $param);
            is($model->count, $n, "$at, $name: not sent");
        }
    }
}


# answers: flavors have other items and events

for my $profile (@ALL) {
    for my $at ($profile, "validator-$profile") {
        my $openai = $profile =~ /openai/;
        my $body = '{"model":"m","input":"hi"}';

        is(ask($at, 'responses', $body, 'slug')->{status}, 200,
           "$at, an item of a vendor");
        error_ok(ask($at, 'responses', $body, 'dream'), 502,
                 "$at, an unknown item");

        my $r = ask($at, 'responses', $body, 'custom');

        $openai ? is($r->{status}, 200, "$at, a custom call")
                : error_ok($r, 502, "$at, a custom call");

        for (qw( content text )) {
            $r = ask($at, 'responses', $body =~ s/\}/,"stream":true}/r, $_);

            my $good = $_ eq 'content' || $profile ne 'spec';

            like($r->{body}, $good ? qr/^event: response\.completed$/m
                                   : qr/^event: response\.failed$/m,
                 "$at, reasoning as $_");
        }
    }
}


# unknown fields, in requests of all endpoints

my %more = (
    'chat/completions' => '{"top_k":40,"model":"MODEL","messages":[{"role":'
        . '"user","content":"hi","mark":1}],"x\u0079":{"a":[1]} }',
    'embeddings' => '{"top_k":40,"model":"MODEL","input":"hi" }',
    'responses/compact' => '{"top_k":40,"model":"MODEL","input":"hi" }',
);
my %less = (
    'chat/completions' => '{"model":"MODEL","messages":[{"role":"user",'
                          . '"content":"hi"}] }',
    'embeddings' => '{"model":"MODEL","input":"hi" }',
    'responses/compact' => '{"model":"MODEL","input":"hi" }',
);

$script{'responses/compact'} = 'whole';

for my $endpoint (sort keys %more) {
    for my $to ($endpoint =~ /compact/ ? 'm' : qw( m chat )) {
        my ($more, $less) = map { s/MODEL/$to/r }
                            $more{$endpoint}, $less{$endpoint};

        for my $at (qw( spec pass validator-spec validator-pass )) {
            ask($at, $endpoint, $more);
            is($model->last_request->{body}, $more,
               "$at, $endpoint, $to: as they came");
        }

        for my $at (qw( strip validator-strip )) {
            ask($at, $endpoint, $more);
            is($model->last_request->{body}, $less,
               "$at, $endpoint, $to: at all depths");
        }

        my $n = $model->count;

        error_ok(ask($_, $endpoint, $more), 400, "$_, $endpoint, $to",
                 code => 'unknown_parameter',
                 param => 'top_k')
            for qw( reject validator-reject );
        is($model->count, $n, "reject, $endpoint, $to: not sent");
    }
}


# and in answers

sub known ($label, $endpoint, $script, $text) {
    for my $at (qw( spec pass validator-spec validator-pass )) {
        my $body = ask($at, $endpoint, $text, $script)->{body};

        like($body, qr/"extra"/, "$at, $label: it passes");
        like($body, qr/"mark"/, "$at, $label: at all depths");
    }

    for my $at (qw( strip validator-strip )) {
        my $r = ask($at, $endpoint, $text, $script);

        is($r->{status}, 200, "$at, $label: status");
        like($r->{body}, qr/"Hi"/, "$at, $label: what is known");
        unlike($r->{body}, qr/"extra"|"mark"/, "$at, $label: it is gone");
    }

    error_ok(ask($_, $endpoint, $text, $script), 502, "$_, $label",
             code => 'invalid_upstream_answer')
        for qw( reject validator-reject );
}

known('responses', 'responses', 'more-whole',
      '{"model":"m","input":"hi"}');
known('chat', 'chat/completions', 'more-chat',
      '{"model":"m","messages":[{"role":"user","content":"hi"}]}');
known('chunks', 'chat/completions', 'more-chunks',
      '{"model":"m","stream":true,'
      . '"messages":[{"role":"user","content":"hi"}]}');


# levels

$port = $t->port(1);

my %input = (untyped => '"input":[{"role":"user","content":"hi"}]',
             future => '"input":"hi","tools":[{"type":"dream"}]',
             unknown => '"input":"hi","x":1');

for (sort keys %input) {
    my $body = qq({"model":"m",$input{$_}});

    is(ask('v1', 'responses', $body)->{status}, $_ eq 'unknown' ? 400 : 200,
       "the server's, $_");
    is(ask('own', 'responses', $body)->{status}, $_ eq 'unknown' ? 200 : 400,
       "the location's, $_");
}

is(ask('v1', 'responses', '{"model":"m","input":"hi"}', 'custom')->{status},
   200, 'the server\'s, an answer');
is(ask('own', 'responses', '{"model":"m","input":"hi"}', 'custom')->{status},
   502, 'the location\'s, an answer');

$port = $t->port(2);

my $bad = '{"model":"m","input":5}';

is(ask('told', 'responses', $bad)->{status}, 200, 'report: of http');
ok($t->wait_log(qr/request would be refused: invalid_type in input/),
   'report: it is logged');
error_ok(ask('refused', 'responses', $bad), 400, 'no report: the location\'s');
error_ok(ask('refused/too', 'responses', $bad), 400, 'no report: below it');
is(ask('refused/off', 'responses', $bad)->{status}, 200, 'off: below it');

$t->finish;

done_testing();
