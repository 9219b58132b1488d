#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Requests with previous_response_id: the messages that are sent, who may name
# a response, and which are kept (R64 to R66, E14 to E19, E66, E68).

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::JSON qw( json_true json_false );
use ORS::Model qw( :all );
use ORS::Talk ();
use ORS::Stream qw( error_ok );
use ORS::HTTP qw( get http_start );
use ORS::Util qw( item_token slurp wait_for );

my $call = { id => 'call_1', name => 'f', arguments => '{"x":1}' };

my $talk = ORS::Talk->new(store => 'lmdb:%%TESTDIR%%/store', scripts => {
    call => stream_script(tool_calls => [ $call ]),
    cut => stream_script(text => 'Hel', finish => 'length'),
    broken => [ sse_head(), [ sse => chat_chunk(content => 'Hel') ],
                [ 'close' ] ],
    hang => [ sse_head(), [ sse => chat_chunk(content => 'one') ],
              [ sse => chat_chunk(tool_calls => [ { index => 0, id => 'c',
                  function => { name => 'f', arguments => '{' } } ]) ],
              [ hang => 'gone' ] ],
    reasoned => stream_script(reasoning => 'Hm', text => 'Well'),
}, conf => 'open_responses_limits turns=6 context=64k truncate=2k;
            open_responses_strict on;
            access_log %%TESTDIR%%/logs/facts.log facts;',
   http => q(log_format facts '$open_responses_id $open_responses_previous_id '
                              '$open_responses_stored $status';));

sub user ($text) { { role => 'user', content => $text } }
sub assistant ($text) { { role => 'assistant', content => $text } }


