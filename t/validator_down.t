#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Servers behind a validator that cannot be asked: the counters have each of
# them once, and the access log keeps what was known of the request.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get post_json );
use ORS::JSON qw( json_encode json_true );
use ORS::Model;
use ORS::Nginx;
use ORS::Sample;
use ORS::Stream qw( error_ok );
use ORS::Util qw( slurp wait_for );

my $whole = json_encode(response('completed', model => 'parrot-1'));

my $model = ORS::Model->new(scripts => {
    whole => [ [ json => $whole ] ],
    late  => [ [ wait_file => 'no-such-file' ] ],
    busy  => [ [ status => 503 ], [ json => '{"error":"no"}' ] ],
    bytes => [ [ wire => "HTTP/1.1 nonsense\r\n\r\n" ], [ 'close' ] ],
    gone  => [ [ 'reset' ] ],
    redir => [ [ header => 'X-Accel-Redirect', '/deny' ], [ json => '{}' ] ],
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    log_format facts '$status model=$open_responses_model '
                     'stream=$open_responses_stream '
                     'status=$open_responses_status '
                     'code=$open_responses_error_code '
                     'param=$open_responses_error_param';

    upstream none { server 127.0.0.1:1 down; }

    upstream two {
        server 127.0.0.1:1;
        server 127.0.0.1:2;
    }

    upstream second {
        server 127.0.0.1:1;
        server %%MODEL%% backup;
    }

    proxy_read_timeout 2s;

    server {
        listen 127.0.0.1:%%PORT_0%%;
        access_log %%TESTDIR%%/logs/facts.log facts;

        open_responses_validate on any_path;

        location /v1/      { proxy_pass http://%%MODEL%%/v1/; }
        location /refused/ { proxy_pass http://127.0.0.1:1/v1/; }
        location /none/    { proxy_pass http://none/v1/; }
        location /two/     { proxy_pass http://two/v1/; }
        location /second/  { proxy_pass http://second/v1/; }

        location /name/ {
            set $name nowhere.invalid;
            resolver 127.0.0.1:%%PORT_9%%;
            resolver_timeout 200ms;
            proxy_pass http://$name/v1/;
        }

        location /other/ {
            error_page 502 504 = @other;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location @other {
            rewrite ^/other/(.*)$ /v1/$1 break;
            proxy_set_header X-Script $http_x_other;
            proxy_pass http://%%MODEL%%;
        }

        location /neither/ {
            error_page 502 = @neither;
            proxy_pass http://127.0.0.1:1/v1/;
        }

        location @neither { proxy_pass http://127.0.0.1:2; }

        location /file/ {
            error_page 502 =200 /file.json;
            proxy_pass http://127.0.0.1:1/v1/;
        }

        location = /file.json {
            internal;
            root %%TESTDIR%%;
            default_type application/json;
        }

        location /page/ {
            error_page 502 /page.html;
            proxy_pass http://127.0.0.1:1/v1/;
        }

        location = /page.html { return 200 "a page"; }

        location /intercept/ {
            proxy_intercept_errors on;
            error_page 503 /page.html;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /deny {
            internal;
            return 403;
        }

        location /limit/ {
            limit_except GET { deny all; }
            proxy_pass http://127.0.0.1:1/v1/;
        }

        location /request/ {
            open_responses_validate request;
            proxy_pass http://127.0.0.1:1/v1/;
        }

        location /report/ {
            open_responses_validate on report;
            proxy_pass http://127.0.0.1:1/v1/;
        }

        location /mask/ {
            open_responses_upstream_errors mask;
            proxy_pass http://127.0.0.1:1/v1/;
        }

        location = /status {
            open_responses_status json;
            access_log off;
        }
    }
CONF

$t->write_file('file.json', $whole);
$t->start;

my $log = $t->dir . '/logs/facts.log';
my $lines = 0;

sub line () {
    my @lines;

    wait_for(sub { @lines = split /\n/, slurp($log); @lines > $lines });
    $lines++;

    return $lines[$lines - 1] // 'no line';
}

sub errors () { get($t->port, '/status')->{json}{upstream_errors} }


# location, script => status, code, errors that are counted

for (
    [ 'v1',        'whole' => 200, undef,                  0 ],
    [ 'v1',        'busy'  => 503, 'server_is_overloaded', 1 ],
    [ 'v1',        'late'  => 504, 'upstream_timeout',     1 ],
    [ 'v1',        'bytes' => 502, 'invalid_upstream_answer', 0 ],
    [ 'v1',        'gone'  => 502, 'upstream_unavailable', 1 ],
    [ 'v1',        'redir' => 403, 'forbidden',            0 ],
    [ 'refused',   'whole' => 502, 'upstream_unavailable', 1 ],
    [ 'none',      'whole' => 502, 'upstream_unavailable', 1 ],
    [ 'two',       'whole' => 502, 'upstream_unavailable', 1 ],
    [ 'second',    'whole' => 200, undef,                  0 ],
    [ 'second',    'busy'  => 503, 'server_is_overloaded', 1 ],
    [ 'name',      'whole' => 502, 'upstream_unavailable', 1 ],
    [ 'other',     'whole' => 200, undef,                  0 ],
    [ 'other',     'gone'  => 200, undef,                  1, 'whole' ],
    [ 'other',     'late'  => 200, undef,                  1, 'whole' ],
    [ 'other',     'gone'  => 503, 'server_is_overloaded', 2, 'busy' ],
    [ 'neither',   'whole' => 502, 'upstream_unavailable', 2 ],
    [ 'file',      'whole' => 200, undef,                  1 ],
    [ 'page',      'whole' => 502, 'upstream_unavailable', 1 ],
    [ 'intercept', 'busy'  => 503, 'server_is_overloaded', 1 ],
    [ 'limit',     'whole' => 403, 'forbidden',            0 ],
    [ 'request',   'whole' => 502, 'upstream_unavailable', 1 ],
    [ 'mask',      'whole' => 502, 'upstream_unavailable', 1 ],
)
{
    my ($at, $script, $status, $code, $count, $other) = @$_;
    my $name = join ', ', $at, $script, $other // ();
    my $before = errors();

    # a document and a stream: the client asks, the answer is a document

    my $r = post_json($t->port, "/$at/responses",
                      { model => 'parrot-1', input => 'hi' },
                      headers => { 'X-Script' => $script,
                                   'X-Other' => $other // '' });
    my $line = line();
    my $model = $at eq 'limit' ? '-' : 'parrot-1';
    my $stream = $at eq 'limit' ? '-' : '0';

    is(errors() - $before, $count, "$name: $count counted");

    if ($code) {
        error_ok($r, $status, $name, code => $code);

    } else {
        is($r->{body}, $whole, $name);
    }

    my $outcome = !$code ? 'completed'
                : $status < 500 ? 'rejected' : 'failed';

    is($line, "$status model=$model stream=$stream status=$outcome "
              . 'code=' . ($code // '-') . ' param=-', "$name: log");
}

# a request whose stream never came to be

{
    my $r = post_json($t->port, '/refused/responses',
                      { model => 'parrot-1', input => 'hi',
                        stream => json_true });

    error_ok($r, 502, 'stream', code => 'upstream_unavailable');
    is(line(), '502 model=parrot-1 stream=1 status=failed '
               . 'code=upstream_unavailable param=-', 'stream: log');

    my $before = errors();

    $r = post_json($t->port, '/report/responses',
                   { model => 'parrot-1', input => 'hi', metadata => 7 });
    is($r->{status}, 502, 'report');
    unlike($r->{body}, qr/upstream_unavailable/, "report: nginx's own page");
    is(errors() - $before, 1, 'report: counted');
    like(line(), qr/^502 .* code=invalid_type param=metadata$/, 'report: log');
}


$t->finish;
done_testing();
