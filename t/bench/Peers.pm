package Peers;

# Copyright (C) Open Responses contributors
#
# The servers that the gateway is compared with: how each is started, as its
# own documentation says for one server of Chat Completions, with nothing that
# a request does not need.
#
#     my $peer = Peers::start($name, dir => $dir, model => $port) or ...;
#     $peer->{port}; $peer->{pids}->();  Peers::stop($peer);
#
# peers.sh has put them into $Peers::home.  A bridge translates, what passes
# requests through is a peer of the validator.

use v5.36;
use Bodies ();
use File::Path qw( remove_tree );
use POSIX qw( :sys_wait_h );
use ORS::Util qw( child_pids free_port slurp spew );

our $home;                  # where they are installed

my %PEERS = (
    'codex-relay' => { kind => 'bridge', command => \&codex_relay },
    'onwards' => { kind => 'bridge', command => \&onwards },
    'litellm' => { kind => 'bridge', command => \&litellm },
    'ogx' => { kind => 'bridge', command => \&ogx },
    'smg' => { kind => 'passes', command => \&smg },
);


sub names { qw( codex-relay onwards litellm ogx smg ) }


sub kind ($name) { $PEERS{$name}{kind} }


# the version that is installed; undef: none is

sub version ($name) {
    my $file = "$home/$name/.installed";

    return -e $file ? slurp($file) =~ s/\s+\z//r : undef;
}


sub start ($name, %o) {
    my $port = free_port();
    my $dir = "$o{dir}/$name";

    # nothing of an earlier run
    remove_tree($dir);
    mkdir $dir;

    my @command = $PEERS{$name}{command}->($dir, $port, $o{model});
    my $pid = fork // die "cannot fork: $!\n";

    if ($pid == 0) {
        setpgrp;
        open STDIN, '<', '/dev/null';
        open STDOUT, '>', "$dir/log";
        open STDERR, '>&', \*STDOUT;
        $ENV{HOME} = $dir;
        exec 'taskset', '-c', 0, @command or POSIX::_exit(127);
    }

    return { name => $name, pid => $pid, port => $port, log => "$dir/log",
             path => '/v1/responses', pids => sub { tree($pid) } };
}


sub gone ($peer) {
    return waitpid($peer->{pid}, WNOHANG) == $peer->{pid};
}


sub stop ($peer) {
    kill 'KILL', -$peer->{pid};
    waitpid $peer->{pid}, 0;
}


sub tree ($pid) {
    return ($pid, map { tree($_) } keys %{ child_pids($pid) });
}


sub codex_relay ($dir, $port, $model) {
    return ("$home/codex-relay/bin/codex-relay", '--port', $port,
            '--upstream', "http://127.0.0.1:$model/v1", '--api-key', 'none');
}


sub onwards ($dir, $port, $model) {
    spew("$dir/config.json", <<"END");
{
  "strict_mode": true,
  "targets": {
    "${\ Bodies::MODEL }": {
      "url": "http://127.0.0.1:$model",
      "onwards_key": "none",
      "open_responses": { "adapter": true }
    }
  }
}
END

    return ("$home/onwards/bin/onwards", '-f', "$dir/config.json",
            '--port', $port, '--metrics-port', free_port());
}


sub litellm ($dir, $port, $model) {
    spew("$dir/config.yaml", <<"END");
model_list:
  - model_name: ${\ Bodies::MODEL }
    litellm_params:
      model: openai/${\ Bodies::MODEL }
      api_base: http://127.0.0.1:$model/v1
      api_key: none
      use_chat_completions_api: true
general_settings:
  dangerously_permit_weak_or_unset_master_key: true
END

    return ('env', 'LITELLM_LOCAL_MODEL_COST_MAP=True',
            "$home/litellm/bin/litellm", '--config', "$dir/config.yaml",
            '--host', '127.0.0.1', '--port', $port, '--telemetry', 'False');
}


# to which provider a request goes is the first part of the model's name

sub ogx ($dir, $port, $model) {
    my ($provider) = split /\//, Bodies::MODEL;

    spew("$dir/config.yaml", <<"END");
version: 2
distro_name: bench
apis: [ responses, inference, vector_io, tool_runtime, files ]
providers:
  inference:
  - provider_id: $provider
    provider_type: remote::vllm
    config:
      base_url: http://127.0.0.1:$model/v1
      api_token: none
  responses:
  - provider_id: builtin
    provider_type: inline::builtin
    config:
      persistence:
        responses: { table_name: responses, backend: sql_default }
  vector_io:
  - provider_id: vectors
    provider_type: inline::sqlite-vec
    config:
      db_path: $dir/vectors.db
      persistence: { namespace: vectors, backend: kv_default }
  tool_runtime:
  - provider_id: mcp
    provider_type: remote::model-context-protocol
  files:
  - provider_id: files
    provider_type: inline::localfs
    config:
      storage_dir: $dir/files
      metadata_store: { table_name: files, backend: sql_default }
storage:
  backends:
    kv_default: { type: kv_sqlite, db_path: $dir/kv.db }
    sql_default: { type: sql_sqlite, db_path: $dir/sql.db }
  stores:
    metadata: { namespace: registry, backend: kv_default }
    inference: { table_name: inference_store, backend: sql_default }
    conversations: { table_name: conversations, backend: sql_default }
    prompts: { table_name: prompts, backend: sql_default }
    connectors: { table_name: connectors, backend: sql_default }
registered_resources:
  models:
  - model_id: ${\ Bodies::MODEL }
    provider_id: $provider
    model_type: llm
server:
  host: 127.0.0.1
  port: $port
END

    # it would fetch a list of tokens that LiteLLM comes with
    my ($tokens) = glob "$home/litellm/lib/*/site-packages/litellm/"
                        . 'litellm_core_utils/tokenizers';

    return ('env', "TIKTOKEN_CACHE_DIR=$tokens", "$home/ogx/bin/ogx",
            'run', '--insecure', "$dir/config.yaml");
}


sub smg ($dir, $port, $model) {
    return ("$home/smg/bin/smg", 'launch', '--worker-urls',
            "http://127.0.0.1:$model", '--backend', 'openai', '--host',
            '127.0.0.1', '--port', $port, '--prometheus-host', '127.0.0.1',
            '--prometheus-port', free_port());
}


1;
