#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Hosted tools of an operator's own types, as the specification has one under
# "Build hosted tools at the routing layer":
#
#     { "type": "custom_document_search",
#       "documents": [ { "type": "external_file", "url": ... } ] }
#
# The body for its location, the items and events of the client, stored, as
# input again and over WebSocket; and tools that nothing serves.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get post_json );
use ORS::JSON qw( json_decode json_encode json_false json_true );
use ORS::Loop qw( plan call messages outputs );
use ORS::MCP qw( modern tool said );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( response_ok stream_ok error_ok );
use ORS::Util qw( slurp wait_for );
use ORS::WS;

my %tool = (type => 'custom_document_search',
            documents => [ { type => 'external_file',
                             url => 'https://example.org/a.pdf' } ]);

my %arguments = (query => 'climate');

my @rounds = ({ tool_calls => [ call('custom_document_search', %arguments) ] },
              'Done');

my $model = ORS::Model->new(scripts => { default => plan(
    search => \@rounds,
    acme => [ { tool_calls => [ call('document_search', %arguments) ] },
              'Done' ],
    bad => [ { tool_calls => [ { id => 'c', name => 'custom_document_search',
                                 arguments => '[1]' } ] }, 'Sorry' ],
    hello => [ 'Hello' ],
) });

my $tools = ORS::Model->new(scripts => {
    text => [ [ header => 'Content-Type', 'text/plain' ], [ raw => "a\n" ] ],
    json => [ [ header => 'Content-Type', 'application/json' ],
              [ raw => json_encode({ output => 'found', pages => [ 1 ] }) ] ],
    down => [ [ status => 500 ], [ raw => 'secret' ] ],
    mcp => modern(pages => [ [ tool('find') ] ],
                  call => sub ($name, $arguments) { "$name it" }),
});

my $t = ORS::Nginx->new(model => { MODEL => $model, TOOLS => $tools },
                        http => <<'HTTP', conf => <<'CONF');
    log_format ignored '[$open_responses_ignored_fields]';

    map $http_x_script $script { default $http_x_script; "" text; }
HTTP
    open_responses_store main lmdb:%%TESTDIR%%/store size=16m;
    open_responses_store_scope all empty=share;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        open_responses_target default /to/model;
        open_responses_mcp docs /mcp;

        location /v1/ {
            open_responses on;
            open_responses_websocket on;
            open_responses_store main;
            open_responses_tool custom_document_search /tool/search
                                definition=%%TESTDIR%%/search.json;
            open_responses_tool acme:document_search /tool/search
                                definition=%%TESTDIR%%/search.json;
        }

        location /spec/v1/ {
            open_responses on;
            open_responses_flavor spec;
            open_responses_store main;
            open_responses_tool nginx:custom_document_search /tool/search
                                definition=%%TESTDIR%%/search.json;
            open_responses_tool acme:document_search /tool/search
                                definition=%%TESTDIR%%/search.json;
            open_responses_tool web_search /tool/search;
        }

        location /plain/v1/ {
            open_responses on;
            open_responses_store main;
            open_responses_tool custom_document_search /tool/search show=plain
                                definition=%%TESTDIR%%/search.json;
        }

        location /gone/v1/ {
            open_responses on;
            open_responses_store main;
        }

        location /silent/v1/ {
            open_responses on;
            open_responses_store main;
            open_responses_tool custom_document_search /tool/search show=none
                                definition=%%TESTDIR%%/search.json;
        }

        location /mcp/v1/ {
            open_responses on;
            open_responses_tool nginx:custom_document_search mcp:docs/find
                                definition=%%TESTDIR%%/search.json;
        }

        location /strict/v1/ {
            open_responses on;
            access_log %%TESTDIR%%/logs/ignored.log ignored;
        }

        location /lax/v1/ {
            open_responses on;
            open_responses_strict off;
            access_log %%TESTDIR%%/logs/ignored.log ignored;
        }

        location = /status {
            open_responses_status json;
        }

        %%CHAT /to/model /chat%%

        location = /tool/search {
            internal;
            proxy_set_header X-Tool $open_responses_tool_name;
            proxy_pass http://%%TOOLS%%/script/$script;
        }

        location = /mcp {
            internal;
            proxy_pass http://%%TOOLS%%/script/mcp;
        }
    }
CONF

$t->write_file('search.json', json_encode({
    description => 'Searches documents',
    parameters => { type => 'object', required => [ 'query' ],
                    properties => { query => { type => 'string' } } } }));

$t->start;


sub ask ($name, %o) {
    my $path = delete($o{path}) // '';
    my $script = delete($o{script}) // 'text';

    $model->forget;
    $tools->forget;

    my $r = post_json($t->port, "$path/v1/responses",
                      { model => $name, input => 'hi', tools => [ \%tool ],
                        %o },
                      headers => { 'X-Script' => $script });
    my $how = "$path $name" . ($o{stream} ? ', stream' : '');
    my @form = (extensions => 1, $path eq '/spec' ? () : (flavor => 'openai'));

    return $o{stream} ? stream_ok($r, $how, @form)
                      : response_ok($r, $how, @form);
}


