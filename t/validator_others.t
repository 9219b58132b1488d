#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The validator before chat/completions, embeddings, models and
# responses/compact: answers, good and broken, and what becomes of each.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Validator;
use ORS::JSON qw( json_decode json_encode );
use ORS::Model qw( chat_chunk chat_reply chat_stream );
use ORS::Sample qw( message output_text );


sub changed ($doc, $change) {
    my $d = json_decode(json_encode($doc));

    $change->($d);

    return json_encode($d);
}

# rows of documents of one path

sub documents ($path, $good, @list) {
    my @rows = ([ "$path: good", { path => $path, body => json_encode($good) },
                  same => 1 ]);

    while (my ($name, $kind, $value, $change) = splice @list, 0, 4) {
        my $body = ref $change ? changed($good, $change) : $change;

        push @rows, [ "$path: $name", { path => $path, body => $body },
                      $kind => $value ];
    }

    return @rows;
}

my $model = 'parrot-1';
my $calls = [ { id => 'call_1', name => 'tide', arguments => '{}' } ];
my $reply = chat_reply(content => SECRET, model => $model);
my $list = { object => 'list', data => [
    { id => SECRET, object => 'model', created => 1, owned_by => 'us' },
    { id => 'parrot-2', object => 'model', created => 2, owned_by => 'us' } ] };
my $vectors = { object => 'list', model => $model, data => [
    { object => 'embedding', index => 0, embedding => [ 0.5, -1e-9, 1 ] },
    { object => 'embedding', index => 1, embedding => 'AACAPw==' } ],
    usage => { prompt_tokens => 2, total_tokens => 2 } };
my $compact = { id => 'resp_1', object => 'response.compaction',
                created_at => 1, output => [
                    message('msg_1', 'completed', output_text(SECRET)) ],
                usage => { input_tokens => 1, output_tokens => 2,
                           total_tokens => 3,
                           input_tokens_details => { cached_tokens => 0 },
                           output_tokens_details => { reasoning_tokens => 0 }
                } };

