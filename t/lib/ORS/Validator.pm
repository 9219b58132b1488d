package ORS::Validator;

# Copyright (C) Open Responses contributors
#
# An nginx that validators, a server behind it that answers what a table says,
# and what must become of each answer.
#
#     use ORS::Validator;
#
#     my $g = ORS::Validator->new(
#         locations => { mask => 'open_responses_upstream_errors mask;' },
#         rows => [
#             [ 'a good answer', { body => $json }, same => 1 ],
#             [ 'cut', { body => $json, cut => 9 }, refused => qr/ended/ ],
#             [ 'no usage', { body => $other },
#               repaired => sub ($d) { is($d->usage, undef, 'null') } ],
#             [ 'a bad key', { status => 401, body => $error, at => 'mask' },
#               error => [ 502, code => 'server_error' ] ],
#         ]);
#
#     $g->run;                  # each row as it is validated
#     $g->report;               # each row where that is only reported
#     $g->finish;
#
# The answer of a row: body (text), type (of JSON, or of an event stream if
# the body looks like one), status, headers (list of pairs), cut (bytes of the
# body, then the end of the connection), split (bytes that go out at a time).
# The question: at (location, else v1), path (else responses), ask (more of
# the request's fields), stream (0 or 1, else as the answer is).
#
# Outcomes:
#     same => 1             byte for byte
#     repaired => sub ($d)    a document, or a stream, in which the checker
#                           finds nothing wrong; $d is what it gives
#     body => text or qr//  this, where no checker is made for it
#     error => [ status, %expect ]        as of error_ok()
#     refused => qr/why/    502, nothing of it in the answer, "why" in the log
#     ended => qr/why/      a stream that begins, and ends with "error",
#                           "response.failed" and [DONE], one of chunks with
#                           an error and [DONE]; "why" in the log
# With refused and ended, code => name, if not invalid_upstream_answer.  Keys
# of %opt of the checker are passed on to it with check => { ... }.
#
# Also of new(): scripts (more of the model's), conf (more of the server).
#
# A location NAME has a twin NAME-report.  Where an answer would have been
# refused, report() wants a line in the log that says so, and no such line
# elsewhere.  SECRET is in the answers and must not come to the log.

use v5.36;
use Exporter qw( import );
use Test::More ();
use ORS::HTTP qw( get post_json question );
use ORS::JSON qw( json_decode json_encode json_true );
use ORS::Model ();
use ORS::Nginx ();
use ORS::Sample qw( message output_text response );
use ORS::Stream qw( error_ok response_ok stream_ok );
use ORS::Util qw( wait_for );

use constant SECRET => 'magpie';

our @EXPORT = qw( SECRET document );


# a good response, and changes of it

sub document (%o) {
    return response('completed', model => 'parrot-1',
                    output => [ message('msg_1', 'completed',
                                        output_text(SECRET)) ], %o);
}


