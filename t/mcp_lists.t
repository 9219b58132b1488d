#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Simultaneous requests that need the list of an MCP server's tools: one of
# them reads it, the others wait; the one that reads it fails, or leaves.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( http_start );
use ORS::JSON qw( json_decode json_encode json_true );
use ORS::Loop qw( plan );
use ORS::MCP qw( modern tool said );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Util qw( wait_for );

my @labels = qw( good bad left deaf );

my $model = ORS::Model->new(scripts => { default => plan() });

# a list is answered when the test says so

sub held ($label, $server) {
    return sub ($conn, $r) {
        if (json_decode($r->{body})->{method} eq 'tools/list') {
            $conn->touch("$label-asked");
            $conn->_step_wait_file("$label-go");
        }

        return $server->($conn, $r);
    };
}

my $mcp = ORS::Model->new(scripts => {
    good => held('good', modern(tools => [ tool('echo') ])),
    left => held('left', modern(tools => [ tool('echo') ])),
    bad  => held('bad',
                 modern(list => sub ($params) { [ [ status => 500 ] ] })),
    deaf => [ [ hang => 'deaf-gone' ] ],
});

my $servers = join '', map { my $time = $_ eq 'deaf' ? '500ms' : '60s';
    "    open_responses_mcp $_ /mcp/$_ timeout=$time;\n" } @labels;

my $t = ORS::Nginx->new(model => { MODEL => $model, MCP => $mcp },
                        conf => <<"CONF");
    open_responses_flavor openai;
    open_responses_target default /to/model;
$servers
    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ { open_responses on; }

        %%CHAT /to/model /chat%%

        location /mcp/ {
            internal;
            proxy_pass http://%%MCP%%/script/;
        }
    }
CONF

$t->start;


# streams that are at their lists

sub begin ($label, $n) {
    my @clients = map {
        http_start($t->port, 'POST', '/v1/responses',
            { 'Content-Type' => 'application/json',
              Authorization => 'Bearer key' },
            json_encode({ model => 'm', input => 'hi', stream => json_true,
                          tools => [ { type => 'mcp',
                                       server_label => $label } ] }))
    } 1 .. $n;

    $_->wait_body(qr/mcp_list_tools\.in_progress/) for @clients;

    return @clients;
}


# the tools, or the error, of the lists in their responses

sub ended (@clients) {
    return map {
        $_->wait_body(qr/event: response\.completed.*\n\n/s);

        my ($data) = $_->body =~ /event: response\.completed\ndata: (.*)\n/;
        my $list = json_decode($data)->{response}{output}[0];

        $list->{error} // join ' ', map { $_->{name} } @{ $list->{tools} };
    } @clients;
}


sub lists () { scalar grep { $_ eq 'tools/list' } said($mcp) }


my @clients = begin('good', 20);

$mcp->touch('good-go');

is_deeply([ ended(@clients) ], [ ('echo') x 20 ], 'twenty have the list');
is(lists(), 1, '... that was read once');
is_deeply([ ended(begin('good', 2)) ], [ 'echo', 'echo' ], 'it is remembered');
is(lists(), 1, '... and not read again');

# the reader leaves, then one that waits, then all

$mcp->forget;

my ($first) = begin('left', 1);

ok($mcp->wait_file('left-asked'), 'a list is read');

my ($second, $third, @others) = begin('left', 6);

$third->close;
$mcp->untouch('left-asked');
$first->close;

ok($mcp->wait_file('left-asked'), 'its client leaves, another one reads it');

$mcp->untouch('left-asked');
$second->close;

ok($mcp->wait_file('left-asked'), '... and one more');
is(lists(), 3, 'one at a time');

$mcp->touch('left-go');

is_deeply([ ended(@others) ], [ ('echo') x 4 ], 'the others have the list');

# a list that cannot be read

$mcp->forget;

my $failed = 'The list of tools could not be read.';

@clients = begin('bad', 5);
$mcp->touch('bad-go');

is_deeply([ ended(@clients) ], [ ($failed) x 5 ], 'all have the error');
is(lists(), 1, '... of one request');

my $line = qr/"bad" has not listed its tools after \d+ ms, HTTP status 500/;

is(scalar(() = $t->error_log =~ /$line/g), 5, '... in the log, too');

$mcp->untouch('bad-go');
$mcp->forget;
@clients = begin('bad', 3);
$_->close for @clients;
$mcp->touch('bad-go');

is_deeply([ ended(begin('deaf', 3)) ], [ ($failed) x 3 ],
          'a server that does not answer');
ok($mcp->wait_file('deaf-gone'), '... is left alone');

$t->finish;
done_testing();
