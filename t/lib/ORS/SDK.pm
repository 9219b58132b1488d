package ORS::SDK;

# Copyright (C) Open Responses contributors
#
# Real clients and servers of other people: the SDKs in t/sdk.
#
#     use ORS::SDK qw( aimock gateway node_tests python_tests );
#
#     my $mock = aimock();           # a server of Chat Completions
#     $mock->address                 # for %%NAME%% in a configuration
#     my @r = $mock->requests;       # what it was asked: {path, body, ...}
#
#     my $g = gateway();             # nginx between the SDK and two servers
#     my $g = gateway(validator => 1);   # the same, and a validator in front of
#     it node_tests('openai.mjs', 'openai', $g);       # a package in t/sdk
#     python_tests('openai_test.py', $g);
#     gateway_ok($g, 'name');        # what came to the servers, and the end
#     client_ok($g, 'name');         # the same, of a client of another make
#     $g->{nginx} $g->{model} $g->{aimock}
#
#     my $node = node('ajv');        # the path of Node, for a package's sake
#
# The scripts tell of their tests in lines of JSON, {ok, name, why}, and in
# the end {plan}.  Each becomes a test here; a script that ends early, or
# says nothing for a minute, is a failed one.  What is not installed makes
# the test file fail, and says how to get it.

use v5.36;
use Exporter qw( import );
use IO::Select ();
use POSIX ();
use Test::More ();
use ORS::HTTP qw( get );
use ORS::JSON qw( json_decode );
use ORS::Model qw( :all );
use ORS::Nginx ();
use ORS::Util qw( slurp wait_for PATIENCE );

our @EXPORT_OK = qw( aimock client_ok gateway gateway_ok node node_tests
                     python_tests );

my $DIR = "$ORS::Nginx::ROOT/t/sdk";
my $OWNER = $$;
my %alive;


sub _need (@files) {
    for my $file (@files) {
        next if -e $file;
        die "$file is missing, run: make deps-test\n";
    }
}


# the binary that came with the packages: the system's may be too old

sub node (@packages) {
    my ($node) = glob "$DIR/node/node_modules/node-linux-*/bin/node";

    _need($node // "$DIR/node/node_modules",
          map { "$DIR/node_modules/$_" } @packages);

    return $node;
}


# a child in its own process group; gives {pid, in, out}

