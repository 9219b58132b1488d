#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Whatever clients and model servers put into their texts, no variable carries
# a control character or more than 256 bytes out of JSON: neither into headers
# to a model server, nor into headers to a client, nor into a log.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( http_start post_json question );
use ORS::JSON qw( json_encode );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Sample;
use ORS::Util qw( slurp wait_for );

# all variables of the module, a new one too

my @variables = slurp("$ORS::Nginx::ROOT/src/http/ngx_http_ors_variables.c")
                =~ /ngx_string\("(open_responses_\w+)"\)/g;

cmp_ok(scalar @variables, '>', 10, 'the variables are found in the source');

my @texts = (
    (map { chr } 0 .. 0x20, 0x7f), "\r\nX-Evil: 1\r\n",
    "\r\n\r\nGET /admin HTTP/1.1\r\nHost: internal\r\n\r\n",
    "\n\tfolded", "\x{85}", "\x{9b}[31m", "\x{2028}", "\x{2029}",
    'a' x 254, 'a' x 255, "\x{e9}" x 200,
);


# characters that may pass by the documentation, of a text after one letter

sub passes_gate ($text) {
    utf8::encode(my $bytes = "m$text");

    return $text !~ /[\x00-\x1f\x7f-\x9f\x{2028}\x{2029}]/
           && length $bytes <= 256;
}


# names and values of a header that nobody has broken into

my $known = qr/\A(?: x-v-open_responses_\w+ | x-text | x-case | x-request-id
                     | host | connection | content-(?:type|length) | server
                     | date | openresponses-version | transfer-encoding
                     | retry-after | cache-control | x-accel-buffering
                     | accept-encoding )\z/xi;

sub broken (@headers) {
    return map { "$_->[0]: $_->[1]" }
           grep { $_->[0] !~ $known || $_->[1] =~ /[\x00-\x1f\x7f]/
                  || $_->[0] =~ /\Ax-v-/i && length $_->[1] > 256 } @headers;
}


# a model server that has the text in all that it can name

my $answer = sub ($conn, $r) {
    my ($path) = $r->{uri} =~ m{\A/v1/([a-z/]+)\z};
    my @bad = broken(@{ $r->{header_list} });

    push @bad, "$r->{method} $r->{uri}"
        if !$path || $r->{method} ne 'POST';
    $conn->touch('broken', join "\n", @bad) if @bad;
    return $conn->_step_json({}) if !$path;

    my $bytes = pack 'H*', $r->{headers}{'x-text'} // '';
    my $case = $r->{headers}{'x-case'} // 'answer';

    utf8::decode(my $text = $bytes);

    my %error = map { $_ => "m$text" } qw( message type param code );

    if ($case eq 'header') {
        $conn->_step_header($_, "m$bytes") for 'Retry-After', 'X-Request-Id';
    }

    if ($case eq 'error' || $case eq 'header') {
        $conn->_step_status(400);
        return $conn->_step_json({ error => \%error });
    }

    if ($case eq 'stream') {
        $conn->_step_header('Content-Type', 'text/event-stream');
        return $conn->_step_sse($path eq 'responses'
            ? { type => 'error', sequence_number => 0, %error,
                error => \%error }
            : { error => \%error });
    }

    my %name = (id => "m$text", model => "m$text");

    $conn->_step_json(
        $path eq 'responses' ? response('completed', %name)
        : $path eq 'embeddings' ? {
            object => 'list', %name, data => [
                { object => 'embedding', index => 0, embedding => [ 0.5 ] } ],
            usage => { prompt_tokens => 1, total_tokens => 1 } }
        : $path eq 'chat/completions' ? chat_reply(content => 'Hi', %name)
        : { %name, object => 'response.compaction', created_at => CREATED,
            output => [ { type => 'compaction', id => "m$text",
                          encrypted_content => 'AA==' } ],
            usage => response('completed')->{usage} });
};

