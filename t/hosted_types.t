#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# web_search, file_search and code_interpreter, run by locations and by tools
# of MCP servers: what a backend gets, what the model reads, the client's items
# and events, stored and as input again.

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

my %web = (type => 'web_search');
my %files = (type => 'file_search', vector_store_ids => [ 'vs_1' ]);
my %code = (type => 'code_interpreter', container => { type => 'auto' });

my $url = 'https://example.org/a?b=c';
my $found = { file_id => 'f', filename => 'a.txt', score => 0.5,
              text => "a \"b\"\n", attributes => { page => 1 } };

# a row: the client's tool, the arguments, the backend's answer; what the model
# reads, the item without its id, and members of it that "include" shows

my @rows = (
    { name => 'a search', tool => { %web, search_context_size => 'low' },
      arguments => { query => 'a "b"' },
      answer => { output => "one\n\x{e5}",
                  sources => [ { type => 'url', url => $url, title => 'T',
                                 _meta => 'secret' } ] },
      text => "one\n\x{e5}",
      item => { type => 'web_search_call', status => 'completed',
                action => { type => 'search', query => 'a "b"' } },
      include => 'web_search_call.action.sources',
      shown => { action => { type => 'search', query => 'a "b"',
                             sources => [ { type => 'url',
                                            url => $url } ] } } },
    { name => 'a dated type', tool => { type => 'web_search_preview' },
      arguments => { query => 'q' }, answer => 'plain text',
      text => 'plain text',
      item => { type => 'web_search_call', status => 'completed',
                action => { type => 'search', query => 'q' } } },
    { name => 'JSON of another kind', tool => \%web,
      arguments => { query => 'q' }, answer => '[1, {"a":"b"}]',
      text => '[1, {"a":"b"}]',
      item => { type => 'web_search_call', status => 'completed',
                action => { type => 'search', query => 'q' } } },
    { name => 'sources that are none', tool => \%web,
      arguments => { query => 'q' },
      answer => { output => 'one', sources => [ { type => 'url' } ] },
      text => 'The tool failed.', failed => 1,
      item => { type => 'web_search_call', status => 'failed',
                action => { type => 'search', query => 'q' } } },
    { name => 'a list that is none', tool => \%web,
      arguments => { query => 'q' },
      answer => { output => 'one', sources => 'x' },
      text => 'The tool failed.', failed => 1,
      item => { type => 'web_search_call', status => 'failed',
                action => { type => 'search', query => 'q' } } },
    { name => 'another kind of source', tool => \%web,
      arguments => { query => 'q' },
      answer => { output => 'one',
                  sources => [ { type => 'api', url => $url } ] },
      text => 'The tool failed.', failed => 1,
      item => { type => 'web_search_call', status => 'failed',
                action => { type => 'search', query => 'q' } } },
    { name => 'a backend that fails', tool => \%web, status => 500,
      arguments => { query => 'q' }, answer => 'secret',
      text => 'The tool failed.', failed => 1,
      item => { type => 'web_search_call', status => 'failed',
                action => { type => 'search', query => 'q' } } },
    { name => 'files', tool => { %files, max_num_results => 2 },
      arguments => { query => 'q' },
      answer => { results => [ { %$found, more => 1 },
                               { file_id => 'g', filename => 'b',
                                 text => undef } ] },
      item => { type => 'file_search_call', status => 'completed',
                queries => [ 'q' ], results => undef },
      include => 'file_search_call.results',
      shown => { results => [ $found, { file_id => 'g', filename => 'b' } ] } },
    { name => 'no files', tool => \%files, arguments => { query => 'q' },
      answer => { output => 'nothing', results => [] }, text => 'nothing',
      item => { type => 'file_search_call', status => 'completed',
                queries => [ 'q' ], results => undef },
      include => 'file_search_call.results', shown => { results => [] } },
    { name => 'a score that is a text', tool => \%files,
      arguments => { query => 'q' },
      answer => { results => [ { %$found, score => '0.5' } ] },
      text => 'The tool failed.', failed => 1,
      item => { type => 'file_search_call', status => 'failed',
                queries => [ 'q' ], results => undef } },
    { name => 'code', tool => { %code, container => 'cntr_1' },
      arguments => { code => "print(\"1\")\n" },
      answer => { output => '1', outputs => [
                      { type => 'logs', logs => "1\n" },
                      { type => 'image', url => $url } ] },
      text => '1',
      item => { type => 'code_interpreter_call', status => 'completed',
                code => "print(\"1\")\n", container_id => 'cntr_1',
                outputs => undef },
      include => 'code_interpreter_call.outputs',
      shown => { outputs => [ { type => 'logs', logs => "1\n" },
                              { type => 'image', url => $url } ] } },
    { name => 'what was printed', tool => { %code, container => 'cntr_1' },
      arguments => { code => '1' }, answer => "a \"b\"\n",
      text => "a \"b\"\n",
      item => { type => 'code_interpreter_call', status => 'completed',
                code => '1', container_id => 'cntr_1', outputs => undef },
      include => 'code_interpreter_call.outputs',
      shown => { outputs => [ { type => 'logs', logs => "a \"b\"\n" } ] } },
);