sub _spawn (%o) {
    pipe my $child_in, my $in or die "pipe: $!\n";
    pipe my $out, my $child_out or die "pipe: $!\n";

    my $pid = fork // die "cannot fork: $!\n";

    if ($pid == 0) {
        setpgrp;
        $SIG{$_} = 'DEFAULT' for qw( INT TERM HUP PIPE );

        open STDIN, '<&', $child_in;
        open STDOUT, '>&', $child_out;

        delete @ENV{ grep { /proxy\z/i } keys %ENV };
        $ENV{$_} = $o{env}{$_} for keys %{ $o{env} // {} };

        exec { $o{command}[0] } @{ $o{command} } or POSIX::_exit(127);
    }

    close $child_in;
    close $child_out;
    $alive{$pid} = 1;

    return { pid => $pid, in => $in, out => $out, buffer => '' };
}


# the next line, or undef at the end or when the time is over

sub _line ($child, $timeout) {
    my $end = time + $timeout;
    my $select = IO::Select->new($child->{out});

    while ($child->{buffer} !~ /\n/) {
        $select->can_read($end - time) or return undef;
        sysread $child->{out}, $child->{buffer}, 65536,
                length $child->{buffer} or return undef;
    }

    $child->{buffer} =~ s/\A(.*)\n//;
    return $1;
}


sub _end ($child) {
    my $pid = delete $child->{pid} or return;

    close $child->{in};

    if (!wait_for(sub { waitpid($pid, POSIX::WNOHANG) != 0 })) {
        kill 'KILL', -$pid;
        waitpid $pid, 0;
    }

    delete $alive{$pid};
    return $?;
}


# ---- aimock


sub aimock () {
    my $node = node('@copilotkit/aimock');

    my $self = _spawn(command => [ $node, "$DIR/aimock.mjs" ]);

    $self->{port} = _line($self, PATIENCE) or die "aimock did not start\n";

    return bless $self;
}


sub address ($self) { "127.0.0.1:$self->{port}" }


sub requests ($self) {
    return grep { $_->{path} !~ m{^/__} }
           @{ get($self->{port}, '/__aimock/journal')->{json} };
}


sub DESTROY ($self) {
    return if $$ != $OWNER;

    local ($?, $!, $@);

    _end($self);
}


# ---- the gateway of the SDKs' tests


my $hello = json_script(chat_reply(content => 'Hello'));

# a stream that stands still until the client is gone

my sub hangs ($name) {
    return [ sse_head(), [ sse => chat_chunk(content => 'a') ],
             [ hang => $name ] ];
}


my %scripts = (
    'mock-text' => $hello,
    'mock-image' => $hello,
    'mock-forced' => json_script(chat_reply(tool_calls => [
        { id => 'call_0', name => 'get_weather', arguments => '{}' } ])),
    'mock-refusal' => json_script(chat_reply(refusal => 'I will not.')),
    'mock-refusal-stream' => stream_script(refusal => [ 'I will', ' not.' ]),

    'mock-cut' => [ sse_head(), [ sse => chat_chunk(content => 'cut') ],
                    [ 'close' ] ],
    'mock-cut-plain' => [ [ cut_at => 250 ], @$hello ],
    'mock-error' => [ sse_head(), [ sse => chat_chunk(content => 'bro') ],
                      [ sse => { error => { message => 'broken',
                                            type => 'server_error',
                                            code => undef } } ] ],

    'mock-busy' => rounds([ [ status => 429 ], [ header => 'Retry-After', 1 ],
                            [ json => { error => { message => 'busy' } } ] ],
                          $hello),
    'mock-down' => rounds([ [ status => 503 ] ],
                          stream_script(text => 'Hello')),
    'mock-no' => rounds([ [ status => 400 ],
                          [ json => { error => {
                              message => 'no', code => undef,
                              type => 'invalid_request_error' } } ] ],
                        $hello),

    'mock-summary' => rounds(json_script(chat_reply(content => 'We met.')),
                             $hello),
    'mock-due' => rounds(stream_script(text => [ 'We ', 'met.' ]),
                         stream_script(text => 'Hello')),
    'mock-count' => json_script({ count => 7, max_model_len => 8,
                                  tokens => [ 1 .. 7 ] }),
    'mock-trigger' => stream_script(text => [ 'We ', 'met.' ]),

    # vLLM's words
    'mock-long' => [ [ status => 400 ], [ json => { error => {
        message => "This model's maximum context length is 8 tokens.",
        type => 'BadRequestError', code => 400 } } ] ],

    # numbers of 32 bits in the order of little-endian machines
    'mock-vectors' => json_script({
        object => 'list', model => 'inner', data => [
            { object => 'embedding', index => 0,
              embedding => 'AAAAPwAAgL4AAIA/' },
            { object => 'embedding', index => 1,
              embedding => 'AAAAAAAAAEAAAIDA' } ],
        usage => { prompt_tokens => 2, total_tokens => 2 } }),

    'mock-hang-stream' => hangs('hang-stream-gone'),
    'mock-hang-abort' => hangs('hang-abort-gone'),
    'mock-hang-plain' => sub ($conn, $request) {
        $conn->touch('hang-plain-gone') if $conn->wait_gone(30);
    },
);


# strict, as far as clients are that know nothing of the specification

my $validator = <<'CONF';
            server {
                listen 127.0.0.1:%%PORT_1%%;

                open_responses_validate       on;
                open_responses_unknown_fields reject;

                proxy_http_version 1.1;
                proxy_set_header   Connection "";

                location /v1/ {
                    proxy_pass http://127.0.0.1:%%PORT_0%%;
                }

                location /aimock/ {
                    proxy_pass http://%%AIMOCK%%/;
                }
            }
CONF


sub gateway (%o) {
    my $aimock = aimock();
    my $model = ORS::Model->new(scripts => \%scripts);

    my $nginx = ORS::Nginx->new(
        model => { MODEL => $model, AIMOCK => $aimock },
        http => 'limit_req_zone $server_port zone=one:64k rate=1r/m;',
        conf => <<'CONF' . ($o{validator} ? $validator : ''));
            open_responses_flavor  openai;
            open_responses_secret  %%TESTDIR%%/secret;

            open_responses_target  aimock  /to/aimock;
            open_responses_target  aimock* /to/aimock;
            open_responses_target  mock-*  /to/model;
            open_responses_target  mock-count* /to/count;

            server {
                listen 127.0.0.1:%%PORT_0%%;

                location /v1/ {
                    open_responses on;

                    if ($http_authorization != "Bearer test-key") {
                        return 401;
                    }
                }

                location /v1/content/ {
                    open_responses           on;
                    open_responses_reasoning content;
                }

                location /v1/frank/ {
                    open_responses         on;
                    open_responses_refusal text;
                }

                location /v1/limited/ {
                    open_responses on;

                    limit_req        zone=one;
                    limit_req_status 429;
                }

                location = /to/aimock {
                    internal;
                    open_responses_dialect chat;
                    proxy_pass http://%%AIMOCK%%$open_responses_uri;
                }

                location = /to/count {
                    internal;
                    open_responses_dialect chat server=vllm;
                    proxy_pass http://%%MODEL%%$open_responses_uri;
                }

                location = /to/model {
                    internal;
                    open_responses_dialect chat;
                    proxy_pass http://%%MODEL%%/v1/chat/completions;
                }
            }
CONF

    chmod 0600, $nginx->write_file('secret', '5e' x 32);
    $nginx->start;

    return { nginx => $nginx, model => $model, aimock => $aimock,
             front => $nginx->address($o{validator} ? 1 : 0) };
}


sub gateway_ok ($g, $label) {
    my %of = _asked($g);

    Test::More::is(scalar @{ $of{$_} }, 2, "$label: $_, two attempts")
        for qw( mock-busy mock-down );
    Test::More::is(scalar @{ $of{'mock-no'} }, 1, "$label: one attempt");

    my ($sum, $next) = map { $_->{json}{messages} } @{ $of{'mock-summary'} };

    Test::More::is_deeply([ map { $_->{content} } @$sum[0 .. $#$sum - 1] ],
                          [ 'Hi', 'Hello' ], "$label: what is summed up");
    Test::More::like($next->[0]{content}, qr/: *\n\nWe met\.\z/,
                     "$label: the summary upstream");
    Test::More::is($next->[1]{content}, 'Go on', "$label: and what follows");

    client_ok($g, $label, system => [ 'Be brief.', 'Speak up.' ],
              aimock => [ 'talk first: user assistant tool',
                          'say hello: user assistant user' ]);
}


# system: what a text's request begins with; aimock: what that was asked
# beside what it is asked by every client

sub client_ok ($g, $label, %o) {
    my %of = _asked($g);
    my $text = $of{'mock-text'}[0]{json};
    my $image = $of{'mock-image'}[0]{json}{messages}[-1]{content};

    Test::More::is_deeply(
        [ map { [ @$_{qw( role content )} ] } @{ $text->{messages} } ],
        [ (map { [ system => $_ ] } @{ $o{system} // [ 'Be brief.' ] }),
          [ user => 'Hi' ] ], "$label: roles upstream");
    Test::More::is($text->{temperature}, 0.25, "$label: a number upstream");
    Test::More::is($image->[1]{image_url}{url},
                   'data:image/png;base64,iVBORw0KGgo=',
                   "$label: an image upstream");

    _aimock_ok($g, $label, 'one city: user', 'one city: user assistant tool',
               'three cities: user assistant tool tool tool',
               @{ $o{aimock} // [] });

    $g->{nginx}->finish("$label: nginx is well at the end");
}


# the requests that came to the scripted models, of each

sub _asked ($g) {
    my %of;

    push @{ $of{ $_->{name} } }, $_ for $g->{model}->requests;

    return %of;
}


sub _aimock_ok ($g, $label, @expected) {
    my (%roles, %formats);

    # a very long body is not kept

    for my $r (grep { $_->{body}{messages} } $g->{aimock}->requests) {
        my @messages = @{ $r->{body}{messages} };
        my ($asked) = map { $_->{content} } grep { $_->{role} eq 'user' }
                      reverse @messages;

        # a list of parts, or embeddings
        next if ref $asked || !defined $asked;

        $roles{"$asked: @{[ map { $_->{role} } @messages ]}"} = 1;
        $formats{$r->{body}{response_format}{type} // ''} = 1
            if $asked eq 'as json' && $r->{path} =~ /completions/;

        # each answer of a tool goes with its call
        my @calls = map { $_->{id} } map { @{ $_->{tool_calls} // [] } }
                    @messages;
        my @answers = grep { defined } map { $_->{tool_call_id} } @messages;

        next if !@answers || "@calls" eq "@answers";
        Test::More::fail("$label: @answers answers @calls");
    }

    Test::More::ok($roles{$_}, "$label: messages upstream, $_")
        for @expected;

    Test::More::is("@{[ keys %formats ]}", 'json_schema',
                   "$label: a schema upstream");
}


# ---- scripts


sub node_tests ($script, $package, $gateway) {
    my $node = node($package);

    my $about = json_decode(
        slurp("$DIR/node_modules/$package/package.json"));

    _tests("$about->{name} $about->{version}",
           [ $node, "$DIR/$script", $package ], $gateway);
}


sub python_tests ($script, $gateway) {
    my $python = "$DIR/.venv/bin/python";
    my ($about) = glob "$DIR/.venv/lib/python*/site-packages/"
                       . 'openai-*.dist-info';

    _need($python, $about // "$DIR/.venv/lib/python3/site-packages/openai");

    my ($version) = $about =~ /openai-([\d.]+)\.dist-info/;

    _tests("python openai $version", [ $python, "$DIR/$script" ], $gateway);
}


sub _tests ($label, $command, $gateway) {
    my $child = _spawn(command => $command, env => {
        BASE => "http://$gateway->{front}/v1",
        AIMOCK => "http://$gateway->{front}/aimock/v1",
        DIR => $gateway->{model}->dir, PYTHONDONTWRITEBYTECODE => 1 });
    my ($count, $plan) = (0, undef);

    while (defined(my $line = _line($child, PATIENCE))) {
        my $test = eval { json_decode($line) };

        if (!$test) {
            Test::More::diag($line);
            next;
        }

        if (defined $test->{plan}) {
            $plan = $test->{plan};
            last;
        }

        $count++;
        Test::More::ok($test->{ok}, "$label: $test->{name}")
            or Test::More::diag($test->{why});
    }

    my $status = _end($child);

    Test::More::is($count, $plan // 'no end', "$label: all was run");
    Test::More::is($status, 0, "$label: exit status");
}


END {
    if ($$ == $OWNER) {
        my $status = $?;
        kill 'KILL', -$_ for keys %alive;
        $? = $status;
    }
}


1;
