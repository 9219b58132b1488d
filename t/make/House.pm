package House;

# C sources as house.pl and check.pl read them: their code without comments,
# their functions, and which files of a room need each other in a cycle.

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT_OK = qw(blanked code_lines functions cycles content);


sub content {
    my ($file) = @_;

    open(my $in, '<:encoding(UTF-8)', $file) or die "$0: $file: $!\n";
    local $/;
    my $text = <$in>;
    close($in);

    return $text // '';
}


# the same number of lines, with comments or also with strings made blank

sub blanked {
    my ($text, $strings) = @_;

    my $blank = sub {
        my ($what) = @_;

        return $what if $what =~ /^["']/ && !$strings;
        return $what =~ s/[^\n]/ /gr;
    };

    $text =~ s{(/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')}
              {$blank->($1)}gse;

    return $text;
}


# of a text without comments

sub code_lines {
    my ($text) = @_;

    return scalar grep { /\S/ } split(/\n/, $text);
}


# A function ends with the "}" of a "{" in the first column.  Returns
# a list of { name, static, lines } in the order of the text, which has neither
# comments nor strings; lines are those between the two.

sub functions {
    my ($text) = @_;

    my @lines = split(/\n/, $text, -1);
    my (@found, $begin, $head);

    for my $n (0 .. $#lines) {
        my $line = $lines[$n];

        if (defined $begin) {
            next if $line !~ /^\}/;

            my ($name) = $head =~ /(\w+)\s*\(/;

            push(@found, { name => $name, lines => $n - $begin - 1,
                           static => scalar($head =~ /\bstatic\b/) })
                if defined $name;
            undef $begin;
            $head = '';

        } elsif ($line =~ /^\{/) {
            $begin = $n;

        } elsif ($line =~ /^\s*(#.*)?$|[;}]\s*$/) {
            $head = '';

        } else {
            $head = ($head // '') . " $line";
        }
    }

    return @found;
}


# The largest sets of files in which each one needs each other, for one room:
# by their includes and by the functions that they use.  Files are given as
# { path => text without comments and strings } and { path => text without
# comments }; a .c file and its header are one.

sub cycles {
    my ($code, $quoted) = @_;

    my (%uses, %includes, %defined, %own);

    for my $file (sort keys %$code) {
        my $stem = stem($file);

        for my $f (functions($code->{$file})) {
            $own{$file}{$f->{name}} = 1;
            $defined{$f->{name}} = $stem if !$f->{static};
        }
    }

    my %stems = map { name($_) => stem($_) } keys %$code;

    for my $file (sort keys %$code) {
        my $stem = stem($file);

        $uses{$stem} //= {};
        $includes{$stem} //= {};

        while ($quoted->{$file} =~ /^\s*#\s*include\s*[<"]([^>"]+)[>"]/mg) {
            my $other = $stems{$1 =~ s!.*/!!r};
            $includes{$stem}{$other} = 1 if defined $other && $other ne $stem;
        }

        next if $file !~ /\.c$/;

        # a header may be called like a function

        my $text = $code->{$file} =~ s/^\s*#\s*include.*//mgr;

        while ($text =~ /\b([A-Za-z_]\w*)\b/g) {
            my $other = $defined{$1};

            next if !defined $other || $other eq $stem || $own{$file}{$1};
            $uses{$stem}{$other} = 1;
        }
    }

    return (largest(\%includes), largest(\%uses));
}


sub name {
    my ($file) = @_;

    return $file =~ s!.*/!!r;
}


sub stem {
    my ($file) = @_;

    return name($file) =~ s/\.[ch]$//r;
}


# the largest component of a graph { from => { to => 1 } }, as Tarjan finds
# it: a reference to its names in order, without any for a graph without one

sub largest {
    my ($graph) = @_;

    my (%index, %low, %on, @stack, $visit);
    my ($n, $best) = (0, []);

    $visit = sub {
        my ($v) = @_;

        $index{$v} = $low{$v} = $n++;
        $on{$v} = 1;
        push(@stack, $v);

        for my $w (sort keys %{$graph->{$v}}) {
            if (!exists $index{$w}) {
                $visit->($w);
                $low{$v} = $low{$w} if $low{$w} < $low{$v};

            } elsif ($on{$w} && $index{$w} < $low{$v}) {
                $low{$v} = $index{$w};
            }
        }

        return if $low{$v} != $index{$v};

        my @part;

        do {
            push(@part, pop(@stack));
            delete $on{$part[-1]};
        } while ($part[-1] ne $v);

        $best = [sort @part] if @part > 1 && @part > @$best;
    };

    for my $v (sort keys %$graph) {
        $visit->($v) if !exists $index{$v};
    }

    undef $visit;

    return $best;
}


1;
