#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Directives: their values, their places, and nginx's words about all else.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( request post_json );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( stream_ok response_ok error_ok );

my $target = join ' ', map { "location $_ { internal; return 200; }" }
             qw( /t /u /v );


sub good ($name, $conf) {
    my ($code, $out) = ORS::Nginx->conf_test($conf);

    is($code, 0, $name) or diag($out);

    unlike($out, qr/\[(?:warn|error|emerg|alert)\]/, "$name: not a word")
        if $code == 0;
}


# each of them must be in one line of the output, and where

sub bad ($name, $conf, @say) {
    my ($code, $out) = ORS::Nginx->conf_test($conf);
    my ($line) = $out =~ /(.*\[emerg\].*)/;

    is($code, 1, $name) or diag($out);
    $line //= '';

    ok(index($line, $_) >= 0, "$name: says $_") or diag($line) for @say;
    like($line, qr{ in \S+nginx\.conf:\d+\s*$}, "$name: says where");
}


sub server ($text) { "server { listen 127.0.0.1:%%PORT_0%%; $text }" }
sub location ($text) { server("$target location /v1/ { $text }") }
sub on ($text) { location("open_responses on; $text") }


good('the least there is', on('open_responses_target default /t;'));

good('off needs no target', location('open_responses off;'));

good('off beside another handler',
     location('open_responses off; proxy_pass http://127.0.0.1:1;'));

good('a small table of variables',
     'variables_hash_max_size 64; ' . location('open_responses off;'));

good('everything everywhere', <<'CONF');
    open_responses_target  default   /t;
    open_responses_target  gpt*      /t;
    open_responses_target  "a b"     /t?x=y;
    open_responses_limits  depth=64 nodes=1000 items=10;
    open_responses_limits  tools=5 calls=1 event=1m answer=1024m queue=4k;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        open_responses_target  ~^a$      /t;
        open_responses_target  ~*^a$     /t;
        open_responses_target  *         /t;
        open_responses_limits  depth=4;

        location / {
            open_responses         on;
            open_responses_target  x  /t;
            open_responses_limits  depth=5 event=4096;

            if ($arg_x) { set $x 1; }

            limit_except POST { deny all; }

            location /nested/ {
                open_responses on;

                location /nested/not/ { root /; }
            }
        }

        location = /t {
            internal;
            open_responses_dialect  chat;
            open_responses_model    "a name";
            proxy_pass http://127.0.0.1:1$open_responses_uri;

            if ($arg_x) { proxy_pass http://127.0.0.1:2; }
        }

        location = /u {
            open_responses_dialect  responses;
            proxy_pass http://127.0.0.1:1;
        }
    }
CONF

good('limits at their ends', on(<<'CONF'));
    open_responses_target  default /t;
    open_responses_limits  depth=4 nodes=64 items=1 tools=1 calls=1
                           event=4096 answer=4096 queue=4096;
CONF

good('limits at their other ends', on(<<'CONF'));
    open_responses_target  default /t;
    open_responses_limits  nodes=67108864 items=1048576 tools=65536
                           calls=65536 event=1024m answer=1048576k queue=64m;
CONF


# words

bad('open_responses maybe', location('open_responses maybe;'),
    '"maybe"', '"on"', '"off"');
bad('open_responses twice',
    on('open_responses on; open_responses_target default /t;'),
    '"open_responses" directive is duplicate');
bad('open_responses without a word', location('open_responses;'),
    'invalid number of arguments', '"open_responses"');
bad('open_responses in a server', server('open_responses on;'),
    '"open_responses" directive is not allowed here');
bad('open_responses in http', 'open_responses on;',
    '"open_responses" directive is not allowed here');
bad('open_responses in an if',
    location('if ($arg_x) { open_responses on; }'),
    '"open_responses" directive is not allowed here');

bad('unknown dialect', location('open_responses_dialect chats;'),
    '"chats"', '"responses"', '"chat"');
bad('dialect twice',
    location('open_responses_dialect chat; open_responses_dialect chat;'),
    '"open_responses_dialect" directive is duplicate');
