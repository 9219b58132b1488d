package ORS::Adapter;

# Copyright (C) Open Responses contributors
#
# An nginx that translates, a model server behind it, and questions to both
# in the two ways a client can ask.
#
#     use ORS::Adapter;
#
#     my $a = ORS::Adapter->new(scripts => { hello => stream_script(...) },
#                               limits => { small => 'items=2' },
#                               conf => { other => 'a directive;' },
#                               target => { odd => 'one of its target;' },
#                               http => 'one of http {};');
#
#     my $sent = $a->sent('name', { input => 'hi' });    # the model's view
#     is_deeply($sent->{json}{messages}, [ ... ]);
#
#     my ($s, $d) = $a->answer('hello', 'name');  # checked, as ORS::Stream
#     is($s->text, 'Hello');                      # gives them
#     $a->fails('full', 'name', 429, code => 'rate_limit_exceeded');
#     $a->breaks('cut', 'name', 502, code => 'upstream_disconnected');
#
#     $a->finish;
#
# sent()     asks twice, plain and as a stream; both bodies must differ in
#            nothing else.  A text instead of a hash goes out as it is, the
#            fields of "stream" put in front of it.
# answer()   asks twice; each answer is checked, and both must have the same
#            output (ids apart), usage, status and reason.
# refuses()  a request that is a mistake: the same error in both ways, and
#            the model hears of none.
# fails()    an answer that fails before anything could be told: the same
#            error in both ways.
# breaks()   one that fails later: an error, or the events for it.
# ask()      asks once: ask($script, stream => 1, body => {...}).
#
# Options of all: body => { more fields }, at => '/small', headers; of the
# ones that are checked also flavor => 'openai', and of answers padded.

use v5.36;
use Exporter qw( import );
use Test::More ();
use ORS::HTTP qw( post_json http_start );
use ORS::JSON qw( json_decode json_encode json_true json_false );
use ORS::Model ();
use ORS::Nginx ();
use ORS::Stream qw( stream_ok response_ok error_ok );

our @EXPORT_OK = qw( nameless );