my %events = (
    web_search_call => [ qw( in_progress searching ) ],
    file_search_call => [ qw( in_progress searching ) ],
    code_interpreter_call => [ qw( in_progress interpreting ) ],
);

my $row;

my $model = ORS::Model->new(scripts => { default => plan(
    (map { ("row$_" => [ { tool_calls => [
        call(tool_name($rows[$_]{tool}), %{ $rows[$_]{arguments} }) ] },
        'Done' ]) } 0 .. $#rows),
    hello => [ 'Hello' ],
    mcp_bad => [ { tool_calls => [ call('web_search', query => 'bad') ] },
                 'Sorry' ],
    search => [ { text => 'Let me see', tool_calls => [
        call('web_search', query => 'q') ] }, 'Done' ],
    bad => [ { tool_calls => [ { id => 'c', name => 'web_search',
                                 arguments => '[1]' } ] }, 'Sorry' ],
    lacks => [ { tool_calls => [ call('web_search', q => 'x') ] }, 'Sorry' ],
    lacks_file => [ { tool_calls => [ call('file_search', code => 'x') ] },
                    'Sorry' ],
    lacks_code => [ { tool_calls => [ call('code_interpreter',
                                           query => 'x') ] }, 'Sorry' ],
    again => [ ({ tool_calls => [ call('web_search', query => 'q') ] }) x 2,
               'Done' ],
    both => [ { tool_calls => [ call('web_search', query => 'q'),
                                call('mine', x => 1) ] }, 'Done' ],
    mixed => [ { text => 'So', tool_calls => [
        call('mine#1', x => 1), call('web_search#2', query => 'q'),
        call('mine#3', x => 3), call('code_interpreter#4', code => 'c'),
        call('file_search#5', query => 'q'), call('mine#6', x => 6) ] },
        'Done' ],
    cut => [ { tool_calls => [ call('web_search', query => 'q'),
                               call('mine', x => 1) ], finish => 'length' } ],
) });

my $tools = ORS::Model->new(scripts => {
    (map { my $row = $rows[$_];
           my $body = ref $row->{answer} ? json_encode($row->{answer})
                                         : $row->{answer};
           utf8::encode($body) if utf8::is_utf8($body);
           ("row$_" => [ $row->{status} ? [ status => $row->{status} ] : (),
                         [ header => 'Content-Type',
                           ref $row->{answer} ? 'application/json'
                                              : 'text/plain' ],
                         [ raw => $body ] ]) } 0 .. $#rows),
    mcp => modern(pages => [ [ tool('find.it') ] ],
                  call => sub ($name, $arguments) {
                      return { isError => json_true,
                               content => [ { type => 'text',
                                              text => 'no "x"' } ] }
                          if $arguments->{query} eq 'bad';
                      return json_encode({ output => "$name: "
                                                     . $arguments->{query},
                                           sources => [ { type => 'url',
                                                          url => $url } ] });
                  }),
    text => [ [ header => 'Content-Type', 'text/plain' ], [ raw => 'text' ] ],
});

sub tool_name ($tool) {
    return $tool->{type} =~ s/_preview//r;
}

my $t = ORS::Nginx->new(model => { MODEL => $model, TOOLS => $tools },
                        conf => <<'CONF');
    open_responses_store main lmdb:%%TESTDIR%%/store size=16m;
    open_responses_store_scope all empty=share;
    open_responses_target default /to/model;

    map $http_x_row $row { default $http_x_row; "" text; }

    server {
        listen 127.0.0.1:%%PORT_0%%;

        open_responses_mcp docs /mcp;

        location /v1/ {
            open_responses on;
            open_responses_store main;
            open_responses_tool web_search /tool/typed;
            open_responses_tool file_search /tool/typed;
            open_responses_tool code_interpreter /tool/typed;
        }

        location /spec/v1/ {
            open_responses on;
            open_responses_flavor spec;
            open_responses_strict off;
            open_responses_tool web_search /tool/typed;
        }

        location /silent/v1/ {
            open_responses on;
            open_responses_store main;
            open_responses_tool web_search /tool/typed show=none;
        }

        location /mcp/v1/ {
            open_responses on;
            open_responses_tool web_search mcp:docs/find.it;
        }

        location /wrong/v1/ {
            open_responses on;
            open_responses_tool web_search mcp:docs/nosuch;
        }

        %%CHAT /to/model /chat%%

        location = /tool/typed {
            internal;
            proxy_set_header X-Tool $open_responses_tool_name;
            proxy_pass http://%%TOOLS%%/script/$row;
        }

        location = /mcp {
            internal;
            proxy_pass http://%%TOOLS%%/script/mcp;
        }
    }
CONF

$t->start;


sub ask ($name, %o) {
    my $stream = delete $o{stream};
    my $path = delete($o{path}) // '';
    my $row = delete($o{row}) // 'text';
    my @form = $path eq '/spec' ? (extensions => 1) : (flavor => 'openai');

    $model->forget;
    $tools->forget;

    my $r = post_json($t->port, "$path/v1/responses",
                      { model => $name, input => 'hi', tools => [ \%web ],
                        stream => $stream ? json_true : json_false, %o },
                      headers => { 'X-Row' => $row });

    my $how = "$path $name" . ($stream ? ', stream' : '');

    return $stream ? stream_ok($r, $how, @form)
                   : response_ok($r, $how, @form);
}


sub types ($response) {
    return [ map { $_->{type} } @{ $response->{output} } ];
}


for my $i (0 .. $#rows) {
    $row = $rows[$i];

    for my $stream (0, 1) {
        my $how = $row->{name} . ($stream ? ', stream' : '');
        my $stream_of = ask("row$i", row => "row$i", stream => $stream,
                            tools => [ $row->{tool} ]);
        my $response = $stream_of->response;
        my ($item, $said) = @{ $response->{output} };

        like(delete $item->{id}, qr/^(ws|fs|ci)_/, "$how: id");
        is_deeply($item, $row->{item}, "$how: item");
        is($said->{type}, 'message', "$how: and the answer");

        my ($got) = $tools->requests;

        is_deeply($got->{json}, { arguments => $row->{arguments},
                                  tool => $row->{tool} }, "$how: body");
        is($got->{headers}{'x-tool'}, tool_name($row->{tool}), "$how: name");

        my $text = $row->{text} // json_encode($row->{answer});
        my @requests = $model->requests;

        is_deeply([ outputs($requests[1]) ], [ $text ], "$how: model");
        is_deeply([ map { $_->{function}{name} }
                    @{ $requests[0]{json}{tools} } ],
                  [ tool_name($row->{tool}) ], "$how: function");

        next if !$stream;

        my $type = $row->{item}{type};

        is_deeply([ map { s/^response\.$type\.//r }
                    grep { /^response\.$type\./ } $stream_of->types ],
                  [ @{ $events{$type} }, $row->{failed} ? () : 'completed' ],
                  "$how: events");
    }

    next if !$row->{include};

    my $response = ask("row$i", row => "row$i", tools => [ $row->{tool} ],
                       include => [ $row->{include} ])->response;
    my ($item) = @{ $response->{output} };

    is_deeply({ map { $_ => $item->{$_} } keys %{ $row->{shown} } },
              $row->{shown}, "$row->{name}: with include");
}

# a turn

for my $stream (0, 1) {
    my $how = $stream ? 'stream' : 'document';
    my $response = ask('search', stream => $stream)->response;

    is_deeply(types($response), [ qw( message web_search_call message ) ],
              "$how: items");

    for my $bad (qw( bad lacks lacks_file lacks_code )) {
        $response = ask($bad, stream => $stream,
                        tools => [ \%web, \%files, \%code ])->response;

        is($response->{output}[0]{status}, 'failed', "$how: $bad arguments");
        is(scalar($tools->requests), 0, "$how: nothing is called");
    }

    $response = ask('again', stream => $stream, max_tool_calls => 1)->response;

    is_deeply([ map { $_->{status} } @{ $response->{output} } ],
              [ qw( completed failed completed ) ], "$how: the limit");
    is(scalar($tools->requests), 1, "$how: one call");

    $response = ask('both', stream => $stream, tools => [ \%web,
        { type => 'function', name => 'mine', strict => json_false,
          parameters => { type => 'object' } } ])->response;

    is_deeply(types($response), [ qw( web_search_call function_call ) ],
              "$how: with a function of the client");

    my @mine = (\%web, \%files, \%code, { type => 'function', name => 'mine',
        strict => json_false, parameters => { type => 'object' } });

    $response = ask('mixed', stream => $stream, tools => \@mine)->response;

    is_deeply(types($response),
              [ qw( message function_call web_search_call function_call
                    code_interpreter_call file_search_call function_call ) ],
              "$how: the order of the model");
    is_deeply([ map { $_->{arguments} }
                grep { $_->{type} eq 'function_call' }
                @{ $response->{output} } ],
              [ map { "{\"x\":$_}" } 1, 3, 6 ], "$how: its arguments");

    $response = ask('cut', stream => $stream, tools => \@mine)->response;

    is_deeply([ $response->{status}, types($response) ],
              [ 'incomplete', [ 'function_call' ] ],
              "$how: an answer that is cut makes no call");

    $response = ask('search', stream => $stream, path => '/spec')->response;

    is_deeply(types($response),
              [ qw( message nginx:web_search_call message ) ],
              "$how: flavor spec");

    $response = ask('search', stream => $stream, path => '/silent')->response;

    is_deeply(types($response), [ qw( message message ) ],
              "$how: show=none");
    is_deeply([ outputs(($model->requests)[1]) ], [ 'text' ],
              "$how: the model has it");
}

# the choice

my $r = ask('search', tool_choice => { type => 'web_search' });

is_deeply([ map { $_->{json}{tool_choice} } $model->requests ],
          [ { type => 'function', function => { name => 'web_search' } },
            'auto' ], 'a choice by type, in the first round');

$r = ask('search', tools => [ \%web, \%files ],
         tool_choice => { type => 'allowed_tools', mode => 'auto',
                          tools => [ { type => 'web_search' } ] });

is_deeply(types($r->response), [ qw( message web_search_call message ) ],
          'a type that is allowed');

$r = ask('search', tools => [ \%web, \%files ],
         tool_choice => { type => 'allowed_tools', mode => 'auto',
                          tools => [ { type => 'file_search' } ] });

is_deeply(types($r->response), [ qw( message ) ],
          'a type that is not allowed');

# names

my %mine = (type => 'function', name => 'web_search', strict => json_false,
            parameters => { type => 'object' });

$r = ask('search', tools => [ \%mine ]);

is_deeply(types($r->response), [ qw( message function_call ) ],
          'a function of that name is the client\'s own');

error_ok(post_json($t->port, '/v1/responses',
                   { model => 'search', input => 'hi',
                     tools => [ \%mine, \%web ] }),
         400, 'both', param => 'tools[0].name');

for my $tools ([], [ \%files ]) {
    ask('hello', path => '/mcp', tools => $tools);

    ok(!exists(($model->requests)[0]{json}{tools}),
       'a tool of a type is for requests that name the type');
}

# stored, and as input

my $first = ask('row0', row => 'row0', tools => [ $rows[0]{tool} ],
                include => [ $rows[0]{include} ])->response;

my $stored = get($t->port, "/v1/responses/$first->{id}");

is_deeply($stored->{json}{output}, $first->{output}, 'stored');

$model->forget;
response_ok(post_json($t->port, '/v1/responses',
                      { model => 'hello', input => 'and?',
                        previous_response_id => $first->{id} }),
            'a follow-up', flavor => 'openai');

is_deeply([ messages(($model->requests)[0]) ],
          [ 'user hi', 'assistant Done', 'user and?' ],
          'a search that was made is no message');

my $files = ask('row7', row => 'row7', tools => [ $rows[7]{tool} ],
                include => [ $rows[7]{include} ])->response;

$model->forget;
response_ok(post_json($t->port, '/v1/responses',
                      { model => 'hello', tools => [ \%files ],
                        input => [ @{ $files->{output} },
                                   { role => 'user',
                                     content => 'and?' } ] }),
            'items as input', flavor => 'openai');

like((messages(($model->requests)[0]))[0], qr/^call file_search \{"queries"/,
     'files that were found are a call');

# a tool of an MCP server

for my $stream (0, 1) {
    my $how = $stream ? 'stream' : 'document';

    my $response = ask('search', stream => $stream, path => '/mcp',
                       include => [ 'web_search_call.action.sources' ])
                   ->response;

    is_deeply($response->{output}[1]{action},
              { type => 'search', query => 'q',
                sources => [ { type => 'url', url => $url } ] },
              "MCP, $how: the item");
    is_deeply([ outputs(($model->requests)[1]) ], [ 'find.it: q' ],
              "MCP, $how: the text");
    is_deeply([ said($tools) ], [ $stream ? () : 'tools/list',
                                  'tools/call find.it' ],
              "MCP, $how: one call, and the list once");

    $response = ask('mcp_bad', stream => $stream, path => '/mcp')->response;

    is($response->{output}[0]{status}, 'failed', "MCP, $how: it fails");
    is_deeply([ outputs(($model->requests)[1]) ], [ 'no "x"' ],
              "MCP, $how: the model gets its words");
}

# a tool that the server does not have

my $response = ask('search', path => '/wrong')->response;

my ($call) = grep { $_->{type} eq 'web_search_call' } @{ $response->{output} };

is($call->{status}, 'failed', 'no such tool: it fails');
is_deeply([ said($tools) ], [ 'tools/list' ],
          'no such tool: the list is read again, nothing is called');

my $log = $t->error_log;

like($log, qr/\[info\] .* has listed 1 tools after \d+ ms: find\.it/,
     'the log has the names of tools');
like($log, qr/\[error\] .* has no tool "nosuch", which is to serve "web_/,
     'the log has the tool that is not there');
like($log, qr/\[error\] .*tool "web_search" of MCP server "docs" has failed/,
     'and its call');

$t->finish;
done_testing();
