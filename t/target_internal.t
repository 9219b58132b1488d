#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# nginx -t warns of a target that clients can ask for without the gateway.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Nginx;

my $at = 'location /v1/ { open_responses on; '
         . 'open_responses_target default /to/m; }';
my $is = '" of target "/to/m" is not "internal"';


# the locations that are warned of, by their names

sub says ($conf, @expected) {
    my ($code, $out) = ORS::Nginx->conf_test(
        "server { listen 127.0.0.1:%%PORT_0%%; $conf }");

    is($code, 0, 'it is no error') or diag($out);
    is_deeply([ $out =~ /\[warn\].*location "([^"]*)\Q$is\E/g ],
              \@expected, $conf);
}


says("$at $_")
    for 'location = /to/m { internal; return 200; }',
        'location /to/ { internal; return 200; }',
        'location /to/ { internal; location = /to/m { return 200; } }',
        'location /to/ { location /to/m { internal; return 200; } }',
        'location ~ ^/to/ { internal; return 200; }',
        'location / { return 200; } location /to { internal; return 200; }',
        'location /to/ { return 200; } location ~ m$ { internal; }',
        'location ^~ /to/ { internal; } location ~ m { return 200; }',
        'location = /to { return 200; } location = /to/m { internal; }';

says("$at location = /to/m { return 200; }", '/to/m');
says("$at location / { return 200; }", '/');
says("$at location /to/ { return 200; } location = /to/ { internal; }",
     '/to/');
says("$at location /to/ { internal; } location ~ m { return 200; }", 'm');
says("$at location /to/ { internal; } location /to/m { return 200; }",
     '/to/m');
says('location /v1/ { open_responses on; '
     . 'open_responses_target x /to/n /to/m?a=b; } '
     . 'location /to/n { internal; } location /to/m { return 200; }',
     '/to/m');

done_testing();
