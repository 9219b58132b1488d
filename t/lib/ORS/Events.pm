package ORS::Events;

# Copyright (C) Open Responses contributors
#
# Events of a stream, as ORS::Stream knows them: their keys, their order, and
# that their contents agree.  $self->{state} is START, CREATED, QUEUED, IDLE
# (between items), ITEM(type), ERR (after an error event) or TERM; {item} is
# the open item with its open part, {items} are the finished ones.

use v5.36;
use parent qw( ORS::Schema );
use Exporter qw( import );
use File::Basename qw( dirname );
use ORS::JSON qw( is_int is_str same_text same_value );
use ORS::Util qw( slurp );

our @EXPORT_OK = qw( event_types rows );

my %IN_PART = (item_id => 'str', output_index => 'int',
               content_index => 'int');
my %IN_SUMMARY = (item_id => 'str', output_index => 'int',
                  summary_index => 'int');
my %IN_ITEM = (item_id => 'str', output_index => 'int');
my %LOGPROBS = ('?logprobs' => 'arr');
my %PADDING = ('?obfuscation' => 'str');

# names are those of the book, src/base/ngx_ors_book.h: the columns of each row

sub rows ($list) {
    state $book = slurp(dirname(__FILE__)
                        . '/../../../src/base/ngx_ors_book.h');

    my ($rows) = $book =~ /^#define NGX_ORS_$list\(row\)(.*?[^\\])$/ms
        or die "no NGX_ORS_$list in the book";

    return map { [ split(/, */, s/ *\\\n *//gr) ] }
           $rows =~ /\brow\((.*?)\)/gs;
}

sub text_events ($in) {
    return map { ("response.$_->[0]_$_->[2].delta"
                      => { %IN_ITEM, delta => 'str', %PADDING },
                  "response.$_->[0]_$_->[2].done"
                      => { %IN_ITEM, $_->[2] => 'str' }) }
           grep { $_->[3] eq $in } rows('TEXTS');
}

my %EVENT = (
    (map { ("response.$_" => { response => 'obj' }) }
     qw( created queued in_progress completed incomplete )),
    'response.failed' => { response => 'obj', '?error' => 'obj' },
    (map { ("response.output_item.$_" => { output_index => 'int',
                                           item => 'obj' }) }
     qw( added done )),
    (map { ("response.content_part.$_" => { %IN_PART, part => 'obj' }) }
     qw( added done )),
    (map { ("response.reasoning_summary_part.$_" => { %IN_SUMMARY,
                                                      part => 'obj' }) }
     qw( added done )),
    'response.output_text.delta'
        => { %IN_PART, delta => 'str', %LOGPROBS, %PADDING },
    'response.output_text.done' => { %IN_PART, text => 'str', %LOGPROBS },
    'response.output_text.annotation.added'
        => { %IN_PART, annotation_index => 'int', annotation => 'obj' },
    'response.refusal.delta' => { %IN_PART, delta => 'str' },
    'response.refusal.done' => { %IN_PART, refusal => 'str' },
    'response.reasoning.delta' => { %IN_PART, delta => 'str', %PADDING },
    'response.reasoning.done' => { %IN_PART, text => 'str' },
    'response.reasoning_summary_text.delta'
        => { %IN_SUMMARY, delta => 'str', %PADDING },
    'response.reasoning_summary_text.done'
        => { %IN_SUMMARY, text => 'str' },
    text_events('ALL'),
    'error' => { error => 'obj' },
);

# only with flavor => 'openai'

my %OPENAI_EVENT = (
    'response.reasoning_text.delta' => $EVENT{'response.reasoning.delta'},
    'response.reasoning_text.done' => $EVENT{'response.reasoning.done'},
    text_events('OPENAI'),
    'response.refusal.delta' => { %IN_PART, delta => 'str', %PADDING },
);

# how far a hosted tool is, by its item and the event; what comes late is one
# of an earlier step

my %FAR = (begun => 1, busy => 2, over => 3);

my %STEP = map { my ($item, $status, $step) = @$_;
                 ("response.$item.$status"
                      => [ $item, $FAR{$step},
                           $step eq 'over' ? $status : () ]) }
           grep { $_->[0] ne 'image_generation_call' } rows('STEPS');

$OPENAI_EVENT{$_} = { %IN_ITEM } for keys %STEP;

# items whose own text has events: where they say it, and the item keeps it

my %TEXT_EVENT = map { ("response.$_->[0]_$_->[2]" => [ @$_[0, 2] ]) }
                 rows('TEXTS');

my %TEXT_OF = map { @$_ } values %TEXT_EVENT;

# which part type an event belongs to, and where its text is

my %PART_EVENT = map { my ($type, $event, $text) = @$_;
                       ("response.$event.delta" => [ $type, 'delta' ],
                        "response.$event.done" => [ $type, $text ]) }
                 rows('PARTS'), rows('PARTS_OPENAI');

# the parts that an item of a type may have

my %PARTS_OF = (
    message => qr/./,
    reasoning => qr/\A(?:reasoning_text|summary_text)\z/,
);


sub event_types ($openai) {
    return { %EVENT, $openai ? %OPENAI_EVENT : () };
}


# ---- one event: its own shape, then its place


sub _event ($self, $type, $data) {
    $self->_sequence($data->{sequence_number});

    my $schema = $self->{event_schema}{$type};

    if (!$schema) {
        return if $type =~ /\A[a-z0-9_.-]+:.+/ && $self->{opt}{extensions};

        # events of other tools about their item
        return $self->_foreign_event($type, $data)
            if $self->{openai} && $type =~ /\Aresponse\./;

        return $self->_wrong('no such event type');
    }

    $self->_shape($data, { type => 'str', sequence_number => 'int',
                           %$schema }, 'event') or return;

    $self->_padding($data, $schema->{'?obfuscation'})
        if defined $self->{opt}{padded};

    my $ok = 1;

    $ok = $self->_part($data->{part}, 'part', $type) if $data->{part};
    $ok &&= $self->_annotation($data->{annotation}, 'annotation')
        if $data->{annotation};
    $ok &&= $self->_logprobs($data->{logprobs}, 'logprobs')
        if $data->{logprobs};

    # beside a response that has failed there may be the response's own

    $ok &&= $self->_error_value($data->{error}, 1)
        if $data->{error} && !$data->{response};
    $self->_wrong("the error is another than the response's")
        if $data->{error} && ref $data->{response}
           && !same_value($data->{error}, $data->{response}{error});

    # an item or a response with a small fault still counts in the order
    if ($data->{item}) {
        $self->_item($data->{item}, 'item');
        $ok &&= is_str($data->{item}{type}) && is_str($data->{item}{id});
    }

    return $self->_ended if $self->{state} eq 'TERM';

    if ($data->{response}) {
        $self->_state_event($type =~ s/\Aresponse\.//r, $data->{response});

    } elsif ($type eq 'error') {
        $self->_error_event($data);

    } elsif ($ok) {
        $self->_delta_event($type, $data);
    }
}


# a text and what is known of it, and the padding: a multiple of 64 bytes

sub _padding ($self, $data, $may) {
    my $padding = $data->{obfuscation};

    return $self->_wrong(defined $padding ? 'padding nobody asked for'
                                          : 'no padding')
        if defined $padding xor $may && $self->{opt}{padded};

    return if !defined $padding;

    my ($inside) = $self->{events}[-1]{raw}
                   =~ /"delta":"(.*),"obfuscation":"[\w-]+"\}\z/s;

    return $self->_wrong('padding in the wrong place') if !defined $inside;

    utf8::encode($inside) if utf8::is_utf8($inside);

    $self->_wrong('padded to ' . length($inside . $padding) . ' bytes')
        if length($inside . $padding) % 64;
}


sub _sequence ($self, $n) {
    return $self->_wrong('no integer sequence_number') if !is_int($n);

    my $due = $self->{sequence};

    $due //= $self->{lax} ? $n : 0;
    $self->_wrong("sequence_number is $n, not $due") if $n != $due;
    $self->{sequence} = $n + 1;
}


sub _ended ($self) {
    return $self->_wrong('an event after the terminal event');
}


sub _state_event ($self, $status, $r) {
    my $state = $self->{state};
    my $terminal = $status =~ /\A(?:completed|incomplete|failed)\z/;

    $self->_response($r);
    $self->_snapshot($r, $terminal);
    $self->_same_as_before($r);

    my $is = $r->{status} // '';

    if ($status eq 'created') {
        $self->_wrong('created is not the first event')
            if $state ne 'START';
        $self->_wrong("status is \"$is\"")
            if $is ne 'in_progress' && $is ne 'queued';
        $self->{state} = 'CREATED';

    } elsif ($status eq 'queued') {
        $self->_wrong("queued in state $state") if $state ne 'CREATED';
        $self->_wrong("status is \"$is\"") if $is ne 'queued';
        $self->{state} = 'QUEUED';

    } elsif ($status eq 'in_progress') {
        $self->_wrong("in_progress in state $state")
            if $state ne 'CREATED' && $state ne 'QUEUED';
        $self->_wrong("status is \"$is\"") if $is ne 'in_progress';
        $self->{state} = 'IDLE';
    }

    if (!$terminal) {
        $self->_wrong('output is not empty')
            if ref $r->{output} eq 'ARRAY' && @{ $r->{output} };
        $self->_wrong('usage is not null') if defined $r->{usage};
        return;
    }

    $self->_wrong("status is \"$is\"") if $is ne $status;
    $self->_terminal($status, $r, $state);

    $self->{response} = $r;
    $self->{state} = 'TERM';
}


sub _terminal ($self, $status, $r, $state) {
    if ($status eq 'failed') {
        $self->_wrong("failed in state $state") if $state eq 'START';
        $self->_wrong('failed without an error event')
            if $state ne 'ERR' && !$self->{lax};

        my ($code, $said) = (ref $r->{error} eq 'HASH' ? $r->{error}{code}
                             : undef, $self->{error_event});

        $self->_wrong("its code is \"$code\", the error event said"
                      . " \"$said->{code}\"")
            if $said && is_str($said->{code}) && is_str($code)
               && $code ne $said->{code};

    } else {
        $self->_wrong("$status in state $state")
            if $state ne 'IDLE' && $state !~ /\AITEM/;
        $self->_wrong("item $self->{item}{id} is not finished")
            if $state =~ /\AITEM/ && $self->{item};
    }

    return if ref $r->{output} ne 'ARRAY';

    my @done = @{ $self->{items} };
    my @out = @{ $r->{output} };

    # a response that has failed in between has no place for an incomplete item
    @done = grep { ($_->{status} // '') ne 'incomplete' } @done
        if $status eq 'failed' && $self->{opt}{lax};

    $self->_wrong('an incomplete item, but the response is ' . $status)
        if $status ne 'incomplete'
           && grep { ($_->{status} // '') eq 'incomplete' } @done;

    $self->_wrong('output has ' . @out . ' items, finished are ' . @done)
        if @out != @done;

    for my $i (0 .. $#out) {
        last if $i > $#done;
        $self->_differ($out[$i], $done[$i], "output[$i]",
                       'its output_item.done');
    }
}


sub _error_event ($self, $data) {
    my $state = $self->{state};

    $self->_wrong("error in state $state")
        if $state eq 'START' || $state eq 'ERR';

    $self->{error_event} = $data->{error};
    $self->{state} = 'ERR';
}


sub _delta_event ($self, $type, $data) {
    my $state = $self->{state};

    return $self->_item_added($data) if $type eq 'response.output_item.added';

    return $self->_wrong("in state $state, no item is open")
        if $state !~ /\AITEM/;

    my $item = $self->{item};

    $self->_wrong("output_index is $data->{output_index}, not $item->{index}")
        if $data->{output_index} != $item->{index};
    $self->_wrong("item_id is \"$data->{item_id}\", not \"$item->{id}\"")
        if exists $data->{item_id} && $data->{item_id} ne $item->{id};

    return $self->_item_done($data) if $type eq 'response.output_item.done';

    return $self->_step($data, @{ $STEP{$type} }) if $STEP{$type};

    return $self->_arguments($type, $data)
        if $TEXT_EVENT{$type =~ s/\.(?:delta|done)\z//r};

    return $self->_part_added($type, $data) if $type =~ /_part\.added\z/;

    my $part = $item->{part}
        or return $self->_wrong('no part is open');
    my $index = $part->{list} eq 'summary' ? 'summary_index'
                                           : 'content_index';

    return $self->_wrong("the open part has a $index")
        if !exists $data->{$index};

    $self->_wrong("$index is $data->{$index}, not $part->{index}")
        if $data->{$index} != $part->{index};

    return $self->_part_done($type, $data) if $type =~ /_part\.done\z/;

    return $self->_annotation_added($data) if $type =~ /annotation\.added\z/;

    my ($part_type, $key) = @{ $PART_EVENT{$type} };

    return $self->_wrong("the open part is of type $part->{type}")
        if $part->{type} ne $part_type;
    return $self->_wrong('the text of this part was done')
        if defined $part->{done};

    if ($key eq 'delta') {
        $self->_wrong('an empty delta')
            if $data->{delta} eq '' && !@{ $data->{logprobs} // [] }
               && !$self->{lax};
        $part->{text} .= $data->{delta};
        $part->{deltas}++;
        push @{ $part->{logprobs} }, @{ $data->{logprobs} // [] };
        return;
    }

    $part->{done} = $data->{$key};
    $self->_wrong("$key is not the sum of the deltas")
        if !same_text($data->{$key}, $part->{text});
    $self->_same_logprobs($data, $part);
}


# ---- items and what is in them


sub _item_added ($self, $data) {
    my $new = $data->{item};
    my $n = $self->{added} // 0;

    if ($self->{state} =~ /\AITEM/) {
        $self->_wrong("item $self->{item}{id} is still open");

    } elsif ($self->{state} ne 'IDLE') {
        $self->_wrong("in state $self->{state}");
    }

    $self->_wrong("after the incomplete item $self->{incomplete}")
        if defined $self->{incomplete};
    $self->_wrong("output_index is $data->{output_index}, not $n")
        if $data->{output_index} != $n;
    $self->_wrong("status is \"$new->{status}\"")
        if defined $new->{status} && $new->{status} ne 'in_progress'
           && $self->{item_schema}{$new->{type}};
    $self->_wrong("id \"$new->{id}\" was used before")
        if $self->{ids}{$new->{id}}++;

    $self->_wrong("no call \"$new->{call_id}\" before its output")
        if $new->{type} eq 'function_call_output' && !$self->{lax}
           && !grep { $_->{type} eq 'function_call'
                      && ($_->{call_id} // '') eq ($new->{call_id} // '') }
                   @{ $self->{items} };

    # zero values, filled by events
    for my $key (qw( content summary )) {
        $self->_wrong("$key is not empty")
            if ref $new->{$key} eq 'ARRAY' && @{ $new->{$key} };
    }

    for my $key (qw( arguments input )) {
        $self->_wrong("$key is not empty")
            if is_str($new->{$key}) && $new->{$key} ne ''
               && $new->{type} =~ /_call\z/;
    }

    $self->{added} = $n + 1;
    $self->{state} = "ITEM($new->{type})";
    $self->{item} = { id => $new->{id}, type => $new->{type}, index => $n,
                      added => $new, text => '', lists => {} };
}


sub _item_done ($self, $data) {
    my $open = $self->{item};
    my $item = $data->{item};
    my $added = $open->{added};

    $self->{state} = 'IDLE';
    $self->{item} = undef;
    push @{ $self->{items} }, $item;

    $self->_wrong('part ' . $open->{part}{index} . ' is still open')
        if $open->{part};

    for my $key (qw( id type role call_id name phase )) {
        my ($was, $is) = ($added->{$key}, $item->{$key});

        $self->_wrong("$key is not that of output_item.added")
            if (exists $added->{$key} || $key ne 'phase')
               && !same_value($was, $is);
    }

    my $status = $item->{status} // '';

    $self->_wrong("status is \"$status\"")
        if $status =~ /\A(?:in_progress|calling|searching|interpreting)\z/;
    $self->_stepped($item, $open) if !$self->{lax};
    $self->{incomplete} = $item->{id} if $status eq 'incomplete';

    if (my $key = $TEXT_OF{$open->{type}}) {
        $self->_wrong("no $key.done before") if !defined $open->{done};
        $self->_wrong("$key are not those of the done event")
            if defined $open->{done} && is_str($item->{$key})
               && !same_text($item->{$key}, $open->{done});
    }

    if ($open->{type} eq 'message') {
        $self->_same_parts($item, $open, 'content');

    } elsif ($open->{type} eq 'reasoning') {
        $self->_same_parts($item, $open, $_) for qw( content summary );
    }
}


sub _same_parts ($self, $item, $open, $list) {
    my $done = $open->{lists}{$list} // [];
    my $parts = $item->{$list} // [];

    return if ref $parts ne 'ARRAY';

    $self->_wrong("$list has " . @$parts . ' parts, finished are ' . @$done)
        if @$parts != @$done;

    for my $i (0 .. $#$parts) {
        last if $i > $#$done;
        $self->_differ($parts->[$i], $done->[$i], $list . "[$i]",
                       'its part.done');
    }
}


sub _arguments ($self, $type, $data) {
    my $open = $self->{item};
    my ($want, $key) = @{ $TEXT_EVENT{$type =~ s/\.\w+\z//r} };

    return $self->_wrong("the open item is a $open->{type}")
        if $open->{type} ne $want;
    return $self->_wrong("$key were done") if defined $open->{done};

    if ($type =~ /delta\z/) {
        $self->_wrong('an empty delta')
            if $data->{delta} eq '' && !$self->{lax};
        $open->{text} .= $data->{delta};
        return;
    }

    $open->{done} = $data->{$key};
    $self->_wrong("$key are not the sum of the deltas")
        if !same_text($data->{$key}, $open->{text});
}


# the progress of a hosted tool

sub _step ($self, $data, $want, $step, $end = undef) {
    my $open = $self->{item};
    my $at = $open->{step} // 0;

    return $self->_wrong("the open item is a $open->{type}")
        if $open->{type} ne $want;

    $self->_wrong($at == 3 ? 'the tool has ended' : 'an earlier step')
        if $step < $at || $at == 3;

    $open->{step} = $step;
    $open->{end} = $end;
}


# a tool that has ended says so, in events and in its item

sub _stepped ($self, $item, $open) {
    my @ends = grep { $_->[0] eq $open->{type} && $_->[1] == 3 } values %STEP;
    my $status = $item->{status} // ($item->{error} ? 'failed' : 'completed');

    return if !@ends;

    $self->_wrong("$open->{type} has not begun") if !$open->{step};

    return if !grep { $_->[2] eq $status } @ends;

    $self->_wrong("$open->{type} is $status, its events said "
                  . ($open->{end} // 'nothing'))
        if ($open->{end} // '') ne $status;
}


sub _part_added ($self, $type, $data) {
    my $open = $self->{item};
    my $part = $data->{part};
    my $summary = $type =~ /summary/;
    my ($list, $index) = $summary ? qw( summary summary_index )
                                  : qw( content content_index );
    my $n = $open->{count}{$list} // 0;

    return $self->_wrong("an item of type $open->{type} has no parts")
        if !$PARTS_OF{$open->{type}};

    $self->_wrong("a part of type $part->{type} in a $open->{type}")
        if $part->{type} !~ $PARTS_OF{$open->{type}}
           || $summary != ($part->{type} eq 'summary_text')
           || $open->{type} eq 'message' && $summary
           || $open->{type} eq 'message'
              && $part->{type} eq 'reasoning_text';
    $self->_wrong("part $open->{part}{index} is still open")
        if $open->{part};
    $self->_wrong("$index is $data->{$index}, not $n")
        if $data->{$index} != $n;

    for my $key (qw( text refusal )) {
        $self->_wrong("$key of the part is not empty")
            if is_str($part->{$key}) && $part->{$key} ne '';
    }

    for my $key (qw( annotations logprobs )) {
        $self->_wrong("$key of the part are not empty")
            if ref $part->{$key} eq 'ARRAY' && @{ $part->{$key} };
    }

    $open->{count}{$list} = $n + 1;
    $open->{part} = { type => $part->{type}, list => $list, index => $n,
                      text => '', deltas => 0, logprobs => [],
                      annotations => [] };
}


sub _part_done ($self, $type, $data) {
    my $open = $self->{item};
    my $part = delete $open->{part};
    my $is = $data->{part};
    my $key = $part->{type} eq 'refusal' ? 'refusal' : 'text';
    my $list = $type =~ /summary/ ? 'summary' : 'content';

    return $self->_wrong("the open part is in the $part->{list}")
        if $list ne $part->{list};

    push @{ $open->{lists}{$list} }, $is;

    return $self->_wrong("the part is of type $is->{type}, not $part->{type}")
        if $is->{type} ne $part->{type};

    $self->_wrong('the text of the part was not done')
        if !defined $part->{done} && $part->{deltas};
    $self->_wrong("$key of the part is not the sum of the deltas")
        if !same_text($is->{$key} // '', $part->{text});

    return if $part->{type} ne 'output_text';

    $self->_wrong('annotations of the part are not those announced')
        if !same_value($is->{annotations}, $part->{annotations})
           && !$self->{lax};
    $self->_same_logprobs($is, $part);
}


sub _annotation_added ($self, $data) {
    my $part = $self->{item}{part};
    my $n = @{ $part->{annotations} };

    return $self->_wrong("the open part is of type $part->{type}")
        if $part->{type} ne 'output_text';

    $self->_wrong("annotation_index is $data->{annotation_index}, not $n")
        if $data->{annotation_index} != $n;

    push @{ $part->{annotations} }, $data->{annotation};
}


# deltas with logprobs: the whole repeats them

sub _same_logprobs ($self, $whole, $part) {
    $self->_wrong('logprobs are not those of the deltas')
        if @{ $whole->{logprobs} // [] } + @{ $part->{logprobs} }
           && !same_value($whole->{logprobs}, $part->{logprobs});
}


# other tools' own events: they must belong to the open item

sub _foreign_event ($self, $type, $data) {
    my $item = $self->{item};

    return $self->_ended if $self->{state} eq 'TERM';
    return $self->_wrong('no such event type') if !exists $data->{item_id};

    $self->_wrong('no item is open') if !$item;
    $self->_wrong("item_id is \"$data->{item_id}\", not \"$item->{id}\"")
        if $item && (!is_str($data->{item_id})
                     || $data->{item_id} ne $item->{id});
    $self->_wrong("output_index is not $item->{index}")
        if $item && (!is_int($data->{output_index})
                     || $data->{output_index} != $item->{index});
}


1;
