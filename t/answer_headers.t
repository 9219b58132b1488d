#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Headers of a model server's answer: clients are shown what they look for,
# of the target that answers them, and nothing else.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_encode json_false json_true );
use ORS::Model qw( chat_reply json_script stream_script );
use ORS::Nginx;
use ORS::Sample;

my %shown = (
    'x-ratelimit-remaining-tokens'           => 77,
    'x-ratelimit-reset-requests'             => '6ms',
    'anthropic-ratelimit-requests-remaining' => 5,
    'ratelimit-limit'                        => 9,
    'retry-after-ms'                         => 250,
    'x-request-id'                           => 'req_7',
    'openai-processing-ms'                   => 31,
    'openai-model'                           => 'parrot-1',
    'x-codex-primary-used-percent'           => 12,
    'x-models-etag'                          => 'e-1',
    'x-reasoning-included'                   => 'true',
);

my %hidden = (
    'openai-organization' => 'org-17', 'set-cookie' => 'a=b',
    'server-timing' => 'x', 'x-request-id-not' => 1, 'x-ratelimit' => 1,
    'www-authenticate' => 'Basic', 'location' => '/elsewhere',
);

my @headers = map { [ header => $_, { %shown, %hidden }->{$_} ] }
              sort keys %{ { %shown, %hidden } };

my $model = ORS::Model->new(scripts => {
    plain  => [ @headers, @{ json_script(chat_reply(content => 'Hi')) } ],
    stream => [ @headers, @{ stream_script(text => [ 'Hi' ]) } ],
    full   => [ [ status => 429 ], @headers, [ header => 'Retry-After', 3 ],
                [ json => { error => { message => 'slow' } } ] ],
    native => [ @headers, [ header => 'Content-Type', 'application/json' ],
                [ raw => json_encode(response('completed')) ] ],
    first  => [ [ status => 503 ], [ header => 'X-Request-Id', 'first' ],
                [ json => { error => { message => 'down' } } ] ],
    bare   => json_script(chat_reply(content => 'Hi')),
});

my $targets = join '', map { <<"CONF" } qw( plain stream full first bare );
        location = /to/$_ {
            internal;
            open_responses_dialect chat;
            proxy_set_header X-Script $_;
            proxy_pass http://%%MODEL%%/chat;
        }
CONF

my $t = ORS::Nginx->new(model => $model, conf => <<"CONF");
    server {
        listen 127.0.0.1:%%PORT_0%%;

        open_responses_target  plain   /to/plain;
        open_responses_target  stream  /to/stream;
        open_responses_target  full    /to/full;
        open_responses_target  native  /to/native;
        open_responses_target  second  /to/first /to/bare;

        location /v1/ { open_responses on; }

        location /mask/ {
            open_responses on;
            open_responses_upstream_errors mask;
        }

$targets
        location = /to/native {
            internal;
            proxy_set_header X-Script native;
            proxy_pass http://%%MODEL%%/native;
        }
    }
CONF

$t->start;


sub ask ($at, $model) {
    return post_json($t->port, "/$at/responses",
                     { model => $model, input => 'hi', stream =>
                       $model eq 'stream' ? json_true : json_false });
}

for my $name (qw( plain stream full native )) {
    my $r = ask('v1', $name);

    is($r->{status}, $name eq 'full' ? 429 : 200, "$name: status");
    is_deeply({ map { $_ => $r->{headers}{$_} } keys %shown },
              \%shown, "$name: what clients look for");
    is_deeply([ grep { exists $r->{headers}{$_} } sort keys %hidden ], [],
              "$name: nothing else");

    $r = ask('mask', $name);
    is_deeply([ grep { exists $r->{headers}{$_} } sort keys %shown ], [],
              "$name, masked: the account is not the client's");
}

is(ask('v1', 'full')->{headers}{'retry-after'}, 3, 'full: when to try again');
is(ask('v1', 'second')->{headers}{'x-request-id'}, undef,
   'second: nothing of the one that has failed');

$t->finish;
done_testing();
