#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# E29: schemas made strict for the servers that want them so, and "strict" of
# functions as others want it.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Adapter;
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_decode json_true json_false );

my ($T, $F) = (json_true, json_false);

my $a = ORS::Adapter->new(target => {
    map { $_ => "open_responses_chat_options strict=$_;" }
    qw( pass on schema false off )
}, conf => { openai => <<'CONF' });
    open_responses_flavor openai;
    open_responses_target default /to/schema;
CONF

# as bytes, so that it is seen what was not touched

my ($SCHEMA, $STRICT) = (<<'SCHEMA', <<'STRICT');
{ "type" : "object","properties":{"city":{"type":"string"},
"n":{"type":"number","minimum":1e400,"default":0.70},
"at":{"$ref":"#/$defs/at"}},"required":["city"],
"$defs":{"at":{"type":"object","properties":{"x":{"anyOf":[{"type":"array",
"items":{"properties":{"\u0061":{"enum":["\u00e9"]}}}},{"type":"null"}]}}}}}
SCHEMA
{ "type" : "object","properties":{"city":{"type":"string"},
"n":{"type":["number","null"],"minimum":1e400},
"at":{"anyOf":[{"$ref":"#/$defs/at"},{"type":"null"}]}},
"required":["city","n","at"],
"$defs":{"at":{"type":"object","properties":{"x":{"anyOf":[{"type":"array",
"items":{"properties":{"\u0061":{"enum":["\u00e9",null]}},"type":"object",
"additionalProperties":false,"required":["\u0061"]}},{"type":"null"}]}},
"additionalProperties":false,"required":["x"]}},"additionalProperties":false}
STRICT

s{\n}{}g for $SCHEMA, $STRICT;


sub body ($strict, $schema = $SCHEMA) {
    return '{"model":"m","input":"hi","tools":[{"type":"function","name":"f",'
           . qq("parameters":$schema$strict}]});
}


# the model's functions, and the client's echo of them

sub gets ($name, $at, $strict, $schema, $want) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;

    my $sent = $a->sent("E29: $name", body($strict), at => "/$at",
                        $at eq 'openai' ? (flavor => 'openai') : ());

    like($sent->{body}, qr/"parameters":\Q$schema$want}}]\E/,
         "E29: $name: what is sent");

    my $r = post_json($a->port, "/$at/responses", body($strict));
    my ($tool) = @{ json_decode($r->{body})->{tools} };

    like($r->{body}, qr/"parameters":\Q$SCHEMA\E,"strict":/,
         "E29: $name: the schema is echoed");
    is_deeply($tool->{strict}, $strict =~ /true/ ? $T : $strict ? $F : undef,
              "E29: $name: strict is echoed");
}

my ($TRUE, $FALSE) = map { qq(,"strict":$_) } qw( true false );

gets('pass, unsaid', 'pass', '', $SCHEMA, '');
gets('pass, true', 'pass', $TRUE, $SCHEMA, $TRUE);
gets('on, unsaid', 'on', '', $SCHEMA, $TRUE);
gets('on, false', 'on', $FALSE, $SCHEMA, $FALSE);
gets('schema, unsaid', 'schema', '', $STRICT, $TRUE);
gets('schema, true', 'schema', $TRUE, $STRICT, $TRUE);
gets('schema, false', 'schema', $FALSE, $SCHEMA, $FALSE);
gets('schema, flavor openai', 'openai', '', $STRICT, $TRUE);
gets('false, true', 'false', $TRUE, $SCHEMA, $FALSE);
gets('off, true', 'off', $TRUE, $SCHEMA, '');
gets('nothing said of the server', 'v1', '', $SCHEMA, '');


# in a namespace, and where it cannot be

my $sent = $a->sent('E29: a namespace', { tools => [
    { type => 'namespace', name => 'n', tools => [
        { type => 'function', name => 'f', parameters => {
            type => 'object', properties => { a => { type => 'string' } },
        } },
        { type => 'function', name => 'g', parameters => {
            type => 'object', additionalProperties => { type => 'string' },
        } },
    ] },
] }, at => '/openai', flavor => 'openai')->{json}{tools};

is_deeply($sent->[0]{function}, { name => 'n__f', strict => $T, parameters => {
    type => 'object', properties => { a => { type => [ 'string', 'null' ] } },
    required => [ 'a' ], additionalProperties => $F,
} }, 'E29: a namespace: made');
is_deeply($sent->[1]{function}, { name => 'n__g', strict => $F, parameters => {
    type => 'object', additionalProperties => { type => 'string' },
} }, 'E29: a namespace: any keys');


# formats

sub formatted ($strict) {
    return '{"model":"m","input":"hi","text":{"format":{"type":"json_schema",'
           . qq("name":"n","schema":$SCHEMA$strict}}});
}

for (['schema', $TRUE, $STRICT, $TRUE], ['schema', '', $SCHEMA, ''],
     ['off', $TRUE, $SCHEMA, $TRUE])
{
    my ($at, $strict, $schema, $want) = @$_;

    like($a->sent("E29: a format, $at", formatted($strict), at => "/$at")
           ->{body},
         qr/"schema":\Q$schema$want}}\E/, "E29: a format, $at$strict: sent");
}

$a->finish;

done_testing();
