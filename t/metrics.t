#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Prometheus' view of turns: histograms of each location, target and model as
# they are configured, gauges, and counters of turns and stores.

use v5.36;
use Test::More;
use IO::Socket::INET ();
use lib 't/lib';
use ORS::HTTP qw( get post_json http_start );
use ORS::JSON qw( json_decode json_encode );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Prometheus qw( prometheus prometheus_errors );
use ORS::Util qw( slurp wait_for );
use ORS::WS;

# ---- the reader itself

my $good = "# HELP a_total A.\n# TYPE a_total counter\n"
           . "a_total{x=\"1\"} 3\n";
my $histogram = "# HELP h H.\n# TYPE h histogram\n";

is_deeply([ prometheus_errors($good) ], [], 'reader: good');

for my $bad (
    [ 'no end', 'a_total{x="1"} 3' ],
    [ 'no type', "# HELP a A.\na 1\n" ],
    [ 'no help', "# TYPE a gauge\na 1\n" ],
    [ 'twice', $good . "a_total{x=\"1\"} 3\n" ],
    [ 'a label twice', $good . "a_total{x=\"1\",x=\"2\"} 3\n" ],
    [ 'a comma at the end', $good . "a_total{x=\"2\",} 3\n" ],
    [ 'an escape', $good . "a_total{x=\"\\t\"} 3\n" ],
    [ 'a quote', $good . "a_total{x=\"\"\"} 3\n" ],
    [ 'no number', $good . "a_total{x=\"2\"} \n" ],
    [ 'less than zero', $good . "a_total{x=\"2\"} -1\n" ],
    [ 'two places', $good . "# HELP b B.\n# TYPE b gauge\nb 1\n"
                    . "a_total{x=\"2\"} 3\n" ],
    [ 'a counter by another name', "# HELP a A.\n# TYPE a counter\na 1\n" ],
    [ 'no +Inf', $histogram . "h_bucket{le=\"1\"} 1\nh_sum 1\nh_count 1\n" ],
    [ 'another count', $histogram
      . "h_bucket{le=\"+Inf\"} 1\nh_sum 1\nh_count 2\n" ],
    [ 'no sum', $histogram . "h_bucket{le=\"+Inf\"} 1\nh_count 1\n" ],
    [ 'falling buckets', $histogram . "h_bucket{le=\"1\"} 2\n"
      . "h_bucket{le=\"+Inf\"} 1\nh_sum 1\nh_count 1\n" ],
    [ 'buckets out of order', $histogram . "h_bucket{le=\"2\"} 1\n"
      . "h_bucket{le=\"1\"} 1\nh_bucket{le=\"+Inf\"} 1\nh_sum 1\nh_count 1\n" ],
) {
    ok(scalar prometheus_errors($bad->[1]), "reader: $bad->[0]");
}


# ---- what is counted

my $model = ORS::Model->new(scripts => {
    error => [ [ status => 500 ], [ json => { error => 'no' } ] ],
    stall => [ sse_head(), [ sse => chat_chunk(content => 'a') ],
               [ hang => 'gone' ] ],
    wait  => [ [ wait_file => 'go-on' ],
               @{ json_script(chat_reply(content => 'late')) } ],
    hello => stream_script(text => [ 'Hel', 'lo' ], usage => chat_usage()),
    embed => json_script({ object => 'list', model => 'embed',
                           data => [ { object => 'embedding', index => 0,
                                       embedding => [ 0.5 ] } ],
                           usage => { prompt_tokens => 5,
                                      total_tokens => 5 } }),
    answer => json_script({
        id => 'resp_1', object => 'response', created_at => 1, model => 'm',
        status => 'completed', output => [],
        usage => { input_tokens => 3, output_tokens => 4, total_tokens => 7,
                   input_tokens_details => { cached_tokens => 0 },
                   output_tokens_details => { reasoning_tokens => 0 } } }),
});

my $conf = <<'CONF';
    open_responses_store  main lmdb:%%TESTDIR%%/store size=16m;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
            open_responses_websocket   on;
            open_responses_store       main;
            open_responses_background  limit=4;
            open_responses_target  plain   /to/model provider=acme;
            open_responses_target  hello*  /to/model;
            open_responses_target  'a"\b'  /to/model;
            open_responses_target  ~^(error|stall|wait|embed)$  /to/model;
            open_responses_target  default /to/down /to/vllm;
        }

        %%CHAT /to/model%%

        location = /to/vllm {
            internal;
            open_responses_dialect chat server=vllm;
            proxy_pass http://%%MODEL%%/script/default;
        }

        location = /to/down {
            internal;
            open_responses_dialect chat;
            proxy_pass http://127.0.0.1:1;
        }

        location = /checked/v1/responses {
            open_responses_validate on;
            open_responses_strict off;
            proxy_pass http://%%MODEL%%/script/answer;
        }

        location = /metrics { open_responses_status prometheus; }
    }