sub types ($response) {
    return [ map { $_->{type} } @{ $response->{output} } ];
}


sub refused ($name, $path, $tool, @expected) {
    my $r = post_json($t->port, "$path/v1/responses",
                      { model => 'hello', input => 'hi', tools => [ $tool ] });

    error_ok($r, 400, $name, param => 'tools[0].type');
    like(json_decode($r->{body})->{error}{message}, $_, "$name: its message")
        for @expected;
    return;
}


my $NAME = 'custom_document_search';

# a turn: the path, the client's type, the name in front of "_call"

for my $row ([ '', $NAME, "nginx:$NAME" ],
             [ '', "nginx:$NAME", "nginx:$NAME" ],
             [ '', 'acme:document_search', 'acme:document_search' ],
             [ '/spec', $NAME, "nginx:$NAME" ],
             [ '/spec', "nginx:$NAME", "nginx:$NAME" ],
             [ '/spec', 'acme:document_search', 'acme:document_search' ],
             [ '/plain', $NAME, $NAME ],
             [ '/silent', $NAME, undef ])
{
    my ($path, $type, $shown) = @$row;
    my %asked = (%tool, type => $type);
    my $function = $type =~ s/.*://r;
    my $script = $type =~ /acme/ ? 'acme' : 'search';

    for my $stream (json_false, json_true) {
        my $how = "$path $type" . ($stream ? ', stream' : '');
        my $r = ask($script, path => $path, tools => [ \%asked ],
                    stream => $stream, script => 'json');
        my ($item) = my @items = @{ $r->response->{output} };

        is(scalar(@items), $shown ? 2 : 1, "$how: items");
        is($items[-1]{type}, 'message', "$how: and the answer");

        my ($got) = $tools->requests;

        is_deeply($got->{json}, { arguments => \%arguments, tool => \%asked },
                  "$how: the location has the documents");
        is($got->{headers}{'x-tool'}, $function, "$how: the name");

        my @requests = $model->requests;

        is((grep { $_->{function}{name} eq $function }
            @{ $requests[0]{json}{tools} }), 1, "$how: one function");
        is_deeply([ outputs($requests[1]) ], [ 'found' ], "$how: the model");

        next if !$shown;

        like(delete $item->{id}, qr/^tool_/, "$how: id");
        is_deeply($item, { type => "${shown}_call", status => 'completed',
                           arguments => json_encode(\%arguments),
                           output => 'found' }, "$how: item");

        next if !$stream;

        my @events = grep { !/response\.(?:output_text|content_part)/ }
                     $r->types;
        my @steps = $path eq '/plain'
                    ? map { "response.${NAME}_call.$_" }
                      qw( in_progress completed ) : ();

        is_deeply(\@events, [ qw( response.created response.in_progress
                                  response.output_item.added ),
                              @steps, qw( response.output_item.done
                                          response.output_item.added
                                          response.output_item.done
                                          response.completed ) ],
                  "$how: events");

        my ($added) = $r->event('response.output_item.added', 0);

        is($added->{item}{status}, 'in_progress', "$how: it begins");
        is($added->{item}{output}, undef, "$how: without an output");
    }
}

# failures

my $failed = ask('search', script => 'down')->response;

is($failed->{output}[0]{status}, 'failed', 'a location that fails');
is($failed->{output}[0]{output}, 'The tool failed.', 'its output');

$failed = ask('bad')->response;

is($failed->{output}[0]{status}, 'failed', 'arguments that are no object');
is(scalar($tools->requests), 0, 'nothing is called');

# a client that does not declare the type has the function of that name

my $plain = ask('search', tools => [])->response;
my ($got) = $tools->requests;

is_deeply(types($plain), [ qw( function_call function_call_output message ) ],
          'without the type: the function');
is_deeply($got->{json}, \%arguments, 'its location has the arguments alone');

ask('hello', path => '/mcp', tools => []);

ok(!exists(($model->requests)[0]{json}{tools}),
   'a name with a slug is only for clients that declare the type');

# a tool of an MCP server

my $mcp = ask('search', path => '/mcp')->response;

is($mcp->{output}[0]{output}, 'find it', 'MCP: the item');
is_deeply([ said($tools) ], [ 'tools/list', 'tools/call find' ],
          'MCP: the calls');

# the choice

for my $path ('', '/spec') {
    my $r = ask('search', path => $path, tool_choice => { type => $NAME });

    is_deeply([ map { $_->{json}{tool_choice} } $model->requests ],
              [ { type => 'function', function => { name => $NAME } }, 'auto' ],
              "$path: a choice by type, in the first round");
    is_deeply($r->response->{tool_choice},
              $path ? { type => 'function', name => $NAME }
                    : { type => $NAME }, "$path: and its echo");
}

ask('search', tool_choice => { type => 'allowed_tools', mode => 'auto',
                               tools => [ { type => $NAME } ] });

