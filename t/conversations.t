#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Conversations: made, changed, deleted, with items of their own, and turns that
# go on from wherever they are.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json request );
use ORS::JSON qw( json_decode json_encode json_false json_true );
use ORS::Loop qw( messages );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( error_ok response_ok stream_ok );

my $model = ORS::Model->new(scripts => {
    default => json_script(chat_reply(content => 'Hello')),
    stream => stream_script(text => [ 'Hel', 'lo' ]),
    down => [ [ status => 500 ], [ json => { error => {
        message => 'no', type => 'x', param => undef, code => 'y' } } ] ],
});

my $t = ORS::Nginx->new(workers => 2, model => $model, conf => <<'CONF');
    open_responses_store main lmdb:%%TESTDIR%%/db size=64m;
    open_responses_store_scope $http_x_user;
    open_responses_target default /to/model;
    open_responses_target native /to/native;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
            open_responses_flavor openai;
            open_responses_store main;
        }

        location /strict/ {
            open_responses on;
            open_responses_flavor spec;
            open_responses_strict on;
            open_responses_store main;
        }

        location /few/ {
            open_responses on;
            open_responses_store main;
            open_responses_limits items=2;
        }

        location /none/ {
            open_responses on;
            open_responses_flavor openai;
        }

        %%CHAT /to/model%%

        location = /to/native {
            internal;
            open_responses_inline_context on;
            proxy_pass http://%%MODEL%%/v1/responses;
        }
    }
CONF

$t->start;

