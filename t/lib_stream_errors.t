#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The stream checker: each defect of a failed or an incomplete response, and of
# an error answer, is reported.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::JSON qw( json_encode );
use ORS::Stream qw( check_error );
use ORS::Sample;

defects(\&failed,
    'no failed after error' => qr/no terminal event/,
        sub ($e) { pop @$e },
    'completed after error' => qr/completed in state ERR/,
        sub ($e) { $e->[-1] = ended('completed',
                                    @{ $e->[-1]{response}{output} }) },
    'a delta after error' => qr/in state ERR, no item is open/,
        sub ($e) { move($e, [ 'error' ], [ 'output_text.delta', 1 ]) },
    'error twice' => qr/error in state ERR/,
        sub ($e) { double($e, 'error') },
    'error first' => qr/error in state START/,
        sub ($e) { move($e, [ 'error' ], [ 'created' ]) },
    'a flat error' => qr/event has no error/,
        sub ($e) { my $x = of($e, 'error');
                   %$x = (%{ $x->{error} }, type => 'error') },
    'an error without param' => qr/error has no param/,
        sub ($e) { delete of($e, 'error')->{error}{param} },
    'an error without code' => qr/error has no code/,
        sub ($e) { delete of($e, 'error')->{error}{code} },
    'an error of unknown type' => qr/error\.type is/,
        sub ($e) { of($e, 'error')->{error}{type} = 'invalid_request_error' },
    'an error without a text' => qr/error\.message is empty/,
        sub ($e) { of($e, 'error')->{error}{message} = '' },
    'a number as code' => qr/code must be str/,
        sub ($e) { of($e, 'error')->{error}{code} = 429 },
    'a null code in failed' => qr/code must be str/,
        sub ($e) { $e->[-1]{response}{error}{code} = undef },
    'a null error in failed' => qr/failed, but error is null/,
        sub ($e) { $e->[-1]{response}{error} = undef },
    'an error without a message' => qr/error has no message/,
        sub ($e) { delete $e->[-1]{response}{error}{message} },
    'another code in failed' => qr/the error event said/,
        sub ($e) { $e->[-1]{response}{error}{code} = 'other' },
    'the open item in failed' => qr/output has 2 items, finished are 1/,
        sub ($e) { push @{ $e->[-1]{response}{output} },
                       message('msg_a', 'in_progress') },
    'a finished item lost in failed' => qr/output has 0 items/,
        sub ($e) { $e->[-1]{response}{output} = [] },
    'an incomplete item in failed'
            => qr/an incomplete item, but the response is failed/,
        sub ($e) { splice @$e, at($e, 'error'), 0,
                       ev('output_text.done', item_id => 'msg_a',
                          output_index => 1, content_index => 0,
                          text => 'High water'),
                       ev('content_part.done', item_id => 'msg_a',
                          output_index => 1, content_index => 0,
                          part => output_text('High water')),
                       ev('output_item.done', output_index => 1,
                          item => message('msg_a', 'incomplete',
                                          output_text('High water')));
                   push @{ $e->[-1]{response}{output} },
                       $e->[-3]{item} },
    'a time in failed' => qr/completed_at with status failed/,
        sub ($e) { $e->[-1]{response}{completed_at} = CREATED },
    'a summary index too high' => qr/summary_index is 2, not 1/,
        sub ($e) { of($e, 'reasoning_summary_part.added', 1)
                       ->{summary_index} = 2 },
    'content_index in a summary' => qr/has no summary_index/,
        sub ($e) { my $d = of($e, 'reasoning_summary_text.delta');
                   $d->{content_index} = delete $d->{summary_index} },
    'a summary delta lost' => qr/text is not the sum/,
        sub ($e) { drop($e, 'reasoning_summary_text.delta', 1) },
    'a summary lost in the item' => qr/summary has 1 parts, finished are 2/,
        sub ($e) { pop @{ of($e, 'output_item.done')->{item}{summary} } },
    'a summary part closed as content' => qr/has a summary_index/,
        sub ($e) { my $d = of($e, 'reasoning_summary_part.done');
                   $d->{type} = 'response.content_part.done';
                   $d->{content_index} = delete $d->{summary_index} },
    'a summary that is a string' => qr/summary must be arr/,
        sub ($e) { of($e, 'output_item.added')->{item}{summary} = '' },
);

defects(\&incomplete,
    'no details' => qr/incomplete_details are null/,
        sub ($e) { $e->[-1]{response}{incomplete_details} = undef },
    'details without a reason' => qr/has no reason/,
        sub ($e) { $e->[-1]{response}{incomplete_details} = {} },
    'completed for incomplete' => qr/incomplete item, but the response is/,
        sub ($e) { $e->[-1] = ended('completed',
                                    @{ $e->[-1]{response}{output} }) },
    'a time in incomplete' => qr/completed_at with status incomplete/,
        sub ($e) { $e->[-1]{response}{completed_at} = CREATED },
    'refusal as text' => qr/has no refusal/,
        sub ($e) { my $d = of($e, 'refusal.done');
                   $d->{text} = delete $d->{refusal} },
    'a refusal delta lost' => qr/refusal is not the sum/,
        sub ($e) { drop($e, 'refusal.delta') },
    'the second part as the first' => qr/content_index is 0, not 1/,
        sub ($e) { of($e, 'content_part.added', 1)->{content_index} = 0 },
    'logprobs on a refusal' => qr/unknown key "logprobs"/,
        sub ($e) { of($e, 'refusal.delta')->{logprobs} = [] },
);


# ---- error answers


my %json = ('content-type' => 'application/json');

sub error_body (%o) {
    return json_encode({ error => { type => 'invalid_request',
        code => 'unknown_parameter', message => 'No such parameter.',
        param => 'x', %o } });
}

is_deeply([ check_error(400, \%json, error_body()) ], [], 'an error answer');
is_deeply([ check_error(502, \%json, error_body(type => 'server_error',
            code => undef, param => undef)) ], [], 'with nulls');

for my $bad (
    [ 'success', 200, \%json, error_body() ],
    [ 'text', 400, { 'content-type' => 'text/html' }, error_body() ],
    [ 'no type', 400, {}, error_body() ],
    [ 'HTML', 502, \%json, '<html>' ],
    [ 'nothing', 400, \%json, '' ],
    [ 'a flat error', 400, \%json, '{"type":"invalid_request"}' ],
    [ 'a string', 400, \%json, '{"error":"bad"}' ],
    [ 'no param', 400, \%json,
      '{"error":{"type":"invalid_request","code":"x","message":"y"}}' ],
    [ 'no code', 400, \%json,
      '{"error":{"type":"invalid_request","param":"x","message":"y"}}' ],
    [ 'a null message', 400, \%json, error_body(message => undef) ],
    [ 'an empty message', 400, \%json, error_body(message => '') ],
    [ 'an unknown type', 400, \%json,
      error_body(type => 'invalid_request_error') ],
    [ 'a number as code', 400, \%json, error_body(code => 400) ],
    [ 'one key more', 400, \%json, error_body(stack => 'x') ],
    [ 'a type of the wrong class', 500, \%json, error_body() ],
    [ 'a type of the other class', 400, \%json,
      error_body(type => 'server_error') ],
    [ '429 without its type', 429, \%json, error_body() ])
{
    my ($name, @args) = @$bad;
    ok(scalar(my @w = check_error(@args)), "$name is reported");
}

done_testing();
