#!/usr/bin/perl

# Copyright (C) Open Responses contributors
#
# The budgets of the design, measured: one nginx worker, adapter and validator
# beside plain proxy_pass, all in front of the same model server.
#
#   bench.pl --load=PROGRAM [--json=PROGRAM] [--walk=PROGRAM]
#            [--store=PROGRAM] [--schema=PROGRAM] [--out=DIR] [--quick]
#            [--only=PART,...]
#
# Worker and load (client and model server are one process) have a processor
# each, if there are two.  Plain and ours take turns, a row is the median of
# the rounds.

use v5.36;
use Cwd ();
use FindBin ();
use Getopt::Long;
use List::Util qw( max min sum );
use POSIX ();
use Time::HiRes qw( sleep time );

use lib "$FindBin::Bin/../lib", $FindBin::Bin;
use Bodies ();
use Conf ();
use Hosted ();
use Load ();
use Trace ();
use Turns ();
use ORS::Nginx;
use ORS::Redis;
use ORS::Util qw( slurp spew wait_for );

$ENV{TEST_NGINX_BINARY} ||= '/usr/sbin/nginx';

my %opt = (out => 'build/bench', only => '');

GetOptions(\%opt, 'load=s', 'json=s', 'walk=s', 'store=s',
           'schema=s', 'out=s', 'only=s', 'quick')
    or exit 2;

my $ROUNDS = $opt{quick} ? 3 : 7;
my $SECONDS = $opt{quick} ? 0.15 : 0.6;
my $CPUS = () = slurp('/proc/cpuinfo') =~ /^processor\b/mg;

my @PARTS = (
    [ requests => \&requests ],
    [ latency => \&latency ],
    [ streams => \&streams ],
    [ memory => \&memory ],
    [ big => \&big ],
    [ validator => \&validator ],
    [ unused => \&unused ],
    [ walker => \&walker ],
    [ reader => \&reader ],
    [ callgrind => \&callgrind ],
    [ hosted => sub { Hosted::part($opt{out}, $opt{quick} ? 40 : 100) } ],
    [ syscalls => \&syscalls ],
    [ store => \&store ],
    [ schema => \&schema ],
    [ websocket => \&websocket ],
);

my ($load, $model_port, $max_streams);
my ($nginx, %body, @failed);
my ($met, $missed) = (0, 0);

main();


sub main {
    my $begin = time;
    my %only = map { $_ => 1 } split /,/, $opt{only};

    $| = 1;
    $SIG{PIPE} = 'IGNORE';

    start_load();
    $nginx = start_nginx();
    make_bodies();
    warm_up();
    title();

    for my $part (@PARTS) {
        my ($name, $code) = @$part;

        $code->() if !%only || $only{$name};
    }

    $nginx->stop;
    $load->stop;

    printf "\n%d within the budget, %d not; %.0f s\n", $met, $missed,
           time - $begin;
    say "wrong: $_" for @failed;

    # a missed budget is a result, a wrong answer is not
    exit(@failed ? 1 : 0);
}