for my $stream (0, 1) {
    my @way = (stream => $stream);
    my $way = $stream ? ': stream' : '';

    # R64, R66: the order of what came before

    my $a = $talk->say('alice', 'one', @way);

    is($a->{store}, json_true, "stored$way");
    is($a->{previous_response_id}, undef, "the first one$way");

    my $b = $talk->say('alice', 'two', @way, after => $a);

    is($b->{previous_response_id}, $a->{id}, "echoed$way");
    is_deeply($talk->heard, [ user('one'), assistant('one!'), user('two') ],
              "R64: a turn before$way");

    my $c = $talk->say('alice', 'three', @way, after => $b);

    is_deeply($talk->heard, [ user('one'), assistant('one!'), user('two'),
                              assistant('two!'), user('three') ],
              "R66: two turns before$way");

    # branches

    my $d = $talk->say('alice', 'other', @way, after => $a);

    is_deeply($talk->heard, [ user('one'), assistant('one!'),
                              user('other') ], "E15: a branch$way");

    $talk->say('alice', 'more', @way, after => $d);

    is_deeply($talk->heard, [ user('one'), assistant('one!'), user('other'),
                              assistant('other!'), user('more') ],
              "E15: a branch of its own$way");

    # instructions are not inherited

    my $e = $talk->say('alice', 'one', @way,
                       body => { instructions => 'old' });

    $talk->say('alice', 'two', @way, after => $e,
               body => { instructions => 'new' });

    is_deeply($talk->heard, [ { role => 'system', content => 'new' },
                              user('one'), assistant('one!'), user('two') ],
              "E14: new instructions$way");

    $talk->say('alice', 'two', @way, after => $e);

    is_deeply($talk->heard, [ user('one'), assistant('one!'), user('two') ],
              "E14: none$way");

    # another scope, and what is not there

    for my $case ([ bob => $a, 'of another scope' ],
                  [ alice => 'resp_' . 'x' x 22, 'that is not there' ],
                  [ alice => 'nonsense', 'that is none' ],
                  [ alice => '', 'that is empty' ],
                  [ alice => "\x{0}\x{1f600}" . 'y' x 3000, 'that is long' ])
    {
        my ($who, $after, $what) = @$case;

        $talk->refused($who, 'two', 400, "E17: an id $what", after => $after,
                       code => 'previous_response_not_found',
                       param => 'previous_response_id',
                       message => qr/ response with this id: "[^"]*"\z/);
    }

    # responses that are not kept

    my $f = $talk->say('alice', 'one', @way, body => { store => json_false });

    is($f->{store}, json_false, "store: false is echoed$way");

    $talk->refused('alice', 'two', 400, "store: false is not stored$way",
                   after => $f, code => 'previous_response_not_found');

    my $g = $talk->say('alice', 'two', @way, after => $a,
                       body => { store => json_false });

    is($g->{store}, json_false, "the last turn of a chain is not stored$way");
    is_deeply($talk->heard, [ user('one'), assistant('one!'), user('two') ],
              "and has its context$way");

    # an output that the conversation has is not sent again (Semantic Kernel)

    my $done = { type => 'function_call_output', call_id => 'c1',
                 output => [ { type => 'input_text', text => "a\n\x{e9}" } ] };
    my $ran = $talk->say('alice', [ user('one'),
                                    { type => 'function_call', name => 'f',
                                      call_id => 'c1', arguments => '{}' },
                                    $done ], @way);

    $talk->say('alice', [ user('two'), $done ], @way, after => $ran);

    is_deeply([ map { $_->{role} } @{ $talk->heard } ],
              [ qw( user assistant tool assistant user ) ],
              "an output that is sent again is left out$way");

    $talk->refused('alice', [ user('two'), { %$done, output => 'b' } ], 400,
                   "another output of the call$way", after => $ran,
                   code => 'duplicate_call_id', param => 'input[1].call_id');

    # incomplete turns are usable, with what they have

    my $h = $talk->say('alice', 'one', @way, script => 'cut',
                       expect => 'incomplete');

    $talk->say('alice', 'go on', @way, after => $h);

    is_deeply($talk->heard, [ user('one'), assistant('Hel'),
                              user('go on') ],
              "E17: an incomplete turn is followed$way");

    $talk->say('alice', undef, @way, after => $h);

    is_deeply($talk->heard, [ user('one'), assistant('Hel') ],
              "E18, E19: it is gone on with without input$way");

    $talk->say('alice', [], @way, after => $h);

    is_deeply($talk->heard, [ user('one'), assistant('Hel') ],
              "E18: or with an empty list$way");

    $talk->refused('alice', '', 400, "E18: nothing is to be answered$way",
                   after => $a, code => 'invalid_value', param => 'input');

    # tools: the output alone is sent

    my @tools = (body => { tools => [ { type => 'function', name => 'f',
                           parameters => { type => 'object' } } ] });

    my $i = $talk->say('alice', 'one', @way, @tools, script => 'call');

    my $j = $talk->say('alice', [ { type => 'function_call_output',
                       call_id => 'call_1', output => 'done' } ], @way,
                       @tools, after => $i);

    is_deeply([ map { $_->{role} } @{ $talk->heard } ],
              [ qw( user assistant tool ) ],
              "E66: a call and its output, sent apart$way");
    is($talk->heard->[1]{tool_calls}[0]{id}, 'call_1', "the call$way");
    is($talk->heard->[2]{content}, 'done', "the output$way");

    $talk->refused('alice', [ { type => 'function_call_output',
                   call_id => 'call_x', output => 'done' } ], 400,
                   "E11: an output without a call in the chain$way",
                   after => $i, code => 'unknown_call_id',
                   param => 'input[0].call_id', message => qr/: "call_x"\z/);

    $talk->refused('alice', 'thanks', 400,
                   "a call of the chain without its output$way", after => $i,
                   code => 'missing_call_output', param => 'input',
                   message => 'No tool output found for function call '
                              . 'call_1.');

    $talk->say('alice', 'thanks', @way, after => $j);

    is(scalar @{ $talk->heard }, 5, "E66: all of it afterwards$way");

    # references to items, with and without a chain

    my $item = $a->{output}[0]{id};

    $talk->say('alice', [ user('one'), { type => 'item_reference',
               id => $item }, user('two') ], @way);

    is_deeply($talk->heard, [ user('one'), assistant('one!'), user('two') ],
              "a reference to an item$way");

    $talk->say('alice', [ { id => $item }, user('two') ], @way,
               after => $a);

    is_deeply($talk->heard, [ user('one'), assistant('one!'), user('two') ],
              "a reference to what is there already$way");

    my $own = 'msg_' . item_token($a->{id}) . 'i0';

    $talk->say('alice', [ { type => 'item_reference', id => $own } ], @way);

    is_deeply($talk->heard, [ user('one') ],
              "a reference to an item of the input$way");

    $talk->refused($$_[0], [ { type => 'item_reference', id => $$_[1] },
                   user('two') ], 400, "a reference $$_[2]$way",
                   code => 'item_not_found', param => 'input')
        for [ bob => $item, 'to what another one has' ],
            [ alice => 'msg_' . 'x' x 22 . '1', 'to nothing' ],
            [ alice => 'x', 'that is none of ours' ],
            [ alice => $item . '7', 'to an item that is not there' ];

    # limits

    my $k = $talk->say('alice', 'one', @way);

    $k = $talk->say('alice', "next $_", @way, after => $k) for 2 .. 6;

    $talk->say('alice', 'six turns', @way, after => $k,
               body => { store => json_false });

    my $l = $talk->say('alice', 'seven', @way, after => $k);

    $talk->refused('alice', 'eight', 400, "too many turns$way", after => $l,
                   code => 'context_length_exceeded',
                   param => 'previous_response_id');

    $talk->say('alice', 'eight', @way, after => $l,
               body => { truncation => 'auto' });

    is($talk->heard->[-1]{content}, 'eight', "truncated$way");
    ok(@{ $talk->heard } > 3 && @{ $talk->heard } < 15,
       "to the newest turns$way");

    my $m = $talk->say('alice', 'a' x 30_000, @way);

    $m = $talk->say('alice', 'b' x 30_000, @way, after => $m);

    $talk->refused('alice', 'c', 400, "too many bytes$way", after => $m,
                   code => 'context_length_exceeded');
}


