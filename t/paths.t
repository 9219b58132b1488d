#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Paths: what a validator does with one that a server may take for an
# endpoint's, and where a gateway looks for it after a rewrite.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get post_json question request );
use ORS::JSON qw( json_encode );
use ORS::Model;
use ORS::Nginx;
use ORS::Sample;
use ORS::Stream qw( error_ok );
use ORS::Util qw( slurp wait_for );

my $model = ORS::Model->new(scripts => {
    default => [ [ json => response('completed') ] ],
    page => [ [ header => 'Content-Type', 'text/html' ],
              [ raw => '<html>a page</html>' ] ],
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    log_format facts '$request_uri $open_responses_status '
                     '$open_responses_error_code';

    server {
        listen 127.0.0.1:%%PORT_0%%;
        access_log %%TESTDIR%%/logs/facts.log facts;
        merge_slashes off;

        open_responses_flavor openai;

        location /default/ {
            open_responses_validate on;
            proxy_pass http://%%MODEL%%/;
        }

        location /validate/ {
            open_responses_validate on;
            open_responses_path_variants validate;
            proxy_pass http://%%MODEL%%;
        }

        location /pass/ {
            open_responses_validate on;
            open_responses_path_variants pass;
            proxy_pass http://%%MODEL%%/;
        }

        location /closed/ {
            open_responses_validate on;
            open_responses_unknown_paths reject;
            proxy_pass http://%%MODEL%%/;
        }

        location /report/ {
            open_responses_validate on report;
            open_responses_unknown_paths reject;
            proxy_pass http://%%MODEL%%/;
        }

        location /answers/ {
            open_responses_validate response;
            proxy_pass http://%%MODEL%%/;
        }

        location /denied/ {
            open_responses_validate on;
            deny all;
            proxy_pass http://%%MODEL%%/;
        }

        location = /status { open_responses_status json; }
    }

    server {
        listen 127.0.0.1:%%PORT_1%%;

        open_responses_flavor openai;
        open_responses_target default /to/native;

        location /openai/ {
            rewrite ^/openai/(.*)$ /v1/$1 break;
            open_responses on;
        }

        location /a/very/long/name/of/a/location/ {
            rewrite ^ $arg_to break;
            open_responses on;
        }

        location = /to/native {
            internal;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }
    }

    server {
        listen 127.0.0.1:%%PORT_2%%;

        open_responses_flavor openai;
        open_responses_target  "~(*LIMIT_MATCH=20)^(a+)+$"  /to/native;
        open_responses_target  prefix*                      /to/native;
        open_responses_target  ~.                           /to/native;
        open_responses_target  default                      /to/native;

        location /v1/ { open_responses on; }

        location = /to/native {
            internal;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }
    }
CONF

$t->start;

my %variant = (
    responses => [ qw( responses/ responses// Responses RESPONSES
        responses;x=1 responses%2f responses%2F responses%3bx
        responses%252f responses. responses.. responses%20 responses.json
        responses.JSON/ responses/. responses/x/.. responses%5c
        re%c5%bfponses responses%3Fx responses%23 responses%09 //responses/ ) ],
    'responses/compact' => [ qw( responses/Compact responses//compact
        responses/compact/ responses;a/compact responses%5Ccompact ) ],
    'responses/input_tokens' => [ qw( responses/Input_Tokens
        responses//input_tokens responses/input_tokens/ ) ],
    'chat/completions' => [ qw( chat//completions Chat/completions
        chat/completions; chat%252fcompletions chat/completions.json ) ],
    embeddings => [ qw( embeddings/ Embeddings embeddings;jsessionid=1 ) ],
);

my @others = qw( other responses/resp_1 responses2 xresponses files
                 moderations responses-/ );
my $bad = json_encode({ model => 5, input => [ 5 ], messages => 'nonsense' });
my @json = ('Content-Type' => 'application/json');


sub ask ($path, $body = $bad, $method = 'POST') {
    return request($t->port, $method, $path, { @json }, $body);
}

sub sent ($what, $n) {
    is($model->count, $n, $what);
}


for my $endpoint (sort keys %variant) {
    my $good = json_encode(question($endpoint, 'm'));

    for my $path (@{ $variant{$endpoint} }) {
        my $n = $model->count;

        for my $at (qw( default closed )) {
            for my $body ($bad, $good) {
                error_ok(ask("/$at/$path", $body), 404, "$at/$path",
                         type => 'not_found', code => 'not_found',
                         message => qr{must end with "/\Q$endpoint\E"\z});
            }
        }

        error_ok(ask("/answers/$path"), 404, "answers/$path");
        error_ok(ask("/validate/$path"), 400, "validate/$path");
        sent("$path: nothing was sent", $n);

        ask("/validate/$path", $good);
        sent("validate/$path: a good one was sent", $n + 1);
        is($model->last_request->{uri}, "/validate/$path", 'as it came');

        is(ask("/$_/$path")->{status}, 200, "$_/$path: passes")
            for qw( pass report );
        sent("$path: as it is", $n + 3);
    }
}

for my $path (@others) {
    my $n = $model->count;

    is(ask("/$_/$path")->{status}, 200, "$_/$path: is something else")
        for qw( default validate pass report answers );
    is(ask("/default/$path", $bad, $_)->{status}, 200, "$_ default/$path")
        for qw( PUT PATCH );
    error_ok(ask("/closed/$path", $bad, $_), 404, "$_ closed/$path",
             code => 'not_found', message => qr/no such endpoint/)
        for qw( POST PUT PATCH PROPFIND BREW );
    sent("$path: nothing went to a closed one", $n + 7);
}

# methods that bring nothing are not concerned, nor is what has no body

for my $method (qw( GET DELETE OPTIONS )) {
    is(ask("/$_", undef, $method)->{status}, 200, "$method $_")
        for qw( closed/responses/resp_1 closed/other closed/Responses/
                default/Responses default/responses/ );
}

is(ask('/closed/responses/resp_1/cancel', '')->{status}, 200, 'cancel');
error_ok(ask('/closed/responses/a/b/cancel', ''), 404, 'no cancel');
error_ok(ask('/closed/responses', $bad, 'PUT'), 404, 'PUT of an endpoint');
error_ok(ask('/closed/responses'), 400, 'an endpoint is validated');
is(post_json($t->port, '/closed/responses', question('responses', 'parrot-1'))
   ->{status}, 200, 'and served');
is(ask('/denied/Responses')->{status}, 403, 'access comes first');

ok(wait_for(sub { slurp($t->dir . '/logs/facts.log')
                  =~ m{^/default/Responses rejected not_found$}m }),
   'the log says what became of it');
ok($t->wait_log(qr{request would be refused: not_found.*/report/Responses}),
   'report: it is logged');

my $counted = get($t->port, '/status')->{json}{requests};

cmp_ok($counted->{refused}, '>', 100, 'they are counted as refused');
cmp_ok($counted->{reported}, '>', 30, 'or as reported');


# a gateway after a rewrite

for my $endpoint (sort keys %variant) {
    post_json($t->port(1), "/openai/$endpoint", question($endpoint, 'm'));
    is($model->last_request->{uri}, "/v1/$endpoint",
       "rewritten, $endpoint: is found");
}

for my $uri (qw( / /x /v1 /responsesx /v1/responses/resp_1 )) {
    error_ok(post_json($t->port(1), "/a/very/long/name/of/a/location/?to=$uri",
                       question('responses', 'm')), 404,
             "rewritten to the short $uri", code => 'not_found');
}

post_json($t->port(1), '/a/very/long/name/of/a/location/?to=/responses',
          question('responses', 'm'));
is($model->last_request->{uri}, '/v1/responses?to=/responses',
   'rewritten to a short one that is there');


# an expression that gives up is no expression that does not match

{
    my $n = $model->count;
    my $name = 'a' x 30 . 'b';

    error_ok(post_json($t->port(2), '/v1/responses',
                       question('responses', $name)), 500,
             'an expression over its limit', code => 'server_error');
    ok($t->wait_log(qr/\[error\].*expression ".*" of a target has failed/),
       'the log names it');
    unlike($t->error_log, qr/aaaab/, 'and not the model');
    sent('nothing was sent', $n);

    post_json($t->port(2), '/v1/responses', question('responses', $_)), $n++
        for 'a', 'b', 'prefix-' . $name;
    sent('all others have a target', $n);
}


# all of a server, or of nginx

my $all = 'server { listen 127.0.0.1:%%PORT_0%%; }';

for my $value (qw( on off )) {
    my ($code, $out) = ORS::Nginx->conf_test(
        "open_responses_validate $value; $all");

    is($code, 0, "validate $value in http: is taken");
    unlike($out, qr/\[warn\]/, 'without a warning');
}

for ([ 'path_variants', 'reject", "validate" or "pass' ],
     [ 'unknown_paths', 'pass" or "reject' ])
{
    my ($name, $allowed) = @$_;
    my ($code, $out) = ORS::Nginx->conf_test("open_responses_$name x; $all");

    isnt($code, 0, "$name: refused");
    like($out, qr/"x" of "open_responses_$name", it must be "\Q$allowed"/,
         'and says what is allowed');
}

$t->finish;

done_testing();