sub title {
    my ($cpu) = slurp('/proc/cpuinfo') =~ /^model name\s*:\s*(.*)/m;
    my ($kernel) = (POSIX::uname())[2];
    my $version = `$ENV{TEST_NGINX_BINARY} -v 2>&1` =~ s{.*nginx/|\s+\z}{}gr;
    my $load = (split ' ', slurp('/proc/loadavg'))[0];

    print <<"END";
nginx $version, one worker; ${\ ($cpu // 'unknown')}, $CPUS processors,
Linux $kernel, load before the start $load; $ROUNDS rounds of $SECONDS s.

Rates are per second of the worker's processor time, which is what a core
can do: client and model server on the other core may be slower than it.
In brackets: as seen by the client.  "ratio" is adapter, or validator, to plain
proxy_pass, the median of the rounds; "x" in a budget is such a ratio.

END

    line('', 'plain', 'ours', 'ratio', 'budget', '');
}


# a row; ok: 1, 0, or undef where there is no budget

sub row ($name, $plain, $ours, $ratio, $budget = '', $ok = undef) {
    my $verdict = defined $ok ? $ok ? 'ok' : 'MISSED' : '';

    $ok ? $met++ : $missed++ if defined $ok;

    line($name, $plain, $ours, $ratio, $budget, $verdict);
}


sub line (@cells) {
    say sprintf('%-38s %21s %21s %6s  %-12s %s', @cells) =~ s/\s+\z//r;
}


sub section ($name) {
    say "\n$name";
}


# servers

sub start_load {
    $load = Load->new($opt{load}, $CPUS > 1 ? 'cpu=1' : ());
    $model_port = $load->{model};

    # client and model server have a descriptor each, and so has the worker;
    # some are in connections that are kept for later
    $max_streams = int(($load->{files} - 600) / 2);
}


# a command of load.c

sub load ($command, %args) {
    $args{port} //= $nginx->port;
    $args{worker} //= ($nginx->workers)[0];

    my $r = $load->run($command, %args);

    push @failed, "$command $args{path}: $r->{errors} errors"
        if $r->{errors};
    push @failed, "$command $args{path}: $r->{ended} streams, $r->{good} good"
        if ($r->{ended} // 0) != ($r->{good} // 0);
    push @failed, "$command $args{path}: nothing in time"
        if !($r->{requests} // $r->{ended});

    return $r;
}


sub start_nginx (%o) {
    return ORS::Nginx->new(make_conf(%o))->start;
}


# module => 0: a server that does not have it; model: the port of another
# model server; store: the directive

sub make_conf (%o) {
    my $files = $max_streams * 2 + 600;

    # nginx closes idle connections when a sixteenth is left
    my $connections = int($files * 1.2);
    my $main = "worker_rlimit_nofile $files;\n";

    $main .= "worker_cpu_affinity 01;\n" if $CPUS > 1;

    return (main => $main, module => $o{module} // 1,
            subst => { MODEL => $o{model} // $model_port,
                       CONNECTIONS => $connections },
            conf => Conf::http(Conf::plain()
                               . ($o{module} // 1 ? Conf::ours() : '')
                               . ($o{store} ? Conf::kept() : ''),
                               $o{store} // ''));
}


# of each kind several, sent in turn: a processor would learn a single one

sub make_bodies {
    my $mb = 1024 * 1024;
    my $several = sub ($n, $size, %o) {
        map { [ Bodies::agent($size + 7 * $_, %o) ] } 0 .. $n - 1;
    };

    add_body('1 KB', $several->(32, 900));
    add_body('100 KB', $several->(32, 100 * 1024));
    add_body('1 MB', $several->(8, $mb));
    add_body('stream', [ Bodies::agent(900, stream => 1) ]);
    add_body('agent', $several->(4, 4 * $mb));
    add_body('picture', [ Bodies::image(4 * $mb) ]);
    add_body('numbers', [ Bodies::numbers(4 * $mb) ]);
}


sub add_body ($name, @pairs) {
    my $file = $name =~ s/ //gr;
    my (@chat, @responses);

    for my $n (0 .. $#pairs) {
        my ($responses, $chat) = @{ $pairs[$n] };

        push @responses, $nginx->write_file("$file.$n.json", $responses);
        push @chat, $nginx->write_file("$file.chat.$n.json", $chat);
    }

    $body{$name} = {
        plain => join(',', @chat),
        map { $_ => join ',', @responses }
            qw( adapter direct request on kept ),
    };
}


# malloc() keeps memory by earlier requests: this is a worker that has seen
# large ones

sub warm_up {
    for my $kind (qw( agent picture )) {
        for my $side (qw( plain adapter direct on )) {
            load('closed', conns => 2, count => 8, path => path($side, '/big'),
                 body => $body{$kind}{$side});
        }
    }
}


# measuring

sub path ($side, $what = '') {
    return $side eq 'plain' ? "/plain$what" : "/$side$what/responses";
}


# both sides in turn, some rounds: what "code" gives for each

sub rounds ($code, $rounds = $ROUNDS, @sides) {
    my (@plain, @ours);

    @sides = qw( plain adapter ) if !@sides;

    for (1 .. $rounds) {
        push @plain, $code->($sides[0]);
        push @ours, $code->($sides[1]);
    }

    return (\@plain, \@ours);
}


sub median (@n) {
    @n = sort { $a <=> $b } @n;
    return $n[$#n / 2];
}


sub ratio ($plain, $ours, $what) {
    return median(map { $what->($ours->[$_])
                        / max(1, $what->($plain->[$_])) } 0 .. $#$plain);
}


sub rates ($name, $budget, $count, $code, @sides) {
    my ($plain, $ours) = rounds($code, $ROUNDS, @sides);
    my $rate = sub ($r) { $r->{$count} / max(1, $r->{cpu}) * 1e9 };
    my $ratio = ratio($plain, $ours, $rate);

    my @cells = map {
        sprintf '%s (%s)', number(median(map { $rate->($_) } @$_)),
                number(median(map { $_->{$count} / $_->{seconds} } @$_))
    } $plain, $ours;

    row($name, @cells, sprintf('%.2f', $ratio),
        $budget ? sprintf('>= %.2f x', $budget) : '',
        $budget ? $ratio >= $budget : undef);

    return median(map { $rate->($_) } @$ours);
}


sub number ($n) {
    $n = sprintf '%.0f', $n;
    1 while $n =~ s/^(-?\d+)(\d{3})/$1,$2/;
    return $n;
}


# rows

sub requests {
    my %budget = ('1 KB' => 0.80, '100 KB' => 0.55, '1 MB' => 0.45);

    section('Requests per second, not streaming');

    requests_row("$_ request", $_, $budget{$_})
        for '1 KB', '100 KB', '1 MB';
}


sub requests_row ($name, $size, $budget, @sides) {
    rates($name, $budget, 'requests', sub ($side) {
        load('closed', conns => $size eq '1 MB' ? 8 : 32,
             seconds => $SECONDS, path => path($side),
             body => $body{$size}{$side});
    }, @sides);
}


sub latency {
    section('Latency, microseconds; the first two at 3,000 requests/s');

    latency_rows();

    # sockets that wait for each other are seen here

    for my $size ('100 KB', '1 MB') {
        my ($plain, $adapter) = rounds(sub ($side) {
            load('closed', conns => 1, seconds => $SECONDS / 2,
                 path => path($side), body => $body{$size}{$side});
        }, max(2, $ROUNDS / 2));

        my @us = map { median(map { $_->{seconds} * 1e6
                                    / max(1, $_->{requests}) } @$_) }
                 $plain, $adapter;

        row("$size requests, one after the other",
            (map { number($_) } @us), sprintf('%+.0f', $us[1] - $us[0]));
    }
}


sub latency_rows (@sides) {
    my %budget = (p50 => 50, p99 => 200);

    my ($plain, $ours) = rounds(sub ($side) {
        load('open', conns => 128, rate => 3000,
             seconds => max(0.5, $SECONDS), path => path($side),
             body => $body{'1 KB'}{$side});
    }, $ROUNDS, @sides);

    for my $p (qw( p50 p99 )) {
        my $added = median(map { $ours->[$_]{$p} - $plain->[$_]{$p} }
                           0 .. $#$plain);

        row("$p of 1 KB requests",
            (map { number(median(map { $_->{$p} } @$_)) } $plain, $ours),
            sprintf('%+.0f', $added), "< +$budget{$p} us",
            $added < $budget{$p});
    }
}


sub streams {
    section('Chunks relayed per second');

    streams_rows(sub ($side, %args) {
        load('streams', %args, path => path($side, $side eq 'plain'
                                            ? '/stream' : ''),
             body => $body{stream}{$side});
    });
}


sub streams_rows ($run, @sides) {
    rates('one by one, 64 streams, saturated', 0.85, 'chunks', sub ($side) {
        $run->($side, conns => 64, mode => 'steps', seconds => $SECONDS);
    }, @sides);

    rates('one by one, 200 streams, 50 a second', 0.85, 'chunks',
          sub ($side) {
        $run->($side, conns => 200, mode => 'paced', rate => 10000,
               seconds => $SECONDS);
    }, @sides);

    my $bulk = rates('in bulk, 8 streams of 2,000 chunks', 0, 'chunks',
                     sub ($side) {
        $run->($side, conns => 8, mode => 'bulk', chunks => 2000,
               seconds => $SECONDS);
    }, @sides);

    row('    of them on one core', '', number($bulk), '', '>= 1,000,000',
        $bulk >= 1e6);
}


# a worker that has served before gives its memory back late, so each
# number is from a new one

sub memory {
    my $chunks = 20;
    my $limit = 32 + 0.2;       # the text of those chunks is with it

    section("Memory of the worker per open stream, KB, after $chunks deltas");

    for my $n (1000, min(10000, $max_streams)) {
        my %kb;

        for my $side (qw( plain adapter )) {
            my $r = fresh(sub {
                my %args = (mode => 'steps', chunks => $chunks, hold => 1,
                            path => path($side, $side eq 'plain'
                                         ? '/stream' : ''),
                            body => $body{stream}{$side});

                load('streams', %args, conns => 4);
                load('streams', %args, conns => $n);
            });

            $kb{$side} = $r->{memory} / $n / 1024;

            push @failed, "$r->{good} of $n streams ended well"
                if $r->{good} != $n;
        }

        row(number($n) . ' streams' . ($n == $max_streams
                                       ? ' (limit of descriptors)' : ''),
            (map { sprintf '%.1f', $kb{$_} } qw( plain adapter )),
            sprintf('%.2f', $kb{adapter} / $kb{plain}), '<= 32',
            $kb{adapter} <= $limit);
    }
}


# with a worker of its own, that is gone afterwards

sub fresh ($code) {
    my $old = $nginx;

    $nginx = start_nginx();

    my $r = $code->();

    $nginx->stop;
    $nginx = $old;

    return $r;
}


sub big {
    section('One 4 MB body, ms: from its last byte to the first one upstream');

    big_rows($_) for qw( agent picture numbers );

    my ($plain, $adapter) = rounds(sub ($side) {
        load('open', conns => 32, rate => 1000, seconds => $SECONDS,
             path => '/tiny', more => first_of($body{agent}{$side}),
             morepath => path($side, '/big'));
    }, max(2, $ROUNDS / 2));

    row('tiny request beside them, p99',
        (map { sprintf '%.2f', median(map { $_->{p99} / 1000 } @$_) }
         $plain, $adapter), '');
}


sub first_of ($files) {
    return $files =~ s/,.*//r;
}


sub big_rows ($kind, @sides) {
    my ($plain, $ours) = rounds(sub ($side) {
        load('closed', conns => 1, seconds => $SECONDS / 2,
             path => path($side, '/big'), body => $body{$kind}{$side});
    }, max(2, $ROUNDS / 2), @sides);

    my @ms = map { median(map { $_->{hold_p50} / 1000 } @$_) } $plain, $ours;

    row($kind, (map { sprintf '%.2f', $_ } @ms),
        sprintf('%.2f', $ms[1] / max(0.01, $ms[0])), '<= 10', $ms[1] <= 10);

    row('    processor time of a request',
        (map { sprintf '%.2f', median(map { $_->{cpu} / 1e6
                                            / max(1, $_->{requests}) }
                                      @$_) } $plain, $ours), '');
}


# in front of a server of the Responses API

sub validator {
    my %budget = ('1 KB' => 0.95, '100 KB' => 0.60, '1 MB' => 0.50);

    section('Validator: requests per second');

    for my $what (qw( request on )) {
        requests_row("$_ request, validate $what", $_, $budget{$_}, 'direct',
                     $what) for '1 KB', '100 KB', '1 MB';
    }

    section('Validator: latency, microseconds, at 3,000 requests/s');
    latency_rows(qw( direct on ));

    section('Validator: events relayed per second');

    streams_rows(sub ($side, %args) {
        load('streams', %args, path => path($side, '/stream'),
             body => $body{stream}{$side});
    }, qw( direct on ));

    section('Validator: one 4 MB body, ms until its first byte upstream');
    big_rows($_, qw( direct on )) for qw( agent picture numbers );
}


# a server that loads the module and does not use it, beside one without

sub unused {
    my $without = start_nginx(module => 0);
    my %server = (without => $without, loaded => $nginx);

    section('Requests per second: without the module, and loaded');

    for my $size ('1 KB', '100 KB') {
        rates("$size request, plain", 0.97, 'requests', sub ($side) {
            load('closed', conns => 32, seconds => $SECONDS,
                 port => $server{$side}->port,
                 worker => ($server{$side}->workers)[0],
                 path => path('direct'), body => $body{$size}{direct});
        }, qw( without loaded ));
    }

    $without->stop;
}


# the reading of a request before it may pass; instructions as callgrind counts
# them, of one of the requests

sub walker {
    return if !$opt{walk};

    my %files = ('1 KB' => [ 64, 900 ], '100 KB' => [ 64, 100 * 1024 ],
                 '1 MB' => [ 8, 1024 * 1024 ]);

    section('Reader, and walker in the tables: microseconds (instructions)');

    for my $name ('1 KB', '100 KB', '1 MB') {
        my ($n, $size) = @{ $files{$name} };

        walker_row("$name, $n different", map {
            $nginx->write_file("walk$_.json",
                               (Bodies::agent($size + $_ * 7))[0])
        } 1 .. $n);
    }

    my $captured = max_by(sub ($file) { -s $file },
                          glob "$FindBin::Bin/../data/requests/*.json");

    walker_row('largest capture', $captured);
}


sub walker_row ($name, @files) {
    my %r = map { split /=/, $_, 2 } split ' ', `$opt{walk} @files`;

    if (!$r{bytes}) {
        push @failed, "walker: $name";
        return;
    }

    my @count = map { count_of($_, $files[0]) } qw( ngx_ors_json_read
                                                    ngx_ors_validate );

    row("$name, $r{profile}", (map {
        sprintf '%.1f (%s)', $r{$_} / 1000, number(shift @count)
    } qw( read walk )), '', sprintf('%.2f GB/s', $r{bytes} / $r{both}));
}


# instructions of a function and of what it calls

sub count_of ($function, $file) {
    my @valgrind = qw( valgrind --tool=callgrind
                       --callgrind-out-file=/dev/null );
    my $out = `@valgrind --toggle-collect=$function $opt{walk} -1 $file 2>&1`;

    return $out =~ /Collected : (\d+)/ ? $1 : 0;
}


sub max_by ($code, @list) {
    return (sort { $code->($b) <=> $code->($a) } @list)[0];
}


# one call of a model with the longest schema that a client was seen to send

sub schema {
    return if !$opt{schema};

    section('A call beside its schema, microseconds');

    my $file = "$FindBin::Bin/../data/requests/"
               . 'codex-exec-two-shell-calls-2.json';
    my %r = map { split /=/, $_, 2 } split ' ', `$opt{schema} $file`;

    if (!$r{check}) {
        push @failed, 'schema';
        return;
    }

    row("largest capture, $r{schema} bytes", '',
        sprintf('%.1f', $r{check} / 1000), '', '<= 50', $r{check} <= 50_000);
}


sub reader {
    return if !$opt{json};

    section('JSON reader, GB/s');

    for my $line (`$opt{json}`) {
        my ($name, $rate) = $line =~ m{^(.*?)\s+\d+\s+([\d.]+) GB/s}
            or next;

        my $budget = $name =~ /^agent/ ? 1 : $name =~ /^data URL/ ? 4 : 0;

        row($name, '', sprintf('%.2f', $rate), '',
            $budget ? ">= $budget" : '',
            $budget ? $rate >= $budget : undef);
    }
}


# instructions do not depend on the neighbours: what N more requests cost

sub callgrind {
    section('Instructions of the worker (callgrind)');
    under_callgrind(\&callgrind_rows, make_conf());
}


# an nginx of one process; the code gets it, its id, and where dumps are

sub under_callgrind ($code, %conf) {
    my $file = "$opt{out}/callgrind.out";

    unlink glob "$file*";

    under(sub ($t, $pid, $) { $code->($t, $pid, $file) }, \%conf,
          'valgrind', '--tool=callgrind', "--callgrind-out-file=$file");
}


# one process, of its own, run by another program

sub under ($code, $conf, @program) {
    my $t = ORS::Nginx->new(%$conf);

    spew($t->dir . '/nginx.conf',
         slurp($t->dir . '/nginx.conf')
             =~ s/^master_process on;/master_process off;/mr
             =~ s/^worker_cpu_affinity.*\n//mr);

    my $pid = fork // die "cannot fork: $!\n";

    if ($pid == 0) {
        open STDOUT, '>', $t->dir . '/logs/program.log';
        open STDERR, '>&', \*STDOUT;
        exec @program, $ENV{TEST_NGINX_BINARY}, '-p', $t->dir, '-c',
             $t->dir . '/nginx.conf', '-e', $t->dir . '/logs/error.log';
    }

    my $nginx = wait_for(sub { -s $t->dir . '/logs/nginx.pid' }, 90)
                && int slurp($t->dir . '/logs/nginx.pid');

    if ($nginx) {
        $code->($t, $pid, $nginx);

    } else {
        say slurp($t->dir . '/logs/program.log');
        push @failed, "nginx does not start under $program[0]";
    }

    kill 'TERM', $nginx || $pid;
    waitpid $pid, 0;
}


# a function that gives the instructions since its last call

sub counter ($pid, $file) {
    my $dumps = 0;

    return sub {
        `callgrind_control -d $pid 2>&1`;
        $dumps++;

        my ($sum) = slurp("$file.$dumps") =~ /^(?:summary|totals): (\d+)/m;

        return $sum // die "callgrind_control does not work\n";
    };
}


sub callgrind_rows ($t, $pid, $file) {
    my $count = counter($pid, $file);

    my $cost = sub ($command, %args) {
        load($command, %args, port => $t->port, worker => 0);

        return $count->();
    };

    my $rows = sub ($name, $n, $sides, $code) {
        my @each;

        for my $side (@$sides) {
            $code->($side, 10);

            my $once = $code->($side, $n);
            my $twice = $code->($side, 2 * $n);

            push @each, ($twice - $once) / $n;
        }

        row($name, (map { number($_) } @each),
            sprintf('%.2f', $each[0] / $each[1]));
    };

    for my $sides ([qw( plain adapter )], [qw( direct request )],
                   [qw( direct on )])
    {
        my $what = $sides->[1];

        for my $size ('1 KB', '100 KB') {
            $rows->("$what: $size request", $opt{quick} ? 50 : 200, $sides,
                    sub ($side, $n) {
                $cost->('closed', conns => 1, count => $n,
                        path => path($side), body => $body{$size}{$side});
            });
        }

        next if $what eq 'request';

        for my $mode (qw( steps bulk )) {
            my $n = $mode eq 'bulk' ? 5000 : 500;

            $rows->("$what: chunk, " . ($mode eq 'bulk' ? 'in bulk'
                                                        : 'one by one'),
                    $n, $sides, sub ($side, $chunks) {
                $cost->('streams', conns => 1, mode => $mode,
                        chunks => $chunks,
                        path => path($side, $side eq 'adapter' ? ''
                                            : '/stream'),
                        body => $body{stream}{$side});
            });
        }
    }

    unlink $file;
}


# the worker's system calls for each request, and for each chunk

sub syscalls {
    section('System calls of the worker (strace), page faults');

    my $file = "$opt{out}/strace.out";

    under(sub ($t, $, $pid) { syscalls_rows($t->port, $pid, $file) },
          { make_conf() }, 'strace', '-o', $file);
}


sub syscalls_rows ($port, $pid, $file) {
    for my $side (qw( plain adapter on )) {
        for my $size ('1 KB', '100 KB', '1 MB') {
            Trace::row("$side: $size request", $pid, $file, 40, sub ($n) {
                load('closed', conns => 1, count => $n, port => $port,
                     worker => 0, path => path($side),
                     body => $body{$size}{$side});
            });
        }

        my $path = path($side, $side eq 'adapter' ? '' : '/stream');

        for my $mode (qw( steps bulk )) {
            Trace::row("$side: 100 chunks, $mode", $pid, $file, 10, sub ($n) {
                load('streams', conns => 1, mode => $mode, chunks => 100 * $n,
                     port => $port, worker => 0, path => $path,
                     body => $body{stream}{$side});
            });
        }
    }
}


# the engine alone, on a loop of its own, and below an nginx

sub store {
    return if !$opt{store};

    my $dir = "$opt{out}/store";
    my %r = map { /^(\S+) (.*)/ ? ($1, { map { split /=/ } split ' ', $2 })
                                : () } `$opt{store} $dir $SECONDS`;

    push @failed, "$opt{store} has failed" if $?;

    section('Store (LMDB), 10 KB a turn, 256 clients');

    store_row('turns stored/s', $r{put}{rate}, 5000);
    store_row('turns stored/s, sync=off', $r{'put-nosync'}{rate});
    store_row('contexts of a turn loaded/s', $r{load}{rate}, 10_000);
    store_row('both, of each', $r{mixed}{rate} / 2);
    store_row("context at turn $_, microseconds", $r{"turn-$_"}{us})
        for 10, 100, 1000;

    my ($cpu, $loop) = map { number($_) } $r{'turn-1000'}->@{qw( thread loop )};

    row('... processor time of thread (loop)', '', "$cpu ($loop)", '',
        '<= 3,000', $r{'turn-1000'}{thread} <= 3000);
    store_row('bytes on the disk for a turn', $r{put}{disk});

    for my $what (qw( put load mixed )) {
        my $p99 = $r{$what}{p99};

        row("pauses of the loop, p99, us: $what", '',
            number($p99) . ' (' . number($r{$what}{cpu99}) . ' cpu)', '',
            '< 2,000', $p99 < 2000);
    }

    kept_row("10 KB request, sync=$_", 10, "lmdb:db size=8g sync=$_")
        for qw( on off );

    section('Store (Redis), 128 clients');

    my $redis = ORS::Redis->new;

    kept_row("$_ KB request", $_, 'redis:' . $redis->address) for 1, 16;
}


# requests of "kb" KB, without a store and with this one

sub kept_row ($name, $kb, $store) {
    my $kept = start_nginx(store => "open_responses_store main $store;");
    my %server = (adapter => $nginx, kept => $kept);
    my $size = "$kb KB";

    add_body($size, map { [ Bodies::agent($kb * 1024 + 7 * $_) ] } 0 .. 31);

    rates($name, '', 'requests', sub ($side) {
        load('closed', conns => 128, seconds => $SECONDS,
             port => $server{$side}->port,
             worker => ($server{$side}->workers)[0],
             path => path($side), body => $body{$size}{$side});
    }, qw( adapter kept ));

    $kept->stop;
}


# turns one after the other: Chat Completions through a plain proxy, then the
# gateway's over HTTP and over a WebSocket

sub websocket {
    my $model = Turns->model;
    my %conf = make_conf(model => $model->{port},
                         store => 'open_responses_store main lmdb:db;');
    my $t = ORS::Nginx->new(%conf)->start;
    my ($worker) = $t->workers;
    my ($responses, $chat) = Bodies::agent(900, stream => 1);
    my %way = (plain => [ 'http', '/plain/stream', $chat ],
               http => [ 'http', '/kept/responses', $responses ],
               socket => [ 'websocket', '/kept/responses', $responses ]);
    my %client;

    section('Turns of 1 KB, an answer of 20 chunks; rate, or microseconds');

    my $some = sub ($side) {
        my ($how, $path, $body) = @{ $way{$side} };
        my $c = $client{$side} //= Turns->$how($t->port, $path);
        my ($cpu, $begin, @us) = (cpu_of($worker), time);

        while (time - $begin < $SECONDS) {
            my $at = time;

            $c->turn($body);
            push @us, (time - $at) * 1e6;
        }

        return { turns => scalar @us, cpu => cpu_of($worker) - $cpu,
                 seconds => time - $begin, us => median(@us) };
    };

    for my $sides ([qw( plain http )], [qw( plain socket )],
                   [qw( http socket )])
    {
        rates("$sides->[0], $sides->[1]: turns", '', 'turns', $some, @$sides);

        my ($one, $two) = map { median(map { $_->{us} } @$_) }
                              rounds($some, $ROUNDS, @$sides);

        row("$sides->[0], $sides->[1]: time of a turn", number($one),
            number($two), sprintf('%.2f', $two / $one));
    }

    my $n = $opt{quick} ? 50 : 200;

    section("A conversation of $n turns, HTTP by id and stored beside");

    my %chain = (whole => 'http', id => 'websocket', stored => 'http');
    my %all = map {
        my ($way, $how) = ($_, $chain{$_});
        my $c = Turns->$how($t->port, '/kept/responses');
        my $cpu = cpu_of($worker);

        $c->chain($way, $n);
        $way => { sent => $c->{sent} / 1000, received => $c->{received} / 1000,
                  cpu => (cpu_of($worker) - $cpu) / 1e6 };
    } sort keys %chain;

    $t->stop;

    under_callgrind(sub ($t, $pid, $file) {
        my $count = counter($pid, $file);

        for my $side (qw( plain http socket )) {
            my ($how, $path, $body) = @{ $way{$side} };
            my $c = Turns->$how($t->port, $path);

            $c->turn($body) for 1 .. 10;
            $count->();
            $c->turn($body) for 1 .. 200;
            $way{$side} = $count->() / 200;
        }

        for my $way (sort keys %chain) {
            my $how = $chain{$way};

            Turns->$how($t->port, '/kept/responses')->chain($way, $n);
            $all{$way}{instructions} = $count->() / 1e6;
        }
    }, %conf);

    for my $side (qw( whole id )) {
        my $name = $side eq 'id' ? 'WebSocket by id' : 'HTTP, all of it';

        row("$name: $_->[1]",
            map({ number($_) } $all{stored}{$_->[0]}, $all{$side}{$_->[0]}),
            sprintf('%.2f', $all{$side}{$_->[0]} / $all{stored}{$_->[0]}))
            for [ sent => 'KB sent' ], [ received => 'KB received' ],
                [ cpu => 'ms of CPU' ],
                [ instructions => 'million instructions' ];
    }

    section('Instructions of a turn (callgrind)');

    for my $sides ([qw( plain http )], [qw( http socket )]) {
        my ($one, $two) = @way{@$sides};

        row("$sides->[0], $sides->[1]", number($one), number($two),
            sprintf('%.2f', $one / $two));
    }

    $model->stop;
}


# ns of all threads of a process

sub cpu_of ($pid) {
    return sum(map { (split ' ', slurp($_))[0] }
                   glob "/proc/$pid/task/*/schedstat");
}


sub store_row ($name, $n, $least = 0) {
    row($name, '', number($n), '', $least ? '>= ' . number($least) : '',
        $least ? $n >= $least : undef);
}
