#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Names of fields in other letters: a server that matches names without
# regard to case reads them as fields, so they must not come to it.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_encode );
use ORS::Model qw( chat_reply json_script );
use ORS::Nginx;
use ORS::Sample;
use ORS::Stream qw( error_ok );

my $whole = json_encode(response('completed', model => 'm',
                                 output => [ message('msg_1', 'completed',
                                     output_text('Hello')) ]));
my $stream = render(good());

my $model = ORS::Model->new(scripts => {
    chat   => json_script(chat_reply(content => 'Hello')),
    native => [ [ json => $whole ] ],
    bad    => [ [ json => $whole =~ s/"id"/"ID":"resp_x","id"/r ] ],
    stream => [ [ header => 'Content-Type', 'text/event-stream' ],
                [ raw => $stream =~ s/"delta"/"Delta":"x","delta"/r ] ],
});

my $policies = join '', map {
    my $p = $_;

    map { <<"CONF" } qw( on off )
        location /validator-$p-$_/ {
            open_responses_validate on;
            open_responses_strict $_;
            open_responses_unknown_fields $p;
            proxy_pass http://%%MODEL%%/script/native?;
        }

        location /gateway-$p-$_/ {
            open_responses on;
            open_responses_strict $_;
            open_responses_unknown_fields $p;
        }
CONF
} qw( pass strip reject );

my $t = ORS::Nginx->new(model => $model, conf => <<"CONF");
    open_responses_target  chat    /to/chat;
    open_responses_target  default /to/native;

    server {
        listen 127.0.0.1:%%PORT_0%%;

$policies
        location /validator/ {
            open_responses_validate on;
            proxy_pass http://%%MODEL%%/script/native?;
        }

        location /report/ {
            open_responses_validate on report;
            proxy_pass http://%%MODEL%%/script/native?;
        }

        location /bad/ {
            open_responses_validate on;
            proxy_pass http://%%MODEL%%/script/bad?;
        }

        location /stream/ {
            open_responses_validate on;
            proxy_pass http://%%MODEL%%/script/stream?;
        }

        location /gateway/ {
            open_responses on;
            open_responses_strict off;
            open_responses_unknown_fields pass;
        }

        %%CHAT /to/chat /script/chat?%%

        location = /to/native {
            internal;
            open_responses_model cheap;
            proxy_pass http://%%MODEL%%/script/native?;
        }
    }
CONF

$t->start;


my $responses = '"model":"m","input":"hi"';
my $chat = '"model":"m","messages":[{"role":"user","content":"hi"}]';


# spellings that would name another model, other input, other instructions

for my $p (map { ("$_-on", "$_-off") } qw( pass strip reject )) {
    for my $at ("validator-$p", "gateway-$p") {

        for my $row (
            [ '"MODEL":"expensive"', 'model' ],
            [ '"\u004dodel":"expensive"', 'model' ],
            [ '"m\u006fdel":"expensive"', 'model' ],
            [ '"Input":"x"', 'input' ],
            [ '"\u0130nput":"x"', 'input' ])
        {
            my ($more, $param) = @$row;

            error_ok(post_json($t->port, "/$at/responses",
                               "{$responses,$more}"), 400,
                     "$at: $more", code => 'duplicate_key', param => $param);
            error_ok(post_json($t->port, "/$at/responses",
                               "{$more,$responses}"), 400,
                     "$at: $more first", code => 'duplicate_key',
                     param => $param);
        }

        error_ok(post_json($t->port, "/$at/chat/completions",
                           qq({$chat,"me\xc5\xbf\xc5\xbfages":[]})), 400,
                 "$at, chat", code => 'duplicate_key', param => 'messages');
        error_ok(post_json($t->port, "/$at/responses",
                           qq({$responses,"Instructions":"x"})), 400,
                 "$at: alone", code => 'unknown_parameter',
                 param => 'Instructions', message => qr/"instructions"/);
    }
}

is($model->count, 0, 'none of it has come upstream');


# inside of others; data has any keys

error_ok(post_json($t->port, '/validator/responses',
                   '{"model":"m","input":[{"type":"message","role":"user",'
                   . '"content":"a",'
                   . '"Content":"b"}]}'), 400, 'an item',
         code => 'duplicate_key', param => 'input[0].content');

{
    my $body = '{"model":"m","input":"hi","metadata":{"Model":"a",'
               . '"model":"b"},"tools":[{"type":"function","name":"f",'
               . '"parameters":{"Type":"x","properties":{"A":{},"a":{}}}}],'
               . '"Top_K":1,"top_k":2}';

    is(post_json($t->port, '/validator/responses', $body)->{status}, 200,
       'keys of metadata and of a schema, and unknown fields');
    is($model->last_request->{body}, $body, 'pass as they came');
}

{
    my $n = $model->count;

    is(post_json($t->port, '/report/responses',
                 "{$responses,\"MODEL\":\"x\"}")->{status}, 200,
       'a report only');
    is($model->count, $n + 1, 'it passes');
    ok($t->wait_log(qr/would be refused: duplicate_key in model/),
       'and is in the log');
}


# fields that are carried into a Chat request

for my $row (
    [ '"params":{"MODEL":"big"}', 'params.model', 'unsupported_parameter' ],
    [ '"params":{"Messages":[]}', 'params.messages',
      'unsupported_parameter' ],
    [ '"params":{"Temperature":2}', 'params.temperature',
      'unknown_parameter' ])
{
    my ($more, $param, $code) = @$row;

    error_ok(post_json($t->port, '/gateway/responses',
                       qq({"model":"chat","input":"hi",$more})), 400, $more,
             code => $code, param => $param);
}

is(post_json($t->port, '/gateway/responses',
             '{"model":"chat","input":"hi","Messages":[],"N":3,"Top_K":1}')
     ->{status}, 200, 'extra fields');
is($model->last_request->{body},
   '{"model":"chat","messages":[{"role":"user","content":"hi"}],"Top_K":1}',
   'those that Chat has are not carried in other letters');


# answers

error_ok(post_json($t->port, '/bad/responses', "{$responses}"), 502,
         'an answer');
ok($t->wait_log(qr/"id" occurs more than once/), 'with a line');

my $r = post_json($t->port, '/stream/responses',
                  "{$responses,\"stream\":true}");

unlike($r->{body}, qr/"Delta"/, 'an event of a stream is not sent on');
like($r->{body}, qr/response\.failed/, 'the stream fails');


$t->finish;
done_testing();
