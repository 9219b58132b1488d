#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Everything of a request beside its items: tools, parameters, what must go
# through byte for byte, and the limits.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Adapter;
use ORS::JSON qw( json_decode json_true json_false );
use ORS::Model qw( :all );
use ORS::Stream qw( stream_ok response_ok error_ok );

my ($T, $F) = (json_true, json_false);

my $a = ORS::Adapter->new(limits => {
    depth => 'depth=6', nodes => 'nodes=64', items => 'items=3',
    tools => 'tools=2',
});


# the body that the model gets, without model and messages

sub params ($name, $fields, $want) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $json = $a->sent($name, $fields)->{json};

    delete @$json{qw( model messages )};
    is_deeply($json, $want, "$name: parameters");
}


# the answer's echo of the request, in both ways

sub echo ($name, $fields, %want) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($s, $d) = $a->answer(undef, $name, body => $fields);

    is_deeply($d->response->{$_}, $want{$_}, "$name: echo of $_")
        for sort keys %want;
    is_deeply($s->event('response.created')->{response}{$_}, $want{$_},
              "$name: echo of $_ in the stream") for sort keys %want;
}


# a body in parts: what stands before the messages is known

sub raw ($name, $fields, $want) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $sent = $a->sent($name, "{\"model\":\"m\",$fields}");

    is($sent->{body}, "{\"model\":\"m\",\"messages\":$want}",
       "$name: byte for byte");
}


my %tool = (type => 'function', name => 'f',
            parameters => { type => 'object', properties => {} });
my $tool = { type => 'function', function => {
                 name => 'f', parameters => $tool{parameters} } };

params('nothing', {}, {});


# parameters of sampling

params('numbers', { temperature => 0.5, top_p => 0.25,
                    presence_penalty => -1, frequency_penalty => 2 },
       { temperature => 0.5, top_p => 0.25, presence_penalty => -1,
         frequency_penalty => 2 });

echo('numbers', { temperature => 0.5, top_p => 0.25, presence_penalty => -1,
                  frequency_penalty => 2, max_output_tokens => 100 },
     temperature => 0.5, top_p => 0.25, presence_penalty => -1,
     frequency_penalty => 2, max_output_tokens => 100);

for my $model (qw( o1 o3-mini o4-mini gpt-5 gpt-5-mini gpt-5.1
                   openai/gpt-5-nano ))
{
    params("E32: $model", { model => $model, max_output_tokens => 16 },
           { max_completion_tokens => 16 });
}

for my $model (qw( m gpt-4o gpt-50 o o1x llama3.3:70b openai/gpt-4.1
                   other/gpt-5 ))
{
    params("E32: $model", { model => $model, max_output_tokens => 16 },
           { max_tokens => 16 });
}

$a->refuses('E32: 15 are too few', { max_output_tokens => 15 },
            'max_output_tokens');
raw('E32: an integer in other words', '"input":"x","max_output_tokens":1e2',
    '[{"role":"user","content":"x"}],"max_tokens":100');

params('E33: metadata', { metadata => { a => 'b' } }, {});
echo('E33: metadata', { metadata => { a => 'b', c => '' } },
     metadata => { a => 'b', c => '' });

my @private = (user => 'u', safety_identifier => 's', store => $T,
               prompt_cache_key => 'k', service_tier => 'flex',
               truncation => 'auto', max_tool_calls => 3,
               background => $F, stream_options => {},
               acme => { unknown => 1 });

params('fields that stay here', { @private }, {});
echo('fields that stay here', { @private }, safety_identifier => 's',
     prompt_cache_key => 'k', service_tier => 'flex', truncation => 'auto',
     max_tool_calls => 3, background => $F, store => $F);

params('E34: nulls', { map { $_ => undef } qw(
    instructions tools tool_choice temperature top_p presence_penalty
    frequency_penalty parallel_tool_calls max_output_tokens max_tool_calls
    reasoning text metadata safety_identifier prompt_cache_key include
    top_logprobs stream_options truncation service_tier background store
    previous_response_id ) }, {});
params('E34: nulls inside',
       { text => { format => undef, verbosity => undef },
         reasoning => { effort => undef, summary => undef },
         tools => [ { %tool, description => undef, parameters => undef,
                      strict => undef } ],
         tool_choice => undef },
       { tools => [ $tool ] });
echo('E34: nulls', { temperature => undef, top_p => undef, tools => undef,
                     tool_choice => undef, text => undef,
                     metadata => undef, truncation => undef },
     temperature => 1, top_p => 1, tools => [], tool_choice => 'auto',
     text => { format => { type => 'text' } }, metadata => {},
     truncation => 'disabled');
params('E34: unknown include', { include => [ 'dreams',
       'reasoning.encrypted_content' ] }, {});


# byte for byte

