package ORS::Nginx;

# Copyright (C) Open Responses contributors
#
# A real nginx in a temporary directory on free loopback ports.
#
#     use Test::More;
#     use ORS::Nginx;
#     use ORS::Model;
#     use ORS::HTTP qw( post_json );
#     use ORS::Stream qw( stream_ok );
#
#     my $model = ORS::Model->new(scripts => { ... });
#
#     my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
#         server {
#             listen 127.0.0.1:%%PORT_0%%;
#
#             location /v1/ {
#                 open_responses         on;
#                 open_responses_target  default /to/model;
#             }
#
#             %%CHAT /to/model /v1/chat/completions%%
#         }
#     CONF
#
#     $t->start;
#
#     my $r = post_json($t->port, '/v1/responses',
#                       { model => 'x', input => 'hi', stream => \1 });
#     stream_ok($r, 'plain text');
#
#     $t->wait_log(qr/something in the error log/);
#     $t->provokes(qr/connect\(\) failed/);     # a [crit] this test expects
#     $t->reload($new_conf);                    # or without a text: the same
#     my ($code, $out) = ORS::Nginx->conf_test('server { nonsense; }');
#
#     $t->finish;                               # one test: all is well
#     done_testing();
#
# conf: the inside of http { }; or a whole file if it has an events { }
#     block; or top-level text if it has an http { } block but no events.
#     Text before http { } can be added by main => '...', directives before
#     the servers by http => '...'.
# Placeholders: %%PORT_0%% ... any number, %%TESTDIR%%, %%MODEL%% (address
#     of the model given), %%NAME%% for each entry of subst => { NAME => .. },
#     %%CHAT /place /path%% (a location /place, a chat target that asks that
#     model server for /path).
# Options: module => 0 (do not load ours), workers => N, model => $m or
#     { MODEL => $m, MODEL2 => $m2 }, quit_may_hang => 1 (requests may still
#     be open when finish() asks nginx to leave), quit_timeout => 60.
# Environment: TEST_NGINX_BINARY, TEST_NGINX_MODULE ("" means built in),
#     TEST_NGINX_DEBUG=1 (error log at level debug), TEST_NGINX_ASAN=1,
#     TEST_NGINX_LEAKS=0 (no leak search), TEST_NGINX_LEAVE=1 (keep the
#     directory), TEST_NGINX_GLOBALS (main context), TEST_NGINX_WAIT (factor
#     of the longest time to wait).
#
# finish() is one test: no [alert], [crit] or [emerg] in the error log that
# the test did not announce, no sanitizer report, the same workers as at the
# start (reload() counts as a new start), and they leave on SIGQUIT once the
# client's connections are closed.  A test that forgets finish() fails.

use v5.36;
use Cwd ();
use File::Basename ();
use File::Temp ();
use POSIX qw( :sys_wait_h );
use Test::More ();
use Time::HiRes qw( sleep );
use ORS::Util qw( free_port wait_for slurp spew child_pids PATIENCE );

our $ROOT = Cwd::abs_path(File::Basename::dirname(__FILE__) . '/../../..');

use constant CONNECTIONS => 1024;

my $OWNER = $$;
my %alive;

$SIG{$_} //= sub { exit 130 } for qw( INT TERM HUP );


