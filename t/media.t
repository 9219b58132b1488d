#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# A request's headers about its body: anything but JSON in UTF-8, as it stands,
# is refused in gateway and validator, since a server that goes by the header
# would read another document than the one that was checked.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::H2;
use ORS::HTTP qw( question request );
use ORS::JSON qw( json_encode );
use ORS::Model;
use ORS::Nginx;
use ORS::Stream qw( error_ok );

my $model = ORS::Model->new(scripts => {
    default => [ [ status => 418 ], [ json => { error => {
        message => 'here', type => 'server_error', param => '',
        code => 'teapot' } } ] ],
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    open_responses_flavor openai;

    server {
        listen 127.0.0.1:%%PORT_0%%;
        listen 127.0.0.1:%%PORT_1%% http2;

        location /gateway/ {
            open_responses on;
            open_responses_target default /to/native;
        }

        location /validator/ {
            open_responses_validate on;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /report/ {
            open_responses_validate on report;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /answers/ {
            open_responses_validate response;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location = /to/native {
            internal;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }
    }
CONF

$t->start;

my $json = 'application/json';

my @good = map { [ 'Content-Type' => $_ ] } (
    $json, 'APPLICATION/Json', "$json;", "$json ;", "$json; charset=utf-8",
    "$json;charset=UTF-8", "$json; Charset=\"utf-8\"", "$json; charset=utf8",
    "$json; charset=utf-8 ; a=b", "$json; a=\"b\"; charset=\"UTF8\";",
    "$json; odata.metadata=minimal",
);

push @good, [ 'Content-Type' => $json, 'Content-Encoding' => 'identity' ],
            [ 'Content-Type' => $json, 'Content-Encoding' => '' ];

my %bad = (
    'must have' => [ [] ],
    'Content-Type must' => [ map { [ 'Content-Type' => $_ ] }
        '', 'text/plain', 'application/jsonx', 'application', "$json, a/b",
        "$json text/plain", "text/plain; $json" ],
    'charset of' => [ map { [ 'Content-Type' => "$json$_" ] }
        '; charset=utf-7', '; charset=utf-16', '; charset=iso-8859-1',
        ';charset=us-ascii', '; charset=', '; charset', '; charset=""',
        '; charset=utf-8x', '; charset=xutf-8', '; charset = utf-7',
        '; charset=utf-8; charset=utf-7', '; charset=utf-7; charset=utf-8',
        '; charset="utf-7"', '; charset="utf-8', '; charset="utf\-7"',
        '; charset=\'utf-7\'', '; charset="utf-8"x', ' ;CHARSET=utf-7',
        '; charset*=utf-8\'\'utf-7', '; charset*0=utf-; charset*1=7',
        '; a="; charset=utf-7"', '; a="x"charset=utf-7', '; xcharset=utf-8',
        '; charset=utf-8, utf-7' ],
    'more than one' => [
        [ 'Content-Type' => $json, 'Content-Type' => $json ],
        [ 'Content-Type' => $json, 'content-type' => "$json; charset=utf-7" ],
        [ 'Content-Type' => $json, 'Accept' => '*/*',
          'CONTENT-TYPE' => 'text/plain' ] ],
    'Content-Encoding must' => [
        (map { [ 'Content-Type' => $json, 'Content-Encoding' => $_ ] }
         'br', 'x', 'gzip, br', 'gzip,zstd', 'identity,gzip',
         'identity, identity', 'gzip;q=1'),
        [ 'Content-Type' => $json, 'Content-Encoding' => 'identity',
          'Content-Encoding' => 'gzip' ] ],
);

my @endpoints = qw( responses responses/compact chat/completions embeddings );

for my $endpoint (@endpoints) {
    my $body = json_encode(question($endpoint, 'm'));
    my $ask = sub ($at, $headers) {
        return request($t->port, 'POST', "$at/$endpoint", $headers, $body);
    };

    for my $at (qw( /gateway /validator )) {
        my $n = $model->count;

        is($ask->($at, $_)->{status}, 418, "$at, $endpoint: @$_") for @good;
        is($model->count, $n + @good, "$at, $endpoint: all have been sent");

        for my $reason (sort keys %bad) {
            for my $headers (@{ $bad{$reason} }) {
                my $r = $ask->($at, $headers);

                error_ok($r, 415, "$at, $endpoint: @$headers",
                         code => 'unsupported_media_type');
                like($r->{json}{error}{message}, qr/\Q$reason\E/,
                     'the message says why');
            }
        }

        is($model->count, $n + @good, "$at, $endpoint: nothing was sent");
    }

    # others say nothing of requests, or nothing to clients

    for my $headers (map { @$_ } values %bad) {
        is($ask->($_, $headers)->{status}, 418, "$_, $endpoint: @$headers")
            for qw( /report /answers );
    }
}

ok($t->wait_log(qr/request would be refused: unsupported_media_type/),
   'report: it is logged');

for my $at (qw( /gateway /validator )) {
    my $c = ORS::H2->new($t->port(1));

    for ([ "$json; charset=utf-8" ], [ "$json; charset=utf-7" ],
         [ $json, 'content-encoding' => 'br' ])
    {
        my $n = $c->send('POST', "$at/responses", { 'content-type' => @$_ },
                         json_encode(question('responses', 'm')));

        is($c->read_response($n)->{status}, "@$_" =~ /utf-8/ ? 418 : 415,
           "$at, HTTP/2: @$_");
    }
}

$t->finish;

done_testing();
