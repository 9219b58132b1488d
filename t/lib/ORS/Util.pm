package ORS::Util;

# Copyright (C) Open Responses contributors
#
# Tools that the other test modules share: ports, files, waiting.
#
#     my $port = free_port();
#     wait_for(sub { -e $file }) or die;       # polls, 0 on time-out
#     my $text = slurp($file);  spew($file, $text);
#     my $token = item_token($id);             # in ids of a response's items

use v5.36;
use Digest::SHA qw( sha256 );
use Exporter qw( import );
use IO::Socket::INET ();
use Time::HiRes qw( time sleep );

our @EXPORT_OK = qw(
    free_port item_token wait_for slurp spew child_pids zstd PATIENCE
);

# seconds that a test waits for what must happen: longer than a busy machine
# needs for anything, and only where it does not happen
use constant PATIENCE => 60 * ($ENV{TEST_NGINX_WAIT} || 1);

# below Linux's default range for outgoing connections, so that a port that
# is free now is not taken by somebody's client a moment later
use constant { PORT_FIRST => 12000, PORT_LAST => 32000 };

my %handed_out;


sub free_port () {
    for (1 .. 500) {
        my $port = PORT_FIRST + int rand(PORT_LAST - PORT_FIRST);
        next if $handed_out{$port};

        IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $port,
                              Proto => 'tcp', Listen => 1, ReuseAddr => 1)
            or next;

        $handed_out{$port} = 1;
        return $port;
    }

    die "no free port\n";
}


sub wait_for ($what, $timeout = PATIENCE) {
    my $end = time + $timeout;
    my $step = 0.002;

    while (1) {
        my $got = $what->();
        return $got if $got;
        return 0 if time > $end;
        sleep $step;
        $step *= 1.5 if $step < 0.05;
    }
}


sub item_token ($id) {
    my @chars = ('0' .. '9', 'A' .. 'Z', 'a' .. 'z');

    return join '', map { $chars[$_ * 62 >> 8] }
                    unpack 'C*', substr sha256("t$id"), 0, 24;
}


sub slurp ($file) {
    open my $fh, '<:raw', $file or return '';
    local $/;
    return scalar(<$fh>) // '';
}


# appears whole or not at all

sub spew ($file, $text) {
    my $tmp = "$file.$$.tmp";

    open my $fh, '>:raw', $tmp or die "cannot write $tmp: $!\n";
    print $fh $text;
    close $fh or die "cannot write $tmp: $!\n";
    rename $tmp, $file or die "cannot rename $tmp: $!\n";
}


# pid => command line of the children of a process

sub child_pids ($parent) {
    my %pids;

    for my $stat (glob '/proc/[0-9]*/stat') {
        my ($pid, $state, $ppid) = slurp($stat) =~ /\A(\d+) \(.*\) (\S) (\d+)/s
            or next;
        next if $ppid != $parent || $state eq 'Z';
        $pids{$pid} = slurp("/proc/$pid/cmdline") =~ tr/\0/ /r;
    }

    return \%pids;
}


# a frame of zstd, of blocks of plain bytes, and of some that repeat a blank
# (RFC 8878, 3.1.1)

sub zstd ($text, $blanks = 0) {
    my $blocks = join '', map { zstd_block(0, 0, length, $_) }
                          unpack '(a1000)*', $text;

    while ($blanks) {
        my $n = $blanks > 100_000 ? 100_000 : $blanks;

        $blocks .= zstd_block(0, 1, $n, ' ');
        $blanks -= $n;
    }

    return "\x28\xb5\x2f\xfd\x00\x58" . $blocks . zstd_block(1, 0, 0, '');
}

sub zstd_block ($last, $type, $size, $bytes) {
    return substr(pack('V', $last | $type << 1 | $size << 3), 0, 3) . $bytes;
}


1;
