#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Responses that are stored: they are retrieved, deleted and their input is
# listed, by whom they are of and by nobody else.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json request );
use ORS::JSON qw( json_decode json_false json_true );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( error_ok response_ok );
use ORS::Util qw( free_port item_token );

my $model = ORS::Model->new(scripts => {
    hello => json_script(chat_reply(content => 'Hello')),
    call => json_script(chat_reply(
        tool_calls => [ { id => 'call_1', name => 'f', arguments => '{}' } ])),
});

my $conf = <<'CONF';
    open_responses_store main lmdb:%%TESTDIR%%/db size=64m;
    open_responses_store_scope $http_x_user;
    open_responses_strict off;
    open_responses_target default /to/model;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
            open_responses_store main;
        }

        location /short/ {
            open_responses on;
            open_responses_store main;
            open_responses_limits context=4k;
        }

        location ~ ^/t/[a-z]+/ {
            open_responses on;
            open_responses_store main;
        }

        location /none/ { open_responses on; }

        %%CHAT /to/model /v1/chat/completions%%
    }
CONF

my $t = ORS::Nginx->new(model => $model, workers => 2, conf => $conf);

$t->start;

my $port = $t->port;


# as one of two who know nothing of each other

sub as ($who, $method, $path, $body = undef, %o) {
    my %headers = ('X-User' => $who, 'X-Script' => 'hello',
                   %{ delete $o{headers} // {} });

    return post_json($port, $path, $body, headers => \%headers, %o)
        if ref $body;

    return request($port, $method, $path, \%headers, $body);
}

sub create ($who, %body) {
    my $script = delete $body{script} // 'hello';
    my $r = as($who, POST => '/v1/responses',
               { model => 'm', input => 'hi', %body },
               headers => { 'X-Script' => $script });

    is($r->{status}, 200, 'a response is made') or diag($r->{body});

    return json_decode($r->{body});
}

sub found ($r, $name) {
    is($r->{status}, 200, $name) or diag($r->{body});
    return json_decode($r->{body} || '{}');
}

sub absent ($r, $name) {
    return error_ok($r, 404, $name, code => 'not_found', param => '',
                    message => qr/\Athere is no response with this id: ".*"\z/);
}


# a response is retrieved as it was answered

my $first = create('ann', metadata => { a => 'b' }, instructions => 'Be nice');

is($first->{store}, json_true, 'it says that it is stored');

my $r = as('ann', GET => "/v1/responses/$first->{id}");

is_deeply(found($r, 'it is there'), $first, 'as it was answered');
is($r->{headers}{'content-type'}, 'application/json', 'as JSON');
response_ok($r, 'it is a response object');

is_deeply(found(as('ann', GET => "/t/x/responses/$first->{id}"),
                'below another location with this store'), $first,
          'the same');
is_deeply(found(as('ann', GET => "/v1/responses/$first->{id}"
                                 . '?include[]=reasoning.encrypted_content'
                                 . '&stream=false&starting_after=3'),
                'with what the SDKs may ask for'), $first, 'the same');

$r = as('ann', HEAD => "/v1/responses/$first->{id}");
is($r->{status}, 200, 'HEAD');
is($r->{body}, '', 'has no body');


# nobody else can do anything with it, or learn that it is there

my @ids = ($first->{id}, 'resp_0000000000000000000000', 'resp_', 'x', '%22',
           $first->{output}[0]{id}, 'a' x 256);

for my $id (@ids) {
    absent(as('bob', $_->[0], "/v1/responses/$id$_->[1]"),
           "$_->[0] " . substr($id, 0, 30) . "$_->[1] is not there")
        for [ GET => '' ], [ DELETE => '' ], [ GET => '/input_items' ],
            [ POST => '/cancel' ];
}

absent(as('ann', GET => "/v1/responses/$_"), 'nor is "' . substr($_, 0, 30)
       . '" for its owner') for @ids[1 .. $#ids];

is_deeply(found(as('ann', GET => "/v1/responses/$first->{id}"),
                'it is still there'), $first, 'as it was');


# other paths, other methods

for ([ PUT => '', 'GET, HEAD, DELETE' ], [ POST => '', 'GET, HEAD, DELETE' ],
     [ POST => '/input_items', 'GET, HEAD' ],
     [ DELETE => '/input_items', 'GET, HEAD' ], [ GET => '/cancel', 'POST' ],
     [ DELETE => '/cancel', 'POST' ])
{
    my ($method, $path, $allow) = @$_;

    $r = as('ann', $method, "/v1/responses/$first->{id}$path");

    error_ok($r, 405, "$method responses/{id}$path",
             code => 'method_not_allowed');
    is($r->{headers}{allow}, $allow, "which are $allow");
}

error_ok(as('ann', GET => "/v1/$_"), 404, "no $_", code => 'not_found')
    for "responses/$first->{id}/", "responses/$first->{id}/other",
        "responses//input_items", "other/$first->{id}",
        'responses/' . 'a' x 257;

error_ok(as('ann', POST => "/v1/responses/$_"), 404, "POST responses/$_",
         code => 'not_found', message => qr{the paths end with /responses})
    for 'input_tokens/count', "$first->{id}/x";

is(as('ann', GET => "/v1/responses/$_")->{status}, 405, qq("$_" is no id))
    for qw( compact input_tokens );

error_ok(as('ann', $_->[0], "/none/responses/$first->{id}$_->[1]"), 404,
         "$_->[0] $_->[1] where there is no store", code => 'not_found')
    for [ GET => '' ], [ DELETE => '' ], [ GET => '/input_items' ],
        [ POST => '/cancel' ];

is(create('ann', store => json_false)->{store}, json_false,
   'one that is not to be stored');

my $unstored = create('ann', store => json_false);
absent(as('ann', GET => "/v1/responses/$unstored->{id}"), 'is not there');

error_ok(as('ann', POST => "/v1/responses/$first->{id}/cancel"), 400,
         'one that was waited for cannot be cancelled',
         message => qr/"background": true/);


# its input, and what that of the turns before was

sub items ($who, $id, $args = '') {
    my $list = found(as($who, GET => "/v1/responses/$id/input_items$args"),
                     "input items $args");

    is($list->{object}, 'list', 'are a list');
    is($list->{first_id}, @{ $list->{data} } ? $list->{data}[0]{id} : undef,
       'which says where it begins');
    is($list->{last_id}, @{ $list->{data} } ? $list->{data}[-1]{id} : undef,
       'and where it ends');

    return $list;
}

my $text = item_token($first->{id});

unlike($first->{output}[0]{id}, qr/${\ substr $first->{id}, 5}/,
       'the id of an item does not tell the id of its response');
like($first->{output}[0]{id}, qr/\Amsg_${text}\d+\z/, 'but its token');

is_deeply(items('ann', $first->{id})->{data}, [
    { type => 'message', id => "msg_${text}i0", status => 'completed',
      role => 'user',
      content => [ { type => 'input_text', text => 'hi' } ] } ],
    'a text is a message of the user');

my $second = create('ann', previous_response_id => $first->{id},
                    script => 'call', tools => [
                        { type => 'function', name => 'f',
                          parameters => { type => 'object' } } ],
                    input => [
                        { role => 'developer', content => 'Call f.' },
                        { type => 'message', role => 'assistant',
                          id => 'msg_mine', content => 'I will' },
                        { role => 'user', content => [
                            { type => 'input_text', text => 'do' } ] } ]);

my $other = item_token($second->{id});

my $third = create('ann', previous_response_id => $second->{id},
                   input => [ { type => 'function_call_output',
                                call_id => 'call_1', output => '42' } ]);

my $last = item_token($third->{id});

my @all = ("msg_${text}i0", $first->{output}[0]{id}, "msg_${other}i0",
           'msg_mine', "msg_${other}i2", $second->{output}[0]{id},
           "fco_${last}i0");

my $list = items('ann', $third->{id}, '?order=asc');

is_deeply([ map { $_->{id} } @{ $list->{data} } ], \@all,
          'all that was input is listed');
is_deeply($list->{data}[1], $first->{output}[0], 'what came out as it was');
is_deeply($list->{data}[5], $second->{output}[0], 'calls too');
is_deeply($list->{data}[3]{content},
          [ { type => 'output_text', text => 'I will', annotations => [],
              logprobs => [] } ],
          'texts of assistants are parts of output');
is($list->{has_more}, json_false, 'there is no more');

is_deeply([ map { $_->{id} } @{ items('ann', $third->{id})->{data} } ],
          [ reverse @all ], 'the newest one is the first');

for my $order ('asc', 'desc') {
    my ($after, @seen) = ('');

    for (1 .. 10) {
        my $page = items('ann', $third->{id}, "?order=$order&limit=2$after");
        push @seen, map { $_->{id} } @{ $page->{data} };
        $after = "&after=$page->{last_id}";
        last unless $page->{has_more};
    }

    is_deeply(\@seen, $order eq 'asc' ? \@all : [ reverse @all ],
              "page by page, $order");
}

is_deeply([ map { $_->{id} }
            @{ items('ann', $third->{id},
                     "?order=asc&limit=2&before=$all[4]")->{data} } ],
          [ @all[2, 3] ], 'a page before');

is_deeply([ map { $_->{id} }
            @{ items('ann', $third->{id}, '?order=asc&limit=2&after='
                     . ($all[1] =~ s/_/%5f/r))->{data} } ],
          [ @all[2, 3] ], 'arguments may have escapes');

error_ok(as('ann', GET => "/v1/responses/$third->{id}/input_items?$_->[0]"),
         400, $_->[0], code => 'invalid_value', param => $_->[1])
    for [ 'limit=0', 'limit' ], [ 'limit=101', 'limit' ],
        [ 'limit=x', 'limit' ], [ 'order=up', 'order' ],
        [ 'after=msg_x', 'after' ], [ 'before=msg_x', 'before' ];


# a deleted response is gone, and with it those that it led to

$r = as('ann', DELETE => "/v1/responses/$first->{id}");
is_deeply(found($r, 'it is deleted'),
          { id => $first->{id}, object => 'response', deleted => json_true },
          'which is what is said');

absent(as('ann', $_->[0], "/v1/responses/$first->{id}$_->[1]"),
       "$_->[0] $_->[1]: it is gone")
    for [ GET => '' ], [ DELETE => '' ], [ GET => '/input_items' ],
        [ POST => '/cancel' ];

error_ok(as('ann', POST => '/v1/responses',
            { model => 'm', input => 'x',
              previous_response_id => $third->{id} }),
         400, 'what came of it cannot go on',
         code => 'previous_response_not_found');

is_deeply(found(as('ann', GET => "/v1/responses/$third->{id}"),
                'but is there'), $third, 'as it was');
is_deeply([ map { $_->{id} } @{ items('ann', $third->{id})->{data} } ],
          [ "fco_${last}i0" ], 'with its own input');


# a body that nobody asked for, and another version of HTTP

$r = request($port, 'GET', "/v1/responses/$third->{id}",
             { 'X-User' => 'ann', 'Content-Length' => 5 }, 'hello');
is_deeply(found($r, 'with a body'), $third, 'it is found');


# all of it in the same way after a reload and another start

$t->reload;
is_deeply(found(as('ann', GET => "/v1/responses/$third->{id}"),
                'after a reload'), $third, 'it is there');

# a response stored under a larger limit is no failure of the store

{
    my $r = create('alice', input => 'x' x 9000);
    my $at = "responses/$r->{id}/input_items";

    is(as('alice', GET => "/v1/$at")->{status}, 200, 'a long input is listed');
    error_ok(as('alice', GET => "/short/$at"), 400, 'longer than is read',
             code => 'context_length_exceeded');
}

$t->finish;


# a store that is not there

my $dead = free_port();

$t = ORS::Nginx->new(model => $model,
                     conf => $conf =~ s/lmdb:\S+ size=64m/
                                        "redis:127.0.0.1:$dead"/er);
$t->start;
$port = $t->port;

for ([ GET => '' ], [ DELETE => '' ], [ GET => '/input_items' ],
     [ POST => '/cancel' ])
{
    $r = as('ann', $_->[0], "/v1/responses/$third->{id}$_->[1]");
    error_ok($r, 503, "$_->[0] $_->[1] without the store",
             code => 'store_unavailable');
    is($r->{headers}{'retry-after'}, 1, 'which is to be tried again');
}

error_ok(as('ann', POST => '/v1/responses',
            { model => 'm', input => 'hi', background => json_true }),
         503, 'nothing is begun in the background',
         code => 'store_unavailable');

$t->finish;

done_testing();
