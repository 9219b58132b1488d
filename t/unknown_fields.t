#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Fields that the specification does not have, in front of a server that
# speaks Chat and of one that speaks Responses; what the operator sees of
# those that are not sent on; and names that only Chat Completions has.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get post_json );
use ORS::JSON qw( json_decode json_encode );
use ORS::Model qw( json_script chat_reply );
use ORS::Nginx;
use ORS::Sample;
use ORS::Stream qw( error_ok response_ok );
use ORS::Util qw( slurp wait_for );

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

        location /validator-$_/ {
            open_responses_validate request;
            open_responses_unknown_fields $_;
            proxy_pass http://%%MODEL%%/script/native?;
        }
CONF

my $t = ORS::Nginx->new(model => $model, conf => <<"CONF");
    log_format  ignored  '[\$open_responses_ignored_fields]';
    access_log  %%TESTDIR%%/logs/ignored.log  ignored;

    open_responses_target  chat    /to/chat;
    open_responses_target  native  /to/native;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /default/ { open_responses on; }
        location = /status { open_responses_status json; access_log off; }

$policies
        %%CHAT /to/chat /script/chat%%

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


# the fields that are not sent on: in the access log, in the error log, in the
# counter; "n" where the list is not all of them

my ($lines, $counted) = (0, 0);

sub logged () { return split /\n/, slurp($t->dir . '/logs/ignored.log') }

sub ignored_ok ($label, $list, $n = 0 + split /, /, $list) {
    $lines++;
    wait_for(sub { logged() >= $lines });

    is((logged())[-1], '[' . ($n ? $list : '-') . ']', "$label: variable");

    my $status = json_decode(get($t->port, '/status')->{body});

    is($status->{ignored_fields} - $counted, $n, "$label: counter");
    $counted = $status->{ignored_fields};

    return if !$n;

    my $s = $n == 1 ? '' : 's';

    ok($t->wait_log(qr/\[info\].*\ $n\ field$s\ of\ the\ request
                       \ not\ sent\ on:\ \Q$list\E,\ client/x),
       "$label: log");
}


sub sent ($at, $body, $label) {
    response_ok(ask($at, $body), "$at, $label");

    return $model->last_request->{body};
}


# the members of a Chat request that we make are its own

{
    my $body = '{"top_k":40, "model":"chat","n":3,"input":"hi","min_p":0.10,'
               . '"modalities":[],"logprobs":9,"x\u005fy":{"a":[1]}}';
    my $made = '{"model":"chat","messages":[{"role":"user","content":"hi"}]';
    my $all = 'top_k, n, min_p, modalities, logprobs, x_y';

    is(sent('default', $body, 'chat'), "$made}", 'chat: not carried');
    ignored_ok('chat', $all);

    is(sent('strip', $body, 'chat'), "$made}", 'chat, strip: not carried');
    ignored_ok('chat, strip', $all);

    is(sent('pass', $body, 'chat'),
       qq($made,"top_k":40,"min_p":0.10,"x\\u005fy":{"a":[1]}}),
       'chat, pass: carried as they came, but for what is ours');
    ignored_ok('chat, pass', 'n, modalities, logprobs');

    error_ok(ask('reject', $body), 400, 'chat, reject', param => 'top_k',
             code => 'unknown_parameter');
    ignored_ok('chat, reject', '');
}


{
    my $body = '{"top_k":40, "model":"native","input":[{"type":"message",'
               . '"role":"user", "content":"hi","mark":1}], "min_p":0.10 }';
    my $all = 'top_k, min_p, input[0].mark';

    is(sent('default', $body, 'native'), $body, 'native: as they came');
    ignored_ok('native', '');

    is(sent('pass', $body, 'native'), $body, 'native, pass: as they came');
    ignored_ok('native, pass', '');

    is(sent('strip', $body, 'native'),
       '{"model":"native","input":[{"type":"message","role":"user",'
       . ' "content":"hi"}] }', 'native, strip: at all depths');
    ignored_ok('native, strip', $all);

    is(sent('validator-strip', $body, 'native'),
       '{"model":"native","input":[{"type":"message","role":"user",'
       . ' "content":"hi"}] }', 'validator, strip: at all depths');
    ignored_ok('validator, strip', $all);

    sent('default', $body =~ s/native/chat/r, 'chat, in an item');
    ignored_ok('chat, in an item', $all);

    error_ok(ask('reject', $body =~ s/"top_k":40, //r), 400,
             'native, reject: the place', param => 'input[0].mark',
             code => 'unknown_parameter');
    ignored_ok('native, reject', '');
}


# names of clients are for a line of a log, and few of them are shown

{
    my $tail = '"model":"chat","input":"hi"}';

    sent('default', '{"a\u000ab":1,"c d":2,"":3,' . $tail, 'odd');
    ignored_ok('odd', 'a?b, c d, ', 3);

    sent('default', '{' . join('', map { qq("x$_":1,) } 1 .. 5000) . $tail,
         'many');
    ignored_ok('many', join(', ', map { "x$_" } 1 .. 8), 5000);

    sent('default', '{"' . 'n' x 1000 . '":1,' . $tail, 'long');
    ignored_ok('long', 'n' x 64);
}


# parameters of Chat Completions, whatever becomes of others

{
    my %here = (messages => '"input"', max_tokens => '"max_output_tokens"',
                max_completion_tokens => '"max_output_tokens"',
                response_format => '"text.format"', functions => '"tools"',
                function_call => '"tool_choice"');
    my @ats = ('default', map { ($_, "validator-$_") } qw( pass strip reject ));

    for my $name (sort keys %here) {

        for my $at (@ats) {
            error_ok(ask($at, qq({"model":"native","input":"hi","$name":1})),
                     400, "$at, $name", param => $name,
                     code => 'unknown_parameter',
                     message => qr/Chat\ Completions,
                             \ (?:it\ is|they\ are)\ $here{$name}\ here/x);
        }
    }

    my $nested = '{"type":"function","function":{"name":"f"}}';

    error_ok(ask('default',
                 qq({"model":"chat","input":"hi","tools":[$nested]})),
             400, 'a nested function', param => 'tools[0].function',
             code => 'unknown_parameter',
             message => qr/members are members of the tool here/);

    error_ok(ask('default',
                 qq({"model":"chat","input":"hi","tool_choice":$nested})),
             400, 'a nested function as choice',
             param => 'tool_choice.function', code => 'unknown_parameter',
             message => qr/"name" is beside "type" here/);

    response_ok(post_json($t->port, '/default/responses',
                          '{"model":"chat","input":"hi",'
                          . '"metadata":{"messages":"x"}}'),
                'a name where any may be');
}


$t->finish;
done_testing();
