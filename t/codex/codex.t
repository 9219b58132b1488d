#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Codex, its command line as it comes from npm, through the gateway to a
# scripted model of Chat Completions: sessions that change files.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Codex qw( said );
use ORS::JSON qw( json_encode );
use ORS::Model qw( :all );
use ORS::Nginx ();
use ORS::Util qw( slurp spew );

# in pieces that end within escapes, too

my sub call ($id, $name, %arguments) {
    my $text = json_encode(\%arguments);

    utf8::decode($text);

    return { id => $id, name => $name,
             arguments => [ $text =~ /.{1,5}/gs ] };
}


my sub refuses ($status, $message, %more) {
    return [ [ status => $status ],
             [ json => { error => { message => $message, %more } } ] ];
}


my $bye = stream_script(text => [ 'All is ', 'done.' ]);

my $patch = <<"PATCH";
*** Begin Patch
*** Add File: made.txt
+first "line"
+caf\x{e9}\tsecond
*** Update File: old.txt
@@
 one
-two
+2
*** End Patch
PATCH

my %scripts = (
    shell => rounds(
        stream_script(reasoning => [ 'A file', ' is wanted.' ],
                      tool_calls => [ call('call_1', 'exec_command',
                          cmd => q{printf 'caf\303\251 "x"\n' >made.txt}) ]),
        stream_script(text => 'Now I look.',
                      tool_calls => [ call('call_2', 'exec_command',
                                           cmd => 'cat made.txt') ]),
        $bye),
    hidden => rounds(
        stream_script(reasoning => [ 'A file', ' is wanted.' ],
                      tool_calls => [ call('call_1', 'exec_command',
                                           cmd => 'echo x >made.txt') ]),
        $bye),
    parallel => rounds(
        stream_script(tool_calls => [ map {
            call("call_$_", 'exec_command', cmd => "echo $_ >$_.txt")
        } 1 .. 3 ]), $bye),
    'gpt-5.5' => rounds(
        stream_script(tool_calls => [ call('call_1', 'apply_patch',
                                           input => $patch) ]),
        $bye),
    agents => rounds(
        stream_script(tool_calls => [ call('call_1',
            'multi_agent_v1__close_agent', target => 'nobody') ]), $bye),
    'gpt-5.6-sol' => rounds(
        stream_script(tool_calls => [ call('call_1', 'functions__exec',
            input => qq{await tools.exec_command({ cmd: "echo sol >made.txt" }}
                     . qq{);\ntext("caf\x{e9}");\n}) ]),
        $bye),
    schema => stream_script(text => [ '{"city":', '"Paris"}' ]),
    image => $bye,
    refusal => stream_script(refusal => [ 'I will', ' not.' ]),
    limited => rounds(
        [ sse_head(), [ sse => chat_chunk(content => 'Well') ],
          [ sse => { error => { message => 'Limit reached', code => 429,
                                retry_after => 4 } } ] ],
        $bye),

    long => refuses(400, "This model's maximum context length is 8 tokens."),
    key => refuses(401, 'who are you', code => 'invalid_api_key'),
    none => refuses(404, 'no such model', code => 'model_not_found'),
    busy => refuses(429, 'slow down', code => 'rate_limit_exceeded'),
    broken => refuses(500, 'broken'),
    length => stream_script(text => 'one, two, thr', finish => 'length'),
    cut => [ sse_head(), [ sse => chat_chunk(content => 'a') ], [ 'close' ] ],
    hang => [ sse_head(), [ sse => chat_chunk(content => 'a') ],
              [ touch => 'begun' ], [ hang => 'gone' ] ],
);

my $model = ORS::Model->new(scripts => \%scripts);
my $nginx = ORS::Nginx->new(model => $model, conf => <<'CONF');
            open_responses_secret %%TESTDIR%%/secret;
            open_responses_store_scope all;

            server {
                listen 127.0.0.1:%%PORT_0%%;

                location /v1/ {
                    open_responses         on;
                    open_responses_flavor  openai;
                    open_responses_target  default /to/model;

                    client_body_buffer_size 1m;
                }

                location /hidden/v1/ {
                    open_responses           on;
                    open_responses_flavor    openai;
                    open_responses_reasoning off;
                    open_responses_target    default /to/model;

                    client_body_buffer_size 1m;
                }

                location /frank/v1/ {
                    open_responses          on;
                    open_responses_flavor   openai;
                    open_responses_refusal  text;
                    open_responses_target   default /to/model;

                    client_body_buffer_size 1m;
                }

                location = /to/model {
                    internal;
                    open_responses_dialect chat;
                    open_responses_chat_options    reasoning=reasoning_content;
                    proxy_pass http://%%MODEL%%/v1/chat/completions;
                }
            }