my $model = ORS::Model->new(scripts => { default => $answer });

my $t = ORS::Nginx->new(model => $model, subst => {
    VALUES => join("\n", map { "'{\$$_}'" } @variables),
    OUT => join("\n", map { "proxy_set_header X-V-$_ \$$_;" } @variables),
    BACK => join("\n", map { "add_header X-V-$_ \$$_ always;" } @variables),
}, conf => <<'CONF');
    log_format raw escape=none '$request_uri ' %%VALUES%%;

    open_responses_store  main lmdb:%%TESTDIR%%/db;

    keepalive_requests 100000;

    upstream model {
        server %%MODEL%%;
        keepalive 4;
        keepalive_requests 100000;
    }

    server {
        listen 127.0.0.1:%%PORT_0%%;
        access_log %%TESTDIR%%/logs/raw.log raw;

        %%OUT%%
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        %%BACK%%

        open_responses_flavor  openai;
        open_responses_store   main;
        open_responses_store_scope  everybody;

        location /chat/ {
            open_responses on;
            open_responses_target default /to/chat;
        }

        location /native/ {
            open_responses on;
            open_responses_target default /to/native;
        }

        location /validator/ {
            open_responses_validate on;
            proxy_pass http://model/v1/;
        }

        location /tolerant/ {
            open_responses_validate on;
            open_responses_strict off;
            proxy_pass http://model/v1/;
        }

        location /report/ {
            open_responses_validate on report;
            proxy_pass http://model/v1/;
        }

        location ~ ^/of/(?<who>[^/]*)/responses$ {
            set $args "who=$who";
            open_responses on;
            open_responses_target default /to/native;
        }

        location = /to/chat {
            internal;
            open_responses_dialect chat;
            proxy_pass http://model$open_responses_uri;
        }

        location = /to/native {
            internal;
            open_responses_inline_context on;
            proxy_pass http://model$open_responses_uri;
        }
    }
CONF

$t->start;

my $log = $t->dir . '/logs/raw.log';
my $asked = 0;
my @faults;


# one request, on a connection that is kept, and what is wrong with the header
# of its answer

