package ORS::Content;

# Copyright (C) Open Responses contributors
#
# Every kind of content that nginx can answer with, for a table of tests: the
# same answers from servers of several protocols, a cache, files, Lua and
# njs.
#
#     my $content = ORS::Content->new('document.json' => $json,
#                                     'stream.sse' => $text);
#     my $t = ORS::Nginx->new($content->nginx, conf => <<"CONF");
#         server {
#             listen 127.0.0.1:%%PORT_0%%;
#             @{[ $content->locations('/v', 'open_responses_validate on;') ]}
#         }
#     CONF
#
#     $content->start($t);           # writes the files, then starts nginx
#
#     for my $kind ($content->kinds) { ... "/v/$kind/responses" ... }
#
# The header X-Script of a request names the answer, whose extension stands
# for its type.  locations(PREFIX, TEXT) has a location PREFIX/KIND/ for each
# kind.  Kinds:
#
#     http10 http11           proxy_pass
#     http2                   proxy_pass with HTTP/2, of an nginx that has it
#     grpc                    grpc_pass, to a server of plain HTTP/2
#     fastcgi uwsgi scgi
#     cache                   proxy_cache, which also stores answers to POST
#     file                    a static file, for nginx one in JSON
#     try_files               static files; nginx has both for GET only
#     fallback                an error_page for a server that is not there
#     lua lua_flush           content_by_lua, at once and in pieces
#     njs
#
# kinds() leaves out what the nginx under test cannot do, without() says why:
# one that was built here does not load the modules of Debian's nginx.
#
# More answers of one kind of server: $content->add(KIND, NAME => ANSWER),
# with an answer of ORS::CGI, or steps of ORS::Model for all kinds of HTTP.

use v5.36;
use ORS::CGI;
use ORS::Model;
use ORS::Nginx;
use ORS::Util qw( spew );

my @CGI = qw( fastcgi uwsgi scgi );
my @SCRIPTED = qw( lua lua_flush njs );
my @KINDS = (qw( http10 http11 http2 grpc cache ), @CGI,
             qw( file try_files fallback ), @SCRIPTED);

# "proxy_http_version 2" came with this one
use constant HTTP2_VERSION => 1029004;

my $MODULES = '/usr/lib/nginx/modules';

my %TEXT = (
    http10 => 'proxy_http_version 1.0; proxy_pass http://%%MODEL%%;',
    http11 => 'proxy_http_version 1.1; proxy_pass http://%%MODEL%%;',
    http2  => 'proxy_http_version 2; proxy_pass http://127.0.0.1:%%PORT_9%%;',
    grpc   => 'grpc_pass grpc://127.0.0.1:%%PORT_9%%;',

    cache => 'proxy_cache content; proxy_cache_methods GET HEAD POST;'
             . ' proxy_cache_key $http_x_script; proxy_cache_valid 200 1h;'
             . ' proxy_max_temp_file_size 64m;'
             . ' proxy_pass http://%%MODEL%%;',

    (map { ($_ => "${_}_param CONTENT_LENGTH \$content_length;"
                  . " ${_}_param REQUEST_METHOD \$request_method;"
                  . " ${_}_pass %%\U$_%%;") } @CGI),

    file      => 'default_type application/json;'
                 . ' alias %%TESTDIR%%/content/$http_x_script;',
    try_files => 'root %%TESTDIR%%;'
                 . ' try_files /content/$http_x_script =404;',
    fallback  => 'error_page 502 =200 /content-of/$http_x_script;'
                 . ' proxy_pass http://127.0.0.1:1;',

    lua => <<'LUA',
content_by_lua_block {
                local name = ngx.var.http_x_script
                local file = io.open("%%TESTDIR%%/content/" .. name, "rb")

                ngx.header.content_type = ngx.var.content_type_of
                ngx.print(file:read("*a"))
                file:close()
            }
LUA

    lua_flush => <<'LUA',
content_by_lua_block {
                local name = ngx.var.http_x_script
                local file = io.open("%%TESTDIR%%/content/" .. name, "rb")

                ngx.header.content_type = ngx.var.content_type_of

                while true do
                    local piece = file:read(10000)

                    if not piece then break end

                    ngx.print(piece)
                    ngx.flush(true)
                end

                file:close()
            }
LUA

    njs => 'js_content content.answer;',
);