bad('dialect in a server', server('open_responses_dialect chat;'),
    '"open_responses_dialect" directive is not allowed here');

# of each: where it may be, and its words

my %words = (
    open_responses_validate => [ qw( off request response on ) ],
    open_responses_path_variants => [ qw( reject validate pass ) ],
    open_responses_unknown_paths => [ qw( pass reject ) ],
    open_responses_websocket => [ qw( off pass on ) ],
    open_responses_unknown_fields => [ qw( pass strip reject ) ],
    open_responses_flavor => [ qw( spec openai ) ],
    open_responses_reject_log_level => [ qw( info notice warn error ) ],
    open_responses_upstream_errors => [ qw( pass mask ) ],
    open_responses_refusal => [ qw( part text ) ],
    open_responses_reasoning => [ qw( auto summary content off ) ],
);

for my $name (sort keys %words) {
    my @words = @{ $words{$name} };
    my @quoted = map { qq("$_") } @words;
    my $list = join(', ', @quoted[0 .. $#quoted - 1]) . " or $quoted[-1]";

    good("$name $_, everywhere",
         "$name $_;" . server("$name $_; location / { open_responses off;"
                              . " $name $_; return 204; }"))
        for @words;

    bad("$name, unknown value", location("$name $_;"),
        qq(invalid value "$_" of "$name", it must be $list))
        for 'nothing', uc $words[0], "$words[0]x", substr $words[0], 1;

    bad("$name twice, $_", location("$name $_; $name $words[0];"),
        qq("$name" directive is duplicate)) for @words;
    bad("$name without a word", location("$name;"),
        'invalid number of arguments', qq("$name"));
    bad("$name in an if", location("if (\$arg_x) { $name $words[0]; }"),
        qq("$name" directive is not allowed here));
}

for my $word (@{ $words{open_responses_validate} }) {
    good("validate $word report",
         location("open_responses_validate $word report; return 204;"));
    bad("validate $word reports",
        location("open_responses_validate $word reports;"),
        'invalid parameter "reports" of "open_responses_validate", it must '
        . 'be "report"');
}

bad('validate with three words',
    location('open_responses_validate on report report;'),
    'invalid parameter "report" of "open_responses_validate", it must be '
    . '"report" or "any_path", once');
good('validate any path', 'open_responses_validate off any_path;');
bad('flavor with two words', location('open_responses_flavor spec openai;'),
    'invalid number of arguments', '"open_responses_flavor"');

good("strict $_, everywhere",
     "open_responses_strict $_;"
     . server("open_responses_strict $_;"
              . " location / { open_responses off;"
              . " open_responses_strict $_; }"))
    for qw( on off );
bad('strict maybe', location('open_responses_strict maybe;'), '"maybe"',
    '"on"', '"off"');
bad('strict twice',
    location('open_responses_strict on; open_responses_strict off;'),
    '"open_responses_strict" directive is duplicate');
bad('strict in an if',
    location('if ($arg_x) { open_responses_strict on; }'),
    '"open_responses_strict" directive is not allowed here');

good("scope $_, everywhere",
     "open_responses_store_scope $_;"
     . server("open_responses_store_scope $_;"
              . " location / { open_responses off;"
              . " open_responses_store_scope $_; }"))
    for '$http_authorization', '"all of them"', '""', '$remote_addr-$arg_x';
like((ORS::Nginx->conf_test('open_responses_store_scope $x;'))[1],
     qr/\[emerg\].*unknown "x" variable/, 'scope of a variable not there');
bad('scope twice',
    location('open_responses_store_scope a; open_responses_store_scope b;'),
    '"open_responses_store_scope" directive is duplicate');
bad('scope in an if',
    location('if ($arg_x) { open_responses_store_scope a; }'),
    '"open_responses_store_scope" directive is not allowed here');

good('a prompt, everywhere',
     'open_responses_compact_prompt a;'
     . server('open_responses_compact_prompt "a b";'
              . ' location / { open_responses off;'
              . ' open_responses_compact_prompt ""; }'));
bad('a prompt twice',
    location('open_responses_compact_prompt a; '
             . 'open_responses_compact_prompt b;'),
    '"open_responses_compact_prompt" directive is duplicate');
bad('a prompt in an if',
    location('if ($arg_x) { open_responses_compact_prompt a; }'),
    '"open_responses_compact_prompt" directive is not allowed here');

good('a validator beside proxy_pass, and another in front of it',
     location('open_responses_validate on; proxy_pass http://127.0.0.1:1;'
              . ' location /v1/in/ { open_responses_validate response;'
              . ' return 204; }'));
good('a validator of a server whose locations serve the API',
     'open_responses_validate on;'
     . on('open_responses_target default /t;'));


bad('model twice',
    location('open_responses_model a; open_responses_model b;'),
    '"open_responses_model" directive is duplicate');
bad('no tries', location('open_responses_target_tries 0;'),
    'invalid value "0" of "open_responses_target_tries", it must be a '
    . 'number from 1 to 64');
bad('tries in words', location('open_responses_target_tries many;'),
    'invalid value "many" of "open_responses_target_tries"');
bad('a target that has no URI', location('open_responses_target m;'),
    '"open_responses_target" needs two words: a model or "default", and then '
    . 'the URI of a location');
bad('a second target that is none',
    location('open_responses_target m /a b;'),
    'invalid target "b"', 'begin with "/"');

bad('model with two names', location('open_responses_model a b;'),
    'invalid number of arguments', '"open_responses_model"');

bad('target without a URI', location('open_responses_target default;'),
    '"open_responses_target" needs two words');
bad('target that is a URL',
    location('open_responses_target default http://x/;'),
    '"http://x/"', 'begin with "/"');
bad('target of a provider without a URI',
    location('open_responses_target default provider=x;'),
    'invalid target "provider=x"');
bad('target of a provider that has no name',
    location('open_responses_target default /t provider=;'),
    'invalid parameter "provider="');
bad('target of a provider twice',
    location('open_responses_target m /t provider=x;'
             . ' open_responses_target m /u /v provider=x;'),
    'target of model "m" is duplicate');
good('targets of providers',
     on('open_responses_target m /t /u provider=x;'
        . ' open_responses_target m /t; open_responses_target m /t'
        . ' provider=y;'));
bad('target that is empty', location('open_responses_target default "";'),
    'invalid target ""');
bad('target that is a name', location('open_responses_target default @x;'),
    '"@x"', 'begin with "/"');
bad('model that is empty', location('open_responses_target "" /t;'),
    'invalid model ""', '"prefix*"', '"~regex"', '"default"');
bad('regex that is empty', location('open_responses_target ~ /t;'),
    'invalid model "~"');
bad('regex without case that is empty',
    location('open_responses_target ~* /t;'), 'invalid model "~*"');
bad('regex that is broken', location('open_responses_target "~a(" /t;'),
    'a(', 'missing');

for my $name (qw( default x pre* * ~re ~*re )) {
    bad("target of $name twice",
        location("open_responses_target $name /t;"
                 . " open_responses_target y /t;"
                 . " open_responses_target $name /u;"),
        qq(target of model "$name" is duplicate));
}

good('a name, a prefix and a regex that look alike', on(<<'CONF'));
    open_responses_target  x    /t;
    open_responses_target  x*   /t;
    open_responses_target  ~x   /t;
    open_responses_target  ~*x  /t;
CONF

good('the same model on two levels',
     'open_responses_target default /t;'
     . on('open_responses_target default /u;'));

bad('on without a target', location('open_responses on;'),
    '"open_responses on"', 'location "/v1/"', '"open_responses_target"');
bad('on without a target, nested',
    location('location /v1/a/ { open_responses on; }'),
    'location "/v1/a/"', '"open_responses_target"');

for my $other ('proxy_pass http://127.0.0.1:1;', 'stub_status;') {
    my ($word) = $other =~ /(\w+)/;

    bad("on before $word", on("open_responses_target default /t; $other"),
        'another content handler', '"/v1/"');
    bad("on after $word",
        location("$other open_responses on; open_responses_target x /t;"),
        'another content handler', '"/v1/"');
}


# limits

my %limit = (
    depth => [ 4, 65535 ], nodes => [ 64, 67108864 ],
    items => [ 1, 1048576 ], tools => [ 1, 65536 ], calls => [ 1, 65536 ],
    event => [ 4096, 1073741824 ], answer => [ 4096, 1073741824 ],
    queue => [ 4096, 67108864 ],
);

for my $name (sort keys %limit) {
    my ($min, $max) = @{ $limit{$name} };

    # the greatest depth is a matter of the reader's
    my @allowed = ("from $min to ", $name eq 'depth' ? () : $max);

    for my $word ($min - 1, $max + 1, '', 'x', '-1', '1.5', '1x',
                  '99999999999999999999')
    {
        bad("limit $name=$word",
            location("open_responses_limits $name=$word;"),
            qq("$name=$word"), @allowed);
    }

    bad("limit $name twice",
        location("open_responses_limits $name=$min $name=$min;"),
        qq("$name" is duplicate));
}

bad('limit in two directives',
    location('open_responses_limits items=5; open_responses_limits items=5;'),
    '"items" is duplicate');
bad('limit in k that is a number',
    location('open_responses_limits items=5k;'), '"items=5k"');

for my $word (qw( width=5 depth items: =5 items==5 xitems=5 )) {
    bad("limit $word", location("open_responses_limits $word;"),
        qq("$word"));
}

bad('no limit', location('open_responses_limits;'),
    'invalid number of arguments', '"open_responses_limits"');


# options of a server

my %option = (
    tokens => [ qw( auto max_tokens max_completion_tokens ) ],
    systems => [ qw( many one ) ],
    developer => [ qw( system developer ) ],
    images => [ qw( on off ) ], files => [ qw( on off url ) ],
    videos => [ qw( on off ) ],
    stream => [ qw( on off always ) ], usage => [ qw( on off ) ],
    think => [ qw( off on open ) ],
    reasoning => [ qw( off reasoning_content reasoning ) ],
    strict => [ qw( pass on schema false off ) ],
);

for my $name (sort keys %option) {
    my @words = @{ $option{$name} };
    my @quoted = map { qq("$_") } @words;
    my $list = join(', ', @quoted[0 .. $#quoted - 1]) . " or $quoted[-1]";

    for my $word (@words) {
        my $text = "open_responses_chat_options $name=$word;";

        good("option $name=$word, everywhere",
             $text . server("$text location / { $text }"));
        bad("option $name=$word twice",
            location("open_responses_chat_options $name=$word; $text"),
            qq(option "$name" is duplicate));
    }

    bad("option $name=$_", location("open_responses_chat_options $name=$_;"),
        qq(invalid value "$_" of option "$name", it must be $list))
        for '', 'nothing', "$words[0]x", substr $words[0], 1;
}

my @params = qw( metadata prompt_cache_key prompt_cache_retention
                 safety_identifier seed service_tier stop store user
                 verbosity );

good("option params=$_", location("open_responses_chat_options params=$_;"))
    for @params, 'none', 'store,user', join ',', reverse @params;

for (['', ''], ['no', 'no'], ['none,user', 'none'], ['user,', ''],
     ['user,,store', ''], ['user,model', 'model'], ['use', 'use'])
{
    my ($words, $one) = @$_;

    bad("option params=$words",
        location("open_responses_chat_options params=$words;"),
        qq(invalid name "$one" in option "params", it must be "none" alone, )
        . 'or of "metadata"', '"user" or "verbosity"');
}

good('option state', location('open_responses_chat_options '
                             . 'state=extra_content,thinking_blocks;'));

bad('option state=usage',
    location('open_responses_chat_options state=usage;'),
    'invalid name "usage" in option "state", it must be "none" alone, or of '
    . '"extra_content"');

bad('option params twice',
    location('open_responses_chat_options params=none params=user;'),
    'option "params" is duplicate');

for my $word (qw( tokens width=5 =5 xtokens=auto tokens:auto )) {
    bad("option $word", location("open_responses_chat_options $word;"),
        qq(invalid option "$word", it must be "tokens=", "developer=", )
        . '"systems=", "images=", "files=", "videos=", "stream=", "usage=", '
        . '"reasoning=", "think=", "strict=", "content=", "format=", '
        . '"continue=", "choice=", "params=", "state=", '
        . '"unsigned=" or "count="');
}

bad('no option', location('open_responses_chat_options;'),
    'invalid number of arguments', '"open_responses_chat_options"');

# tools of types that servers have of their own

my $JSON = q('{"type":"web"}');

for my $word ('web_search skip', 'web_search* reject', 'default skip',
              "default send $JSON", "acme:x send $JSON")
{
    my $text = "open_responses_tool_type $word;";

    good("tool type $word, everywhere",
         $text . server("$text location / { $text }"));
}

good('tool types that are alike', location(<<'CONF'));
    open_responses_tool_type web skip;
    open_responses_tool_type web* skip;
    open_responses_tool_type default* skip;
    open_responses_tool_type default skip;
CONF

bad("tool type $_->[0]", location("open_responses_tool_type $_->[0];"),
    $_->[1])
    for ['"" skip', 'invalid type ""'], ['* skip', 'invalid type "*"'],
        ['function skip', 'invalid type "function", all servers have that'],
        ['x', 'invalid number of arguments'],
        ['x drop', 'invalid value "drop" of type "x", it must be "skip", '
                   . '"reject" or "send"'],
        ['x "" y', 'invalid value "" of type "x"'],
        ['x skip y', 'invalid parameter "y" after "skip"'],
        ['x send', '"send" needs the JSON of a tool after it'],
        ['x send "{"', 'invalid JSON "{"'],
        ['x send web', 'invalid JSON "web"'],
        ['x send []', 'invalid JSON "[]", it must be an object'];

bad("tool type $_ twice", location(<<"CONF"), qq(type "$_" is duplicate))
    open_responses_tool_type $_ skip;
    open_responses_tool_type $_ reject;
CONF
    for 'x', 'x*', 'default';

good("effort $_, everywhere",
     "open_responses_reasoning_effort $_;"
     . server("open_responses_reasoning_effort $_ /a 1; location / {"
              . " open_responses_reasoning_effort $_ /a/b '\"x\"';"
              . " open_responses_reasoning_effort $_ /a/c '{}'; }"))
    for qw( none minimal low medium high xhigh max );

sub effort ($text) { location("open_responses_reasoning_effort $text;") }

bad("effort $_", effort($_),
    qq(invalid effort "$_", it must be "none", "minimal", "low", "medium", )
    . '"high", "xhigh" or "max"') for qw( maximal lo None );
bad(qq(effort at "$_"), effort("low \"$_\" 1"),
    qq(invalid pointer "$_", it must be one to a member of an object, such )
    . 'as "/a" or "/a/b"') for '', 'a', '/', '/a/', '/a~2';
bad("effort of $_->[0]", effort("low $_->[1] 1"),
    qq(invalid pointer "$_->[1]", "$_->[0]" of a request cannot be changed )
    . 'here')
    for [ model => '/model' ], [ messages => '/messages/x' ],
        [ user => '/user' ], [ stream => '/stream' ];
bad("effort with $_", effort("low /a '$_'"), qq(invalid JSON "$_", ),
    q(needs two kinds of quotes, as in '"low"'))
    for '', 'low', '{a:1}', '[1', '1 2';
bad('effort twice', effort("low; open_responses_reasoning_effort low"),
    'effort "low" is duplicate');
bad('effort of nothing, and of something',
    effort("low; open_responses_reasoning_effort low /a 1"),
    'effort "low" is duplicate');
bad('effort of something, and of nothing',
    effort("low /a 1; open_responses_reasoning_effort low"),
    'effort "low" is duplicate');
bad("effort at $_->[0] and $_->[1]",
    effort("low $_->[0] 1; open_responses_reasoning_effort low $_->[1] 1"),
    qq(pointer "$_->[1]" is to a place that has a value))
    for [ '/a', '/a' ], [ '/a', '/a/b' ], [ '/a/b', '/a' ];
bad('effort with two words', effort('low /a'),
    'invalid number of arguments', '"open_responses_reasoning_effort"');
bad('no effort', location('open_responses_reasoning_effort;'),
    'invalid number of arguments', '"open_responses_reasoning_effort"');

sub set ($text) { location("open_responses_set $text;") }

good('members that are set, everywhere',
     'open_responses_set /a 1; open_responses_set /inputs 1;'
     . server('open_responses_set /a/b \'"$host"\' missing; location / {'
              . ' open_responses_set /max_tokens 5; }'));
bad(qq(set at "$_"), set("\"$_\" 1"), qq(invalid pointer "$_", it must be))
    for '', 'a', '/a/';
bad("set of $_->[0]", set("$_->[1] 1"),
    qq(invalid pointer "$_->[1]", "$_->[0]" of a request cannot be changed )
    . 'here')
    for [ model => '/model' ], [ messages => '/messages/x' ],
        [ input => '/input' ], [ input => '/input/0' ], [ tools => '/tools' ],
        [ stream => '/stream' ], [ n => '/n' ];
bad("set with $_", set("/a '$_'"), qq(invalid JSON "$_", ),
    q(needs two kinds of quotes, as in '"low"')) for 'low', '{a:1}';
bad('set twice', set('/a 1; open_responses_set /a/b 2'),
    'pointer "/a/b" is to a place that has a value');
bad('set with another word', set('/a 1 always'),
    'invalid parameter "always", it must be "missing"');


# inheritance

my $model = ORS::Model->new;

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    open_responses_target  default /to/model;
    open_responses_limits  items=2 depth=10;
    error_page 403 404 405 /page;

    server {
        listen 127.0.0.1:%%PORT_0%%;
        open_responses_limits items=3;

        location /v1/ {
            open_responses on;

            location /v1/in/ { open_responses on; }
            location /v1/off/ { open_responses off; return 403; }
            location /v1/plain/ { return 403; }
        }

        location /own/ {
            open_responses on;
            open_responses_limits items=4;
        }

        location /if/ {
            open_responses on;

            if ($arg_x) { set $x 1; }

            if ($arg_y) { add_header X-If yes; }
        }

        location /except/ {
            open_responses on;
            limit_except POST { deny all; }
        }

        location /except-get/ {
            open_responses on;
            limit_except GET { allow all; }
        }

        location = /page { return 200 "page\n"; }

        location = /to/model {
            internal;
            open_responses_dialect chat;

            if ($arg_x) { set $x 1; }

            proxy_pass http://%%MODEL%%/chat;
        }
    }
CONF

$t->start;


sub ask ($path, $items = 1, @more) {
    my @input = map { { type => 'message', role => 'user', content => 'x' } }
                1 .. $items;
    return post_json($t->port, $path, { model => 'm', input => \@input,
                                        @more });
}


response_ok(ask('/v1/responses', 3), 'limit of the server is inherited');
error_ok(ask('/v1/responses', 4), 400, 'limit of the server passed');
response_ok(ask('/own/responses', 4), 'limit of the location is its own');
error_ok(ask('/own/responses', 5), 400, 'limit of the location passed');
error_ok(post_json($t->port, '/own/responses',
                   '{"x":' . '[' x 10 . ']' x 10 . '}'), 400,
         'limit of http passed', message => qr/10/);

response_ok(ask('/v1/in/responses', 3), 'nested');
error_ok(ask('/v1/in/no'), 404, 'nested: no inherited page');
is(ask('/v1/plain/responses')->{body}, "page\n",
   'inside of ours a page is inherited');
is(ask('/v1/off/responses')->{body}, "page\n", 'off: a page is inherited');

for my $path ('/if/responses', '/if/responses?x=1', '/if/responses?y=1',
              '/except/responses', '/except-get/responses')
{
    response_ok(ask($path), $path);
    stream_ok(ask($path, 1, stream => \1), "$path, stream");
    error_ok(ask($path, 4), 400, "$path: limit of the server passed");
}

error_ok(ask('/if/no?y=1'), 404, 'if: no inherited page');
error_ok(request($t->port, 'GET', '/except/responses'), 403,
         'limit_except: no inherited page');
error_ok(request($t->port, 'PUT', '/except-get/responses'), 405,
         'limit_except: method');

$t->finish;

done_testing();
