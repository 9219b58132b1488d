#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The stream checker: each defect of items and of their parts is reported.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Sample;

defects(\&good,
    'an item without added' => qr/no item is open/,
        sub ($e) { drop($e, 'output_item.added', 1) },
    'an item without done' => qr/is still open/,
        sub ($e) { drop($e, 'output_item.done', 0) },
    'items that interleave' => qr/is still open/,
        sub ($e) { move($e, [ 'output_item.done', 2 ],
                        [ 'output_item.done', 3 ]) },
    'added twice' => qr/is still open/,
        sub ($e) { double($e, 'output_item.added', 1) },
    'done twice' => qr/no item is open/,
        sub ($e) { double($e, 'output_item.done', 1) },
    'an index too high' => qr/output_index is 2, not 1/,
        sub ($e) { of($e, 'output_item.added', 1)->{output_index} = 2 },
    'an index that restarts' => qr/output_index is 0, not 1/,
        sub ($e) { of($e, 'output_item.added', 1)->{output_index} = 0 },
    'a delta for another index' => qr/output_index is 0, not 1/,
        sub ($e) { of($e, 'output_text.delta')->{output_index} = 0 },
    'a delta for another item' => qr/item_id is "rs_a", not "msg_a"/,
        sub ($e) { of($e, 'output_text.delta')->{item_id} = 'rs_a' },
    'done for another index' => qr/output_index is 0, not 1/,
        sub ($e) { of($e, 'output_item.done', 1)->{output_index} = 0 },
    'an id twice' => qr/was used before/,
        sub ($e) { of($e, 'output_item.added', 3)->{item}{id} = 'fc_a' },
    'another id in done' => qr/id is not that of/,
        sub ($e) { of($e, 'output_item.done', 1)->{item}{id} = 'msg_z' },
    'another role in done' => qr/role is not that of/,
        sub ($e) { of($e, 'output_item.done', 1)->{item}{role} = 'user' },
    'another call_id in done' => qr/call_id is not that of/,
        sub ($e) { of($e, 'output_item.done', 2)->{item}{call_id} = 'c2' },
    'another name in done' => qr/name is not that of/,
        sub ($e) { of($e, 'output_item.done', 2)->{item}{name} = 'moon' },
    'added as completed' => qr/status is "completed"/,
        sub ($e) { of($e, 'output_item.added')->{item}{status}
                       = 'completed' },
    'done as in_progress' => qr/status is "in_progress"/,
        sub ($e) { $_->{item}{status} = 'in_progress'
                       for of($e, 'output_item.done', 1) },
    'added with content' => qr/content is not empty/,
        sub ($e) { of($e, 'output_item.added', 1)->{item}{content}
                       = [ output_text('') ] },
    'added with arguments' => qr/arguments is not empty/,
        sub ($e) { of($e, 'output_item.added', 2)->{item}{arguments} = '{}' },
    'added without a name' => qr/item has no name/,
        sub ($e) { delete of($e, 'output_item.added', 2)->{item}{name} },
    'a null item' => qr/item must be obj/,
        sub ($e) { of($e, 'output_item.added', 1)->{item} = undef },
    'an item of another type' => qr/is of type "tool_call"/,
        sub ($e) { of($e, 'output_item.added', 2)->{item}{type}
                       = 'tool_call' },
    'an item without status' => qr/item has no status/,
        sub ($e) { delete of($e, 'output_item.added', 0)->{item}{status} },
    'an item status of its own' => qr/status must be status/,
        sub ($e) { of($e, 'output_item.done', 1)->{item}{status} = 'done' },
    'an empty id' => qr/id is empty/,
        sub ($e) { of($e, 'output_item.added', 1)->{item}{id} = '' },
    'a long call_id' => qr/call_id has 65 characters/,
        sub ($e) { $_->{item}{call_id} = 'c' x 65
                       for of($e, 'output_item.added', 2),
                           of($e, 'output_item.done', 2) },
    'an empty call_id' => qr/call_id has 0 characters/,
        sub ($e) { of($e, 'output_item.added', 2)->{item}{call_id} = '' },
    'a call_id twice' => qr/is that of another item/,
        sub ($e) { of($e, 'output_item.added', 3)->{item}{call_id}
                       = 'call_a' },
    'a name with a dot' => qr/cannot be sent back/,
        sub ($e) { of($e, 'output_item.added', 2)->{item}{name} = 'a.b' },
    'null content of reasoning' => qr/content must be arr/,
        sub ($e) { of($e, 'output_item.added', 0)->{item}{content} = undef },
    'encrypted_content null' => qr/encrypted_content must be str/,
        sub ($e) { of($e, 'output_item.added', 0)->{item}{encrypted_content}
                       = undef },
    'an unknown key in an item' => qr/unknown key "index"/,
        sub ($e) { of($e, 'output_item.added', 2)->{item}{index} = 0 },
);

