#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Errors of model servers: passed on, or masked where the gateway's location
# or the target's says so.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json question );
use ORS::JSON qw( json_decode json_encode json_true );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Sample;
use ORS::Stream qw( error_ok stream_ok );

# the name of an account, of a machine

use constant SECRET => 'org-17';


sub failure ($status, $code, %more) {
    return [ [ status => $status ],
             $status == 429 ? [ header => 'Retry-After', 7 ] : (),
             [ json => { error => { message => SECRET, code => $code,
                                    type => 'invalid_request_error',
                                    param => undef, %more } } ] ];
}


# the server's answer, then the client's: as it is, and masked

my @rows = (
    [ 'a bad request', failure(400, 'bad', param => 'input[2].text'),
      [ 400, code => 'bad', param => 'input[2].text' ],
      [ 400, code => 'upstream_error', param => 'input[2].text' ] ],
    [ 'a place that is none', failure(400, 'bad', param => SECRET),
      [ 400, code => 'bad' ], [ 400, code => 'upstream_error', param => '' ]
    ],
    [ 'too long for the model', failure(400, 'context_length_exceeded'),
      [ 400, code => 'context_length_exceeded' ],
      [ 400, code => 'context_length_exceeded' ] ],
    [ 'a key', failure(401, 'invalid_api_key'),
      [ 401, code => 'invalid_api_key' ], [ 502, code => 'server_error' ] ],
    [ 'a bill', failure(402, 'billing'),
      [ 402, code => 'billing' ], [ 502, code => 'server_error' ] ],
    [ 'a right', failure(403, 'not_yours'),
      [ 403, code => 'not_yours' ], [ 502, code => 'server_error' ] ],
    [ 'a law', failure(451, 'law'),
      [ 451, code => 'law' ], [ 502, code => 'server_error' ] ],
    [ 'a model', failure(404, 'model_not_found'),
      [ 404, code => 'model_not_found' ],
      [ 404, code => 'model_not_found' ] ],
    [ 'a size', failure(413, 'big'),
      [ 413, code => 'big' ], [ 413, code => 'request_too_large' ] ],
    [ 'sense', failure(422, 'odd'),
      [ 422, code => 'odd' ], [ 422, code => 'upstream_error' ] ],
    [ 'a limit', failure(429, 'rate_limit_exceeded'),
      [ 429, code => 'rate_limit_exceeded' ],
      [ 429, code => 'rate_limit_exceeded' ] ],
    [ 'a quota', failure(429, 'insufficient_quota'),
      [ 429, code => 'insufficient_quota' ],
      [ 502, code => 'server_error' ] ],
    [ 'a failure', failure(500, 'oops', type => 'server_error'),
      [ 500, code => 'oops' ], [ 500, code => 'server_error' ] ],
    [ 'overload', failure(503, 'busy', type => 'server_error'),
      [ 503, code => 'busy' ], [ 503, code => 'server_is_overloaded' ] ],
    [ 'a time-out', failure(504, 'late', type => 'server_error'),
      [ 504, code => 'late' ], [ 504, code => 'upstream_timeout' ] ],
);


# codes that a translation changes

my %translated = (billing => 'insufficient_quota',
                  busy => 'server_is_overloaded');


# streams: of each kind one whose server fails in the middle

my @failed = (opened(), added(message('msg_1', 'in_progress')),
              (text_part('msg_1', 0, 'Hello'))[0, 1]);
my %said = (type => 'server_error', code => 'quota_of', param => undef,
            message => SECRET);
my $response = response('failed', error => { code => 'quota_of',
                                             message => SECRET });

my %stream = (
    error => render([ @failed, { type => 'error', error => { %said } } ]),
    failed => render([ @failed, ev('failed', response => $response) ]),
    both => render([ @failed, { type => 'error', error => { %said } },
                     ev('failed', response => $response) ]),
);
my @chunks = ([ sse => chat_chunk(role => 'assistant', content => 'He') ],
              [ sse => chat_chunk(content => 'llo') ]);