my @rows = (
    documents('chat/completions', $reply,
        'no choices', refused => qr/"choices"/,
            sub ($d) { delete $d->{choices} },
        'choices is an object', refused => qr/"choices"/,
            sub ($d) { $d->{choices} = {} },
        'no message', refused => qr/"choices\[0\]\.message"/,
            sub ($d) { delete $d->{choices}[0]{message} },
        'a delta for a message', refused => qr/"choices\[0\]\.message"/,
            sub ($d) {
                $d->{choices}[0]{delta} = delete $d->{choices}[0]{message};
            },
        'content is a number', refused => qr/message\.content"/,
            sub ($d) { $d->{choices}[0]{message}{content} = 7 },
        'an unknown role', refused => qr/message\.role"/,
            sub ($d) { $d->{choices}[0]{message}{role} = 'parrot' },
        'a call without an id', refused => qr/tool_calls\[0\]\.id"/,
            sub ($d) { $d->{choices}[0]{message}{tool_calls} =
                           [ { type => 'function', function => {
                               name => 'f', arguments => '{}' } } ] },
        'a call without a name', refused => qr/function\.name"/,
            sub ($d) { $d->{choices}[0]{message}{tool_calls} =
                           [ { id => 'c', type => 'function', function => {
                               arguments => '{}' } } ] },
        'arguments are an object', refused => qr/function\.arguments"/,
            sub ($d) { $d->{choices}[0]{message}{tool_calls} =
                           [ { id => 'c', type => 'function', function => {
                               name => 'f', arguments => {} } } ] },
        'usage is a list', refused => qr/"usage"/,
            sub ($d) { $d->{usage} = [] },
        'another object', refused => qr/"object"/,
            sub ($d) { $d->{object} = 'response' },
        'an error in a 200', refused => qr/"choices"/,
            '{"error":{"message":"' . SECRET . '"}}',
        'half of it', refused => qr/not\ JSON/,
            substr(json_encode($reply), 0, 60),
        'no id, no object', body => qr/"id":"",.*"object":"chat\.completion"/,
            sub ($d) { delete @$d{qw( id object )} },
        'a renamed model', body => json_encode($reply),
            sub ($d) { $d->{model} = 'inner/parrot' },
        'no sum of usage', body => qr/"total_tokens":10\b/,
            sub ($d) { delete $d->{usage}{total_tokens} },
        'no index', body => qr/"index":0/,
            sub ($d) { delete $d->{choices}[0]{index} },
    ),

    documents('embeddings', $vectors,
        'no data', refused => qr/"data"/, sub ($d) { delete $d->{data} },
        'data is an object', refused => qr/"data"/,
            sub ($d) { $d->{data} = {} },
        'a vector is missing', refused => qr/"data\[1\]\.embedding"/,
            sub ($d) { delete $d->{data}[1]{embedding} },
        'a vector is empty', refused => qr/"data\[1\]\.embedding"/,
            sub ($d) { $d->{data}[1]{embedding} = '' },
        'a number is null', refused => qr/"data\[0\]\.embedding\[1\]"/,
            sub ($d) { $d->{data}[0]{embedding}[1] = undef },
        'a number is a text', refused => qr/"data\[0\]\.embedding\[0\]"/,
            sub ($d) { $d->{data}[0]{embedding}[0] = SECRET },
        'NaN', refused => qr/not\ JSON/,
            json_encode($vectors) =~ s/0\.5/NaN/r,
        'an index below 0', refused => qr/"data\[0\]\.index"/,
            sub ($d) { $d->{data}[0]{index} = -1 },
        'another object', refused => qr/"object"/,
            sub ($d) { $d->{object} = 'response' },
        'only the vectors', body => qr/"object":"list"/,
            sub ($d) { delete @$d{qw( object usage model )} },
        'no usage', body =>
            qr/"usage":\{"prompt_tokens":0,"total_tokens":0\}/,
            sub ($d) { delete $d->{usage} },
        'a renamed model', body => json_encode($vectors),
            sub ($d) { $d->{model} = 'inner/parrot' },
        'no index of the first', body => qr/"index":0/,
            sub ($d) { delete $d->{data}[0]{index} },
    ),

    documents('models', $list,
        'no data', refused => qr/"data"/, sub ($d) { delete $d->{data} },
        'data is an object', refused => qr/"data"/,
            sub ($d) { $d->{data} = {} },
        'a list of names', refused => qr/"data\[0\]"/,
            sub ($d) { $d->{data} = [ SECRET ] },
        'no id', refused => qr/"data\[1\]\.id"/,
            sub ($d) { delete $d->{data}[1]{id} },
        'an empty id', refused => qr/"data\[1\]\.id"/,
            sub ($d) { $d->{data}[1]{id} = '' },
        'an id is a number', refused => qr/"data\[0\]\.id"/,
            sub ($d) { $d->{data}[0]{id} = 7 },
        'another object', refused => qr/"object"/,
            sub ($d) { $d->{object} = 'lists' },
        'another object within', refused => qr/"data\[0\]\.object"/,
            sub ($d) { $d->{data}[0]{object} = 'parrot' },
        'a list without its object', refused => qr/must\ be\ an\ object/,
            '[]',
        'empty', refused => qr/it\ is\ empty/, '',
        'ids only', body => qr/"owned_by":""/,
            sub ($d) { delete @$_{qw( object created owned_by )}
                           for @{ $d->{data} } },
        'unknown keys', body => qr/"max_model_len":4096/,
            sub ($d) { $d->{data}[0]{max_model_len} = 4096 },
        'no object', body => qr/"object":"list"/,
            sub ($d) { delete $d->{object} },
    ),
    [ 'models: called a text', { path => 'models', body => json_encode($list),
                                 type => 'text/plain' },
      refused => qr/it\ is\ not\ JSON/ ],
    [ 'models: a stream', { path => 'models', body => "data: {}\n\n",
                            type => 'text/event-stream' },
      refused => qr/it\ is\ not\ JSON/ ],

    documents('responses/compact', $compact,
        'no output', refused => qr/"output"/,
            sub ($d) { delete $d->{output} },
        'no id', refused => qr/"id"/, sub ($d) { delete $d->{id} },
        'no usage', refused => qr/"usage"/, sub ($d) { delete $d->{usage} },
        'another object', refused => qr/"object"/,
            sub ($d) { $d->{object} = 'response' },
        'a broken item', refused => qr/"output\[0\]\.role"/,
            sub ($d) { delete $d->{output}[0]{role} },
        'no object', body => qr/"object":"response\.compaction"/,
            sub ($d) { delete $d->{object} },
    ),
);


# streams of chunks

sub chunks (@chunks) {
    return join '', (map { 'data: ' . json_encode($_) . "\n\n" } @chunks),
                    "data: [DONE]\n\n";
}

my @good = chat_stream(model => $model, text => [ SECRET, ' says' ],
                       reasoning => 'Hm.', tool_calls => $calls);
my $good = chunks(@good);

# with the change of one chunk
sub chunk ($n, $change) {
    my @list = map { json_decode(json_encode($_)) } @good;

    $change->($list[$n]);

    return chunks(@list);
}

# with a line of data in front of the third chunk
sub put ($data) {
    return $good =~ s/((?:data:.*\n\n){2})/$1data: $data\n\n/r;
}