defects(\&good,
    'a part without added' => qr/no part is open/,
        sub ($e) { drop($e, 'content_part.added', 1) },
    'a part without done' => qr/is still open/,
        sub ($e) { drop($e, 'content_part.done', 1) },
    'a part added twice' => qr/is still open/,
        sub ($e) { double($e, 'content_part.added', 1) },
    'a part index too high' => qr/content_index is 1, not 0/,
        sub ($e) { of($e, 'content_part.added', 1)->{content_index} = 1 },
    'a delta for another part' => qr/content_index is 1, not 0/,
        sub ($e) { of($e, 'output_text.delta')->{content_index} = 1 },
    'a part with text' => qr/text of the part is not empty/,
        sub ($e) { of($e, 'content_part.added', 1)->{part}{text} = 'L' },
    'a part without annotations' => qr/has no annotations/,
        sub ($e) { delete of($e, 'content_part.added', 1)
                              ->{part}{annotations} },
    'null logprobs' => qr/logprobs must be arr/,
        sub ($e) { of($e, 'content_part.added', 1)->{part}{logprobs}
                       = undef },
    'a null part' => qr/part must be obj/,
        sub ($e) { of($e, 'content_part.added', 1)->{part} = undef },
    'a part of unknown type' => qr/is of type "markdown"/,
        sub ($e) { of($e, 'content_part.added', 1)->{part}{type}
                       = 'markdown' },
    'text in reasoning' => qr/a part of type output_text in a reasoning/,
        sub ($e) { of($e, 'content_part.added', 0)->{part}
                       = output_text('') },
    'reasoning in a message' => qr/a part of type reasoning_text in a message/,
        sub ($e) { of($e, 'content_part.added', 1)->{part}
                       = { type => 'reasoning_text', text => '' } },
    'a refusal delta in text' => qr/open part is of type output_text/,
        sub ($e) { my $d = of($e, 'output_text.delta');
                   $d->{type} = 'response.refusal.delta';
                   delete $d->{logprobs} },
    'a part in a call' => qr/has no parts/,
        sub ($e) { splice @$e, at($e, 'output_item.added', 2) + 1, 0,
                       ev('content_part.added', item_id => 'fc_a',
                          output_index => 2, content_index => 0,
                          part => output_text('')) },
    'a part after the last' => qr/content has 1 parts, finished are 2/,
        sub ($e) { my $at = at($e, 'output_item.done', 1);
                   output_index(1);
                   splice @$e, $at, 0, text_part('msg_a', 1, 'x') },
);

