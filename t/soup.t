#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Directives of nginx, put at random around a gateway, its targets and a
# validator: what clients get does not depend on them.
#
#     make soup [SECONDS=180 SEED=1]
#     SOUP_SECONDS=600 SOUP_SEED=7 SOUP_SIZE=8 prove -v t/soup.t
#     SOUP_ONLY=gzip,limit_rate prove -v t/soup.t       # one combination
#     SOUP_EACH=1 prove -v t/soup.t                     # each one alone
#
# A round is one combination: nginx is started with it, clients of all kinds
# come side by side, and once more in the middle of a reload.  A fragment has
# text for some of the places http, gateway, checked (the validator), target
# and pool; "module" names a file that is loaded, and without it the fragment
# is left out.

use v5.36;
use Test::More;
use Time::HiRes qw( time );
use lib 't/lib';
use ORS::HTTP qw( get http_start post_json request );
use ORS::JSON qw( json_encode json_true );
use ORS::Loop qw( call plan );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( error_ok response_ok stream_ok );
use ORS::Util qw( spew wait_for );
use ORS::WS;

my $modules = '/usr/lib/nginx/modules';
my $debian = ($ENV{TEST_NGINX_BINARY} // '') =~ m!\A(/usr/sbin/nginx)?\z!;

my $post = 'post_action /soup/posted;';
my $pass = 'export default { pass: (r, data, flags) => '
           . 'r.sendBuffer(data, flags), head: r => { } }';

my %fragments = (
    access_log => { http => 'log_format all "$request_id $status $open_resp'
                            . 'onses_status $upstream_addr $bytes_sent";'
                            . ' access_log %%TESTDIR%%/logs/all.log all;' },
    add_header => { gateway => 'add_header X-A $request_id always;',
                    checked => 'add_header X-A b;' },
    aio => { gateway => 'aio threads;', target => 'aio threads;' },
    auth_request => { gateway => 'auth_request /soup/yes;',
                      checked => 'auth_request /soup/yes;' },
    body_buffer => { http => 'client_body_buffer_size 16;' },
    body_file => { gateway => 'client_body_in_file_only clean;',
                   checked => 'client_body_in_file_only clean;' },
    body_single => { checked => 'client_body_in_single_buffer on;' },
    buffering_off => { target => 'proxy_buffering off;',
                       checked => 'proxy_buffering off;' },
    charset => { http => 'charset utf-8; charset_types *;' },
    chunked_off => { gateway => 'chunked_transfer_encoding off;' },
    error_page => { gateway => 'error_page 500 502 504 /soup/page;',
                    target => 'error_page 404 /soup/page;' },
    expires => { gateway => 'expires 1h;', checked => 'expires 1h;' },
    gunzip => { gateway => 'gunzip on;', target => 'gunzip on;' },
    gzip => { http => 'gzip on; gzip_min_length 0; gzip_proxied any;'
                      . ' gzip_types *;' },
    heartbeat => { gateway => 'open_responses_heartbeat 500ms;' },
    http_1_1 => { target => 'proxy_http_version 1.1;'
                            . ' proxy_set_header Connection "";',
                  pool => 'keepalive 8;' },
    if => { gateway => 'set $a 1; if ($a) { set $b 2; }' },
    intercept => { target => 'proxy_intercept_errors on;'
                             . ' error_page 500 502 /soup/page;' },
    keepalive_off => { http => 'keepalive_timeout 0;' },
    least_conn => { pool => 'zone soup 64k; least_conn;' },
    limit_conn => { http => 'limit_conn_zone $uri zone=conn:1m;',
                    gateway => 'limit_conn conn 1000;',
                    target => 'limit_conn conn 1000;' },
    limit_rate => { gateway => 'limit_rate 200k;',
                    checked => 'limit_rate 200k;' },
    limit_req => { http => 'limit_req_zone $uri zone=req:1m rate=200r/s;',
                   gateway => 'limit_req zone=req burst=1000;',
                   checked => 'limit_req zone=req burst=1000;',
                   target => 'limit_req zone=req burst=1000;' },
    lingering => { http => 'lingering_close always;' },
    log_subrequest => { http => 'log_subrequest on;' },
    mirror => { gateway => 'mirror /soup/yes;',
                checked => 'mirror /soup/yes;' },
    nodelay => { http => 'tcp_nodelay off; tcp_nopush on;' },
    open_file => { http => 'open_file_cache max=10;' },
    output_buffers => { http => 'output_buffers 1 512; postpone_output 100;' },
    pool_size => { http => 'request_pool_size 256; connection_pool_size 256;' },
    post_action => { gateway => $post, checked => $post },
    post_all => { gateway => $post, checked => $post, target => $post },
    request_buffering => { checked => 'proxy_request_buffering off;' },
    rewrite => { target => 'rewrite ^(.*)$ $1 break;',
                 gateway => 'rewrite ^(.*)$ $1 break;' },
    satisfy => { gateway => 'satisfy any; allow all; deny all;' },
    ssi => { gateway => 'ssi on; ssi_types application/json;' },
    sub_filter => { gateway => 'sub_filter zzzz yyyy; sub_filter_types *;',
                    target => 'sub_filter zzzz yyyy; sub_filter_types *;' },
    sockets => { http => 'sendfile on; reset_timedout_connection on;' },
    small_buffers => { target => 'proxy_buffer_size 1k; proxy_buffers 2 1k;'
                                 . ' proxy_busy_buffers_size 1k;',
                       checked => 'proxy_buffer_size 1k; proxy_buffers 2 1k;'
                                  . ' proxy_busy_buffers_size 1k;' },
    store => { target => 'proxy_store %%TESTDIR%%/stored/$request_id;' },
    trailer => { gateway => 'add_trailer X-T t always;' },
    try_files => { target => 'try_files /none @model;' },
    userid => { gateway => 'userid on;', checked => 'userid on;' },
    volatile => { http => 'map $uri $soup { volatile; default x; }',
                  target => 'proxy_set_header X-Soup $soup;' },

    js => { module => [ 'ngx_http_js_module' ],
            http => 'js_path %%TESTDIR%%; js_import main from pass.js;',
            gateway => 'js_body_filter main.pass;',
            checked => 'js_body_filter main.pass;',
            target => 'js_header_filter main.head;' },
    js_target => { module => [ 'ngx_http_js_module' ],
                   http => 'js_path %%TESTDIR%%; js_import m from pass.js;',
                   target => 'js_body_filter m.pass; proxy_http_version 1.1;' },
    lua => { module => [ qw( ndk_http_module ngx_http_lua_module ) ],
             gateway => 'access_by_lua_block { ngx.sleep(0.001) }'
                        . ' body_filter_by_lua_block { }'
                        . ' log_by_lua_block { }',
             target => 'access_by_lua_block { ngx.sleep(0.001) }'
                       . ' body_filter_by_lua_block { }' },
);

for my $name (keys %fragments) {
    my $needed = $fragments{$name}{module} or next;

    delete $fragments{$name}
        if !$debian || grep { !-e "$modules/$_.so" } @$needed;
}

# two of them that name one directive in one place, or fight
my @apart = ([ qw( post_action post_all ) ], [ qw( store buffering_off ) ],
             [ qw( js js_target ) ], [ qw( error_page intercept ) ],
             [ qw( http_1_1 js_target ) ], [ qw( auth_request satisfy ) ]);

my $model = ORS::Model->new(scripts => {
    default => plan(
        m => [ 'Hello' ],
        tool => [ { tool_calls => [ call('get', a => 1) ] }, 'Hello' ]),
    hang => [ sse_head(), [ sse => chat_chunk(content => 'a') ],
              [ hang => 'gone' ] ],
    cut => [ sse_head(), [ sse => chat_chunk(content => 'a') ], [ 'reset' ] ],
    yes => [ [ status => 204 ], [ framing => 'length' ], [ 'head' ] ],
    got => [ [ header => 'Content-Type', 'text/plain' ], [ raw => 'got' ] ],
});


sub conf (@names) {
    my %at = map { my $place = $_;
                   $place => join "\n", map { $fragments{$_}{$place} // () }
                                            @names }
             qw( http gateway checked target pool );

    return <<"CONF";
    open_responses_store main lmdb:%%TESTDIR%%/db size=64m;
    open_responses_store_scope soup;
    open_responses_strict off;
    open_responses_tool get /soup/tool definition=%%TESTDIR%%/get.json;
    $at{http}

    upstream pool { server %%MODEL%%; $at{pool} }

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
            open_responses_websocket on;
            open_responses_store main;
            open_responses_target down /soup/down /soup/model;
            open_responses_target default /soup/model;
            $at{gateway}
        }

        location /checked/ {
            open_responses_validate on;
            $at{checked}
            proxy_pass http://127.0.0.1:%%PORT_0%%/plain/;
        }

        location /plain/ {
            rewrite ^/plain(.*) \$1 break;
            proxy_buffering off;
            proxy_pass http://127.0.0.1:%%PORT_1%%;
        }

        location = /soup/model {
            internal;
            open_responses_dialect chat;
            proxy_pass http://pool;
            $at{target}
        }

        # as "http_1_1" does: the model closes a connection of HTTP/1.0, which
        # the pool would keep

        location \@model {
            open_responses_dialect chat;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_pass http://pool;
        }

        location = /soup/down {
            internal;
            open_responses_dialect chat;
            proxy_pass http://127.0.0.1:1;
        }

        location = /soup/tool {
            internal;
            proxy_pass http://%%MODEL%%/script/got;
        }

        location = /soup/yes { internal; return 204; }

        location = /soup/posted {
            internal;
            proxy_pass_request_body off;
            proxy_set_header Content-Length "";
            proxy_pass http://%%MODEL%%/script/yes;
        }

        location = /soup/page { internal; return 200 "page"; }
    }

    server {
        listen 127.0.0.1:%%PORT_1%%;

        location /v1/ {
            open_responses on;
            open_responses_target default /to/chat;
        }

        %%CHAT /to/chat%%
    }
CONF
}


