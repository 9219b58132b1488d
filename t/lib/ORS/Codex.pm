# Copyright (C) Open Responses contributors

# Sessions of Codex, its command line as it comes from npm, in folders and
# homes of their own:
#
#     my $codex = ORS::Codex->new(model => $model, base => "$url/v1");
#     my $s = $codex->session('name of a model');
#
#     is($s->{status}, 0, 'exit status') or diag($codex->log($s));
#
#     my $begun = $codex->start('name', @options);    # {pid, tmp, dir}
#     $s = $codex->finish($begun);

package ORS::Codex;

use v5.36;
use File::Temp ();
use JSON::PP ();
use POSIX ();
use ORS::Nginx ();
use ORS::Util qw( slurp spew );

use Exporter qw( import );

our @EXPORT_OK = qw( said );

# its items of a search have two members "id"

my $json = JSON::PP->new->utf8;

my ($codex) = glob "$ORS::Nginx::ROOT/t/sdk/codex/node_modules/\@openai/"
                   . 'codex-linux-*/vendor/*/bin/codex';


# base: the URL of the gateway; websockets: it is said to speak them; model:
# an ORS::Model, which the gateway calls

sub new ($class, %o) {
    -x ($codex // '') or die "Codex is not installed, run: make test-codex\n";

    return bless { %o }, $class;
}


# a folder and a home

sub place ($self, $name) {
    my $tmp = File::Temp->newdir;
    my $websockets = $self->{websockets} ? 'true' : 'false';

    mkdir "$tmp/$_" for qw( home work );
    spew("$tmp/work/old.txt", "one\ntwo\n");

    spew("$tmp/home/config.toml", <<"TOML");
model = "$name"
model_provider = "gateway"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.gateway]
name = "gateway"
base_url = "$self->{base}"
wire_api = "responses"
env_key = "GATEWAY_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = $websockets
TOML

    return $tmp;
}


# begins a session: {pid, out, tmp, dir, asked}

sub start ($self, $name, @options) {
    my $tmp = $self->place($name);
    my $asked = $self->{model}->count;
    my $pid = open my $out, '-|';

    defined $pid or die "cannot fork: $!\n";

    return { pid => $pid, out => $out, tmp => $tmp, dir => "$tmp/work",
             asked => $asked } if $pid;

    delete @ENV{ grep { /proxy\z/i } keys %ENV };
    @ENV{qw( HOME CODEX_HOME )} = ("$tmp/home") x 2;
    $ENV{GATEWAY_KEY} = 'none';

    open STDIN, '<', '/dev/null';
    open STDERR, '>', "$tmp/err";

    exec 'timeout', 60, $codex, 'exec', '--json', '--skip-git-repo-check',
         '--cd', "$tmp/work", 'Do it.', @options or POSIX::_exit(127);
}


# reads to its end: {tmp, dir, status}, its finished items by type, its errors,
# and what the model was asked

sub finish ($self, $begun) {
    my %s = (%$begun{qw( tmp dir )}, errors => []);
    my $out = $begun->{out};

    while (my $line = <$out>) {
        my $event = $json->decode($line);
        my $item = $event->{item};

        push @{ $s{errors} }, $event->{message} if $event->{type} eq 'error';
        push @{ $s{ $item->{type} } }, $item
            if $event->{type} eq 'item.completed';
    }

    close $out;

    my @requests = $self->{model}->requests;

    return { %s, status => $? >> 8,
             asked => [ map { $_->{json} }
                        @requests[$begun->{asked} .. $#requests] ] };
}


sub session ($self, @o) { $self->finish($self->start(@o)) }


# the texts of its messages

sub said ($s) { map { $_->{text} } @{ $s->{agent_message} } }


# its standard error, for diag()

sub log ($self, $s) { slurp("$s->{tmp}/err") }


1;
