#!/usr/bin/perl

# Prints JSON so that people can read it: a member a line, with colours.  What
# is no JSON is printed as it comes.

use strict;
use warnings;

$| = 1;

my $string = qr/"(?:[^"\\]|\\.)*"/;
my %colour = (key => 34, string => 32, word => 33);
my $first = '';

exit 0 if !sysread(STDIN, $first, 1);

# a stream of text is not waited for

if ($first !~ /[\[{"]/) {
    print $first;

    while (sysread(STDIN, my $piece, 4096)) {
        print $piece;
    }

    exit 0;
}

my $text = do { local $/; $first . (<STDIN> // '') };

print pretty($text);


sub pretty {
    my ($json) = @_;

    my ($out, $depth) = ('', 0);

    while ($json =~ /\G\s*(?:($string)(\s*:)?|([\[{])\s*([\]}])?|([\]}])
                          |(,)|([-+.\w]+)|(.))/gcxs)
    {
        if (defined $1) {
            $out .= paint(defined $2 ? 'key' : 'string', $1)
                    . (defined $2 ? ': ' : '');

        } elsif (defined $3) {
            $out .= defined $4 ? "$3$4" : $3 . line(++$depth);

        } elsif (defined $5) {
            $depth-- if $depth;
            $out .= line($depth) . $5;

        } elsif (defined $6) {
            $out .= ',' . line($depth);

        } else {
            $out .= defined $7 ? paint('word', $7) : $8;
        }
    }

    return $out;
}


sub line {
    my ($depth) = @_;

    return "\n" . '  ' x $depth;
}


sub paint {
    my ($what, $text) = @_;

    return "\e[$colour{$what}m$text\e[0m";
}