# secrets are told to nobody, and not on the disk

{
    my $secret = 'hush-1234567890';
    my $mcp = { type => 'mcp', server_label => 'x',
                server_url => 'https://example.com/',
                authorization => $secret, headers => { 'X-Key' => $secret } };
    my $items = [ { type => 'additional_tools', role => 'developer',
                    tools => [ $mcp ] }, user('one') ];

    for my $stream (0, 1) {
        my $r = $talk->say($secret, $items, stream => $stream,
                           body => { tools => [ $mcp ] });

        is_deeply($r->{tools}, [ { %$mcp, authorization => undef,
                                   headers => undef } ],
                  'a tool is echoed without its secrets');

        $talk->say($secret, 'two', stream => $stream, after => $r);
    }

    my $data = slurp($talk->nginx->dir . '/store/data.mdb');

    like($data, qr/example\.com/, 'the tools are stored');
    unlike($data, qr/\Q$secret/, 'their secrets and keys of clients are not');
    unlike($talk->nginx->log_lines, qr/\Q$secret/, 'nor in the log');
}


# turns that have failed, and turns that were left

{
    my $error = error_ok($talk->ask('alice', 'one', script => 'broken'), 502,
                         'a turn that fails');

    ok($error, 'it has no id');

    my $reply = $talk->ask('alice', 'one', script => 'broken', stream => 1);
    my ($id) = $reply->{body} =~ /"id":"(resp_\w+)"/;

    ok($id, 'a stream that fails has one');

    $talk->refused('alice', 'two', 400, 'E17: it is not there', after => $id,
                   code => 'previous_response_not_found');
}

{
    my $h = http_start($talk->nginx->port, 'POST', '/v1/responses',
                       { 'Content-Type' => 'application/json',
                         Authorization => 'Bearer alice',
                         'X-Script' => 'hang' },
                       '{"model":"m","input":"one","stream":true,"tools":['
                       . '{"type":"function","name":"f"}]}');

    $h->wait_body(qr/arguments\.delta/);

    my ($id) = $h->body =~ /"id":"(resp_\w+)"/;

    $h->close;

    ok($talk->model->wait_file('gone'), 'E68: the model is left, too');

    my $reply;

    ok(wait_for(sub {
        $reply = $talk->ask('alice', 'two', after => $id);
        $reply->{status} == 200;
    }), 'E68: finished items are stored');

    is_deeply($talk->heard, [ user('one'), assistant('one'), user('two') ],
              'E68: the message, and not the half of a call');

    $talk->refused('bob', 'two', 400, 'E68: for its owner', after => $id,
                   code => 'previous_response_not_found');
}

# the log's lines about them

{
    my $a = $talk->say('alice', 'one');
    my $b = $talk->say('alice', 'two', after => $a,
                       body => { store => json_false });

    $talk->refused('alice', 'three', 400, 'a refusal', after => "x\r\ny");

    my $log = $talk->nginx->dir . '/logs/facts.log';
    my $has = sub ($re) { wait_for(sub { slurp($log) =~ $re }) };

    ok($has->(qr/^\Q$a->{id}\E - 1 200$/m), 'a turn that is stored');
    ok($has->(qr/^\Q$b->{id} $a->{id}\E 0 200$/m), 'one that is not');
    ok($has->(qr/^- - - 400$/m), 'one that is refused, with an odd id');
}

$talk->finish;


# instructions that are not to be kept

my $bare = ORS::Talk->new(store => 'lmdb:%%TESTDIR%%/store',
                          use => 'instructions=off');

for my $stream (0, 1) {
    my $r = $bare->say('alice', 'one', stream => $stream,
                       body => { instructions => 'Tell nobody.' });

    is($r->{instructions}, 'Tell nobody.', 'they are echoed');

    my $stored = get($bare->nginx->port, "/v1/responses/$r->{id}",
                     headers => { Authorization => 'Bearer alice' })->{json};

    is($stored->{instructions}, undef, 'they are not stored');

    delete @$_{qw( instructions )} for $r, $stored;
    is_deeply($stored, $r, 'but all else is');
}

unlike(slurp($bare->nginx->dir . '/store/data.mdb'), qr/Tell nobody/,
       'nor on the disk');

$bare->finish;

done_testing();
