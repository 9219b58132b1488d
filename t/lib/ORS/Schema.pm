package ORS::Schema;

# Copyright (C) Open Responses contributors
#
# Objects of the protocol, as ORS::Stream knows them: the response, its items,
# their parts, usage and errors, each with its keys and their types.  The
# methods report to $self and return true if the caller may go on.

use v5.36;
use Exporter qw( import );
use ORS::JSON qw( is_num is_int is_str is_bool same_value json_encode );

our @EXPORT_OK = qw( item_types );

use constant MAX_ERRORS => 50;

my @STATUS = qw( in_progress completed incomplete );
my $STEPS = join '|', map { "=$_" } @STATUS;
my @ERROR_TYPES = qw( invalid_request not_found too_many_requests
                      server_error model_error );

# Field types: str, int, num, bool, obj, arr, any; null may be added; "=a"
# is the string "a"; "?" in front of a name: may be absent.

my %RESPONSE = (
    id => 'str', object => '=response', created_at => 'int',
    completed_at => 'int|null',
    status => '=queued|=in_progress|=completed|=incomplete|=failed',
    incomplete_details => 'obj|null', model => 'str',
    previous_response_id => 'str|null', instructions => 'str|null',
    output => 'arr', error => 'obj|null', tools => 'arr',
    tool_choice => 'str|obj', truncation => '=auto|=disabled',
    parallel_tool_calls => 'bool', text => 'obj', top_p => 'num',
    presence_penalty => 'num', frequency_penalty => 'num',
    top_logprobs => 'int', temperature => 'num', reasoning => 'obj|null',
    usage => 'obj|null', max_output_tokens => 'int|null',
    max_tool_calls => 'int|null', store => 'bool', background => 'bool',
    service_tier => 'str', metadata => 'any',
    safety_identifier => 'str|null', prompt_cache_key => 'str|null',
);

# members that may differ between two snapshots of one response
my %CHANGING = map { $_ => 1 } qw(
    status output usage completed_at error incomplete_details model
    service_tier
);

my %USAGE = (
    input_tokens => 'int', output_tokens => 'int', total_tokens => 'int',
    input_tokens_details => 'obj', output_tokens_details => 'obj',
);

my %TOOL = (
    type => '=function', name => 'str', description => 'str|null',
    parameters => 'obj|null', strict => 'bool|null',
);

my %FORMAT = (
    text => { type => 'str' },
    json_object => { type => 'str' },
    json_schema => { type => 'str', name => 'str',
                     description => 'str|null', schema => 'null',
                     strict => 'bool' },
);

my %PART = (
    output_text => { type => 'str', text => 'str', annotations => 'arr',
                     '?logprobs' => 'arr' },
    refusal => { type => 'str', refusal => 'str' },
    reasoning_text => { type => 'str', text => 'str' },
    summary_text => { type => 'str', text => 'str' },
    text => { type => 'str', text => 'str' },
    input_text => { type => 'str', text => 'str' },
    input_image => { type => 'str', image_url => 'str|null',
                     detail => '=low|=high|=auto' },
    input_file => { type => 'str', '?filename' => 'str',
                    '?file_url' => 'str' },
    input_video => { type => 'str', video_url => 'str' },
);

# parts that an item may have

my %ALLOWED_PARTS = (
    'message.content' => qr/./,
    'reasoning.content' => qr/\Areasoning_text\z/,
    'reasoning.summary' => qr/\Asummary_text\z/,
    'function_call_output.output' => qr/\Ainput_(?:text|image|file)\z/,
);

my %ITEM = (
    message => { type => 'str', id => 'str', status => 'status',
                 role => '=assistant|=user|=system|=developer',
                 content => 'arr', '?phase' => '=commentary|=final_answer' },
    function_call => { type => 'str', id => 'str', call_id => 'str',
                       name => 'str', arguments => 'str',
                       status => 'status' },
    function_call_output => { type => 'str', id => 'str', call_id => 'str',
                              output => 'str|arr', status => 'status' },
    reasoning => { type => 'str', id => 'str', status => 'status',
                   summary => 'arr', '?content' => 'arr',
                   '?encrypted_content' => 'str' },
    compaction => { type => 'str', id => 'str', status => 'status',
                    encrypted_content => 'str', '?created_by' => 'str' },
);

