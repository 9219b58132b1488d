#!/usr/bin/perl

# Writes the lists of headers and sources in "config" anew from what is in
# src/: one a line, rooms from the bottom up, the module file last.

use strict;
use warnings;

my @rooms = qw(base json wire seal stats store schema jsonschema proto answer
               chat tools turn session http);
my $file = 'config';

my %rank;
@rank{@rooms} = (0 .. $#rooms);


sub rank {
    my ($path) = @_;

    return @rooms + 1 unless $path =~ m!^src/([^/]+)/!;
    return $rank{$1} // scalar @rooms;
}


sub files {
    my ($ext) = @_;

    my @files = grep { -f } (glob("src/*.$ext"), glob("src/*/*.$ext"));

    return sort { rank($a) <=> rank($b) || $a cmp $b } @files;
}


sub block {
    return join('', map { "    \$ngx_addon_dir/$_ \\\n" } @_) . '    "';
}


open(my $in, '<', $file) or die "$0: $file: $!\n";
my $old = do { local $/; <$in> };
close($in);

my $new = $old;

for my $list ([deps => 'h'], [srcs => 'c']) {
    my ($name, $ext) = @$list;
    my $block = block(files($ext));

    $new =~ s/^(ngx_ors_$name=" \\\n).*?"$/$1$block/ms
        or die "$0: no ngx_ors_$name in $file\n";
}

exit 0 if $new eq $old;

open(my $out, '>', "$file.new") or die "$0: $file.new: $!\n";
print $out $new;
close($out) or die "$0: $file.new: $!\n";
rename("$file.new", $file) or die "$0: $file: $!\n";

print "config: lists updated\n";
