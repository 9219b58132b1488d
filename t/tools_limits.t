#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Functions that run at the gateway: how many calls and rounds there are, and
# what nginx -t says of bad directives and definitions.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_encode json_false json_true );
use ORS::Loop qw( plan call messages outputs );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( response_ok stream_ok );
use ORS::Util qw( spew );

my $over = 'The tool was not called: the limit of tool calls is reached.';

# two calls in each answer, as long as calls are permitted

my $again = sub ($conn, $r) {
    my $n = () = $r->{body} =~ /"role":"tool"/g;
    my $none = $r->{body} =~ /"tool_choice":"none"/;
    my %o = $none ? (text => 'Stop')
                  : (tool_calls => [ call("f#$n", n => $n),
                                     call("f#$n-b", n => $n + 1) ]);

    return $conn->_play(stream_script(%o), 0) if $r->{body} =~ /"stream":true/;

    $o{content} = delete $o{text};
    $conn->_play(json_script(chat_reply(%o)), 0);
};

my $model = ORS::Model->new(scripts => { default => plan(
    again => [ $again ],
    deaf => [ { tool_calls => [ call('f') ] } ],
) });

my $tools = ORS::Model->new(scripts => { f => [ [ raw => 'ran' ] ] });

my $t = ORS::Nginx->new(model => { MODEL => $model, TOOLS => $tools },
                        conf => <<'CONF');
    open_responses_target default /to/model;
    open_responses_tool f /tool/f definition=%%TESTDIR%%/any.json;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ { open_responses on; open_responses_max_rounds 2; }

        location /calls/0/ {
            open_responses on;
            open_responses_max_tool_calls 0;
        }

        location /calls/3/ {
            open_responses on;
            open_responses_max_tool_calls 3;
            open_responses_limits tool_calls=1;
        }

        location /rounds/ {
            open_responses on;
            open_responses_max_rounds 1;
        }

        location /none/ {
            open_responses on;
            open_responses_max_tool_calls 1;
            open_responses_tool f /tool/f definition=%%TESTDIR%%/any.json
                                show=none;
        }

        %%CHAT /to/model /chat%%

        location = /tool/f {
            internal;
            proxy_pass http://%%TOOLS%%/script/f;
        }
    }
CONF

my $definition = { description => 'Any', parameters => { type => 'object' } };

spew($t->dir . '/any.json', json_encode($definition));

$t->start;


sub ask ($at, $name, $stream, %more) {
    my $expect = delete $more{expect} // 'completed';

    $model->forget;
    $tools->forget;

    my $r = post_json($t->port, "$at/responses",
                      { model => $name, input => 'hi',
                        stream => $stream ? json_true : json_false, %more });

    return ($stream ? \&stream_ok : \&response_ok)
           ->($r, "$at $name" . ($stream ? ', stream' : ''),
              expect => $expect);
}


# place, max_tool_calls of the request, calls that run, requests to the model

