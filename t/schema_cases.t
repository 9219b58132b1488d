#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Documents and what the tables say of them, in the strict profiles of both
# flavors: t/data/cases, a file for each kind of document.
#
# A line of such a file has three columns: what is wrong in flavor "spec",
# the same in flavor "openai", and the document.  What is wrong is "ok"
# (nothing), "." (the whole), a path to it, or "-" (not looked at).
#
# A document is JSON, or edits of the last "base", with ";" between them:
# "path = JSON" sets a member, "path -" takes it away.  "|N:text|" is N times
# that text.  "= text" is what the cases below it are about.

use v5.36;

use Test::More;
use File::Basename qw( basename );
use File::Temp qw( tempdir );
use FindBin;

use lib "$FindBin::Bin/lib";

use ORS::JSON qw( json_decode json_encode );
use ORS::Util qw( slurp spew );
use ORS::Walk qw( walk_file walk_verdict );

use constant LEAST => 300;      # documents

my @profiles = qw( spec openai );
my $dir = tempdir(CLEANUP => 1);
my @cases = map { read_cases($_) } sort glob "$FindBin::Bin/data/cases/*.txt";
my @asked = map { asked($_) } @cases;

spew("$dir/in", join '', map { "$_->{kind}\t$_->{profile}\t$_->{text}\n" }
                             @asked);
walk_file("$dir/in", "$dir/out");

my @lines = split /\n/, slurp("$dir/out");

is(scalar @lines, scalar @asked, 'as many verdicts');
cmp_ok(scalar @cases, '>=', LEAST, scalar(@cases) . ' documents');

my (%documents, %verdicts);

for my $case (@asked) {
    my $error = walk_verdict(shift @lines // 'ok');
    my $found = !$error ? 'ok' : $error->{param} eq '' ? '.' : $error->{param};
    my $about = join ', ', @$case{qw( kind about profile )};

    is($found, $case->{want}, "$about, $case->{where}")
        or diag($case->{source}, $error ? "\n$error->{message}" : '');

    $verdicts{"$case->{kind}, $case->{profile}"}
             { $case->{want} eq 'ok' ? 'valid' : 'not valid' }++;
}

ok($verdicts{$_}{valid} && $verdicts{$_}{'not valid'}, "$_: both verdicts")
    for sort keys %verdicts;

cmp_ok(scalar(grep { $_->[0] ne 'ok' && $_->[1] eq 'ok' }
              map { $_->{want} } @cases), '>=', 30,
       'flavor "openai" has more than flavor "spec"');

done_testing();


sub read_cases ($file) {
    my $kind = basename($file, '.txt');
    my ($about, $base, $n, @found) = ('', undef, 0);

    for my $line (split /\n/, slurp($file)) {
        my $where = basename($file) . ':' . ++$n;

        next if $line =~ /\A(#|\s*\z)/;

        if ($line =~ /\A=\s+(.+)/) {
            $about = $1;
            next;
        }

        if ($line =~ /\Abase\s+(.+)/) {
            $base = json_decode($1);
            next;
        }

        my ($spec, $openai, $source) = split ' ', $line, 3;
        my $text = $source =~ /\A[\w.\[\]]+\s+[=-]/ ? edited($base, $source)
                                                    : $source;

        push @found, {
            kind => $kind, about => $about, where => $where,
            source => $source, want => [ $spec, $openai ],
            text => $text =~ s/\|(\d+:[^|]*)\|/\x01$1\x01/gr,
        };
    }

    return @found;
}


# a case for each profile that is asked

sub asked ($case) {
    return map { { %$case, profile => $profiles[$_],
                   want => $case->{want}[$_] } }
           grep { $case->{want}[$_] ne '-' } 0 .. $#profiles;
}


# new values are put in as they are written

sub edited ($base, $source) {
    my $copy = json_decode(json_encode($base));
    my @values;

    for my $edit (split / ; /, $source) {
        my ($path, $op, $value) = $edit =~ /\A([\w.\[\]-]+) ([=-])(?: (.+))?\z/
            or die "no edit: $edit\n";
        my @steps = $path =~ /([^.\[\]]+)/g;
        my $last = pop @steps;
        my $object = $copy;

        $object = ref $object eq 'ARRAY' ? $object->[$_] : $object->{$_}
            for @steps;

        if ($op eq '-') {
            exists $object->{$last} or die "not there: $edit\n";
            delete $object->{$last};
            next;
        }

        push @values, $value;
        $object->{$last} = "\@$#values\@";
    }

    return json_encode($copy) =~ s/"\@(\d+)\@"/$values[$1]/gr;
}
