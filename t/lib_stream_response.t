#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The stream checker: each defect of the response object is reported, in a
# stream and in a document.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::JSON qw( json_encode json_true );
use ORS::Stream qw( check_response );
use ORS::Sample;

for my $key (sort keys %{ response('completed') }) {
    # absent from the last snapshot
    my $e = good();
    delete $e->[-1]{response}{$key};
    reports(render($e), qr/response has no $key\b/, "no $key");

    next if $key =~ /^(?:completed_at|incomplete_details|instructions|error
                       |previous_response_id|reasoning|usage|max_tool_calls
                       |max_output_tokens|metadata|safety_identifier
                       |prompt_cache_key)$/x;

    $e = good();
    $e->[-1]{response}{$key} = undef;
    reports(render($e), qr/response: $key must be/, "null $key");
}

# a change of one snapshot: 0 is created, -1 the terminal one

sub snapshots (@list) {
    while (my ($name, $re, $n, $change) = splice @list, 0, 4) {
        my $e = copy(good());

        local $_ = $e->[$n]{response};
        $change->();
        reports(render($e), $re, $name);
    }
}

snapshots(
    'another object' => qr/object must be =response/, -1,
        sub { $_->{object} = 'chat.completion' },
    'a status of its own' => qr/status must be/, -1,
        sub { $_->{status} = 'done' },
    'a string as time' => qr/created_at must be int/, 0,
        sub { $_->{created_at} = '1767300000' },
    'a fraction as time' => qr/completed_at must be int/, -1,
        sub { $_->{completed_at} += 0.5 },
    'milliseconds before the epoch' => qr/is not a time/, 0,
        sub { $_->{created_at} = 12 },
    'completed before created' => qr/completed before it was created/, -1,
        sub { $_->{completed_at} = CREATED - 1 },
    'completed without a time' => qr/completed_at is null/, -1,
        sub { $_->{completed_at} = undef },
    'a time in created' => qr/completed_at with status in_progress/, 0,
        sub { $_->{completed_at} = CREATED },
    'an error in completed' => qr/error is set with status completed/, -1,
        sub { $_->{error} = { code => 'x', message => 'y' } },
    'details in completed' => qr/incomplete_details are set/, -1,
        sub { $_->{incomplete_details} = { reason => 'x' } },
    'another id' => qr/id is not that of the first/, -1,
        sub { $_->{id} = 'resp_8' },
    'another created_at' => qr/created_at is not that of the first/, -1,
        sub { $_->{created_at}++ },
    'other tools' => qr/tools is not that of the first/, -1,
        sub { $_->{tools} = [] },
    'another temperature' => qr/temperature is not that of the first/, -1,
        sub { $_->{temperature} = 1 },
    'an empty id' => qr/id is empty/, 0, sub { $_->{id} = '' },
    'a number as string' => qr/temperature must be num/, 0,
        sub { $_->{temperature} = '0.7' },
    'a bool as number' => qr/store must be bool/, 0, sub { $_->{store} = 0 },
    'instructions as a list' => qr/instructions must be str/, 0,
        sub { $_->{instructions} = [] },
    'a tool without strict' => qr/tools\[0\] has no strict/, 0,
        sub { delete $_->{tools}[0]{strict} },
    'a nested tool' => qr/tools\[0\] has no name/, 0,
        sub { $_->{tools}[0] = { type => 'function', function => {} } },
    'a null tool_choice' => qr/tool_choice must be/, 0,
        sub { $_->{tool_choice} = undef },
    'tool_choice any' => qr/tool_choice is "any"/, 0,
        sub { $_->{tool_choice} = 'any' },
    'allowed_tools without a mode' => qr/tool_choice has no mode/, 0,
        sub { $_->{tool_choice} = { type => 'allowed_tools', tools => [] } },
    'tool_choice of Chat' => qr/unknown key "function"/, 0,
        sub { $_->{tool_choice} = { type => 'function', function => {} } },
    'a text without a format' => qr/text has no format/, 0,
        sub { $_->{text} = {} },
    'a verbosity of its own' => qr/verbosity must be/, 0,
        sub { $_->{text}{verbosity} = 'loud' },
    'a format with its schema' => qr/schema must be null/, 0,
        sub { $_->{text}{format} = { type => 'json_schema', name => 'x',
                  description => undef, schema => {}, strict => json_true } },
    'a format with null strict' => qr/strict must be bool/, 0,
        sub { $_->{text}{format} = { type => 'json_schema', name => 'x',
                  description => undef, schema => undef,
                  strict => undef } },
    'a format of unknown type' => qr/no known type/, 0,
        sub { $_->{text}{format} = { type => 'xml' } },
    'empty reasoning' => qr/reasoning has no effort/, 0,
        sub { $_->{reasoning} = {} },
    'reasoning without a summary' => qr/reasoning has no summary/, 0,
        sub { $_->{reasoning} = { effort => 'low' } },
    'an unknown truncation' => qr/truncation must be/, 0,
        sub { $_->{truncation} = 'middle' },
    'an unknown key' => qr/unknown key "choices"/, 0,
        sub { $_->{choices} = [] },
    'usage without details' => qr/usage has no input_tokens_details/, -1,
        sub { delete $_->{usage}{input_tokens_details} },
    'usage with null details' => qr/output_tokens_details must be obj/, -1,
        sub { $_->{usage}{output_tokens_details} = undef },
    'usage with empty details' => qr/has no reasoning_tokens/, -1,
        sub { $_->{usage}{output_tokens_details} = {} },
    'usage of Chat' => qr/usage has no input_tokens\b/, -1,
        sub { $_->{usage} = { prompt_tokens => 1 } },
    'a null number in usage' => qr/total_tokens must be int/, -1,
        sub { $_->{usage}{total_tokens} = undef },
    'a negative number in usage' => qr/output_tokens is negative/, -1,
        sub { $_->{usage}{output_tokens} = -1 },
);


