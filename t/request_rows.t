#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The tables of "What is carried" in docs/behaviour.md, row by row: what is sent
# is seen at the model, what is echoed in the response, and what is refused
# names its place.  A field, an item or a part that has no row, and a row that
# has no case here, are failures: nothing is overheard without a word.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Adapter;
use ORS::Events qw( rows );
use ORS::JSON qw( json_true json_false );
use ORS::Model qw( :all );
use ORS::Util qw( slurp );

my ($T, $F) = (json_true, json_false);
my %case;


# ---- what there is to be said


# the tables of the section: the first cells of each

sub tables () {
    my ($text) = slurp('docs/behaviour.md')
                 =~ /^## What is carried\n(.*?)^## Answers and streams\n/ms;
    my @tables;

    for (split /\n/, $text) {
        if (/^\| (.*?) \| to a `chat` target \|$/) {
            push @tables, [];

        } elsif (/^\| (.*?) \| / && $1 ne '---') {
            push @{ $tables[-1] }, $1;
        }
    }

    return @tables;
}


# names that the validator's tables have, as they stand in the source

sub names ($file, $table, $re) {
    my ($text) = slurp("src/schema/$file")
                 =~ /^(?:static\ )?ngx_ors_(?:members|variants)\w*
                      \(\Q$table\E,[^\n]*\n
                     (.*?)^\n/msx;
    my @names = ($text // '') =~ /$re/g;

    ok(@names > 0, "$table has names");

    return @names;
}

my ($params, $items, $parts) = tables();

is(@{ $_ // [] } > 5, 1, 'a table') for $params, $items, $parts;

my $field = qr/ngx_ors_row\w*\("(\w+)"/;
my $variant = qr/ngx_ors_variant\("(\w+)"/;
my $said = join ' ', @$params;

for my $list (qw( REQUEST_FIELDS REQUEST_FIELDS_WIDE REQUEST_FIELDS_OPENAI )) {
    like($said, qr/`$_->[0](?:\.\w+)?`/, "parameter $_->[0] has a row")
        for rows($list);
}

for my $object (qw( reasoning text )) {
    my $table = $object eq 'text' ? 'text_param' : $object;

    like($said, qr/`$object\.$_`/, "parameter $object.$_ has a row")
        for names('ngx_ors_fields_request.c', "ngx_ors_${table}_shape",
                  $field);
}

$said = join ' ', @$items;

for my $list (qw( ITEMS_PLAIN ITEMS_HOSTED ITEMS_PASSED ITEMS_INPUT )) {
    like($said, qr/`$_->[0]`/, "item $_->[0] has a row") for rows($list);
}

$said = join ' ', @$parts;

for my $list (qw( user system assistant output )) {
    like($said, qr/`$_`/, "part $_ has a row")
        for names('ngx_ors_fields_part.c', "ngx_ors_${list}_part_shape",
                  $variant);
}


# ---- how it is


my $flavor = 'open_responses_flavor openai; open_responses_strict on;';

my $a = ORS::Adapter->new(
    conf => {
        openai => $flavor,
        spec => 'open_responses_strict on;',
        pass => 'open_responses_unknown_fields pass;',
        developer => 'open_responses_target default /to/options;',
        'openai-options'
            => "$flavor open_responses_target default /to/options;",
        acme => "$flavor open_responses_target default /to/acme"
                . ' provider=acme;',
    },
    target => {
        options => 'open_responses_chat_options developer=developer'
                  . ' params=metadata,prompt_cache_key,safety_identifier,'
                  . 'service_tier,user,prompt_cache_retention,seed,stop,'
                  . 'store,verbosity files=url videos=on'
                  . ' reasoning=reasoning_content;'
                  . 'open_responses_reasoning_effort low /think true;',
        acme => '',
        named => 'open_responses_model other;',
        rejects => 'open_responses_tool_type default reject;',
        once => 'open_responses_chat_options stream=off;',
    });

my @USER = ({ role => 'user', content => 'hi' });


# members that are sent but for the model, and the message that $input becomes
# unless that is given; the echo, in both ways

sub sends ($row, $body, %o) {
    my ($sent, $echo) = delete @o{qw( sent echo )};
    my $name = $row . (defined $o{at} ? ", at $o{at}" : '');
    my @at = (at => '/' . ($o{at} // 'v1'),
              ($o{at} // '') =~ /openai|acme/ ? (flavor => 'openai') : ());

    $case{$row} = 1;

    my $json = $a->sent($name, { %$body }, @at)->{json};

    delete $json->{model} if !exists $sent->{model};
    delete $json->{messages} if !exists $sent->{messages};
    is_deeply($json, $sent, "$name: sent");

    return if !$echo;

    my ($s, $d) = $a->answer(undef, "$name: echo", body => $body, @at);

    is_deeply({ map { $_ => $d->response->{$_} } keys %$echo }, $echo,
              "$name: echoed");
    is_deeply({ map { $_ => $s->event('response.created')->{response}{$_} }
                keys %$echo }, $echo, "$name: echoed in the stream");
}


sub refuses ($row, $body, $code, $param, $at = 'v1', $message = qr/./) {
    $case{$row} = 1;
    $a->refuses("$row: refused, at $at: $param", $body, $param, code => $code,
                at => "/$at", message => $message);
}


# a conversation in which the messages are those

sub becomes ($row, $input, $messages, %o) {
    sends($row, { input => $input }, sent => { messages => $messages,
                                               %{ $o{more} // {} } }, %o);
}


# ---- parameters


sends('`model`', {}, sent => { model => 'm' }, echo => { model => 'm' });
sends('`model`', {}, sent => { model => 'other' }, echo => { model => 'm' },
      at => 'named');

sends('`input`', {}, sent => { messages => \@USER });

sends('`instructions`', { instructions => 'i' },
      sent => { messages => [ { role => 'system', content => 'i' },
                              @USER ] }, echo => { instructions => 'i' });
sends('`instructions`', { instructions => 'i' }, at => 'options',
      sent => { messages => [ { role => 'developer', content => 'i' },
                              @USER ] });

my %numbers = (temperature => 0.5, top_p => 0.25, presence_penalty => -1,
               frequency_penalty => 2);

sends('`temperature`, `top_p`, `presence_penalty`, `frequency_penalty`',
      \%numbers, sent => \%numbers, echo => \%numbers);

sends('`max_output_tokens`', { max_output_tokens => 16 },
      sent => { max_tokens => 16 }, echo => { max_output_tokens => 16 });
sends('`max_output_tokens`', { max_output_tokens => 16, model => 'o1' },
      sent => { max_completion_tokens => 16 });

sends('`reasoning.effort`', { reasoning => { effort => 'low' } },
      sent => { reasoning_effort => 'low' },
      echo => { reasoning => { effort => 'low', summary => undef } });
sends('`reasoning.effort`', { reasoning => { effort => 'low' } },
      sent => { think => $T }, at => 'options');
sends('`reasoning.summary`', { reasoning => { summary => 'auto' } },
      sent => {},
      echo => { reasoning => { effort => undef, summary => 'auto' } });

sends('`text.format`', { text => { format => { type => 'json_object' } } },
      sent => { response_format => { type => 'json_object' } },
      echo => { text => { format => { type => 'json_object' } } });
sends('`text.format`', { text => { format => { type => 'text' } } },
      sent => {}, echo => { text => { format => { type => 'text' } } });
sends('`text.format`', { text => { format => {
          type => 'json_schema', name => 'n', schema => {} } } },
      sent => { response_format => { type => 'json_schema', json_schema => {
          name => 'n', schema => {} } } });
refuses('`text.format`', { text => { format => { type => 'json_schema',
                                                 name => 'n' } } },
        'missing_required_parameter', 'text.format.schema');

my %low = (text => { verbosity => 'low' });

sends('`text.verbosity`', \%low, sent => {},
      echo => { text => { %{ $low{text} }, format => { type => 'text' } } });
sends('`text.verbosity`', \%low, sent => { verbosity => 'low' },
      at => 'options');


# tools

my %f = (type => 'function', name => 'f', description => undef,
         parameters => undef, strict => undef);
my %schema = (type => 'object', properties => {});
my $f = { type => 'function', function => { name => 'f',
                                            parameters => \%schema } };

sends('`tools` of type `function`',
      { tools => [ { type => 'function', name => 'f' } ] },
      sent => { tools => [ $f ] }, echo => { tools => [ \%f ] });

{
    my $custom = { type => 'custom', name => 'c' };
    my $space = { type => 'namespace', name => 'n', description => 'd',
                  tools => [ \%f ] };

    $a->sent('custom', { tools => [ $custom ] }, at => '/openai',
             flavor => 'openai');
    is($a->model->last_request->{json}{tools}[0]{function}{name}, 'c',
       'custom: a function');
    is_deeply([ keys %{ $a->model->last_request->{json}{tools}[0]{function}
                        {parameters}{properties} } ], [ 'input' ],
              'custom: with one text');

    $a->sent('namespace', { tools => [ $space ] }, at => '/openai',
             flavor => 'openai');
    is($a->model->last_request->{json}{tools}[0]{function}{name}, 'n__f',
       'namespace: a function');

    $case{"`tools` of type `$_`, in flavor `openai`"} = 1
        for qw( custom namespace );
}

sends('`tools` of type `tool_search` with `execution` `client`, in flavor'
      . ' `openai`',
      { tools => [ { type => 'tool_search', execution => 'client',
                     description => 'd', parameters => \%schema } ] },
      at => 'openai', sent => { tools => [ { type => 'function', function => {
          name => 'tool_search', description => 'd',
          parameters => \%schema } } ] });
sends('`tools` of other types, where they pass',
      { tools => [ { type => 'acme:search' } ] }, sent => {});
refuses('`tools` of other types, where they pass',
        { tools => [ { type => 'acme:search' } ] }, 'unsupported_value',
        'tools[0].type', 'rejects');

my @f = (tools => [ { type => 'function', name => 'f' } ]);

sends('`tool_choice`', { @f, tool_choice => 'none' },
      sent => { tools => [ $f ], tool_choice => 'none' },
      echo => { tool_choice => 'none' });
sends('`tool_choice`', { tool_choice => 'none' }, sent => {});
refuses('`tool_choice`', { @f, tool_choice => { type => 'function',
                                                name => 'g' } },
        'invalid_value', 'tool_choice.name');
sends('`parallel_tool_calls`', { @f, parallel_tool_calls => $F },
      sent => { tools => [ $f ], parallel_tool_calls => $F },
      echo => { parallel_tool_calls => $F });
sends('`parallel_tool_calls`', { parallel_tool_calls => $F }, sent => {});


# streams, and what is told of words

{
    my $row = '`stream`';

    $case{$row} = 1;
    $a->ask(undef, stream => 1);
    is_deeply([ @{ $a->model->last_request->{json} }{qw( stream
                                                        stream_options )} ],
              [ $T, { include_usage => $T } ], "$row: sent");
    $a->ask(undef, stream => 1, at => '/once');
    is($a->model->last_request->{json}{stream}, undef,
       "$row: what the server can");
}

my $logprobs = [ 'message.output_text.logprobs' ];

sends('`include` of `message.output_text.logprobs`',
      { include => $logprobs, top_logprobs => 3 },
      sent => { logprobs => $T, top_logprobs => 3 },
      echo => { top_logprobs => 3 });
sends('`top_logprobs` without it', { top_logprobs => 3 }, sent => {},
      echo => { top_logprobs => 3 });

{
    my $row = '`stream_options.include_obfuscation`';

    sends($row, { stream_options => { include_obfuscation => $T } },
          sent => {});
    $a->answer(undef, $row, padded => 1, body => {
        stream_options => { include_obfuscation => $T } });
}

sends('`include` of `reasoning.encrypted_content`',
      { include => [ 'reasoning.encrypted_content' ] }, sent => {});
sends('`include` of other values',
      { include => [ 'web_search_call.results' ] }, sent => {},
      at => 'openai');
sends('other `stream_options`',
      { stream_options => { include_usage => $T,
                            reasoning_summary_delivery => 'x' } },
      sent => {}, at => 'openai');


# fields whose work is done elsewhere

refuses('`background`', { background => $T }, 'unsupported_parameter',
        'background');
sends('`background`', { background => $F }, sent => {},
      echo => { background => $F });
refuses('`previous_response_id`', { previous_response_id => 'resp_1' },
        'previous_response_not_found', 'previous_response_id');

for my $at (qw( v1 spec openai )) {
    my @input = (input => [ { type => 'message', role => 'user',
                              content => 'hi' } ]);

    refuses('`conversation`', { @input, conversation => 'c' },
            'unsupported_parameter', 'conversation', $at);
    refuses('`prompt`', { @input, prompt => { id => 'p' } },
            'unsupported_parameter', 'prompt', $at);
}

sends('`store`', { store => $T }, sent => {}, echo => { store => $F });
sends('`store`', { store => $T }, sent => { store => $T }, at => 'options');

my %told = (metadata => { a => 'b' }, prompt_cache_key => 'k',
            safety_identifier => 's', service_tier => 'flex');
my $row = '`metadata`, `prompt_cache_key`, `safety_identifier`,'
          . ' `service_tier`';

sends($row, \%told, sent => {}, echo => \%told);
sends($row, \%told, sent => \%told, echo => \%told, at => 'options');

my %chat = (user => 'u', prompt_cache_retention => '24h', seed => 7,
            stop => [ 'x' ]);

$row = '`user`, `prompt_cache_retention`, `seed`, `stop`';
sends($row, \%chat, sent => {}, at => 'openai');
sends($row, \%chat, sent => \%chat, at => 'openai-options');

$row = '`provider`, a name, but not in strict `spec`';
sends($row, { provider => 'acme' }, sent => {}, at => 'acme');
sends($row, { provider => { order => [ 'x' ] } }, sent => {});
sends($row, { provider => { order => [ 'x' ] } }, at => 'pass',
      sent => { provider => { order => [ 'x' ] } });

$case{$row} = 1;
is($a->ask(undef, body => { provider => 'other' })->{status}, 404,
   "$row: there is none");

sends('`provider_options`, but not in strict `spec`',
      { provider_options => [ { type => 'acme', x => 1 },
                              { type => 'other', y => 2 } ] },
      sent => { x => 1 }, at => 'acme');
sends('`params`, where the profile is not strict',
      { temperature => 1, params => { temperature => 0, top_k => 5,
                                      user => 'u' } },
      sent => { temperature => 0, top_k => 5 },
      echo => { temperature => 1 });

sends('`max_tool_calls`, `truncation`',
      { max_tool_calls => 2, truncation => 'auto' }, sent => {},
      echo => { max_tool_calls => 2, truncation => 'auto' });

$row = '`context_management`, in flavor `openai`';

refuses($row, { context_management => [ { type => 'compaction' } ] },
        'unsupported_parameter', 'context_management', 'openai');
sends($row, { context_management => [] }, sent => {}, at => 'openai');

$row = '`moderation`, `image`, in flavor `openai`';

for my $case ([ moderation => { model => 'm' }, {} ],
              [ image => { size => 'x' }, {} ])
{
    my ($name, $value, $empty) = @$case;

    refuses($row, { $name => $value }, 'unsupported_parameter', $name,
            'openai');
    sends($row, { $name => $empty }, sent => {}, at => 'openai');
    sends($row, { $name => $value }, sent => {});
}

sends('`client_metadata`, `prompt_cache_options`, `access_programs`, in'
      . ' flavor `openai`',
      { map { $_ => { a => 'b' } } qw( client_metadata prompt_cache_options
                                       access_programs ) },
      sent => {}, at => 'openai');
sends('`reasoning.context`, `reasoning.generate_summary`, `reasoning.mode`,'
      . ' in flavor `openai`',
      { reasoning => { context => 'x', generate_summary => 'auto',
                       mode => 'x' } }, sent => {}, at => 'openai');

sends('others', { acme => 1 }, sent => {});
sends('others', { acme => 1 }, sent => { acme => 1 }, at => 'pass');


# ---- items


my %image = (type => 'input_image', image_url => 'data:,', detail => 'low');
my %video = (type => 'input_video', video_url => 'data:,');
my %file = (type => 'input_file', file_data => 'data:,');
my %audio = (type => 'input_audio', input_audio => { data => 'x',
                                                     format => 'wav' });
my $image = { type => 'image_url', image_url => { url => 'data:,',
                                                  detail => 'low' } };
my $video = { type => 'video_url', video_url => { url => 'data:,' } };
my $file = { type => 'file', file => { file_data => 'data:,' } };
my $audio = { type => 'input_audio', input_audio => $audio{input_audio} };

sub message ($role, @parts) {
    return { type => 'message', role => $role, id => 'msg_1',
             status => 'completed', content => \@parts };
}


sub text ($type = 'input_text', $text = 'a') {
    return { type => $type, text => $text };
}


becomes('`message` of `user`', [ message('user', text, \%image, \%file) ],
        [ { role => 'user', content => [ { type => 'text', text => 'a' },
                                         $image, $file ] } ]);
becomes('`message` of `user`', [ message('user', text, \%audio) ],
        [ { role => 'user', content => [ { type => 'text', text => 'a' },
                                         $audio ] } ], at => 'openai');

for my $case ([ v1 => 'system' ], [ options => 'developer' ]) {
    my ($at, $developer) = @$case;

    becomes('`message` of `system`, `developer`',
            [ message('system', text, text), message('developer', text),
              message('user', text) ],
            [ { role => 'system', content => "a\na" },
              { role => $developer, content => 'a' },
              { role => 'user', content => 'a' } ], at => $at);
}

becomes('`message` of `assistant`',
        [ { %{ message('assistant', text('output_text'),
                       { type => 'refusal', refusal => 'no' }) },
            phase => 'commentary' }, message('user', text) ],
        [ { role => 'assistant', content => 'a', refusal => 'no' },
          { role => 'user', content => 'a' } ]);

my $call = { type => 'function_call', call_id => 'c', name => 'f',
             arguments => '{}', id => 'fc_1', status => 'completed' };

sub output (@parts) {
    return { type => 'function_call_output', call_id => 'c',
             output => \@parts };
}


sub called ($name = 'f', $arguments = '{}') {
    return { role => 'assistant', content => undef, tool_calls => [ {
        id => 'c', type => 'function',
        function => { name => $name, arguments => $arguments } } ] };
}


sub tool ($content = 'a') {
    return { role => 'tool', tool_call_id => 'c', content => $content };
}


becomes('`function_call`', [ $call, output(text) ], [ called, tool ]);
becomes('`function_call_output`', [ $call, output(text, \%image) ],
        [ called, tool, { role => 'user', content => [ $image ] } ]);
becomes('`custom_tool_call`, `custom_tool_call_output`',
        [ { type => 'custom_tool_call', call_id => 'c', name => 'x',
            input => 'i' },
          { type => 'custom_tool_call_output', call_id => 'c',
            output => 'a' } ],
        [ called('x', '{"input":"i"}'), tool ], at => 'openai');
becomes('`additional_tools`',
        [ { type => 'additional_tools', role => 'developer', @f },
          message('user', text) ],
        [ { role => 'user', content => 'a' } ], at => 'openai',
        more => { tools => [ $f ] });

becomes('`tool_search_call`, `tool_search_output`',
        [ { type => 'tool_search_call', call_id => 'c', execution => 'client',
            status => 'completed', arguments => { q => 'x' } },
          { type => 'tool_search_output', call_id => 'c', @f,
            execution => 'client', status => 'completed' } ],
        [ called('tool_search', '{"q":"x"}'), tool('{"tools":["f"]}') ],
        at => 'openai', more => { tools => [ $f ] });

my $thought = { type => 'reasoning', summary => [ text('summary_text', 's') ],
                content => [ text('reasoning_text', 't') ] };

becomes('`reasoning`', [ $thought, $call, output(text) ], [ called, tool ]);
becomes('`reasoning`', [ $thought, $call, output(text) ],
        [ { %{ called() }, reasoning_content => 't' }, tool ],
        at => 'options');

refuses('`compaction`, with flavor `openai` `context_compaction`',
        { input => [ message('user', text),
                     { type => $_, encrypted_content => 'x' } ] },
        'unsupported_item', 'input[1]', 'openai')
    for qw( compaction context_compaction );
refuses('`compaction_trigger` of flavor `openai`, the last item',
        { input => [ { type => 'compaction_trigger' },
                     message('user', text) ] },
        'unsupported_item', 'input[0].type', 'openai');
refuses('`item_reference`', { input => [ { type => 'item_reference',
                                           id => 'msg_1' } ] },
        'unsupported_item', 'input[0]');

# the least of each that is valid

my %least = (
    local_shell_call => { action => {} },
    local_shell_call_output => { output => 'x' },
    shell_call => { call_id => 'c', action => { commands => [] } },
    shell_call_output => { call_id => 'c', output => [] },
    apply_patch_call => { call_id => 'c', operation => {
        type => 'delete_file', path => 'p' } },
    apply_patch_call_output => { call_id => 'c', status => 'completed' },
    computer_call => { call_id => 'c' },
    computer_call_output => { call_id => 'c', output => {
        type => 'computer_screenshot' } },
    image_generation_call => { id => 'i' },
    agent_message => { content => [], author => 'a', recipient => 'r' },
    program => { code => 'x', call_id => 'c', fingerprint => 'f' },
    program_output => { call_id => 'c', output => 'x', result => 'r' },
    configuration_update => { configuration => {} },
);

for my $row (grep { /_call_output`|agent_message/ && !/custom|function/ }
             @$items)
{
    refuses($row, { input => [ message('user', text),
                               { type => $_, %{ $least{$_} // {} } } ] },
            'unsupported_item', 'input[1].type', 'openai',
            qr/cannot be sent to this model server/)
        for $row =~ /`(\w+)`/g;
}

# hosted tools

my %mcp = (server_label => 's', name => 'n', arguments => '{}');
my $asked = { type => 'mcp_approval_request', id => 'r', %mcp };

becomes('`mcp_call` of flavor `openai`',
        [ { type => 'mcp_call', id => 'c', %mcp, output => 'x' } ],
        [ called('s__n', '{}'), tool('x') ], at => 'openai');
becomes('`mcp_call` of flavor `openai`',
        [ { type => 'mcp_call', id => 'c', %mcp, error => {
              type => 'http_error', code => 502, message => 'no' } } ],
        [ called('s__n', '{}'), tool('no') ], at => 'openai');
becomes('`mcp_list_tools` of flavor `openai`',
        [ { type => 'mcp_list_tools', server_label => 's', tools => [] },
          message('user', text) ],
        [ { role => 'user', content => 'a' } ], at => 'openai');
becomes('`mcp_approval_request`, `mcp_approval_response` of flavor `openai`',
        [ { %$asked, id => 'c' },
          { type => 'mcp_approval_response', approval_request_id => 'c',
            approve => $F, reason => 'not now' } ],
        [ called('s__n', '{}'),
          tool('the user has declined this call: not now') ],
        at => 'openai');
refuses('`mcp_approval_request`, `mcp_approval_response` of flavor `openai`',
        { input => [ message('user', text),
                     { type => 'mcp_approval_response', approve => $T,
                       approval_request_id => 'c' } ] },
        'item_not_found', 'input[1].approval_request_id', 'openai');
becomes('`web_search_call`, `file_search_call`, `code_interpreter_call` of'
        . ' flavor `openai`',
        [ { type => 'web_search_call', id => 'w', status => 'completed',
            action => { type => 'search', query => 'q' } },
          { type => 'file_search_call', id => 'c', status => 'completed',
            queries => [ 'q' ], results => [ 'x' ] },
          { type => 'code_interpreter_call', id => 'i', outputs => undef,
            container_id => 'c', status => 'completed', code => '1' } ],
        [ called('file_search', '{"queries":["q"]}'), tool('["x"]') ],
        at => 'openai');
becomes('of a type `slug:name_call` with `arguments`',
        [ { type => 'acme:x_call', id => 'c', status => 'completed',
            arguments => '{}', output => 'y' } ],
        [ called('x', '{}'), tool('y') ]);
refuses('of another type `slug:name`',
        { input => [ message('user', text),
                     { type => 'acme:x', id => 'i', status => 'done' } ] },
        'unsupported_item', 'input[1].type');


# ---- parts


becomes('`input_text`, `output_text`',
        [ message('assistant', { %{ text('output_text') }, annotations => [],
                                 logprobs => [] }), message('user', text) ],
        [ { role => 'assistant', content => 'a' },
          { role => 'user', content => 'a' } ], at => 'openai');
becomes('`refusal`', [ message('assistant', { type => 'refusal',
                                              refusal => 'no' }),
                       message('user', text) ],
        [ { role => 'assistant', content => undef, refusal => 'no' },
          { role => 'user', content => 'a' } ]);

for my $case ([ 'low', 'low' ], [ 'high', 'high' ], [ 'auto' ],
              [ 'original', 'high' ])
{
    my ($detail, @sent) = @$case;

    becomes('`input_image`',
            [ message('user', { %image, detail => $detail,
                                file_id => 'file_1' }) ],
            [ { role => 'user', content => [
                  { type => 'image_url', image_url => {
                        url => 'data:,',
                        @sent ? (detail => @sent) : () } } ] } ],
            at => 'openai');
}

refuses('`input_image`', { input => [ message('user', text, {
            type => 'input_image', file_id => 'f' }) ] },
        'invalid_value', 'input[0].content[1]', 'openai');

becomes('`input_file`', [ message('user', { %file, filename => 'n',
                                            detail => 'high' }) ],
        [ { role => 'user', content => [ { type => 'file', file => {
              filename => 'n', file_data => 'data:,' } } ] } ],
        at => 'openai');
becomes('`input_file`', [ message('user', { type => 'input_file',
                                            file_url => 'http://f' }) ],
        [ { role => 'user', content => [ { type => 'file', file => {
              file_data => 'http://f' } } ] } ], at => 'options');
refuses('`input_file`', { input => [ message('user', {
            type => 'input_file', file_url => 'http://f' }) ] },
        'invalid_value', 'input[0].content[0]');

becomes('`input_audio`', [ message('user', \%audio) ],
        [ { role => 'user', content => [ $audio ] } ], at => 'openai');
refuses('`input_audio`', { input => [ message('user', {
            type => 'input_audio', audio_url => 'http://a' }) ] },
        'invalid_value', 'input[0].content[0]', 'openai');

becomes('`input_video`', [ message('user', \%video) ],
        [ { role => 'user', content => [ $video ] } ], at => 'options');
refuses('`input_video`', { input => [ message('user', \%video) ] },
        'unsupported_value', 'input[0].content[0]');

becomes('`summary_text`, `reasoning_text`',
        [ { %$thought, content => undef }, $call, output(text) ],
        [ { %{ called() }, reasoning_content => 's' }, tool ],
        at => 'options');
refuses('`encrypted_content` in an output',
        { input => [ $call, output({ type => 'encrypted_content',
                                     encrypted_content => 'x' }) ] },
        'unsupported_value', 'input[1].output[0]', 'openai');

for my $role (qw( system developer assistant )) {
    refuses('images, files, audio and videos in messages of `system`,'
            . ' `developer` and `assistant`',
            { input => [ message($role, $_) ] }, 'unsupported_value',
            'input[0].content[0]', 'openai') for \%image, \%file;
}


# ---- each row has its case


is_deeply([ grep { !$case{$_} } @$params, @$items, @$parts ], [],
          'each row of the tables has a case here');

{
    my %row = map { $_ => 1 } @$params, @$items, @$parts;

    is_deeply([ grep { !$row{$_} } sort keys %case ], [],
              'each case here has a row');
}

$a->finish;

done_testing();