defects(\&annotated,
    'a null annotation' => qr/annotation must be obj/,
        sub ($e) { of($e, 'output_text.annotation.added')->{annotation}
                       = undef },
    'an annotation index too high' => qr/annotation_index is 1, not 0/,
        sub ($e) { of($e, 'output_text.annotation.added')
                       ->{annotation_index} = 1 },
    'an annotation without a title' => qr/has no title/,
        sub ($e) { delete of($e, 'output_text.annotation.added')
                              ->{annotation}{title} },
    'an annotation of unknown type' => qr/type must be =url_citation/,
        sub ($e) { of($e, 'output_text.annotation.added')->{annotation}{type}
                       = 'file_citation' },
    'an annotation not announced' => qr/not those announced/,
        sub ($e) { drop($e, 'output_text.annotation.added') },
    'logprobs lost in done' => qr/logprobs are not those/,
        sub ($e) { of($e, 'output_text.done')->{logprobs} = [] },
    'logprobs lost in the part' => qr/logprobs are not those/,
        sub ($e) { of($e, 'content_part.done')->{part}{logprobs} = [] },
    'logprobs with null bytes' => qr/bytes must be arr/,
        sub ($e) { of($e, 'output_text.delta')->{logprobs}[0]{bytes}
                       = undef },
    'logprobs without top_logprobs' => qr/has no top_logprobs/,
        sub ($e) { delete of($e, 'output_text.delta')
                              ->{logprobs}[0]{top_logprobs} },
    'a string as logprob' => qr/logprob must be num/,
        sub ($e) { of($e, 'output_text.delta')->{logprobs}[0]{logprob}
                       = '-0.25' },
    'a byte too big' => qr/bytes are no bytes/,
        sub ($e) { of($e, 'output_text.delta')->{logprobs}[0]{bytes}[0]
                       = 256 },
    'a null top entry' => qr/is no object/,
        sub ($e) { of($e, 'output_text.delta')
                       ->{logprobs}[0]{top_logprobs}[0] = undef },
);

defects(\&hosted,
    'an output before its call' => qr/no call "call_a" before/,
        sub ($e) { my @output = splice @$e, at($e, 'output_item.added', 1), 2;
                   $_->{output_index} = 0 for @output;
                   splice @$e, 2, 0, @output },
    'an output of another call' => qr/no call "call_z" before/,
        sub ($e) { of($e, 'output_item.added', 1)->{item}{call_id}
                       = 'call_z' },
    'an output without a status' => qr/item has no status/,
        sub ($e) { delete of($e, 'output_item.done', 1)->{item}{status} },
    'an output without text' => qr/item has no output/,
        sub ($e) { delete of($e, 'output_item.done', 1)->{item}{output} },
    'an output that is an object' => qr/output must be str\|arr/,
        sub ($e) { of($e, 'output_item.done', 1)->{item}{output} = {} },
);

defects(\&tools,
    'a list that has not begun' => qr/mcp_list_tools has not begun/,
        sub ($e) { drop($e, 'mcp_list_tools.in_progress');
                   drop($e, 'mcp_list_tools.completed') },
    'a list without an end' => qr/is completed, its events said nothing/,
        sub ($e) { drop($e, 'mcp_list_tools.completed') },
    'a call that fails in its item only' => qr/failed, its events said comp/,
        sub ($e) { of($e, 'mcp_call.failed')->{type}
                       = 'response.mcp_call.completed' },
    'a call without arguments.done' => qr/no arguments\.done before/,
        sub ($e) { drop($e, 'mcp_call_arguments.done', 1) },
    'arguments of a call that differ' => qr/not the sum of the deltas/,
        sub ($e) { of($e, 'mcp_call_arguments.done')->{arguments} = '{ }' },
    'a call that ends twice' => qr/the tool has ended/,
        sub ($e) { double($e, 'mcp_call.completed') },
    'a call with an unknown error' => qr/error has no known type/,
        sub ($e) { of($e, 'output_item.done', 2)->{item}{error}
                       = { type => 'odd' } },
    'an error without a code' => qr/error has no code/,
        sub ($e) { delete of($e, 'output_item.done', 2)->{item}{error}{code} },
    'a search that begins late' => qr/an earlier step/,
        sub ($e) { move($e, [ 'web_search_call.in_progress' ],
                        [ 'web_search_call.completed' ]) },
    'a search that never ends' => qr/status is "searching"/,
        sub ($e) { $_->{item}{status} = 'searching'
                       for of($e, 'output_item.done', 3) },
    'progress of another type' => qr/the open item is a web_search_call/,
        sub ($e) { of($e, 'web_search_call.searching')->{type}
                       = 'response.file_search_call.searching' },
    'code that differs' => qr/code are not those of the done event/,
        sub ($e) { of($e, 'output_item.done', 4)->{item}{code} = '2' },
    'an interpreter without a container' => qr/has no container_id/,
        sub ($e) { delete of($e, 'output_item.done', 4)
                              ->{item}{container_id} },
);

done_testing();
