#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The rules of the translation, by their numbers: the cases of t/data/edges,
# each asked for as a stream and at once, with the model server's answer in
# single bytes.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Adapter qw( nameless );
use ORS::Edge qw( edges digest events canonical );
use ORS::JSON qw( json_decode );
use ORS::Stream qw( error_ok response_ok stream_ok );

# not those of conversations and of hosted tools

my @rules = map { "E$_" } 1 .. 13, 19 .. 26, 28 .. 65;

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


for my $case (@edges) {
    $case->{place} = place($case);

    $scripts{"$case->{name}, bytes"} = script($case, 'text/event-stream',
                                              $case->{bytes})
        if defined $case->{bytes};
    $scripts{"$case->{name}, document"} = script($case, 'application/json',
                                                 $case->{document})
        if defined $case->{document};
}

my $a = ORS::Adapter->new(scripts => \%scripts, conf => \%gateway,
                          target => \%target);


sub ask ($case, $stream, $script = undef) {
    return $a->ask($script, stream => $stream, at => "/$case->{place}",
                   headers => { defined $case->{client}
                                ? split /: /, $case->{client}, 2 : () },
                   body => ($case->{request} // '{"input":"hi"}')
                           =~ s/\A\s*\{/{"model":"m",/r);
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


# what it answers does not matter

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


for my $case (@edges) {
    my @forms = grep { defined $case->{$_} } qw( bytes document );

    @forms ? map({ answer($case, $_) } @forms)
           : defined $case->{refused} ? refused($case) : request($case);
}

my %covered = map { $_->{rule} => 1 } @edges;

note('covered: ', join ' ', grep { $covered{$_} } @rules);
is(join(' ', grep { !$covered{$_} } @rules), '', 'each rule has a case');

$a->finish;

done_testing();