my @streams = (
    [ 'good', $good, same => 1 ],
    [ 'without usage', chunks(@good[0 .. $#good - 1]), same => 1 ],
    [ 'CRLF', $good =~ s/\n/\r\n/gr, body => $good ],
    [ 'no [DONE]', $good =~ s/data: \[DONE\]\n\n//r, body => $good ],
    [ 'text after [DONE]', $good . SECRET, body => $good ],
    [ 'event lines', $good =~ s/^(data: \{)/event: chunk\n$1/gmr,
      body => $good ],
    [ 'comments', ": a\n\n$good", body => ":\n\n$good" ],
    [ 'in many lines', $good =~ s/,"(?=model)/,\ndata: "/gr,
      body => $good =~ s/,"(?=model)/, "/gr ],
    [ 'another model', $good =~ s/$model/inner/gr, body => $good ],
    [ 'no object', chunk(1, sub ($c) { delete $c->{object} }),
      body => qr/"object":"chat\.completion\.chunk"\}\n\n/ ],
    [ 'no delta', chunk(-2, sub ($c) { delete $c->{choices}[0]{delta} }),
      body => qr/"delta":\{\}/ ],

    [ 'no choices', chunk(2, sub ($c) { delete $c->{choices} }),
      ended => qr/"choices"/ ],
    [ 'no choices in the first', chunk(0, sub ($c) { delete $c->{choices} }),
      refused => qr/"choices"/ ],
    [ 'a message for a delta',
      chunk(2, sub ($c) { $c->{choices}[0]{delta} = SECRET }),
      ended => qr/"choices\[0\]\.delta"/ ],
    [ 'content is a number',
      chunk(2, sub ($c) { $c->{choices}[0]{delta}{content} = 7 }),
      ended => qr/delta\.content"/ ],
    [ 'an unknown role',
      chunk(2, sub ($c) { $c->{choices}[0]{delta}{role} = 'parrot' }),
      ended => qr/delta\.role"/ ],
    [ 'a call without its index',
      chunk(4, sub ($c) {
          delete $c->{choices}[0]{delta}{tool_calls}[0]{index};
      }), ended => qr/tool_calls\[0\]\.index"/ ],
    [ 'an index that cannot be',
      chunk(2, sub ($c) { $c->{choices}[0]{index} = 1000 }),
      ended => qr/impossible\ index/ ],
    [ 'another object', chunk(2, sub ($c) { $c->{object} = 'x' }),
      ended => qr/"object"/ ],
    [ 'not JSON', put(SECRET), ended => qr/not\ JSON/ ],
    [ 'a list', put('[]'), ended => qr/must\ be\ an\ object/ ],
    [ 'nothing', '', refused => qr/ended\ before/,
      code => 'upstream_disconnected' ],
    [ '[DONE] only', "data: [DONE]\n\n", refused => qr/ended\ before/,
      code => 'upstream_disconnected' ],
    [ 'no end', chunks(@good[0 .. 3]) =~ s/data: \[DONE\]\n\n//r,
      ended => qr/ended\ before/, code => 'upstream_disconnected' ],
    [ 'an error first', 'data: {"error":{"message":"full","code":429}}'
                        . "\n\n",
      error => [ 429, message => 'full', type => 'too_many_requests' ] ],
);

push @rows, map {
    my ($name, $body, @outcome) = @$_;

    [ "chunks: $name", { path => 'chat/completions', body => $body,
                         type => 'text/event-stream' }, @outcome ]
} @streams;

push @rows,
    [ 'chunks: cut', { path => 'chat/completions', body => $good,
                       cut => length($good) / 2 },
      ended => qr/ended\ before/, code => 'upstream_disconnected' ],
    [ 'chunks: for a document', { path => 'chat/completions', body => $good,
                                  stream => 0 },
      refused => qr/a\ document\ was\ asked\ for/ ],
    [ 'chunks: a document for them',
      { path => 'chat/completions', body => json_encode($reply), stream => 1 },
      refused => qr/an\ event\ stream\ was\ asked\ for/ ],
    [ 'chunks: an error, masked',
      { path => 'chat/completions', at => 'mask',
        body => put('{"error":{"message":"' . SECRET
                    . '","code":"insufficient_quota"}}') },
      body => qr/\A(?!.*insufficient).*"code":"server_error"
                 .*\n\ndata:\ \[DONE\]\n\n\z/xs ];

my $g = ORS::Validator->new(rows => \@rows, locations => {
    mask => 'open_responses_upstream_errors mask;',
});

$g->run;
$g->report;

$g->finish;
done_testing();
