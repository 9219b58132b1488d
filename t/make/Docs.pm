package Docs;

# Documents as check.pl reads them: where their links lead, and which
# directives and variables the reference and the source have.

use strict;
use warnings;

use Exporter qw(import);
use File::Basename qw(dirname);

use House qw(blanked content);

our @EXPORT_OK = qw(links reference source_names);


# [offset, what is wrong] for each link of a document that leads nowhere

sub links {
    my ($file, $text) = @_;

    my @found;

    $text = prose($text);

    while ($text =~ /\]\(([^()\s]*)\)/g) {
        my ($link, $at) = ($1, $-[1]);

        next if $link =~ m!^https?://[\w.-]+(?:/|$)!;

        my ($path, $anchor) = $link =~ /^([^#]*)(?:#(.*))?$/;
        my $aim = $path eq '' ? $file : join_path(dirname($file), $path);

        if (!-e $aim) {
            push @found, [ $at, "the link to $link leads nowhere" ];

        } elsif (defined $anchor && !anchors($aim)->{$anchor}) {
            push @found, [ $at, "$aim has no heading for #$anchor" ];
        }
    }

    return @found;
}


# text in code is no link, and offsets stay

sub prose {
    my ($text) = @_;

    my $blank = sub { return $_[0] =~ s/[^\n]/ /gr };

    $text =~ s/^(```.*?^```)/$blank->($1)/gmse;
    $text =~ s/(`[^`\n]*`)/$blank->($1)/ge;

    return $text;
}


sub join_path {
    my ($dir, $path) = @_;

    my @parts;

    for my $part (split(m!/!, "$dir/$path")) {
        next if $part eq '.' || $part eq '';

        if ($part eq '..' && @parts && $parts[-1] ne '..') {
            pop @parts;

        } else {
            push @parts, $part;
        }
    }

    return join('/', @parts);
}


# names of a document's headings, as GitHub makes them

my %anchors;

sub anchors {
    my ($file) = @_;

    return $anchors{$file} //= do {
        my $text = content($file) =~ s/^```.*?^```//gmsr;
        my (%names, %times);

        for my $title ($text =~ /^#+ +(.*?) *$/mg) {
            my $name = lc($title) =~ s/[^\w -]//gr =~ tr/ /-/r;
            my $n = $times{$name}++;

            $names{$n ? "$name-$n" : $name} = 1;
        }

        \%names;
    };
}


# { directives, variables }: a set of names each, of the reference's text

sub reference {
    my ($text) = @_;

    return {
        directives => { map { $_ => 1 }
                        $text =~ /^## (open_responses\w*)$/mg,
                        $text =~ /^\| `(open_responses\w*)` \|/mg },
        variables  => { map { $_ => 1 }
                        $text =~ /^\| `\$(open_responses\w*)` \|/mg },
    };
}


# the same, of a source file: [name, line] lists of its tables' rows

sub source_names {
    my ($text) = @_;

    my %rows = (directives => [], variables => []);

    $text = blanked($text, 0);

    while ($text =~ /\{\s*ngx_string\("(open_responses\w*)"\),\s*(\w+)/g) {
        my ($name, $next, $at) = ($1, $2, $-[0]);
        my $kind = $next =~ /^NGX_HTTP_\w*CONF$/ ? 'directives' : 'variables';

        push @{ $rows{$kind} },
             [ $name, 1 + (substr($text, 0, $at) =~ tr/\n//) ];
    }

    return \%rows;
}


1;
