package ORS::Loop;

# Copyright (C) Open Responses contributors
#
# A model that calls tools in rounds: what it says depends on nothing but the
# calls that are in the conversation already, so that it can be asked again.
#
#     use ORS::Loop qw( plan call messages outputs );
#
#     my $model = ORS::Model->new(scripts => { default => plan(
#         weather => [ { tool_calls => [ call('get_weather', n => 1) ] },
#                      'It rains' ],
#     ) });
#
#     post_json($port, '/v1/responses', { model => 'weather', input => 'hi' });
#     messages(($model->requests)[1]);    # 'user hi', 'call get_weather', ...
#     outputs(($model->requests)[1]);     # texts of the tools
#
# plan()      a script: a list of rounds for each model, a text or the options
#             of chat_reply(), or steps, or code; the last one is repeated.
#             A round is counted for each message with calls after the last
#             user's.
# call()      a call of a function: name, arguments; its id is the name, or
#             what stands after a "#" in it.
# messages()  the messages of a recorded request in short.

use v5.36;
use Exporter qw( import );
use ORS::JSON qw( json_decode json_encode );
use ORS::Model qw( chat_reply json_script stream_script );

our @EXPORT_OK = qw( plan call messages outputs );


sub plan (%plan) {
    return sub ($conn, $r) {
        my $asked = json_decode($r->{body});
        my $rounds = $plan{$asked->{model}} // [ 'Hello' ];
        my $n = 0;

        for my $m (@{ $asked->{messages} }) {
            $n = 0 if $m->{role} eq 'user';
            $n++ if $m->{tool_calls};
        }

        my $round = $rounds->[$n] // $rounds->[-1];

        return $round->($conn, $r) if ref $round eq 'CODE';
        return $conn->_play($round, 0) if ref $round eq 'ARRAY';

        my %o = ref $round ? %$round : (text => $round);

        return $conn->_play(stream_script(%o), 0) if $asked->{stream};

        $o{content} = delete $o{text};
        $conn->_play(json_script(chat_reply(%o)), 0);
    };
}


sub call ($name, %arguments) {
    my ($function, $id) = split /#/, $name;

    return { id => 'call_' . ($id // $function), name => $function,
             arguments => json_encode(\%arguments) };
}


sub messages ($r) {
    return map {
        my $m = $_;

        $m->{tool_calls}
            ? map({ "call $_->{function}{name} $_->{function}{arguments}" }
                  @{ $m->{tool_calls} })
            : $m->{role} . ' ' . ($m->{content} // '');
    } @{ $r->{json}{messages} };
}


sub outputs ($r) {
    return map { $_->{content} }
           grep { $_->{role} eq 'tool' } @{ $r->{json}{messages} };
}

1;
