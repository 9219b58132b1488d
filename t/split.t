#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# A weighted pool of targets that differ in more than their address: nginx's
# split_clients chooses one, and failover goes on from there.  Onwards'
# document: a "weighted random" choice over a pool of providers.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_decode );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( response_ok );
use ORS::Util qw( slurp );

my $model = ORS::Model->new(scripts => {
    large => json_script(chat_reply(content => 'large')),
    small => json_script(chat_reply(content => 'small')),
    down  => [ [ status => 503 ], [ json => { error => {
        message => 'no', type => 'x', param => undef, code => 'y' } } ] ],
});

# the piece of docs/servers.md, with two servers of the test

my ($piece) = slurp("$ORS::Nginx::ROOT/docs/servers.md")
    =~ /^```nginx\n(split_clients .*?)^```/ms;
my $address = $model->address;

ok($piece, 'the example');

$piece =~ s{https?://[^/;\$]+}{http://$address}g;
$piece =~ s{proxy_set_header Authorization "Bearer KEY-OF-(\w+)";}
           {"proxy_set_header X-Script \$http_x_" . lc($1) . ';'}ge;

$piece =~ s{listen 8080;}{listen 127.0.0.1:%%PORT_0%%;};

my $t = ORS::Nginx->new(model => $model, conf => $piece);

$t->start;


sub ask (%script) {
    my $r = post_json($t->port, '/v1/responses',
                      { model => 'm', input => 'hi' },
                      headers => { map { ("X-$_" => $script{$_}) }
                                   keys %script });

    response_ok($r, 'an answer');
    return ($r->{json}{output}[0]{content}[0]{text},
            json_decode($model->last_request->{body})->{model});
}

my %seen;

for (1 .. 200) {
    my ($text, $name) = ask(one => 'large', two => 'small');

    $seen{$text}++;
    is($name, $text eq 'large' ? 'llama-3.3-70b' : 'meta/llama-3.3',
       'each has its own name of the model');
    last if keys %seen == 2 && $_ >= 40;
}

is_deeply([ sort keys %seen ], [ 'large', 'small' ], 'both are chosen');
cmp_ok($seen{large}, '>', $seen{small}, 'one of them more often');

is((ask(one => 'down', two => 'small'))[0], 'small',
   'the first one is down') for 1 .. 10;
is((ask(one => 'large', two => 'down'))[0], 'large',
   'the second one is down') for 1 .. 10;

$t->finish;
done_testing();
