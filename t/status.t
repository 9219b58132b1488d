#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Counters of open_responses_status, and how it shows them.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( request get post_json http_start h2_request );
use ORS::JSON qw( json_decode );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Prometheus qw( prometheus );
use ORS::Util qw( slurp wait_for );
use ORS::WS;

my $model = ORS::Model->new(scripts => {
    error   => [ [ status => 500 ], [ json => { error => 'no' } ] ],
    garbage => [ [ header => 'Content-Type', 'application/json' ],
                 [ raw => '{"choices":[' ] ],
    html    => [ [ header => 'Content-Type', 'text/html' ],
                 [ raw => '<p>no</p>' ] ],
    cut     => [ sse_head(), [ sse => chat_chunk(content => 'a') ],
                 [ 'close' ] ],
    told    => [ sse_head(), [ sse => chat_chunk(content => 'a') ],
                 [ sse => { error => { message => 'no',
                                       code => 'answer_too_large' } } ] ],
    'over-garbage' => [ [ header => 'Content-Type', 'application/json' ],
                        [ raw => '{"choices":[' ] ],
    late    => [ @{ stream_script(text => [ 'a' ]) }, [ sleep => 0.1 ] ],
    stall   => [ sse_head(), [ sse => chat_chunk(content => 'a') ],
                 [ hang => 'gone' ] ],
});

my $conf = <<'CONF';
    limit_req_zone $server_addr zone=one:32k rate=1r/m;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
            open_responses_websocket on;
            open_responses_target  down  /to/down;
            open_responses_target  none  /to/none;
            open_responses_target  busy  /to/busy;
            open_responses_target  ~^over-  /to/down /to/model /to/chat;
            open_responses_target  ~^(error|garbage|html)$  /to/model;
            open_responses_target  ~^(cut|told|late)$       /to/model;
            open_responses_target  ~^(stall|hello)$         /to/model;
        }

        location /to/ { internal; open_responses_dialect chat; }

        %%CHAT /to/model%%

        %%CHAT /to/chat /script/hello%%

        location = /to/busy {
            internal;
            open_responses_dialect chat;
            limit_req zone=one;
            limit_req_status 429;
            proxy_pass http://%%MODEL%%/script/hello;
        }

        location = /to/down {
            internal;
            open_responses_dialect chat;
            proxy_pass http://127.0.0.1:1;
        }

        location = /status { open_responses_status; }
        location = /status/html { open_responses_status html; }
        location = /status/json { open_responses_status json; }
        location = /status/prometheus { open_responses_status prometheus; }

        location = /status/if {
            open_responses_status json;
            if ($args) { set $x 1; }
        }

        location = /status/in { ssi on; ssi_types text/plain; }
    }

    server {
        listen 127.0.0.1:%%PORT_1%% http2;
        charset utf-8;
        charset_types *;
        location / { open_responses_status prometheus; }
    }
CONF

my $t = ORS::Nginx->new(model => $model, workers => 2,
    conf => "root %%TESTDIR%%;\n$conf");

mkdir $t->dir . '/status';
$t->write_file('status/in', '<!--# include virtual="/status/json" -->end');
$t->start;

my $port = $t->port;


# "requests.checked" => 1 and so on

sub counts () {
    my $json = get($port, '/status/json')->{json} // {};
    my %count = map { $_ => $json->{$_} } qw( upstream_errors failovers
                                               unstored
                                               ignored_fields
                                               schema_violations
                                               schema_repeats
                                               schema_unchecked
                                               websocket_connections
                                               websocket_turns
                                               requests_unrepaired
                                               answers_unrepaired
                                               streams_unrepaired );

    for my $group (qw( requests answers streams )) {
        $count{"$group.$_"} = $json->{$group}{$_} for keys %{ $json->{$group} };
    }

    for my $code (keys %{ $json->{codes} }) {
        $count{"$code.$_"} = $json->{codes}{$code}{$_}
            for qw( refused reported );
    }

    return %count;
}


