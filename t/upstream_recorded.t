#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Answers of real servers of Chat Completions, recorded once with status and
# headers (t/data/upstream): what the client gets must say the same, whether
# it asked for a stream or not, and however the bytes were cut.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_decode json_true json_false );
use ORS::Model;
use ORS::Nginx;
use ORS::Stream qw( stream_ok response_ok error_ok );
use ORS::Util qw( slurp );

my %recorded = map { m{([^/]+)\.json\z} => json_decode(slurp($_)) }
               glob 't/data/upstream/*.json';

# the errors as a client gets them

my %error = (
    'aimock-error-429' => [ 429, type => 'too_many_requests',
                            code => 'rate_limit_exceeded',
                            message => qr/^Rate limit reached/ ],
    'aimock-error-500' => [ 500, type => 'server_error',
                            code => 'server_error',
                            message => 'The server had an error' ],
    'llama-error-bad-json' => [ 500, type => 'server_error',
                                code => 'server_error',
                                message => qr/parse_error/ ],
    'llama-error-context' => [ 400, type => 'invalid_request',
                               code => 'context_length_exceeded',
                               message => qr/200019 tokens/ ],
    'llama-error-image' => [ 500, type => 'server_error',
                             code => 'server_error',
                             message => qr/image input is not supported/ ],
    'llama-error-no-messages' => [ 400, type => 'invalid_request',
                                   code => 'invalid_request_error',
                                   message => "'messages' is required" ],
    'pyllama-error-bad-json' => [ 500, type => 'server_error',
                                  code => 'server_error',
                                  message => qr/ status 500\z/ ],
    'pyllama-error-context' => [ 400, type => 'invalid_request',
                                 code => 'context_length_exceeded',
                                 message => qr/requested 3011 tokens/ ],

    # of a stream it says that all is well, and nothing else
    'pyllama-error-context-stream' => [ 502, type => 'server_error',
                                        code => 'upstream_disconnected' ],
    'pyllama-error-format' => [ 500, type => 'server_error',
                                code => 'internal_server_error',
                                message => qr/'text' or 'json_object'/ ],
    'pyllama-error-null' => [ 500, type => 'server_error',
                              code => 'internal_server_error',
                              message => qr/^7 validation errors/ ],
    'pyllama-error-required' => [ 500, type => 'server_error',
                                  code => 'internal_server_error',
                                  message => qr/ status 500\z/ ],
);

my $model = ORS::Model->new(scripts => {
    map { ($_ => steps($recorded{$_}),
           "$_.cut" => [ [ split => 61, 0 ], @{ steps($recorded{$_}) } ]) }
        keys %recorded });

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    upstream model {
        server %%MODEL%%;
        keepalive 4;
    }

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses        on;
            open_responses_target default /to/model;
        }

        location = /to/model {
            internal;
            open_responses_dialect chat;

            proxy_pass          http://model/v1/chat/completions;
            proxy_http_version  1.1;
            proxy_set_header    Connection "";
        }
    }
CONF

$t->start;

for my $name (sort keys %recorded) {
    for my $stream (0, 1) {
        for my $script ($name, "$name.cut") {
            my $label = $script . ($stream ? ', streamed' : '');

            exists $error{$name}
                ? refused($label, $script, $stream, @{ $error{$name} })
                : answered($label, $script, $stream, $recorded{$name});
        }
    }
}

cmp_ok(keys %recorded, '>=', 20, 'there are recordings');

$t->finish;

done_testing();


sub steps ($r) {
    my %h = %{ $r->{headers} };
    my $framing = delete $h{'transfer-encoding'} ? 'chunked' : 'length';
    my $closes = ($h{connection} // '') eq 'close';

    delete $h{'content-length'};

    utf8::encode(my $body = $r->{body});

    return [ [ status => $r->{status} ],
             (map { [ header => $_, $h{$_} ] } sort keys %h),
             $framing eq 'length'
                 ? [ json => $body ]
                 : ([ framing => 'chunked' ],
                    map { [ raw => $_ ] } split /(?<=\n\n)/, $body),
             $closes ? ([ 'end' ], [ 'close' ]) : () ];
}


# "calls" are of tools that are offered

sub ask ($script, $stream, @calls) {
    return post_json($t->port, '/v1/responses', {
        model => $script, input => 'x',
        tools => [ map { { type => 'function', name => $_->{name} } }
                   @calls ],
        stream => $stream ? json_true : json_false });
}


sub refused ($label, $script, $stream, $status, %expect) {
    my $r = ask($script, $stream);

    error_ok($r, $status, $label, %expect);
    is($r->{headers}{'retry-after'},
       $recorded{ $script =~ s/\.cut\z//r }{headers}{'retry-after'},
       "$label: retry-after");
}


sub answered ($label, $script, $stream, $recorded) {
    my %said = said($recorded);
    my $check = $stream ? \&stream_ok : \&response_ok;
    my $s = $check->(ask($script, $stream, @{ $said{calls} }), $label,
                     expect => $said{cut} ? 'incomplete' : 'completed',
                     $said{cut} ? (reason => 'max_output_tokens') : ());

    is($s->text, $said{text}, "$label: text");
    is($s->summary, $said{reasoning}, "$label: reasoning");
    is_deeply([ map { [ @$_{qw( name arguments )} ] } @{ $s->calls } ],
              [ map { [ @$_{qw( name arguments )} ] } @{ $said{calls} } ],
              "$label: calls");

    for my $n (0 .. $#{ $said{calls} }) {
        my $id = $said{calls}[$n]{id};
        is($s->calls->[$n]{call_id}, $id, "$label: id of call $n")
            if length $id;
    }

    is_deeply([ @{ $s->usage }{qw( input_tokens output_tokens
                                   total_tokens )} ],
              [ map { $_ // 0 } @{ $said{usage} }{qw( prompt_tokens
                                                      completion_tokens
                                                      total_tokens )} ],
              "$label: usage");
    is($s->usage->{input_tokens_details}{cached_tokens},
       $said{usage}{prompt_tokens_details}{cached_tokens} // 0,
       "$label: cached tokens");

    return if !$stream;

    is(join('', $s->deltas), $said{text}, "$label: pieces of text");

    # an answer that came in pieces goes out in pieces
    cmp_ok(scalar $s->deltas, '>=', $said{pieces}, "$label: as many pieces")
        if $said{pieces};
}


# the recorded answer, read in the plainest way there is

sub said ($recorded) {
    my $body = $recorded->{body};
    my %said = (text => '', reasoning => '', calls => [], usage => {},
                pieces => 0);
    my $whole = $body =~ /\A\s*\{/;

    utf8::encode($body);

    for my $data ($whole ? $body : $body =~ /^data: (\{.*)$/mg) {
        my $chunk = json_decode($data);

        $said{usage} = $chunk->{usage} if $chunk->{usage};

        my $choice = $chunk->{choices}[0] or next;
        my $delta = $choice->{delta} // $choice->{message};

        $said{cut} = 1 if ($choice->{finish_reason} // '') eq 'length';
        $said{pieces}++ if !$whole && length $delta->{content};
        $said{text} .= $delta->{content} // '';
        $said{reasoning} .= $delta->{reasoning_content} // '';

        for my $call (@{ $delta->{tool_calls} // [] }) {
            my $to = $said{calls}[ $call->{index} // @{ $said{calls} } ]
                         //= { id => '', name => '', arguments => '' };

            # these come whole, in each chunk from some servers

            $to->{id} ||= $call->{id} // '';
            $to->{name} ||= $call->{function}{name} // '';
            $to->{arguments} .= $call->{function}{arguments} // '';
        }
    }

    return %said;
}
