#!/usr/bin/perl

# Copyright (C) Open Responses contributors
#
# The gateway beside others that serve the Responses API from a server of Chat
# Completions, all with the same requests, model server and processor.
#
#   peers.pl --load=PROGRAM --peers=DIR [--out=DIR] [--quick]
#            [--only=NAME,...]
#
# Server under test and load (client and model server are one process) have a
# processor each.  What a server answers is proven by the stream checker before
# it is timed.  "Added" is what a server takes more than the model server alone,
# which is measured in turn with it.

use v5.36;
use FindBin ();
use Getopt::Long;
use IO::Socket::INET ();
use List::Util qw( first max min sum );
use POSIX ();
use Time::HiRes qw( sleep time );

use lib "$FindBin::Bin/../lib", $FindBin::Bin;
use Bodies ();
use Load ();
use ORS::HTTP ();
use ORS::Nginx;
use ORS::JSON qw( json_decode );
use ORS::Stream qw( check_response check_stream );
use ORS::Util qw( slurp spew );
use Peers ();

my %opt = (out => 'build/bench', peers => 'build/peers', only => '');

GetOptions(\%opt, 'load=s', 'out=s', 'only=s', 'peers=s', 'quick') or exit 2;

my $ROUNDS = $opt{quick} ? 2 : 5;
my $SECONDS = $opt{quick} ? 0.3 : 2;
my $PATIENCE = 300;             # for a server to start
my $CHUNKS = 500;
my $FEW = 2;                    # in a stream of which the first one counts
my $PACE = 20;                  # chunks a second of a sustained stream
my @STREAMS = (10, 30, 100, 300, 1000, $opt{quick} ? () : (2000, 4000));
my @LIMITS = (1, 5, 10);        # ms
my @SIZES = ('1 KB', '100 KB', '1 MB');

# a server that takes more than one answer's time has no rate
my $LEAST_RATE = 4;
my $UNREACHED = 1e9;            # ms

my @ROWS = (
    'answers', 'answer to 1 KB', 'answer to 100 KB', 'answer to 1 MB',
    'stream',
    (map { ("added p50, $_, µs", "added p99, $_, µs") } @SIZES),
    (map { "CPU a request at 8, $_, µs" } @SIZES),
    (map { "requests/s at p99 ≤ $_ ms, 1 KB" } @LIMITS),
    'added time to first token, p50, µs',
    'added time to first token, p99, µs', 'added gap, µs',
    "CPU a chunk, $CHUNKS-chunk streams, µs",
    "streams sustained at $PACE chunks/s",
    'RSS idle, MB', 'RSS peak under load, MB', 'RSS after, MB',
);

my ($load, $dir, %body, %text, @table, $running);

# also when the run is stopped

END {
    $running->{stop}->() if $running;
}

main();


sub main {
    $| = 1;
    $SIG{PIPE} = 'IGNORE';
    $Peers::home = $opt{peers};

    $load = Load->new($opt{load}, cpu(), 'look=1');
    $dir = "$opt{out}/peers";
    mkdir $dir;
    make_bodies();

    my $model = { port => $load->{model}, path => '/v1/responses' };
    my %only = map { $_ => 1 } split /,/, $opt{only};

    prove_all($model);
    $text{$_} = $model->{text}{$_} for keys %{ $model->{text} };

    column($_, $model) for grep { !%only || $only{$_} }
                           qw( nginx gateway validator ), Peers::names();

    $load->stop;
    print_table();
}


# a processor of its own, if there is one

sub cpu {
    my $cpus = () = slurp('/proc/cpuinfo') =~ /^processor\b/mg;
    return $cpus > 1 ? 'cpu=1' : ();
}


sub make_bodies {
    my %size = ('1 KB' => 900, '100 KB' => 100 * 1024, '1 MB' => 1024 * 1024);

    for my $size (@SIZES) {
        $body{$size} = write_bodies($size, map {
            (Bodies::agent($size{$size} + 7 * $_))[0]
        } 0 .. ($size eq '1 MB' ? 3 : 15));
    }

    $body{stream} = write_bodies('stream',
                                 (Bodies::agent(900, stream => 1))[0]);
}


