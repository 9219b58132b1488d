#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The header OpenResponses-Version.  The specification's example of a router
# has "-H 'Open Responses-Version: latest'"; no header can have that name, and
# this is how clients write it.  All answers name the release that they keep
# to, whoever has made them.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get post_json question request );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( error_ok );
use ORS::WS;

my $release = '2026-04-24';

my $model = ORS::Model->new(scripts => {
    default => stream_script(content => 'hi'),
    whole   => json_script(chat_reply(content => 'hi')),
    other   => [ [ header => 'OpenResponses-Version', '2099-01-01' ],
                 [ json => chat_reply(content => 'hi') ] ],
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    server {
        listen 127.0.0.1:%%PORT_0%%;
        open_responses_websocket on;

        location /v1/ {
            open_responses on;
            open_responses_target default /to/model;
        }

        location /lenient/ {
            open_responses on;
            open_responses_strict off;
            open_responses_target default /to/model;
        }

        location /validated/ {
            open_responses_validate on;
            proxy_set_header X-Script $http_x_script;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /report/ {
            open_responses_validate on report;
            proxy_set_header X-Script $http_x_script;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location = /to/model {
            internal;
            open_responses_dialect chat;
            proxy_set_header X-Script $http_x_script;
            proxy_http_version 1.1;
            proxy_pass http://%%MODEL%%/chat;
        }

        location = /page {
            return 200 "ok";
        }
    }
CONF

$t->start;


sub ask ($path, $version = undef, %o) {
    return request($t->port, 'POST', $path,
        { 'Content-Type' => 'application/json',
          'X-Script' => $o{script} // 'whole',
          'OpenResponses-Version' => $version },
        ORS::JSON::json_encode(question($path, 'm', %{ $o{body} // {} })));
}

sub release ($r) { $r->{headers}{'openresponses-version'} }


my $chat = '/chat/completions';

# its example of a router has "messages", the name of Chat Completions

error_ok(post_json($t->port, '/v1/responses',
                   { model => 'm', messages => [ { role => 'user',
                                                   content => 'hi' } ] }),
         400, 'the example of a router', message => qr/"input"/);

# answers

for my $case (
    [ 'a document', 200, ask('/v1/responses') ],
    [ 'a stream', 200, ask('/v1/responses', undef, script => 'default',
                           body => { stream => \1 }) ],
    [ 'a chat', 200, ask("/v1$chat") ],
    [ 'a validated answer', 200, ask("/validated$chat") ],
    [ 'an error', 400, ask('/v1/responses', undef,
                           body => { temperature => "x" }) ],
    [ 'no endpoint', 404, get($t->port, '/v1/nothing') ],
    [ 'a wrong method', 405, get($t->port, "/v1$chat") ],
    [ 'a refused request', 400, ask("/validated$chat", undef,
                                    body => { messages => 1 }) ],
    [ 'the list of models', 200, get($t->port, '/v1/models') ],
) {
    my ($name, $status, $r) = @$case;

    is($r->{status}, $status, "$name: status");
    is(release($r), $release, "$name: it names the release");
}

is(release(ask("/validated$chat", undef, script => 'other')), '2099-01-01',
   'a server that is validated: its own release stays');
is(release(get($t->port, '/page')), undef, 'a page of others: no header');

my $ws = ORS::WS->new($t->port);
is($ws->{status}, 101, 'a WebSocket');
like($ws->{head}, qr/^OpenResponses-Version: $release\r$/m,
     'it names the release');
$ws->drop;

# requests

for my $version ('latest', $release, '2026-01-15') {
    is(ask($_, $version)->{status}, 200, "$_: $version")
        for '/v1/responses', "/v1$chat", "/validated$chat";
}

for my $version ('2025-01-01', 'Latest', '2026-04-24, latest', 'x"y', '') {
    my $n = $model->count;

    error_ok(ask($_, $version), 400, "$_: '$version'",
             code => 'invalid_value', param => 'OpenResponses-Version',
             message => qr/must be "2026-04-24", "2026-01-15", or "latest"/)
        for '/v1/responses', "/v1$chat", '/validated/responses';
    error_ok(request($t->port, 'GET', '/v1/models',
                     { 'OpenResponses-Version' => $version }), 400,
             "the list of models: '$version'");
    is(ORS::WS->new($t->port, headers => {
           'OpenResponses-Version' => $version })->{status}, 400,
       "a WebSocket: '$version'");

    is($model->count, $n, "nothing was sent: '$version'");

    is(ask($_, $version)->{status}, 200, "$_: '$version'")
        for '/lenient/responses', "/report$chat";
}

$t->finish;
done_testing();
