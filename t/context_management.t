#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# "context_management": a conversation that is longer than the client wants is
# compacted in front of the call, and goes on from there.

use v5.36;
use File::Temp ();
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get post_json );
use ORS::JSON qw( json_decode json_encode json_true json_false );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( error_ok response_ok stream_ok );
use ORS::Util qw( slurp spew wait_for );
use ORS::WS;

my $dir = File::Temp::tempdir(CLEANUP => 1);

spew("$dir/key", 'a' x 64);
chmod 0600, "$dir/key";

# a summary for whoever asks for one, else the last words

my %usage = (usage => chat_usage(prompt_tokens => 50, completion_tokens => 7,
                                 total_tokens => 57));
my %broken = (
    cut => [ text => 'They', finish => 'length' ],
    silent => [ text => '' ],
    call => [ tool_calls => [ { id => 'c', name => 'f',
                                arguments => '{}' } ] ],
);

sub asks ($json) {
    return ($json->{messages}[-1]{content} // '') =~ /\AWrite a summary/;
}

sub answers ($conn, $json, %said) {
    $said{content} = delete $said{text} unless $json->{stream};
    $conn->_play($json->{stream} ? stream_script(%said)
                                 : json_script(chat_reply(%said)), 0);
}

my $model = ORS::Model->new(scripts => {
    default => sub ($conn, $r) {
        my $json = json_decode($r->{body});
        my $last = $json->{messages}[-1]{content};

        answers($conn, $json, text => asks($json) ? 'They met.'
                              : ref $last ? 'parts!'
                              : length $last > 40 ? 'long!' : "$last!",
                %usage);
    },
    tools => sub ($conn, $r) {
        my $json = json_decode($r->{body});

        return answers($conn, $json, text => 'They met.') if asks($json);
        return answers($conn, $json, tool_calls => [
                   { id => 'call_9', name => 'f', arguments => '{}' } ])
            if $json->{messages}[-1]{role} eq 'user'
               && $json->{messages}[-1]{content} !~ /summary/;
        return answers($conn, $json, text => 'done');
    },
    map { my $name = $_; ($name => sub ($conn, $r) {
        my $json = json_decode($r->{body});

        answers($conn, $json, asks($json) ? @{ $broken{$name} }
                              : (text => 'Hello'));
    }) } keys %broken,
});

$model->script(down => [ [ status => 503 ], [ json => { error => {
                           message => 'down' } } ] ]);
$model->script(full => sub ($conn, $r) {
    $conn->_play([ [ status => 400 ], [ json => { error => {
        message => 'too long', code => 'context_length_exceeded' } } ] ], 0);
});
$model->script(half => [ sse_head(), [ sse => chat_chunk(content => 'They') ],
                         [ 'close' ] ]);

my $conf = <<'CONF';
    open_responses_flavor openai;
    open_responses_strict on;
    open_responses_store main lmdb:%%TESTDIR%%/store;
    open_responses_store_scope $http_authorization empty=share;
    open_responses_target default /to/model;
    open_responses_target two /to/down /to/model;
    open_responses_target other /to/half /to/model;
    open_responses_target native /to/native;

    log_format facts '$request_uri [$open_responses_ignored_fields] '
                     '$open_responses_input_tokens '
                     '$open_responses_output_tokens $open_responses_rounds';

    server {
        listen 127.0.0.1:%%PORT_0%%;
        access_log %%TESTDIR%%/logs/facts.log facts;
        client_max_body_size 4m;
        client_body_buffer_size 1m;

        location /v1/ {
            open_responses on;
            open_responses_store main;
            open_responses_background limit=4;
        }

        location /loose/ {
            open_responses on;
            open_responses_strict off;
        }

        location /ws/ {
            open_responses on;
            open_responses_websocket on;
        }

        location /spec/ {
            open_responses on;
            open_responses_flavor spec;
            open_responses_strict off;
        }

        location /hosted/ {
            open_responses on;
            open_responses_tool f /tool/f definition=%%TESTDIR%%/f.json;
        }

        location = /tool/f { internal; return 200 "ok"; }

        location = /to/model {
            internal;
            open_responses_dialect chat server=vllm;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }

        location = /to/down {
            internal;
            open_responses_dialect chat;
            proxy_set_header X-Script down;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }

        location = /to/half {
            internal;
            open_responses_dialect chat;
            proxy_set_header X-Script half;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }

        location = /to/native {
            internal;
            proxy_set_header X-Script native;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }
    }
CONF

sub nginx ($secret) {
    my $t = ORS::Nginx->new(model => $model, conf => $secret . $conf);

    $t->write_file('f.json', json_encode({
        type => 'function', name => 'f', description => 'd',
        parameters => { type => 'object', properties => {} } }));
    return $t->start;
}

my $t = nginx("    open_responses_secret $dir/key;\n");

my $head = "This is a summary of our conversation so far, which replaces it:"
           . "\n\n";
my $long = 'word ' x 1000;
my @manage = (context_management => [ { type => 'compaction',
                                        compact_threshold => 1000 } ]);

sub user ($text) { { role => 'user', content => $text } }
sub assistant ($text) { { role => 'assistant', content => $text } }
sub rule ($text) { { role => 'system', content => $text } }

sub post ($input, %o) {
    my $from = $o{from} // $t;

    $model->forget;

    return post_json($from->port, ($o{at} // '/v1') . '/responses',
                     { model => $o{model} // 'm', input => $input,
                       stream => $o{stream} ? json_true : json_false,
                       $o{after} ? (previous_response_id => $o{after}{id}) : (),
                       @manage, %{ $o{body} // {} } },
                     headers => { Authorization => 'Bearer x',
                                  $o{script} ? ('X-Script' => $o{script})
                                             : () });
}

my ($events, $body);

sub turn ($name, $input, %o) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $r = post($input, %o);
    my @check = (flavor => $o{flavor} // 'openai');
    my $s = $o{stream} ? stream_ok($r, $name, @check)
                       : response_ok($r, $name, @check);

    $body = $r->{body};
    $events = $o{stream} ? join ' ', map { s/response\.//r } $s->types : '';

    return $s->response;
}

sub types ($response) { join ' ', map { $_->{type} } @{ $response->{output} } }

# messages of each call, as the model got them

sub calls () { map { $_->{json}{messages} } $model->requests }


# a stored conversation

my $whole;

for my $stream (0, 1) {
    my $way = $stream ? 'stream' : 'document';
    my @way = (stream => $stream);

    my $a = turn("$way: short", [ rule('Be kind'), user('hi') ], @way,
                body => { instructions => 'Answer' });

    is(types($a), 'message', "$way: short: no compaction");
    is(scalar(calls()), 1, "$way: short: one call");

    my $b = turn("$way: one long message", $long, @way);

    is(types($b), 'message', "$way: one long message: nothing to compact");

    $b = turn("$way: long", $long, @way, after => $a, body => {
        instructions => 'Answer', temperature => 0.5,
        tools => [ { type => 'function', name => 'f' } ],
        tool_choice => 'auto' });

    my ($sum, $next) = $model->requests;
    my @first = (rule('Answer'), rule('Be kind'));

    # a server of the preset has one message of that kind

    @first = (rule("Answer\n\nBe kind"));

    is(types($b), 'compaction message', "$way: what the client gets");
    is(scalar(calls()), 2, "$way: two calls");
    is_deeply([ @{ $sum->{json}{messages} }[ 0 .. 3 ] ],
              [ @first, user('hi'), assistant('hi!'), user($long) ],
              "$way: what is summed up");
    ok(!exists $sum->{json}{$_}, "$way: no $_")
        for qw( tools temperature );
    is_deeply($next->{json}{messages},
              [ @first, user($head . 'They met.'), user($long) ],
              "$way: what is answered");
    is($next->{json}{temperature}, 0.5, "$way: as it was asked for");
    is($next->{json}{tools}[0]{function}{name}, 'f', "$way: with tools");
    is($b->{usage}{total_tokens}, 114, "$way: usage of both calls");
    like($b->{output}[0]{encrypted_content}, qr/\Aors1[\w-]{50,}\z/,
         "$way: it is sealed");
    is($b->{output}[0]{status}, 'completed', "$way: and complete");
    like($b->{output}[0]{id}, qr/\Acmp_/, "$way: with an id");
    is($b->{output}[1]{content}[0]{text}, 'long!', "$way: the answer");

    is($events, 'created in_progress output_item.added '
                . 'output_item.done output_item.added content_part.added '
                . 'output_text.delta output_text.done content_part.done '
                . 'output_item.done completed', "$way: events")
        if $stream;

    my $kept = get($t->port, "/v1/responses/$b->{id}",
                   headers => { Authorization => 'Bearer x' })->{json};

    is_deeply($kept->{output}, $b->{output}, "$way: stored");

    is(get($t->port, "/v1/responses/$b->{id}?stream=true",
           headers => { Authorization => 'Bearer x' })->{body}, $body,
       "$way: streamed again") if $stream;

    my $items = get($t->port, "/v1/responses/$b->{id}/input_items?order=asc",
                    headers => { Authorization => 'Bearer x' })->{json}{data};

    is_deeply([ map { $_->{type} } @$items ],
              [ qw( message message message message ) ],
              "$way: the input is as it was");

    # later turns begin there; the same bytes are in front of them

    my $c = turn("$way: next", 'and now', @way, after => $b,
                body => { context_management => [ {
                    type => 'compaction', compact_threshold => 4000 } ] });

    is(types($c), 'message', "$way: next: under the threshold");
    is_deeply([ calls() ], [ [ rule('Be kind'), user($head . 'They met.'),
                               user($long), assistant('long!'),
                               user('and now') ] ],
              "$way: next: it begins with the summary");

    my $d = turn("$way: again", 'once more', @way, after => $c);

    is(types($d), 'compaction message', "$way: again");
    is_deeply((calls())[1], [ rule('Be kind'), user($head . 'They met.'),
                              user('once more') ],
              "$way: again: a summary of a summary");

    # a client that keeps the conversation sends all of it, or what follows

    my @all = (user('hi'), assistant('hi!'), user($long), @{ $b->{output} });

    for my $input (\@all, [ @all[ 3 .. 4 ] ]) {
        turn("$way: stateless", [ @$input, user('and now') ], @way,
            body => { context_management => [], store => json_false });

        is_deeply([ calls() ], [ [ user($head . 'They met.'),
                                   @$input > 2 ? user($long) : (),
                                   assistant('long!'), user('and now') ] ],
                  "$way: stateless");
    }
}


# outputs of tools are in the summary, with the calls

{
    my @input = (user($long),
                 { type => 'function_call', call_id => 'c', name => 'f',
                   arguments => '{}' },
                 { type => 'function_call_output', call_id => 'c',
                   output => 'found' });

    my $r = turn('outputs', \@input);

    is(types($r), 'compaction message', 'outputs: compacted');

    my ($sum, $next) = calls();

    is_deeply([ map { $_->{role} } @$sum ], [ qw( user assistant tool user ) ],
              'outputs: what is summed up');
    is_deeply($next, [ user($head . 'They met.') ], 'outputs: what follows');

    $r = turn('between rounds', [ user('hi'), assistant('hi!'), user('do it'),
                                 user($long) ], at => '/hosted',
             script => 'tools', stream => 1);

    is(types($r), 'compaction function_call function_call_output message',
       'rounds: one compaction for a response');
    is(scalar(calls()), 3, 'rounds: three calls');
}

# texts are measured, images are not

{
    my $image = { role => 'user', content => [
        { type => 'input_image',
          image_url => 'data:image/png;base64,' . 'A' x 9000 } ] };
    my @end = (assistant('hi!'), user('what is it'));

    is(types(turn('an image', [ $image, @end ])), 'message', 'an image');

    for my $over (0, 1) {
        my $text = 'x' x (3800 + 400 * $over);

        is(types(turn("a text, $over", [ user($text), @end ])),
           $over ? 'compaction message' : 'message', "a text, over: $over");
    }
}

# background responses

{
    my $r = post([ user($long), assistant('hi!'), user('go') ],
                 body => { background => json_true })->{json};

    wait_for(sub {
        $r = get($t->port, "/v1/responses/$r->{id}",
                 headers => { Authorization => 'Bearer x' })->{json};
        $r->{status} eq 'completed';
    });

    is(types($r), 'compaction message', 'background');

    $r = turn('background, stream', [ user($long), assistant('hi!'),
                                      user('go') ], stream => 1,
              body => { background => json_true });

    is(types($r), 'compaction message', 'background, stream');
}

# a WebSocket, where nothing is stored

{
    my $ws = ORS::WS->new($t->port, path => '/ws/responses',
                          headers => { Authorization => 'Bearer x' });
    my $r = $ws->say('hi');

    $model->forget;
    $r = $ws->say($long, after => $r, @manage);
    is(types($r), 'compaction message', 'WebSocket');

    $model->forget;
    $ws->say('and now', after => $r);
    is_deeply([ calls() ], [ [ user($head . 'They met.'), user($long),
                               assistant('long!'), user('and now') ] ],
              'WebSocket: it goes on from there');
    $ws->close;
}


# failures

my @talk = (user($long), assistant('hi!'), user('go'));

for my $stream (0, 1) {
    for my $script (sort keys %broken) {
        my $r = post(\@talk, script => $script, stream => $stream);

        if ($stream) {
            my $s = stream_ok($r, "$script: stream", flavor => 'openai',
                              expect => 'failed');
            is($s->response->{error}{code}, 'model_error', "$script: code");

        } else {
            error_ok($r, 500, $script, code => 'model_error');
        }

        is(scalar(calls()), 1, "$script: no second call");
    }

    error_ok(post(\@talk, script => 'full', stream => $stream), 400,
             "refused, $stream", code => 'context_length_exceeded');
    error_ok(post(\@talk, script => 'down', stream => $stream), 503,
             "down, $stream");

    my $r = turn("failover, $stream", \@talk, model => 'two',
                stream => $stream);

    is(types($r), 'compaction message', "failover, $stream");
    is(scalar(calls()), 3, "failover, $stream: one summary");

    $r = turn("failover within, $stream", \@talk, model => 'other',
             stream => $stream);

    is($r->{output}[0]{type}, 'compaction', "failover within, $stream");
    is_deeply([ @{ (calls())[1] }[ 0 .. 2 ] ], \@talk,
              "failover within, $stream: the other one writes the summary");
}

# a target that speaks Responses gets it as it is

{
    $model->script(native => [ [ status => 400 ], [ json => { error => {
        message => 'no', type => 'invalid_request', code => 'x',
        param => '' } } ] ]);

    error_ok(post(\@talk, model => 'native'), 400, 'native', code => 'x');
    is_deeply($model->last_request->{json}{context_management}, $manage[1],
              'native: as it is');
}


# requests

sub refused ($name, $value, $code, $param, %o) {
    error_ok(post('hi', %o, body => { context_management => $value }), 400,
             $name, code => $code, param => $param);
}

my $at = 'context_management[0]';

refused('too few', [ { type => 'compaction', compact_threshold => 999 } ],
        'integer_below_min_value', "$at.compact_threshold");
refused('a text', [ { type => 'compaction', compact_threshold => '5000' } ],
        'invalid_type', "$at.compact_threshold");
refused('a fraction', [ { type => 'compaction', compact_threshold => 1000.5 } ],
        'invalid_type', "$at.compact_threshold");
refused('no type', [ { compact_threshold => 1000 } ],
        'missing_required_parameter', "$at.type");
refused('no list', { type => 'compaction' }, 'invalid_type',
        'context_management');
refused('no threshold', [ { type => 'compaction' } ], 'unsupported_parameter',
        'context_management');
refused('another type', [ { type => 'clear', compact_threshold => 1000 } ],
        'unsupported_parameter', 'context_management');

turn('null', 'hi', body => { context_management => undef });
turn('none', 'hi', body => { context_management => [] });

my $bare = nginx('');

refused('no key', [ { type => 'compaction', compact_threshold => 1000 } ],
        'unsupported_parameter', 'context_management', from => $bare);

for my $case ([ 'no key', $bare, '/loose', { @manage } ],
              [ 'no threshold', $t, '/loose',
                { context_management => [ { type => 'compaction' } ] } ],
              [ 'flavor spec', $t, '/spec', { @manage } ])
{
    my ($name, $from, $where, $body) = @$case;
    my $r = turn("$name: not strict", \@talk, from => $from, at => $where,
                flavor => $where eq '/spec' ? 'spec' : 'openai',
                body => $body);

    is(types($r), 'message', "$name: not strict: no compaction");

    my $log = $from->dir . '/logs/facts.log';
    my $line = qr{^\Q$where\E/responses \[context_management\]}m;

    ok(wait_for(sub { slurp($log) =~ $line }), "$name: an ignored field");
}

{
    my $log = $t->dir . '/logs/facts.log';
    my $line = qr{^/v1/responses \[-\] 100 14 2$}m;

    ok(wait_for(sub { slurp($log) =~ $line }), 'two calls in the variables');
}

$_->finish for $t, $bare;

done_testing();
