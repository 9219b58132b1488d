#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# OpenAI's SDKs in long conversations by previous_response_id.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::JSON qw( json_decode );
use ORS::Model qw( chat_reply json_script stream_script );
use ORS::Redis ();
use ORS::SDK qw( node_tests python_tests );
use ORS::Talk ();

my $redis = ORS::Redis->new;

for my $engine ([ 'lmdb', 'lmdb:%%TESTDIR%%/store' ],
                [ 'redis', 'redis:' . $redis->address ])
{
    my ($name, $store) = @$engine;
    my $talk = ORS::Talk->new(store => $store,
                              scripts => { default => \&steps });
    my $gateway = { front => $talk->nginx->address, model => $talk->model };

    node_tests('chain.mjs', $_, $gateway) for qw( openai openai6 );
    python_tests('chain_test.py', $gateway);

    $talk->nginx->finish("$name: nginx is well at the end");
}

done_testing();


# "N steps": calls until there are N outputs, each after its call

sub steps ($conn, $request) {
    my $body = json_decode($request->{body});
    my ($n) = map { $_->{content} =~ /\A(\d+) steps?\z/ ? $1 : () }
              grep { $_->{role} eq 'user' } @{ $body->{messages} };
    my @calls = map { @{ $_->{tool_calls} // [] } } @{ $body->{messages} };
    my @done = grep { $_->{role} eq 'tool' } @{ $body->{messages} };
    my $wrong = grep { $done[$_]{tool_call_id} ne $calls[$_]{id}
                       || $done[$_]{content} ne 'done ' . ($_ + 1) }
                0 .. $#done;
    my $next = @done + 1;
    my %say = $wrong || @calls != @done ? (content => 'a chain is broken')
            : @done >= $n ? (content => 'after ' . @done . ' steps')
            : (tool_calls => [ { id => "call_$next", name => 'step',
                                 arguments => qq({"n":$next}) } ]);

    return $conn->_play(json_script(chat_reply(%say)), 0)
        if !$body->{stream};

    $say{text} = delete $say{content} if exists $say{content};

    return $conn->_play(stream_script(%say), 0);
}
