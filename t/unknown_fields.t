#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Fields that the specification does not have, before a server that speaks
# Chat and before one that speaks Responses.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_encode );
use ORS::Model qw( json_script chat_reply );
use ORS::Nginx;
use ORS::Sample;
use ORS::Stream qw( error_ok response_ok );

my $whole = json_encode(response('completed', model => 'm',
                                 output => [ message('msg_1', 'completed',
                                     output_text('Hello')) ]));

my $model = ORS::Model->new(scripts => {
    chat   => json_script(chat_reply(content => 'Hello')),
    native => [ [ header => 'Content-Type', 'application/json' ],
                [ raw => $whole ] ],
});

my $policies = join '', map { <<"CONF" } qw( pass strip reject );
        location /$_/ {
            open_responses on;
            open_responses_unknown_fields $_;
        }
CONF

my $t = ORS::Nginx->new(model => $model, conf => <<"CONF");
    open_responses_target  chat    /to/chat;
    open_responses_target  native  /to/native;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /default/ { open_responses on; }

$policies
        location = /to/chat {
            internal;
            open_responses_dialect chat;
            proxy_pass http://%%MODEL%%/script/chat;
        }

        location = /to/native {
            internal;
            proxy_pass http://%%MODEL%%/script/native;
        }
    }
CONF

$t->start;


sub ask ($at, $rest) {
    return post_json($t->port, "/$at/responses", $rest);
}


sub sent ($at, $body, $label) {
    response_ok(ask($at, $body), "$at, $label");

    return ($model->requests)[-1]{body};
}


# the members of a Chat request that we make are its own

{
    my $body = '{"top_k":40, "model":"chat","n":3,"input":"hi","min_p":0.10,'
               . '"messages":[],"max_tokens":9,"x\u005fy":{"a":[1]}}';
    my $made = '{"model":"chat","messages":[{"role":"user","content":"hi"}]';

    is(sent('default', $body, 'chat'), "$made}", 'chat: not carried');
    is(sent('strip', $body, 'chat'), "$made}", 'chat, strip: not carried');
    is(sent('pass', $body, 'chat'),
       qq($made,"top_k":40,"min_p":0.10,"x\\u005fy":{"a":[1]}}),
       'chat, pass: carried as they came, but for what is ours');

    error_ok(ask('reject', $body), 400, 'chat, reject', param => 'top_k',
             code => 'unknown_parameter');
}


{
    my $body = '{"top_k":40, "model":"native","input":[{"type":"message",'
               . '"role":"user", "content":"hi","mark":1}], "min_p":0.10 }';

    is(sent('default', $body, 'native'), $body, 'native: as they came');
    is(sent('pass', $body, 'native'), $body, 'native, pass: as they came');
    is(sent('strip', $body, 'native'),
       '{"model":"native","input":[{"type":"message","role":"user",'
       . ' "content":"hi"}] }', 'native, strip: at all depths');

    error_ok(ask('reject', $body =~ s/"top_k":40, //r), 400,
             'native, reject: the place', param => 'input[0].mark',
             code => 'unknown_parameter');
}


$t->finish;
done_testing();
