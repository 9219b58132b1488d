#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# A part that stands alone.  Graphlit's document has "content:
# ResponseContentPart | ResponseContentPart[] | string": one object in place of
# a list is a list of one where the location is not strict, for all that read
# the request later.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json get );
use ORS::JSON qw( json_decode json_encode );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( error_ok );
use ORS::Util qw( wait_for );
use ORS::WS;

my $model = ORS::Model->new(scripts => {
    default => json_script(chat_reply(content => 'hello')),
    stream  => stream_script(content => 'hello'),
    teapot  => [ [ status => 418 ], [ json => { error => {
        message => 'here', type => 'server_error', param => '',
        code => 'teapot' } } ] ],
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    open_responses_store main lmdb:%%TESTDIR%%/db size=64m;
    open_responses_store_scope tests;
    open_responses_strict off;

    server {
        listen 127.0.0.1:%%PORT_0%%;
        open_responses_websocket on;

        location /v1/ {
            open_responses on;
            open_responses_store main;
            open_responses_target native /to/native;
            open_responses_target default /to/model;
        }

        location /strict/ {
            open_responses on;
            open_responses_strict on;
            open_responses_target default /to/model;
        }

        location /validated/ {
            open_responses_validate on;
            proxy_set_header X-Script teapot;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location = /to/model {
            internal;
            open_responses_dialect chat;
            proxy_set_header X-Script $http_x_script;
            proxy_http_version 1.1;
            proxy_pass http://%%MODEL%%/chat;
        }

        location = /to/native {
            internal;
            proxy_set_header X-Script teapot;
            proxy_pass http://%%MODEL%%/v1/responses;
        }
    }
CONF

$t->start;

my $text = { type => 'input_text', text => "one \x{1f600} part" };
my $image = { type => 'input_image', image_url => 'http://a/b.png' };

sub said ($content, $role = 'user') {
    return { type => 'message', role => $role, content => $content };
}

sub ask ($at, %body) {
    return post_json($t->port, "$at/responses",
                     json_encode({ model => 'm', store => \0, %body }));
}

sub sent () { json_decode($model->last_request->{body}) }


# Chat Completions gets the same as for a list, wherever the part stands

for my $case (
    [ 'a text', [ said($text) ] ],
    [ 'an image', [ said($image) ] ],
    [ 'a system message', [ said($text, 'system'), said('hi') ] ],
    [ 'an answer', [ said('hi'), said({ type => 'output_text', text => 'x' },
                                      'assistant'), said($text) ] ],
    [ 'an output of a function',
      [ said('hi'), { type => 'function_call', call_id => 'c', name => 'f',
                      arguments => '{}' },
        { type => 'function_call_output', call_id => 'c',
          output => $text } ] ],
) {
    my ($name, $input) = @$case;
    my @listed = map {
        my %item = %$_;
        ref $item{$_} eq 'HASH' and $item{$_} = [ $item{$_} ]
            for qw( content output );
        \%item;
    } @$input;

    my $one = ask('/v1', input => $input);
    is($one->{status}, 200, "$name: status");
    my $got = sent();

    is(ask('/v1', input => \@listed)->{status}, 200, "$name: a list");
    is_deeply($got, sent(), "$name: the model gets the same");
}

is(ask('/v1', input => said($text))->{status}, 200, 'an item alone');
is_deeply(sent()->{messages}[-1]{role}, 'user', 'it is the only one');

# others get lists

for my $case (
    [ 'a native target', sub { ask('/v1', model => 'native', @_) } ],
    [ 'a server that is validated', sub { ask('/validated', @_) } ],
) {
    my ($name, $ask) = @$case;

    is($ask->(input => [ said($text), said('x') ])->{status}, 418,
       "$name: status");
    is_deeply(sent()->{input}, [ said([ $text ]), said('x') ],
              "$name: it gets a list");
}

# the record is what was read

my $first = ask('/v1', input => [ said($text) ], store => \1)->{json};
my $second = ask('/v1', input => [ said($image) ], store => \1,
                 previous_response_id => $first->{id})->{json};
is(scalar @{ sent()->{messages} }, 3, 'a follow-up has the part before');

my $items = get($t->port, "/v1/responses/$second->{id}/input_items")->{json};
is(ref $items->{data}[0]{content}, 'ARRAY', 'input_items: a list');

my $left = ask('/v1', input => [ said($text) ], store => \1,
               background => \1)->{json};
ok(wait_for(sub {
    (get($t->port, "/v1/responses/$left->{id}")->{json}{status} // '')
        eq 'completed';
}), 'in the background');

my $ws = ORS::WS->new($t->port, headers => { 'X-Script' => 'stream' });
$ws->create(model => 'm', input => [ said($text) ], store => \0);
$ws->turn_ok('over a WebSocket');
$ws->drop;

# neither anything else, nor where it is strict

my $n = $model->count;

error_ok(ask('/v1', input => [ said({ type => 'input_text', text => 1 }) ]),
         400, 'a wrong part', param => 'input[0].content.text');
error_ok(ask('/v1', input => [ said({ text => 'x' }) ]),
         400, 'a part without a type', param => qr/^input\[0\]\.content/);
error_ok(ask('/v1', input => [ said(1) ]), 400, 'a number',
         param => 'input[0].content');
error_ok(ask('/strict', input => [ said($text) ]), 400, 'strict',
         param => 'input[0].content');
is($model->count, $n, 'nothing was sent');

$t->finish;
done_testing();
