#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# A validator that is set for a whole server or for all of them leaves other
# applications alone: paths without a version are theirs.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get post_json request );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( response_ok error_ok );

my $model = ORS::Model->new(scripts => {
    page => [ [ raw => '<html>models of cars</html>' ] ],
});

my $server = <<'CONF';
        location / {
            proxy_pass http://%%MODEL%%/script/page?;
        }

        location /v1/ {
            proxy_pass http://%%MODEL%%;
        }

        location /own/ {
            open_responses_validate on;
            proxy_pass http://%%MODEL%%/script/page?;
        }
CONF

my $t = ORS::Nginx->new(model => $model, conf => <<"CONF");
    server {
        listen 127.0.0.1:%%PORT_0%%;
        open_responses_validate on;
        open_responses_unknown_paths reject;
$server
    }
CONF

my $all = ORS::Nginx->new(model => $model, conf => <<"CONF");
    open_responses_validate on;

    server {
        listen 127.0.0.1:%%PORT_0%%;
$server
    }
CONF

my @form = ({ 'Content-Type' => 'application/x-www-form-urlencoded' },
            'a=1&b=2');

for (['server', $t], ['http', $all]) {
    my ($level, $nginx) = @$_;

    $nginx->start;

    my $port = $nginx->port;
    my $r = get($port, '/shop/models');

    is($r->{status}, 200, "$level: models of a shop");
    like($r->{body}, qr/models of cars/, "$level: as they are");

    for my $uri (qw( /survey/responses /survey/Responses/ /forum/embeddings )) {
        $r = request($port, POST => $uri, @form);
        is($r->{status}, 200, "$level: a form to $uri");
        is($model->last_request->{body}, 'a=1&b=2', "$level: as it is");
    }

    error_ok(post_json($port, $_, { model => 'm', input => 5 }), 400,
             "$level: $_", param => 'input')
        for qw( /v1/responses /api/v1beta/responses );
    error_ok(post_json($port, '/v1/Responses', {}), 404,
             "$level: another spelling of a path with a version");
    error_ok(post_json($port, '/own/responses', { model => 'm', input => 5 }),
             400, "$level: a location that says it itself", param => 'input');
}

error_ok(post_json($t->port, '/v1/other', {}), 404,
         'an unknown path with a version');
is(post_json($t->port, '/other', {})->{status}, 200,
   'an unknown path without one');

$_->finish for $t, $all;

done_testing();
