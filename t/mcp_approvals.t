#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Calls of MCP servers that a client has to approve of, in stored
# conversations and in those that the client sends whole.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json request );
use ORS::JSON qw( json_decode json_encode json_false json_true );
use ORS::Loop qw( plan call messages outputs );
use ORS::MCP qw( legacy tool said );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( response_ok stream_ok error_ok );
use ORS::Util qw( wait_for );

my $model = ORS::Model->new(scripts => {
    count => json_script({ count => 5 }), default => plan(
    hello => [ 'Hello' ],
    one   => [ { text => 'Let me see',
                 tool_calls => [ call('files__write', text => '1') ] },
               'Done' ],
    read  => [ { tool_calls => [ call('files__read', text => '1') ] },
               'Done' ],
    both  => [ { tool_calls => [ call('files__read', text => '1'),
                                 call('files__write', text => '2') ] },
               'Done' ],
    twice => [ { tool_calls => [ call('files__write#1', text => '1') ] },
               { tool_calls => [ call('files__write#2', text => '2') ] },
               'Done' ],
) });

my $mcp = ORS::Model->new(scripts => {
    files => legacy(tools => [ tool('read', annotations =>
                                    { readOnlyHint => json_true }),
                               tool('write') ],
                    call => sub ($name, $arguments) {
                        return "$name: $arguments->{text}";
                    }),
});

my $t = ORS::Nginx->new(workers => 2, model => { MODEL => $model,
                                                 MCP => $mcp },
                        conf => <<'CONF');
    open_responses_flavor openai;
    open_responses_store main lmdb:%%TESTDIR%%/db size=64m;
    open_responses_store_scope $http_x_user;
    open_responses_target default /to/model;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
            open_responses_store main;
            open_responses_mcp files /mcp/files;
        }

        location /always/ {
            open_responses on;
            open_responses_mcp files /mcp/files require_approval=always;
        }

        location /writes/ {
            open_responses on;
            open_responses_mcp files /mcp/files
                               require_approval=never:read_only;
        }

        location = /to/model {
            internal;
            open_responses_dialect chat server=vllm;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }

        location = /mcp/files {
            internal;
            proxy_pass http://%%MCP%%/script/files;
        }
    }
CONF

$t->start;


sub body ($name, %o) {
    return { model => $name, stream => $o{stream} ? json_true : json_false,
             input => $o{input} // 'hi',
             $o{after} ? (previous_response_id => $o{after}{id}) : (),
             $o{background} ? (background => json_true) : (),
             tools => [ { type => 'mcp', server_label => 'files',
                          $o{approval}
                          ? (require_approval => $o{approval}) : () } ] };
}