# ---- documents


sub document ($change = sub { }) {
    my $r = response('completed', output => [
        reasoning('rs_a', 'completed', []),
        message('msg_a', 'completed', output_text('Hello')),
        call('fc_a', 'call_a', 'tide', 'completed', '{}') ]);

    local $_ = $r;
    $change->();

    return json_encode($r);
}

my $d = check_response(document(), expect => 'completed');
ok($d->ok, 'a document') or diag join "\n", @{ $d->errors };
is($d->text, 'Hello', 'its text');
is($d->calls->[0]{name}, 'tide', 'its call');

sub document_reports ($name, $re, $change) {
    my $d = check_response(document($change));
    ok((grep { $_ =~ $re } @{ $d->errors }), "$name is reported")
        or diag "errors: ", explain $d->errors;
}

document_reports('an unfinished item', qr/is in progress/,
                 sub { $_->{output}[1]{status} = 'in_progress' });
document_reports('an unfinished response', qr/status is "in_progress"/,
                 sub { $_->{status} = 'in_progress' });
document_reports('an incomplete item', qr/incomplete in a completed/,
                 sub { $_->{output}[2]{status} = 'incomplete' });
document_reports('an id twice', qr/comes twice/,
                 sub { $_->{output}[1]{id} = 'fc_a' });
document_reports('a part of Chat', qr/is of type "content"/,
                 sub { $_->{output}[1]{content}[0]{type} = 'content' });
document_reports('content as a string', qr/content must be arr/,
                 sub { $_->{output}[1]{content} = 'Hello' });
document_reports('an item that is null', qr/is no object/,
                 sub { $_->{output}[0] = undef });
document_reports('raw reasoning in a summary', qr/a reasoning_text in/,
    sub { $_->{output}[0]{summary}
              = [ { type => 'reasoning_text', text => 'x' } ] });
document_reports('an unknown role', qr/role must be/,
                 sub { $_->{output}[1]{role} = 'tool' });
document_reports('no usage key', qr/response has no usage/,
                 sub { delete $_->{usage} });

{
    my $r = response('incomplete', output => [
        message('msg_a', 'incomplete', output_text('Hel')),
        call('fc_a', 'call_a', 'tide', 'completed', '{}') ]);
    my $d = check_response(json_encode($r));

    ok((grep { /but not the last/ } @{ $d->errors }),
       'an incomplete item before others is reported');
    ok(!check_response('{"id":')->ok, 'a cut document is reported');
    ok(!check_response('[]')->ok, 'a list is reported');
}

done_testing();
