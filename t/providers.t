#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Providers: to whom a request goes that names one, what its options become,
# and members of the chat request that a client writes itself.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get post_json );
use ORS::JSON qw( json_encode );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( response_ok stream_ok error_ok );

my $model = ORS::Model->new(scripts => {
    down => [ [ status => 503 ], [ json => { error => 'down' } ] ],
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    open_responses_flavor  openai;
    open_responses_strict  off;

    open_responses_target  m        /to/none;
    open_responses_target  m        /to/one             provider=one;
    open_responses_target  m        /to/two             provider=two;
    open_responses_target  x*       /to/none;
    open_responses_target  x-*      /to/one             provider=one;
    open_responses_target  ~y       /to/one             provider=one;
    open_responses_target  ~y       /to/two             provider=two;
    open_responses_target  spare    /to/down /to/one    provider=one;
    open_responses_target  native   /to/native          provider=one;
    open_responses_target  default  /to/two             provider=two;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ { open_responses on; }

        location /strict/ {
            open_responses        on;
            open_responses_strict on;
        }

        location /spec/ {
            open_responses        on;
            open_responses_strict on;
            open_responses_flavor spec;
        }

        location /reject/ {
            open_responses                on;
            open_responses_strict         on;
            open_responses_flavor         spec;
            open_responses_unknown_fields reject;
        }

        location /to/ {
            internal;
            open_responses_dialect chat;
            proxy_set_header X-Target $uri;
            proxy_pass http://%%MODEL%%/chat;
        }

        %%CHAT /to/down /script/down%%

        location = /to/native {
            internal;
            proxy_pass http://%%MODEL%%/script/down;
        }
    }
CONF

$t->start;

my @words = ({ type => 'message', role => 'user', content => 'hi' });


sub ask ($body, $at = '/v1') {
    return post_json($t->port, "$at/responses", { input => \@words, %$body });
}


sub goes ($of, $provider, $target, $at = '/v1') {
    my $name = "$at: $of" . ($provider ? " of $provider" : '');

    response_ok(ask({ model => $of,
                      $provider ? (provider => $provider) : () }, $at),
                $name, flavor => 'openai');
    return target($name, $target);
}


sub target ($name, $target) {
    is($model->last_request->{headers}{'x-target'}, $target,
       "$name: its target");
}


# by model, of those of the provider

goes(m => undef, '/to/none');
goes(m => one => '/to/one');
goes(m => two => '/to/two');
goes('x-1' => undef, '/to/one');
goes('x-1' => one => '/to/one');
goes('x-1' => two => '/to/two');
goes(x => undef, '/to/none');
goes(y => undef, '/to/one');
goes(y => two => '/to/two');
goes(z => undef, '/to/two');
goes(m => two => '/to/two', '/strict');
goes(m => two => '/to/none', '/spec');
goes(spare => one => '/to/one');

for my $case ([ m => 'three' ], [ z => 'one' ], [ m => 'One' ]) {
    my ($of, $provider) = @$case;

    error_ok(ask({ model => $of, provider => $provider }), 404,
             "no $of of $provider", code => 'model_not_found',
             param => 'provider',
             message => "there is no model \"$of\" of a provider"
                        . " \"$provider\" here");
}

response_ok(ask({ model => 'm', provider => '' }), 'of nobody',
            flavor => 'openai');
target('of nobody', '/to/none');

response_ok(post_json($t->port, '/v1/responses',
                      '{"model":"m","input":"hi","provider":"tw\u006f"}'),
            'an escaped name', flavor => 'openai');
target('an escaped name', '/to/two');

error_ok(ask({ model => 'm', provider => 5 }), 400, 'a number',
         code => 'invalid_type', param => 'provider');
error_ok(ask({ model => 'm', provider => 'one' }, '/reject'), 400,
         'an unknown key', code => 'unknown_parameter', param => 'provider');

{
    my $r = get($t->port, '/v1/models');

    is_deeply([ map { $_->{id} } @{ $r->{json}{data} } ],
              [ qw( m spare native ) ], 'each model is listed once');
}


# members that are sent

my %options = (provider_options => [
    { type => 'one', top_k => 1, user => 'u' },
    { type => 'two', top_k => 2, min_p => 0.5, temperature => 0.25 } ]);


sub sent ($name, $body, $at = '/v1') {
    my @r;

    for my $stream (1, 0) {
        my $r = ask({ model => 'm', stream => $stream ? \1 : \0, %$body },
                    $at);

        $stream ? stream_ok($r, "$name: stream", flavor => 'openai')
                : response_ok($r, $name, flavor => 'openai');

        my %json = %{ $model->last_request->{json} };

        delete @json{qw( model messages stream stream_options )};
        push @r, \%json;
    }

    is_deeply($r[0], $r[1], "$name: both ways");

    return $r[1];
}


is_deeply(sent('options of one', { %options, provider => 'one' }),
          { top_k => 1, user => 'u' }, 'options of one: its own');
is_deeply(sent('options of two', { %options, provider => 'two',
                                   temperature => 1, top_p => 1 }),
          { top_k => 2, min_p => 0.5, temperature => 0.25, top_p => 1 },
          'options of two: its own');
is_deeply(sent('options without a provider', { %options }), {},
          'options without a provider: none');
is_deeply(sent('options, strict', { %options, provider => 'one' }, '/strict'),
          { top_k => 1, user => 'u' }, 'options, strict: they go');
is_deeply(sent('options, spec', { %options, params => { a => 1 } }, '/spec'),
          {}, 'options, spec: not known');

is_deeply(sent('params', { temperature => 1,
                           params => { temperature => 0.5, stop => [ 'x' ],
                                       max_tokens => 5 } }),
          { temperature => 0.5, stop => [ 'x' ], max_tokens => 5 },
          'params: as they are');
is_deeply(sent('params and options', {
              %options, provider => 'two',
              params => { temperature => 0.5, top_k => 9, seed => 3 } }),
          { top_k => 2, min_p => 0.5, temperature => 0.25, seed => 3 },
          'params and options: these come first');
is_deeply(sent('params, strict', { params => { a => 1 } }, '/strict'), {},
          'params, strict: not known');

for my $name (qw( model messages stream tools tool_choice n )) {
    error_ok(ask({ model => 'm', params => { $name => 1 } }), 400,
             "params: $name", code => 'unsupported_parameter',
             param => "params.$name");
    error_ok(ask({ model => 'm', provider => 'two',
                   provider_options => [ { type => 'two', $name => 1 } ] }),
             400, "options: $name", code => 'unsupported_parameter',
             param => "provider_options[0].$name");
}

error_ok(ask({ model => 'm', provider_options => [ { a => 1 } ] }), 400,
         'options of whom', code => 'missing_required_parameter',
         param => 'provider_options[0].type');
error_ok(ask({ model => 'm', params => [ 1 ] }), 400, 'params: a list',
         code => 'invalid_type', param => 'params');

# a server that speaks the API gets all of it

{
    my %body = (model => 'native', provider => 'one', params => { a => 1 },
                %options);

    ask(\%body);

    my $seen = $model->last_request->{json};

    is_deeply($seen, { input => \@words, %body }, 'native: as it came');
}

$t->finish;

done_testing();