sub new ($class, %o) {
    my @rows = @{ $o{rows} // [] };
    my %at = (v1 => '', %{ $o{locations} // {} });
    my $n = 0;
    my %scripts = map { ('row-' . $n++ => _script($_->[1])) } @rows;

    my $model = ORS::Model->new(scripts => { %scripts,
                                             %{ $o{scripts} // {} } });

    my $conf = join '', map { _location($_, 'on', $at{$_}),
                              _location("$_-report", 'on report', $at{$_}) }
                        sort keys %at;

    my $nginx = ORS::Nginx->new(model => $model, conf => <<"CONF");
        open_responses_flavor spec;

        proxy_http_version 1.1;
        proxy_set_header Connection "";

        server {
            listen 127.0.0.1:%%PORT_0%%;
            $conf
            @{[ $o{conf} // '' ]}
        }
CONF

    return bless { model => $model, nginx => $nginx->start, rows => \@rows },
                 $class;
}


sub _location ($name, $mode, $more) {
    return <<"CONF";
            location /$name/ {
                open_responses_validate $mode;
                $more
                proxy_pass http://%%MODEL%%/v1/;
            }
CONF
}


sub nginx ($self) { $self->{nginx} }
sub model ($self) { $self->{model} }
sub port ($self) { $self->{nginx}->port }


sub _is_stream ($a) {
    return ($a->{type} // '') eq 'text/event-stream'
           || !defined $a->{type}
              && $a->{body} =~ /\A(?:\xef\xbb\xbf)?(?:data|event|id|:)/;
}


sub _script ($a) {
    my $body = $a->{body};
    my $stream = _is_stream($a);
    my $none = ($a->{status} // 200) == 204;
    my $cut = $a->{cut};

    # a chunk's head is in front of the body
    $cut += length sprintf "%x\r\n", length $body if defined $cut && $stream;

    return [
        [ status => $a->{status} // 200 ],
        $none ? () : [ header => 'Content-Type', $a->{type}
                       // ($stream ? 'text/event-stream'
                                   : 'application/json') ],
        (map { [ header => @$_ ] } @{ $a->{headers} // [] }),
        [ framing => $stream ? 'chunked' : 'length' ],
        $stream || $none ? () : [ header => 'Content-Length', length $body ],
        [ 'head' ],
        $a->{split} ? [ split => $a->{split} ] : (),
        defined $cut ? [ cut_at => $cut ] : (),
        [ raw => $body ],
    ];
}


# asks the question of a row; "at" is a location

sub _ask ($self, $n, $at) {
    my $a = $self->{rows}[$n][1];
    my $path = $a->{path} // 'responses';
    my %headers = ('X-Script' => "row-$n");

    return get($self->port, "/$at/$path", headers => \%headers)
        if $path eq 'models';

    my @stream = ($a->{stream} // _is_stream($a)) ? (stream => json_true) : ();

    return post_json($self->port, "/$at/$path",
                     question($path, 'parrot-1', @stream,
                              %{ $a->{ask} // {} }), headers => \%headers);
}


# ---- as they are validated


sub run ($self) {
    for my $n (0 .. $#{ $self->{rows} }) {
        my ($name, $a, %o) = @{ $self->{rows}[$n] };
        my $mark = $self->{nginx}->log_mark;
        my $r = $self->_ask($n, $a->{at} // 'v1');
        my ($kind) = grep { exists $o{$_} }
                     qw( same repaired body error refused ended )
            or die "\"$name\" has no outcome\n";
        my $call = "_$kind";

        $self->$call($name, $r, $a, \%o);

        if (my $why = $o{refused} // $o{ended}) {
            Test::More::ok($self->_logged($mark, qr/answer\ refused:.*$why/x),
                           "$name: the log says why")
                or Test::More::diag($self->{nginx}->log_since($mark));
        }
    }
}


sub _logged ($self, $mark, $re) {
    return wait_for(sub { $self->{nginx}->log_since($mark) =~ $re });
}


sub _same ($self, $name, $r, $a, $o) {
    Test::More::is($r->{status}, $a->{status} // 200, "$name: status");
    Test::More::is($r->{body}, $a->{body}, "$name: byte for byte");
}


sub _body ($self, $name, $r, $a, $o) {
    my $say = ref $o->{body} ? \&Test::More::like : \&Test::More::is;

    Test::More::is($r->{status}, $a->{status} // 200, "$name: status");
    $say->($r->{body}, $o->{body}, "$name: what the client sees");
}


sub _repaired ($self, $name, $r, $a, $o) {
    my $check = _is_stream($a) ? \&stream_ok : \&response_ok;
    my $d = $check->($r, "$name: repaired", %{ $o->{check} // {} });

    $o->{repaired}->($d) if ref $o->{repaired};
}


sub _error ($self, $name, $r, $a, $o) {
    my ($status, %expect) = @{ $o->{error} };

    error_ok($r, $status, $name, %expect);
}


sub _refused ($self, $name, $r, $a, $o) {
    error_ok($r, 502, "$name: refused",
             code => $o->{code} // 'invalid_upstream_answer');
    Test::More::unlike($r->{body}, qr/${\SECRET}/, "$name: nothing of it");
}


sub _ended ($self, $name, $r, $a, $o) {
    return $self->_ended_chunks($name, $r, $o)
        if ($a->{path} // 'responses') ne 'responses';

    my $s = stream_ok($r, "$name: ended", expect => 'failed',
                      code => $o->{code} // 'invalid_upstream_answer',
                      %{ $o->{check} // {} });

    Test::More::is(join(' ', ($s->types)[-2, -1]), 'error response.failed',
                   "$name: by two events");
}


sub _ended_chunks ($self, $name, $r, $o) {
    my ($last, $done) = (split /\n\n/, $r->{body})[-2, -1];
    my $error = eval { json_decode($last =~ s/\Adata: //r) };

    Test::More::is($done, 'data: [DONE]', "$name: ended");
    Test::More::is(join(' ', sort keys %{ $error->{error} }),
                   'code message param type', "$name: by an error");
    Test::More::is($error->{error}{code},
                   $o->{code} // 'invalid_upstream_answer', "$name: its code");
}


# ---- as they are reported


sub report ($self) {
    for my $n (0 .. $#{ $self->{rows} }) {
        my ($name, $a, %o) = @{ $self->{rows}[$n] };
        my $mark = $self->{nginx}->log_mark;
        my $r = $self->_ask($n, ($a->{at} // 'v1') . '-report');
        my $why = $o{refused} // $o{ended};

        Test::More::is($r->{status}, $a->{status} // 200,
                       "report, $name: status");
        Test::More::is($r->{body}, substr($a->{body}, 0, $a->{cut}
                                                    // length $a->{body}),
                       "report, $name: byte for byte");

        if ($why) {
            Test::More::ok($self->_logged($mark,
                           qr/answer\ would\ be\ refused:.*$why/x),
                           "report, $name: it is told")
                or Test::More::diag($self->{nginx}->log_since($mark));

        } else {
            Test::More::unlike($self->{nginx}->log_since($mark),
                               qr/would be refused/,
                               "report, $name: there is nothing to tell");
        }
    }
}


# the message of a server's error has a line of its own

sub finish ($self) {
    my $secret = SECRET;
    my @lines = grep { !/ model server says: (?:body\.input: )?$secret while / }
                split /^/, $self->{nginx}->error_log;

    Test::More::unlike(join('', @lines), qr/$secret/,
                       'nothing of the answers is in the log');
    $self->{nginx}->finish;
}


1;
