#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Client and model server may each speak in a stream or in one document: the
# result is the same in all four ways.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Adapter qw( nameless );
use ORS::JSON qw( json_true json_false );
use ORS::Model qw( :all );
use ORS::Stream qw( stream_ok response_ok );

my $f = { id => 'call_f', name => 'f', arguments => '{"x":1}' };
my $g = { id => 'call_g', name => 'g', arguments => '{"y":[1e400,-0]}' };

# options of chat_stream(), with "text" as "content" of chat_reply()

my %answers = (
    'a text' => [ text => 'Hello' ],
    'an empty text' => [ text => '' ],
    'nothing' => [],
    'odd characters' => [ text => "\x{0}\x{7f}\x{e9}\x{20ac}\x{1f600}\"\\/\n"
                                  . "\r\t\x{2028}</script>" ],
    'a long text' => [ text => join ' ', 1 .. 20_000 ],
    'a refusal' => [ refusal => 'No.' ],
    'a text and a refusal' => [ text => 'Well', refusal => 'no.' ],
    'reasoning' => [ reasoning => 'Hm', text => 'Hello' ],
    'reasoning alone' => [ reasoning => 'Hm' ],
    'a call' => [ tool_calls => [ $f ] ],
    'two calls' => [ tool_calls => [ $f, $g ] ],
    'a text and calls' => [ text => 'Look', tool_calls => [ $g, $f ] ],
    'all of it' => [ reasoning => 'Hm', text => 'Look', refusal => 'No.',
                     tool_calls => [ $f, $g ] ],
    'a call without an id' => [ tool_calls => [ { name => 'f',
                                                  arguments => '{}' } ] ],
    'arguments that are no JSON' => [ tool_calls => [ { %$f,
                                      arguments => 'x = "1' } ] ],
    'a text that is cut' => [ text => 'Hel', finish => 'length' ],
    'a call that is cut' => [ text => 'Look', finish => 'length',
                              tool_calls => [ $f, { %$g,
                                              arguments => '{"y' } ] ],
    'a filter' => [ text => 'Hel', finish => 'content_filter' ],
    'a filter at once' => [ finish => 'content_filter' ],
    'no usage' => [ text => 'Hello', usage => undef ],
    'all of the usage' => [ text => 'Hello', usage => chat_usage(
        prompt_tokens_details => { cached_tokens => 3 },
        completion_tokens_details => { reasoning_tokens => 1 }) ],
);

my %scripts;

for my $name (keys %answers) {
    my %o = @{ $answers{$name} };

    $scripts{"$name, stream"} = stream_script(%o);
    $scripts{"$name, pieces"} = stream_script(%o, map { ref $o{$_} ? ()
        : $_ eq 'finish' ? () : ($_ => [ split /(?<=.)/s, $o{$_} ]) }
        grep { defined $o{$_} && length $o{$_} < 100 } keys %o);
    $scripts{"$name, JSON"} = json_script(chat_reply(
        %o, content => delete $o{text}));
}

my $a = ORS::Adapter->new(scripts => \%scripts);


# the whole document, without what is made up for it

sub essence ($r) {
    my %is = %$r;

    delete @is{qw( id created_at completed_at )};
    $is{output} = nameless($r->{output});

    return \%is;
}


for my $name (sort keys %answers) {
    my %o = @{ $answers{$name} };
    my $status = $o{finish} ? 'incomplete' : 'completed';
    my $parallel = @{ $o{tool_calls} // [] } > 1 ? json_true : json_false;
    my $first;

    for my $server ('stream', 'pieces', 'JSON') {
        for my $stream (1, 0) {
            my $way = "$name, $server, " . ($stream ? 'events' : 'document');
            my $r = $a->ask("$name, $server", stream => $stream, body => {
                instructions => 'Be brief.', temperature => 0.5,
                metadata => { a => 'b' }, parallel_tool_calls => $parallel,
                tools => [ map { { type => 'function', name => $_ } }
                           qw( f g ) ] });
            my @o = ($way, expect => $status);
            my $s = $stream ? stream_ok($r, @o) : response_ok($r, @o);
            my $is = essence($s->response);

            is_deeply($is, $first //= $is, "$way: the same result");
        }
    }

    is_deeply($first->{parallel_tool_calls}, $parallel,
              "$name: parallel_tool_calls is echoed");

    my @items = map { $_->{type} eq 'message'
                      ? map { $_->{text} // $_->{refusal} } @{ $_->{content} }
                      : $_->{summary}[0]{text} // $_->{arguments} }
                @{ $first->{output} };
    my @want = ($o{reasoning} // (),
                (grep { defined && length } @o{qw( text refusal )}),
                map { $_->{arguments} } @{ $o{tool_calls} // [] });

    is_deeply(\@items, @want ? \@want : [ '' ], "$name: what it says");
}


# the wrong form of an answer is read as what it is

for my $script ('a text, stream', 'a text, JSON') {
    for my $stream (1, 0) {
        my $r = $a->ask($script, stream => $stream);
        my $sent = $a->model->last_request->{json};

        is(!!$sent->{stream}, !!$stream, "$script: what the model was asked");
        is($r->{headers}{'content-type'},
           $stream ? 'text/event-stream' : 'application/json',
           "$script: what the client gets");
    }
}

$a->finish;

done_testing();
