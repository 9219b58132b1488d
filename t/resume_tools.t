#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Streams of turns with hosted tools and MCP servers, once more: cut after each
# event, resumed and joined they are the original, to the byte.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json request );
use ORS::JSON qw( json_encode json_false json_true );
use ORS::Loop qw( plan call );
use ORS::MCP qw( legacy modern tool );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( stream_ok );

my $url = 'https://example.org/a?b=c';
my $own = 'custom_document_search';

my %tools = (
    web => { type => 'web_search' },
    file => { type => 'file_search', vector_store_ids => [ 'vs_1' ] },
    code => { type => 'code_interpreter', container => 'cntr_1' },
    own => { type => $own, documents => [ { url => $url } ] },
    mine => { type => 'function', name => 'mine', strict => json_false,
              parameters => { type => 'object' } },
    mcp => { type => 'mcp', server_label => 'new' },
    old => { type => 'mcp', server_label => 'old' },
    asks => { type => 'mcp', server_label => 'new',
              require_approval => 'always' },
);

my %rounds = (
    web => [ { text => 'So', tool_calls => [ call('web_search',
                                                  query => 'a "b"') ] },
             'Done' ],
    file => [ { tool_calls => [ call('file_search', query => 'q') ] },
              'Done' ],
    code => [ { tool_calls => [ call('code_interpreter',
                                     code => "print(\"\x{e5}\")\n") ] },
              'Done' ],
    down => [ { tool_calls => [ call('web_search', query => 'q') ] },
              'Sorry' ],
    own => [ { tool_calls => [ call($own, query => 'q') ] }, 'Done' ],
    mcp => [ { text => 'Let me see', tool_calls => [
        call('new__echo#1', text => 'a "b"'),
        call('new__bad#2', text => '2') ] },
        { reasoning => [ 'H', 'm' ], tool_calls => [
            call('new__echo#3', text => '3') ] },
        'Done' ],
    two => [ { tool_calls => [ call('new__echo#1', text => '1'),
                               call('old__echo#2', text => '2') ] },
             'Done' ],
    asks => [ { text => 'May I', tool_calls => [
        call('new__echo', text => '1') ] }, 'Done' ],
    mixed => [ { text => 'So', tool_calls => [
        call('mine#1', x => 1), call('web_search#2', query => 'q'),
        call('mine#3', x => 3), call('code_interpreter#4', code => 'c'),
        call('file_search#5', query => 'q') ] }, 'Done' ],
    cut => [ { tool_calls => [ call('web_search', query => 'q'),
                               call('mine', x => 1) ], finish => 'length' } ],
);

my $model = ORS::Model->new(scripts => { default => plan(%rounds) });

my %answers = (
    web => { output => 'one', sources => [ { type => 'url', url => $url } ] },
    file => { results => [ { file_id => 'f', filename => 'a.txt',
                             score => 0.5, text => "a \"b\"\n" } ] },
    code => { output => '1', outputs => [ { type => 'logs',
                                            logs => "1\n" } ] },
);

my $echo = sub ($name, $arguments) {
    return "$name: $arguments->{text}" if $name eq 'echo';
    return { isError => json_true,
             content => [ { type => 'text', text => 'no "x"' } ] };
};

my $backend = ORS::Model->new(scripts => {
    text => [ [ header => 'Content-Type', 'text/plain' ], [ raw => "a\n" ] ],
    down => [ [ status => 500 ], [ raw => 'secret' ] ],
    (map { $_ => [ [ header => 'Content-Type', 'application/json' ],
                   [ raw => json_encode($answers{$_}) ] ] } keys %answers),
    new => modern(pages => [ [ tool('echo') ], [ tool('bad') ] ],
                  call => $echo),
    old => legacy(tools => [ tool('echo') ], call => $echo, stream => 1),
});