my $model = ORS::Model->new(scripts => {
    (map { ("row-$_" => $rows[$_][1]) } 0 .. $#rows),
    (map { ("stream-$_" => [ sse_head(), [ raw => $stream{$_} ] ]) }
     keys %stream),
    chunks => [ sse_head(), @chunks, [ sse => { error => { %said } } ] ],
    named => [ sse_head(), @chunks, [ sse => { %said }, 'error' ] ],
    page => [ [ status => 502 ], [ header => 'Content-Type', 'text/html' ],
              [ raw => '<html>' . SECRET . '</html>' ] ],
    late => [ [ status => 408 ],
              [ json => { error => { message => SECRET } } ] ],
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    open_responses_flavor  spec;
    open_responses_target  native       /to/native;
    open_responses_target  native-mask  /to/native-mask;
    open_responses_target  chat         /to/chat;
    open_responses_target  chat-mask    /to/chat-mask;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /pass/ { open_responses on; }

        location /mask/ {
            open_responses on;
            open_responses_upstream_errors mask;
        }

        location /validator/ {
            open_responses_validate on;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /validator-mask/ {
            open_responses_validate on;
            open_responses_upstream_errors mask;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location = /to/native {
            internal;
            open_responses_upstream_errors pass;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }

        location = /to/native-mask {
            internal;
            open_responses_upstream_errors mask;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }

        location = /to/chat {
            internal;
            open_responses_dialect chat;
            open_responses_upstream_errors pass;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }

        location = /to/chat-mask {
            internal;
            open_responses_dialect chat;
            open_responses_upstream_errors mask;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }
    }
CONF

$t->start;

my @posted = qw( chat/completions embeddings responses responses/compact );

# where, the model's name, and whether it masks

my @ways = (
    [ 'pass', 'native', 0 ], [ 'pass', 'native-mask', 1 ],
    [ 'mask', 'native', 1 ], [ 'mask', 'native-mask', 1 ],
    [ 'pass', 'chat', 0 ], [ 'pass', 'chat-mask', 1 ],
    [ 'mask', 'chat', 1 ], [ 'mask', 'chat-mask', 1 ],
    [ 'validator', 'native', 0 ], [ 'validator-mask', 'native', 1 ],
);


sub ask ($at, $name, $endpoint, $script, %more) {
    return post_json($t->port, "/$at/$endpoint",
                     question($endpoint, $name, %more),
                     headers => { 'X-Script' => $script });
}


sub hidden ($r, $masks, $label) {
    my $secret = SECRET;

    $masks ? unlike($r->{body}, qr/$secret/, "$label: its words are hidden")
           : like($r->{body}, qr/$secret/, "$label: its words are seen");
}


# a plain answer, or one in place of a stream

for my $n (0 .. $#rows) {
    my ($name, undef, $plain, $masked) = @{ $rows[$n] };

    for my $way (@ways) {
        my ($at, $to, $masks) = @$way;

        for my $endpoint (@posted) {
            next if $endpoint eq 'responses/compact' && $to =~ /chat/;

            my $label = "$name, $at, $to, $endpoint";
            my ($status, %expect) = $masks ? @$masked : @$plain;
            my $r = ask($at, $to, $endpoint, "row-$n",
                        $endpoint =~ /^(?:responses|chat.*)\z/ && $n % 2
                        ? (stream => json_true) : ());

            if ($to =~ /chat/ && $endpoint eq 'responses') {

                # a place in what it was sent is none in what the client sent
                $expect{param} = '';
                $expect{code} = $translated{ $expect{code} }
                                // $expect{code};
            }

            error_ok($r, $status, $label, %expect);
            is($r->{headers}{'retry-after'}, 7, "$label: Retry-After")
                if $status == 429;
            hidden($r, $masks, $label);
        }
    }
}

for my $way (@ways) {
    my ($at, $to, $masks) = @$way;
    my $r = ask($at, $to, 'responses', 'page');

    error_ok($r, 502, "a page, $at, $to");
    hidden($r, 1, "a page, $at, $to");

    $r = ask($at, $to, 'chat/completions', 'late');
    is($r->{status}, $masks ? 504 : 408, "late, $at, $to: status");
    hidden($r, $masks, "late, $at, $to");
}


# inside of streams

for my $way (@ways) {
    my ($at, $to, $masks) = @$way;
    my $code = $masks ? 'server_error' : 'quota_of';

    for my $script ($to =~ /chat/ ? qw( chunks named )
                    : map { "stream-$_" } sort keys %stream)
    {
        my $label = "stream, $script, $at, $to";
        my $r = ask($at, $to, 'responses', $script, stream => json_true);
        my $s = stream_ok($r, $label, expect => 'failed', code => $code,
                          lax => $to !~ /chat/);

        is($s->event('error')->{error}{code}, $code,
           "$label: error event") if $s->event('error');
        hidden($r, $masks, $label);
    }

    my $r = ask($at, $to, 'chat/completions', 'chunks',
                stream => json_true);
    my ($error) = $r->{body} =~ m{data: (\{"error":.*)\n\ndata: \[DONE\]};

    is(json_decode($error // '{}')->{error}{code}, $code,
       "chunks, $at, $to: code") or diag($r->{body});
    hidden($r, $masks, "chunks, $at, $to");
}

like($t->error_log, qr/model server says: ${\SECRET} while/,
     'the operator reads them');

$t->finish;

done_testing();
