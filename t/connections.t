#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# A worker without a free connection: the client is told that the server is
# overloaded, and the model server is not blamed for it.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get request_text );
use ORS::JSON qw( json_encode );
use ORS::Model;
use ORS::Nginx;
use ORS::Stream qw( error_ok );
use ORS::Util qw( slurp wait_for );

my $model = ORS::Model->new;

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    events { worker_connections 24; }

    http {
        log_format facts '$status $open_responses_status '
                         '$open_responses_error_code';

        server {
            listen 127.0.0.1:%%PORT_0%%;
            access_log %%TESTDIR%%/logs/facts.log facts;

            location /v1/ {
                open_responses on;
                open_responses_target default /to/model /to/model;
            }

            location = /status { open_responses_status json; }

            %%CHAT /to/model /chat%%
        }
    }
CONF

$t->provokes(qr/24 worker_connections are not enough/);
$t->start;

# the head of a request, so that nginx does not take the connection back

my $text = request_text('POST', '/v1/responses',
                        { 'Content-Type' => 'application/json' },
                        json_encode({ model => 'm', input => 'hi' }));
my ($head, $rest) = $text =~ /\A(POST[^\n]*\n)(.*)\z/s;


sub begin () {
    my $c = ORS::HTTP::Conn->new($t->port);

    $c->write($head);
    return $c;
}

my $asks = begin();
my @others;

for (1 .. 40) {
    my $mark = $t->log_mark;

    push @others, begin();

    # each one is accepted, or turned away

    wait_for(sub { $t->log_since($mark) =~ /are not enough/
                   || @others < 18 || $others[-1]->is_closed(0.2) }, 2);
    last if $t->log_since($mark) =~ /are not enough/;
}

ok($t->wait_log(qr/are not enough/), 'no connection is free');

$asks->write($rest);
error_ok($asks->read_response, 503, 'an error document',
         code => 'server_is_overloaded');
is($model->count, 0, 'no target was asked');
$asks->close;
$_->close for @others;

ok(wait_for(sub { slurp($t->dir . '/logs/facts.log')
                  =~ /^503 failed server_is_overloaded$/m }), 'the log');

my $status;

ok(wait_for(sub { $status = get($t->port, '/status')->{json} }),
   'connections are free again');
is($status->{upstream_errors}, 0, 'no model server is blamed');

$t->finish;
done_testing();
