#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Documents that servers answer, good and broken, and what becomes of each.
# Every field is in t/data/cases and t/unit/answer/verify_*_test.c.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Validator;
use ORS::JSON qw( json_encode );
use ORS::Sample qw( message output_text reasoning response );


sub text (%o) { json_encode(document(%o)) }

# without some of its members

sub without (@names) {
    my $d = document();

    delete @$d{@names};

    return json_encode($d);
}

# with one item of the output changed by a function

sub item ($change, $item = message('msg_1', 'completed',
                                   output_text(SECRET)))
{
    $change->($item);

    return text(output => [ $item ]);
}

# a good document, and more text before or behind

sub in ($before, $after = '') { $before . text() . $after }

my $parts = '[' x 70 . ']' x 70;
my $good = text();

my @rows = (

    # mistakes that nobody can repair

    [ 'not JSON', { body => SECRET . ' says so' }, refused => qr/not JSON/ ],
    [ 'empty', { body => '' }, refused => qr/it\ is\ empty/ ],
    [ 'half of it', { body => substr $good, 0, length($good) / 2 },
      refused => qr/not JSON:\ unexpected\ end/ ],
    [ 'too deep', { body => text(metadata => 'DEEP') =~ s/"DEEP"/$parts/r },
      refused => qr/more\ than\ 64\ levels/ ],
    [ 'too many values', { body => text(metadata =>
                               { map { ("k$_" => 'v') } 1 .. 300 }),
                           at => 'few' },
      refused => qr/more\ than\ 300\ values/ ],
    [ 'too large', { body => text(instructions => SECRET x 1000),
                     at => 'small' },
      refused => qr/limit\ of\ 4096/, code => 'answer_too_large' ],
    [ 'twice the same key', { body => text() =~ s/\A\{/{"id":"resp_8",/r },
      refused => qr/"id"/ ],
    [ 'no id', { body => without('id') }, refused => qr/"id"/ ],
    [ 'another status', { body => text(status => 'done') },
      refused => qr/"status/ ],
    [ 'failed without an error',
      { body => text(status => 'failed', completed_at => undef) },
      refused => qr/"error"\ must\ say/ ],
    [ 'an item without a type',
      { body => item(sub ($i) { delete $i->{type} }) },
      refused => qr/"output\[0\]/ ],
    [ 'a summary that is a text',
      { body => item(sub ($i) { }, reasoning('rs_1', 'completed', SECRET)) },
      refused => qr/"output\[0\]\.summary"/ ],

    # not what was asked for

    [ 'HTML with 200', { body => '<p>' . SECRET, type => 'text/html' },
      refused => qr/neither\ JSON\ nor\ an\ event\ stream/ ],
    [ 'JSON that is called text', { body => $good, type => 'text/plain' },
      refused => qr/neither\ JSON/ ],
    [ 'a stream for a document', { body => "data: {}\n\n", stream => 0 },
      refused => qr/a\ document\ was\ asked\ for/ ],
    [ 'a document for a stream', { body => $good, stream => 1 },
      refused => qr/an\ event\ stream\ was\ asked\ for/ ],
    [ '204', { status => 204, body => '' }, refused => qr/./ ],
    [ 'it is cut', { body => $good, cut => 100 }, refused => qr/ended\ before/,
      code => 'upstream_disconnected' ],
    [ 'it is cut before it begins', { body => $good, cut => 0 },
      refused => qr/ended\ before/, code => 'upstream_disconnected' ],

    # mistakes that are repaired

    [ 'a good one', { body => $good }, same => 1 ],
    [ 'byte by byte', { body => $good, split => 1 }, same => 1 ],
    [ 'with a charset', { body => $good,
                          type => 'Application/JSON; charset=utf-8' },
      same => 1 ],
    [ 'white space', { body => in("\r\n\t ", " \n") }, same => 1 ],
    [ 'big numbers', { body => text(temperature => 'N')
                           =~ s/"N"/1e-300/r }, same => 1 ],

    [ 'nothing but what is needed',
      { body => json_encode({ id => 'resp_1', status => 'completed',
                              output => [] }),
        ask => { instructions => 'Be kind.', temperature => 0.25,
                 metadata => { a => 'b' }, top_p => 0.5 } },
      repaired => sub ($d) {
          my $r = $d->response;

          is_deeply([ @$r{qw( model instructions temperature top_p )},
                      $r->{metadata}{a}, $r->{usage} ],
                    [ 'parrot-1', 'Be kind.', 0.25, 0.5, 'b', undef ],
                    'what was asked for is filled in');
      } ],
    [ 'usage without its sum',
      { body => text(usage => { input_tokens => 4, output_tokens => 5 }) },
      repaired => sub ($d) { is($d->usage->{total_tokens}, 9, 'the sum') } ],
    [ 'a part with its text only',
      { body => item(sub ($i) { delete @{ $i->{content}[0] }
                                       {qw( annotations logprobs )} }) },
      repaired => sub ($d) { is($d->text, SECRET, 'the text stays') } ],
    [ 'an item without a status',
      { body => item(sub ($i) { delete $i->{status} }) },
      repaired => sub ($d) { is($d->items->[0]{status}, 'completed', 'it is') }
    ],
    [ 'an error without a code',
      { body => text(status => 'failed', completed_at => undef,
                     usage => undef, output => [],
                     error => { message => 'no power' }) },
      repaired => sub ($d) { is($d->error->{message}, 'no power', 'it stays') },
      check => { expect => 'failed', code => 'server_error' } ],
    [ 'another model', { body => text(model => 'other/parrot') },
      repaired => sub ($d) { is($d->response->{model}, 'parrot-1', 'not seen') }
    ],

    # unknown keys

    [ 'unknown keys', { body => text(x_a => 1, text => {
          format => { type => 'text' }, x_b => { c => [ {} ] } }) },
      same => 1 ],
    [ 'unknown keys, strip', { body => in('', '') =~ s/\}\z/,"x":[1,{}]}/r,
                               at => 'strip' },
      body => $good ],
    [ 'unknown keys within, strip',
      { body => item(sub ($i) { $i->{content}[0]{x_b} = SECRET }),
        at => 'strip' },
      repaired => sub ($d) { is($d->text, SECRET, 'the others stay') } ],
    [ 'an unknown key, reject', { body => text(x_a => 1), at => 'reject' },
      refused => qr/x_a/ ],
    [ 'an unknown key within, reject',
      { body => item(sub ($i) { $i->{content}[0]{x_b} = SECRET }),
        at => 'reject' },
      refused => qr/output\[0\]\.content\[0\]/ ],
    [ 'an extension among the items',
      { body => text(output => [ { type => 'acme:search', id => 'se_1',
                                   status => 'completed', hits => 3 } ]) },
      same => 1 ],
);

my $g = ORS::Validator->new(rows => \@rows, locations => {
    few => 'open_responses_limits nodes=300;',
    small => 'open_responses_limits answer=4k;',
    strip => 'open_responses_unknown_fields strip;',
    reject => 'open_responses_unknown_fields reject;',
});

$g->run;
$g->report;

$g->finish;
done_testing();
