#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# A turn with a tool, each answer in it whole, byte by byte, and cut all along
# its head and its body: the client gets one well-formed end, the model reads
# that a tool has failed, and nothing runs twice.
#
# Cut are the answers of the model, with the call and with the last text, of a
# tool in a location, of one for a hosted type, and of an MCP server: its list
# of tools, with and without an older one, its result, and in its older era how
# a session begins.  Each for a client with and without a stream, but for what
# begins a session; an answer with a length, in chunks, or up to the end of the
# connection, which does not show where such a one is cut.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Cut qw( framed shares );
use ORS::HTTP qw( request_text );
use ORS::JSON qw( json_decode json_encode json_false json_true );
use ORS::Nginx;
use ORS::Stream qw( check_stream check_response check_error );

use constant CLIENTS => 3;

my $JSON = 'application/json';
my $SSE = 'text/event-stream';

# texts of a tool, and the text that a client reads of the model

my $text = "gr\xfcn {\"a\":1}";
my $found = '{"output":"gr\u00fcn {\"a\":1}","sources":'
            . '[{"type":"url","url":"http://a/b"}]}';
my $read = "H\xf6Ferti\xdf";


# ---- answers: parts of their bodies

sub frames (@data) { map { "data: $_\n\n" } @data }


# "key" is what the tool cannot do without

sub calls ($name, $key) {
    return {
        stream => [ frames(
            '{"choices":[{"delta":{"content":"H\u00f6"}}]}',
            '{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1",'
                . "\"function\":{\"name\":\"$name\",\"arguments\":\"{\"}}]}}]}",
            '{"choices":[{"delta":{"tool_calls":[{"index":0,"function":'
                . "{\"arguments\":\"\\\"$key\\\":\\\"x\\\"}\"}}]}}]}",
            '{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}',
            '[DONE]') ],
        plain => [ '{"choices":[{"message":{"content":"H\u00f6","tool_calls":'
                   . '[{"id":"c1","function":{"name":"' . $name
                   . "\",\"arguments\":\"{\\\"$key\\\":\\\"x\\\"}\"}}]},"
                   . '"finish_reason":"tool_calls"}]}' ],
    };
}


my $says = {
    stream => [ frames(
        '{"choices":[{"delta":{"content":"Fert"}}]}',
        '{"choices":[{"delta":{"content":"i\u00df"}}]}',
        '{"choices":[{"delta":{},"finish_reason":"stop"}]}',
        '{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}',
        '[DONE]') ],
    plain => [ '{"choices":[{"message":{"content":"Ferti\u00df"},'
               . '"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}' ],
};

my %result = (
    initialize => '{"protocolVersion":"2025-11-25","capabilities":'
                  . '{"tools":{}},"serverInfo":{"name":"m","version":"1"}}',
    'tools/list' => '{"resultType":"complete","tools":[{"name":"get",'
                    . '"inputSchema":{"type":"object"}}]}',
    'tools/call' => '{"resultType":"complete","content":[{"type":"text",'
                    . '"text":"gr\u00fcn {\"a\":1}"}]}',
);

# turns: who gets the request, the function that the model calls, what is
# asked of servers, the items of a client

my $called = 'model1 call model2';

my %turn = (
    tool => { at => 'spec', function => 'get', asked => 'model1 tool model2',
              items => 'message call output message' },
    web => { at => 'openai', function => 'web_search',
             tools => [ { type => 'web_search' } ],
             asked => 'model1 tool model2', items => 'message search message' },
    map { $_ => { at => 'openai', function => "${_}__get", asked => $called,
                  tools => [ { type => 'mcp', server_label => $_ } ],
                  items => 'list message mcp message' } } qw( new stale old ),
);

$_->{model1} = calls($_->{function}, 'query') for values %turn;


# ---- the servers: the name of what is asked for, head and body of the answer

sub answer ($s, $asked) {
    return answer_model($s, $asked) if $asked->{path} eq '/chat';
    return answer_mcp($s, $asked) if $asked->{path} eq '/mcp';

    return ('tool', $s->{turn} eq 'web'
        ? framed($s->{framing}, $JSON, $found)
        : framed($s->{framing}, 'text/plain', utf8($text)));
}