sub new ($class, %o) {
    my $dir = File::Temp::tempdir('ors-XXXXXXXX', TMPDIR => 1);

    chmod 0755, $dir;       # workers of a master that is root are not

    my $self = bless {
        conf => '', main => '', http => '', module => 1, workers => 1,
        %o, dir => $dir, ports => [], provokes => [], subst => {
            TESTDIR => $dir, %{ $o{subst} // {} } },
    }, $class;

    mkdir "$dir/$_" for qw( logs sanitizer tmp );

    my $models = ref $o{model} eq 'HASH' ? $o{model}
               : $o{model} ? { MODEL => $o{model} } : {};
    $self->{subst}{$_} = $models->{$_}->address for keys %$models;

    spew("$dir/nginx.conf", $self->_conf_text($self->{conf}));

    return $self;
}


sub dir ($self) { $self->{dir} }
sub store ($self) { $self->{store} }
sub pid ($self) { $self->{pid} }


# the port of %%PORT_n%%; a number is taken at the first mention

sub port ($self, $n = 0) {
    return $self->{ports}[$n] //= free_port();
}


sub address ($self, $n = 0) {
    return '127.0.0.1:' . $self->port($n);
}


sub start ($self) {
    die "already started\n" if $self->{pid};

    my $dir = $self->{dir};
    my $pid = fork // die "cannot fork: $!\n";

    if ($pid == 0) {
        $self->_exec('-e', "$dir/logs/error.log");
    }

    $self->{pid} = $pid;
    $self->{stopped} = 0;
    $alive{$pid} = $self;

    # listening comes before the first worker, so none is kept waiting
    my $up = wait_for(sub {
        return -1 if waitpid($pid, WNOHANG) == $pid;
        return 0 if !-s "$dir/logs/nginx.pid";
        return $self->workers == $self->{workers};
    });

    if ($up <= 0) {
        delete $self->{pid} if $up == -1;
        delete $alive{$pid} if $up == -1;
        $self->{finished} = 1;
        $self->stop if $up == 0;
        die "nginx did not start:\n" . slurp("$dir/logs/stderr.log")
            . $self->error_log . "\n";
    }

    $self->{born} = [ $self->workers ];

    return $self;
}


# SIGQUIT: requests in flight may end; SIGTERM after the time-out.
# Returns 1 if nginx left on SIGQUIT.

sub stop ($self, %o) {
    my $pid = delete $self->{pid} or return 1;
    my $polite = 1;

    kill 'QUIT', $pid;

    my $timeout = $o{timeout} // $self->{quit_timeout}
                  // ($self->{quit_may_hang} ? 0.5 : PATIENCE);

    if (!_gone($pid, $timeout)) {
        $polite = 0;
        kill 'TERM', $pid;

        if (!_gone($pid, PATIENCE)) {
            kill 'KILL', keys %{ child_pids($pid) }, $pid;
            waitpid $pid, 0;
        }
    }

    $self->{exit} = $?;
    delete $alive{$pid};

    return $polite;
}


# SIGHUP, then waits for the new worker; with a text the configuration is
# replaced first.  wait_old => 1 waits for the old workers to leave too.
# Returns 0 and says nothing if nginx refuses the configuration.

sub reload ($self, $conf = undef, %o) {
    my @old = $self->workers;
    my $mark = length $self->error_log;

    if (defined $conf) {
        spew("$self->{dir}/nginx.conf", $self->_conf_text($conf));
    }

    kill 'HUP', $self->{pid};

    my $new = wait_for(sub {
        return -1 if substr($self->error_log, $mark) =~ /\[emerg\]/;

        my %now = map { $_ => 1 } $self->workers;
        return keys %now == $self->{workers} && !grep { $now{$_} } @old;
    });

    return 0 if $new <= 0;

    if ($o{wait_old}) {
        wait_for(sub { !grep { kill 0, $_ } @old }) or return 0;
    }

    $self->{born} = [ $self->workers ];

    return 1;
}


# pids of the workers that take connections; all => 1: and of those leaving

sub workers ($self, %o) {
    my $children = child_pids($self->{pid} // return);
    my $like = $o{all} ? qr/worker process/ : qr/worker process\s*\z/;

    my @pids = sort { $a <=> $b }
               grep { $children->{$_} =~ $like } keys %$children;

    return @pids;      # their number in scalar context
}


sub error_log ($self) { slurp("$self->{dir}/logs/error.log") }
sub access_log ($self) { slurp("$self->{dir}/logs/access.log") }


# without nginx's own entries at level debug: they quote headers, line by line

sub log_lines ($self) {
    return join '', grep { !/ \[debug\] / || /[#:*\d] ors / }
                    split m!^(?=\d{4}/\d\d/\d\d )!m, $self->error_log;
}


sub log_mark ($self) { length $self->error_log }
sub log_since ($self, $mark) { substr $self->error_log, $mark }


sub wait_log ($self, $re) {
    return wait_for(sub { $self->error_log =~ $re });
}


# resident memory of a worker in bytes

sub memory ($self, $pid = ($self->workers)[0]) {
    return slurp("/proc/$pid/status") =~ /^VmRSS:\s+(\d+) kB/m
           ? $1 * 1024 : 0;
}


# number of open descriptors of a worker, to find leaks

sub open_files ($self, $pid = ($self->workers)[0]) {
    my @fds = glob "/proc/$pid/fd/*";
    return scalar @fds;
}


# a file in the directory of the test; gives its path

sub write_file ($self, $name, $text) {
    my $path = "$self->{dir}/$name";

    spew($path, $text);
    chmod 0644, $path;

    return $path;
}


# a line of the error log at [crit] or above that this test brings about

sub provokes ($self, @re) {
    push @{ $self->{provokes} }, @re;
    return $self;
}


# nginx -t; on a class or on an object (then with its placeholders).
# Returns the exit code and all output.

sub conf_test ($class, $conf, %o) {
    my $self = ref $class ? $class : undef;
    my $t = (ref $class || $class)->new(
        ($self ? map { $_ => $self->{$_} } qw( module main http ) : ()),
        %o, conf => $conf,
        subst => { ($self ? %{ $self->{subst} } : ()),
                   %{ $o{subst} // {} } });

    $t->{finished} = 1;

    my $out = "$t->{dir}/logs/stderr.log";
    my $pid = fork // die "cannot fork: $!\n";

    if ($pid == 0) {
        $t->_exec('-t', '-e', 'stderr');
    }

    waitpid $pid, 0;

    my ($code, $text) = ($? & 127 ? 128 + ($? & 127) : $? >> 8, slurp($out));

    $text .= $_ for map { slurp($_) } glob "$t->{dir}/sanitizer/*";
    $code ||= 99 if glob "$t->{dir}/sanitizer/*";

    return ($code, $text);
}


sub finish ($self, $name = 'nginx is well at the end') {
    return if $self->{finished}++;

    ORS::HTTP::Conn->close_all if ORS::HTTP::Conn->can('close_all');

    my @troubles = $self->_troubles;

    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $ok = Test::More::ok(!@troubles, $name);
    Test::More::diag($_) for @troubles;
    Test::More::diag("directory: $self->{dir}") if !$ok;
    $self->{keep} = 1 if !$ok;

    return $ok;
}


# stops nginx and lists what is wrong

sub _troubles ($self) {
    my @troubles;

    if ($self->{pid}) {
        # a worker that died is replaced: the list tells
        my @now = $self->workers;

        push @troubles, "workers were @{ $self->{born} }, are @now"
            if "@now" ne "@{ $self->{born} }";

        push @troubles, 'nginx did not leave on SIGQUIT'
            if !$self->stop && !$self->{quit_may_hang};

        push @troubles, "nginx ended with status $self->{exit}"
            if $self->{exit};
    }

    for my $line (split /\n/, $self->error_log) {
        next if $line !~ /\[(?:emerg|alert|crit)\]/;
        next if grep { $line =~ $_ } @{ $self->{provokes} };
        push @troubles, "error log: $line";
    }

    for my $file (glob("$self->{dir}/sanitizer/*"),
                  "$self->{dir}/logs/stderr.log")
    {
        my $text = _own_leaks(slurp($file));
        push @troubles, "$file:\n" . substr $text, 0, 8000
            if $text =~ /Sanitizer|runtime error:/;
    }

    return @troubles;
}


# without the three arrays of connections that nginx never frees, where it
# has no symbols by which they could be suppressed

sub _own_leaks ($text) {
    $text =~ s{^Indirect\ leak\ of\ (\d+)\ byte\(s\)\ in\ 3\ object\(s\)[^\n]*\n
               \s+\#0\ [^\n]*\n
               \s+\#1\ [^\n]*\bngx_alloc\ \([^\n]*\n
               (?=\n)}
              { $1 % CONNECTIONS ? $& : '' }mex;

    return $text =~ /LeakSanitizer/ && $text !~ /leak of/ ? '' : $text;
}


sub _gone ($pid, $timeout) {
    return wait_for(sub { waitpid($pid, WNOHANG) != 0 }, $timeout);
}


sub _binary () {
    my $binary = $ENV{TEST_NGINX_BINARY} || '/usr/sbin/nginx';
    die "$binary cannot be run\n" if !-x $binary;
    return $binary;
}


sub _module () {
    my $so = $ENV{TEST_NGINX_MODULE}
             // 'build/ngx_http_open_responses_module.so';

    return '' if $so eq '';

    $so = "$ROOT/$so" if $so !~ m{^/};
    die "$so is missing: build it, set TEST_NGINX_MODULE"
        . " or say module => 0\n" if !-e $so;

    return $so;
}


# does not return

sub _exec ($self, @args) {
    my $dir = $self->{dir};
    my $binary = _binary();

    open STDIN, '<', '/dev/null';
    open STDOUT, '>>', "$dir/logs/stderr.log";
    open STDERR, '>&', \*STDOUT;

    $SIG{$_} = 'DEFAULT' for qw( INT TERM HUP PIPE );

    if ($ENV{TEST_NGINX_ASAN}) {
        # nginx -t leaves without tidying up
        my $leaks = ($ENV{TEST_NGINX_LEAKS} // 1) && $args[0] ne '-t' ? 1 : 0;
        my $log = "log_path=$dir/sanitizer/report";

        $ENV{ASAN_OPTIONS} = join ':', $log, 'detect_odr_violation=0',
            "detect_leaks=$leaks", 'abort_on_error=0', 'exitcode=86',
            $ENV{ASAN_OPTIONS} || ();
        $ENV{UBSAN_OPTIONS} = join ':', $log, 'print_stacktrace=1',
            $ENV{UBSAN_OPTIONS} || ();

        # nginx never frees the connections of a worker
        spew("$dir/leaks", "leak:ngx_event_process_init\n");
        $ENV{LSAN_OPTIONS} = join ':', "suppressions=$dir/leaks",
            'print_suppressions=0', $ENV{LSAN_OPTIONS} || ();

        # a module with a sanitizer in an nginx without one
        if (slurp($binary) !~ /libasan\.so/) {
            chomp(my $lib = `gcc -print-file-name=libasan.so 2>/dev/null`);
            $ENV{LD_PRELOAD} = join ' ', grep { $_ }
                               $lib, $ENV{LD_PRELOAD};
        }

        chmod 0777, "$dir/sanitizer";
    }

    exec { $binary } $binary, '-p', $dir, '-c', "$dir/nginx.conf", @args
        or print STDERR "cannot run $binary: $!\n";
    POSIX::_exit(127);
}


sub _conf_text ($self, $conf) {
    my $main = '';

    $main .= "user root;\n" if $> == 0;
    $main .= "daemon off;\nmaster_process on;\n";
    $main .= "worker_processes $self->{workers};\n";
    $main .= "pid %%TESTDIR%%/logs/nginx.pid;\n";
    $main .= 'error_log %%TESTDIR%%/logs/error.log '
             . ($ENV{TEST_NGINX_DEBUG} ? 'debug' : 'info') . ";\n";

    if ($self->{module} && (my $so = _module())) {
        $main .= "load_module $so;\n";
    }

    $main .= ($ENV{TEST_NGINX_GLOBALS} // '') . "\n$self->{main}\n";

    my $http = "access_log %%TESTDIR%%/logs/access.log;\n";
    $http .= "${_}_temp_path %%TESTDIR%%/tmp/$_;\n"
        for qw( client_body proxy fastcgi uwsgi scgi );
    $http .= "$self->{http}\n";

    if ($conf =~ /^\s*events\s*\{/m) {
        # a file of its own: only the places are ours
        $conf =~ s/^(\s*http\s*\{)/$1\n$http/m;
        $conf = "$main$conf";

    } else {
        my $events = sprintf "events { worker_connections %d; }\n",
                             CONNECTIONS;

        if ($conf =~ /^\s*http\s*\{/m) {
            $conf =~ s/^(\s*http\s*\{)/$1\n$http/m;
            $conf = "$main$events$conf";

        } else {
            $conf = "$main${events}http {\n$http\n$conf\n}\n";
        }
    }

    $conf =~ s{%%CHAT (\S+)(?: (\S+))?%%}{<<"CONF" =~ s/\n\z//r}ge;
location = $1 {
    internal;
    open_responses_dialect chat;
    proxy_pass http://%%MODEL%%@{[ $2 // '' ]};
}
CONF
    $conf = $self->_elsewhere($conf) if $ENV{ORS_STORE};
    $conf =~ s/%%PORT_(\d+)%%/$self->port($1)/ge;
    $conf =~ s{%%([A-Z][A-Z0-9_]*)%%}
              { $self->{subst}{$1} // die "no value for %%$1%%\n" }ge;

    return $conf;
}


# t/store_engines.t: stores of LMDB are those of another engine

sub _elsewhere ($self, $conf) {
    my $stores = qr/(open_responses_store \w+) lmdb:[^\s;]+(?: size=\w+)?/;

    return $conf if $conf !~ $stores;

    if ($ENV{ORS_STORE} eq 'redis') {
        require ORS::Redis;
        $self->{store} //= ORS::Redis->new;

        return $conf =~ s/$stores/"$1 redis:" . $self->{store}->address/ger;
    }

    require ORS::StoreServer;
    $self->{store} //= ORS::StoreServer->new;

    my $place = 'location /store/ { internal; proxy_pass http://'
                . $self->{store}->address . '; }';

    return $conf =~ s/$stores/$1 location:\/store\//gr
                 =~ s/^(\s*server \{)/$1 $place/gmr;
}


sub DESTROY ($self) {
    return if $$ != $OWNER;

    local ($?, $!, $@);

    $self->stop(timeout => 0.5);

    if ($self->{dir} && !$self->{keep} && !$ENV{TEST_NGINX_LEAVE}) {
        require File::Path;
        File::Path::remove_tree($self->{dir});
    }
}


# troubles must not be lost when a test forgets finish()

END {
    if ($$ == $OWNER) {
        my $status = $?;

        for my $t (values %alive) {
            my @troubles = $t->_troubles;
            next if $t->{finished};

            Test::More::diag('finish() was not called');
            Test::More::diag($_) for @troubles;
            $t->{keep} = 1 if @troubles;
            $status ||= 1;
        }

        $? = $status;
    }
}


1;
