#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The rules of the translation and of conversations, by their numbers: the
# cases of t/data/edges, each asked for as a stream and at once, with the model
# server's answer in single bytes.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Adapter qw( nameless );
use ORS::Edge qw( edges digest events canonical );
use ORS::HTTP qw( get );
use ORS::JSON qw( json_decode );
use ORS::Stream qw( error_ok response_ok stream_ok );
use ORS::Util qw( wait_for );

my @rules = map { "E$_" } 1 .. 68;

my @edges = edges();
my (%places, %gateway, %target, %scripts);


# a location for all cases with the same directives

sub place ($case) {
    my $conf = ($case->{gateway} // '') . "\0" . ($case->{target} // '');
    my $place = $places{$conf} //= 'edge' . keys %places;

    $gateway{$place} = "$case->{gateway}" if defined $case->{gateway};
    $target{$place} = $case->{target} // '';

    return $place;
}


sub script ($case, $type, $body) {
    my @server = map { [ header => split /: /, $_, 2 ] }
                 grep { defined } $case->{server};

    return [ [ status => $case->{status} // 200 ],
             [ header => 'Content-Type', $case->{type} // $type ], @server,
             $type =~ /json/ ? ([ framing => 'length' ],
                                [ header => 'Content-Length',
                                  length($body) + !!$case->{cut} ])
                             : (),
             [ 'head' ], [ split => 1, 0 ], [ raw => $body ],
             $case->{cut} ? [ 'close' ] : () ];
}


# the model server's answers to the requests that come first

sub scripts_earlier ($case) {
    my @answers = split /\n/, $case->{model} // '';

    for my $n (0 .. $#answers) {
        my $name = "$case->{name}, earlier $n";

        if ($case->{leaves} && $n == $#answers) {
            $scripts{$name} = [ [ header => 'Content-Type',
                                  'text/event-stream' ], [ 'head' ],
                                map({ [ sse => $_ ] } split / /, $answers[$n]),
                                [ hang => "gone$case->{place}" ] ];

        } else {
            $scripts{$name} = script({ %$case, status => 200 },
                                     'application/json', $answers[$n]);
        }
    }
}


for my $case (@edges) {
    $case->{place} = place($case);

    scripts_earlier($case);

    $scripts{"$case->{name}, bytes"} = script($case, 'text/event-stream',
                                              $case->{bytes})
        if defined $case->{bytes};
    $scripts{"$case->{name}, document"} = script($case, 'application/json',
                                                 $case->{document})
        if defined $case->{document};
}

my $a = ORS::Adapter->new(scripts => \%scripts, conf => \%gateway,
                          target => \%target, http => <<'CONF');
    open_responses_store main lmdb:%%TESTDIR%%/store;
CONF


sub headers ($case) {
    return { defined $case->{client} ? split /: /, $case->{client}, 2 : () };
}


sub how ($case, $stream) {
    return (stream => $stream, at => "/$case->{place}",
            headers => headers($case),
            body => ($case->{request} // '{"input":"hi"}')
                    =~ s/\A\s*\{/{"model":"m",/r);
}


sub ask ($case, $stream, $script = undef) {
    return $a->ask($script, how($case, $stream));
}


# the case after its conversation: responses have their ids

sub follow ($case) {
    my @ids;

    for my $line (split /\n/, $case->{earlier}, -1) {
        my $n = @ids;
        my $script = "$case->{name}, earlier $n";
        my $first = named($case, $line, @ids);

        push @ids, $case->{leaves} && $line eq (split /\n/,
                                                $case->{earlier})[-1]
                   ? left($first, $script)
                   : json_decode(ask($first, 0, $scripts{$script}
                                                ? $script : undef)
                                 ->{body})->{id};
    }

    return named($case, $case->{request}, @ids);
}


sub named ($case, $request, @ids) {
    $request =~ s/("previous_response_id":)"(\d+)"/$1"$ids[$2 - 1]"/;

    return { %$case, request => $request };
}


# the client leaves a stream within a call, so that what is in front of the
# call is finished; the response is stored then, and can be continued

sub left ($case, $script) {
    my $h = $a->start($script, how($case, 1));

    $h->wait_body(qr/arguments\.delta/);

    my ($id) = $h->body =~ /"id":"(resp_\w+)"/;

    $h->close;

    ok($a->model->wait_file("gone$case->{place}"),
       "$case->{name}: the model's call ends");
    ok(wait_for(sub {
        get($a->port, "/$case->{place}/responses/$id",
            headers => headers($case))->{status} == 200;
    }), "$case->{name}: the response is stored");

    return $id;
}


# the answer as it is to be, however the client has asked for it

sub answered ($case, $r, $stream, $name) {
    my $expected = $stream && defined $case->{streamed}
                   ? $case->{streamed} : $case->{answer};
    my ($is, $s);

    if ($expected =~ /\A\d/) {
        my $e = error_ok($r, substr($expected, 0, 3), $name);

        $is = "$r->{status} " . ($e->{code} // 'null');

    } else {
        my @how = ($name, flavor => ($case->{gateway} // '') =~ /openai/
                                    ? 'openai' : 'spec');

        $s = $stream ? stream_ok($r, @how) : response_ok($r, @how);
        $is = digest($s->response // {});
        $is =~ s/\nusage.*// if $expected !~ /^usage/m;
    }

    is($is, $expected, "$name: answer");
    is_deeply({ map { $_ => $s->response->{$_} }
                keys %{ json_decode($case->{response}) } },
              json_decode($case->{response}), "$name: response")
        if $s && defined $case->{response};

    ok(index($r->{body}, $_) >= 0, "$name: says $_")
        for split /\n/, $case->{says} // '';
    ok(index($r->{body}, $_) < 0, "$name: hides $_")
        for split /\n/, $case->{hides} // '';

    return $s;
}


sub sent ($case, $stream, $name) {
    my $is = $a->model->last_request->{body};

    $is =~ s/,"stream":true,"stream_options":\{"include_usage":true\}\}\z/}/
        if $stream;
    is(canonical($is), canonical($case->{sent}), "$name: sent");
}


# the model server answers as the case says, in one form

sub answer ($case, $form) {
    my $name = "$case->{name}, $form";
    my @s;

    for my $stream (0, 1) {
        my $how = $name . ($stream ? ', stream' : ', at once');

        push @s, answered($case, ask($case, $stream, $name), $stream, $how);
        sent($case, $stream, $how) if defined $case->{sent};
    }

    is_deeply(nameless($s[1]->items), nameless($s[0]->items),
              "$name: the same items") if $s[0] && $s[1];
    is(events($s[1]), $case->{events}, "$name: events")
        if $s[1] && defined $case->{events} && $form eq 'bytes';
}


# the model server's answer does not matter

sub request ($case) {
    my $hello = { %$case, answer => "completed\nmessage text(Hello)" };

    for my $stream (0, 1) {
        my $name = $case->{name} . ($stream ? ', stream' : ', at once');

        answered($hello, ask($case, $stream), $stream, $name);
        sent($case, $stream, $name);
    }
}


sub refused ($case) {
    my $count = $a->model->count;
    my ($status, $code, $param) = split / /, $case->{refused};

    error_ok(ask($case, $_), $status, $case->{name}, code => $code,
             param => $param // '') for 0, 1;
    is($a->model->count, $count, "$case->{name}: not sent");
}


for my $edge (@edges) {
    my $case = defined $edge->{earlier} ? follow($edge) : $edge;
    my @forms = grep { defined $case->{$_} } qw( bytes document );

    @forms ? map({ answer($case, $_) } @forms)
           : defined $case->{refused} ? refused($case) : request($case);
}

my %covered = map { $_->{rule} => 1 } @edges;

note('covered: ', join ' ', grep { $covered{$_} } @rules);
is(join(' ', grep { !$covered{$_} } @rules), '', 'each rule has a case');

$a->finish;

done_testing();