# only with flavor => 'openai'

my %OPENAI_ITEM = (
    custom_tool_call => { type => 'str', id => 'str', call_id => 'str',
                          name => 'str', input => 'str',
                          status => 'status' },
    tool_search_call => { type => 'str', id => 'str', call_id => 'str',
                          execution => '=client', arguments => 'any',
                          status => 'status' },

    # of tools that run at the server
    mcp_list_tools => { type => 'str', id => 'str', server_label => 'str',
                        tools => 'arr', '?error' => 'any',
                        '?status' => 'str' },
    mcp_call => { type => 'str', id => 'str', server_label => 'str',
                  name => 'str', arguments => 'str',
                  status => "$STEPS|=calling|=failed",
                  '?output' => 'str|null', '?error' => 'str|obj|null',
                  '?approval_request_id' => 'str|null' },
    mcp_approval_request => { type => 'str', id => 'str',
                              server_label => 'str', name => 'str',
                              arguments => 'str', '?status' => 'str' },
    web_search_call => { type => 'str', id => 'str', '?action' => 'obj',
                         status => "$STEPS|=searching|=failed" },
    file_search_call => { type => 'str', id => 'str', '?queries' => 'arr',
                          '?results' => 'arr|null',
                          status => "$STEPS|=searching|=failed" },
    code_interpreter_call => { type => 'str', id => 'str',
                               '?code' => 'str|null', container_id => 'str',
                               '?outputs' => 'arr|null',
                               status => "$STEPS|=interpreting|=failed" },
);

# its errors, by type; one that is a string is of an older server

my %MCP_ERROR = (
    mcp_protocol_error => { type => 'str', code => 'int', message => 'str' },
    mcp_tool_execution_error => { type => 'str', content => 'any' },
    http_error => { type => 'str', code => 'int', message => 'str' },
);

my %CITATION = (
    type => '=url_citation', url => 'str', title => 'str',
    start_index => 'int', end_index => 'int',
);

my %LOGPROB = (
    token => 'str', logprob => 'num', bytes => 'arr', top_logprobs => 'arr',
);

my %TOP_LOGPROB = (token => 'str', logprob => 'num', bytes => 'arr');


sub item_types ($openai) {
    return { %ITEM, $openai ? %OPENAI_ITEM : () };
}


# ---- a response


# true if it is an object at all

sub _response ($self, $r) {
    return $self->_shape($r, \%RESPONSE, 'response', 1);
}


sub _snapshot ($self, $r, $terminal) {
    my $status = is_str($r->{status}) ? $r->{status} : '';

    $self->_wrong('id is empty') if is_str($r->{id}) && $r->{id} eq '';
    $self->_wrong('created_at is not a time')
        if is_int($r->{created_at}) && $r->{created_at} < 1_000_000_000;

    $self->_wrong("completed_at with status $status")
        if defined $r->{completed_at} && $status ne 'completed';
    $self->_wrong('completed, but completed_at is null')
        if !defined $r->{completed_at} && $status eq 'completed';
    $self->_wrong('completed before it was created')
        if is_int($r->{completed_at}) && is_int($r->{created_at})
           && $r->{completed_at} < $r->{created_at};

    $self->_wrong("error is set with status $status")
        if defined $r->{error} && $status ne 'failed';
    $self->_wrong('failed, but error is null')
        if !defined $r->{error} && $status eq 'failed';
    $self->_wrong("incomplete_details are set with status $status")
        if defined $r->{incomplete_details} && $status ne 'incomplete';
    $self->_wrong('incomplete, but incomplete_details are null')
        if !defined $r->{incomplete_details} && $status eq 'incomplete';

    if (ref $r->{error} eq 'HASH') {
        $self->_shape($r->{error}, { code => 'str', message => 'str' },
                      'error');
        $self->_wrong('error.code is empty')
            if is_str($r->{error}{code}) && $r->{error}{code} eq '';
    }

    $self->_shape($r->{incomplete_details}, { reason => 'str' },
                  'incomplete_details')
        if ref $r->{incomplete_details} eq 'HASH';

    $self->_shape($r->{reasoning}, { effort => 'str|null',
                                     summary => 'str|null' }, 'reasoning')
        if ref $r->{reasoning} eq 'HASH';

    $self->_usage($r->{usage}) if ref $r->{usage} eq 'HASH';
    $self->_text($r->{text}) if ref $r->{text} eq 'HASH';
    $self->_tool_choice($r->{tool_choice});

    if (ref $r->{tools} eq 'ARRAY') {
        for my $i (0 .. $#{ $r->{tools} }) {
            my $tool = $r->{tools}[$i];
            my $type = ref $tool eq 'HASH' && is_str($tool->{type})
                       ? $tool->{type} : '';

            next if $type ne 'function' && $type ne ''
                    && ($self->{openai}
                        || $type =~ /:/ && $self->{opt}{extensions});
            $self->_shape($tool, \%TOOL, "tools[$i]");
        }
    }

    $self->_outputs($r->{output}, $status, $terminal)
        if ref $r->{output} eq 'ARRAY';
}


