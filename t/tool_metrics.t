#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Calls of hosted tools and MCP servers, counted by names of the configuration
# on the status page, in its JSON and for Prometheus.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get http_start post_json );
use ORS::JSON qw( json_encode json_true );
use ORS::Loop qw( plan call );
use ORS::MCP qw( legacy tool );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Prometheus qw( prometheus );
use ORS::Util qw( wait_for );

my $model = ORS::Model->new(scripts => { default => plan(
    good   => [ { tool_calls => [ call('clock#1', n => 1),
                                  call('clock#2', n => 2) ] }, 'Done' ],
    bad    => [ { tool_calls => [ call('broken', n => 1) ] }, 'Sorry' ],
    echo   => [ { tool_calls => [ call('docs__echo', n => 1) ] }, 'Done' ],
    error  => [ { tool_calls => [ call('docs__error', n => 1) ] }, 'Sorry' ],
    leave  => [ { tool_calls => [ call('docs__wait', n => 1) ] }, 'never' ],
    stays  => [ { tool_calls => [ call('slow', n => 1) ] }, 'never' ],
    other  => [ { tool_calls => [ call('invented', n => 1) ] }, 'Done' ],
) });

my $mcp = ORS::Model->new(scripts => {
    docs => legacy(tools => [ map { tool($_) } qw( echo error wait ) ],
                   call => sub ($name, $arguments) {
        return 'text' if $name eq 'echo';
        return [ [ touch => 'there' ], [ hang => 'left' ] ]
            if $name eq 'wait';

        return { isError => json_true,
                 content => [ { type => 'text', text => 'no' } ] };
    }),
    clock  => json_script({ time => 1 }),
    broken => [ [ status => 500 ], [ raw => 'no' ] ],
    slow   => [ [ touch => 'slow-there' ], [ hang => 'slow-left' ] ],
});

my @tools = qw( clock broken slow );
my $tools = join '', map { "    open_responses_tool $_ /tool/$_"
                           . " definition=%%TESTDIR%%/$_.json;\n" } @tools;

my $conf = <<"CONF";
    open_responses_flavor openai;
    open_responses_target default /to/model;
$tools
    open_responses_mcp docs /mcp/docs require_approval=never;

    server {
        listen 127.0.0.1:%%PORT_0%%;
        server_name a.example;

        location /v1/ { open_responses on; }
        location = /metrics { open_responses_status prometheus; }
        location = /json { open_responses_status json; }
        location = /page { open_responses_status; }

        %%CHAT /to/model /chat%%

        location /tool/ {
            internal;
            proxy_pass http://%%MCP%%/script/;
        }

        location = /mcp/docs {
            internal;
            proxy_pass http://%%MCP%%/script/docs;
        }
    }
CONF

my $t = ORS::Nginx->new(model => { MODEL => $model, MCP => $mcp },
                        conf => $conf);

$t->write_file("$_.json", json_encode({
    type => 'function', name => $_, description => "Does $_",
    parameters => { type => 'object' } })) for @tools;

$t->start;

my %json = ('Content-Type' => 'application/json');
my $calls = 'open_responses_tool_calls_total';
my $count = 'open_responses_tool_duration_seconds_count';


sub body ($name) {
    my @used = $name =~ /^(?:echo|error|leave)$/
               ? { type => 'mcp', server_label => 'docs' } : ();

    return { model => $name, input => 'hi', tools => \@used };
}


# messages about the end of calls that were not sent

my $dropped = 'open_responses_mcp_dropped_total{kind="mcp",server="a.example",'
              . 'target="/mcp/docs",tool="docs"}';


# a series in the order of its labels' names

sub series ($tool, $kind, $outcome = undef) {
    my $uri = $kind eq 'mcp' ? "/mcp/$tool" : "/tool/$tool";

    return ($outcome ? $calls : $count) . "{kind=\"$kind\","
           . ($outcome ? "outcome=\"$outcome\"," : '')
           . "server=\"a.example\",target=\"$uri\",tool=\"$tool\"}";
}


sub values_of () { prometheus(get($t->port, '/metrics')->{body})->{value} }


my @all = map { my $of = $_;
                map { series(@$of, $_) } qw( completed failed canceled ) }
          ([ clock => 'tool' ], [ broken => 'tool' ], [ slow => 'tool' ],
           [ docs => 'mcp' ]);

my $value = values_of();

is_deeply([ sort grep { /^$calls/ } keys %$value ], [ sort @all ],
          'a series for each tool, server and outcome of the configuration');
is_deeply([ grep { $value->{$_} } @all ], [], '... that begins with zero');
is_deeply([ grep { /mcp_dropped/ } keys %$value ], [ $dropped ],
          'messages that are not sent are counted for MCP servers only');
is($value->{$dropped}, 0, '... from zero');
ok(!(grep { /^$count/ } keys %$value), 'no time of a tool without calls');

post_json($t->port, '/v1/responses', body($_))
    for qw( good bad echo echo error other );

for (map { [ @$_ ] } [ leave => 'there', 'left' ],
                     [ stays => 'slow-there', 'slow-left' ]) {
    my ($name, $there, $left) = @$_;
    my $client = http_start($t->port, 'POST', '/v1/responses', \%json,
                            json_encode(body($name)));

    ok($mcp->wait_file($there), "$name: a call runs");
    $client->close;
    ok($mcp->wait_file($left), "$name: its client leaves");
}

wait_for(sub { values_of()->{series('slow', 'tool', 'canceled')} });
$value = values_of();

my %expected = (
    series('clock', 'tool', 'completed') => 2,
    series('broken', 'tool', 'failed') => 1,
    series('slow', 'tool', 'canceled') => 1,
    series('docs', 'mcp', 'completed') => 2,
    series('docs', 'mcp', 'failed') => 1,
    series('docs', 'mcp', 'canceled') => 1,
    series('clock', 'tool') => 2,
    series('broken', 'tool') => 1,
    series('docs', 'mcp') => 3,
);

is_deeply({ map { $_ => $value->{$_} }
            grep { $value->{$_} && /^(?:$calls|$count)/ } keys %$value },
          \%expected, 'calls by outcome, and times of those that ended');
ok(!(grep { /invented/ } keys %$value), 'no series for a name of a model');

my $listed = get($t->port, '/json')->{json}{tools};
my ($docs) = grep { $_->{tool} eq 'docs' } @$listed;

is(scalar @$listed, 4, 'JSON has all of them');
cmp_ok(delete $docs->{milliseconds}, '>=', 0, '... with their time');
is_deeply($docs, { server => 'a.example', tool => 'docs', kind => 'mcp',
                   target => '/mcp/docs', completed => 2, failed => 1,
                   canceled => 1, dropped => 0 }, '... and their calls');

my $page = get($t->port, '/page')->{body};

like($page, qr{<th>docs</th><td>2</td><td>1</td><td>1</td>},
     'the page has a row of the server');

ok($t->reload($conf =~ s/^    open_responses_tool slow .*\n//mr),
   'a tool is removed');

$value = values_of();

is($value->{series('clock', 'tool', 'completed')}, 2, 'counts go on');
ok(!(grep { /"slow"/ } keys %$value), '... of what the configuration has');

$t->finish;
done_testing();