my $odd = '{"a":1e400,"b":12345678901234567890,"c":-0,"d":1.0,"e":0.70,'
          . '"f":1E+2,"g":"\u00e9\/\ud83d\ude00\u0000\t",'
          . '"h": [ 1 ,2],"i":{ }}';
my $text = '"\u00e9\/\ud83d\ude00\"\\\\ \b\f\n\r\t ' . "\xc3\xa9\xf0\x9f\x98"
           . "\x80\x7f" . '"';
my $arguments = '"{\"n\":12345678901234567890,\"x\":1e400,\"y\":-0,'
                . '\"z\":1.0,\"u\":\"\\\\u00e9\\\\ud83d\"}"';

raw('E35: numbers',
    '"input":"x","temperature":1.0,"top_p":1e-1,"presence_penalty":-0,'
    . '"frequency_penalty":0.70',
    '[{"role":"user","content":"x"}],"temperature":1.0,"top_p":1e-1,'
    . '"presence_penalty":-0,"frequency_penalty":0.70');
raw('E35: text', "\"input\":$text", "[{\"role\":\"user\",\"content\":$text}]");
raw('E35: parts',
    "\"instructions\":$text,\"input\":[{\"role\":\"user\",\"content\":["
    . "{\"type\":\"input_text\",\"text\":$text},"
    . "{\"text\":$text, \"type\" : \"input_text\"}]}]",
    "[{\"role\":\"system\",\"content\":$text},{\"role\":\"user\","
    . "\"content\":[{\"type\":\"text\",\"text\":$text},"
    . "{\"type\":\"text\",\"text\":$text}]}]");
raw('E35: arguments and outputs',
    '"input":[{"type":"function_call","call_id":"\u0063","name":"f",'
    . "\"arguments\":$arguments},{\"type\":\"function_call_output\","
    . "\"call_id\":\"c\",\"output\":$text}]",
    '[{"role":"assistant","content":null,"tool_calls":[{"id":"\u0063",'
    . '"type":"function","function":{"name":"f",'
    . "\"arguments\":$arguments}}]},{\"role\":\"tool\",\"content\":$text,"
    . '"tool_call_id":"\u0063"}]');
raw('E35: schemas of tools',
    '"input":"x","tools":[{"type":"function","name":"f","strict":false,'
    . "\"parameters\":$odd,\"description\":$text}]",
    '[{"role":"user","content":"x"}],"tools":[{"type":"function",'
    . "\"function\":{\"name\":\"f\",\"description\":$text,"
    . "\"parameters\":$odd,\"strict\":false}}]");
raw('E35: schema of the answer',
    '"input":"x","text":{"format":{"type":"json_schema","name":"n",'
    . "\"schema\":$odd,\"strict\":true}}",
    '[{"role":"user","content":"x"}],"response_format":{"type":'
    . "\"json_schema\",\"json_schema\":{\"name\":\"n\",\"schema\":$odd,"
    . '"strict":true}}');

my $r = $a->ask(undef, body => '{"model":"m","input":"x","temperature":0.70,'
                . '"tools":[{"type":"function","name":"f",'
                . "\"parameters\":$odd}],\"instructions\":$text,"
                . "\"metadata\":{\"k\":$text}}");

response_ok($r, 'E35: an answer that tells them again');
like($r->{body}, qr/"parameters":\Q$odd\E/, 'E35: echo of a schema');
like($r->{body}, qr/"instructions":\Q$text\E/, 'E35: echo of a text');
like($r->{body}, qr/"k":\Q$text\E/, 'E35: echo of metadata');
like($r->{body}, qr/"temperature":0\.70,/, 'E35: echo of a number');

raw('E36: lone surrogates and NUL', '"input":"a\ud83d b\ude00 c\u0000"',
    '[{"role":"user","content":"a\ud83d b\ude00 c\u0000"}]');
$a->refuses('E36: a key that comes twice',
            '{"model":"m","input":"x","input":"y"}', 'input');
$a->refuses('E36: a key that comes twice in an item',
            '{"model":"m","input":[{"role":"user","content":"x",'
            . '"role":"system"}]}', 'input[0].role');
# legal JSON, of which nobody but the model knows the meaning

my $twice = '{"a":1,"a":2}';

for my $stream (0, 1) {
    my $r = $a->ask(undef, stream => $stream, body => '{"model":"m",'
                    . '"input":"x","tools":[{"type":"function","name":"f",'
                    . "\"parameters\":$twice}]}");

    like($r->{body}, qr/"status":"completed"/,
         'E36: a key that comes twice in a schema');
    like($a->model->last_request->{body}, qr/"parameters":\Q$twice\E/,
         'E36: it is left as it is');
}