sub _same_as_before ($self, $r) {
    my $first = $self->{first} //= $r;

    for my $key (sort keys %RESPONSE) {
        next if $CHANGING{$key} || !exists $r->{$key}
                || !exists $first->{$key};

        # a response that was to be stored may be found to be impossible to
        # store

        next if $key eq 'store' && $first->{$key} && !$r->{$key};

        $self->_wrong("$key is not that of the first snapshot")
            if !same_value($r->{$key}, $first->{$key});
    }
}


# items of a snapshot: unique, finished, the incomplete one last

sub _outputs ($self, $output, $status, $terminal) {
    my (%ids, %calls);

    for my $i (0 .. $#$output) {
        my $item = $output->[$i];
        my $name = "output[$i]";

        # in a stream each was checked as it was done
        $self->_item($item, $name) or next if !$self->{opt}{stream};
        next if ref $item ne 'HASH';

        my $id = $item->{id} // '';
        my $is = $item->{status} // '';

        $self->_wrong("$name: id \"$id\" comes twice") if $ids{$id}++;

        next if !$terminal;

        $self->_wrong("$name is in progress") if $is eq 'in_progress';
        $self->_wrong("$name is incomplete in a $status response")
            if $is eq 'incomplete' && $status ne 'incomplete';
        $self->_wrong("$name is incomplete, but not the last")
            if $is eq 'incomplete' && $i < $#$output;
    }
}


sub _usage ($self, $u) {
    $self->_shape($u, \%USAGE, 'usage', 1);

    $self->_shape($u->{input_tokens_details}, { cached_tokens => 'int' },
                  'usage.input_tokens_details')
        if ref $u->{input_tokens_details} eq 'HASH';
    $self->_shape($u->{output_tokens_details}, { reasoning_tokens => 'int' },
                  'usage.output_tokens_details')
        if ref $u->{output_tokens_details} eq 'HASH';

    for my $key (sort keys %USAGE) {
        $self->_wrong("usage: $key is negative")
            if is_int($u->{$key}) && $u->{$key} < 0;
    }
}


sub _text ($self, $text) {
    $self->_shape($text, { format => 'obj',
                           '?verbosity' => '=low|=medium|=high' },
                  'text') or return;

    my $type = $text->{format}{type};
    my $schema = is_str($type) ? $FORMAT{$type} : undef;

    return $self->_wrong('text.format has no known type') if !$schema;

    $self->_shape($text->{format}, $schema, 'text.format');
}


sub _tool_choice ($self, $c) {
    if (is_str($c)) {
        $self->_wrong("tool_choice is \"$c\"")
            if $c !~ /\A(?:none|auto|required)\z/;
        return;
    }

    return if ref $c ne 'HASH' || $self->{openai};

    my $type = $c->{type} // '';

    if ($type eq 'function') {
        $self->_shape($c, { type => 'str', '?name' => 'str' },
                      'tool_choice');

    } elsif ($type eq 'allowed_tools') {
        $self->_shape($c, { type => 'str', tools => 'arr',
                            mode => '=none|=auto|=required' },
                      'tool_choice') or return;
        $self->_shape($_, { type => '=function', '?name' => 'str' },
                      'tool_choice.tools[]') for @{ $c->{tools} };

    } else {
        $self->_wrong('tool_choice has no known type');
    }
}


# ---- its items