sub new ($class, %o) {
    my $model = ORS::Model->new(scripts => $o{scripts} // {});
    my $target = $o{target} // {};
    my %conf = (%{ $o{conf} // {} },
                map { $_ => "open_responses_limits $o{limits}{$_};" }
                    keys %{ $o{limits} // {} });

    $conf{$_} = ($conf{$_} // '') . " open_responses_target default /to/$_;"
        for keys %$target;

    my $locations = join '', map { <<"CONF" } sort keys %conf;
            location /$_/ {
                open_responses on;
                $conf{$_}
            }
CONF

    $locations .= join '', map { <<"CONF" } sort keys %$target;
            location = /to/$_ {
                internal;
                open_responses_dialect chat;
                $target->{$_}
                proxy_pass http://%%MODEL%%/v1/chat/completions;
            }
CONF

    my $http = $o{http} // '';

    my $nginx = ORS::Nginx->new(model => $model, conf => <<"CONF");
        $http
        open_responses_strict off;
        open_responses_flavor spec;
        open_responses_target default /to/model;

        client_max_body_size 40m;
        client_body_buffer_size 1m;

        server {
            listen 127.0.0.1:%%PORT_0%%;

            location /v1/ { open_responses on; }

$locations
            %%CHAT /to/model /v1/chat/completions%%
        }
CONF

    return bless { model => $model, nginx => $nginx->start }, $class;
}


sub model ($self) { $self->{model} }
sub nginx ($self) { $self->{nginx} }
sub port ($self) { $self->{nginx}->port }
sub finish ($self) { $self->{nginx}->finish }


sub ask ($self, $script, %o) {
    return post_json($self->_request($script, %o));
}


# the same, and the caller reads

sub start ($self, $script, %o) {
    my ($port, $path, $body, %rest) = $self->_request($script, %o);

    return http_start($port, 'POST', $path,
                      { 'Content-Type' => 'application/json',
                        %{ $rest{headers} } },
                      ref $body ? json_encode($body) : $body);
}


sub _request ($self, $script, %o) {
    my $stream = $o{stream} ? json_true : json_false;
    my $body = $o{body} // {};

    $body = ref $body
            ? { model => 'm', input => 'hi', stream => $stream, %$body }
            : $body =~ s/\A\{/'{"stream":' . json_encode($stream) . ','/er;

    return ($self->port, ($o{at} // '/v1') . '/responses', $body,
            timeout => $o{timeout},
            headers => { defined $script ? ('X-Script' => $script) : (),
                         %{ $o{headers} // {} } });
}


sub sent ($self, $name, $body, %o) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;

    my @check = map { $_ => $o{$_} } grep { exists $o{$_} } qw( flavor );

    stream_ok($self->ask(undef, %o, stream => 1, body => $body),
              "$name: stream", @check);

    my $stream = $self->model->last_request;

    response_ok($self->ask(undef, %o, stream => 0, body => $body), $name,
                @check);

    my $plain = $self->model->last_request;
    my $same = $stream->{body} =~ s/,"stream":true,"stream_options":
                                    \{"include_usage":true\}\}\z/}/xr;

    Test::More::is($same, $plain->{body}, "$name: the same body");
    Test::More::ok($plain->{json}, "$name: it is JSON");

    return $plain;
}


sub answer ($self, $script, $name, %o) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my %check = map { $_ => $o{$_} } grep { exists $o{$_} }
                qw( expect reason flavor padded );

    $check{expect} //= 'completed';

    my $s = stream_ok($self->ask($script, %o, stream => 1),
                      "$name: stream", %check);
    my $d = response_ok($self->ask($script, %o, stream => 0), $name, %check);

    Test::More::is_deeply(_essence($s->response), _essence($d->response),
                          "$name: the same");

    return ($s, $d);
}


sub refuses ($self, $name, $body, $param = '', %expect) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $count = $self->model->count;
    my @o = (body => $body, at => delete $expect{at});

    error_ok($self->ask(undef, @o, stream => $_), 400,
             $name . ($_ ? ': stream' : ''), type => 'invalid_request',
             param => $param, %expect) for 1, 0;

    Test::More::is($self->model->count, $count, "$name: not sent");
}


sub fails ($self, $script, $name, $status, %o) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my %expect = map { $_ => $o{$_} } grep { exists $o{$_} }
                 qw( type code param message );

    error_ok($self->ask($script, %o, stream => 1), $status, "$name: stream",
             %expect);

    return error_ok($self->ask($script, %o, stream => 0), $status, $name,
                    %expect);
}


sub breaks ($self, $script, $name, $status, %o) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $s = stream_ok($self->ask($script, %o, stream => 1), "$name: stream",
                      expect => 'failed', code => $o{code});
    my $told = $s->event('error') // {};
    my $e = error_ok($self->ask($script, %o, stream => 0), $status, $name,
                     code => $o{code});

    Test::More::is_deeply($told->{error}, $e, "$name: the same error");

    return ($s, $e);
}


# members on which both ways must agree

sub _essence ($r) {
    return {
        output => nameless($r->{output}), usage => $r->{usage},
        status => $r->{status}, reason => $r->{incomplete_details},
    };
}


# items without what is made up for each request

sub nameless ($items) {
    return [ map {
        my %item = %$_;

        $item{id} =~ s/\A(msg|fc|ctc|tsc|rs)_\w{8,}\z/$1/;
        $item{encrypted_content} =~ s/\Aors1[\w-]{43,}\z/sealed/
            if defined $item{encrypted_content};
        $item{call_id} =~ s/\Acall_\w{20,}\z/call/ if defined $item{call_id};
        \%item;
    } @{ $items // [] } ];
}


1;
