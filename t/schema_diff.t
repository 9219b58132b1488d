#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Documents made from the specification's schemas: our tables and another
# validator, ajv, must say the same of each of them, but for a few things
# that are known.

use v5.36;

use Test::More;
use File::Temp qw( tempdir );
use FindBin;

use lib "$FindBin::Bin/lib";

use ORS::JSON qw( is_int is_str json_decode );
use ORS::Nginx ();
use ORS::SDK qw( node );
use ORS::Walk qw( walk_file walk_verdict );

use constant {
    LEAST => 20000,          # documents
    EVENTS => 24,            # types of events
    SHOWN => 20,             # differences
};

my $openapi = $ENV{ORS_OPENAPI}
              // "$ORS::Nginx::ROOT/../shared/spec/openapi.json";

plan skip_all => 'not compared with ajv: ORS_OPENAPI=FILE names the schema,'
                 . ' public/openapi/openapi.json of'
                 . ' https://github.com/openresponses/openresponses, release'
                 . ' 2026-04-24'
    if !-e $openapi;

# differences that are known, by the number of the contradiction, edge case or
# note that says so.  "ajv" is its verdict: ours is the other one.

my @known = (
    { by => 'C14', what => 'an event of a type with a prefix', ajv => 0,
      when => extension(qr/\A(type)?\z/, sub ($o) {
          is_int($o->{sequence_number}) }) },
    { by => 'C14', what => 'an input item of a type with a prefix', ajv => 0,
      when => extension(qr/\Ainput\[\d+\](\.type)?\z/, \&complete) },
    { by => 'C14', what => 'an output item of a type with a prefix', ajv => 0,
      when => extension(
          qr/\A((response\.)?output\[\d+\]|item)(\.type)?\z/, \&complete) },
    { by => 'C14', what => 'a tool of a type with a prefix', ajv => 0,
      when => extension(qr/\A(response\.)?tools\[\d+\](\.type)?\z/) },
    { by => 'C14', what => 'an annotation of a type with a prefix', ajv => 0,
      when => extension(
          qr/(\A|\.)(annotation|annotations\[\d+\])(\.type)?\z/) },

    { by => 'E35', what => 'a number that is infinite as a double', ajv => 0,
      when => sub ($d) {
          $d->{mutation} eq 'beyond a double'
          && $d->{document} =~ /[:\[,]-?1e400[,}\]]/ } },
    { by => 'E35', what => 'a number that is whole only as a double',
      ajv => 1, when => sub ($d) {
          $d->{mutation} eq 'beyond a double'
          && $d->{document} =~ /[:\[,](1e-400|30\.0{19}1)[,}\]]/
          && $d->{ours}{param} eq $d->{path}
          && $d->{ours}{code} eq 'invalid_type' } },

    # notes for a validator, 13: limits that are only in words
    { by => 'N13', what => 'a key of metadata of more than 64 characters',
      ajv => 1, when => sub ($d) {
          $d->{document} =~ /"metadata":\{"\x0165:[^\x01]+\x01":/
          && $d->{ours}{param} eq 'metadata' } },
);


# a look at the object that is, or has, what was changed