# without tools there is nothing to call

sub answer_model ($s, $asked) {
    my $m = json_decode($asked->{body});
    my $first = $m->{tools} && !grep { $_->{role} eq 'tool' }
                                     @{ $m->{messages} };
    my $name = $first ? 'model1' : 'model2';
    my $says = $first ? $turn{$s->{turn}}{model1} : $says;
    my $framing = $s->{part} eq $name ? $s->{framing} : 'length';

    return ($name, framed($framing, $s->{model} eq 'stream' ? $SSE : $JSON,
                          @{ $says->{$s->{model}} }));
}


sub answer_mcp ($s, $asked) {

    # a client without a key ends its session: a DELETE, which has no body
    my $m = $asked->{body} eq '' ? { method => 'end' }
                                 : json_decode($asked->{body});
    my $name = $m->{method};

    return ($name =~ s{.*/}{}r, "HTTP/1.1 202 Accepted\r\n"
                                . "Content-Length: 0\r\n\r\n", '')
        if !defined $m->{id};

    return ('probe', "HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n", '')
        if $s->{turn} eq 'old' && $name ne 'initialize'
           && !$asked->{headers}{'mcp-session-id'};

    # room for more digits: an answer is as long as that of any other turn
    my $text = sprintf '{"jsonrpc":"2.0","id":%-9d,"result":%s}', $m->{id},
                       $result{$name};

    $name =~ s{.*/}{};

    my $cut = $s->{part} eq $name;
    my ($head, $body) = framed($cut ? $s->{framing} : 'length',
        $cut && $s->{sse} ? ($SSE, ": a\n\n", "event: message\n",
                             "data: $text\n\n") : ($JSON, $text));

    $head =~ s/\r\n\r\n/\r\nMcp-Session-Id: s1\r\n\r\n/
        if $name eq 'initialize';

    return ($name, $head, $body);
}


sub utf8 ($chars) {
    utf8::encode($chars);
    return $chars;
}


# ---- nginx

my $t = ORS::Nginx->new(conf => <<'CONF');
    keepalive_requests 1000000;
    proxy_http_version 1.1;
    open_responses_target default /to/model;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /spec/ {
            open_responses on;
            open_responses_tool get /to/tool definition=%%TESTDIR%%/get.json;
        }

        location /openai/ {
            open_responses on;
            open_responses_flavor openai;
            open_responses_tool web_search /to/tool;
            open_responses_mcp new /to/new require_approval=never list_ttl=1d;
            open_responses_mcp old /to/old require_approval=never list_ttl=1d;
            open_responses_mcp stale /to/stale require_approval=never
                               list_ttl=1ms;
        }

        location = /to/model {
            internal;
            open_responses_dialect chat;
            proxy_pass http://127.0.0.1:$http_x_port/chat;
        }

        location = /to/tool {
            internal;
            proxy_pass http://127.0.0.1:$http_x_port/tool;
        }

        location ~ ^/to/(new|old|stale)$ {
            internal;
            proxy_set_header X-Turn $http_x_turn;
            proxy_pass http://127.0.0.1:$http_x_port/mcp;
        }
    }
CONF

$t->write_file('get.json', json_encode({ description => 'Gets',
                                         parameters => { type => 'object' } }));
$t->start;


# ---- a turn with an answer that ends "at" a byte, at none ("whole"), or comes
# ---- in "bytes"; what has come of it in a line

my $cut;
my $turns = 0;
my %older;