sub write_bodies ($name, @texts) {
    my @files = map { "$dir/" . $name =~ s/ //r . ".$_.json" } 0 .. $#texts;

    spew($files[$_], $texts[$_]) for 0 .. $#texts;

    return join ',', @files;
}


# a server, measured

sub column ($name, $model) {
    my %cell;
    my $peer = $running = start($name, $model);

    push @table, { name => $name, cell => \%cell };

    if (!$peer) {
        $cell{answers} = 'not installed';
        return;
    }

    $table[-1]{name} .= " $peer->{version}";
    say STDERR "$table[-1]{name}";

    if (!await($peer)) {
        $cell{answers} = 'does not start: ' . last_line($peer->{log});

    } else {
        eval { measure($peer, $model, \%cell); 1 }
            or $cell{answers} = "failed: $@" =~ s/\s+\z//r;
    }

    $peer->{stop}->();
    $running = undef;
}


sub last_line ($file) {
    return (split /\n/, slurp($file))[-1] // '';
}


sub start ($name, $model) {
    if ($name =~ /^(?:nginx|gateway|validator)\z/) {
        my $nginx = ORS::Nginx->new(
            main => cpu() ? "worker_cpu_affinity 01;\n" : '',
            conf => nginx_conf($model->{port}))->start;
        my %path = (nginx => '/plain/responses',
                    gateway => '/gateway/responses',
                    validator => '/validator/responses');

        return { port => $nginx->port, path => $path{$name}, strict => 1,
                 version => $name eq 'nginx' ? 'proxy_pass' : '',
                 pids => sub { $nginx->workers },
                 stop => sub { $nginx->stop } };
    }

    my $version = Peers::version($name) // return undef;
    my $peer = Peers::start($name, dir => $dir, model => $model->{port});

    return { %$peer, version => $version
                                . (Peers::kind($name) eq 'passes'
                                   ? ' (passes through)' : ''),
             stop => sub { Peers::stop($peer) } };
}


sub nginx_conf ($model) {
    return <<"CONF";
        events {
            worker_connections 20000;
        }

        http {
            access_log off;
            keepalive_requests 1000000000;
            client_max_body_size 64m;
            client_body_buffer_size 2m;
            proxy_http_version 1.1;
            proxy_set_header Connection "";

            upstream model {
                server 127.0.0.1:$model;
                keepalive 256;
                keepalive_requests 1000000000;
            }

            server {
                listen 127.0.0.1:%%PORT_0%% backlog=4096;

                location /plain/ {
                    proxy_buffering off;
                    proxy_pass http://model/v1/;
                }

                location /validator/ {
                    open_responses_validate on;
                    proxy_buffering off;
                    proxy_pass http://model/v1/;
                }

                location /gateway/ {
                    open_responses on;
                    open_responses_target default /to/model;
                }

                location = /to/model {
                    internal;
                    open_responses_dialect chat;
                    proxy_pass http://model/v1/chat/completions;
                }
            }
        }
CONF
}


# some ask the model server for its models first

sub await ($peer) {
    my $end = time + $PATIENCE;

    while (time < $end) {
        $load->run('serve', seconds => 0.1);

        next if !IO::Socket::INET->new(PeerAddr => '127.0.0.1',
                                       PeerPort => $peer->{port});

        my $r = request($peer, 'closed', '1 KB', conns => 1, count => 1,
                        timeout => 5);
        return 1 if $r->{requests};
    }

    return 0;
}


sub request ($server, $command, $kind, %args) {
    return $load->run($command, port => $server->{port},
                      path => $server->{path}, body => $body{$kind},
                      timeout => 30, lax => 1, %args);
}


sub measure ($peer, $model, $cell) {
    $cell->{'RSS idle, MB'} = mb(rss($peer));

    my @wrong = prove_all($peer);

    $cell->{answers} = @wrong ? 'WRONG' : 'right';
    $cell->{"answer to $_"} = $peer->{wrong}{$_} // 'right' for @SIZES;
    $cell->{stream} = $peer->{wrong}{stream} // 'right';

    # the largest first: what it leaves in memory is seen afterwards
    clear_peak($peer);

    for my $size (reverse @SIZES) {
        requests($peer, $model, $size, $cell) if $peer->{answered}{$size};
    }

    at_limits($peer, $cell) if $peer->{answered}{'1 KB'};
    streams($peer, $model, $cell) if $peer->{answered}{stream};

    $cell->{'RSS peak under load, MB'} = mb(peak($peer));
    $load->run('serve', seconds => 1);
    $cell->{'RSS after, MB'} = mb(rss($peer));
}


# is what a client gets the answer, and is it valid?

sub prove_all ($server) {
    for my $kind (@SIZES, 'stream') {
        my $wrong = prove($server, $kind) // next;

        $server->{wrong}{$kind} = $wrong;
    }

    return values %{ $server->{wrong} // {} };
}


sub prove ($server, $kind) {
    my $file = "$dir/answer." . $kind =~ s/ //r;
    my %args = $kind eq 'stream' ? (mode => 'bulk', chunks => $CHUNKS)
                                 : (count => 1);

    request($server, $kind eq 'stream' ? 'streams' : 'closed', $kind,
            %args, conns => 1, copy => $file);

    my $parser = ORS::HTTP::Parser->new('POST');

    $parser->feed(slurp($file));

    my $r = $parser->reply;

    return 'no answer' if !$r->{status};
    return "status $r->{status}" if $r->{status} != 200;

    # of others, what deviates without harm is no mistake
    my %o = (flavor => 'openai', $server->{strict} ? () : (lax => 1));
    my $s = $kind eq 'stream' ? check_stream($r->{body}, %o)
                              : check_response($r->{body}, %o);

    $server->{text}{$kind} = $kind eq 'stream' && !$server->{strict}
                             ? deltas($r->{body}) : $s->text;

    return 'another text' if !is_text($server, $kind);

    $server->{answered}{$kind} = 1;

    my @errors = @{ $s->errors };

    return @errors ? @errors . ' deviations: ' . $errors[0] : undef;
}


# texts that a client shows that looks at nothing else

sub deltas ($stream) {
    return join '', map { $_->{delta} }
                    grep { ($_->{type} // '') eq 'response.output_text.delta' }
                    map { eval { json_decode($_) } // {} }
                    $stream =~ /^data: (\{.*)/mg;
}


# the model server's text; some ask it for a stream even if their client does
# not

sub is_text ($server, $kind) {
    my $text = $server->{text}{$kind};

    return 1 if !defined $text{$kind} || $text eq $text{$kind};
    return !$server->{strict} && length $text
           && index($text{stream}, $text) == 0;
}


# one connection, then eight

sub requests ($peer, $model, $size, $cell) {
    my (@p50, @p99, $rate);

    for (1 .. $ROUNDS) {
        my ($m, $p) = map {
            request($_, 'closed', $size, conns => 1, whole => 1,
                    seconds => $SECONDS / 2)
        } $model, $peer;

        push @p50, $p->{hold_p50} - $m->{hold_p50};
        push @p99, $p->{hold_p99} - $m->{hold_p99};
        $rate = $p->{requests} / $p->{seconds};
    }

    $cell->{"added p50, $size, µs"} = number(median(@p50));
    $cell->{"added p99, $size, µs"} = number(median(@p99));

    my $count = int max(16, $rate * $SECONDS);
    my @us;

    for (1 .. $ROUNDS) {
        my $before = cpu_time($peer);
        my $r = request($peer, 'closed', $size, conns => 8, count => $count);

        push @us, (cpu_time($peer) - $before) / 1e3 / max(1, $r->{requests});
        return $cell->{"CPU a request at 8, $size, µs"} = 'errors'
            if $r->{errors};
    }

    $cell->{"CPU a request at 8, $size, µs"} = number(median(@us));
}


# the highest rate with its 99th percentile below a limit: by doubling until the
# server cannot follow, then by halving.  A rate is tried also if a lower one
# was over the limit: a processor that sleeps between requests answers later.

sub at_limits ($peer, $cell) {
    my (%p99, @rates);
    my $p99 = sub ($rate) {
        return $p99{$rate} //= min(map { p99_at($peer, $rate) } 1 .. 2);
    };

    for (my $rate = $LEAST_RATE; ; $rate *= 2) {
        push @rates, $rate;
        last if $p99->($rate) == $UNREACHED;
    }

    for my $limit (@LIMITS) {
        my $best = first { $p99->($rates[$_]) <= $limit }
                         reverse 0 .. $#rates - 1;

        $cell->{"requests/s at p99 ≤ $limit ms, 1 KB"}
            = defined $best ? number(between($p99, $limit, @rates[$best,
                                                                 $best + 1]))
                            : "< $LEAST_RATE";
    }
}


sub between ($p99, $limit, $good, $bad) {
    for (1 .. 3) {
        my $middle = int(($good + $bad) / 2);

        last if $middle == $good;
        $p99->($middle) <= $limit ? ($good = $middle) : ($bad = $middle);
    }

    return $good;
}


# in ms

sub p99_at ($peer, $rate) {
    my $r = request($peer, 'open', '1 KB', conns => 64, rate => $rate,
                    seconds => $SECONDS);

    return $UNREACHED if $r->{errors}
                         || $r->{requests} < 0.95 * $rate * $r->{seconds};
    return $r->{p99} / 1e3;
}


sub streams ($peer, $model, $cell) {
    my (@p50, @p99, @gap, @us);

    for (1 .. $ROUNDS) {
        my ($m, $p) = map {
            request($_, 'streams', 'stream', conns => 1, mode => 'bulk',
                    chunks => $FEW, seconds => $SECONDS / 2)
        } $model, $peer;

        push @p50, $p->{first_p50} - $m->{first_p50};
        push @p99, $p->{first_p99} - $m->{first_p99};

        ($m, $p) = map {
            request($_, 'streams', 'stream', conns => 1, mode => 'steps',
                    chunks => $CHUNKS)
        } $model, $peer;

        push @gap, gap($p) - gap($m);

        my $before = cpu_time($peer);
        my $r = request($peer, 'streams', 'stream', conns => 8,
                        mode => 'bulk', chunks => $CHUNKS);

        push @us, (cpu_time($peer) - $before) / 1e3 / max(1, $r->{sent});
    }

    $cell->{'added time to first token, p50, µs'} = number(median(@p50));
    $cell->{'added time to first token, p99, µs'} = number(median(@p99));
    $cell->{'added gap, µs'} = sprintf '%.1f', median(@gap);
    $cell->{"CPU a chunk, $CHUNKS-chunk streams, µs"}
        = sprintf '%.2f', median(@us);
    $cell->{"streams sustained at $PACE chunks/s"} = sustained($peer);
}


sub gap ($r) { $r->{seconds} * 1e6 / max(1, $r->{chunks}) }


# as many as there are, each delta arrives, and soon

sub sustained ($peer) {
    my $most = 0;

    for my $n (@STREAMS) {
        my $r = request($peer, 'streams', 'stream', conns => $n,
                        mode => 'paced', rate => $n * $PACE,
                        seconds => 2 * $SECONDS, timeout => 30);

        last if $r->{good} != $n || $r->{deltas} != $r->{sent}
                || $r->{drain} > 1;
        $most = $n;
    }

    return $most == $STREAMS[-1] ? "≥ $most" : $most ? $most : "< $STREAMS[0]";
}


# processes of a server and all their threads

sub cpu_time ($peer) {
    return sum(0, map { (split ' ', eval { slurp($_) } // '0')[0] }
                  map { glob "/proc/$_/task/*/schedstat" }
                  $peer->{pids}->());
}


sub rss ($peer) { status($peer, 'VmRSS') }
sub peak ($peer) { status($peer, 'VmHWM') }


sub status ($peer, $field) {
    return sum(0, map { (eval { slurp("/proc/$_/status") } // '')
                        =~ /^$field:\s+(\d+)/m ? $1 : 0 } $peer->{pids}->());
}


sub clear_peak ($peer) {
    for my $pid ($peer->{pids}->()) {
        open my $fh, '>', "/proc/$pid/clear_refs" or next;
        print $fh 5;
    }
}


sub mb ($kb) { sprintf '%.1f', $kb / 1024 }


sub median (@n) {
    @n = sort { $a <=> $b } @n;
    return $n[$#n / 2];
}


sub number ($n) {
    $n = sprintf '%.0f', $n;
    1 while $n =~ s/^(-?\d+)(\d{3})/$1,$2/;
    return $n;
}


sub print_table {
    my ($cpu) = slurp('/proc/cpuinfo') =~ /^model name\s*:\s*(.*)/m;
    my @loads = split ' ', slurp('/proc/loadavg');
    my $date = POSIX::strftime('%Y-%m-%d %H:%M UTC', gmtime);

    say "$date; ${\ ($cpu // 'unknown')}; load average $loads[0], $loads[1], "
        . "$loads[2]; $ROUNDS rounds of $SECONDS s.\n";

    say join ' | ', '|', map { $_->{name} } @table, { name => '' };
    say '| --- ' x (@table + 1), '|';

    for my $row (@ROWS) {
        say join ' | ', "| $row", (map { $_->{cell}{$row} // '' } @table), '';
    }
}
