#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Compactions before a chat target: POST responses/compact, and the item
# compaction_trigger of flavor openai; what becomes of a compaction that is
# sent back, and by whom it can be read.

use v5.36;
use File::Temp ();
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( stream_ok response_ok error_ok );
use ORS::Talk;
use ORS::Util qw( spew );

my $dir = File::Temp::tempdir(CLEANUP => 1);

spew("$dir/key", 'a' x 64);
chmod 0600, "$dir/key";

my $text = qq(They said "hi".\n\nNothing \x{e9}lse.);
my @usage = (usage => chat_usage(prompt_tokens => 50, completion_tokens => 7,
                                 total_tokens => 57));

my $model = ORS::Model->new(scripts => {
    summary => stream_script(text => [ 'They said "h', "i\".\n\nNothing",
                                       " \x{e9}lse." ], @usage),
    json => json_script(chat_reply(content => $text, reasoning => 'hm',
                                   @usage)),
    think => stream_script(reasoning => [ 'Let ', 'me.' ],
                           text => [ "<think>Hm</think>$text" ]),
    cut => stream_script(text => [ 'They' ], finish => 'length'),
    call => stream_script(tool_calls => [ { id => 'c', name => 'f',
                                            arguments => [ '{}' ] } ]),
    both => stream_script(text => [ 'They' ], tool_calls => [
        { id => 'c', name => 'f', arguments => [ '{}' ] } ]),
    silent => stream_script(text => []),
    refusal => stream_script(refusal => [ 'I will not.' ]),
    full => [ [ status => 400 ], [ json => { error => {
        message => 'too long', code => 'context_length_exceeded' } } ] ],
    broken => [ [ status => 503 ], [ json => { error => {
        message => 'down' } } ] ],
    hello => stream_script(text => [ 'Hel', 'lo' ]),
});

