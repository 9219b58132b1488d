#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The memory of large requests stays with the worker: the next ones are not
# given new pages for it.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::Model;
use ORS::Nginx;
use ORS::Util qw( slurp );

use constant REQUESTS => 10;

# a request of 1 MB has 250 pages, its copies have as many
use constant PAGES => 100;

plan skip_all => 'sanitizers have a malloc() of their own'
    if $ENV{TEST_NGINX_ASAN};

my $model = ORS::Model->new;

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    client_max_body_size 8m;
    client_body_buffer_size 8m;

    open_responses_target default /to/model;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ { open_responses on; }

        %%CHAT /to/model /v1/chat/completions%%
    }
CONF

$t->start;

for my $mb (1, 2, 4) {
    my $text = join ' ', ('words') x 150;
    my @input = map { { role => 'user', content => "$text $_" } }
                    1 .. $mb * 1024 * 1024 / length $text;

    my $post = sub {
        post_json($t->port, '/v1/responses', { model => 'm', store => \0,
                                               input => \@input })->{status};
    };

    is($post->(), 200, "$mb MB: taken") for 1 .. 3;

    my $before = faults();
    my @statuses = map { $post->() } 1 .. REQUESTS;
    my $each = (faults() - $before) / REQUESTS;

    is("@statuses", join(' ', (200) x REQUESTS), "$mb MB: and again");
    cmp_ok($each, '<', $mb * PAGES, "$mb MB: $each new pages for each");
}

$t->finish;

done_testing();


# minor faults of the worker

sub faults {
    my ($pid) = $t->workers;

    return (split ' ', slurp("/proc/$pid/stat") =~ s/.*\)//sr)[7];
}