sub ask ($at, $endpoint, $data, $case = 'answer', $text = '') {
    utf8::encode(my $bytes = $text);

    state $c;

    $c //= ORS::HTTP::Conn->new($t->port);

    http_start($t->port, 'POST', "$at/$endpoint", {
        'Content-Type' => 'application/json', 'X-Case' => $case,
        'X-Text' => unpack('H*', $bytes) }, json_encode($data), conn => $c);

    my $r = $c->read_response;

    $asked++;
    $c = undef if !$r->{complete}
                  || ($r->{headers}{connection} // '') eq 'close';
    push @faults, map { "$at/$endpoint, $case: $_" }
         $r->{error} // (), broken(@{ $r->{header_list} });

    return $r;
}


sub no_faults ($name) {
    is_deeply([ splice @faults ], [], "$name: headers to clients");
    is($model->exists('broken') ? $model->file('broken') : '', '',
       "$name: headers to the model server");
    $model->untouch('broken');
}


my @endpoints = qw( responses responses/compact chat/completions embeddings );
my @places = qw( /chat /native /validator /tolerant /report );


# words of clients: the name of a model

for my $at (@places) {
    for my $endpoint (@endpoints) {
        for my $text (@texts) {
            my $r = ask($at, $endpoint, question($endpoint, "m$text"));
            my $named = $r->{headers}{'x-v-open_responses_model'};
            my $good = passes_gate($text);
            my $code = $text =~ /\A[a\x{e9}]+\z/ ? 'string_above_max_length'
                                                 : 'invalid_value';

            utf8::encode(my $name = "m$text");
            $name =~ s/ \z//;

            if (!$good && $at ne '/report') {
                push @faults, "$at/$endpoint: status $r->{status}"
                    if $r->{status} != 400
                       || $r->{json}{error}{code} ne $code
                       || $r->{json}{error}{param} ne 'model';

            } elsif ($r->{status} != 200
                     && "$at/$endpoint" ne '/chat/responses/compact')
            {
                push @faults, "$at/$endpoint: status $r->{status}";
            }

            push @faults, "$at/$endpoint: \$open_responses_model"
                if ($named // '') ne ($good ? $name : '');
        }
    }

    no_faults("$at, model");
}


# ... ids, keys, and an argument that was decoded

for my $at (@places) {
    for my $text (@texts) {
        ask($at, 'responses', question('responses', 'm',
            previous_response_id => "m$text"));
        ask($at, 'responses', question('responses', 'm',
            metadata => { "m$text" => 1 }));
        ask($at, 'chat/completions', question('chat/completions', 'm',
            metadata => { "m$text" => 1 }));
    }

    no_faults("$at, ids and keys");
}

{
    my @args;

    for my $text (grep { !/\0/ } @texts) {
        utf8::encode(my $bytes = $text);
        my $path = $bytes =~ s/([^A-Za-z0-9])/sprintf '%%%02x', ord $1/ger;

        $asked++;
        post_json($t->port, "/of/m$path/responses",
                  question('responses', 'm'));
        push @args, $1 if $model->last_request->{uri} =~ /\?who=(.*)/;
    }

    is(scalar(grep { !/\A[\x21-\x7e\x80-\xff]+\z/ } @args), 0,
       'decoded arguments: none has a control character');
    ok((grep { $_ eq 'm%0D%0AX-Evil:%201%0D%0A' } @args),
       'decoded arguments: they are encoded again');
    $model->untouch('broken');
}


# words of a model server

for my $at (@places) {
    for my $endpoint (@endpoints) {
        my @ask = ($at, $endpoint, question($endpoint, 'm'));
        my @stream = ($at, $endpoint, question($endpoint, 'm',
                                               stream => \1));

        for my $text (@texts) {
            ask(@ask, $_, $text) for qw( answer error );
            ask(@stream, 'stream', $text)
                if $endpoint =~ /^(?:responses|chat.completions)$/;

            # nginx itself passes on the headers of an answer that is
            # validated, and none with these

            ask(@ask, 'header', $text)
                if $at =~ /chat|native/ && $text !~ /[\0\r\n]/;
        }
    }

    no_faults("$at, answers");
}


# the log: a line for each of them, and nothing else

{
    my @lines;

    wait_for(sub { @lines = split /\n/, slurp($log), -1; @lines > $asked });
    pop @lines;

    is(scalar @lines, $asked, 'log: one line for each request');
    is_deeply([ grep { /[\x00-\x1f\x7f]/ } @lines ], [],
              'log: no control characters');
}


# each variable has had a value somewhere

{
    my $turn = ask('/chat', 'responses', question('responses', 'm'));

    ask('/chat', 'responses', question('responses', 'm',
        previous_response_id => $turn->{json}{id}, x => 1));
    ask('/validator', 'responses', question('responses', 'm',
                                            temperature => 'warm'));

    wait_for(sub { ($turn = () = slurp($log) =~ /\n/g) >= $asked });

    my %seen;

    for my $line (split /\n/, slurp($log)) {
        my @values = $line =~ /\{([^{}]*)\}/g;

        $seen{$variables[$_]} += length($values[$_] // '') for 0 .. $#values;
    }

    # in a target only

    for my $name (qw( open_responses_uri open_responses_path )) {
        $seen{$name} = grep { $_->{headers}{"x-v-$name"} }
                       ($model->requests)[0];
    }

    # in the location of a hosted tool only: t/tools.t sees them; of a stream
    # with output only: t/facts.t sees it

    ok($seen{$_}, "\$$_ was seen")
        for grep { !/\Aopen_responses_(?:tool_name|tool_call_id
                                        |first_token_time)\z/x } @variables;
}

$t->finish;

done_testing();
