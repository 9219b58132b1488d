#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# A server behind a validator whose answer breaks in its framing, or on its
# connection: the client gets one well-formed end, the access log the true
# status, and the counters one error.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::H2;
use ORS::HTTP qw( get h2_request post_json question );
use ORS::JSON qw( json_encode json_true );
use ORS::Model;
use ORS::Nginx;
use ORS::Sample;
use ORS::Stream qw( error_ok stream_ok );
use ORS::Util qw( wait_for );

my $good = render(good());
my $begin = join '', ($good =~ /(.*?\n\n)/gs)[0 .. 5];
my $whole = json_encode(response('completed', model => 'parrot-1'));
my $failure = '{"error":{"message":"no","type":"server_error"}}';

my %body = (stream => $begin, document => substr($whole, 0, 90),
            failure => $failure);


sub head ($kind, @headers) {
    return join "\r\n",
        $kind eq 'failure' ? 'HTTP/1.1 503 Busy' : 'HTTP/1.1 200 OK',
        'Content-Type: ' . ($kind eq 'stream' ? 'text/event-stream'
                                              : 'application/json'),
        @headers, '', '';
}

sub chunk ($text) {
    return sprintf "%x\r\n%s\r\n", length $text, $text;
}

sub chunked ($kind) {
    return head($kind, 'Transfer-Encoding: chunked');
}

sub measured ($kind) {
    return head($kind, 'Content-Length: 5000');
}


# the bytes that go out, and how the connection ends.  A piece after "pause"
# comes when nginx has seen the pieces before it

my %break = (
    'a chunk without a size' =>
        sub ($kind) { chunked($kind) . chunk($body{$kind}) . "zz\r\n" },
    'a chunk longer than its size' =>
        sub ($kind) { chunked($kind)
                      . chunk($body{$kind}) =~ s/\r\n\z/....\r\n/r },
    'nothing but a broken chunk' =>
        sub ($kind) { chunked($kind) . "zz\r\n" },
    'no last chunk' =>
        sub ($kind) { chunked($kind) . chunk($body{$kind}) },
    'a short body' =>
        sub ($kind) { measured($kind) . $body{$kind} },
    'no body' => sub ($kind) { measured($kind) },
);

my %scripts;

for my $kind (qw( stream document failure )) {
    my $n = 0;

    for my $break (sort keys %break) {
        my $bytes = $break{$break}->($kind);
        my ($head, $rest) = $bytes =~ /\A(.*?\r\n\r\n)(.*)\z/s;
        my $id = "$kind-" . $n++;

        # at once, and the body when the header has been read

        $scripts{$id} = [ [ wire => $bytes ], [ 'close' ] ];
        $scripts{"$id-late"} = [ [ wire => $head ], [ sleep => 0.02 ],
                                 [ wire => $rest ], [ 'close' ] ];
        $scripts{"$id-reset"} = [ [ wire => $bytes ], [ sleep => 0.02 ],
                                  [ 'reset' ] ];
    }
}

my $model = ORS::Model->new(scripts => \%scripts);

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    log_format    line '$status $request_uri $open_responses_status '
                       '$open_responses_error_code';
    proxy_cache_path %%TESTDIR%%/cache keys_zone=kept:64k;

    upstream kept {
        server %%MODEL%%;
        keepalive 4;
    }

    proxy_http_version 1.1;
    proxy_set_header Connection "";

    server {
        listen 127.0.0.1:%%PORT_0%%;
        listen 127.0.0.1:%%PORT_1%% http2;
        access_log %%TESTDIR%%/logs/line.log line;

        open_responses_validate on any_path;

        location /v1/ { proxy_pass http://kept/v1/; }

        location /old/ {
            proxy_http_version 1.0;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /cached/ {
            proxy_cache kept;
            proxy_cache_methods POST;
            proxy_cache_key $request_id;
            proxy_cache_valid any 1m;
            proxy_pass http://kept/v1/;
        }

        location /report/ {
            open_responses_validate on report;
            proxy_pass http://kept/v1/;
        }

        location = /status {
            open_responses_status json;
            access_log off;
        }
    }
CONF

$t->start;

my $logged = 0;


sub headers ($script) {
    return { 'Content-Type' => 'application/json', 'X-Script' => $script };
}

sub body ($kind) {
    return question('', 'parrot-1',
                    $kind eq 'stream' ? (stream => json_true) : ());
}

sub count () {
    my $all = get($t->port, '/status')->{json};
    return { errors => $all->{upstream_errors},
             refused => $all->{streams}{refused} + $all->{answers}{refused},
             reported => $all->{streams}{reported}
                         + $all->{answers}{reported} };
}

# the line of the request, which is written when it has ended

sub line () {
    my @lines;
    my $file = $t->dir . '/logs/line.log';

    wait_for(sub { @lines = split /\n/, ORS::Util::slurp($file);
                   @lines > $logged });
    $logged++;

    return $lines[-1] // '';
}

sub is_ended ($kind, $r, $name, $before) {
    my $now = count();
    my $line = line();

    if ($kind eq 'stream') {
        stream_ok($r, $name, expect => 'failed',
                  code => 'upstream_disconnected');
        like($line, qr/^200 \S+ failed upstream_disconnected$/, "$name: log");

    } elsif ($kind eq 'failure') {
        error_ok($r, 503, $name);
        like($line, qr/^503 \S+ failed /, "$name: log");

    } else {
        error_ok($r, 502, $name, code => 'upstream_disconnected');
        like($line, qr/^502 \S+ failed upstream_disconnected$/, "$name: log");
    }

    is($now->{errors} + $now->{refused},
       $before->{errors} + $before->{refused} + 1, "$name: counted");
}


for my $kind (qw( stream document failure )) {
    my $n = 0;

    for my $break (sort keys %break) {
        my $id = "$kind-" . $n++;

        for my $how ('', '-late', '-reset') {
            for my $at (qw( v1 old cached http2 )) {
                my $name = "$kind, $break$how, $at";
                my $before = count();
                my @args = ('POST', '/v1/responses', headers("$id$how"),
                            json_encode(body($kind)));
                my $r = $at eq 'http2'
                        ? h2_request($t->port(1), @args)
                        : post_json($t->port, "/$at/responses", body($kind),
                                    headers => headers("$id$how"));

                # an event stream whose header is all that came has no event

                is_ended($kind eq 'stream' && $r->{status} == 502
                         ? 'document' : $kind, $r, $name, $before);
            }

            my $name = "$kind, $break$how, report";
            my $before = count();
            my $r = post_json($t->port, '/report/responses', body($kind),
                              headers => headers("$id$how"));

            line();
            ok(!$r->{complete}, "$name: it stays cut");
            isnt(count()->{reported} + count()->{errors},
                 $before->{reported} + $before->{errors}, "$name: counted");
        }
    }
}

ok($t->wait_log(qr/upstream sent invalid chunked response/),
   'nginx says what is wrong with it');


$t->finish;
done_testing();
