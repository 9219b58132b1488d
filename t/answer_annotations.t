#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Annotations and logprobs of model servers, in documents and in streams.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Adapter;
use ORS::Model qw( :all );
use ORS::Stream qw( stream_ok );

my %ask = (include => [ 'message.output_text.logprobs' ]);
my %scripts;


sub cite ($url, %o) {
    return { type => 'url_citation', url_citation => {
                 url => $url, title => 't', start_index => 0, end_index => 2,
                 %o } };
}


sub cited ($url) {
    return { type => 'url_citation', url => $url, title => 't',
             start_index => 0, end_index => 2 };
}


sub token ($token, %o) {
    return { token => $token, logprob => -0.25, %o };
}


# the same in a response

sub probable ($token, %o) {
    return { bytes => [], top_logprobs => [], %{ token($token, %o) } };
}


sub chunk ($text, @tokens) {
    my $chunk = chat_chunk(content => $text);
    $chunk->{choices}[0]{logprobs} = { content => \@tokens, refusal => undef };
    return $chunk;
}


sub stream (@chunks) {
    return [ sse_head(), (map { [ sse => $_ ] } @chunks,
                          chat_chunk(finish => 'stop')), [ 'done' ] ];
}


my $broken = cite('x', end_index => undef);

$scripts{cite} = stream(
    chat_chunk(content => 'So.'),
    chat_chunk(content => '', delta => { annotations => [ cite('u') ] }),
    chat_chunk(delta => { annotations => [ $broken, cite('v') ] }));
$scripts{'cite-json'} = json_script(chat_reply(
    content => 'So.',
    message => { annotations => [ cite('u'), $broken, cite('v') ] }));

my @top = map { { token => $_, logprob => -2, bytes => undef } } qw( a b );
my @tokens = (token('So', bytes => [ 83, 111 ], top_logprobs => \@top),
              token('', bytes => undef), token('.'));

$scripts{tokens} = stream(chunk('So', $tokens[0]), chunk('', $tokens[1]),
                          chunk('.', $tokens[2]));

my $reply = chat_reply(content => 'So.');
$reply->{choices}[0]{logprobs} = { content => \@tokens };
$scripts{'tokens-json'} = json_script($reply);


my $a = ORS::Adapter->new(scripts => \%scripts);

for my $script (qw( cite cite-json )) {
    my ($s, $d) = $a->answer($script, $script);
    my $want = [ cited('u'), cited('v') ];

    is_deeply($_->items->[0]{content}[0]{annotations}, $want,
              "$script: annotations") for $s, $d;

    my @events = map { $_->{data} }
                 grep { $_->{type} =~ /annotation[.]added/ } @{ $s->events };

    is_deeply([ map { [ @$_{qw( annotation_index annotation )} ] } @events ],
              [ map { [ $_, $want->[$_] ] } 0, 1 ],
              "$script: an event for each");
}

ok($a->nginx->wait_log(qr/sent 1 annotations that are left out/),
   'a broken annotation is logged');

for my $script (qw( tokens tokens-json )) {
    my ($s, $d) = $a->answer($script, "E60: $script", body => \%ask);
    my $want = [ probable('So', bytes => [ 83, 111 ],
                          top_logprobs => [ map { { %$_, bytes => [] } }
                                            @top ]),
                 probable(''), probable('.') ];

    is_deeply($_->items->[0]{content}[0]{logprobs}, $want,
              "E60: $script: logprobs") for $s, $d;

    is_deeply([ map { @{ $_->{data}{logprobs} } }
                grep { $_->{type} eq 'response.output_text.delta' }
                @{ $s->events } ], $want, "E60: $script: those of the deltas");

    ($s, $d) = $a->answer($script, "$script, not asked for");

    is_deeply($_->items->[0]{content}[0]{logprobs}, [],
              "$script, not asked for: none") for $s, $d;
}


$a->finish;

done_testing();
