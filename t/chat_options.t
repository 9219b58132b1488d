#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Servers are asked in the way that open_responses_chat_options and
# open_responses_reasoning_effort tell of them, where these are set, inherited,
# and another target takes over.  Each option is in t/data/edges and
# t/unit/chat/chat_options_test.c.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_true json_false );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( stream_ok response_ok error_ok );

my ($T, $F) = (json_true, json_false);

# a target of each name; "usual" has none of its own

my %options = (
    usual     => '',
    completes => 'open_responses_chat_options tokens=max_completion_tokens;',
    developer => 'open_responses_chat_options developer=developer;',
    merged    => 'open_responses_chat_options systems=one;',
    blind     => 'open_responses_chat_options images=off;',
    whole     => 'open_responses_chat_options stream=off;',
    flows     => 'open_responses_chat_options stream=always;',
    unpaid    => 'open_responses_chat_options usage=off;',
    curious   => 'open_responses_chat_options params=metadata,prompt_cache_key,'
                 . 'prompt_cache_retention,safety_identifier,service_tier,'
                 . 'store,user,verbosity;',
    polite    => 'open_responses_chat_options params=user;',
    thinks    => <<'CONF',
        open_responses_reasoning_effort  none     /a/think  false;
        open_responses_reasoning_effort  none     /a/budget 0;
        open_responses_reasoning_effort  none     /b        '["x", {"y": 1}]';
        open_responses_reasoning_effort  minimal  /reasoning_effort  '"low"';
        open_responses_reasoning_effort  high;
CONF
    several   => 'open_responses_chat_options tokens=max_completion_tokens '
                 . 'stream=off; '
                 . 'open_responses_chat_options usage=off params=user;',
);

my $model = ORS::Model->new(scripts => {
    broken => [ [ status => 503 ], [ json => { error => {
        message => 'no', type => 'server_error', param => undef,
        code => undef } } ] ],
    stream => stream_script(text => [ 'Hel', 'lo' ]),
});

my $t = ORS::Nginx->new(model => $model, conf => <<"CONF" . nested());
    open_responses_flavor openai;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        # as if there were nothing above

        open_responses_chat_options    tokens=auto params=none;
        open_responses_reasoning_effort  max;

        location /v1/ {
            open_responses on;
            open_responses_target first /to/broken /to/developer;
            open_responses_target paged /to/paged;
@{[ map { "open_responses_target $_ /to/$_;\n" } sort keys %options ]}
        }

@{[ map { <<"TARGET" } sort keys %options ]}
        location = /to/$_ {
            internal;
            open_responses_dialect chat;
            $options{$_}
            proxy_pass http://%%MODEL%%/v1/chat/completions;
        }
TARGET

        location = /to/broken {
            internal;
            open_responses_dialect chat;
            open_responses_chat_options tokens=max_completion_tokens;
            proxy_pass http://%%MODEL%%/script/broken;
        }

        location = /to/paged {
            internal;
            open_responses_dialect chat;
            open_responses_chat_options tokens=max_completion_tokens;
            proxy_pass http://127.0.0.1:%%PORT_3%%;
            error_page 502 = /to/developer;
        }
    }
CONF

$t->start;


# the model's name in a question is the target's name

sub ask ($name, $body, %o) {
    return post_json($t->port($o{port} // 0), '/v1/responses',
                     { model => $name, input => 'hi', %$body },
                     headers => { $o{script} ? ('X-Script' => $o{script})
                                             : () });
}


sub sends ($name, $body, $want, %o) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $label = $o{label} // $name;

    response_ok(ask($name, $body, %o), $label);

    my $json = $model->last_request->{json};

    delete @$json{qw( model ), exists $want->{messages} ? () : 'messages'};
    is_deeply($json, $want, "$label: sent");
}


my %tokens = (max_output_tokens => 20);

sends('usual', \%tokens, { max_tokens => 20 });
sends('completes', \%tokens, { max_completion_tokens => 20 });
sends('merged', { instructions => 'i', input => [
    { role => 'developer', content => 'd' }, { role => 'user', content => 'u' },
    { role => 'system', content => 's' } ] }, { messages => [
    { role => 'system', content => "i\n\nd\n\ns" },
    { role => 'user', content => 'u' } ] });


# another target takes over: it is asked in its own way

for my $name (qw( first paged )) {
    sends($name, { %tokens, instructions => 'i' },
          { max_tokens => 20, messages => [
              { role => 'developer', content => 'i' },
              { role => 'user', content => 'hi' } ] });
}


# a part that a server does not read

my $image = { input => [ { role => 'user', content => [
    { type => 'input_image', image_url => 'data:,' } ] } ] };
my $count = $model->count;

error_ok(ask('blind', { %$image, stream => $_ }), 400, 'blind',
         code => 'unsupported_value', param => 'input[0].content[0]')
    for $T, $F;
is($model->count, $count, 'blind: not sent');
response_ok(ask('usual', $image), 'an image elsewhere');


# streams: what the client wants, and what the server can

