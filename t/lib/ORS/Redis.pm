package ORS::Redis;

# Copyright (C) Open Responses contributors
#
# A real redis-server in a temporary directory, on a free loopback port or a
# unix socket, without files on disk.
#
#     use ORS::Redis;
#
#     my $redis = ORS::Redis->new(password => 'secret', unix => 1,
#                                 conf => { maxmemory => '2mb' });
#
#     $redis->address;              # 127.0.0.1:PORT or unix:PATH
#     $redis->port; $redis->pid;
#     $redis->cmd(qw( SET a b ));   # the reply; dies of an error reply
#     $redis->keys;                 # all of them, sorted
#     $redis->pause; $redis->resume;                       # by signals
#     $redis->kill; $redis->start;  # at the same address, empty
#     $redis->connections;          # of others than us
#     $redis->age($key);            # of a record: it was made long ago
#
#     my @nodes = ORS::Redis->cluster(3);      # each has a third of the slots
#     move_slot($slot, $from, $to);
#     move_slot($slot, $from, $to, sub { ... while it is on its way });
#
# Servers are killed when they go out of scope.

use v5.36;
use Exporter qw( import );
use File::Temp ();
use IO::Socket::INET ();
use IO::Socket::UNIX ();
use POSIX ();
use ORS::Util qw( free_port wait_for );

our @EXPORT_OK = qw( move_slot );

use constant SLOTS => 16384;

my $OWNER = $$;


sub new ($class, %o) {
    my $self = bless { conf => {}, %o }, $class;

    $self->{dir} = File::Temp->newdir('ors-redis-XXXXXX', TMPDIR => 1);
    $self->{port} = free_port();
    $self->start;

    return $self;
}


sub port ($self) { $self->{port} }
sub pid ($self) { $self->{pid} }


sub address ($self) {
    return $self->{unix} ? "unix:$self->{dir}/redis.sock"
                         : "127.0.0.1:$self->{port}";
}


sub start ($self) {
    my %conf = (
        bind => '127.0.0.1',
        port => $self->{port},
        unixsocket => "$self->{dir}/redis.sock",
        dir => "$self->{dir}",
        logfile => "$self->{dir}/log",
        save => '',
        appendonly => 'no',
        'enable-debug-command' => 'local',
        ($self->{password} ? (requirepass => $self->{password}) : ()),
        $self->{conf}->%*,
    );

    my $pid = fork // die "fork: $!\n";

    if (!$pid) {
        open STDIN, '<', '/dev/null';
        open STDOUT, '>', "$self->{dir}/out";
        open STDERR, '>&', \*STDOUT;
        exec 'redis-server', map { ("--$_", $conf{$_}) } sort keys %conf
            or POSIX::_exit(127);
    }

    $self->{pid} = $pid;

    wait_for(sub { eval { $self->cmd('PING') } })
        or die "redis-server does not start, is it installed?\n";

    return $self;
}


sub kill ($self) {
    my $pid = delete $self->{pid} // return;

    CORE::kill('KILL', $pid);
    waitpid($pid, 0);

    return;
}


sub pause ($self) { CORE::kill('STOP', $self->{pid}) }
sub resume ($self) { CORE::kill('CONT', $self->{pid}) }


# each command has a connection of its own: none is left to be counted

sub cmd ($self, @args) {
    my $sock = $self->{unix}
               ? IO::Socket::UNIX->new(Peer => "$self->{dir}/redis.sock")
               : IO::Socket::INET->new(PeerAddr => "127.0.0.1:$self->{port}");
    $sock or die "cannot connect to redis: $!\n";

    if ($self->{password}) {
        _write($sock, 'AUTH', $self->{password});
        _read($sock);
    }

    _write($sock, @args);

    return _read($sock);
}


sub _write ($sock, @args) {
    print {$sock} "*", scalar(@args), "\r\n",
        map { '$' . length($_) . "\r\n$_\r\n" } @args;
}


sub _read ($sock) {
    local $/ = "\r\n";
    local $_ = <$sock> // die "redis has closed the connection\n";
    chomp;

    return substr($_, 1) if /^[+:]/;
    die "redis: ", substr($_, 1), "\n" if /^-/;

    my $n = substr($_, 1);
    return undef if $n < 0;
    return [ map { _read($sock) } 1 .. $n ] if /^\*/;

    read($sock, my $text, $n) == $n or die "redis has said too little\n";
    <$sock>;

    return $text;
}


sub keys ($self) { sort $self->cmd('KEYS', '*')->@* }


sub connections ($self) {
    my $list = $self->cmd('CLIENT', 'LIST', 'TYPE', 'normal');

    return -1 + (() = $list =~ /^id=/gm);
}


# the time is in the head of a record, and in the life of a key

sub age ($self, $key) {
    my $value = $self->cmd('GET', $key);

    substr($value, 8, 8) = pack('Q<', 1_000_000_000);
    $self->cmd('SET', $key, $value, 'EX', 500);
}


sub cluster ($class, $n) {
    my @nodes = map {
        $class->new(conf => { 'cluster-enabled' => 'yes',
                              'cluster-port' => free_port(),
                              'cluster-node-timeout' => 5000 })
    } 1 .. $n;

    for my $i (0 .. $n - 1) {
        my $node = $nodes[$i];

        $node->cmd('CLUSTER', 'ADDSLOTSRANGE', int($i * SLOTS / $n),
                   int(($i + 1) * SLOTS / $n) - 1);
        $node->cmd('CLUSTER', 'SET-CONFIG-EPOCH', $i + 1);
        $node->{id} = $node->cmd('CLUSTER', 'MYID');
    }

    $nodes[0]->cmd('CLUSTER', 'MEET', '127.0.0.1', $_->port,
                   $_->{conf}{'cluster-port'})
        for @nodes[1 .. $n - 1];

    for my $node (@nodes) {
        wait_for(sub { $node->is_ok($n) })
            or die "the cluster of redis does not come up\n";
    }

    return @nodes;
}


sub is_ok ($self, $n) {
    my $info = $self->cmd('CLUSTER', 'INFO');

    return $info =~ /^cluster_state:ok/m
           && $info =~ /^cluster_known_nodes:$n\r/m;
}


sub move_slot ($slot, $from, $to, $meanwhile = sub { }) {
    $to->cmd('CLUSTER', 'SETSLOT', $slot, 'IMPORTING', $from->{id});
    $from->cmd('CLUSTER', 'SETSLOT', $slot, 'MIGRATING', $to->{id});

    $meanwhile->();

    while (1) {
        my $keys = $from->cmd('CLUSTER', 'GETKEYSINSLOT', $slot, 10);
        last unless @$keys;
        $from->cmd('MIGRATE', '127.0.0.1', $to->port, '', 0, 5000, 'KEYS',
                   @$keys);
    }

    $_->cmd('CLUSTER', 'SETSLOT', $slot, 'NODE', $to->{id}) for $to, $from;
}


sub DESTROY ($self) {
    local ($?, $!);
    $self->kill if $$ == $OWNER;
}


1;