my $t = ORS::Nginx->new(model => { MODEL => $model, TOOLS => $backend },
                        conf => <<'CONF');
    open_responses_store main lmdb:%%TESTDIR%%/store size=64m;
    open_responses_store_scope all empty=share;
    open_responses_target default /to/model;

    map $http_x_script $script { default $http_x_script; "" text; }

    server {
        listen 127.0.0.1:%%PORT_0%%;

        open_responses_mcp new /mcp/new require_approval=never;
        open_responses_mcp old /mcp/old require_approval=never;
        open_responses_store main;

        location /v1/ {
            open_responses on;
            open_responses_flavor openai;
            open_responses_tool web_search /tool/typed;
            open_responses_tool file_search /tool/typed;
            open_responses_tool code_interpreter /tool/typed;
            open_responses_tool nginx:custom_document_search /tool/typed
                                definition=%%TESTDIR%%/search.json;
        }

        location /spec/v1/ {
            open_responses on;
            open_responses_flavor spec;
            open_responses_strict off;
            open_responses_tool web_search /tool/typed;
            open_responses_tool file_search /tool/typed;
            open_responses_tool code_interpreter /tool/typed;
            open_responses_tool nginx:custom_document_search /tool/typed
                                definition=%%TESTDIR%%/search.json;
        }

        location /plain/v1/ {
            open_responses on;
            open_responses_flavor openai;
            open_responses_tool web_search /tool/typed show=none;
            open_responses_tool custom_document_search /tool/typed show=plain
                                definition=%%TESTDIR%%/search.json;
        }

        %%CHAT /to/model /chat%%

        location = /tool/typed {
            internal;
            proxy_pass http://%%TOOLS%%/script/$script;
        }

        location = /mcp/new {
            internal;
            proxy_pass http://%%TOOLS%%/script/new;
        }

        location = /mcp/old {
            internal;
            proxy_pass http://%%TOOLS%%/script/old;
        }
    }
CONF

$t->write_file('search.json', json_encode({
    description => 'Searches documents',
    parameters => { type => 'object', required => [ 'query' ],
                    properties => { query => { type => 'string' } } } }));

$t->start;


sub again ($path, $id, $query) {
    return request($t->port, 'GET', "$path/v1/responses/$id?stream=true$query");
}


my %seen;      # types of events

# the stream of a request, once more and from each event on; its response

sub resumed ($path, $name, $tools, $script = 'text', %more) {
    my $how = "$path $name, $script" . ($more{include} ? ', included' : '')
              . ($more{previous_response_id} ? ', follow-up' : '');
    my @expect = ($path eq '/spec' ? () : (flavor => 'openai'),
                  extensions => 1);
    my $r = post_json($t->port, "$path/v1/responses",
                      { model => $name, input => 'hi', stream => json_true,
                        tools => [ @tools{@$tools} ], %more },
                      headers => { 'X-Script' => $script });
    my $s = stream_ok($r, $how, @expect);
    my $id = $s->response->{id};
    my @frames = $r->{body} =~ /(.*?\n\n)/gs;

    $seen{$_} = 1 for $s->types;

    my $whole = again($path, $id, '');

    stream_ok($whole, "$how: again", @expect);
    is($whole->{body}, $r->{body}, "$how: the same bytes");

    my ($wrong) = grep {
        my $rest = again($path, $id, "&starting_after=$_")->{body};

        join('', @frames[0 .. $_], $rest) ne $r->{body};
    } 0 .. $#frames - 1;

    is($wrong, undef, "$how: joined after each event, but this one");

    return $s->response;
}


for my $path ('', '/spec') {
    resumed($path, $_, [ $_ ], $_) for qw( web file code );
    resumed($path, 'down', [ 'web' ], 'down');
    resumed($path, 'own', [ 'own' ]);
    resumed($path, 'mixed', [ qw( web file code mine ) ]);
    resumed($path, 'cut', [ qw( web mine ) ]);

    for my $case ([ web => 'web_search_call.action.sources' ],
                  [ file => 'file_search_call.results' ],
                  [ code => 'code_interpreter_call.outputs' ])
    {
        my ($name, $include) = @$case;

        resumed($path, $name, [ $name ], $name, include => [ $include ]);
    }

    resumed($path, 'mcp', [ 'mcp' ]);
    resumed($path, 'two', [ qw( mcp old ) ]);

    my $first = resumed($path, 'asks', [ 'asks' ]);
    my ($request) = grep { $_->{type} =~ /mcp_approval_request\z/ }
                    @{ $first->{output} };

    ok($request, "$path: an approval is asked for") or next;

    # flavor "spec" has no answer to it

    next if $path;

    resumed($path, 'asks', [ 'asks' ], 'text',
            previous_response_id => $first->{id},
            input => [ { type => 'mcp_approval_response', approve => json_true,
                         approval_request_id => $request->{id} } ]);
}

resumed('/plain', 'own', [ 'own' ]);
resumed('/plain', 'web', [ 'web' ], 'web');

ok($seen{"response.$_"}, "there was $_")
    for qw( web_search_call.searching file_search_call.searching
            code_interpreter_call.interpreting
            code_interpreter_call_code.delta mcp_list_tools.completed
            mcp_call_arguments.done mcp_call.completed mcp_call.failed
            custom_document_search_call.in_progress
            function_call_arguments.delta reasoning_summary_text.delta
            incomplete );

$t->finish;
done_testing();