for my $bad ("\xc3", "\xed\xa0\xbd", "\xc0\xaf", "\xf5\x80\x80\x80", "\xff",
             "\x00", "\x1f", "\n", '\\x', '\\u12')
{
    $a->refuses('E36: a string with ' . unpack('H*', $bad),
                "{\"model\":\"m\",\"input\":\"a${bad}b\"}", '',
                code => 'invalid_json');
}

for my $accept ('application/json', 'text/event-stream', '*/*', 'text/html') {
    my @accept = (headers => { Accept => $accept });

    stream_ok($a->ask(undef, stream => 1, @accept),
              "E37: a stream to Accept: $accept");
    response_ok($a->ask(undef, stream => 0, @accept),
                "E37: a document to Accept: $accept");
}


# tools

my @hosted = ({ type => 'web_search' }, { type => 'image_generation' },
              { type => 'acme:search', x => 1 },
              { type => 'custom', name => 'c' });

params('E23: hosted tools', { tools => [ $hosted[0], \%tool,
                                         @hosted[1 .. 3] ],
                              tool_choice => 'required',
                              parallel_tool_calls => $F },
       { tools => [ $tool ], tool_choice => 'required',
         parallel_tool_calls => $F });
params('E23: nothing but hosted tools',
       { tools => \@hosted, tool_choice => 'required',
         parallel_tool_calls => $T }, {});
params('E23: no tools', { tools => [], tool_choice => 'none',
                          parallel_tool_calls => $T }, {});
echo('E23: hosted tools', { tools => [ @hosted, \%tool ] },
     tools => [ { %tool, description => undef, strict => undef } ]);

for my $choice (qw( auto none required )) {
    params("tool_choice $choice", { tools => [ \%tool ],
                                    tool_choice => $choice },
           { tools => [ $tool ], tool_choice => $choice });
    echo("tool_choice $choice", { tools => [ \%tool ],
                                  tool_choice => $choice },
         tool_choice => $choice);
}

my $named = { type => 'function', name => 'f' };

params('E26: one function', { tools => [ \%tool ], tool_choice => $named },
       { tools => [ $tool ], tool_choice => {
             type => 'function', function => { name => 'f' } } });
echo('E26: one function', { tools => [ \%tool ], tool_choice => $named },
     tool_choice => $named);
params('E26: a name with an escape',
       '{"model":"m","input":"x","tools":[{"type":"function","name":"f"}],'
       . '"tool_choice":{"type":"function","name":"\u0066"}}',
       { tools => [ $tool ], tool_choice => {
             type => 'function', function => { name => 'f' } } });

$a->refuses('E26: a function that is not there',
            { tools => [ \%tool ],
              tool_choice => { type => 'function', name => 'g' } },
            'tool_choice.name');
$a->refuses('E26: a function without tools', { tool_choice => $named },
            'tool_choice.name');
$a->refuses('E26: a hosted tool', { tools => [ \%tool, @hosted ],
            tool_choice => { type => 'web_search' } }, 'tool_choice.type');
$a->refuses('tool_choice any', { tools => [ \%tool ], tool_choice => 'any' },
            'tool_choice');

