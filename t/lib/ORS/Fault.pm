package ORS::Fault;

# Copyright (C) Open Responses contributors
#
# Calls of a worker into the C library that fail, one by one: t/fault/fault.c
# is preloaded into nginx, and this says which call it is.
#
#     my $fault = ORS::Fault->new;
#
#     $fault->start($t);               # instead of $t->start
#     $fault->count($pid, 'memory');   # from now on nothing fails
#     my $calls = $fault->calls;
#
#     $fault->arm($pid, 'memory', 17);                 # the 17th one fails
#     $fault->arm($pid, 'file', 3, last => 2**31,      # and all after it
#                 error => 'ENOSPC');
#     my $failed = $fault->disarm;     # how many there were
#
# Kinds: memory, file (writes), random, socket, map.

use v5.36;
use Errno ();
use File::Temp ();

my %KIND = (memory => 1, file => 2, random => 4, socket => 8, map => 16);
my %ERROR = (file => 'EIO', random => 'EAGAIN', socket => 'ECONNRESET',
             map => 'ENOMEM', memory => 'ENOMEM');


sub new ($class) {
    my $dir = File::Temp->newdir('ors-fault-XXXXXX', TMPDIR => 1);
    my $self = bless { dir => $dir }, $class;

    chmod 0755, $dir;

    system($ENV{CC} || 'cc', qw( -std=gnu99 -O2 -shared -fPIC -o ),
           "$dir/fault.so", 't/fault/fault.c') == 0
        or die "t/fault/fault.c does not compile\n";

    open $self->{fh}, '+>:raw', "$dir/control" or die "$dir: $!\n";
    $self->_write((0) x 7);

    return $self;
}


sub start ($self, $t) {
    local $ENV{LD_PRELOAD} = "$self->{dir}/fault.so";
    local $ENV{ORS_FAULT_FILE} = "$self->{dir}/control";

    # freed memory is garbage, and so is memory that was not written
    local $ENV{MALLOC_PERTURB_} = 165;

    return $t->start;
}


sub count ($self, $pid, $kind) {
    return $self->arm($pid, $kind, 0);
}


sub arm ($self, $pid, $kind, $n, %o) {
    no strict 'refs';
    my $error = "Errno::" . ($o{error} // $ERROR{$kind});

    # the process last: with it the rest is valid
    $self->_write(0);
    $self->_write(0, $KIND{$kind} // die("no kind $kind\n"), $n,
                  $o{last} // 0, $error->(), 0, 0);
    $self->_write($pid);
}


sub calls ($self) { ($self->_read)[5] }


sub disarm ($self) {
    $self->_write(0);
    return ($self->_read)[6];
}


sub _write ($self, @fields) {
    sysseek $self->{fh}, 0, 0;
    syswrite $self->{fh}, pack 'L*', @fields;
}


sub _read ($self) {
    sysseek $self->{fh}, 0, 0;
    sysread $self->{fh}, my $data, 28;

    return unpack 'L*', $data;
}


1;
