package Bodies;

# Copyright (C) Open Responses contributors
#
# Requests as agents send them, of any size, always the same ones: the same
# conversation once for the Responses API and once for Chat Completions.
#
#     my ($responses, $chat) = Bodies::agent(100_000, stream => 1);
#
#     agent       instructions, tools with schemas, and a conversation of
#                 messages, function calls and their long outputs
#     image       one picture in a data URL
#     numbers     a tool whose schema lists numbers, in 4 MB as many values as
#                 the default limit allows

use v5.36;

use constant MODEL => 'meta-llama/Llama-3.3-70B-Instruct';

my ($seed, @lines);


sub agent ($size, %o) {
    $seed = $size;

    my $ntools = $size < 10_000 ? 1 : $size < 500_000 ? 12 : 30;
    my @tools = map { tool($_, $size < 10_000 ? 1 : 6) } 1 .. $ntools;
    my $instructions = text($size < 10_000 ? 150 : $size / 50);

    my ($input, $messages) = ([], []);
    my $length = length(join '', @tools) + length $instructions;

    # no call is left without its output: that is an error

    for (my $n = 0; $n == 0 || $n % 4 == 2 || $length < $size; $n++) {
        my ($item, $message) = item($n, $size);

        push @$input, $item;
        push @$messages, $message;
        $length += length $item;
    }

    return bodies($instructions, \@tools, $input, $messages, %o);
}


sub image ($size, %o) {
    $seed = $size;

    my $line = join '', map { ('A' .. 'Z', 'a' .. 'z', 0 .. 9, '+', '/')
                              [random(64)] } 1 .. 4096;
    my $url = 'data:image/png;base64,' . substr $line x ($size / 4096 + 1),
              0, $size & ~3;

    return bodies('Look.', [],
        [ qq({"type":"message","role":"user","content":[)
          . qq({"type":"input_text","text":"What is it?"},)
          . qq({"type":"input_image","detail":"auto","image_url":"$url"}]}) ],
        [ qq({"role":"user","content":[)
          . qq({"type":"text","text":"What is it?"},{"type":"image_url",)
          . qq("image_url":{"url":"$url","detail":"auto"}}]}) ], %o);
}


sub numbers ($size, %o) {
    my $list = join ',', map { sprintf '1%019d', $_ } 1 .. $size / 21 - 1000;
    my $tool = qq("name":"pick","description":"Picks.","parameters":)
               . qq({"type":"object","properties":{"n":{"type":"integer",)
               . qq("enum":[$list]}}});

    return bodies('Pick.', [ $tool ],
        [ '{"type":"message","role":"user","content":"One."}' ],
        [ '{"role":"user","content":"One."}' ], %o);
}


sub bodies ($instructions, $tools, $input, $messages, %o) {
    my $stream = $o{stream} ? '"stream":true,' : '';
    my $model = MODEL;
    my ($in, $out) = ('', '');

    if (@$tools) {
        $in = '"tools":[' . join(',', map { qq({"type":"function",$_}) }
                                 @$tools)
              . '],"tool_choice":"auto","parallel_tool_calls":true,';
        $out = '"tools":[' . join(',', map { qq({"type":"function",)
                                             . qq("function":{$_}}) } @$tools)
               . '],"tool_choice":"auto","parallel_tool_calls":true,';
    }

    return (qq({"model":"$model",$stream"store":false,)
            . qq("instructions":"$instructions",$in"input":[)
            . join(',', @$input) . '],"max_output_tokens":4096,'
            . '"temperature":0.7}',

            qq({"model":"$model",$stream)
            . ($stream ? '"stream_options":{"include_usage":true},' : '')
            . qq($out"messages":[{"role":"system","content":)
            . qq("$instructions"},) . join(',', @$messages)
            . '],"max_tokens":4096,"temperature":0.7}');
}


# an item of the input, and the message it corresponds to

sub item ($n, $size) {
    my $kind = $n % 4;
    my $id = sprintf '%08x', int($n / 4) * 7919;
    my $most = $size < 10_000 ? 300 : 6000;

    if ($kind == 0) {
        my $text = text(100 + random($most / 4));

        return (qq({"type":"message","role":"user","content":)
                . qq([{"type":"input_text","text":"$text"}]}),
                qq({"role":"user","content":"$text"}));
    }

    if ($kind == 1) {
        my $arguments = '{\"command\":[\"bash\",\"-lc\",\"sed -n '
                        . "$n,${n}9p src/main.c" . '\"],\"workdir\":'
                        . '\"/home/user/project\"}';

        return (qq({"type":"function_call","id":"fc_$id","call_id":)
                . qq("call_$id","name":"tool_1","arguments":"$arguments",)
                . qq("status":"completed"}),
                qq({"role":"assistant","content":null,"tool_calls":[{"id":)
                . qq("call_$id","type":"function","function":{"name":)
                . qq("tool_1","arguments":"$arguments"}}]}));
    }

    if ($kind == 2) {
        my $text = text(100 + random($most));

        return (qq({"type":"function_call_output","call_id":"call_$id",)
                . qq("output":"$text"}),
                qq({"role":"tool","tool_call_id":"call_$id","content":)
                . qq("$text"}));
    }

    my $text = text(100 + random($most / 3));

    return (qq({"type":"message","id":"msg_$id","role":"assistant",)
            . qq("status":"completed","content":[{"type":"output_text",)
            . qq("annotations":[],"text":"$text"}]}),
            qq({"role":"assistant","content":"$text"}));
}


sub tool ($n, $nfields) {
    my @fields = map {
        qq("field_$_":{"type":") . ($_ & 1 ? 'string' : 'integer')
        . '","description":"' . text(80) . '"}'
    } 1 .. $nfields;

    return qq("name":"tool_$n","description":") . text(20 + 40 * $nfields)
           . '","parameters":{"type":"object","properties":{'
           . join(',', @fields) . '},"required":["field_1"],'
           . '"additionalProperties":false}';
}


# words of a JSON string, with an escape each 30 to 60 bytes

sub text ($size) {
    my $text = '';

    if (!@lines) {
        for (1 .. 500) {
            my $line = '';

            for (1 .. 6 + random(5)) {
                $line .= join '', map { chr 97 + random(26) }
                                  1 .. 2 + random(7);
                $line .= ' ';
            }

            push @lines, $line . ('\n', '\n', '\n', '\"it\"', '\t', "\xc3\xa9",
                                  '\\\\', '\n\n')[random(8)];
        }
    }

    $text .= $lines[random(scalar @lines)] while length $text < $size;

    return $text;
}


sub random ($n) {
    $seed = ($seed * 1103515245 + 12345) & 0x7fffffff;
    return ($seed >> 8) % $n;
}


1;
