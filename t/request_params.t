#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Requests as a whole, through nginx: the response's echo of all fields, bytes
# that stay as they are, limits, calls without outputs.  How each field and
# item is translated is in t/data/edges and t/unit/chat.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Adapter;
use ORS::JSON qw( json_true json_false );
use ORS::Stream qw( stream_ok response_ok );

my $OPENAI = 'open_responses_flavor openai;';

my $a = ORS::Adapter->new(limits => {
    depth => 'depth=6', nodes => 'nodes=64', items => 'items=3',
    tools => 'tools=2',
}, conf => {
    few => "$OPENAI open_responses_limits tools=4;",
    strict => "$OPENAI open_responses_strict on; "
              . 'open_responses_tool fhosted /to/model;',
});

my %tool = (type => 'function', name => 'f',
            parameters => { type => 'object', properties => {} });


# the response's fields, of both forms and of the first event

sub echo ($name, $fields, %want) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($s, $d) = $a->answer(undef, $name, body => $fields);

    for my $r ($d->response, $s->event('response.created')->{response}) {
        is_deeply({ map { $_ => $r->{$_} } keys %want }, \%want,
                  "$name: echo");
    }
}


echo('values', {
    temperature => 0.5, top_p => 0.25, presence_penalty => -1,
    frequency_penalty => 2, max_output_tokens => 100, max_tool_calls => 3,
    safety_identifier => 's', prompt_cache_key => 'k', service_tier => 'flex',
    truncation => 'auto', background => json_false, top_logprobs => 20,
    include => [ 'message.output_text.logprobs' ],
    reasoning => { effort => 'low' }, metadata => { a => 'b', c => '' },
    tools => [ \%tool, { type => 'web_search' } ],
    tool_choice => { type => 'function', name => 'f' },
    text => { verbosity => 'low', format => {
        type => 'json_schema', name => 'n', schema => {} } },
    user => 'u', store => json_true, stream_options => {},
    acme => { unknown => 1 },
}, temperature => 0.5, top_p => 0.25, presence_penalty => -1,
   frequency_penalty => 2, max_output_tokens => 100, max_tool_calls => 3,
   safety_identifier => 's', prompt_cache_key => 'k', service_tier => 'flex',
   truncation => 'auto', background => json_false, store => json_false,
   top_logprobs => 20, metadata => { a => 'b', c => '' },
   reasoning => { effort => 'low', summary => undef },
   tools => [ { %tool, description => undef, strict => undef } ],
   tool_choice => { type => 'function', name => 'f' },
   text => { verbosity => 'low', format => {
       type => 'json_schema', name => 'n', schema => undef,
       description => undef, strict => json_false } });

echo('nulls', { map { $_ => undef } qw( temperature top_p tools tool_choice
                                        text metadata truncation ) },
     temperature => 1, top_p => 1, tools => [], tool_choice => 'auto',
     text => { format => { type => 'text' } }, metadata => {},
     truncation => 'disabled');


# byte for byte, in both directions

my $odd = '{"a":1e400,"b":12345678901234567890,"c":-0,"d":1.0,"e":0.70,'
          . '"f":1E+2,"g":"\u00e9\/\ud83d\ude00\u0000\t",'
          . '"h": [ 1 ,2],"i":{ }}';
my $text = '"\u00e9\/\ud83d\ude00\"\\\\ \b\f\n\r\t ' . "\xc3\xa9\xf0\x9f\x98"
           . "\x80\x7f" . '"';
my $body = "{\"model\":\"m\",\"input\":$text,\"temperature\":0.70,"
           . "\"tools\":[{\"type\":\"function\",\"name\":\"f\","
           . "\"parameters\":$odd}],\"instructions\":$text,"
           . "\"metadata\":{\"k\":$text}}";

is($a->sent('E35: odd', $body)->{body},
   "{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":$text},"
   . "{\"role\":\"user\",\"content\":$text}],\"tools\":[{\"type\":"
   . "\"function\",\"function\":{\"name\":\"f\",\"parameters\":$odd}}],"
   . '"temperature":0.70}',
   'E35: the model server gets the bytes of the client');

my $r = $a->ask(undef, body => $body);

response_ok($r, 'E35: an answer that tells them again');
like($r->{body}, qr/\Q$_\E/, 'E35: echo')
    for "\"parameters\":$odd", "\"instructions\":$text", "\"k\":$text",
        '"temperature":0.70,';

my $twice = '{"a":1,"a":2}';

is($a->ask(undef, stream => $_, body => '{"model":"m","input":"x","tools":['
           . "{\"type\":\"function\",\"name\":\"f\",\"parameters\":$twice}]}")
     ->{status}, 200, 'E36: a key that comes twice in a schema') for 0, 1;
like($a->model->last_request->{body}, qr/"parameters":\Q$twice\E/,
     'E36: a schema is left as it is');

for my $bad ("\xc3", "\xed\xa0\xbd", "\x00", '\\x', '\\u12') {
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


# calls that have no output: in a strict profile a mistake

sub call ($id, %o) {
    return { type => 'function_call', call_id => $id, name => "f$id",
             arguments => '{}', %o };
}


my $message = { type => 'message', role => 'user', content => 'x' };

for my $case ([ 'function call A', call('A'), $message, call('B'),
                { type => 'function_call_output', call_id => 'B',
                  output => '' } ],
              [ 'custom tool call c1, c2, c3, c4, c5 and 2 more',
                map { { type => 'custom_tool_call', call_id => "c$_",
                        name => 'f', input => '' } } 1 .. 7 ])
{
    my ($what, @input) = @$case;

    $a->refuses("no output: $what", { input => \@input }, 'input',
                at => '/strict', code => 'missing_call_output',
                message => "No tool output found for $what.");
}

$a->sent('calls that need no output: incomplete, of a tool that runs here',
         { input => [ call('A', status => 'incomplete'), call('hosted'),
                      $message ] }, at => '/strict', flavor => 'openai');


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


# tools in namespaces, and as input, count

my @custom = map { { type => 'custom', name => "t$_" } } 1 .. 1024;
my $space = { type => 'namespace', name => 'files', description => 'Files',
              tools => [ \%tool, $custom[0] ] };
my $input = { type => 'additional_tools', tools => [ \%tool ] };
my @few = (at => '/few', code => 'array_above_max_length');

is_deeply([ map { $_->{function}{name} }
            @{ $a->sent('1024 tools', { tools => \@custom }, at => '/strict',
                        flavor => 'openai')->{json}{tools} } ],
          [ map { "t$_" } 1 .. 1024 ], '1024 tools: in their order');
is(scalar $a->sent('4 tools', { input => [ $message, $input ],
                                tools => [ $space ] },
                   at => '/few', flavor => 'openai')->{json}{tools}->@*, 3,
   '4 tools: are sent');
$a->refuses('5 tools', { tools => [ $space, \%tool, $custom[1] ] }, 'tools',
            @few);
$a->refuses('5 tools, one as input',
            { input => [ $message, $input ], tools => [ $space, $custom[1] ] },
            'input[1].tools', @few);

$a->finish;

done_testing();
