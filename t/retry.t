#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# When to try again: as a header, whoever has said it and how, and in the
# words that Codex looks for where there is none (E52).

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( http_start );
use ORS::JSON qw( json_encode json_true );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::HTTP qw( post_json );
use ORS::Stream qw( stream_ok error_ok );
use POSIX ();

sub busy ($error, @header) {
    return [ [ status => 429 ], (map { [ header => 'Retry-After', $_ ] }
                                 @header),
             [ json => { error => $error } ] ];
}


sub late ($script) {
    return [ [ wait_file => 'go' ], @$script ];
}


sub date ($seconds) {
    return POSIX::strftime('%a, %d %b %Y %H:%M:%S GMT',
                           gmtime(time + $seconds));
}

my %said = (message => 'Limit reached.');
my $gemini = { %said, code => 429, details => [
    { '@type' => 'type.googleapis.com/google.rpc.RetryInfo',
      retryDelay => '12.3s' } ] };

my %scripts = (
    header => busy(\%said, 7),
    date => busy(\%said, date(1000)),
    past => busy(\%said, date(-100)),
    both => busy({ message => 'Try again in 9s.' }, 7),
    text => busy({ message => 'Please try again in 1.5s.' }),
    azure => busy({ message => 'Please retry after 20 seconds' }),
    gemini => busy($gemini),
    number => busy({ %said, retry_after => 3 }),
    quota => busy({ %said, code => 'insufficient_quota', retry_after => 3 }),
    silent => busy(\%said),
    down => [ [ status => 503 ], [ json => { error => {
        message => 'Loading, retry in 2s' } } ] ],
    broken => [ [ status => 500 ], [ json => { error => {
        message => 'Try again in 2s' } } ] ],
    inside => [ sse_head(), [ sse => { error => {
        message => 'Please retry in 4s.', code => 429 } } ] ],
    later => [ sse_head(), [ sse => chat_chunk(content => 'a') ],
               [ sse => { error => { message => 'Busy', code => 429,
                                     retry_after => 0.25 } } ] ],
);

$scripts{"late-$_"} = late($scripts{$_}) for keys %scripts;

my $model = ORS::Model->new(scripts => \%scripts);

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    open_responses_strict     off;
    open_responses_heartbeat  0;
    open_responses_target     both-targets /to/header /to/model;
    open_responses_target     default      /to/model;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ { open_responses on; }

        location /mask/ {
            open_responses on;
            open_responses_upstream_errors mask;
        }

        # a stream begins before the model server says anything

        location /early/ {
            open_responses on;
            open_responses_heartbeat 50ms;
        }

        location /early/mask/ {
            open_responses on;
            open_responses_heartbeat 50ms;
            open_responses_upstream_errors mask;
        }

        location = /to/model {
            internal;
            open_responses_dialect chat;
            proxy_set_header X-Script $http_x_script;
            proxy_pass http://%%MODEL%%/v1/chat/completions;
        }

        %%CHAT /to/header /script/header%%
    }
CONF

$t->start;


# with a status: the header, and the text as it was

for my $case ([ header => 7 ], [ both => 7 ], [ text => 2 ], [ azure => 20 ],
              [ gemini => 13 ], [ number => 3 ], [ silent => undef ],
              [ quota => 3 ], [ down => 2, 503 ], [ broken => undef, 500 ],
              [ inside => 4 ])
{
    my ($script, $after, $status) = @$case;

    for my $stream (0, 1) {
        my $name = $script . ($stream ? ', stream' : '');
        my $r = post_json($t->port, '/v1/responses',
                          { model => $script, input => 'hi',
                            stream => $stream ? \1 : \0 });
        my $e = error_ok($r, $status // 429, $name);

        is($r->{headers}{'retry-after'}, $after, "$name: header");
        unlike($e->{message}, qr/again in.*again in/i, "$name: once");
        is($e->{message}, $said{message}, "$name: text")
            if $script =~ /header|gemini|number|silent/;
    }
}

like(post_json($t->port, '/v1/responses', { model => 'date', input => 'x' })
     ->{headers}{'retry-after'}, qr/GMT\z/, 'date: header');

for my $case ([ text => 2, 429 ], [ quota => undef, 502 ]) {
    my ($script, $after, $status) = @$case;
    my $r = post_json($t->port, '/mask/responses',
                      { model => $script, input => 'hi' });

    error_ok($r, $status, "mask: $script", message => qr/\A(?!.*1\.5)/);
    is($r->{headers}{'retry-after'}, $after, "mask: $script: header");
}

{
    my $r = post_json($t->port, '/v1/responses',
                      { model => 'both-targets', input => 'hi' },
                      headers => { 'X-Script' => 'silent' });

    error_ok($r, 429, 'another target');
    is($r->{headers}{'retry-after'}, undef,
       'another target: not the header of the first');
}


# in a stream that has begun

sub told ($script, $at = '/early') {
    my $c = http_start($t->port, 'POST', "$at/responses",
                       { 'Content-Type' => 'application/json' },
                       json_encode({ model => $script, input => 'hi',
                                     stream => json_true }));

    $model->touch('go') if $c->wait_body(qr/response\.in_progress/);

    my $s = stream_ok($c->read_response, "$at: $script", expect => 'failed');

    unlink $model->dir . '/go';
    is($s->event('error')->{error}{message}, $s->error->{message},
       "$at: $script: told twice");

    return $s->error->{message};
}

for my $case (
    [ header => 'Limit reached. Try again in 7s.' ],
    [ past => 'Limit reached.' ],
    [ both => 'Try again in 9s.' ],
    [ text => 'Please try again in 1.5s.' ],
    [ azure => 'Please retry after 20 seconds. Try again in 20s.' ],
    [ gemini => 'Limit reached. Try again in 12300ms.' ],
    [ silent => 'Limit reached.' ],
    [ down => 'Loading, retry in 2s. Try again in 2s.' ],
    [ broken => 'Try again in 2s' ])
{
    my ($script, $text) = @$case;

    is(told("late-$script"), $text, "$script: in a stream");
}

is(told('later', '/v1'), 'Busy. Try again in 250ms.', 'after a text');
like(told('late-date'), qr/\ALimit reached\. Try again in (?:9\d\d|1000)s\.\z/,
     'a date in a stream');
like(told('late-text', '/early/mask'),
     qr/\A(?!.*1\.5).*try again in 1500ms\.\z/i, 'masked in a stream');

$t->finish;

done_testing();