sub post ($name, %o) {
    $model->forget;
    $mcp->forget;

    return post_json($t->port, ($o{path} // '/v1') . '/responses'
                               . ($o{count} ? '/input_tokens' : ''),
                     body($name, %o), headers => { 'X-User' => 'alice',
                         $o{count} ? ('X-Script' => 'count') : () });
}


sub ask ($name, %o) {
    my $r = post($name, %o);
    my $how = $name . ($o{stream} ? ', stream' : '');

    return ($o{stream} ? stream_ok($r, $how, flavor => 'openai')
                       : response_ok($r, $how, flavor => 'openai'))->response;
}


sub types ($response) {
    return [ map { $_->{type} } @{ $response->{output} } ];
}


sub asked ($response) {
    return grep { $_->{type} eq 'mcp_approval_request' }
           @{ $response->{output} };
}


sub answer ($request, $approve, %more) {
    return { type => 'mcp_approval_response', %more,
             approval_request_id => $request->{id},
             approve => $approve ? json_true : json_false };
}


sub calls () {
    return [ grep { /call/ } said($mcp) ];
}


for my $stream (0, 1) {
    my $how = $stream ? 'stream' : 'document';
    my $first = ask('one', stream => $stream);
    my ($request) = asked($first);

    is_deeply(types($first),
              [ qw( mcp_list_tools message mcp_approval_request ) ],
              "$how: a request for approval");
    is_deeply({ map { $_ => $request->{$_} }
                qw( server_label name arguments ) },
              { server_label => 'files', name => 'write',
                arguments => json_encode({ text => '1' }) },
              "$how: what is to be approved");
    is_deeply(calls(), [ ], "$how: nothing has run");

    my $count = post('one', stream => 0, after => $first, count => 1,
                     input => [ answer($request, 1) ]);

    is($count->{json}{input_tokens}, 5, "$how: it is counted")
        or diag($count->{body});
    is_deeply(calls(), [ ], "$how: nothing has run for that");

    my $second = ask('one', stream => $stream, after => $first,
                     input => [ answer($request, 1) ]);

    is_deeply(types($second), [ qw( mcp_call message ) ],
              "$how: the call runs");
    is($second->{output}[0]{approval_request_id}, $request->{id},
       "$how: it names its approval");
    is($second->{output}[0]{output}, 'write: 1', "$how: its output");
    is_deeply(calls(), [ 'tools/call write' ], "$how: it has run once");

    is_deeply([ messages(($model->requests)[0]) ],
              [ 'user hi', 'call files__write ' . json_encode({ text => '1' }),
                'tool write: 1' ], "$how: the model is asked after it");

    my $third = ask('hello', stream => $stream, after => $second,
                    input => [ answer($request, 1) ]);

    is_deeply(calls(), [ ], "$how: a second answer runs nothing");

    my $declined = ask('hello', stream => $stream, after => $first,
                       input => [ answer($request, 0,
                                         reason => 'too "bold"') ]);

    is_deeply(types($declined), [ 'message' ], "$how: declined");
    is_deeply(calls(), [ ], "$how: nothing runs");
    is_deeply([ outputs(($model->requests)[0]) ],
              [ 'the user has declined this call: too "bold"' ],
              "$how: the model knows why");
}

# who decides

is_deeply(types(ask('one', approval => 'never')),
          [ qw( mcp_list_tools message mcp_call message ) ],
          'the request needs none');

my $ask = { never => { tool_names => [ 'read' ] } };

is_deeply(types(ask('read', approval => $ask)),
          [ qw( mcp_list_tools mcp_call message ) ], 'by name, none');
is_deeply(types(ask('one', approval => $ask)),
          [ qw( mcp_list_tools message mcp_approval_request ) ],
          'by name, another tool');
is_deeply(types(ask('one', approval => 'never', path => '/always')),
          [ qw( mcp_list_tools message mcp_approval_request ) ],
          'the operator wants it always');
is_deeply(types(ask('both', path => '/writes', approval => 'never')),
          [ qw( mcp_list_tools mcp_call mcp_approval_request ) ],
          'of tools that are not read-only');

# a call that needs none has run when the client is asked

my $first = ask('both', path => '/v1', approval => $ask);

is_deeply(calls(), [ 'tools/call read' ], 'the one that needs none has run');

my $second = ask('both', after => $first, approval => $ask,
                 input => [ answer((asked($first))[0], 1) ]);

is_deeply(calls(), [ 'tools/call write' ], 'the other one follows');

# approvals one after the other

$first = ask('twice');
$second = ask('twice', after => $first,
              input => [ answer((asked($first))[0], 1) ]);

is_deeply(types($second), [ qw( mcp_call mcp_approval_request ) ],
          'the next call needs another one');

my $third = ask('twice', after => $second,
                input => [ answer((asked($second))[0], 1) ]);

is(types($third)->[0], 'mcp_call', 'and gets it');
is_deeply(calls(), [ 'tools/call write' ], 'it alone runs');

# without a store the client sends all of it

$first = ask('one', path => '/always');

my @history = ({ role => 'user', content => 'hi' }, @{ $first->{output} });

$second = ask('one', path => '/always',
              input => [ @history, answer((asked($first))[0], 1) ]);

is_deeply(types($second), [ qw( mcp_call message ) ], 'without a store');

ask('one', path => '/always',
    input => [ @history, answer((asked($first))[0], 1),
               @{ $second->{output} },
               { role => 'user', content => 'again' } ]);

is_deeply(calls(), [ ], 'what has run does not run again');

# errors

$first = ask('one');

for my $case ([ 'input[0].approval_request_id', 'an unknown id', 'mcpr_1',
                answer({ id => 'mcpr_1' }, 1) ],
              [ 'input', 'a request that is there twice',
                (asked($first))[0]{id},
                (asked($first))[0], answer((asked($first))[0], 1) ])
{
    my ($param, $what, $id, @input) = @$case;

    error_ok(post('one', after => $first, input => \@input), 400, $what,
             param => $param, message => qr/: "$id"\z/);
    is_deeply(calls(), [ ], "$what: nothing runs");
}

# in the background

$first = ask('one');

my $job = json_decode(post('one', after => $first, background => 1,
                           input => [ answer((asked($first))[0], 1) ])
                      ->{body});

wait_for(sub {
    my $r = request($t->port, 'GET', "/v1/responses/$job->{id}",
                    { 'X-User' => 'alice' });

    $job = json_decode($r->{body});
    $job->{status} eq 'completed';
}) or diag(json_encode($job));

is_deeply(types($job), [ qw( mcp_call message ) ], 'in the background');
is_deeply(calls(), [ 'tools/call write' ], 'it runs there, once');

$t->finish;
done_testing();