my %ask = (model => 'm', input => 'hi');
my @stream = (stream => json_true);

# each begins, and gives what checks it: they are under way side by side

my %clients = (
    document => sub ($port, $name) {
        my $c = begin($port, '/v1', %ask);
        return sub { response_ok(end($c), "$name: a document") };
    },
    stream => sub ($port, $name) {
        my $c = begin($port, '/v1', %ask, @stream);
        return sub { stream_ok(end($c), "$name: a stream") };
    },
    tool => sub ($port, $name) {
        my $c = begin($port, '/v1', %ask, @stream, model => 'tool');
        return sub { stream_ok(end($c), "$name: a tool") };
    },
    failover => sub ($port, $name) {
        my $c = begin($port, '/v1', %ask, model => 'down');
        return sub { response_ok(end($c), "$name: failover") };
    },
    large => sub ($port, $name) {
        my $c = begin($port, '/v1', %ask, @stream, input => 'x' x 300_000);
        return sub { stream_ok(end($c), "$name: 300 KB") };
    },
    cut => sub ($port, $name) {
        my $c = begin($port, '/v1', %ask, @stream, model => 'cut');
        return sub {
            stream_ok(end($c), "$name: an upstream that is cut",
                      expect => 'failed');
        };
    },
    bad => sub ($port, $name) {
        my $c = begin($port, '/v1', input => 7);
        return sub { error_ok(end($c), 400, "$name: not valid") };
    },
    checked => sub ($port, $name) {
        my $c = begin($port, '/checked/v1', %ask, @stream);
        return sub { stream_ok(end($c), "$name: validated") };
    },
    'checked-bad' => sub ($port, $name) {
        my $c = begin($port, '/checked/v1', input => 7);
        return sub { error_ok(end($c), 400, "$name: validated, refused") };
    },
    socket => sub ($port, $name) {
        my $ws = ORS::WS->new($port);

        $ws->create(%ask);
        return sub { $ws->turn_ok("$name: a WebSocket"); $ws->drop };
    },
    leaves => sub ($port, $name) {
        my @c = map { begin($port, $_, %ask, @stream, model => 'hang') }
                    qw( /v1 /checked/v1 );

        return sub {
            for (@c) {
                $_->wait_body(qr/delta/) or fail("$name: a stream begins");
                $_->reset;
            }
        };
    },
    'socket-leaves' => sub ($port, $name) {
        my $ws = ORS::WS->new($port);

        $ws->create(%ask, model => 'hang');
        return sub { $ws->message; $ws->reset };
    },
    background => sub ($port, $name) {
        my $r = post_json($port, '/v1/responses',
                          { %ask, background => json_true });
        my $uri = '/v1/responses/' . ($r->{json}{id} // 'none');
        my $what = '';

        return sub {
            ok(wait_for(sub {
                   $what = get($port, $uri)->{json}{status} // '';
                   return $what !~ /queued|in_progress/;
               }) && $what eq 'completed', "$name: background")
                or diag("$r->{status} $what");
        };
    },
);


sub begin ($port, $path, %body) {
    return http_start($port, 'POST', "$path/responses",
                      { 'Content-Type' => 'application/json',
                        Connection => 'close' }, json_encode(\%body));
}


sub end ($c) { return $c->read_response }


sub clients ($t, $name, $meanwhile = sub { }) {
    my @checks = map { $clients{$_}->($t->port, $name) } sort keys %clients;

    $meanwhile->();
    $_->() for @checks;
}


# the checks of one combination are one test, with all of them if it fails

sub combination (@names) {
    my $name = join ',', @names;
    my $main = join '', map { "load_module $modules/$_.so;\n" }
                        uniq(map { @{ $fragments{$_}{module} // [] } } @names);
    my $text = conf(@names);
    my $t = ORS::Nginx->new(model => $model, conf => $text, main => $main);

    mkdir $t->dir . '/stored';
    chmod 0777, $t->dir . '/stored';
    $t->write_file('pass.js', $pass);
    spew($t->dir . '/get.json',
         json_encode({ name => 'get', description => 'Gets',
                       parameters => { type => 'object' } }));

    return subtest $name => sub {
        $t->start;
        clients($t, $_) for qw( first again );
        clients($t, 'in a reload', sub { ok($t->reload, 'it reloads') });

        # a connection that is lost keeps a worker from leaving
        $t->finish;
    };
}


sub uniq (@all) { my %seen; return grep { !$seen{$_}++ } @all }


sub pick ($n) {
    my @left = sort keys %fragments;
    my @names;

    while (@names < $n && @left) {
        my ($name) = splice @left, int rand @left, 1;

        next if grep { my %pair = map { $_ => 1 } @$_;
                       $pair{$name} && grep { $pair{$_} } @names } @apart;

        push @names, $name;
    }

    return sort @names;
}


my $seed = $ENV{SOUP_SEED} // 1;
my $end = time + ($ENV{SOUP_SECONDS} // 12);
my $size = $ENV{SOUP_SIZE} // 9;

if ($ENV{SOUP_ONLY}) {
    combination(split /,/, $ENV{SOUP_ONLY});

} elsif ($ENV{SOUP_EACH}) {
    combination($_) for sort keys %fragments;

} else {
    srand $seed;
    note("seed $seed");

    do { combination(pick($size)) } while time < $end;
}

done_testing();
