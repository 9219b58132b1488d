#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# docs/operating.md recommends this in place of access rules in the location of
# a target, which nginx skips in subrequests.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::Model;
use ORS::Nginx;
use ORS::Stream qw( error_ok response_ok );

my $model = ORS::Model->new;

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    map $http_authorization $team {
        default           "";
        "Bearer of-red"   red;
        "Bearer of-blue"  blue;
    }

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
            open_responses_target red  /to/red;
            open_responses_target both /to/down /to/red;
        }

        location = /to/red {
            internal;
            open_responses_dialect chat;

            if ($team != red) {
                return 403;
            }

            proxy_pass http://%%MODEL%%/chat;
        }

        location = /to/down { internal; return 503; }
    }
CONF

$t->start;


sub ask ($name, $key) {
    return post_json($t->port, '/v1/responses',
                     { model => $name, input => 'hi' },
                     headers => { Authorization => "Bearer $key" });
}

response_ok(ask($_, 'of-red'), "$_: a key of the team") for qw( red both );

{
    my $n = $model->count;

    error_ok(ask($_, 'of-blue'), 403, "$_: a key of another team",
             code => 'forbidden') for qw( red both );
    is($model->count, $n, 'another team: the model hears of none');
}

$t->finish;
done_testing();