CONF

chmod 0600, $nginx->write_file('secret', '5e' x 32);
$nginx->start;

my $front = $nginx->address(0);

my $codex = ORS::Codex->new(model => $model, base => "http://$front/v1");


# ---- what it does


my $s = $codex->session('shell');

is($s->{status}, 0, 'shell: exit status') or diag($codex->log($s));
is(slurp("$s->{dir}/made.txt"), qq{caf\303\251 "x"\n}, 'shell: the file');
is_deeply([ said($s) ], [ 'Now I look.', 'All is done.' ], 'shell: texts');
is_deeply([ map { $_->{text} } @{ $s->{reasoning} } ],
          [ 'A file is wanted.' ], 'shell: reasoning is shown');
is($s->{command_execution}[1]{aggregated_output}, qq{caf\x{e9} "x"\n},
   'shell: the second command');

my $last = $s->{asked}[2];
my @tail = @{ $last->{messages} }[-4 .. -1];

is(scalar @{ $s->{asked} }, 3, 'shell: three rounds');
is_deeply([ map { [ $_->{role}, $_->{tool_call_id}
                    // $_->{tool_calls}[0]{id} ] } @tail ],
          [ [ assistant => 'call_1' ], [ tool => 'call_1' ],
            [ assistant => 'call_2' ], [ tool => 'call_2' ] ],
          'shell: messages upstream');
is($tail[2]{content}, 'Now I look.', 'shell: text and call are one message');
like($tail[3]{content}, qr/caf\x{e9} "x"/, 'shell: what the command said');
ok((grep { $_->{function}{name} eq 'exec_command' } @{ $last->{tools} }),
   'shell: tools upstream');

# it sends back what it cannot read, and the model is told again

$s = $codex->session('hidden', '-c',
                     'model_providers.gateway.base_url='
                     . qq("http://$front/hidden/v1"));

is($s->{status}, 0, 'hidden: exit status') or diag($codex->log($s));
is_deeply($s->{reasoning}, undef, 'hidden: reasoning is not shown');
is_deeply([ map { $_->{reasoning_content} } grep { $_->{tool_calls} }
            @{ $s->{asked}[1]{messages} } ], [ 'A file is wanted.' ],
          'hidden: reasoning upstream');

$s = $codex->session('parallel');

is($s->{status}, 0, 'parallel: exit status');
is(join('', map { slurp("$s->{dir}/$_.txt") } 1 .. 3), "1\n2\n3\n",
   'parallel: three files');
is_deeply([ map { $_->{tool_call_id} }
            @{ $s->{asked}[1]{messages} }[-3 .. -1] ],
          [ qw( call_1 call_2 call_3 ) ], 'parallel: answers upstream');

# which is a custom tool: a text, and not JSON

$s = $codex->session('gpt-5.5');

is($s->{status}, 0, 'patch: exit status') or diag($codex->log($s));
is(slurp("$s->{dir}/made.txt"), qq{first "line"\ncaf\303\251\tsecond\n},
   'patch: a new file');
is(slurp("$s->{dir}/old.txt"), "one\n2\n", 'patch: a file that was changed');
is_deeply([ said($s) ], [ 'All is done.' ], 'patch: the end');

my ($tool) = grep { $_->{function}{name} eq 'apply_patch' }
             @{ $s->{asked}[0]{tools} };

is($tool->{function}{parameters}{properties}{input}{type}, 'string',
   'patch: a tool upstream');
is_deeply([ map { $_->{role} } @{ $s->{asked}[1]{messages} }[-2, -1] ],
          [ qw( assistant tool ) ], 'patch: messages upstream');
is($s->{asked}[1]{messages}[-2]{tool_calls}[0]{function}{arguments},
   join('', @{ call('', '', input => $patch)->{arguments} }),
   'patch: the patch upstream');
like($s->{asked}[1]{messages}[-1]{content}, qr/Success/,
     'patch: what became of it, upstream');

# a function in a namespace

$s = $codex->session('agents');

is($s->{status}, 0, 'namespace: exit status');
like($s->{asked}[1]{messages}[-1]{content}, qr/invalid agent id nobody/,
     'namespace: the tool was found');

# a custom tool in a namespace, in an item "additional_tools"

$s = $codex->session('gpt-5.6-sol');

is($s->{status}, 0, 'additional tools: exit status');
is(slurp("$s->{dir}/made.txt"), "sol\n", 'additional tools: the file');
is_deeply([ said($s) ], [ 'All is done.' ], 'additional tools: the end');
like($s->{asked}[1]{messages}[-1]{content}, qr/caf\x{e9}\z/,
     'additional tools: what was said, upstream');


# ---- structured output, an image, a refusal


my $schema = { type => 'object', additionalProperties => \0,
               required => [ 'city' ],
               properties => { city => { type => 'string' } } };
my $files = File::Temp->newdir;

spew("$files/schema.json", json_encode($schema));
$s = $codex->session('schema', '--output-schema', "$files/schema.json");

is_deeply([ said($s) ], [ '{"city":"Paris"}' ], 'schema: the answer');
is_deeply($s->{asked}[0]{response_format}{json_schema}{schema}{required},
          [ 'city' ], 'schema: upstream');

# the smallest picture

spew("$files/dot.png", pack 'H*', join '', qw(
    89504e470d0a1a0a0000000d49484452000000010000000108000000003a
    7e9b550000000a49444154789c63f80f0001010100b138f6140000000049
    454e44ae426082 ));
$s = $codex->session('image', '--image', "$files/dot.png");

my ($image) = grep { ($_->{type} // '') eq 'image_url' }
              map { ref $_->{content} ? @{ $_->{content} } : () }
              @{ $s->{asked}[0]{messages} };

is_deeply([ said($s) ], [ 'All is done.' ], 'image: the answer');
like($image->{image_url}{url}, qr{\Adata:image/png;base64,}, 'image: upstream');

# it knows no such part, and drops the message

$s = $codex->session('refusal');

is($s->{status}, 0, 'refusal: exit status');
is_deeply([ said($s) ], [], 'refusal: not shown');

$s = $codex->session('refusal', '-c',
                     'model_providers.gateway.base_url='
                     . qq("http://$front/frank/v1"));

is($s->{status}, 0, 'refusal as text: exit status');
is_deeply([ said($s) ], [ 'I will not.' ], 'refusal as text: shown');


# ---- errors, each after one attempt


my %fails = (
    long => qr/ran out of room in the model's context window/,
    key => qr/who are you/,
    none => qr/no such model/,
    busy => qr/429 Too Many Requests/,
    broken => qr/high demand/,
    length => qr/max_output_tokens/,
    cut => qr/ended before it was complete/,
);

for my $name (sort keys %fails) {
    $s = $codex->session($name);

    is($s->{status}, 1, "$name: exit status");
    like("@{ $s->{errors} }", $fails{$name}, "$name: what it says");
    is(scalar @{ $s->{asked} }, 1, "$name: one attempt");
}


# a limit in a stream: it waits for as long as the message says

my $began = time;

$s = $codex->session('limited', '-c',
                     'model_providers.gateway.stream_max_retries=1');

is($s->{status}, 0, 'limited: exit status') or diag($codex->log($s));
is(scalar @{ $s->{asked} }, 2, 'limited: two attempts');
is_deeply([ said($s) ], [ 'All is done.' ], 'limited: the answer');
cmp_ok(time - $began, '>=', 4, 'limited: it has waited');


# ---- leaving early


my $begun = $codex->start('hang');

ok($model->wait_file('begun'), 'a stream has begun');
kill 'TERM', $begun->{pid};
ok($model->wait_file('gone'), 'Codex is gone, and so is the connection');
close $begun->{out};

$nginx->finish('nginx is well at the end');

done_testing();
