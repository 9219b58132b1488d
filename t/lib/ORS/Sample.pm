package ORS::Sample;

# Copyright (C) Open Responses contributors
#
# Good streams for the tests of the stream checker, and changes of them.
#
#     my $e = good();                       # reasoning, a text, two calls
#     of($e, 'output_text.delta')->{delta} = '';
#     drop($e, 'output_item.done', 1);      # the second one
#     my $bytes = render($e);
#
#     passes($bytes, 'label', %opt);        # %opt of check_stream()
#     reports($bytes, qr/an empty delta/, 'label', %opt);
#     defects(\&good, 'label' => qr/an empty delta/, sub ($e) { ... }, ...);
#
# A stream is a list of data objects, made by opened(), added(), done(),
# *_part(), call_events() and ended(); they count the output, finished() is
# what is done.  Numbers are given by render().

use v5.36;
use Exporter qw( import );
use Test::More ();
use ORS::JSON qw( json_decode json_encode json_true json_false );
use ORS::Stream qw( check_stream );

use constant CREATED => 1767300000;

our @EXPORT = qw(
    CREATED response output_text message call reasoning
    ev opened added done ended finished output_index
    text_part refusal_part reasoning_part summary_part call_events
    output_events step good failed incomplete annotated hosted tools
    frame render copy of at drop double move
    passes reports reported defects
);

my ($T, $F) = (json_true, json_false);
my ($OUT, @ITEMS);
my $reported = 0;


# ---- objects


sub response ($status, %o) {
    return {
        id => 'resp_7', object => 'response', created_at => CREATED,
        completed_at => $status eq 'completed' ? CREATED + 2 : undef,
        status => $status,
        incomplete_details => $status eq 'incomplete'
            ? { reason => 'max_output_tokens' } : undef,
        model => 'parrot-1', previous_response_id => undef,
        instructions => 'Be brief.', output => [],
        error => $status eq 'failed'
            ? { code => 'upstream_closed', message => 'cut' } : undef,
        tools => [ { type => 'function', name => 'tide', description => undef,
                     parameters => { type => 'object' }, strict => $T } ],
        tool_choice => 'auto', truncation => 'disabled',
        parallel_tool_calls => $T, text => { format => { type => 'text' } },
        top_p => 1, presence_penalty => 0, frequency_penalty => 0,
        top_logprobs => 0, temperature => 0.7, reasoning => undef,
        usage => $status =~ /^(?:completed|incomplete)$/
            ? { input_tokens => 21, output_tokens => 9, total_tokens => 30,
                input_tokens_details => { cached_tokens => 0 },
                output_tokens_details => { reasoning_tokens => 4 } }
            : undef,
        max_output_tokens => undef, max_tool_calls => undef, store => $F,
        background => $F, service_tier => 'default', metadata => {},
        safety_identifier => undef, prompt_cache_key => undef, %o,
    };
}


sub output_text ($text, %o) {
    return { type => 'output_text', text => $text, annotations => [],
             logprobs => [], %o };
}

sub message ($id, $status, @content) {
    return { type => 'message', id => $id, status => $status,
             role => 'assistant', content => \@content };
}

sub call ($id, $call_id, $name, $status, $arguments) {
    return { type => 'function_call', id => $id, status => $status,
             call_id => $call_id, name => $name, arguments => $arguments };
}

sub reasoning ($id, $status, $summary, @content) {
    return { type => 'reasoning', id => $id, status => $status,
             summary => $summary, @content ? (content => \@content) : () };
}


# ---- events


sub ev ($type, %o) { return { type => "response.$type", %o } }

sub opened () {
    ($OUT, @ITEMS) = (-1);
    return (ev('created', response => response('in_progress')),
            ev('in_progress', response => response('in_progress')));
}

sub added ($item) {
    $OUT++;
    return ev('output_item.added', output_index => $OUT, item => $item);
}

sub done ($item) {
    push @ITEMS, $item;
    return ev('output_item.done', output_index => $OUT, item => $item);
}

sub finished () { return @ITEMS }

sub output_index ($n) { $OUT = $n }

# the events of one part: PREFIX of the part events, NAME of the text ones

sub part ($id, $list, $n, $prefix, $name, $empty, $full, @pieces) {
    my %at = (item_id => $id, output_index => $OUT, $list => $n);
    my $key = exists $full->{refusal} ? 'refusal' : 'text';
    my %lp = $name eq 'output_text' ? (logprobs => []) : ();

    return (ev("$prefix.added", %at, part => $empty),
            (map { ev("$name.delta", %at, delta => $_, %lp) } @pieces),
            ev("$name.done", %at, $key => $full->{$key}, %lp),
            ev("$prefix.done", %at, part => $full));
}

sub text_part ($id, $n, @pieces) {
    return part($id, 'content_index', $n, 'content_part', 'output_text',
                output_text(''), output_text(join '', @pieces), @pieces);
}

sub refusal_part ($id, $n, @pieces) {
    return part($id, 'content_index', $n, 'content_part', 'refusal',
                { type => 'refusal', refusal => '' },
                { type => 'refusal', refusal => join('', @pieces) },
                @pieces);
}

