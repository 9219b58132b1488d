#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# OpenAI's SDKs and what is stored: responses, their input and their streams,
# and those that run in the background.

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
                              scripts => { default => \&answer });
    my $gateway = { front => $talk->nginx->address, model => $talk->model };

    node_tests('stored.mjs', $_, $gateway) for qw( openai openai6 );
    python_tests('stored_test.py', $gateway);

    $talk->nginx->finish("$name: nginx is well at the end");
}

done_testing();


# "wait NAME" is never answered, and leaves a note when nobody waits for it

sub answer ($conn, $request) {
    my $body = json_decode($request->{body});
    my $said = $body->{messages}[-1]{content};

    return $conn->touch("$1-gone") if $said =~ /\Await (.*)/
                                      && $conn->wait_gone;

    return $conn->_play($body->{stream}
                        ? stream_script(text => [ split //, "$said!" ])
                        : json_script(chat_reply(content => "$said!")), 0);
}
