#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# open_responses_secret: what a model has thought, sealed for a client that
# keeps it and sends it back (E5), by whom it can be opened, and what nginx
# says of files of keys.

use v5.36;
use File::Temp ();
use Test::More;
use lib 't/lib';
use ORS::Adapter;
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Util qw( spew );

my $dir = File::Temp::tempdir(CLEANUP => 1);
my ($first, $second) = ('0123456789abcdef' x 4, 'fedcba9876543210' x 4);


sub keys_file ($name, $text, $mode = 0600) {
    spew("$dir/$name", $text);
    chmod $mode, "$dir/$name";

    return "$dir/$name";
}


my %scripts = (
    think => stream_script(reasoning => [ 'Let ', "me \"see\".\n" ],
                           text => [ 'Hel', 'lo' ]),
    json => json_script(chat_reply(reasoning => "Let me \"see\".\n",
                                   content => 'Hello')),
    cut => stream_script(reasoning => [ 'Let ', 'me' ], finish => 'length'),
    tags => stream_script(text => [ '<think>Let me', '</think>', 'Hello' ]),
);

my $thought = "Let me \"see\".\n";
my %asks = (include => [ 'reasoning.encrypted_content' ]);
my $openai = 'open_responses_flavor openai;';

my %o = (scripts => \%scripts, conf => {
    content => 'open_responses_reasoning content;',
    off => 'open_responses_reasoning off;',
    openai => $openai,
    'openai-off' => "$openai open_responses_reasoning off;",
    everybody => 'open_responses_store_scope all;',
}, target => {
    again => 'open_responses_chat_options reasoning=reasoning_content;',
    plain => 'open_responses_chat_options reasoning=reasoning;',
    tags => 'open_responses_chat_options think=on;',
});

my $file = keys_file('keys', "# the key\n$first\n");
my $a = ORS::Adapter->new(%o, http => <<"CONF");
    open_responses_secret $file;
    open_responses_store_scope \$http_authorization empty=share;
CONF


sub thoughts ($r) { grep { $_->{type} eq 'reasoning' } @{ $r->{output} } }

sub blob ($at, %more) {
    my $r = $a->ask('json', at => $at, body => \%asks, %more);

    return (thoughts($r->{json}))[0]{encrypted_content};
}


# the messages for a client that sends "items" back before a message