sub reasoning_part ($id, $n, @pieces) {
    return part($id, 'content_index', $n, 'content_part', 'reasoning',
                { type => 'reasoning_text', text => '' },
                { type => 'reasoning_text', text => join('', @pieces) },
                @pieces);
}

sub summary_part ($id, $n, @pieces) {
    return part($id, 'summary_index', $n, 'reasoning_summary_part',
                'reasoning_summary_text',
                { type => 'summary_text', text => '' },
                { type => 'summary_text', text => join('', @pieces) },
                @pieces);
}

sub call_events ($id, $call_id, $name, $status, @pieces) {
    my $all = join '', @pieces;
    my $added = added(call($id, $call_id, $name, 'in_progress', ''));
    my %at = (item_id => $id, output_index => $OUT);

    return ($added,
            (map { ev('function_call_arguments.delta', %at, delta => $_) }
             @pieces),
            ev('function_call_arguments.done', %at, arguments => $all),
            done(call($id, $call_id, $name, $status, $all)));
}

# of a tool that ran here

sub output_events ($id, $call_id, $output) {
    my %item = (type => 'function_call_output', id => $id,
                call_id => $call_id);

    return (added({ %item, status => 'in_progress', output => '' }),
            done({ %item, status => 'completed', output => $output }));
}

# a step of a hosted tool, or what it was given

sub step ($name, $id, %o) {
    return ev($name, item_id => $id, output_index => $OUT, %o);
}

sub ended ($status, @output) {
    return ev($status, response => response($status, output => [ @output ]));
}


# ---- streams



sub good () {
    return [
        opened(),
        added(reasoning('rs_a', 'in_progress', [])),
        reasoning_part('rs_a', 0, 'The tide ', 'table is needed.'),
        done(reasoning('rs_a', 'completed', [],
            { type => 'reasoning_text',
              text => 'The tide table is needed.' })),
        added(message('msg_a', 'in_progress')),
        text_part('msg_a', 0, 'Let me ', "look \x{1f30a}."),
        done(message('msg_a', 'completed',
                     output_text("Let me look \x{1f30a}."))),
        call_events('fc_a', 'call_a', 'tide', 'completed', '{"port":',
                    '"Vlissingen"}'),
        call_events('fc_b', 'call_b', 'tide', 'completed'),
        ended('completed', @ITEMS),
    ];
}

sub failed () {
    return [
        opened(),
        added(reasoning('rs_a', 'in_progress', [])),
        summary_part('rs_a', 0, 'Looked', ' up.'),
        summary_part('rs_a', 1, 'Then wrote.'),
        done(reasoning('rs_a', 'completed',
            [ { type => 'summary_text', text => 'Looked up.' },
              { type => 'summary_text', text => 'Then wrote.' } ])),
        added(message('msg_a', 'in_progress')),
        (text_part('msg_a', 0, 'High wa', 'ter'))[0, 1, 2],
        { type => 'error', error => { type => 'server_error',
          code => 'upstream_closed', message => 'cut', param => undef } },
        ended('failed', @ITEMS),
    ];
}

sub incomplete () {
    return [
        opened(),
        added(message('msg_a', 'in_progress')),
        text_part('msg_a', 0, 'First.'),
        refusal_part('msg_a', 1, 'I will', ' not.'),
        done(message('msg_a', 'completed', output_text('First.'),
                     { type => 'refusal', refusal => 'I will not.' })),
        call_events('fc_a', 'call_a', 'tide', 'incomplete', '{"por'),
        ended('incomplete', @ITEMS),
    ];
}

sub annotated () {
    my $note = { type => 'url_citation', url => 'http://t.example/',
                 title => 'Tides', start_index => 0, end_index => 3 };
    my $lp = { token => 'The', logprob => -0.25, bytes => [ 84, 104, 101 ],
               top_logprobs => [ { token => 'The', logprob => -0.25,
                                   bytes => [ 84, 104, 101 ] } ] };
    my @events = (opened(), added(message('msg_a', 'in_progress')),
                  text_part('msg_a', 0, 'The'));

    $events[4]{logprobs} = [ $lp ];
    $events[5]{logprobs} = [ $lp ];
    splice @events, 5, 0, ev('output_text.annotation.added',
        item_id => 'msg_a', output_index => 0, content_index => 0,
        annotation_index => 0, annotation => $note);

    my $part = output_text('The', annotations => [ $note ],
                           logprobs => [ $lp ]);

    $events[-1]{part} = $part;

    return [ @events, done(message('msg_a', 'completed', $part)),
             ended('completed', @ITEMS) ];
}

# two rounds: a tool that ran here, and what the model made of it

sub hosted () {
    return [
        opened(),
        call_events('fc_a', 'call_a', 'tide', 'completed', '{}'),
        output_events('fco_a', 'call_a', '{"high":"04:12"}'),
        added(message('msg_a', 'in_progress')),
        text_part('msg_a', 0, 'At four.'),
        done(message('msg_a', 'completed', output_text('At four.'))),
        ended('completed', @ITEMS),
    ];
}

