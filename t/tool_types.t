#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Tools that no function can stand for, as open_responses_tool_type says of
# their types: left out, refused, or put in the words of the server that has
# them.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Adapter;
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_decode json_false );
use ORS::Model qw( :all );
use ORS::Stream qw( error_ok );

my %types = (
    skips => 'open_responses_tool_type default skip;',
    rejects => <<'CONF',
        open_responses_tool_type default      reject;
        open_responses_tool_type image_*      skip;
        open_responses_tool_type image_search reject;
CONF
    sends => <<'CONF',
        open_responses_tool_type web_search*  send '{"type":"web","n":1.0}';
        open_responses_tool_type mcp          send '{"type":"connector"}';
        open_responses_tool_type acme:*       reject;
CONF
);

# the target of each, from a location whose profile is tolerant, and a strict
# one

my %conf;

for my $to (keys %types) {
    $conf{"$_-$to"} = <<"CONF" for qw( on off );
        open_responses_flavor openai;
        open_responses_strict $_;
        open_responses_target default /to/$to;
CONF
}

my $a = ORS::Adapter->new(target => \%types, conf => \%conf, scripts => {
    text => [ sse_head(), [ sse => chat_chunk(content => 'Found') ],
              [ sse => chat_chunk(finish => 'stop') ], [ 'done' ] ],
});

my $FUNC = { type => 'function', name => 'f', parameters => {} };
my $SENT = { type => 'function', function => { name => 'f',
                                               parameters => {} } };
my %ask = (input => [ { type => 'message', role => 'user',
                        content => 'Go' } ]);


sub tools (@types) {
    return (%ask, tools => [ map { ref $_ ? $_ : { type => $_ } } @types ]);
}


# the model's tools, and the client's echo of those it has asked for

sub sends ($name, $at, $body, $expected) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;

    for my $strict (qw( on off )) {
        my @o = (at => "/$strict-$at", flavor => 'openai');
        my $json = $a->sent("$name, $strict", $body, @o)->{json};

        is_deeply({ map { $_ => $json->{$_} } grep { exists $json->{$_} }
                    qw( tools tool_choice parallel_tool_calls ) },
                  $expected, "$name, $strict: sent");

        my $r = post_json($a->port, "/$strict-$at/responses",
                          { model => 'm', %$body });

        is_deeply([ map { $_->{type} }
                    json_decode($r->{body})->{tools}->@* ],
                  [ map { $_->{type} } $body->{tools}->@* ],
                  "$name, $strict: echoed");
    }
}


sub refuses ($name, $at, $body, $param) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;

    $a->refuses("$name, $_", $body, $param, at => "/$_-$at",
                code => 'unsupported_value') for qw( on off );
}


# skip: as without a word

sends('skip', 'skips', { tools($FUNC, 'web_search', 'acme:x') },
      { tools => [ $SENT ] });
sends('skip, nothing is left', 'skips',
      { tools(qw( web_search tool_search )), tool_choice => 'auto',
        parallel_tool_calls => json_false }, {});


# reject

refuses('reject', 'rejects', { tools($FUNC, 'web_search') }, 'tools[1].type');
refuses('reject, the first', 'rejects', { tools('shell', 'shell') },
        'tools[0].type');
refuses('reject, of another word', 'rejects', { tools('acme:x') },
        'tools[0].type');
refuses('reject, as input', 'rejects', { input => [
    $ask{input}[0], { type => 'additional_tools',
                      tools => [ $FUNC, { type => 'web_search' } ] } ] },
        'input[1].tools[1].type');
refuses('reject, by its prefix', 'sends', { tools('acme:x') },
        'tools[0].type');
sends('reject, others', 'rejects', { tools($FUNC, 'image_generation') },
      { tools => [ $SENT ] });

# a type of its own, which only a tolerant profile has, goes before a prefix

$a->refuses('reject, by its type', { tools('image_search') },
            'tools[0].type', at => '/off-rejects',
            code => 'unsupported_value');

$a->refuses('reject, flavor spec', { tools($FUNC, 'web_search') },
            'tools[1].type', at => '/rejects', code => 'unsupported_value');


# send

my %mcp = (type => 'mcp', server_label => 'l');

sends('send', 'sends', { tools($FUNC, 'web_search', \%mcp, 'shell') },
      { tools => [ $SENT, { type => 'web', n => 1 },
                   { type => 'connector' } ] });
sends('send, one for two', 'sends',
      { tools(qw( web_search web_search_preview )) },
      { tools => [ { type => 'web', n => 1 } ] });

like($a->sent('send, as it is written', { tools('web_search') },
              at => '/on-sends', flavor => 'openai')->{body},
     qr/"tools":\[\{"type":"web","n":1\.0\}\]/, 'send, as it is written');

# the server does not tell of the tool's work, so nobody waits for a call

for my $choice ('required', { type => 'allowed_tools', mode => 'required',
                              tools => [ { type => 'web_search' } ] })
{
    my ($s) = $a->answer('text', 'send, a call is required',
                         at => '/on-sends', flavor => 'openai',
                         body => { tools($FUNC, 'web_search'),
                                   tool_choice => $choice });

    is($s->text, 'Found', 'send, a call is required: text');
    is($a->model->last_request->{json}{tool_choice}, 'required',
       'send, a call is required: sent');
}

error_ok($a->ask('text', at => '/on-sends', body => {
             tools($FUNC, 'web_search'),
             tool_choice => { type => 'function', name => 'f' } }),
         500, 'send, a call of a function is required',
         code => 'model_error');

# no other server can be told to call it

$a->refuses('send, chosen, strict',
            { tools($FUNC, 'web_search'),
              tool_choice => { type => 'web_search' } },
            'tool_choice.type', at => '/on-sends',
            code => 'unsupported_value');
is($a->sent('send, chosen', { tools($FUNC, 'web_search'),
                              tool_choice => { type => 'web_search' } },
            at => '/off-sends', flavor => 'openai')->{json}{tool_choice},
   'auto', 'send, chosen: any of them');

$a->finish;

done_testing();