is(scalar($tools->requests), 1, 'a type that is allowed');

# stored, followed up and as input again

for my $path ('', '/plain') {
    my $first = ask('search', path => $path)->response;
    my $call = "call $NAME " . json_encode(\%arguments);
    my @said = ('user hi', $call, "tool a\n", 'assistant Done', 'user and?');

    is_deeply(get($t->port, "$path/v1/responses/$first->{id}")->{json}{output},
              $first->{output}, "$path: stored");

    for my $tools ([ \%tool ], []) {
        my %follow = (path => $path, tools => $tools);
        my $n = @$tools;

        ask('hello', %follow, input => 'and?',
            previous_response_id => $first->{id});

        is_deeply([ messages(($model->requests)[0]) ], \@said,
                  "$path: a follow-up, with $n tools");

        ask('hello', %follow, store => json_false, input => [
            { role => 'user', content => 'hi' }, @{ $first->{output} },
            { role => 'user', content => 'and?' } ]);

        is_deeply([ messages(($model->requests)[0]) ], \@said,
                  "$path: items as input, with $n tools");
    }

    ask('hello', path => '/gone', tools => [], input => 'and?',
        previous_response_id => $first->{id});

    is_deeply([ messages(($model->requests)[0]) ], \@said,
              "$path: a follow-up where the type is not configured");
}

# WebSocket

my $ws = ORS::WS->new($t->port, headers => { 'X-Script' => 'text' });

$ws->create(model => 'search', input => 'hi', tools => [ \%tool ]);

my $turn = $ws->turn_ok('WebSocket', flavor => 'openai', extensions => 1);

is_deeply(types($turn->response), [ "nginx:${NAME}_call", 'message' ],
          'WebSocket: items');

$model->forget;
$ws->create(model => 'hello', input => 'and?', tools => [ \%tool ],
            previous_response_id => $turn->response->{id});
$ws->turn_ok('WebSocket, follow-up', flavor => 'openai', extensions => 1);

is((messages(($model->requests)[0]))[1],
   "call $NAME " . json_encode(\%arguments), 'WebSocket: the call is there');

$ws->close;

# in the background

$tools->forget;

my $r = post_json($t->port, '/v1/responses',
                  { model => 'search', input => 'hi', tools => [ \%tool ],
                    background => json_true },
                  headers => { 'X-Script' => 'text' });
my $id = $r->{json}{id};
my $later;

wait_for(sub {
    $later = get($t->port, "/v1/responses/$id")->{json};
    $later->{status} eq 'completed';
});

is_deeply(types($later), [ "nginx:${NAME}_call", 'message' ],
          'in the background: items');
is_deeply(($tools->requests)[0]{json}{tool}, \%tool,
          'in the background: the location has the documents');

# types that nothing serves: strict

refused('another type', '', { type => 'other' },
        qr/be "nginx:$NAME", "$NAME", "acme:document_search", "function", /,
        qr/, found string "other"/);
refused('another type, spec', '/spec', { type => 'other' },
        qr/be "nginx:$NAME", "$NAME", "acme:document_search", "nginx:web_s/,
        qr/"nginx:web_search" or "function", found/);
refused('another slug', '', { type => 'acme:other' },
        qr/"acme:other", a type of tools that nothing here serves; there /,
        qr/are functions and "nginx:$NAME", "$NAME", "acme:document_search"/);
refused('a type of another location', '/gone', \%tool,
        qr/"apply_patch" or "programmatic_tool_calling", found string/);

is_deeply(types(ask('hello', path => '/spec',
                    tools => [ { type => 'nginx:web_search' } ])->response),
          [ 'message' ], 'a known type with the slug');
is_deeply([ map { $_->{function}{name} }
            @{ ($model->requests)[0]{json}{tools} } ], [ 'web_search' ],
          'it is served');

# ... and not strict, or known to flavor "openai": named, counted, logged

my ($lines, $counted) = (0, 0);

for my $row ([ '/lax', 'tools[0].type', \%tool ],
             [ '/lax', 'tools[0].type', { type => "nginx:$NAME" } ],
             [ '/lax', 'tools[0].type, tools[1].type',
               { type => 'web_search' }, { type => 'acme:x' } ],
             [ '/strict', 'tools[0].type', { type => 'web_search' } ],
             [ '/strict', '-' ])
{
    my ($path, $list, @tools) = @$row;

    ask('hello', path => $path, tools => \@tools);

    $lines++;
    wait_for(sub { logged() >= $lines });

    my $how = "$path, " . join(', ', map { $_->{type} } @tools);
    my $n = get($t->port, '/status')->{json}{ignored_fields};

    is((logged())[-1], "[$list]", "$how: the variable");
    is($n - $counted, scalar(@tools), "$how: the counter");
    ok($t->wait_log(qr/\[info\].* request not sent on: \Q$list\E, client/),
       "$how: the log") if @tools;

    $counted = $n;
}

$t->finish;
done_testing();


sub logged () { return split /\n/, slurp($t->dir . '/logs/ignored.log') }