my $conf = <<'CONF';
    client_max_body_size 40m;
    client_body_buffer_size 1m;

    open_responses_flavor spec;
    open_responses_target default /to/model;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ { open_responses on; }

        location /openai/ {
            open_responses on;
            open_responses_flavor openai;
        }

        location /prompt/ {
            open_responses on;
            open_responses_flavor openai;
            open_responses_compact_prompt "Say \"it\"\nshortly.";
        }

        location /tags/ {
            open_responses on;
            open_responses_target default /to/tags;
        }

        location /two/ {
            open_responses on;
            open_responses_flavor openai;
            open_responses_target default /to/broken /to/model;
        }

        location /pass/ {
            open_responses on;
            open_responses_flavor openai;
            open_responses_target default /to/responses;
        }

        location = /to/model {
            internal;
            open_responses_dialect chat;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }

        location = /to/tags {
            internal;
            open_responses_dialect chat;
            open_responses_chat_options think=on;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }

        location = /to/broken {
            internal;
            open_responses_dialect chat;
            proxy_set_header X-Script broken;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }

        location = /to/responses {
            internal;
            proxy_pass http://127.0.0.1:%%PORT_0%%/openai$rest_of_it;
        }
    }

    # whose answers are checked by the validator

    server {
        listen 127.0.0.1:%%PORT_1%%;

        open_responses_validate on;

        location / { proxy_pass http://127.0.0.1:%%PORT_0%%; }

        location /openai/ {
            open_responses_flavor openai;
            proxy_pass http://127.0.0.1:%%PORT_0%%;
        }
    }

    map $open_responses_uri $rest_of_it {
        volatile;
        ~^/v1(?<rest>/.*) $rest;
    }
CONF

my $t = ORS::Nginx->new(model => $model,
                        conf => <<"CONF" . $conf);
    open_responses_secret $dir/key;
    open_responses_store_scope \$http_authorization empty=share;
CONF

$t->start;

my @input = ({ type => 'message', role => 'user', content => 'hi' },
             { type => 'message', role => 'assistant',
               content => [ { type => 'output_text', text => 'Hello' } ] });
my $trigger = { type => 'compaction_trigger' };


sub compact ($script, %o) {
    return post_json($t->port($o{port} // 0),
                     ($o{at} // '/v1') . '/responses/compact',
                     { model => 'm', input => \@input, %{ $o{body} // {} } },
                     headers => { 'X-Script' => $script,
                                  %{ $o{headers} // {} } });
}


sub trigger ($script, %o) {
    return post_json($t->port($o{port} // 0),
                     ($o{at} // '/openai') . '/responses',
                     { model => 'm', input => [ @input, $trigger ],
                       stream => $o{stream} ? \1 : \0,
                       %{ $o{body} // {} } },
                     headers => { 'X-Script' => $script,
                                  %{ $o{headers} // {} } });
}


sub compacted ($script, $name, %o) {
    my $r = compact($script, %o);

    is($r->{status}, 200, "$name: status") or diag($r->{body});

    return $r->{json};
}


# the messages that are sent for a request with "items"

sub sent ($items, %o) {
    my $r = post_json($t->port, ($o{at} // '/v1') . '/responses',
                      { model => 'm', input => $items },
                      headers => { 'X-Script' => 'hello',
                                   %{ $o{headers} // {} } });

    return $r->{status} == 200 ? $model->last_request->{json}{messages} : $r;
}


my $head = "This is a summary of our conversation so far, which replaces it:"
           . "\n\n";

my @said = ({ role => 'user', content => 'hi' },
            { role => 'assistant', content => 'Hello' });


# POST responses/compact

for my $script (qw( summary json )) {
    for my $port (0, 1) {
        my $name = "$script" . ($port ? ', validated' : '');
        my $c = compacted($script, $name, port => $port);

        is(join(' ', sort keys %$c), 'created_at id object output usage',
           "$name: what it has");
        is($c->{object}, 'response.compaction', "$name: object");
        like($c->{id}, qr/\Aresp_\w{20,}\z/, "$name: id");
        like($c->{created_at}, qr/\A\d{10}\z/, "$name: created_at");
        is_deeply($c->{usage}, {
            input_tokens => 50, output_tokens => 7, total_tokens => 57,
            input_tokens_details => { cached_tokens => 0 },
            output_tokens_details => { reasoning_tokens => 0 },
        }, "$name: usage");

        my ($item, @more) = @{ $c->{output} };

        is(scalar(@more), 0, "$name: one item");
        is("$item->{type} $item->{status}", 'compaction completed',
           "$name: of that type");
        like($item->{id}, qr/\Acmp_\w{20,}\z/, "$name: its id");
        like($item->{encrypted_content}, qr/\Aors1[\w-]{60,}\z/,
             "$name: it is sealed");

        my $next = { type => 'message', role => 'user', content => 'Go on' };

        is_deeply(sent([ @{ $c->{output} }, $next ]),
                  [ { role => 'user', content => $head . $text },
                    { role => 'user', content => 'Go on' } ],
                  "$name: it goes on from there");
    }
}

{
    my $c = compacted('think', 'think', at => '/tags');

    is_deeply(sent($c->{output}), [ { role => 'user',
                                      content => $head . $text } ],
              'think: thoughts are no part of it');
}


# how it is asked for

sub asked ($name, %o) {
    compacted('summary', $name, %o);

    my $sent = $model->last_request;
    my $json = $sent->{json};
    my $messages = delete $json->{messages};
    my $last = pop @$messages;

    is($sent->{uri}, '/v1/chat/completions', "$name: path");
    is($last->{role}, 'user', "$name: who asks");

    return ($messages, $last->{content}, $json);
}

{
    my ($messages, $asks, $json) = asked('asked');

    is_deeply($messages, \@said, 'asked: of what');
    like($asks, qr/\AWrite a summary .* nothing else\.\z/s, 'asked: for what');
    is_deeply($json, { model => 'm' }, 'asked: and no more');

    ($messages, $asks) = asked('prompt', at => '/prompt');
    is($asks, qq(Say "it"\nshortly.), 'prompt: in other words');

    ($messages) = asked('instructions', body => {
        instructions => 'Be kind', input => 'hi', prompt_cache_key => 'k' });
    is_deeply($messages, [ { role => 'system', content => 'Be kind' },
                           { role => 'user', content => 'hi' } ],
              'instructions: they are there');

    # Codex sends what it would for an answer

    ($messages, $asks, $json) = asked('tools', at => '/openai', body => {
        tools => [ { type => 'function', name => 'f' } ],
        parallel_tool_calls => \0, reasoning => { effort => 'low' },
        text => { verbosity => 'low' }, stream => \1,
        instructions => undef, previous_response_id => undef });
    is_deeply([ sort keys %$json ], [ qw( model reasoning_effort ) ],
              'tools: none are offered, nor is a stream asked for');

    my $c = compacted('summary', 'again');

    ($messages) = asked('again', body => {
        input => [ @{ $c->{output} }, @input ] });
    is_deeply($messages, [ { role => 'user', content => $head . $text },
                           @said ], 'again: a summary of a summary');
}


# compaction_trigger

for my $script (qw( summary json )) {
    for my $port (0, 1) {
        my $name = "trigger: $script" . ($port ? ', validated' : '');
        my @o = (port => $port, body => {
            tools => [ { type => 'function', name => 'f' } ],
            tool_choice => 'required', max_output_tokens => 16,
            include => [ 'reasoning.encrypted_content' ],
            text => { format => { type => 'json_object' } } });

        my $s = stream_ok(trigger($script, @o, stream => 1),
                          "$name: stream", flavor => 'openai');

        is_deeply([ map { s/response\.//r } $s->types ],
                  [ qw( created in_progress output_item.added
                        output_item.done completed ) ], "$name: events");
        is($s->event('response.output_item.added')->{item}
             {encrypted_content}, '', "$name: nothing at first");

        my $d = response_ok(trigger($script, @o), $name, flavor => 'openai');

        my $asks = $model->last_request->{json};

        is_deeply([ @{ $asks->{messages} }[ 0, 1 ] ], \@said,
                  "$name: what is sent");
        is(scalar(@{ $asks->{messages} }), 3, "$name: and a question");
        ok(!exists $asks->{$_}, "$name: no $_")
            for qw( tools tool_choice max_tokens response_format );

        for my $r ($s->response, $d->response) {
            is(scalar(@{ $r->{output} }), 1, "$name: one item");
            is($r->{usage}{total_tokens}, 57, "$name: usage");
            is_deeply(sent($r->{output}), [ { role => 'user',
                                              content => $head . $text } ],
                      "$name: it goes on from there");
        }
    }
}

{
    my ($item) = @{ compacted('summary', 'context')->{output} };

    is_deeply(sent([ { %$item, type => 'context_compaction' } ],
                   at => '/openai'),
              [ { role => 'user', content => $head . $text } ],
              'context_compaction: the same');

    error_ok(trigger('hello', body => { input => [ $trigger, @input ] }), 400,
             'trigger: not the last one', code => 'unsupported_item',
             param => 'input[0].type');
    error_ok(trigger('hello', body => { input => [ $trigger ] }), 400,
             'trigger: alone', code => 'invalid_value', param => 'input');
    error_ok(trigger('hello', at => '/v1'), 400, 'trigger: flavor spec',
             param => 'input[2].type');
}


# failures

for my $case ([ cut => 500, 'model_error', qr/was cut \(max_output_tokens\)/ ],
              [ call => 500, 'model_error', qr/call/ ],
              [ silent => 500, 'model_error', qr/wrote no summary/ ],
              [ refusal => 500, 'model_error', qr/wrote no summary/ ],
              [ full => 400, 'context_length_exceeded', qr/too long/ ],
              [ broken => 503, 'server_is_overloaded', qr/down/ ])
{
    my ($script, $status, $code, $says) = @$case;
    my @o = (code => $code, message => $says);

    error_ok(compact($script), $status, $script, @o);
    error_ok(trigger($script), $status, "$script: trigger", @o);

    next if $status != 500;

    stream_ok(trigger($script, stream => 1), "$script: stream",
              flavor => 'openai', expect => 'failed', code => $code);
}

error_ok(compact('summary', body => { input => undef }), 400, 'no input',
         code => 'missing_required_parameter', param => 'input');
error_ok(compact('summary', body => { input => [] }), 400, 'empty',
         code => 'invalid_value', param => 'input');
error_ok(compact('summary', body => { model => undef }), 400, 'no model',
         param => 'model');

is_deeply(sent(compacted('both', 'both')->{output}),
          [ { role => 'user', content => "${head}They" } ],
          'both: the call is left out');

for my $stream (0, 1) {
    my $r = trigger('summary', at => '/two', stream => $stream);

    if ($stream) {
        stream_ok($r, 'two targets: stream', flavor => 'openai');

    } else {
        response_ok($r, 'two targets', flavor => 'openai');
    }
}

compacted('summary', 'two targets: compact', at => '/two');


# a target that can do it itself

is(compacted('summary', 'passed on', at => '/pass')->{output}[0]{type},
   'compaction', 'passed on: as it came');

{
    my $s = stream_ok(trigger('summary', at => '/pass', stream => 1),
                      'passed on: trigger', flavor => 'openai');

    is($s->response->{output}[0]{type}, 'compaction',
       'passed on: trigger: as it came');
}


# whose it is

my @alice = (headers => { Authorization => 'Bearer alice' });
my @bob = (headers => { Authorization => 'Bearer bob' });
my $alice = compacted('summary', 'alice', @alice)->{output};
my @no = (code => 'unsupported_item', param => 'input[0]');

is_deeply(sent($alice, @alice), [ { role => 'user',
                                    content => $head . $text } ],
          'one client: reads it');
error_ok(sent($alice, @bob), 400, 'another one: does not', @no);
error_ok(sent($alice), 400, 'without a scope: it does not open', @no);

for my $case ([ 'of somebody else', 'gAAAAABpM0Yj-k0V2yZb8sYB3F1Tt3V8x1h5' ],
              [ 'empty', '' ], [ 'cut', substr $alice->[0]
                                        {encrypted_content}, 0, -1 ])
{
    my ($name, $blob) = @$case;

    error_ok(sent([ { type => 'compaction', encrypted_content => $blob } ],
                  @alice), 400, $name, @no);
}

# neither is the other

{
    my $r = post_json($t->port, '/v1/responses',
                      { model => 'm', input => 'hi', include => [
                            'reasoning.encrypted_content' ] },
                      headers => { 'X-Script' => 'json' });
    my ($thought) = grep { $_->{type} eq 'reasoning' }
                    @{ $r->{json}{output} };

    like($thought->{encrypted_content}, qr/\Aors1/, 'a thought is sealed');
    error_ok(sent([ { type => 'compaction',
                      encrypted_content => $thought->{encrypted_content} } ]),
             400, 'a thought is no compaction', @no);
}

$t->finish;


# without a key

$t = ORS::Nginx->new(model => $model, conf => $conf);
$t->start;

my $count = $model->count;
my @none = (code => 'not_implemented', message => qr/open_responses_secret/);

error_ok(compact('summary'), 501, 'no secret', @none);
error_ok(trigger('summary', stream => $_), 501, 'no secret: trigger', @none)
    for 0, 1;
is($model->count, $count, 'no secret: the model is not asked');

error_ok(sent($alice, @alice), 400, 'no secret: nothing is read', @no);

$t->finish;


# of a conversation that is stored

my $talk = ORS::Talk->new(store => 'lmdb:%%TESTDIR%%/store',
                          http => "open_responses_secret $dir/key;",
                          conf => 'open_responses_compact_prompt "And so";');

sub user ($text) { { role => 'user', content => $text } }
sub assistant ($text) { { role => 'assistant', content => $text } }

sub ends ($who, $body, $path = '/v1/responses/compact') {
    return post_json($talk->nginx->port, $path, { model => 'm', %$body },
                     headers => { Authorization => "Bearer $who" });
}

my $one = $talk->say('alice', 'one');
my $two = $talk->say('alice', 'two', after => $one);
my @so_far = (user('one'), assistant('one!'), user('two'), assistant('two!'));

for my $case ([ 'alone', {}, [] ],
              [ 'null', { input => undef }, [] ],
              [ 'and more', { input => 'three' }, [ user('three') ] ])
{
    my ($name, $body, $more) = @$case;
    my $r = ends('alice', { previous_response_id => $two->{id}, %$body });

    is($r->{status}, 200, "stored: $name: status") or diag($r->{body});
    is_deeply($talk->heard, [ @so_far, @$more, user('And so') ],
              "stored: $name: what is summed up");

    my $next = $talk->say('alice', [ @{ $r->{json}{output} },
                                     { type => 'message', %{ user('on') } } ]);

    is_deeply($talk->heard, [ user("${head}And so!"), user('on') ],
              "stored: $name: a new conversation");

    $talk->say('alice', 'more', after => $next);

    is_deeply($talk->heard, [ user("${head}And so!"), user('on'),
                              assistant('on!'), user('more') ],
              "stored: $name: that goes on");

    $talk->refused('alice', 'x', 400, "stored: $name: its id is of no use",
                   after => $r->{json}{id},
                   code => 'previous_response_not_found');
}

{
    my $r = ends('alice', { previous_response_id => $two->{id},
                            input => [ $trigger ] }, '/v1/responses');

    is($r->{json}{output}[0]{type}, 'compaction', 'stored: trigger');
    ok(!$r->{json}{store}, 'stored: trigger: it is not itself');
    is_deeply($talk->heard, [ @so_far, user('And so') ],
              'stored: trigger: what is summed up');
}

error_ok(ends('alice', { background => \1, input => [ @so_far, $trigger ] },
              '/v1/responses'), 400, 'stored: not in the background',
         code => 'unsupported_parameter', param => 'background');

for my $path ('/v1/responses/compact', '/v1/responses') {
    error_ok(ends('bob', { previous_response_id => $two->{id},
                           input => [ $trigger ] }, $path), 400,
             "stored: of another scope, $path",
             code => 'previous_response_not_found',
             param => 'previous_response_id');
}

$talk->finish;

done_testing();