sub run ($job) {
    my ($s, $at) = @$job;
    my $id = "$$." . $turns++;
    my (@asked, $told);

    $cut //= ORS::Cut->new($t->port);

    run([ { %$s, part => 'none' }, 'whole' ])
        if $s->{turn} eq 'stale' && !$older{$$}++;

    my $r = $cut->turn(request($s, $id), sub ($asked) {
        my ($name, @answer) = answer($s, $asked);

        # a connection without an answer after a turn that is over is not asked
        push @asked, $name
            if $name ne 'end' && ($asked->{headers}{'x-turn'} // $id) eq $id;

        ($told) = map { $_->{content} } grep { $_->{role} eq 'tool' }
                  @{ json_decode($asked->{body})->{messages} }
            if $name eq 'model2';

        my $bytes = join '', @answer;

        return $bytes if $name ne $s->{part} || $at eq 'whole';
        return $at eq 'bytes' ? ($bytes, 1) : substr $bytes, 0, $at;
    });

    return join '; ', outcome($s, $r), "@asked",
                      defined $told ? told($s, $told) : ();
}


# a list, and a session, is kept for a client: each needs a new one; those who
# wait for one list get it together, so each process has a client of its own

sub is_new ($s) {
    return $s->{part} =~ /^(list|init)/ && $s->{turn} ne 'stale';
}


sub request ($s, $id) {
    my $turn = $turn{$s->{turn}};
    my $key = is_new($s) ? $id : $s->{turn} eq 'stale' ? $$ : '';

    return request_text('POST', "/$turn->{at}/responses",
        { 'Content-Type' => $JSON, 'X-Port' => $cut->port, 'X-Turn' => $id,
          Authorization => "Bearer key$key" },
        json_encode({ model => 'm', input => 'hi',
                      $turn->{tools} ? (tools => $turn->{tools}) : (),
                      stream => $s->{stream} ? json_true : json_false }),
        keepalive => 1);
}


# status, code, items: "!" is one that failed; and what is not well-formed

sub outcome ($s, $r) {
    my (@wrong, $end);
    my @flavor = $turn{$s->{turn}}{at} eq 'openai' ? (flavor => 'openai') : ();

    push @wrong, 'not complete' if !$r->{complete};

    if ($r->{status} != 200) {
        push @wrong, check_error($r->{status}, $r->{headers}, $r->{body});
        $end = "$r->{status} " . ($r->{json}{error}{code} // 'no code');

    } else {
        my $d = $s->{stream} ? check_stream($r->{body}, @flavor)
                             : check_response($r->{body}, @flavor);
        my $got = $s->{stream} ? join '', $d->deltas : $d->text;

        push @wrong, @{ $d->errors };
        push @wrong, "its text is $got" if !begins($read, $got)
                                           && $got ne "Ferti\xdf";
        push @wrong, 'a text is missing'
            if ($d->status // '') eq 'completed' && $got !~ /Ferti\xdf\z/;

        $end = join ' ', grep { defined } 200, $d->status,
               $d->error && $d->error->{code}, map { item($_) } @{ $d->items };
    }

    return ($end, map { "WRONG: $_" } @wrong);
}


sub item ($item) {
    my $name = { function_call => 'call', function_call_output => 'output',
                 mcp_list_tools => 'list', mcp_call => 'mcp',
                 web_search_call => 'search' }->{$item->{type}}
               // $item->{type};
    my $error = $item->{error};

    return $name . ($error || ($item->{status} // '') eq 'failed' ? '!' : '')
           . (ref $error ? $error->{type} =~ s/^mcp_|_error$//gr : '');
}


# the model's view: the whole answer of a tool, or a part of it

sub told ($s, $told) {
    return 'told of a failure' if $told eq 'The tool failed.';
    return 'told all' if $told eq $text;

    return begins($s->{turn} eq 'web' ? $found : $text, $told)
           ? 'told a part' : "told $told";
}


sub begins ($whole, $text) { index($whole, $text) == 0 }


# ---- all series, and what is to come of each: from which byte, what

my @series;

for my $stream (0, 1) {
    my $own = $stream ? 'stream' : 'plain';
    my @plain = qw( length close );
    my @chunks = qw( chunked close );
    my %same = (stream => $stream, model => $own);

    for my $part (qw( model1 model2 )) {
        push @series, { %same, turn => 'tool', part => $part, framing => $_ }
            for $stream ? @chunks : @plain;
        push @series, { %same, turn => 'tool', part => $part,
                        model => $stream ? 'plain' : 'stream',
                        framing => $stream ? 'length' : 'chunked' };
        push @series, { %same, turn => 'new', part => $part,
                        framing => $stream ? 'chunked' : 'length' };
    }

    push @series, { %same, turn => 'tool', part => 'tool', framing => $_ }
        for qw( length chunked close );
    push @series, { %same, turn => 'web', part => 'tool', framing => $_ }
        for @plain;

    for my $part (qw( list call )) {
        push @series, { %same, turn => 'new', part => $part, framing => $_ }
            for qw( length chunked close );
        push @series, { %same, turn => 'new', part => $part, framing => $_,
                        sse => 1 } for @chunks;
    }

    push @series, { %same, turn => 'old', part => 'call', framing => 'length' },
                  { %same, turn => 'stale', part => 'list',
                    framing => 'length' };

    next if $stream;

    push @series, { %same, turn => 'old', part => 'initialize',
                    framing => 'length' },
                  { %same, turn => 'old', part => 'initialize', sse => 1,
                    framing => 'chunked' },
                  { %same, turn => 'old', part => 'initialized',
                    framing => 'length' };
}


# an example of the answer that is cut

sub measure ($s) {
    my $part = $s->{part};
    my $list = $part eq 'list' || $part eq 'call' ? "tools/$part" : $part;
    my $body = $part =~ /model/
        ? { messages => [], $part eq 'model1' ? (tools => []) : () }
        : { method => $list, $part eq 'initialized' ? () : (id => 1) };

    my (undef, $head, $text) = answer($s, {
        path => $part =~ /model/ ? '/chat' : $part eq 'tool' ? '/tool' : '/mcp',
        headers => { 'mcp-session-id' => 1 }, body => json_encode($body) });

    @$s{qw( head bytes total )} = (length $head, "$head$text",
                                   length "$head$text");
}


measure($_) for @series;


# after a text in the answer, and "n" bytes more

sub past ($s, $text, $n = 0) {
    my $at = index $s->{bytes}, $text;

    die "no $text\n" if $at < 0;

    return $at + length($text) + $n;
}


# a line of an event stream that has its end is read, even if no other follows

sub expected ($s) {
    my $turn = $turn{$s->{turn}};
    my $done = "200 completed $turn->{items}; "
               . ($s->{part} =~ /^init/ ? "initialize initialized list " :
                  $s->{part} eq 'list' ? 'list ' : '')
               . $turn->{asked};
    my $all = "$done; told all";

    return expected_model1($s, $all) if $s->{part} eq 'model1';
    return expected_model2($s, $all) if $s->{part} eq 'model2';
    return expected_tool($s, $done) if $s->{part} eq 'tool';
    return expected_call($s, $all) if $s->{part} eq 'call';

    # an older list does, without any the model has nothing to call

    return [ 0 => $all ] if $s->{turn} eq 'stale';

    my $asked = { list => 'list', initialize => 'initialize',
                  initialized => 'initialize initialized' }->{$s->{part}};

    return [ 0 => "200 completed list! message; $asked model2" ],
           [ whole($s) => $all ];
}


# where the only event of an MCP server's answer ends, or the answer

sub whole ($s) {
    return $s->{total} if !$s->{sse};
    return past($s, "}}\n", $s->{framing} eq 'close' ? 0 : 1);
}


# nothing has run, and nothing runs

sub expected_model1 ($s, $all) {
    my $asked = 'model1';
    my $list = $s->{stream} && $s->{turn} eq 'new';
    my $begun = '200 failed upstream_disconnected';
    my $error = $s->{model} eq 'plain' && $s->{framing} eq 'close'
                ? 'invalid_upstream_answer' : 'upstream_disconnected';
    my ($before, $items) = $list ? ('200 failed', ' list') : (502, '');

    return [ 0 => "$before upstream_unavailable$items; $asked" ],
           [ $s->{head} => "$before $error$items; $asked" ],
           $s->{model} eq 'plain' ? [ $s->{total} => $all ] : (
               $s->{stream} ? (
                   $list ? () : [ past($s, 'H\u00f6"}}]}', 1)
                                      => "$begun; $asked" ],
                   [ past($s, '"arguments":"{"}}]}}]}', 1)
                         => "$begun$items message; $asked" ]) : (),
               [ past($s, '"tool_calls"}]}', 1) => $all ]);
}


# items of calls that have run are there

sub expected_model2 ($s, $all) {
    my $turn = $turn{$s->{turn}};
    my $items = $turn->{items} =~ s/ message\z//r;
    my $rest = "$items; $turn->{asked}; told all";
    my $error = $s->{model} eq 'plain' && $s->{framing} eq 'close'
                ? 'invalid_upstream_answer' : 'upstream_disconnected';

    return [ 0 => "200 failed upstream_unavailable $rest" ],
           [ $s->{head} => "200 failed $error $rest" ],
           [ $s->{model} eq 'plain' ? $s->{total}
                                    : past($s, '"stop"}]}', 1) => $all ];
}


# an answer whose end is not known is a text where it is cut, but not half a
# character

sub expected_tool ($s, $done) {
    my $failed = "$done; told of a failure";
    my $all = [ $s->{total} => "$done; told all" ];

    $failed =~ s/search/search!/;

    return [ 0 => $failed ], $all if $s->{framing} ne 'close';

    my @part = ([ $s->{head} => "$done; told a part" ], $all);

    return [ 0 => $failed ], @part if $s->{turn} eq 'web';

    return [ 0 => $failed ], $part[0],
           [ past($s, 'gr', 1) => $failed ],
           [ past($s, 'gr', 2) => $part[0][1] ], $all;
}


# a server with a session hears that its answer is of no use

sub expected_call ($s, $all) {
    my $failed = $all =~ s/mcp/mcp!http/r =~ s/told all/told of a failure/r;
    my $cut = $s->{turn} eq 'old' ? $failed =~ s/call /call cancelled /r
            : $s->{framing} eq 'close' ? $failed =~ s/http/protocol/r : $failed;

    return [ 0 => $failed ], $cut eq $failed ? () : [ $s->{head} => $cut ],
           [ whole($s) => $all ];
}


# ---- all turns; only some clients are kept, so that those with new ones wait
# ---- until no other turn runs

# one in four and those where something else comes of it: the readers of these
# answers are cut at each byte in C (mcp_reader_test.c, turn_split_test.c)

sub moments ($s) {
    my @all = $s->{turn} eq 'stale' ? 0 .. whole($s) - 1
                                    : ('whole', 'bytes', 0 .. $s->{total});

    my $step = $ENV{TEST_NGINX_ASAN} ? 16 : 4;
    my %near = map { $_->[0] => 1, $_->[0] - 1 => 1 } expected($s);

    return grep { !/^\d/ || $_ % $step == 0 || $near{$_} } @all;
}


sub run_all (@series) {
    my @jobs = map { my $s = $_; map { [ $s, $_ ] } moments($s) } @series;

    # each process has servers of its own
    $cut = undef;

    return shares(CLIENTS, \@jobs, \&run);
}


run([ { turn => $_, part => 'none', model => 'plain', stream => 0,
        framing => 'length' }, 'whole' ]) for qw( new old );

my @kept = grep { !is_new($_) } @series;
my @new = grep { is_new($_) } @series;
my @results = (run_all(@kept), run_all(@new));


# from which byte the same has come of it

sub table ($s, $results) {
    my @found;

    for my $at (moments($s)) {
        my $end = shift @$results;

        push @found, [ $at, $end ]
            if !@found || $found[-1][1] ne $end || $at eq '0';
    }

    return map { [ @$_ ] } @found;
}


for my $s (@kept, @new) {
    my @found = table($s, \@results);
    my @expected = expected($s);

    unshift @expected, [ whole => $expected[-1][1] ] if $s->{turn} ne 'stale';

    is(lines(@found), lines(@expected),
       join ' ', "$s->{turn}, $s->{part} of $s->{total} bytes",
                 $s->{part} =~ /model/ ? "in a $s->{model} answer"
                 : $s->{sse} ? 'in events' : (),
                 "($s->{framing})", $s->{stream} ? 'for a stream' : ());
}


sub lines (@table) { join '', map { "$_->[0]: $_->[1]\n" } @table }


$t->finish;

done_testing();