# a list of an MCP server, a call of it, one that fails, and hosted types

sub tools () {
    my %list = (type => 'mcp_list_tools', id => 'mcpl_a',
                server_label => 'docs');
    my %call = (type => 'mcp_call', server_label => 'docs', name => 'a.b',
                approval_request_id => undef, error => undef,
                output => undef);
    my %web = (type => 'web_search_call', id => 'ws_a',
               action => { type => 'search', query => 'tide' });
    my %code = (type => 'code_interpreter_call', id => 'ci_a',
                container_id => 'cntr_a', outputs => undef);
    my %error = (type => 'http_error', code => 502, message => 'no');

    return [
        opened(),
        added({ %list, tools => [] }),
        step('mcp_list_tools.in_progress', 'mcpl_a'),
        step('mcp_list_tools.completed', 'mcpl_a'),
        done({ %list, tools => [ { name => 'a.b', input_schema => {} } ] }),
        added({ %call, id => 'mcp_a', status => 'in_progress',
                arguments => '' }),
        step('mcp_call.in_progress', 'mcp_a'),
        step('mcp_call_arguments.delta', 'mcp_a', delta => '{}'),
        step('mcp_call_arguments.done', 'mcp_a', arguments => '{}'),
        step('mcp_call.completed', 'mcp_a'),
        done({ %call, id => 'mcp_a', status => 'completed',
               arguments => '{}', output => 'x' }),
        added({ %call, id => 'mcp_b', status => 'in_progress',
                arguments => '' }),
        step('mcp_call.in_progress', 'mcp_b'),
        step('mcp_call_arguments.done', 'mcp_b', arguments => ''),
        step('mcp_call.failed', 'mcp_b'),
        done({ %call, id => 'mcp_b', status => 'failed', arguments => '',
               error => \%error }),
        added({ %web, status => 'in_progress' }),
        step('web_search_call.in_progress', 'ws_a'),
        step('web_search_call.searching', 'ws_a'),
        step('web_search_call.completed', 'ws_a'),
        done({ %web, status => 'completed' }),
        added({ %code, code => '', status => 'in_progress' }),
        step('code_interpreter_call.in_progress', 'ci_a'),
        step('code_interpreter_call_code.delta', 'ci_a', delta => '1+1'),
        step('code_interpreter_call_code.done', 'ci_a', code => '1+1'),
        step('code_interpreter_call.interpreting', 'ci_a'),
        step('code_interpreter_call.completed', 'ci_a'),
        done({ %code, code => '1+1', status => 'completed' }),
        ended('completed', @ITEMS),
    ];
}


sub frame ($data) {
    return "event: $data->{type}\ndata: " . json_encode($data) . "\n\n";
}


sub render ($events, %o) {
    my $n = 0;

    if (!$o{numbered}) {
        $_->{sequence_number} = $n++ for @$events;
    }

    return join '', (map { frame($_) } @$events), "data: [DONE]\n\n";
}


sub copy ($data) { return json_decode(json_encode($data)) }


# ---- changes


# finds the n-th event of a type

sub of ($e, $type, $n = 0) {
    my @found = grep { $_->{type} eq "response.$type" || $_->{type} eq $type }
                @$e;
    return $found[$n] // die "no $type\n";
}

sub at ($e, $type, $n = 0) {
    my $x = of($e, $type, $n);
    return (grep { $e->[$_] == $x } 0 .. $#$e)[0];
}

sub drop ($e, $type, $n = 0) { splice @$e, at($e, $type, $n), 1 }

sub double ($e, $type, $n = 0) {
    my $i = at($e, $type, $n);
    splice @$e, $i, 0, copy($e->[$i]);
}

# one event goes to the place of another

sub move ($e, $from, $to) {
    my ($i, $j) = (at($e, @$from), at($e, @$to));
    my ($x) = splice @$e, $i, 1;
    splice @$e, $j > $i ? $j - 1 : $j, 0, $x;
}


# ---- what the checker says


sub passes ($bytes, $name, %o) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $s = check_stream($bytes, %o);

    Test::More::ok($s->ok, $name)
        or Test::More::diag(join "\n", @{ $s->errors });

    return $s;
}


sub reports ($bytes, $re, $name, %o) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $s = check_stream($bytes, %o);
    my @errors = @{ $s->errors };

    $reported++;
    Test::More::ok((grep { $_ =~ $re } @errors), "$name is reported")
        or Test::More::diag('errors: ', Test::More::explain(\@errors));
}


sub reported () { return $reported }


# name, what is said of it, the change; each on a fresh copy

sub defects ($make, @list) {
    while (my ($name, $re, $change) = splice @list, 0, 3) {
        my $e = copy($make->());
        my $n = 0;

        $_->{sequence_number} = $n++ for @$e;

        my $before = render($e);

        # moved events are renumbered; a change that sets numbers keeps them
        my $keep = $change->($e) // '';
        my $after = render($e, numbered => $keep eq 'numbered');

        die "$name changes nothing\n" if $before eq $after;
        reports($after, $re, $name, $make == \&tools ? (flavor => 'openai')
                                                     : ());
    }
}


1;