stream_ok(ask('usual', { stream => $T }), 'a stream');
is_deeply([ @{ $model->last_request->{json} }{qw( stream stream_options )} ],
          [ $T, { include_usage => $T } ], 'a stream: sent');

my $s = stream_ok(ask('whole', { stream => $T }), 'made a stream here');
is($s->text, 'Hello', 'made a stream here: text');
ok(!exists $model->last_request->{json}{$_}, "made a stream here: no $_")
    for qw( stream stream_options );

my $d = response_ok(ask('flows', { stream => $F }, script => 'stream'),
                    'made a document here');
is($d->text, 'Hello', 'made a document here: text');
is_deeply($model->last_request->{json}{stream}, $T,
          'made a document here: sent');

stream_ok(ask('flows', { stream => $T }), 'always a stream');

stream_ok(ask('unpaid', { stream => $T }), 'usage is not asked for');
is_deeply($model->last_request->{json}{stream}, $T,
          'usage is not asked for: a stream');
ok(!exists $model->last_request->{json}{stream_options},
   'usage is not asked for: sent');


# optional parameters

my %some = (metadata => { a => 'b' }, prompt_cache_key => 'k',
            prompt_cache_retention => '24h',
            safety_identifier => 's', service_tier => 'flex', store => $F,
            user => 'u');

sends('usual', { %some, text => { verbosity => 'low' } }, {});
sends('curious', { %some, text => { verbosity => 'low' } },
      { %some, verbosity => 'low' });
sends('curious', {}, {}, label => 'none of them');
sends('polite', { %some, text => { verbosity => 'low' } }, { user => 'u' });

$d = response_ok(ask('curious', { %some }), 'echo');
is_deeply($d->response->{metadata}, { a => 'b' }, 'echo: metadata');


# effort

sub effort ($name, $effort, $want, @o) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;

    sends($name, { reasoning => { effort => $effort } }, $want,
          label => "$name: $effort", @o);
}

effort('usual', $_, { reasoning_effort => $_ }) for qw( none low xhigh );

effort('thinks', 'none', { a => { think => $F, budget => 0 },
                           b => [ 'x', { y => 1 } ] });
effort('thinks', 'minimal', { reasoning_effort => 'low' });
effort('thinks', 'high', {});
effort('thinks', 'medium', { reasoning_effort => 'medium' });
sends('thinks', {}, {}, label => 'no effort');

$d = response_ok(ask('thinks', { reasoning => { effort => 'none' } }),
                 'echo of effort');
is($d->response->{reasoning}{effort}, 'none', 'echo of effort: as it came');


# several at once

stream_ok(ask('several', { %tokens, %some, stream => $T }), 'several');

my $json = $model->last_request->{json};

is_deeply({ map { $_ => $json->{$_} }
            grep { !/\A(?:model|messages)\z/ } keys %$json },
          { max_completion_tokens => 20, user => 'u' }, 'several: sent');


# inheritance, name by name

my %all = (%tokens, user => 'u', store => $F);

sends('from-http', \%all, { max_completion_tokens => 20, user => 'u' },
      port => 1);
sends('from-server', \%all, { max_tokens => 20, user => 'u' }, port => 2);
sends('own', \%all, { max_tokens => 20 }, port => 2);
sends('other', \%all, { max_tokens => 20, store => $F }, port => 2);

effort('from-http', 'low', {}, port => 1);
effort('from-server', 'low', {}, port => 2);
effort('own', 'low', { reasoning_effort => 'low' }, port => 2);
effort('own', 'high', {}, port => 2);
effort('an-if', 'low', {}, port => 2);
sends('an-if', \%all, { max_tokens => 20, user => 'u' }, port => 2);

$t->finish;

done_testing();


sub nested () {
    return <<'CONF' =~ s/CALL;/<<'TARGET'/ger;
    open_responses_chat_options    tokens=max_completion_tokens params=user;
    open_responses_reasoning_effort  low;

    server {
        listen 127.0.0.1:%%PORT_1%%;

        location /v1/ {
            open_responses on;
            open_responses_target default /to/from-http;
        }

        location = /to/from-http { CALL; }
    }

    server {
        listen 127.0.0.1:%%PORT_2%%;
        open_responses_chat_options tokens=max_tokens;

        location /v1/ {
            open_responses on;
            open_responses_target own      /to/own;
            open_responses_target other    /to/other;
            open_responses_target an-if    /to/an-if;
            open_responses_target default  /to/from-server;
        }

        location = /to/from-server { CALL; }

        location = /to/own {
            open_responses_chat_options    params=none;
            open_responses_reasoning_effort  high;
            CALL;
        }

        location = /to/other {
            open_responses_chat_options params=store;
            CALL;
        }

        location = /to/an-if {
            CALL;

            if ($request_method = POST) { set $x 1; }
        }
    }
CONF
            internal;
            open_responses_dialect chat;
            proxy_pass http://%%MODEL%%/v1/chat/completions;
TARGET
}
