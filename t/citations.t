#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Sources of a web_search that runs here, cited in the model's text.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get post_json );
use ORS::JSON qw( json_decode json_false json_true );
use ORS::Loop qw( plan call );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( response_ok stream_ok );

my @search = ({ tool_calls => [ call('web_search', query => 'q') ] });
my $said = "\x{e9} [news](https://a.org/) and https://b.org/x?y=1&z.";

my sub cited ($url, $title, $start, $end) {
    return { type => 'url_citation', url => $url, title => $title,
             start_index => $start, end_index => $end };
}

my @cited = (cited('https://a.org/', 'A "1"', 2, 24),
             cited('https://b.org/x?y=1&z', 'https://b.org/x?y=1&z',
                   29, 50));

# the model has annotations of its own

my $own = cited('https://c.org/', 'C', 0, 1);

my sub annotated ($conn, $r) {
    my %more = (annotations => [ { type => 'url_citation',
                                   url_citation => $own } ]);
    my @steps = json_decode($r->{body})->{stream}
        ? (sse_head(), [ sse => chat_chunk(content => $said,
                                           delta => \%more) ],
           [ sse => chat_chunk(finish => 'stop') ], [ sse => '[DONE]' ])
        : @{ json_script(chat_reply(content => $said, message => \%more)) };

    $conn->_play(\@steps, 0);
}

# in pieces that cut addresses, characters are whole

my sub pieces ($conn, $r) {
    $conn->_play(json_decode($r->{body})->{stream}
                 ? stream_script(text => [ split //, $said ])
                 : json_script(chat_reply(content => $said)), 0);
}

my $model = ORS::Model->new(scripts => { default => plan(
    cites => [ @search, \&pieces ],
    before => [ { text => $said, tool_calls => $search[0]{tool_calls} },
                'Done' ],
    others => [ @search, 'https://a.org/x and http://a.org/' ],
    cut => [ @search, { text => 'https://a.org/ https://a.org/',
                        finish => 'length' } ],
    own => [ @search, \&annotated ],
    refuses => [ @search, { text => 'https://a.org/', refusal => 'no' } ],
    json => [ @search, '{"at":"https://a.org/"}' ],
    hello => [ 'https://a.org/' ],
) });

my $tool = ORS::Model->new(scripts => { default => [ [ json => {
    output => 'found', sources => [
        { type => 'url', url => 'https://a.org/', title => 'A "1"' },
        { type => 'url', url => 'https://b.org/x?y=1&z' } ] } ] ] });

my $t = ORS::Nginx->new(model => { MODEL => $model, TOOL => $tool },
                        conf => <<'CONF');
    open_responses_flavor openai;
    open_responses_store main lmdb:%%TESTDIR%%/db size=16m;
    open_responses_store_scope all empty=share;
    open_responses_target default /to/model;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        open_responses_tool web_search /tool;

        location /v1/ {
            open_responses on;
            open_responses_store main;
        }

        location /silent/v1/ {
            open_responses on;
            open_responses_tool web_search /tool show=none;
        }

        location /schema/v1/ {
            open_responses on;
            open_responses_schema enforce;
        }

        %%CHAT /to/model /chat%%

        location = /tool {
            internal;
            proxy_pass http://%%TOOL%%/tool;
        }
    }
CONF

$t->start;


sub ask ($name, %o) {
    my $stream = delete $o{stream};
    my $path = delete($o{path}) // '';
    my $r = post_json($t->port, "$path/v1/responses",
                      { model => $name, input => 'hi',
                        tools => [ { type => 'web_search' } ],
                        stream => $stream ? json_true : json_false, %o });

    return $stream ? stream_ok($r, "$name, stream", flavor => 'openai')
                   : response_ok($r, $name, flavor => 'openai');
}


# of all texts

sub annotations ($response) {
    return [ map { @{ $_->{annotations} // [] } }
             map { @{ $_->{content} // [] } } @{ $response->{output} } ];
}


for my $stream (0, 1) {
    my $how = $stream ? 'stream' : 'document';
    my $r = ask('cites', stream => $stream);

    is_deeply(annotations($r->response), \@cited, "$how: citations");

    my $text = $r->response->{output}[-1]{content}[0]{text};

    is(substr($text, 2, 22), '[news](https://a.org/)', "$how: their place");

    is_deeply(get($t->port, '/v1/responses/' . $r->response->{id})
              ->{json}{output}, $r->response->{output}, "$how: stored");

    if ($stream) {
        is_deeply([ grep { !/delta/ } ($r->types)[-7 .. -1] ],
                  [ map { "response.$_" }
                    ('output_text.annotation.added') x 2, 'output_text.done',
                    qw( content_part.done output_item.done completed ) ],
                  'events, after the text');
    }

    my %expect = (before => [], others => [], own => [ $own ],
                  cut => [ cited('https://a.org/', 'A "1"', 0, 14) ],
                  refuses => [ cited('https://a.org/', 'A "1"', 0, 14) ],
                  hello => []);

    for my $name (sort keys %expect) {
        is_deeply(annotations(ask($name, stream => $stream)->response),
                  $expect{$name}, "$how: $name");
    }

    is_deeply(annotations(ask('cites', stream => $stream, path => '/silent')
                          ->response), \@cited, "$how: show=none");

    my %format = (text => { format => {
        type => 'json_schema', name => 's', schema => { type => 'object' } } });

    is_deeply(annotations(ask('json', stream => $stream, path => '/schema',
                              %format)->response),
              [ cited('https://a.org/', 'A "1"', 7, 21) ],
              "$how: in a text that is held");
}

# a follow-up has not searched

my $first = ask('cites')->response;

is_deeply(annotations(ask('hello', previous_response_id => $first->{id})
                      ->response), [], 'sources are those of the response');

$t->finish;

done_testing();