sub _item ($self, $item, $name) {
    return $self->_wrong("$name is no object") if ref $item ne 'HASH';
    return $self->_wrong("$name has no type") if !is_str($item->{type});

    my $type = $item->{type};
    my $schema = $self->{item_schema}{$type};

    if (!$schema) {
        if ($self->{openai}
            || $type =~ /\A[^:]+:.+/ && $self->{opt}{extensions})
        {
            $schema = { id => 'str', type => 'str', status => 'any' };

            for my $key (sort keys %$schema) {
                $self->_wrong("$name has no $key")
                    if !exists $item->{$key}
                       || !_is($item->{$key}, $schema->{$key});
            }

            return 1;
        }

        return $self->_wrong("$name is of type \"$type\"");
    }

    my $ok = $self->_shape($item, $schema, $name);

    $ok = $self->_wrong("$name: id is empty")
        if is_str($item->{id}) && $item->{id} eq '';

    if (is_str($item->{call_id})) {
        my $length = length $item->{call_id};

        $ok = $self->_wrong("$name: call_id has $length characters")
            if $length < 1 || $length > 64;

        # the same item is seen as it is added and as it is done
        my $owner = $self->{call_ids}{"$type $item->{call_id}"}
                        //= $item->{id};
        $ok = $self->_wrong("$name: call_id \"$item->{call_id}\" is that of"
                            . ' another item')
            if ($item->{id} // '') ne ($owner // '') && !$self->{lax};
    }

    if ($type eq 'function_call' && is_str($item->{name}) && !$self->{lax}) {
        $ok = $self->_wrong("$name: name \"$item->{name}\" cannot be sent"
                            . ' back')
            if $item->{name} !~ /\A[a-zA-Z0-9_-]{1,64}\z/;
    }

    $self->_mcp_error($item->{error}, "$name.error") or $ok = 0
        if $type eq 'mcp_call' && ref $item->{error} eq 'HASH';

    for my $list (qw( content summary output )) {
        my $parts = $item->{$list};
        next if ref $parts ne 'ARRAY';

        for my $i (0 .. $#$parts) {
            $self->_part($parts->[$i], "$name.$list" . "[$i]", "$type.$list")
                or $ok = 0;
        }
    }

    return $ok;
}


sub _mcp_error ($self, $error, $name) {
    my $schema = $MCP_ERROR{$error->{type} // ''};

    return $schema ? $self->_shape($error, $schema, $name)
                   : $self->_wrong("$name has no known type");
}


sub _part ($self, $part, $name, $place) {
    return $self->_wrong("$name is no object") if ref $part ne 'HASH';
    return $self->_wrong("$name has no type") if !is_str($part->{type});

    my $schema = $PART{$part->{type}}
        or return $self->_wrong("$name is of type \"$part->{type}\"");
    my $allowed = $ALLOWED_PARTS{$place};

    return $self->_wrong("$name: a $part->{type} in $place")
        if $allowed && $part->{type} !~ $allowed
           || !$allowed && $part->{type} eq 'input_video';

    my $ok = $self->_shape($part, $schema, $name);

    for my $i (0 .. $#{ ref $part->{annotations} eq 'ARRAY'
                        ? $part->{annotations} : [] })
    {
        $self->_annotation($part->{annotations}[$i], "$name.annotations[$i]")
            or $ok = 0;
    }

    $self->_logprobs($part->{logprobs}, "$name.logprobs") or $ok = 0
        if ref $part->{logprobs} eq 'ARRAY';

    return $ok;
}


sub _annotation ($self, $a, $name) {
    if (ref $a eq 'HASH' && is_str($a->{type})
        && $a->{type} ne 'url_citation')
    {
        return 1 if $self->{openai}
                    || $a->{type} =~ /:/ && $self->{opt}{extensions};
    }

    return $self->_shape($a, \%CITATION, $name);
}


sub _logprobs ($self, $list, $name) {
    my $ok = 1;

    return 1 if ref $list ne 'ARRAY';

    for my $i (0 .. $#$list) {
        my $p = $list->[$i];

        if (!$self->_shape($p, \%LOGPROB, $name . "[$i]")) {
            $ok = 0;
            next;
        }

        for my $top (@{ $p->{top_logprobs} }) {
            $self->_shape($top, \%TOP_LOGPROB, $name . "[$i].top_logprobs[]")
                or $ok = 0;
        }

        for my $bytes (map { $_->{bytes} } $p,
                       grep { ref eq 'HASH' } @{ $p->{top_logprobs} })
        {
            $ok = $self->_wrong($name . "[$i]: bytes are no bytes")
                if grep { !is_int($_) || $_ < 0 || $_ > 255 } @{ $bytes // [] };
        }
    }

    return $ok;
}


# of an error answer, or of an error event

sub _error_value ($self, $e, $event) {
    my $ok = $self->_shape($e, { type => 'str', code => 'str|null',
                                 message => 'str', param => 'str|null',
                                 $event ? ('?headers' => 'obj') : () },
                           'error');

    $ok = $self->_wrong("error.type is \"$e->{type}\"")
        if is_str($e->{type}) && !$self->{openai} && !$self->{lax}
           && !grep { $_ eq $e->{type} } @ERROR_TYPES;
    $ok = $self->_wrong('error.message is empty')
        if is_str($e->{message}) && $e->{message} eq '';

    for my $value (values %{ ref $e->{headers} eq 'HASH'
                             ? $e->{headers} : {} })
    {
        $ok = $self->_wrong('error.headers has a value that is no string')
            if !is_str($value);
    }

    return $ok;
}


# ---- shapes


sub _wrong ($self, $text) {
    push @{ $self->{errors} }, "$self->{where}: $text"
        if @{ $self->{errors} } < MAX_ERRORS;
    return 0;
}


# 1 if what the caller goes on to read is there; unknown keys are reported
# too, but do no harm

sub _shape ($self, $v, $schema, $name, $whole = 0) {
    my $ok = 1;

    return $self->_wrong("$name is no object") if ref $v ne 'HASH';

    for my $key (sort keys %$schema) {
        my $field = $key =~ s/\A\?//r;
        my $optional = $field ne $key;

        if (!exists $v->{$field}) {
            next if $optional;
            next if $field eq 'status' && $self->{lax}
                    && ($v->{type} // '') =~ /\A(?:reasoning|compaction)\z/;
            $ok = $self->_wrong("$name has no $field");
            next;
        }

        next if _is($v->{$field}, $schema->{$key});
        next if $self->{openai} && !defined $v->{$field} && $optional;
        next if $self->{openai} && $field eq 'schema';

        $ok = $self->_wrong("$name: $field must be $schema->{$key}, is "
                            . _show($v->{$field}));
    }

    if (!$self->{any_keys}) {
        for my $key (sort keys %$v) {
            next if exists $schema->{$key} || exists $schema->{"?$key"};
            $self->_wrong("$name has an unknown key \"$key\"");
        }
    }

    return $ok || $whole;
}


sub _is ($v, $types) {
    for my $t (split /\|/, $types) {
        return 1 if $t eq 'any';
        return 1 if $t eq 'null' && !defined $v;
        return 1 if $t eq 'str' && is_str($v);
        return 1 if $t eq 'int' && is_int($v);
        return 1 if $t eq 'num' && is_num($v);
        return 1 if $t eq 'bool' && is_bool($v);
        return 1 if $t eq 'arr' && ref $v eq 'ARRAY';
        return 1 if $t eq 'obj' && ref $v eq 'HASH';
        return 1 if $t eq 'status' && is_str($v)
                    && grep { $_ eq $v } @STATUS;
        return 1 if $t =~ /\A=(.*)/ && is_str($v) && $v eq $1;
    }

    return 0;
}


sub _show ($v) {
    return substr eval { json_encode($v) } // 'something else', 0, 60;
}


sub _differ ($self, $x, $y, $name, $what) {
    return if same_value($x, $y);

    $self->_wrong("$name is not $what: " . _first_difference($x, $y));
}


sub _first_difference ($x, $y) {
    if (ref $x eq 'HASH' && ref $y eq 'HASH') {
        for my $k (sort keys %{ { %$x, %$y } }) {
            next if exists $x->{$k} && exists $y->{$k}
                    && same_value($x->{$k}, $y->{$k});
            return "$k is " . (exists $x->{$k} ? _show($x->{$k}) : 'absent')
                   . ' and '
                   . (exists $y->{$k} ? _show($y->{$k}) : 'absent');
        }
    }

    return _show($x) . ' and ' . _show($y);
}


1;