for my $row ([ '/calls/0', undef, 0, 2 ], [ '/calls/3', undef, 3, 3 ],
             [ '/calls/3', 1, 1, 2 ], [ '/calls/3', 2, 2, 3 ],
             [ '/calls/3', 100, 3, 3 ], [ '/calls/0', 5, 0, 2 ],
             [ '/rounds', undef, 2, 3 ], [ '/v1', undef, 4, 4 ],
             [ '/none', undef, 1, 2 ])
{
    my ($at, $max, $ran, $asked) = @$row;

    for my $stream (0, 1) {
        my $s = ask($at, 'again', $stream,
                    defined $max ? (max_tool_calls => $max) : ());
        my $how = "$at, " . ($max // 'no') . ' in the request'
                  . ($stream ? ', stream' : '');
        my @asked = $model->requests;
        my @outputs = outputs($asked[-1]);

        is($s->text, 'Stop', "$how: one last answer");
        is(scalar($tools->requests), $ran, "$how: calls that run");
        is(scalar @asked, $asked, "$how: requests to the model");
        is($asked[-1]{json}{tool_choice}, 'none', "$how: none in the last");
        ok(scalar @{ $asked[-1]{json}{tools} }, "$how: tools are the same");
        is_deeply(\@outputs, [ ('ran') x $ran,
                               ($over) x (@outputs - $ran) ],
                  "$how: an output for each call");
        cmp_ok(scalar @outputs, '>', $ran, "$how: some were not called");
    }
}

# a model that does not listen

for my $stream (0, 1) {
    my $s = ask('/calls/0', 'deaf', $stream, expect => 'incomplete');

    is($s->response->{incomplete_details}{reason}, 'max_tool_calls',
       'deaf: the response is incomplete');

    is(scalar($model->requests), 2, 'deaf: it ends');
    is(scalar($tools->requests), 0, 'deaf: nothing runs');
}

$t->finish;


# words of nginx -t

my @bad = (
    [ 'f', qr/invalid number of arguments/ ],
    [ 'f* /x', qr/invalid tool "f\*", it must be the name of a function/ ],
    [ ('f' x 65) . ' /x', qr/1 to 64 letters/ ],
    [ ':f /x', qr/invalid tool ":f", it must .* or a type of tools, which/ ],
    [ 'acme: /x', qr/invalid tool "acme:", it must be the name of a function/ ],
    [ 'a:b:c /x', qr/invalid tool "a:b:c", it must be/ ],
    [ ('f' x 65) . ':f /x', qr/1 to 64 letters/ ],
    [ 'acme:f /x', qr/tool "acme:f" is a type and needs "definition="/ ],
    [ 'nginx:f /x show=none', qr/tool "nginx:f" is a type and needs "def/ ],
    [ 'acme:f mcp:a/b', qr/tool "acme:f" is a type and needs "definition="/ ],
    (map { [ "$_ /x show=plain",
             qr/invalid parameter "show=plain" of tool "$_", only a type that/ ]
     } qw( f web_search nginx:web_search )),
    [ 'web_search /x; open_responses_tool acme:web_search /y',
      qr/tool "acme:web_search" is duplicate, models know another .* "web_s/ ],
    [ 'nginx:web_search /x; open_responses_tool web_search /y',
      qr/tool "web_search" is duplicate/ ],
    [ 'web_search mcp:/x', qr/location "mcp:\/x" of tool "web_search"/ ],
    [ 'web_search mcp:a/', qr/location "mcp:a\/" of tool "web_search"/ ],
    [ 'web_search /x; open_responses_tool web_search /y',
      qr/tool "web_search" is duplicate/ ],
    [ 'f x', qr/invalid location "x" of tool "f"/ ],
    [ 'f mcp:a/b', qr/invalid location "mcp:a\/b" of tool "f"/ ],
    [ 'f /x; open_responses_tool f /y', qr/tool "f" is duplicate/ ],
    [ 'f /x timeout=0', qr/invalid parameter "timeout=0" of tool "f"/ ],
    [ 'f /x timeout=a', qr/invalid parameter "timeout=a"/ ],
    [ 'f /x show=all',
      qr/invalid parameter "show=all" .* "items", "plain" or "none"/ ],
    [ 'f /x more', qr/invalid parameter "more"/ ],
    [ 'f /x definition=', qr/invalid parameter "definition="/ ],
    [ 'f /x definition=DIR/none', qr/open\(\) "[^"]+none" failed/ ],
);

my @definitions = (
    [ '{', qr/in "[^"]+", it is not JSON: .* at byte 1/ ],
    [ '[]', qr/it is not a JSON object/ ],
    [ '{"descr":1}', qr/its member "descr" must be "name"/ ],
    [ '{"name":"g"}', qr/its "name" is "g" and not "f"/ ],
    [ '{"type":"custom"}', qr/its "type" must be "function"/ ],
    [ '{"parameters":{}}', qr/must have a "description", a string/ ],
    [ '{"description":1}', qr/must have a "description", a string/ ],
    [ '{"description":""}', qr/must have "parameters", a JSON Schema/ ],
    [ '{"description":"","parameters":{}}', qr/"type" is "object"/ ],
    [ ' ' x 70000, qr/has more than 65536 bytes/ ],
);

my $dir = File::Temp->newdir;

for my $n (0 .. $#definitions) {
    spew("$dir/$n", $definitions[$n][0]);
    push @bad, [ "f /x definition=DIR/$n", $definitions[$n][1] ];
}

for my $row (@bad) {
    my ($line, $error) = @$row;
    my ($code, $out) = ORS::Nginx->conf_test(
        'open_responses_tool ' . ($line =~ s/DIR/$dir/r) . ';');

    isnt($code, 0, "refused: $line");
    like($out, $error, "... $error");
}

spew("$dir/good", json_encode({ %$definition, name => 'f',
                                type => 'function' }));

for my $line ("f /x definition=$dir/good timeout=1500ms show=none",
              "acme:f /x definition=$dir/good show=plain",
              "nginx:f mcp:a/b definition=$dir/good",
              'f /x?a=b show=items', 'web_search_preview-2 /x',
              'web_search /x show=none', 'file_search /x timeout=1s')
{
    my ($code, $out) = ORS::Nginx->conf_test("open_responses_tool $line;");

    is($code, 0, "taken: $line") or diag($out);
}

for my $row ([ 'max_tool_calls 10001', qr/from 0 to 10000/ ],
             [ 'max_rounds 0', qr/from 1 to 100 / ],
             [ 'limits tool_answer=1', qr/from 1024 to 67108864/ ],
             [ 'limits tool_calls=0', qr/from 1 to 1024/ ])
{
    my ($code, $out) = ORS::Nginx->conf_test("open_responses_$row->[0];");

    like($out, $row->[1], "refused: $row->[0]");
}

done_testing();
