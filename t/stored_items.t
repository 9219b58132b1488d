#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# A stored item that is no item of a request, because another version or
# another hand has put it there: the request is refused by name, the log is
# told, the worker lives.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::JSON qw( json_false );
use ORS::Redis ();
use ORS::Talk ();
use ORS::Util qw( item_token );

my $redis = ORS::Redis->new;
my $talk = ORS::Talk->new(store => 'redis:' . $redis->address, workers => 1);

sub user ($text) { { role => 'user', content => $text } }

# the record in redis, changed everywhere; it stays as long as it was

sub change ($name, $from, $to) {
    my ($key) = grep { $redis->cmd('GET', $_) =~ /\Q$from\E/ } $redis->keys;
    my $value = $redis->cmd('GET', $key);

    length $from == length $to or die 'a record has its lengths';
    ok($value =~ s/\Q$from\E/$to/g, "$name: changed");
    $redis->cmd('SET', $key, $value, 'KEEPTTL');
}


my @cases = (
    [ 'a tool without a type', '"type":"function"', '"tipe":"function"' ],
    [ 'a function without a name', '"name":"second"', '"nome":"second"' ],
    [ 'items without their tools', '"tools":[{', '"toolz":[{' ],
    [ 'a format without a type', '"type":"text"', '"tipe":"text"' ],
    [ 'a message of no parts', '"content":"plain"', '"content":[[77]] ' ],
);

for my $case (@cases) {
    my ($name, $from, $to) = @$case;

    $redis->cmd('FLUSHALL');

    my $r = $talk->say('alice', [
        { type => 'additional_tools', role => 'developer', tools => [
            { type => 'function', name => 'first' },
            { type => 'function', name => 'second' },
            { type => 'namespace', name => 'space', tools => [
                { type => 'function', name => 'third' } ] },
            { type => 'custom', name => 'fourth', format => {
                type => 'text' } } ] },
        user('plain'), user('end') ], name => "$name: a turn");

    my $input = 'msg_' . item_token($r->{id})
                . ($name =~ /message/ ? 'i1' : 'i0');
    my $ref = { type => 'item_reference', id => $input };

    $talk->say('alice', [ $ref, user('more') ], name => "$name: as it was",
               body => { store => json_false });

    change($name, $from, $to);

    $talk->refused('alice', 'more', 400, "$name: the conversation",
                   after => $r, code => 'invalid_previous_response',
                   param => 'previous_response_id');

    $talk->refused('alice', [ $ref, user('more') ], 400,
                   "$name: a reference", code => 'unsupported_item',
                   param => 'input');
}

$talk->nginx->provokes(qr/a stored item cannot be used: /);

$talk->finish;
done_testing();
