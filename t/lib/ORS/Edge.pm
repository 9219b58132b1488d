package ORS::Edge;

# Copyright (C) Open Responses contributors
#
# The cases of t/data/edges, one file for each rule of the translation.  What
# stands before the first "===" is for people.
#
#     === the name of a case
#     gateway: open_responses_flavor openai;      (directives of the gateway
#     target: open_responses_chat_options think=on;        and of the target)
#     client: Accept: text/html                   (a header of the client)
#     --- request
#     {"input":"hi"}                              (with model and stream)
#     --- sent
#     {"model":"m","messages":[...]}              (what the model is asked)
#     --- chunks
#     {"choices":[...]}                           (its stream, an event a line)
#     [DONE]
#     --- document
#     {"choices":[...]}                           (its answer as a document)
#     --- answer
#     completed                                   (what the client gets, both
#     message text(Hello)                          times, see digest() below)
#
# Settings of what the model server sends: "status: 429", "type: text/html",
# "server: Retry-After: 7" (a header), "cut: yes" (its connection breaks in
# the end), "lines: crlf" (or cr), "mark: yes" (a byte order mark), "bare:
# yes" (no empty line in the end of a stream).
#
# Other parts: bytes (a stream as it is), streamed (what a client gets that
# wants a stream, if it is not "answer"), events (those from the first item
# on, see events() below), says and hides (texts, each in a line, that the
# client is or is not told), response (members of the response), refused (the
# request is a mistake: status, code, param).
#
# Conversations have more parts: "earlier" (requests that come first, one a
# line, and are stored; "previous_response_id":"1" names the response of the
# first line), and "model" (documents that answer them, one a line; without
# them the answer is "Hello").  "leaves: yes" makes a stream of the last of
# them, whose client closes its connection within a call; its line of
# "model" holds chunks, with blanks between them.
#
# t/translation_rules.t runs them through nginx, t/unit/turn/edges_test.c with
# the answers split at each byte.

use v5.36;
use Exporter qw( import );
use ORS::JSON qw( json_encode );
use ORS::Util qw( slurp );

no warnings qw( surrogate );

our @EXPORT_OK = qw( edges digest events canonical );

use constant DIR => 't/data/edges';

my %known = map { $_ => 1 } qw(
    gateway target client status type server cut lines mark bare leaves
    earlier model request sent chunks bytes document answer streamed events
    says hides response refused
);

my %known_more = map { $_ => 1 } qw( gateway target );


# all cases, in the order of the rules: each has rule (E38), name and what
# was said

sub edges () {
    my @files = sort { ($a =~ /(\d+)\.txt/)[0] <=> ($b =~ /(\d+)\.txt/)[0] }
                glob DIR . '/E*.txt';

    return map { _cases($_) } @files;
}


sub _cases ($file) {
    my ($rule) = $file =~ m{/(E\d+)\.txt\z} or die "$file: which rule?\n";
    my (undef, @texts) = split /^=== /m, slurp($file);

    return map { _case($rule, $_, $file) } @texts;
}


