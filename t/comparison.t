#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Graphlit's document asks for a "comparison test: the same prompt by both
# paths, the same final message".  Each case of t/data/edges that a client of
# Chat Completions can have as well is asked for by chat/completions and by
# responses, as a stream and at once: text, refusal, calls and usage are the
# same.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Adapter;
use ORS::Edge qw( edges );
use ORS::HTTP qw( request );
use ORS::JSON qw( json_decode );
use ORS::Stream qw( response_ok stream_ok );

# rules about what a Chat client would not make sense of, and the gateway does

my %mended = (
    E42 => 'names and ids that come again', E43 => 'ids and names of servers',
    E44 => 'indexes of calls', E49 => 'choices without an index',
    E51 => 'errors within a stream', E52 => 'errors within a stream',
    E56 => 'lists as content', E57 => 'thoughts in tags',
    E61 => 'a message that is sent again', E63 => 'counts that do not add up',
    E65 => 'calls of what was not offered',
);

my (%places, %gateway, %target, %scripts, @cases);

for my $case (edges()) {

    # conversations, refused requests and broken answers are no Chat client's

    next if $case->{earlier} || $case->{refused} || $case->{cut}
            || $case->{status} || $case->{type} || $mended{$case->{rule}};

    my $conf = ($case->{gateway} // '') . "\0" . ($case->{target} // '');
    my $place = $places{$conf} //= 'pair' . keys %places;

    $gateway{$place} = $case->{gateway} if defined $case->{gateway};
    $target{$place} = $case->{target} // '';

    for my $type (qw( bytes document )) {
        next if !defined $case->{$type};

        my $name = "$case->{name}, $type";

        $scripts{$name} = [ [ header => 'Content-Type',
                              $type eq 'bytes' ? 'text/event-stream'
                                               : 'application/json' ],
                            [ 'head' ], [ raw => $case->{$type} ] ];
        push @cases, { %$case, place => $place, script => $name,
                       stream => $type eq 'bytes' };
    }
}

my $a = ORS::Adapter->new(scripts => \%scripts, conf => \%gateway,
                          target => \%target);


sub ask ($case, $endpoint, $body) {
    my $stream = $case->{stream} ? 'true' : 'false';

    return request($a->port, 'POST', "/$case->{place}/$endpoint",
        { 'Content-Type' => 'application/json',
          'X-Script' => $case->{script} },
        $body =~ s/\A\s*\{/{"model":"m","stream":$stream,/r);
}


# messages or chunks of the first choice put together

sub chat ($r, $stream) {
    my @parts = $stream
        ? map { json_decode($_) }
          grep { $_ ne '[DONE]' } $r->{body} =~ /^data: (.*)$/gm
        : json_decode($r->{body});
    my %is = (text => '', refusal => '');
    my @calls;

    for my $part (@parts) {
        my ($choice) = grep { !$_->{index} } @{ $part->{choices} // [] };
        my $said = $choice->{message} // $choice->{delta} // {};

        $is{text} .= $said->{content} // '';
        $is{refusal} .= $said->{refusal} // '';
        $is{usage} = usage($part->{usage}, 'prompt_tokens',
                           'completion_tokens') if $part->{usage};

        for my $piece (@{ $said->{tool_calls} // [] }) {
            my $call = $calls[$piece->{index} // @calls] //= {};

            $call->{$_} .= $piece->{function}{$_} // ''
                for qw( name arguments );
        }
    }

    return { %is, calls => [ map { [ @$_{qw( name arguments )} ] } @calls ] };
}

sub response ($r) {
    my %is = (text => '', refusal => '', calls => [],
              usage => usage($r->{usage}, 'input_tokens', 'output_tokens'));

    for my $item (@{ $r->{output} }) {
        push @{ $is{calls} }, [ join('__', grep { defined }
                                     @$item{qw( namespace name )}),
                                $item->{arguments} ]
            if $item->{type} eq 'function_call';

        next if $item->{type} ne 'message';

        $is{text} .= $_->{text} // '' for @{ $item->{content} };
        $is{refusal} .= $_->{refusal} // '' for @{ $item->{content} };
    }

    return \%is;
}

sub usage ($usage, $in, $out) {
    return undef if !$usage;

    return [ @$usage{$in, $out, 'total_tokens'},
             $usage->{"${in}_details"}{cached_tokens} // 0,
             $usage->{"${out}_details"}{reasoning_tokens} // 0 ];
}


my $same = 0;

for my $case (@cases) {
    my $chat = ask($case, 'chat/completions', $case->{sent}
        // '{"messages":[{"role":"user","content":"hi"}]}');
    my $r = ask($case, 'responses', $case->{request} // '{"input":"hi"}');

    next if $chat->{status} != 200 || $r->{status} != 200;

    my @how = ($case->{script}, flavor => 'openai');
    my $s = $case->{stream} ? stream_ok($r, @how) : response_ok($r, @how);

    $same++;

    # custom tools are functions for a Chat client

    next if grep { $_->{type} eq 'custom_tool_call' } @{ $s->items };

    my $is = response($s->response);
    my $expected = chat($chat, $case->{stream});

    delete $is->{usage} if !$expected->{usage};
    is_deeply($is, $expected, "$case->{script}: the same");
}

cmp_ok($same, '>=', 60, 'cases');

$a->finish;
done_testing();