sub counted ($name, $what, %expected) {
    my %before = counts();
    my %got;

    $what->();

    # some are counted when the client has its answer

    wait_for(sub {
        my %after = counts();

        %got = map { $_ => $after{$_} - ($before{$_} // 0) }
               grep { $after{$_} != ($before{$_} // 0) } keys %after;

        return !grep { ($got{$_} // 0) != $expected{$_} } keys %expected;
    });

    is_deeply(\%got, \%expected, $name) or diag(explain(\%got));
}


sub ask ($name, %o) {
    return sub { post_json($port, '/v1/responses',
                           { model => $name, input => 'hi', %o }) };
}


my @read = ('requests.checked' => 1);
my @refused = (@read, 'requests.refused' => 1);
my @stream = (stream => \1);

{
    my $r = get($port, '/status/json')->{json};
    my %none = map { $_ => 0 } qw( checked repaired refused reported );
    my $since = delete $r->{since};
    my $targets = delete $r->{targets};

    is_deeply([ delete @$r{qw( version open_streams background
                                open_websockets metrics_missing )} ],
              [ '0.1.0', 0, 0, 0, 0 ], 'version, and what runs');
    is($targets->[0]{location}, '/v1/', 'targets, by location');
    is($targets->[0]{target}, '/to/down', '... and URI');
    is($targets->[0]{model}, 'down', '... and model');
    is($targets->[0]{up}, 1, '... which is up');

    cmp_ok(abs(time - $since), '<', 60, 'counted since the start');
    is_deeply([ delete @$r{qw( tools stores )} ], [ [], [] ],
              'no tools and stores');
    is_deeply($r, { requests => \%none, answers => \%none, streams => \%none,
                    upstream_errors => 0, failovers => 0, unstored => 0,
                    ignored_fields => 0, schema_violations => 0,
                    schema_repeats => 0, schema_unchecked => 0,
                    websocket_connections => 0, websocket_turns => 0,
                    requests_unrepaired => 0, answers_unrepaired => 0,
                    streams_unrepaired => 0,
                    codes => {}, repairs => {} },
              'nothing is counted at first');
}

counted('an answer', ask('hello'), @read, 'answers.checked' => 1);
counted('a stream', ask('hello', @stream), @read, 'streams.checked' => 1);

counted('no JSON', sub { post_json($port, '/v1/responses', '{"model":') },
        @refused, 'invalid_json.refused' => 1);
counted('a wrong type', ask('hello', temperature => '1'),
        @refused, 'invalid_type.refused' => 1);
counted('no model', sub { post_json($port, '/v1/responses',
                                    { input => 'hi' }) },
        @refused, 'missing_required_parameter.refused' => 1);
counted('another model', ask('nobody'),
        @refused, 'model_not_found.refused' => 1);
counted('what the target cannot do', ask('hello', input => [
            { type => 'item_reference', id => 'msg_1' } ]),
        @refused, 'unsupported_item.refused' => 1);

counted('no such path', sub { get($port, '/v1/nothing') },
        @refused, 'not_found.refused' => 1);
counted('another method', sub { get($port, '/v1/responses') },
        @refused, 'method_not_allowed.refused' => 1);
counted('another type', sub { request($port, 'POST', '/v1/responses',
                              { 'Content-Type' => 'text/plain' }, 'hi') },
        @refused, 'unsupported_media_type.refused' => 1);

counted('an error of the model server', ask('error'),
        @read, upstream_errors => 1);
counted('an error of the model server, in its stream', ask('told', @stream),
        @read, upstream_errors => 1);
counted('a model server that is not there', ask('down'),
        @read, upstream_errors => 1);
counted('a target that is not there', ask('none'),
        @read, 'upstream_unavailable.refused' => 1);
counted('one that is not there, another one answers', ask('over-hello'),
        @read, 'answers.checked' => 1, upstream_errors => 1, failovers => 1);
counted('one that sends no JSON, too', ask('over-garbage'),
        @read, 'answers.checked' => 2, 'answers.refused' => 1,
        'invalid_upstream_answer.refused' => 1, upstream_errors => 1,
        failovers => 2);
counted('a target with one request', ask('busy'),
        @read, 'answers.checked' => 1);
counted('a target with too many requests', ask('busy'),
        @read, 'requests.refused' => 1, 'rate_limit_exceeded.refused' => 1);

counted('an answer that is no JSON', ask('garbage'),
        @read, 'answers.checked' => 1, 'answers.refused' => 1,
        'invalid_upstream_answer.refused' => 1);
counted('an answer of another type', ask('html'),
        @read, 'answers.checked' => 1, 'answers.refused' => 1,
        'invalid_upstream_answer.refused' => 1);
counted('a stream that is cut', ask('cut', @stream),
        @read, 'streams.checked' => 1, 'streams.refused' => 1,
        'upstream_disconnected.refused' => 1);

counted('a model server that ends its stream late', sub {
    my $ended = () = $t->access_log =~ /\n/g;

    ask('late', @stream)->();
    wait_for(sub { (() = $t->access_log =~ /\n/g) > $ended });
}, @read, 'streams.checked' => 1);

counted('a WebSocket with two turns and an invalid message', sub {
    my $ws = ORS::WS->new($port);

    $ws->create(model => 'hello', input => 'hi');
    $ws->turn;
    $ws->create(model => 'cut', input => 'hi');
    $ws->turn;
    $ws->send_text('{}');
    $ws->message;
    $ws->drop;
}, 'requests.checked' => 3, 'requests.refused' => 1,
   'missing_required_parameter.refused' => 1, 'streams.checked' => 2,
   'streams.refused' => 1, 'upstream_disconnected.refused' => 1,
   websocket_connections => 1, websocket_turns => 2);

counted('a client that leaves', sub {
    my $c = http_start($port, 'POST', '/v1/responses',
                       { 'Content-Type' => 'application/json' },
                       '{"model":"stall","input":"hi","stream":true}');

    $c->wait_body(qr/output_text\.delta/) or diag('no stream');
    $c->reset;
    $model->wait_file('gone');
}, @read);


# the page

for my $of ([ '' => 'text/html; charset=utf-8' ],
            [ '/html' => 'text/html; charset=utf-8' ],
            [ '/json' => 'application/json' ],
            [ '/prometheus' => 'text/plain; version=0.0.4; charset=utf-8' ])
{
    my ($path, $type) = @$of;
    my $r = get($port, "/status$path");

    is($r->{status}, 200, "status$path");
    is($r->{headers}{'content-type'}, $type, "status$path: type");
    is($r->{headers}{'cache-control'}, 'no-store', "status$path: not cached");
    is($r->{framing}, 'length', "status$path: length");
    is($r->{complete}, 1, "status$path: complete");

    my $head = request($port, 'HEAD', "/status$path");

    is($head->{status}, 200, "status$path: HEAD");
    is($head->{body}, '', "status$path: HEAD has no body");
    is($head->{headers}{'content-length'}, length $r->{body},
       "status$path: HEAD tells the length")
        if $path ne '' && $path ne '/html';

    my $post = request($port, 'POST', "/status$path", {}, 'x' x 100);

    is($post->{status}, 405, "status$path: POST");
    is($post->{headers}{allow}, 'GET, HEAD', "status$path: Allow");
}

like(get($port, '/status')->{body}, qr/\A<!DOCTYPE html>/, 'HTML by default');
is(get($port, '/status/if?x')->{body}, get($port, '/status/json')->{body},
   'a condition in the location');

{
    my $r = get($port, '/status/in');

    is($r->{body}, get($port, '/status/json')->{body} . 'end',
       'as a part of another page');

    $r = h2_request($t->port(1), 'GET', '/');
    is($r->{headers}{'content-type'},
       'text/plain; version=0.0.4; charset=utf-8', 'HTTP/2, charset: type');
    is($r->{body}, get($port, '/status/prometheus')->{body},
       'HTTP/2, charset: page');
}


# for Prometheus: the same numbers, each family with its help and type

my %codes;

{
    my %count = counts();
    my $m = prometheus(get($port, '/status/prometheus')->{body});
    my %got;

    for my $key (sort keys %{ $m->{value} }) {
        if ($key =~ /^open_responses_(\w+)_total\{kind="(\w+)"\}$/) {
            $got{"$2s.$1"} = $m->{value}{$key};

        } elsif ($key =~ /^open_responses_codes_total
                          \{action="(\w+)",code="(\w+)"\}$/x)
        {
            $codes{$2}++;
            $got{"$2.$1"} = $m->{value}{$key}
                if $m->{value}{$key} || exists $count{"$2.$1"};

        } elsif ($key =~ /^open_responses_
                          (upstream_errors|failovers|unstored|ignored_fields
                           |schema_\w+|websocket_\w+|\w+_unrepaired)_total$/x)
        {
            $got{$1} = $m->{value}{$key};

        } elsif ($key !~ /^(?:gen_ai_|open_responses_overhead_)
                          |^open_responses_(?:info|streams|background|websockets
                                              |turns_total|repairs_total
                                              |target_\w+
                                              |metrics_missing
                                              |store_operations_total)\b/x)
        {
            fail("series: $key");
        }
    }

    is_deeply(\%got, \%count, 'Prometheus: numbers') or diag(explain(\%got));
}


# each code of the module has a counter

{
    my $text = slurp("$ORS::Nginx::ROOT/src/base/ngx_ors_error.h");
    my @rows = $text =~ /^    row\((\w+), \d/mg;

    cmp_ok(scalar @rows, '>', 50, 'codes are found in the source');
    is_deeply([sort keys %codes], [sort @rows, 'other'],
              'each code is counted by its name');
}


# counts live as long as the module is in use

{
    my %before = counts();
    my $since = get($port, '/status/json')->{json}{since};

    $t->reload;
    is_deeply({ counts() }, \%before, 'they survive a reload');
    is(get($port, '/status/json')->{json}{since}, $since,
       'and so does their beginning');

    counted('and go on', ask('hello'), @read, 'answers.checked' => 1);

    $t->reload("server { listen 127.0.0.1:%%PORT_0%%; return 204; }");
    is(get($port, '/status/json')->{status}, 204, 'not in use');

    $t->reload("root %%TESTDIR%%;\n$conf");
    is({ counts() }->{'requests.checked'}, 0,
       'they begin anew when the module was not in use');
}

$t->finish;


# the status without anything to count

{
    my $alone = ORS::Nginx->new(conf => <<'CONF');
        server {
            listen 127.0.0.1:%%PORT_0%%;
            location / { open_responses_status json; }
        }
CONF

    $alone->start;
    is(get($alone->port, '/')->{json}{requests}{checked}, 0,
       'a status of nothing');
    $alone->finish;
}


# nginx -t

sub bad ($name, $conf, $say) {
    my ($code, $out) = ORS::Nginx->conf_test(
        "server { listen 127.0.0.1:%%PORT_0%%; $conf }");

    is($code, 1, $name);
    like($out, $say, "$name: says why");
}


bad('another format', 'location / { open_responses_status xml; }',
    qr/"xml" of "\w+", it must be "html", "json" or "prometheus" in /);
bad('two formats', 'location / { open_responses_status html json; }',
    qr/invalid number of arguments in "open_responses_status"/);
bad('twice', 'location / { open_responses_status; open_responses_status; }',
    qr/"open_responses_status" directive is duplicate/);
bad('in a server', 'open_responses_status;',
    qr/"open_responses_status" directive is not allowed here/);
bad('beside the router', 'location / { open_responses_status;
    open_responses on; open_responses_target default /t; }',
    qr/"open_responses on" and another content handler/);

done_testing();
