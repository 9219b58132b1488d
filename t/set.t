#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# open_responses_set: an operator's defaults and overrides in the body for a
# target.  Onwards' document has a body_transform_fn, "applied after
# validation"; here it is configuration.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json question );
use ORS::JSON qw( json_decode json_encode json_false json_true );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( response_ok );

my $model = ORS::Model->new(scripts => {
    default => json_script(chat_reply(content => 'hi')),
    native  => [ [ status => 418 ], [ json => { error => {
        message => 'here', type => 'server_error', param => '',
        code => 'teapot' } } ] ],
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    open_responses_set /top_k 20;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
            open_responses_strict off;
            open_responses_target set /to/set;
            open_responses_target missing /to/missing;
            open_responses_target native /to/native;
            open_responses_target var /to/var;
            open_responses_target default /to/model;
        }

        location = /to/model {
            internal;
            open_responses_dialect chat;
            proxy_pass http://%%MODEL%%/chat;
        }

        location = /to/set {
            internal;
            open_responses_dialect chat;
            open_responses_set /chat_template_kwargs/enable_thinking false;
            open_responses_set /chat_template_kwargs/a~1b/c '[1, {"x": null}]';
            open_responses_set /temperature 0.70;
            open_responses_set /max_tokens 12345678901234567890;
            open_responses_set /metadata/by '"gateway"';
            proxy_pass http://%%MODEL%%/chat;
        }

        location = /to/missing {
            internal;
            open_responses_dialect chat;
            open_responses_set /temperature 0.5 missing;
            open_responses_set /provider/order '["a"]' missing;
            open_responses_set /provider/sort '"price"';
            open_responses_set /logit_bias '{"a": "set"}' missing;
            proxy_pass http://%%MODEL%%/chat;
        }

        location = /to/native {
            internal;
            open_responses_set /metadata/who '"$http_x_who"';
            open_responses_set /service_tier '"flex"' missing;
            proxy_set_header X-Script native;
            proxy_pass http://%%MODEL%%/responses;
        }

        location = /to/var {
            internal;
            open_responses_dialect chat;
            open_responses_set /user '"$http_x_who of $server_port"';
            open_responses_set /tags '["$http_x_who", "x",
                                       {"k": "${http_x_who}"}]';
            proxy_pass http://%%MODEL%%/chat;
        }
    }
CONF

$t->start;


sub sent ($name, $who = undef, %body) {
    post_json($t->port, '/v1/responses',
              { model => $name, input => 'hi', store => json_false, %body },
              headers => { defined $who ? ('X-Who' => $who) : () });

    my $text = $model->last_request->{body};
    my $sent = json_decode($text);

    is($model->last_request->{headers}{'content-length'}, length $text,
       "$name: length");

    delete @$sent{qw( messages model input store )};
    return ($sent, $text);
}


is_deeply((sent('any'))[0], { top_k => 20 }, 'inherited');
is_deeply((sent('any', undef, params => { top_k => 1 }))[0], { top_k => 20 },
          'over what the client wants');

my ($sent, $text) = sent('set', undef, temperature => 1,
                         max_output_tokens => 50, metadata => { a => 'b' });

is_deeply($sent->{chat_template_kwargs},
          { enable_thinking => json_false,
            'a/b' => { c => [ 1, { x => undef } ] } },
          'objects are made on the way, pointers into one share it');
like($text, qr/"temperature":0\.70[,}]/, 'numbers as they are written');
like($text, qr/"max_tokens":12345678901234567890[,}]/, 'and large ones');
is(scalar(() = $text =~ /"(?:temperature|max_tokens)"/g), 2,
   'each member once');
is($sent->{top_k}, undef, 'not inherited where there are others');

($sent) = sent('set', undef,
               params => { chat_template_kwargs => { x => 1 } });
is_deeply([ sort keys %{ $sent->{chat_template_kwargs} } ],
          [ 'a/b', 'enable_thinking', 'x' ], 'members of a client stay');

($sent) = sent('set', undef, params => { chat_template_kwargs => 'text' });
is(ref $sent->{chat_template_kwargs}, 'HASH', 'an object in place of a text');

is_deeply((sent('missing'))[0],
          { temperature => 0.5, logit_bias => { a => 'set' },
            provider => { order => [ 'a' ], sort => 'price' } },
          'missing: nothing is there');
is_deeply((sent('missing', undef, temperature => 0, params => {
               logit_bias => { b => 'c' }, provider => { order => [] } }))[0],
          { temperature => 0, logit_bias => { b => 'c' },
            provider => { order => [], sort => 'price' } },
          'missing: what is there stays');

# others

my $who = "a\"b\\c\t\xc3\xa9";

is_deeply((sent('native', $who))[0],
          { metadata => { who => "a\"b\\c\t\x{e9}" }, service_tier => 'flex' },
          'a target that speaks the dialect of the client');
is_deeply((sent('native', 'x', service_tier => 'auto',
                metadata => { a => 'b' }))[0],
          { metadata => { a => 'b', who => 'x' }, service_tier => 'auto' },
          'members of the client');

is_deeply((sent('var', $who))[0], {
    user => "a\"b\\c\t\x{e9} of " . $t->port,
    tags => [ "a\"b\\c\t\x{e9}", 'x', { k => "a\"b\\c\t\x{e9}" } ] },
    'variables in strings');
is_deeply((sent('var'))[0]{user}, ' of ' . $t->port, 'an empty one');
is_deeply((sent('var', "\xff"))[0]{tags}[0], "\x{fffd}", 'not UTF-8');

# chat/completions is such a body, embeddings are none

post_json($t->port, '/v1/chat/completions', question('chat/completions', 'x'));
is(json_decode($model->last_request->{body})->{top_k}, 20,
   'chat/completions');
post_json($t->port, '/v1/embeddings', question('embeddings', 'x'));
is(json_decode($model->last_request->{body})->{top_k}, undef, 'embeddings');

# equal requests give equal bytes

is((sent('set', undef, input => 'x' x 100_000))[1],
   (sent('set', undef, input => 'x' x 100_000))[1], 'the same bytes');

$t->finish;
done_testing();
