#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The error log about a model server that fails and requests that are refused:
# facts, the server's words, and nothing that it quotes.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::Model qw( chat_chunk sse_head );
use ORS::Nginx;
use ORS::Util qw( wait_for );

my $bad = { error => { message => 'too busy for "a secret of mine", '
                                  . 'key sk-secret',
                       code => 'overloaded' } };

my $model = ORS::Model->new(scripts => {
    down  => [ [ status => 503 ], [ json => $bad ] ],
    wrong => [ [ status => 400 ], [ json => $bad ] ],
    path  => [ [ status => 404 ], [ json => { detail => 'Not Found' } ] ],
    model => [ [ status => 404 ],
               [ json => { detail => 'no such model' } ] ],
    told  => [ sse_head(), [ sse => chat_chunk(content => 'a') ],
               [ sse => $bad ] ],
    cut   => [ sse_head(), [ sse => chat_chunk(content => 'a secret') ],
               [ 'close' ] ],
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    server {
        listen 127.0.0.1:%%PORT_0%%;

        open_responses_target chat-*   /to/chat;
        open_responses_target native-* /to/native;

        location /v1/ { open_responses on; }

        location /mask/ {
            open_responses on;
            open_responses_upstream_errors mask;
        }

        location /loud/ {
            open_responses on;
            open_responses_reject_log_level error;
        }

        location /report/ {
            open_responses_validate on report;
            proxy_pass http://%%MODEL%%/;
        }

        location /to/ { internal; return 404; }

        location = /to/chat {
            internal;
            open_responses_dialect chat;
            proxy_set_header X-Script $http_x_script;
            proxy_pass http://%%MODEL%%;
        }

        location = /to/native {
            internal;
            proxy_set_header X-Script $http_x_script;
            proxy_pass http://%%MODEL%%;
        }
    }
CONF

$t->start;


sub says ($name, $script, $level, $text, %o) {
    my $mark = $t->log_mark;

    post_json($t->port, ($o{at} // '/v1') . '/responses',
              { model => $o{model} // 'chat-m', input => 'a secret of mine',
                stream => $o{stream} ? \1 : \0, %{ $o{body} // {} } },
              headers => { 'X-Script' => $script,
                           'User-Agent' => $o{agent} // 'me' });

    my $to = $o{to} // '';
    my $called = $to ? qr{subrequest: "/to/$to", upstream: "http://\S+/to/$to"}
                     : qr//;
    my @lines;
    my $found = sub {
        @lines = grep { !/ (?:closed keepalive|client \S+ closed)/ }
                 split /\n/, $t->log_since($mark);

        return scalar grep {
            /\[(?:$level)\] \S+: (?:\*\d+ )?\Q$text\E(?: while|,)/
            && /$called/
        } @lines;
    };

    wait_for($found);
    is($found->(), 1, $name) or diag(@lines);
    is(scalar grep({ /secret/ } @lines), 0, "$name: no text of a client");

    return if !$o{told};

    my $says = qr/\[$level\].*model\ server\ says:
                  \ too\ busy\ for\ \.\.\.,\ key\ \.\.\.(?:\ while|,)/x;

    is(scalar grep({ /$says/ } @lines), 1, "$name: what the server says");
}

my $failed = 'model server failed with';

for my $at (qw( /v1 /mask )) {
    says("$at: overloaded", 'down', 'error',
         "$failed server_is_overloaded, its status was 503", at => $at,
         told => 1, to => 'chat');
    says("$at: refused by the server", 'wrong', 'info',
         "$failed overloaded, its status was 400", at => $at, told => 1,
         to => 'chat');
    says("$at: in a stream", 'told', 'error',
         "$failed overloaded, its status was 200", at => $at, stream => 1,
         to => 'chat');
    says("$at: a stream that is cut", 'cut', 'error',
         'model server\'s answer was cut, its status was 200', at => $at,
         stream => 1, to => 'chat');

    for my $to (qw( chat native )) {
        my %o = (at => $at, to => $to, model => "$to-m");

        # the first one in a minute is an error

        says("$at: a wrong path, $to", 'path',
             $at eq '/v1' ? 'error' : 'error|info',
             "$failed upstream_error, its status was 404", %o);
        says("$at: a model that is absent, $to", 'model', 'info',
             "$failed model_not_found, its status was 404", %o);
        says("$at: a response that may be absent, $to", 'path', 'info',
             "$failed upstream_error, its status was 404", %o,
             body => { previous_response_id => 'resp_1' })
            if $to eq 'native';
    }
}

for my $to (qw( chat native )) {
    my $minute = int(time / 60);
    my $mark = $t->log_mark;
    my $n = 0;

    my $found = sub {
        my @lines = $t->log_since($mark) =~ /^.*its status was 404.*$/mg;

        return scalar grep { /\[$_[0]\].* subrequest: "\/to\/$to"/ } @lines;
    };

    for (1 .. 6) {
        post_json($t->port, '/v1/responses',
                  { model => "$to-m", input => 'hi' },
                  headers => { 'X-Script' => 'path' });
    }

    wait_for(sub { $found->('\w+') == 6 });
    is($found->('\w+'), 6, "$to: each 404 has a line");
    cmp_ok($found->('error'), '<=', int(time / 60) - $minute,
           '... and is no error again in the same minute');
}

says('native: overloaded', 'down', 'error',
     "$failed server_is_overloaded, its status was 503", model => 'native-m',
     told => 1, to => 'native');
says('native: refused by the server', 'wrong', 'info',
     "$failed overloaded, its status was 400", model => 'native-m',
     told => 1);

says('a wrong type', 'down', 'info',
     'request refused: invalid_type in temperature',
     body => { temperature => 'a secret of mine' });
says('no such model', 'down', 'info',
     'request refused: model_not_found in model', model => 'nobody');


# the sentence of the client's error without what the client has sent, its
# model, and what it calls itself

my $wrong = 'invalid_type in temperature, "temperature" must be a number, '
            . 'found a value, model "chat-m", user agent "me?"';

for my $row ([ '/v1', 'info', 'request refused' ],
             [ '/loud', 'error', 'request refused' ],
             [ '/report', 'error', 'request would be refused' ])
{
    my ($at, $level, $what) = @$row;

    says("$at: a line of the log", 'down', $level, "$what: $wrong",
         at => $at, body => { temperature => 'a secret of mine' },
         agent => "me\x{7f}");
}

$t->finish;
done_testing();
