#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Access rules in the location of a target: "nginx -t" says that they do not
# hold there; what docs/operating.md recommends in their place does.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::Model;
use ORS::Nginx;
use ORS::Stream qw( error_ok response_ok );


sub says ($name, $conf, @expected) {
    my ($code, $out) = ORS::Nginx->conf_test($conf);
    my @said = $out =~ /\[warn\] \d+#\d+: (.*?) does not hold/g;

    is($code, 0, "$name: it is no error") or diag($out);
    is_deeply([ sort @said ], [ sort @expected ], $name) or diag($out);
}


sub server ($target, $rules, $more = '') {
    return <<"CONF";
        open_responses_target default $target;

        server {
            listen 127.0.0.1:%%PORT_0%%;

            $more
            location /v1/ { open_responses on; }
            $rules
        }
CONF
}


sub to ($rules, $name = '= /to') {
    return "location $name { $rules proxy_pass http://127.0.0.1:1; }";
}

my $basic = 'auth_basic realm; auth_basic_user_file /dev/null;';
my $in = sub ($what, $where = '/to') { "\"$what\" in location \"$where\"" };
my $rules = '"allow" or "deny" in location "/to"';

says('nothing', server('/to', to('')));
says('deny', server('/to', to('deny all;')), $rules);
says('allow', server('/to', to('allow 10.0.0.0/8; deny all;')), $rules);
says('IPv6', server('/to', to('deny 2001:db8::/32;')), $rules);
says('auth_basic', server('/to', to($basic)), $in->('auth_basic'));
says('auth_basic off', server('/to', to('auth_basic off;'), $basic));
says('auth_request', server('/to', to('auth_request /x;')),
     $in->('auth_request'));
says('auth_request off', server('/to', to('auth_request off;'),
                                'auth_request /x;'));
says('all of them', server('/to', to("deny all; $basic auth_request /x;")),
     $rules, $in->('auth_basic'), $in->('auth_request'));
says('inherited by both', server('/to', to(''),
                                 "deny all; $basic auth_request /x;"));
says('elsewhere', server('/to', to('') . to('deny all;', '= /other')));
says('arguments', server('/to?a=b', to('deny all;')), $rules);
says('two routes', server('/to /to', to('deny all;')), $rules);
says('the second one', server('/one /to', to('', '= /one')
                                          . to('deny all;')), $rules);
says('a prefix', server('/to/a', to('', '/') . to('deny all;', '/to/')),
     '"allow" or "deny" in location "/to/"');
says('a longer prefix', server('/to/a', to('deny all;', '/to/')
                                        . to('', '/to/a')));
says('nested', server('/to/a', 'location /to/ { ' . to('deny all;', '/to/a')
                               . ' }'),
     '"allow" or "deny" in location "/to/a"');
says('a regex', server('/to/a', to('', '/to/')
                                . 'location ~ ^/to/a$ { deny all; }'),
     '"allow" or "deny" in location "^/to/a$"');
says('no regex', server('/to/a', 'location ^~ /to/ { return 200; }'
                                 . 'location ~ ^/to/a$ { deny all; }'));


# what holds

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
