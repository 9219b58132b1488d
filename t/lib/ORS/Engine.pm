package ORS::Engine;

# Copyright (C) Open Responses contributors
#
# A server of Chat Completions that was not written here, before a small
# model: llama.cpp's for Python, as t/sdk/engine/requirements.txt names it.
#
#     my $engine = ORS::Engine->new(text => 'gemma', tools => 'chatml');
#
#     $engine->address       # for %%NAME%% in a configuration
#     $engine->dir           # a directory for the tests' own files
#     $engine->log           # what it wrote
#
# Each name is one of the model's, each value what a conversation is to it
# (llama-cpp-python's "chat_format").  The server takes one request at a time.

use v5.36;
use File::Temp ();
use POSIX ();
use ORS::HTTP qw( get );
use ORS::JSON qw( json_encode );
use ORS::Nginx ();
use ORS::Util qw( free_port slurp spew wait_for );

# a machine that has other things to do
use constant PATIENCE => 120 * ($ENV{TEST_NGINX_WAIT} || 1);

my $VENV = "$ORS::Nginx::ROOT/t/sdk/engine/.venv";
my $OWNER = $$;


sub new ($class, %formats) {
    my $self = bless { port => free_port(), dir => File::Temp->newdir };

    -e "$VENV/model.gguf" or die "$VENV is missing, run: make test-engine\n";

    spew("$self->{dir}/models.json", json_encode({
        host => '127.0.0.1', port => $self->{port},
        models => [ map {
            { model => "$VENV/model.gguf", model_alias => $_, n_ctx => 2048,
              n_threads => 2, chat_format => $formats{$_} }
        } sort keys %formats ] }));

    $self->{pid} = fork // die "cannot fork: $!\n";

    if ($self->{pid} == 0) {
        open STDOUT, '>', "$self->{dir}/log";
        open STDERR, '>&', \*STDOUT;

        exec "$VENV/bin/python", '-m', 'llama_cpp.server', '--config_file',
              "$self->{dir}/models.json"
            or POSIX::_exit(127);
    }

    my $there = 0;

    wait_for(sub {
        return 1 if waitpid $self->{pid}, POSIX::WNOHANG;

        $there = eval { get($self->{port}, '/v1/models')->{status} == 200 };
    }, PATIENCE);

    $there or die "the engine does not start:\n", $self->log;

    return $self;
}


sub address ($self) { "127.0.0.1:$self->{port}" }


sub dir ($self) { "$self->{dir}" }


sub log ($self) { slurp("$self->{dir}/log") }


sub DESTROY ($self) {
    return if $$ != $OWNER || !$self->{pid};

    local ($?, $!, $@);

    kill 'KILL', $self->{pid};
    waitpid $self->{pid}, 0;
}


1;
