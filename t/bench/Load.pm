package Load;

# Copyright (C) Open Responses contributors
#
# The program of load.c, and its results.
#
#     my $load = Load->new($program, 'cpu=1', 'look=1');
#     my $r = $load->run('closed', conns => 8, seconds => 1, port => $port,
#                        path => '/v1/responses', body => $files);
#     $load->{model};        # the port of the model server
#     $load->stop;

use v5.36;
use IPC::Open2 ();


sub new ($class, $program, @args) {
    my $self = bless {}, $class;

    $self->{pid} = IPC::Open2::open2(@$self{qw( out in )}, $program, @args);
    $self->{in}->autoflush(1);

    my $r = $self->_result or die "$program does not start\n";

    $self->{model} = $r->{port};
    $self->{files} = $r->{files};

    return $self;
}


sub run ($self, $command, %args) {
    say { $self->{in} } join ' ', $command,
                             map { "$_=$args{$_}" } sort keys %args;

    return $self->_result // die "the load generator has gone\n";
}


sub stop ($self) {
    close $self->{in};
    waitpid $self->{pid}, 0;
    $? = 0;
}


sub _result ($self) {
    my $line = readline($self->{out}) // return undef;
    return { map { split /=/, $_, 2 } split ' ', $line };
}


1;