CONF

my $t = ORS::Nginx->new(model => $model, workers => 1, conf => $conf);
my $scope = { Authorization => 'Bearer k' };

$t->provokes(qr/connect\(\) failed/);
$t->start;

my $port = $t->port;


sub metrics () {
    return prometheus(get($port, '/metrics')->{body});
}


sub labels (%o) {
    my $location = $o{location} // '/v1/';
    my $target = $o{target} // '/to/model';
    my $provider = $o{provider} // 'openai';
    my $operation = $o{operation} // 'chat';
    my @more = map { "$_=\"$o{more}{$_}\"" } sort keys %{ $o{more} // {} };

    return '{' . join(',', sort @more,
                      "gen_ai_operation_name=\"$operation\"",
                      "gen_ai_provider_name=\"$provider\"",
                      "gen_ai_request_model=\"$o{model}\"",
                      "location=\"$location\"", "target=\"$target\"") . '}';
}


# that these series have grown by just that much

sub counted ($name, $what, %expected) {
    my $before = metrics()->{value};
    my %got;

    $what->();

    wait_for(sub {
        my $after = metrics()->{value};

        %got = map { $_ => ($after->{$_} // 0) - ($before->{$_} // 0) }
               keys %expected;

        return !grep { $got{$_} != $expected{$_} } keys %expected;
    });

    is_deeply(\%got, \%expected, $name) or diag(explain(\%got));
}


sub ask ($name, %o) {
    return sub { post_json($port, '/v1/responses',
                           { model => $name, input => 'hi', %o },
                           headers => $scope) };
}


sub turns ($execution, $delivery) {
    return "open_responses_turns_total{delivery=\"$delivery\","
           . "execution=\"$execution\"}";
}


my $usage = 'gen_ai_client_token_usage';
my $duration = 'gen_ai_server_request_duration_seconds_count';
my $first = 'gen_ai_server_time_to_first_token_seconds_count';
my $each = 'gen_ai_server_time_per_output_token_seconds_count';
my $own = 'open_responses_overhead_seconds_count';

my %prefix = (model => 'hello*');
my %regex = (model => '~^(error|stall|wait|embed)$');
my $vllm = labels(model => 'other', target => '/to/vllm', provider => 'vllm');

is(metrics()->{families}{$_}{type}, 'histogram', "$_ is a histogram")
    for qw( gen_ai_client_token_usage gen_ai_server_request_duration_seconds
            gen_ai_server_time_to_first_token_seconds
            gen_ai_server_time_per_output_token_seconds
            open_responses_overhead_seconds );

is(metrics()->{value}{'open_responses_info{version="0.1.0"}'}, 1, 'version');
is(metrics()->{value}{open_responses_streams}, 0, 'no stream at first');

counted('a document', ask('plain', stream => \0),
    $duration . labels(model => 'plain', provider => 'acme') => 1,
    turns('foreground', 'document') => 1, turns('foreground', 'stream') => 0,
    $own => 1);

counted('a stream', ask('hello', stream => \1),
    "${usage}_count" . labels(%prefix, more => { gen_ai_token_type
                                                 => 'input' }) => 1,
    "${usage}_sum" . labels(%prefix, more => { gen_ai_token_type
                                               => 'input' }) => 8,
    "${usage}_sum" . labels(%prefix, more => { gen_ai_token_type
                                               => 'output' }) => 2,
    "${usage}_bucket" . labels(%prefix, more => { gen_ai_token_type => 'input',
                                                  le => 4 }) => 0,
    "${usage}_bucket" . labels(%prefix, more => { gen_ai_token_type => 'input',
                                                  le => 16 }) => 1,
    $duration . labels(%prefix) => 1, $first . labels(%prefix) => 1,
    $each . labels(%prefix) => 1, turns('foreground', 'stream') => 1);

counted('a model with a quote and a backslash', ask('a"\\b'),
    $duration . labels(model => 'a\\"\\\\b') => 1);

counted('an error of the model server', ask('error'),
    $duration . labels(%regex, more => { error_type
                                          => 'upstream_error' }) => 1,
    $duration . labels(%regex) => 0);

counted('embeddings', sub { post_json($port, '/v1/embeddings',
                                { model => 'embed', input => 'hi' }) },
    $duration . labels(%regex, operation => 'embeddings') => 1,
    $duration . labels(%regex) => 0);

counted('a failover', ask('no such model'), $duration . $vllm => 1,
    open_responses_failovers_total => 1);

counted('a request that is rejected', ask('plain', temperature => 'x'),
    $own => 0, open_responses_checked_total => 0,
    'open_responses_refused_total{kind="request"}' => 1);

counted('a validated answer', sub {
    post_json($port, '/checked/v1/responses', { model => 'm', input => 'hi' });
}, $duration . labels(location => '/checked/v1/responses', target => '',
                      model => 'other') => 1,
   "${usage}_sum" . labels(location => '/checked/v1/responses', target => '',
        model => 'other', more => { gen_ai_token_type => 'output' }) => 4,
   $own => 1);

counted('a response that is stored', ask('hello', store => \1),
    'open_responses_store_operations_total{engine="lmdb",operation="put",'
    . 'result="ok"}' => 1);

counted('a response that is not there',
        sub { get($port, '/v1/responses/resp_' . 'x' x 24,
                  headers => $scope) },
    'open_responses_store_operations_total{engine="lmdb",operation="get",'
    . 'result="absent"}' => 1,
    'open_responses_store_operations_total{engine="lmdb",operation="get",'
    . 'result="ok"}' => 0);


# ---- the dashboard and the alerts ask for what is there

{
    my $families = metrics()->{families};
    my %text = map { $_ => slurp("$ORS::Nginx::ROOT/docs/$_") }
               qw( grafana.json alerts.yml );
    my $board = json_decode($text{'grafana.json'});
    my @alerts = $text{'alerts.yml'} =~ /^      - alert: (\w+)$/mg;
    my @panels = @{ $board->{panels} };

    is(scalar @alerts, 9, 'nine alerts');
    cmp_ok(scalar @panels, '>=', 10, 'panels of the dashboard');
    ok($_->{title} && @{ $_->{targets} }, "panel $_->{id} has a title and data")
        for @panels;

    for my $file (sort keys %text) {
        my %name;

        $name{$1}++
            while $text{$file} =~ /\b((?:gen_ai|open_responses)_\w+?
                                      (?:_seconds|_total|_usage|_streams
                                         |_background|_info|_up|_bytes
                                         |_missing)\b|
                                      (?:gen_ai|open_responses)_\w+?
                                      (?=_(?:bucket|sum|count)\b))/gx;

        cmp_ok(scalar keys %name, '>', 2, "$file names metrics");
        ok($families->{$_}, "$file: $_ is there") for sort keys %name;
    }

    for my $panel (@panels) {
        for my $target (@{ $panel->{targets} }) {
            my $labels = $target->{expr} =~ /by \(([\w, ]+)\)/ ? $1 : '';
            my ($family) = $target->{expr}
                =~ /((?:gen_ai|open_responses)_\w+?)(?:_bucket|_sum|_count)?\b
                    (?=[\[\{\)\ ]|\z)(?!,)/x;
            my @of = grep { $_->[0] =~ /^\Q$family\E/ }
                     @{ metrics()->{series} };

            for my $label (grep { $_ ne 'error_type' } split /, /, $labels) {
                next if !@of;
                ok((grep { exists $_->[1]{$label} } @of),
                   "panel $panel->{id}: $family has $label");
            }
        }
    }
}


# ---- gauges

sub gauge ($name, $n) {
    my $got;

    wait_for(sub { ($got = metrics()->{value}{"open_responses_$name"}) == $n });
    is($got, $n, "$n in $name");
}


sub stalled () {
    my $c = http_start($port, 'POST', '/v1/responses',
                       { 'Content-Type' => 'application/json', %$scope },
                       '{"model":"stall","input":"hi","stream":true}');

    $c->wait_body(qr/output_text\.delta/) or diag('no stream');
    return $c;
}


counted('a client that leaves', sub {
    my $c = stalled();

    gauge('streams', 1);
    $c->reset;
}, $duration . labels(%regex, more => { error_type => 'canceled' }) => 1);

gauge('streams', 0);

counted('a background response', sub {
    ask('wait', background => \1)->();

    gauge('background', 1);
    $model->touch('go-on');
}, turns('background', 'document') => 1, turns('foreground', 'document') => 0,
   $duration . labels(%regex) => 1);

gauge('background', 0);


# ---- a client that invents models

{
    my $n = $ENV{TEST_NGINX_MODELS} || 300;
    my $before = metrics();
    my $size = length get($port, '/metrics')->{body};
    my $done = 0;

    while ($done < $n) {
        my $fh = IO::Socket::INET->new("127.0.0.1:$port") or die "connect: $!";

        for (1 .. 100) {
            my $body = json_encode({ model => "invented-$done-\"x\"",
                                     input => 'hi', store => \0 });

            $done++;
            print $fh "POST /v1/responses HTTP/1.1\r\nHost: a\r\n"
                      . "Content-Type: application/json\r\n"
                      . ($_ < 100 ? '' : "Connection: close\r\n")
                      . 'Content-Length: ' . length($body) . "\r\n\r\n$body";
        }

        1 while <$fh>;
    }

    my $after = metrics();
    my $sum = ($after->{value}{$duration . $vllm} // 0)
              - ($before->{value}{$duration . $vllm} // 0);

    is($sum, $n, "$n invented models are \"other\"");
    is_deeply([ sort keys %{ $after->{value} } ],
              [ sort keys %{ $before->{value} } ], 'no series is new');
    cmp_ok(length(get($port, '/metrics')->{body}), '<', $size + 2000,
           'the page does not grow');
}


# ---- how full a store is

{
    my ($value, $used);

    # it is looked up every 10 s

    wait_for(sub {
        $value = metrics()->{value};
        $used = $value->{'open_responses_store_used_bytes{store="main"}'};
        $used >= 8192;
    });

    is($value->{'open_responses_store_size_bytes{store="main"}'}, 16 * 2 ** 20,
       'the size of a store');
    cmp_ok($used, '>=', 8192, 'what it has');
    cmp_ok($used, '<', 2 ** 20, '... is not its size');
}


# ---- reload, and a worker that is killed

{
    my $before = metrics()->{value}{$duration . labels(%prefix)};

    $t->reload;
    is(metrics()->{value}{$duration . labels(%prefix)}, $before,
       'histograms survive a reload');

    my $c = stalled();

    gauge('streams', 1);
    my @old = $t->workers;

    $t->provokes(qr/exited on signal 9/);
    kill KILL => @old;
    gauge('streams', 0);
    $c->close;

    $t->reload;
}


# ---- WebSockets

{
    my @ws = map { ORS::WS->new($port, headers => $scope) } 1 .. 3;

    gauge('websockets', 3);
    is(ORS::WS->new($port, headers => { %$scope, 'Sec-WebSocket-Version' => 8 })
           ->{status}, 426,
       'a handshake that is refused');
    $ws[0]->close;
    $ws[0]->closed;
    $ws[1]->reset;
    gauge('websockets', 1);

    # a worker that is to leave has one more turn, and is killed

    $ws[2]->create(model => 'stall', input => 'hi');
    is($ws[2]->message->{type}, 'response.created', 'a turn runs');

    my @old = $t->workers;

    $t->reload;
    gauge('websockets', 1);

    my $ws = ORS::WS->new($port, headers => $scope);

    gauge('websockets', 2);
    kill KILL => @old;
    gauge('websockets', 1);

    kill KILL => $t->workers;
    gauge('websockets', 0);
    $t->reload;
}

$t->finish;


# ---- names that come and go with reloads, in the least zone that there can be

{
    my $z = ORS::Nginx->new(conf => named(0));

    $z->start;

    my $read = sub { prometheus(get($z->port(0), '/metrics')->{body}) };
    my $one = $read->();

    is($one->{value}{open_responses_metrics_missing}, 0, 'all have room');

    for my $n (1 .. 12) {
        $z->reload(named($n), wait_old => 1);
    }

    my $now = $read->();

    is($now->{value}{open_responses_metrics_missing}, 0,
       'all have room after 12 reloads with other names');
    is((grep { /target_up.*to12x/ } keys $now->{value}->%*), 10,
       '... and are shown');
    is((grep { /to11x|tool11x/ } keys $now->{value}->%*), 0,
       '... those of before are not');
    unlike($z->error_log, qr/zone of metrics/, '... nothing is logged');

    $z->reload(named(13, 60), wait_old => 1);
    cmp_ok($read->()->{value}{open_responses_metrics_missing}, '>', 0,
           'a full zone is seen');
    is(() = $z->error_log =~ /the zone of metrics is full: \d+ targets, m/g, 1,
       '... and logged once');

    $z->reload(named(13, 60, 8) , wait_old => 1);
    is($read->()->{value}{open_responses_metrics_missing}, 0,
       'a larger zone has room');
    $z->finish;
}

done_testing();


sub named ($n, $count = 10, $size = 0.5) {
    my $text = 'open_responses_metrics_zone size=' . $size * 1024 . "k;\n"
               . "server { listen 127.0.0.1:%%PORT_0%%;\n"
               . "location /metrics { open_responses_status prometheus; }\n";

    for my $i (1 .. $count) {
        $text .= <<~CONF;
            location /v${n}x$i/ {
                open_responses         on;
                open_responses_target  default /to${n}x$i;
                open_responses_tool    f /tool${n}x$i;
            }
            location = /to${n}x$i { internal; return 200; }
            location = /tool${n}x$i { internal; return 200; }
            CONF
    }

    return "$text}\n";
}
