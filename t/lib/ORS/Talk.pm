package ORS::Talk;

# Copyright (C) Open Responses contributors
#
# A gateway with a store, several workers and an echo of a model behind it,
# and customers that talk to it.
#
#     use ORS::Talk;
#
#     my $talk = ORS::Talk->new(store => 'lmdb:%%TESTDIR%%/store',
#                               use => 'required', limits => 'turns=3',
#                               conf => 'more of the location;',
#                               http => 'more of http {};', workers => 4);
#
#     my $r = $talk->say('alice', 'hi');                   # the response
#     $r = $talk->say('alice', 'and?', after => $r);
#     $r = $talk->say('alice', 'and?', after => $r, stream => 1);
#     is_deeply($talk->heard, [ ... ]);       # messages, as the model got them
#     $talk->refused('bob', 'hi', after => $r, 400,
#                    code => 'previous_response_not_found');
#
# Each question goes over a connection of its own.  The model answers to
# "x" with "x!", unless "script" names what is in "scripts" of new().

use v5.36;
use Test::More ();
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_decode json_true json_false );
use ORS::Model qw( chat_reply json_script stream_script );
use ORS::Nginx ();
use ORS::Stream qw( stream_ok response_ok error_ok );


sub new ($class, %o) {
    my $model = ORS::Model->new(scripts => { default => \&_echo,
                                             %{ $o{scripts} // {} } });
    my $limits = $o{limits} ? "open_responses_limits $o{limits};" : '';
    my $http = $o{http} // '';
    my $conf = $o{conf} // '';
    my $use = $o{use} // '';

    my $nginx = ORS::Nginx->new(model => $model, workers => $o{workers} // 2,
                                main => $o{main} // '', conf => <<"CONF");
        open_responses_store main $o{store};
        open_responses_strict off;
        open_responses_flavor openai;
        $http

        server {
            listen 127.0.0.1:%%PORT_0%% reuseport;

            location /v1/ {
                open_responses on;
                open_responses_store main $use;
                open_responses_target default /to/model;
                $limits
                $conf
            }

            location = /to/model {
                internal;
                open_responses_dialect chat;
                proxy_pass http://%%MODEL%%/v1/chat/completions;
            }
        }
CONF

    return bless { model => $model, nginx => $nginx->start }, $class;
}


sub model ($self) { $self->{model} }
sub nginx ($self) { $self->{nginx} }
sub finish ($self) { $self->{nginx}->finish }


# messages of the model's last request

sub heard ($self) { $self->{model}->last_request->{json}{messages} }


# the reply as it came; options: after => response or id, stream, script,
# body => { more }

sub ask ($self, $who, $input, %o) {
    my $after = $o{after};

    $after = $after->{id} if ref $after;

    return post_json($self->{nginx}->port, '/v1/responses', {
        model => 'm',
        defined $input ? (input => $input) : (),
        stream => $o{stream} ? json_true : json_false,
        defined $after ? (previous_response_id => $after) : (),
        %{ $o{body} // {} },
    }, headers => { Authorization => "Bearer $who",
                    'X-Script' => $o{script} // 'default' },
       timeout => $o{timeout});
}


sub say ($self, $who, $input, %o) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $name = $o{name} // "$who is answered";
    my @check = (flavor => 'openai', expect => $o{expect} // 'completed');
    my $reply = $self->ask($who, $input, %o);

    return ($o{stream} ? stream_ok($reply, $name, @check)
                       : response_ok($reply, $name, @check))->response;
}


# an error, in both ways, and the model is not asked

sub refused ($self, $who, $input, $status, $name, %o) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my %expect = map { $_ => delete $o{$_} } grep { exists $o{$_} }
                 qw( type code param message );
    my $count = $self->{model}->count;
    my $error;

    $error = error_ok($self->ask($who, $input, %o, stream => $_), $status,
                      $name . ($_ ? ': stream' : ''), %expect) for 1, 0;

    Test::More::is($self->{model}->count, $count, "$name: not sent");

    return $error;
}


sub _echo ($conn, $request) {
    my $body = json_decode($request->{body});
    my $last = $body->{messages}[-1]{content} // q();
    my $text = (ref $last ? 'parts' : $last) . '!';

    $conn->_play($body->{stream}
                 ? stream_script(text => $text)
                 : json_script(chat_reply(content => $text)), 0);
}


1;