sub back ($items, %o) {
    my %at = (at => delete $o{at} // '/again');

    $a->ask(undef, %at, %o, body => {
        input => [ @$items, { role => 'assistant', content => 'Hello' } ] });

    my $sent = $a->model->last_request->{json}{messages};

    return $sent->[0]{reasoning_content} // $sent->[0]{reasoning};
}


sub item ($blob, %more) {
    return { type => 'reasoning', summary => [], encrypted_content => $blob,
             %more };
}


# in the answer

for my $at (qw( v1 content off openai openai-off )) {
    my @o = (at => "/$at", $at =~ /openai/ ? (flavor => 'openai') : ());
    my $shown = $at =~ /off/ ? '' : $thought;

    for my $script (qw( think json )) {
        my $name = "$at: $script";
        my ($s, $d) = $a->answer($script, $name, @o, body => \%asks);
        my ($item) = thoughts($d->response);

        is($s->summary . $s->reasoning, $shown, "$name: what is shown");
        is($s->text, 'Hello', "$name: text");
        like($item->{encrypted_content}, qr/\Aors1[\w-]{60,}\z/,
             "$name: and what is not");
        unlike($item->{encrypted_content}, qr/Let/, "$name: is not");
        is(back([ item($item->{encrypted_content}) ]), $thought,
           "$name: it goes back to the model");
    }

    my ($s) = $a->answer('think', "$at: events", @o, body => \%asks);
    my ($added, $done) = map { $s->event("response.output_item.$_") }
                         qw( added done );

    ok(!exists $added->{item}{encrypted_content}, "$at: not when it begins");
    is($done->{item}{encrypted_content},
       (thoughts($s->response))[0]{encrypted_content},
       "$at: the same in the end");

    ($s) = $a->answer('think', "$at: not asked for", @o);

    is(grep({ exists $_->{encrypted_content} } @{ $s->items }), 0,
       "$at: not asked for");
    is(scalar(thoughts($s->response)), $at =~ /off/ ? 0 : 1,
       "$at: not asked for: items");
}

{
    my ($s, $d) = $a->answer('cut', 'cut', body => \%asks, at => '/off',
                             expect => 'incomplete',
                             reason => 'max_output_tokens');

    is(back([ item((thoughts($d->response))[0]{encrypted_content}) ]),
       'Let me', 'cut: what there was');

    ($s, $d) = $a->answer('tags', 'tags', body => \%asks, at => '/tags');

    is(back([ item((thoughts($d->response))[0]{encrypted_content}) ]),
       'Let me', 'tags: of a thought in the text');
}


# back again

my $blob = blob('/v1');
my @text = ({ type => 'reasoning_text', text => 'said' });
my @short = ({ type => 'summary_text', text => 'short' });

is(back([ item($blob) ], at => '/plain'), $thought, 'as the server wants it');
is(back([ item($blob) ], at => '/v1'), undef, 'not if it wants none');
is(back([ item($blob, summary => \@short) ]), $thought,
   'all of it, and not its summary');
is(back([ item($blob, content => \@text) ]), 'said',
   'once, if the text is there');
is(back([ item($blob), item($blob) ]), $thought, 'once (E6)');
is(back([ item($blob), item(undef, summary => [
              { type => 'summary_text', text => $thought } ]) ]), $thought,
   'once, sealed and shown');
is(back([ item($blob), item(undef, summary => \@short) ]),
   "$thought\nshort", 'two in order');

for my $case ([ 'of somebody else', 'gAAAAABpM0Yj-k0V2yZb8sYB3F1Tt3V8x1h5' ],
              [ 'changed', $blob =~ s/(.)\z/$1 eq 'A' ? 'Q' : 'A'/er ],
              [ 'cut', substr $blob, 0, -1 ], [ 'empty', '' ])
{
    my ($name, $other) = @$case;

    is(back([ item($other) ]), undef, "$name: passed over");
    is(back([ item($other, summary => \@short) ]), 'short',
       "$name: what can be read is");
}


# another client

my @alice = (headers => { Authorization => 'Bearer alice' });
my @bob = (headers => { Authorization => 'Bearer bob' });

my $alice = blob('/v1', @alice);

is(back([ item($alice) ], @alice), $thought, 'one client: opens');
is(back([ item($alice) ], @bob), undef, 'another one: does not');
is(back([ item($alice) ]), undef, 'without a scope: it does not open');
is(back([ item($blob) ], @alice), undef,
   'sealed without a scope: it does not open');

$alice = blob('/everybody', @alice);

is(back([ item($alice) ], @alice), undef, 'of another scope: does not');


# keys come and go

$blob = blob('/v1');

keys_file('keys', "$second\n$first\n");
ok($a->nginx->reload, 'another key, and the old one');

is(back([ item($blob) ]), $thought, 'the old one opens');

my $new = blob('/v1');

keys_file('keys', $first);
ok($a->nginx->reload, 'the old key alone');

is(back([ item($new) ]), undef, 'it has not sealed');
is(back([ item($blob) ]), $thought, 'but before');

keys_file('keys', $second);
ok($a->nginx->reload, 'the new one alone');

is(back([ item($new) ]), $thought, 'it has sealed');
is(back([ item($blob) ]), undef, 'but not before');

keys_file('keys', "nothing\n");
ok(!$a->nginx->reload, 'none: nginx goes on as it was');
is(back([ item($new) ]), $thought, 'as it was');

$a->nginx->provokes(qr/invalid secret in "\Q$file\E:1"/);
$a->finish;


# without the directive

$a = ORS::Adapter->new(%o);

for my $at (qw( v1 off )) {
    my ($s) = $a->answer('think', "no secret: $at", at => "/$at",
                         body => \%asks);

    is(grep({ exists $_->{encrypted_content} } @{ $s->items }), 0,
       "no secret: $at: nothing is added");
    is(scalar(thoughts($s->response)), $at eq 'off' ? 0 : 1,
       "no secret: $at: items");
}

is(back([ item($new) ]), undef, 'no secret: nothing is opened');

$a->finish;


# nginx's words about the files

sub says ($name, $files, $code, $re = undef) {
    my ($got, $out) = ORS::Nginx->conf_test(
        "open_responses_secret $files; server { listen 127.0.0.1:1; }");

    is($got, $code, "$name: nginx -t") or diag($out);
    $re ? like($out, $re, "$name: says so")
        : unlike($out, qr/\[(?:warn|emerg)\]/, "$name: not a word");
    unlike($out, qr/\Q$first\E|\Q$second\E|[0-9a-f]{40}/i,
           "$name: tells no key");
}

my $bad = 'a key must be 64 hexadecimal digits or 44 characters of base64';
my $base64 = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

my $one = keys_file('one', "\n# a comment\n$first  # the newest\r\n\n");
my $two = keys_file('two', $base64);

says('a file', $one, 0);
says('two files', "$one $two", 0);
says('for a group', keys_file('group', $first, 0640), 0,
     qr/\[warn\].*"\Q$dir\E\/group" can be read or written by its group/);
says('for everybody', keys_file('open', $first, 0644), 0,
     qr/\[warn\].*"\Q$dir\E\/open" can be read or written by everybody/);
says('no file', "$one $dir/none", 1, qr/\[emerg\].*"\Q$dir\E\/none" failed/);
says('a directory', $dir, 1, qr/\[emerg\].*"\Q$dir\E" failed/);
says('an endless one', '/dev/zero', 1, qr/\[emerg\].*"\/dev\/zero" is no/);
says('an empty one', keys_file('empty', "\n# none\n"), 1,
     qr/\[emerg\].* invalid secret in "\Q$dir\E\/empty", there is no key/);
says('a short key', keys_file('short', "$second\n" . substr $first, 1), 1,
     qr/\[emerg\].* invalid secret in "\Q$dir\E\/short:2", $bad/);
says('a key that is none', keys_file('text', 'x' . substr $first, 1), 1,
     qr/\[emerg\].* invalid secret in "\Q$dir\E\/text:1", $bad/);
says('a key twice', "$one " . keys_file('twice', "$second\n" . uc $first), 1,
     qr/\[emerg\].* in "\Q$dir\E\/twice:2", this key is in the list already/);
says('twice', "$one; open_responses_secret $one", 1,
     qr/"open_responses_secret" directive is duplicate/);

for my $context ('server { %s }', 'server { location / { %s } }') {
    my ($code, $out) = ORS::Nginx->conf_test(
        sprintf $context, "open_responses_secret $one;");

    like($out, qr/"open_responses_secret" directive is not allowed here/,
         'in http only');
}

done_testing();