sub at ($method, $path, $data = undef, %o) {
    return request($t->port, $method, '/' . ($o{at} // 'v1') . $path,
                   { 'X-User' => $o{user} // 'ann',
                     $data ? ('Content-Type' => 'application/json') : () },
                   $data && json_encode($data));
}

sub say_ ($conversation, $text, %more) {
    return at(POST => '/responses', { model => 'm', input => $text,
                                      conversation => $conversation, %more });
}

sub sent () { [ messages($model->last_request) ] }

my @openai = (flavor => 'openai');

# made, read, changed

my $r = at(POST => '/conversations', { metadata => { topic => 'x' } });

is($r->{status}, 200, 'made') or diag($r->{body});

my $c = $r->{json};
my $id = $c->{id};

like($id, qr/^conv_\w+$/, 'its id');
is($c->{object}, 'conversation', 'its object');
like($c->{created_at}, qr/^\d+$/, 'when it was made');
is_deeply($c->{metadata}, { topic => 'x' }, 'its metadata');
is_deeply(at(GET => "/conversations/$id")->{json}, $c, 'is read');
is_deeply(at(GET => "/conversations/$id/items")->{json}{data}, [],
          'it is empty');

$r = at(POST => "/conversations/$id", { metadata => { topic => 'y' } });
is_deeply($r->{json}, { %$c, metadata => { topic => 'y' } }, 'is changed');
is_deeply(at(GET => "/conversations/$id")->{json}, $r->{json}, 'for all');

# turns

$r = say_($id, 'one');
my $d = response_ok($r, 'a turn', @openai)->response;

is_deeply($d->{conversation}, { id => $id }, 'says which it is of');
is($d->{previous_response_id}, undef, 'names no response');
is_deeply(sent(), [ 'user one' ], 'the first one has nothing before it');

say_({ id => $id }, 'two');
is_deeply(sent(), [ 'user one', 'assistant Hello', 'user two' ],
          'a conversation as an object');

stream_ok(at(POST => '/responses', { model => 'stream', input => 'three',
                                     stream => json_true,
                                     conversation => $id }), 'a stream',
          @openai);
say_($id, 'four', model => 'down');
say_($id, 'five');
is_deeply(sent(), [ 'user one', 'assistant Hello', 'user two',
                    'assistant Hello', 'user three', 'assistant Hello',
                    'user five' ], 'a turn that has failed is no part of it');

# items

my $list = at(GET => "/conversations/$id/items?order=asc&limit=3")->{json};

is_deeply([ map { $_->{content}[0]{text} } @{ $list->{data} } ],
          [ 'one', 'Hello', 'two' ], 'its items in order');
ok($list->{has_more}, 'there are more');
is(at(GET => "/conversations/$id/items?limit=1")->{json}{data}[0]{content}[0]
   {text}, 'Hello', 'the last one comes first');

$r = at(POST => "/conversations/$id/items", { items => [
    { type => 'message', role => 'user', content => 'aside' },
    { role => 'assistant', content => 'noted' } ] });
is($r->{status}, 200, 'items are added') or diag($r->{body});
is_deeply([ map { $_->{role} } @{ $r->{json}{data} } ],
          [ 'user', 'assistant' ], 'and told');

say_($id, 'six');
is_deeply([ @{ sent() }[-4 .. -1] ],
          [ 'assistant Hello', 'user aside', 'assistant noted', 'user six' ],
          'the model has them');

$r = at(POST => '/conversations', { items => [
    { type => 'message', role => 'user', content => 'first' } ] });
say_($r->{json}{id}, 'second');
is_deeply(sent(), [ 'user first', 'user second' ], 'items from its beginning');
is(@{ at(GET => "/conversations/$r->{json}{id}/items")->{json}{data} }, 3,
   'are in its list');

# in the background, with tools that a client runs, in a store of another server

$r = say_($id, 'slow', background => json_true);
my $path = "/responses/$r->{json}{id}";

until (at(GET => $path)->{json}{status} eq 'completed') { sleep 1 }
say_($id, 'seven');
is_deeply([ @{ sent() }[-3 .. -1] ],
          [ 'user slow', 'assistant Hello', 'user seven' ],
          'a response of the background is part of it');

# whose it is

for my $case ([ GET => "/conversations/$id" ],
              [ DELETE => "/conversations/$id" ],
              [ GET => "/conversations/$id/items" ],
              [ POST => "/conversations/$id", { metadata => {} } ],
              [ POST => "/conversations/$id/items", { items => [
                  { role => 'user', content => 'x' } ] } ])
{
    my ($method, $path, $data) = @$case;

    error_ok(at($method, $path, $data, user => 'bob'), 404,
             "another scope: $method $path", code => 'not_found');
}

error_ok(at(POST => '/responses', { model => 'm', input => 'x',
                                    conversation => $id }, user => 'bob'),
         404, 'another scope: a turn', code => 'not_found',
         param => 'conversation');

# mistakes

my $n = $model->count;

for my $case (
    [ 'no conversation', { conversation => 'conv_none' }, 404, 'not_found' ],
    [ 'a number', { conversation => 5 }, 400, 'invalid_type' ],
    [ 'no id', { conversation => {} }, 400, 'invalid_type' ],
    [ 'two of them', { conversation => $id,
                       previous_response_id => 'resp_x' }, 400,
      'invalid_value' ],
    [ 'not stored', { conversation => $id, store => json_false }, 400,
      'unsupported_parameter' ])
{
    my ($name, $more, $status, $code) = @$case;

    error_ok(at(POST => '/responses', { model => 'm', input => 'x', %$more }),
             $status, $name, code => $code, param => 'conversation');
}

for my $case (
    [ '', { metadata => 5 }, 400, 'invalid_type', 'metadata' ],
    [ '', { metadata => { a => 5 } }, 400, 'invalid_type', 'metadata.a' ],
    [ '', { items => {} }, 400, 'invalid_type', 'items' ],
    [ '', { items => [ { type => 'odd' } ] }, 400, 'unsupported_item',
      'items[0].type' ],
    [ "/$id", {}, 400, 'missing_required_parameter', 'metadata' ],
    [ "/$id/items", {}, 400, 'missing_required_parameter', 'items' ],
    [ "/$id/items", { items => [] }, 400, 'missing_required_parameter',
      'items' ],
    [ '/conv_none', { metadata => {} }, 404, 'not_found', '' ],
    [ '/conv_none/items', { items => [ { role => 'user', content => 'x' } ] },
      404, 'not_found', 'conversation' ])
{
    my ($path, $data, $status, $code, $param) = @$case;

    $r = at(POST => "/conversations$path", $data);
    error_ok($r, $status, "POST $path " . json_encode($data), code => $code,
             param => $param);
    unlike($r->{body}, qr/"input/, 'says nothing of an input');
}

error_ok(request($t->port, 'POST', '/v1/conversations',
                 { 'X-User' => 'ann', 'Content-Type' => 'application/json' },
                 '{"metadata":'), 400, 'broken JSON', code => 'invalid_json');
error_ok(request($t->port, 'POST', '/v1/conversations',
                 { 'X-User' => 'ann', 'Content-Type' => 'text/plain' }, '{}'),
         415, 'another type', code => 'unsupported_media_type');
is($model->count, $n, 'nothing of it was sent');

is(at(PUT => "/conversations/$id")->{headers}{allow},
   'GET, HEAD, POST, DELETE', 'other methods');
is(at(GET => "/conversations/$id/other")->{status}, 404, 'other paths');
is(at(GET => '/conversations')->{status}, 404, 'there is no list of them');
is(at(POST => '/conversations', {}, at => 'none')->{status}, 404,
   'without a store');
is(at(POST => '/conversations', {}, at => 'strict')->{status}, 200,
   'in a location of the specification\'s flavor');
error_ok(at(POST => '/responses', { model => 'm', input => 'x',
                                    conversation => $id }, at => 'strict'),
         400, 'whose requests have none', param => 'conversation');

$r = at(POST => '/conversations', { items => [
    map { { role => 'user', content => "x$_" } } 1 .. 3 ] }, at => 'few');
error_ok($r, 400, 'too many items', param => 'items');
like($r->{body}, qr/"items/, 'by their name');

# deleted: its responses stay

is_deeply(at(DELETE => "/conversations/$id")->{json},
          { id => $id, object => 'conversation.deleted',
            deleted => json_true }, 'deleted');
error_ok(at(GET => "/conversations/$id"), 404, 'is gone', code => 'not_found');
error_ok(at(DELETE => "/conversations/$id"), 404, 'once', code => 'not_found');
is(at(GET => "/responses/$d->{id}")->{status}, 200, 'its responses stay');

# its last response was deleted

$id = at(POST => '/conversations', {})->{json}{id};
$d = say_($id, 'x')->{json};
at(DELETE => "/responses/$d->{id}");
error_ok(say_($id, 'y'), 400, 'without its last response',
         code => 'previous_response_not_found', param => 'conversation');

$t->finish;

done_testing();