sub new ($class, %answers) {
    my $self = bless { answers => \%answers, http => {},
                       cgi => { map { $_ => {} } @CGI } }, $class;

    for my $name (keys %answers) {
        my $type = $name =~ /\.sse\z/ ? 'text/event-stream'
                                      : 'application/json';

        $self->{http}{$name} = [ [ header => 'Content-Type', $type ],
                                 [ raw => $answers{$name} ] ];
        $self->{cgi}{$_}{$name} = { type => $type, body => $answers{$name} }
            for @CGI;
    }

    my $binary = $ENV{TEST_NGINX_BINARY} || '/usr/sbin/nginx';
    my ($version) = `$binary -v 2>&1` =~ m{nginx/(\d+\.\d+\.\d+)};

    $self->{http2} = sprintf('%d%03d%03d', split /\./, $version)
                     >= HTTP2_VERSION;
    $self->{built} = -e $binary =~ s{[^/]*\z}{Makefile}r;

    return $self;
}


sub kinds ($self) {
    my $without = $self->without;

    return grep { !$without->{$_} } @KINDS;
}


# kind => why it cannot be tried here

sub without ($self) {
    return {
        $self->{http2} ? ()
            : (http2 => 'this nginx has no proxy_http_version 2'),
        $self->{built}
            ? (map { ($_ => "Debian's modules are not for this nginx") }
               @SCRIPTED) : (),
    };
}


sub add ($self, $kind, %more) {
    my $of = $self->{cgi}{$kind} // $self->{http};

    $of->{$_} = $more{$_} for keys %more;
}


# arguments of ORS::Nginx->new()

sub nginx ($self) {
    $self->{model} = ORS::Model->new(scripts => $self->{http});
    $self->{servers} = { map { $_ => ORS::CGI->new($_, $self->{cgi}{$_}) }
                         @CGI };

    return (
        model => $self->{model},
        subst => { map { (uc $_ => $self->{servers}{$_}->address) } @CGI },
        main => $self->{built} ? '' : <<"MAIN",
load_module $MODULES/ndk_http_module.so;
load_module $MODULES/ngx_http_lua_module.so;
load_module $MODULES/ngx_http_js_module.so;
MAIN
        http => <<'HTTP' . ($self->{built} ? '' : <<'SCRIPTED'));
    proxy_cache_path %%TESTDIR%%/cache keys_zone=content:1m;

    types {
        application/json   json;
        text/event-stream  sse;
    }

    map $http_x_script $content_type_of {
        ~\.sse$  text/event-stream;
        default  application/json;
    }

    server {
        listen 127.0.0.1:%%PORT_9%% http2;

        proxy_http_version 1.1;
        location / { proxy_pass http://%%MODEL%%; }
    }
HTTP
    js_path %%TESTDIR%%;
    js_import content from content.js;
    lua_package_path '/usr/share/lua/5.1/?.lua;;';
SCRIPTED
}


sub model ($self) { $self->{model} }


sub locations ($self, $prefix, $text) {
    my $once = $self->{located}++ ? '' : <<"CONF";
        set \$content_dir %%TESTDIR%%/content;

        location /content-of/ {
            internal;
            $text
            alias %%TESTDIR%%/content/;
        }

CONF

    # alias is a whole path in a location of a regular expression

    return join '', $once, map { my $at = $_ eq 'file' ? '~ ^' : ''; <<"CONF" }
        location $at$prefix/$_/ {
            $text
            $TEXT{$_}
        }

CONF
        $self->kinds;
}


sub start ($self, $t) {
    my $dir = $t->dir . '/content';

    mkdir $dir;
    chmod 0755, $dir;
    spew("$dir/$_", $self->{answers}{$_}) for keys %{ $self->{answers} };

    $t->write_file('content.js', <<'JS');
import fs from 'fs';

function answer(r) {
    const name = r.headersIn['X-Script'];

    r.headersOut['Content-Type'] = r.variables.content_type_of;
    r.return(200, fs.readFileSync(`${r.variables.content_dir}/${name}`));
}

export default { answer };
JS

    $t->start;
}


1;