for my $mode (undef, 'auto', 'required', 'none') {
    my $allowed = { type => 'allowed_tools', tools => [ $named ],
                    defined $mode ? (mode => $mode) : () };
    my $name = 'E26: allowed tools, mode ' . ($mode // 'absent');

    params($name, { tools => [ \%tool, { %tool, name => 'g' } ],
                    tool_choice => $allowed },
           { tools => [ $tool, { type => 'function', function => {
                 name => 'g', parameters => $tool{parameters} } } ],
             tool_choice => $mode // 'auto' });
    echo($name, { tools => [ \%tool ], tool_choice => $allowed },
         tool_choice => { %$allowed, mode => $mode // 'auto' });
}

for my $strict ($T, $F) {
    params("strict $strict", { tools => [ { %tool, strict => $strict,
                                            description => 'd' } ] },
           { tools => [ { type => 'function', function => {
                 name => 'f', description => 'd', strict => $strict,
                 parameters => $tool{parameters} } } ] });
}

for my $how (qw( null missing )) {
    my %without = %tool;

    delete $without{parameters};
    $without{parameters} = undef if $how eq 'null';
    params("E30: parameters $how", { tools => [ \%without ] },
           { tools => [ $tool ] });
    echo("E30: parameters $how", { tools => [ \%without ] },
         tools => [ { %without, parameters => undef, description => undef,
                      strict => undef } ]);
}

$a->refuses('a tool without a name', { tools => [ { type => 'function' } ] },
            'tools[0].name');
params('E26: a tool of Chat Completions', { tools => [ $tool ] },
       { tools => [ $tool ] });
$a->refuses('a name that is too long',
            { tools => [ \%tool, { %tool, name => 'n' x 65 } ] },
            'tools[1].name');


# the form of the answer

my %schema = (schema => { type => 'object' });

for my $case (
    [ 'E28: text', { type => 'text' }, undef ],
    [ 'E28: all of it', { type => 'json_schema', name => 'n', %schema,
                          description => 'd', strict => $F },
      { name => 'n', %schema, description => 'd', strict => $F } ],
    [ 'E28: no strict', { type => 'json_schema', name => 'n', %schema },
      { name => 'n', %schema } ],
    [ 'E28: strict null', { type => 'json_schema', name => 'n', %schema,
                            strict => undef }, { name => 'n', %schema } ],
    [ 'E28: no name', { type => 'json_schema', %schema },
      { name => 'response', %schema } ],
    [ 'E28: no type', { name => 'n', %schema }, { name => 'n', %schema } ])
{
    my ($name, $format, $want) = @$case;

    params($name, { text => { format => $format } },
           $want ? { response_format => { type => 'json_schema',
                                          json_schema => $want } } : {});
    echo($name, { text => { format => $format, verbosity => 'low' } },
         text => { verbosity => 'low', format => $want ? {
             type => 'json_schema', name => $want->{name}, schema => undef,
             description => $want->{description},
             strict => $want->{strict} // $F } : { type => 'text' } });
}

params('any JSON', { text => { format => { type => 'json_object' } } },
       { response_format => { type => 'json_object' } });
$a->refuses('E28: no schema',
            { text => { format => { type => 'json_schema', name => 'n' } } },
            'text.format.schema');
$a->refuses('another form', { text => { format => { type => 'grammar' } } },
            'text.format.type');


# reasoning

params('E31: effort null', { reasoning => { effort => undef,
                                            summary => 'auto' } }, {});
params('E31: no effort', { reasoning => { summary => 'auto' } }, {});
params('E31: nothing of it', { reasoning => {} }, {});

for my $effort (qw( none minimal low medium high xhigh )) {
    params("E31: effort $effort", { reasoning => { effort => $effort } },
           { reasoning_effort => $effort });
    echo("E31: effort $effort", { reasoning => { effort => $effort } },
         reasoning => { summary => undef,
                        effort => $effort eq 'minimal' ? undef : $effort });
}

params('top_logprobs 0', { top_logprobs => 0 }, {});
params('logprobs', { include => [ 'message.output_text.logprobs' ] },
       { logprobs => $T });
params('logprobs of several tokens',
       { include => [ 'reasoning.encrypted_content',
                      'message.output_text.logprobs' ], top_logprobs => 20 },
       { logprobs => $T, top_logprobs => 20 });
echo('logprobs', { include => [ 'message.output_text.logprobs' ],
                   top_logprobs => 20 }, top_logprobs => 20);
params('top_logprobs without logprobs',
       { include => [ 'reasoning.encrypted_content' ], top_logprobs => 2 },
       {});
$a->refuses('background', { background => $T }, 'background',
            code => 'unsupported_parameter');
$a->refuses('C21: an answer that is not stored',
            { previous_response_id => 'resp_1' }, 'previous_response_id',
            code => 'previous_response_not_found');
$a->refuses('an empty model', { model => '' }, 'model');
$a->refuses('no model', '{"input":"x"}', 'model');
$a->refuses('no input', '{"model":"m"}', 'input');


# limits, each met and passed

sub deep ($n) {
    return '{"model":"m","input":"x","tools":[{"type":"function","name":"f",'
           . '"parameters":' . '{"a":' x ($n - 4) . '{}' . '}' x ($n - 4)
           . '}]}';
}

sub many ($n) {
    # 9 values before the list, with the field that says stream or not
    return '{"model":"m","input":"x","acme":[' . join(',', (1) x ($n - 9))
           . ']}';
}

$a->sent('depth 6', deep(6), at => '/depth');
$a->refuses('depth 7', deep(7), '', at => '/depth', code => 'invalid_json',
            message => qr/6 levels/);
$a->sent('depth 64', deep(64));
$a->refuses('depth 65', deep(65), '', message => qr/64 levels/);
$a->sent('64 values', many(64), at => '/nodes');
$a->refuses('65 values', many(65), '', at => '/nodes',
            message => qr/64 values/);

my @messages = map { { role => 'user', content => "n$_" } } 1 .. 4;
my @tools = map { { %tool, name => "f$_" } } 1 .. 3;

$a->sent('3 items', { input => [ @messages[0 .. 2] ] }, at => '/items');
$a->refuses('4 items', { input => \@messages }, 'input', at => '/items',
            code => 'array_above_max_length');
$a->sent('2 tools', { tools => [ @tools[0 .. 1] ] }, at => '/tools');
$a->refuses('3 tools', { tools => \@tools }, 'tools', at => '/tools',
            code => 'array_above_max_length');

$a->finish;

done_testing();
