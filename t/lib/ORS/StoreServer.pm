package ORS::StoreServer;

# Copyright (C) Open Responses contributors
#
# The server of docs/store.py, with its file in a temporary directory.
#
#     use ORS::StoreServer;
#
#     my $server = ORS::StoreServer->new;
#
#     $server->address;             # 127.0.0.1:PORT
#     $server->kill; $server->start;            # with the same file
#     $server->pause; $server->resume;          # by signals
#
# It is killed when it goes out of scope.

use v5.36;
use File::Temp ();
use IO::Socket::INET ();
use ORS::Util qw( free_port wait_for );

my $OWNER = $$;


sub new ($class) {
    my $self = bless {}, $class;

    $self->{dir} = File::Temp->newdir('ors-store-XXXXXX', TMPDIR => 1);
    $self->{port} = free_port();
    $self->start;

    return $self;
}


sub address ($self) { "127.0.0.1:$self->{port}" }


sub start ($self) {
    my $pid = fork // die "cannot fork: $!\n";

    if ($pid == 0) {
        open STDERR, '>>', "$self->{dir}/stderr";
        exec 'python3', "$ORS::Nginx::ROOT/docs/store.py", $self->address,
             "$self->{dir}/db";
        die;
    }

    $self->{pid} = $pid;

    wait_for(sub { IO::Socket::INET->new(PeerAddr => $self->address) })
        or die "the store does not listen\n";

    return $self;
}


sub kill ($self) {
    my $pid = delete $self->{pid} or return;

    CORE::kill 'KILL', $pid;
    waitpid $pid, 0;
}


sub pause ($self) { CORE::kill 'STOP', $self->{pid} }
sub resume ($self) { CORE::kill 'CONT', $self->{pid} }


sub DESTROY ($self) {
    local $?;

    $self->kill if $$ == $OWNER;
}


1;