sub extension ($path, $has = sub ($o) { 1 }) {
    return sub ($d) {
        return 0 if $d->{mutation} ne 'extension' || $d->{path} !~ $path;

        my $object = value_at($d->{document}, $d->{path} =~ s/\.?type\z//r);

        return is_str($object->{type}) && $object->{type} =~ /\A[^:]+:.+\z/
               && $has->($object);
    };
}


sub complete ($item) { is_str($item->{id}) && is_str($item->{status}) }


sub value_at ($document, $path) {
    my $value = json_decode($document =~ s/\x01\d+:[^\x01]*\x01/x/gr);

    for my $step ($path =~ /([^.\[\]]+)/g) {
        $value = ref $value eq 'ARRAY' ? $value->[$step] : $value->{$step};
    }

    return $value;
}


my $dir = tempdir(CLEANUP => 1);
my ($documents, $theirs, $ours) = map { "$dir/$_" } qw( in ajv walk );
my ($permitted, $others) = map { "$dir/$_" } qw( permitted others );

is(system(node('ajv'), "$ORS::Nginx::ROOT/t/sdk/schema_diff.mjs", $openapi,
          $documents, $theirs), 0, 'documents are made');

walk_file($documents, $ours);

# documents that the specification permits pass in these as well

my @wider = qw( openai loose loose_openai );

my (%groups, %labels, %seen, @differences, @places);
my $n = 0;

open my $in, '<', $documents or die;
open my $ajv, '<', $theirs or die;
open my $walk, '<', $ours or die;
open my $out, '>', $permitted or die;

while (defined(my $document = <$in>)) {
    chomp($document, my $said = <$ajv> // '', my $verdict = <$walk> // '');

    my %d;

    @d{qw( label mutation path ajv why )} = split /\t/, $said, 5;
    (my $kind, undef, $d{document}) = split /\t/, $document, 3;
    $d{ours} = walk_verdict($verdict);

    $n++;
    $labels{ $d{label} }[ $d{ajv} ]++;

    my $group = $groups{"$d{label}: $d{mutation}"} //= { n => 0, bad => 0 };

    $group->{n}++;

    if ($d{ajv} == !$d{ours}) {
        push @places, \%d if !placed(\%d);

        print $out map { "$kind\t$_\t$d{document}\n" } @wider if $d{ajv};
        next;
    }

    my ($known) = grep { $_->{ajv} == $d{ajv} && $_->{when}->(\%d) } @known;

    if ($known) {
        $seen{ $known->{what} }++;
        next;
    }

    $group->{bad}++;
    push @differences, \%d if @differences < SHOWN;
}


# a mistake in one place is told with its path, or with one inside of what
# came in its place; what else an object has to have depends on its type

sub placed ($d) {
    return 1 if !$d->{ours} || $d->{path} =~ /(\A|\.)(type|role)\z/
                || $d->{mutation} !~ /\A( removed | null | wrong\ type
                                         | wrong\ value | over\ limit
                                         | under\ minimum | fraction )\z/x;

    return 1 if $d->{ours}{param} eq $d->{path};

    # without a type and without an id, nothing says what it is
    return 1 if $d->{path} =~ /\A(input\[\d+\])\.id\z/
                && $d->{ours}{param} eq "$1.type";

    return $d->{mutation} eq 'wrong type'
           && $d->{ours}{param} =~ /\A\Q$d->{path}\E(\[0\]|\.|\z)/;
}


# by profile: one of what is refused

sub refused () {
    my %found;

    open my $asked, '<', $permitted or die;
    open my $said, '<', $others or die;

    while (defined(my $line = <$asked>)) {
        chomp($line, my $verdict = <$said> // '');

        my $error = walk_verdict($verdict) or next;
        my (undef, $profile, $document) = split /\t/, $line, 3;
        my $lack = $profile =~ /openai/ && $error->{param} =~ /\blogprobs\z/
                   && $error->{code} eq 'missing_required_parameter';

        $found{"$profile, " . ($lack ? 'logprobs' : 'others') }
            = "$error->{message}: $document";
    }

    return %found;
}


sub show ($d) {
    my $verdict = $d->{ours}
                  ? join ', ', @{ $d->{ours} }{qw( param code message )}
                  : 'valid';

    diag("$d->{label}: $d->{mutation} at \"$d->{path}\"\n",
         '  ', substr($d->{document}, 0, 2000) =~ s/\x01/|/gr, "\n",
         '  ajv: ', $d->{ajv} ? 'valid' : $d->{why}, "\n",
         "  ours: $verdict");
}


for my $name (sort keys %groups) {
    my $group = $groups{$name};

    is($group->{bad}, 0, "$name, $group->{n} documents");
}

show($_) for @differences;

is(scalar @places, 0, 'mistakes are found where they are');
show($_) for splice @places, 0, SHOWN;

ok($seen{ $_->{what} }, "$_->{by}: $_->{what}, "
                        . ($seen{ $_->{what} } // 0) . ' documents')
    for @known;

close $out or die;
walk_file($permitted, $others);

my %wider = refused();

for my $profile (@wider) {
    my $refused = delete $wider{"$profile, others"} // '';

    is($refused, '', "$profile: what the specification permits");
}

# OpenAI's clients require them; the validator puts them in where they lack
is("@{[ sort keys %wider ]}", 'loose_openai, logprobs openai, logprobs',
   'flavor "openai": only absent logprobs are a difference');

cmp_ok($n, '>=', LEAST, "$n documents are enough");
ok(eof $ajv && eof $walk, 'as many verdicts');

is(scalar(grep { !/^(create|compact|response|compaction)\z/ } keys %labels),
   EVENTS, 'all types of events');

for my $label (sort keys %labels) {
    cmp_ok($labels{$label}[$_] // 0, '>', 50,
           "$label: enough that are " . ($_ ? 'valid' : 'not valid'))
        for 0, 1;
}

done_testing();
