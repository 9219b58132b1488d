#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Keys and identity of a client are for the first target only: the others of
# a failover are other providers.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::Model qw( chat_reply json_script );
use ORS::Nginx;
use ORS::Stream qw( response_ok );

my $good = json_script(chat_reply(content => 'Hello'));

my $model = ORS::Model->new(scripts => {
    default => $good,
    down    => [ [ status => 503 ], [ json => { error => 'no' } ] ],
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    server {
        listen 127.0.0.1:%%PORT_0%%;

        open_responses_target default /to/down /to/second;
        open_responses_target set     /to/down /to/set;
        open_responses_target one     /to/second;

        location /first/ { open_responses on; }

        location /all/ {
            open_responses on;
            open_responses_pass_credentials all;
        }

        location /off/ {
            open_responses on;
            open_responses_pass_credentials off;
        }

        location = /to/down {
            internal;
            open_responses_dialect chat;
            proxy_set_header X-Script down;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }

        location = /to/second {
            internal;
            open_responses_dialect chat;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }

        location = /to/set {
            internal;
            open_responses_dialect chat;
            proxy_set_header Authorization   $http_authorization;
            proxy_set_header X-Api-Key       "key of this target";
            proxy_set_header X-Goog-Api-Key  $http_x_goog_api_key;
            proxy_set_header X-Session       $cookie_session;
            proxy_set_header X-Mine          $http_x_mine;
            proxy_set_header User-Agent      $http_user_agent;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }
    }
CONF

$t->start;

my %private = (
    'authorization'             => 'Bearer one',
    'proxy-authorization'       => 'Basic two',
    'cookie'                    => 'session=three',
    'x-api-key'                 => 'four',
    'api-key'                   => 'five',
    'x-goog-api-key'            => 'six',
    'ocp-apim-subscription-key' => 'seven',
    'openai-organization'       => 'eight',
    'openai-project'            => 'nine',
    'x-forwarded-for'           => '192.0.2.1',
    'x-forwarded-user'          => 'ten',
    'forwarded'                 => 'for=192.0.2.1',
    'x-real-ip'                 => '192.0.2.1',
    'x-vault-token'             => 'eleven',
    'x-http-method-override'    => 'GET',
    'x-mine'                    => 'twelve',
    'user-agent'                => 'thirteen',
);

my %public = (
    'accept-language' => 'no',
    'openai-beta'     => 'responses=v2',
    'x-request-id'    => 'r1',
);

my $args = 'a=1&key=x&API-Key=x&k%65y=x&access_token=x&monkey=2&keys&b=3';


# headers of the targets' requests: those before the last one, and that

sub sent ($at, $name) {
    $model->forget;

    response_ok(post_json($t->port, "/$at/responses?$args",
                          { model => $name, input => 'hi' },
                          headers => { %private, %public }),
                "$at, $name");

    return $model->requests;
}


sub has_all ($r, $name) {
    is($r->{headers}{$_}, $private{$_}, "$name: $_") for sort keys %private;
    is($r->{headers}{$_}, $public{$_}, "$name: $_") for sort keys %public;
    is($r->{uri} =~ s/[^?]+\?//r, $args, "$name: arguments");
}


sub has_none ($r, $name) {
    like($r->{headers}{'user-agent'}, qr/\Anginx-open-responses\/[\d.]+\z/,
         "$name: the agent");
    is($r->{headers}{$_}, undef, "$name: no $_")
        for grep { $_ ne 'user-agent' } sort keys %private;
    is($r->{headers}{$_}, $public{$_}, "$name: $_") for sort keys %public;
    is($r->{uri} =~ s/[^?]+\?//r, 'a=1&monkey=2&keys&b=3',
       "$name: arguments");
}

my ($one, $two) = sent('first', 'm');

has_all($one, 'first, the first one');
has_none($two, 'first, the second one');

($one) = sent('first', 'one');
has_all($one, 'first, the only one');

($one, $two) = sent('all', 'm');
has_all($one, 'all, the first one');
has_all($two, 'all, the second one');

($one, $two) = sent('off', 'm');
has_none($one, 'off, the first one');
has_none($two, 'off, the second one');


# a target's own headers are sent, from variables of the client's headers as
# well

for my $at (qw( first off )) {
    (undef, my $r) = sent($at, 'set');

    my %set = ('authorization'   => 'Bearer one',
               'x-api-key'       => 'key of this target',
               'x-goog-api-key'  => 'six',
               'x-session'       => 'three',
               'x-mine'          => 'twelve',
               'user-agent'      => 'thirteen',
               'x-forwarded-for' => '192.0.2.1, 127.0.0.1');

    is($r->{headers}{$_}, $set{$_}, "$at, set: $_") for sort keys %set;
    is($r->{headers}{$_}, undef, "$at, set: no $_") for qw( api-key cookie );
}

{
    my ($code, $out) = ORS::Nginx->conf_test(
        'open_responses_pass_credentials some;');

    is($code, 1, 'a wrong value');
    like($out, qr/invalid value "some" of "open_responses_pass_credentials"/,
         'a wrong value: is quoted');
    like($out, qr/it must be "first", "all" or "off"/,
         'a wrong value: what is right');
}

$t->finish;
done_testing();