sub _case ($rule, $text, $file) {
    my ($head, @parts) = split /^--- /m, $text;
    my ($name, @settings) = split /\n/, $head;
    my %case = (rule => $rule, name => "$rule: $name");

    for my $setting (grep { length } @settings) {
        my ($key, $value) = $setting =~ /\A(\w+): (.+)\z/
            or die "$file: $setting\n";

        $case{$key} = defined $case{$key} && $known_more{$key}
                      ? "$case{$key} $value" : $value;
    }

    for my $part (@parts) {
        my ($key, $value) = $part =~ /\A(\w+)\n(.*?)\n*\z/s
            or die "$file: $part\n";

        $case{$key} = $value;
    }

    $known{$_} || $_ =~ /\A(?:rule|name)\z/ or die "$file: $name: $_?\n"
        for keys %case;

    $case{bytes} = _bytes(\%case) if defined($case{chunks} // $case{bytes});

    return \%case;
}


# the stream of the model server

sub _bytes ($case) {
    my $bytes = $case->{bytes} // join "\n\n", map { "data: $_" }
                                  grep { length } split /\n/, $case->{chunks};

    $bytes .= $case->{bare} ? "\n" : "\n\n";
    $bytes =~ s/\n/\r\n/g if ($case->{lines} // '') eq 'crlf';
    $bytes =~ s/\n/\r/g if ($case->{lines} // '') eq 'cr';
    $bytes = "\xef\xbb\xbf$bytes" if $case->{mark};

    return $bytes;
}


# a response in lines, one for its status and one for each item: the same that
# t/unit/check/check.h has.  An id made here is CALL; a control character is
# its picture, a half of a pair U+FFFD.

sub digest ($r) {
    return '' if !defined $r->{status};

    my $details = $r->{incomplete_details} // $r->{error} // {};
    my $why = $details->{reason} // $details->{code};

    return join "\n", $r->{status} . (defined $why ? " $why" : ''),
                (map { _printable(_item($_)) } @{ $r->{output} }),
                $r->{usage} ? _usage($r->{usage}) : ();
}


sub _item ($item) {
    my $mark = $item->{status} eq 'incomplete' ? '!' : '';
    my $type = $item->{type} =~ s/\A(function|custom).*/$1/r;

    if ($type =~ /function|custom/) {
        my $id = $item->{call_id} =~ s/\Acall_\w{20,}\z/CALL/r;

        return ($type eq 'custom' ? 'custom' : 'call') . "$mark "
               . (defined $item->{namespace} ? "$item->{namespace}/" : '')
               . "$item->{name}($id) "
               . ($item->{arguments} // $item->{input});
    }

    return join ' ', "$type$mark",
           map { _part($_) } @{ $item->{content} // $item->{summary} };
}


sub _part ($part) {
    return "refusal($part->{refusal})" if $part->{type} eq 'refusal';

    my $name = $part->{type} eq 'reasoning_text' ? 'thought' : 'text';

    return "$name($part->{text})"
           . _notes('+', $part->{annotations},
                    qw( type start_index end_index url title ))
           . _notes('-', $part->{logprobs},
                    qw( token logprob bytes top_logprobs ));
}


# annotations and probabilities as JSON, with their members in this order

sub _notes ($mark, $list, @keys) {
    return '' if !@{ $list // [] };

    return $mark . '[' . join(',', map {
        my $note = $_;

        '{' . join(',', map {
            my $value = ref $note->{$_} && @{ $note->{$_} }
                        && ref $note->{$_}[0]
                        ? _notes('', $note->{$_}, @keys[0 .. 2])
                        : json_encode($note->{$_});

            utf8::decode($value);
            "\"$_\":$value";
        } @keys) . '}';
    } @$list) . ']';
}


sub _usage ($u) {
    my $cached = $u->{input_tokens_details}{cached_tokens};
    my $thought = $u->{output_tokens_details}{reasoning_tokens};

    return "usage $u->{input_tokens}" . ($cached ? "($cached)" : '')
           . "+$u->{output_tokens}" . ($thought ? "($thought)" : '')
           . "=$u->{total_tokens}";
}


# "response." is left out, and what follows is the text

sub events ($s) {
    my @events = @{ $s->events };

    shift @events while @events && $events[0]{type} !~ /output_item|error/;

    return join "\n", map {
        my $data = $_->{data};
        my $text = $data->{delta} // $data->{text} // $data->{arguments}
                   // $data->{input} // $data->{refusal};

        _printable(($_->{type} =~ s/\Aresponse\.//r)
                   . (defined $text ? " $text" : ''));
    } @events;
}


sub _printable ($text) {
    $text =~ s/([\x00-\x1f])/chr(0x2400 + ord $1)/ge;
    $text =~ s/[\x{d800}-\x{dfff}]/\x{fffd}/g;
    utf8::encode($text);

    return $text;
}


# JSON without white space, the members of objects in order: all else as it
# was written

sub canonical ($json) {
    my @tokens = $json =~ /"(?:[^"\\]|\\.)*+"|[^\s",:\[\]{}]+|[\[\]{},:]/gs;

    return _canonical(\@tokens);
}


sub _canonical ($tokens) {
    my $first = shift @$tokens // die "not JSON\n";
    my $last = { '[' => ']', '{' => '}' }->{$first} // return $first;
    my @values;

    while (($tokens->[0] // $last) ne $last) {
        my $key = $last eq '}' ? shift(@$tokens) . shift @$tokens : '';

        push @values, $key . _canonical($tokens);
        shift @$tokens if $tokens->[0] eq ',';
    }

    shift @$tokens;
    @values = sort @values if $last eq '}';

    return $first . join(',', @values) . $last;
}


1;
