#!/usr/bin/perl

# A table of the rooms of src/: their sizes, the median length of their files,
# the length of their functions, and the largest cycle of files that need each
# other.
#
#   house.pl [--root=DIR] [--base=DIR] [--files]
#
# --base is another tree, and its figures come in front of ours;
# --files names the files of each cycle.

use strict;
use warnings;

use File::Basename qw(dirname);
use Getopt::Long;

use lib dirname(__FILE__);
use House qw(blanked code_lines cycles content functions);

my @columns = (
    [files     => sub { $_[0]{files} }],
    [lines     => sub { $_[0]{lines} }],
    [file      => sub { quantile($_[0]{sizes}, 0.5) }],
    [code      => sub { $_[0]{code} }],
    [functions => sub { scalar @{$_[0]{lengths}} }],
    [median    => sub { quantile($_[0]{lengths}, 0.5) }],
    [p95       => sub { quantile($_[0]{lengths}, 0.95) }],
    [max       => sub { quantile($_[0]{lengths}, 1) }],
    [includes  => sub { size($_[0]{includes}) }],
    [calls     => sub { size($_[0]{calls}) }],
);

my ($root, $base, $files) = ('.', '', 0);

GetOptions('root=s' => \$root, 'base=s' => \$base, 'files' => \$files)
    && !@ARGV or exit 2;

my $new = house($root);
my $old = $base eq '' ? undef : house($base);

table($new, $old);
names($new) if $files;


sub house {
    my ($dir) = @_;

    my %rooms;

    my @files = (glob("\Q$dir\E/src/*.[ch]"),
                 glob("\Q$dir\E/src/*/*.[ch]"));

    die "$0: no sources in $dir/src\n" if !@files;

    for my $file (@files) {
        my ($room) = $file =~ m!^\Q$dir\E/src/(?:(.*)/)?[^/]+$!;
        add($rooms{$room // '(module)'} //= {}, $file);
    }

    $rooms{$_} = measured($rooms{$_}) for keys %rooms;
    $rooms{all} = sum(values %rooms);

    return \%rooms;
}


sub add {
    my ($room, $file) = @_;

    my $text = content($file);

    $room->{text}{$file} = $text;
    $room->{quoted}{$file} = blanked($text, 0);
    $room->{bare}{$file} = blanked($text, 1);
}


sub measured {
    my ($room) = @_;

    my %m = (files => scalar keys %{$room->{text}}, lines => 0, sizes => [],
             code => 0, lengths => []);

    for my $file (keys %{$room->{text}}) {
        my $lines = $room->{text}{$file} =~ tr/\n//;

        $m{lines} += $lines;
        push(@{$m{sizes}}, $lines);
        $m{code} += code_lines($room->{quoted}{$file});

        push(@{$m{lengths}},
             map { $_->{lines} } functions($room->{bare}{$file}));
    }

    @m{qw(includes calls)} = cycles($room->{bare}, $room->{quoted});

    return \%m;
}


sub sum {
    my %m = (files => 0, lines => 0, sizes => [], code => 0, lengths => [],
             includes => [], calls => []);

    for my $room (@_) {
        $m{$_} += $room->{$_} for qw(files lines code);
        push(@{$m{$_}}, @{$room->{$_}}) for qw(sizes lengths);

        for my $how (qw(includes calls)) {
            $m{$how} = $room->{$how} if @{$room->{$how}} > @{$m{$how}};
        }
    }

    return \%m;
}


# the smallest length that this share of the functions, or files, do not exceed

sub quantile {
    my ($lengths, $share) = @_;

    return 0 if !@$lengths;

    my @sorted = sort { $a <=> $b } @$lengths;
    my $n = int($share * @sorted + 0.999999) - 1;

    return $sorted[$n < 0 ? 0 : $n];
}


# a file alone is no cycle: 0

sub size {
    return scalar @{$_[0]};
}


sub table {
    my ($new, $old) = @_;

    my @rooms = sort { ($a eq 'all') <=> ($b eq 'all') || $a cmp $b }
                keys %{{ %$new, %{$old // {}} }};
    my @rows = (['room', map { $_->[0] } @columns]);

    for my $room (@rooms) {
        push(@rows, [$room, map { cell($_->[1], $new->{$room}, $old,
                                       $old ? $old->{$room} : undef) }
                            @columns]);
    }

    my @width = map { my $c = $_; (sort { $b <=> $a }
                                   map { length($_->[$c]) } @rows)[0] }
                0 .. @columns;

    for my $row (@rows) {
        printf("%-*s" . '  %*s' x @columns . "\n", $width[0], $row->[0],
               map { ($width[$_], $row->[$_]) } 1 .. @columns);
    }
}


sub cell {
    my ($figure, $new, $both, $old) = @_;

    my $now = $new ? $figure->($new) : '-';

    return $now if !$both;
    return ($old ? $figure->($old) : '-') . " > $now";
}


sub names {
    my ($rooms) = @_;

    for my $room (sort grep { $_ ne 'all' } keys %$rooms) {
        for my $how (qw(includes calls)) {
            next if !@{$rooms->{$room}{$how}};
            print("$room, $how: @{$rooms->{$room}{$how}}\n");
        }
    }
}
