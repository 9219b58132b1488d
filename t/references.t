#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Items that a request only refers to: each turn is loaded once, an item
# comes once, and what all of it brings is bounded, before it is read.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Redis ();
use ORS::Talk ();
use ORS::Util qw( item_token );

my $redis = ORS::Redis->new;
my $limits = 'context=100k nodes=5000';

my %talk = (
    lmdb => ORS::Talk->new(store => 'lmdb:%%TESTDIR%%/store',
                           limits => $limits),
    redis => ORS::Talk->new(store => 'redis:' . $redis->address,
                            limits => $limits),
);

sub user ($text) { { role => 'user', content => $text } }
sub ref_to ($id) { { type => 'item_reference', id => $id } }

# the ids that input items have, and an id with another beginning

sub input_id ($r, $n) { other_id($r, $n, 'msg') }
sub other_id ($r, $n, $as) { "${as}_" . item_token($r->{id}) . "i$n" }

# values that redis was asked for

sub gets { $redis->cmd(qw( INFO commandstats )) =~ /cmdstat_get:calls=(\d+)/a
           ? $1 : 0 }


for my $engine (sort keys %talk) {
    my $talk = $talk{$engine};
    my $big = 'x' x 60_000;

    # one item, many times

    my $a = $talk->say('alice', [ user($big), user('a') ],
                       name => "$engine: 60k");

    $talk->say('alice', [ (ref_to(input_id($a, 0))) x 300, user('end') ],
               name => "$engine: an item, 300 times");

    is_deeply([ map { length $_->{content} } @{ $talk->heard } ],
              [ 60_000, 3 ], "$engine: it comes once");

    $talk->say('alice', [ map { ref_to(other_id($a, 0, $_)) }
                          'msg', 'x', 'fc', '' ],
               name => "$engine: an item by many names");

    is(scalar @{ $talk->heard }, 1, "$engine: it comes once, too");

    $talk->refused('alice', [ ref_to(other_id($a, 0, 'x') =~ s/i0\z/i00/r),
                              user('end') ], 400,
                   "$engine: a number in another form",
                   code => 'item_not_found', param => 'input',
                   message => qr/: "x_\w+i00"\z/);

    # items that are loaded count, and not those of the same turn

    my $b = $talk->say('alice', [ user($big), user('b') ],
                       name => "$engine: 60k more");

    $talk->refused('alice', [ ref_to(input_id($a, 0)),
                              ref_to(input_id($b, 0)) ], 400,
                   "$engine: together too long",
                   code => 'context_length_exceeded', param => 'input');

    $talk->refused('alice', [ ref_to(input_id($a, 0)) ], 400,
                   "$engine: a conversation and an item are too long",
                   after => $b, code => 'context_length_exceeded',
                   param => 'input');

    my @outputs = map {
        $talk->say('alice', [ user($big), user("s$_") ],
                   name => "$engine: a large turn with a small answer"
                   )->{output}[0]{id}
    } 1 .. 5;

    $talk->say('alice', [ (map { ref_to($_) } @outputs), user('end') ],
               name => "$engine: small answers of large turns");

    is_deeply([ map { $_->{content} } @{ $talk->heard } ],
              [ (map { "s$_!" } 1 .. 5), 'end' ],
              "$engine: they are what was said");

    $talk->say('alice', [ ref_to($outputs[0]), user('end') ], after => $a,
               name => "$engine: after a large turn");

    # many items of one turn

    my $c = $talk->say('alice', [ map { user("n$_") } 0 .. 499 ],
                       name => "$engine: 500 items");
    my $before = gets();

    $talk->say('alice', [ map { ref_to(input_id($c, 499 - $_)) } 0 .. 499 ],
               name => "$engine: 500 references to one turn");

    is_deeply([ map { $_->{content} } @{ $talk->heard } ],
              [ map { 'n' . (499 - $_) } 0 .. 499 ],
              "$engine: in their order");

    is(gets() - $before, 1, 'redis: the turn is loaded once')
        if $engine eq 'redis';

    # values are counted, too

    my $d = $talk->say('alice', [ map { user("n$_") } 0 .. 449 ],
                       after => $c, name => "$engine: 450 items more");

    $talk->refused('alice', [ map { user("n$_") } 0 .. 99 ], 400,
                   "$engine: too many values in a conversation", after => $d,
                   code => 'context_length_exceeded', param => 'input');

    my $e = $talk->say('alice', [ map { user("n$_") } 0 .. 499 ],
                       name => "$engine: 500 other items");

    $talk->refused('alice', [ map { ref_to(input_id($e, $_)) } 0 .. 499 ],
                   400, "$engine: too many values with what is referred to",
                   after => $c, code => 'context_length_exceeded',
                   param => 'input');

    $talk->finish;
}

done_testing();
