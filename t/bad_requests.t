#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The requests of t/data/bad_requests.txt, and what a client gets for each:
# where the mistake is, what was found, and what is allowed.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( request );
use ORS::Model;
use ORS::Nginx;
use ORS::Util qw( slurp );

my $file = "$ORS::Nginx::ROOT/t/data/bad_requests.txt";
my @cases = map { wrong($_) }
            split /\n{2,}/, slurp($file) =~ s/^#.*\n//mgr =~ s/^\n+//r;

my $model = ORS::Model->new(scripts => {});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
            open_responses_target m /to/model;
        }

        location / {
            open_responses on;
            open_responses_target m /to/model;
        }

        location /gone/ {
            return 404;
            open_responses on;
            open_responses_target m /to/model;
        }

        %%CHAT /to/model%%
    }
CONF

$t->start;

cmp_ok(scalar @cases, '>=', 41, 'there are cases');

for my $case (@cases) {
    my $n = $model->count;
    my $r = request($t->port, @{ $case->{line} }, $case->{headers},
                    $case->{body});
    my $error = $r->{json}{error} // {};

    is($r->{status}, $case->{status}, $case->{name}) or diag($r->{body});
    is($model->count, $n + ($case->{status} == 200),
       "$case->{name}: " . ($case->{status} == 200 ? 'it is sent on'
                                                   : 'nothing is sent on'));

    next if $case->{status} == 200;

    is($error->{code}, $case->{code}, "$case->{name}: code");
    is(($error->{param} // '') eq '' ? '-' : $error->{param}, $case->{param},
       "$case->{name}: parameter");

    my $says = $case->{says} =~ s/\|$//r;
    my $size = $says eq $case->{says} ? length $says : 1e6;

    is(substr($error->{message}, 0, $size), $says, "$case->{name}: message");
}

$t->finish;
done_testing();


sub wrong ($block) {
    my ($name, @lines) = split /\n/, $block;
    my %case = (name => $name, line => [ 'POST', '/v1/responses' ],
                headers => { 'Content-Type' => 'application/json' });

    for (@lines) {
        if (/^= (\d+)(?: (\S+) (\S+))?$/) {
            @case{qw( status code param )} = ($1, $2, $3);

        } elsif (/^> (.+)/) {
            $case{says} = $1;

        } elsif (m!^([A-Z]+) (/\S+)$!) {
            $case{line} = [ $1, $2 ];

        } elsif (/^([A-Z][\w-]+): *(.*)/) {
            $case{headers}{$1} = $2;
            delete $case{headers}{$1} if $2 eq '';

        } else {
            $case{body} = $_;
        }
    }

    return \%case;
}
