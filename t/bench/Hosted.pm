package Hosted;

# Copyright (C) Open Responses contributors
#
# Turns with rounds of a hosted tool, and the same calls one by one through
# plain proxy_pass.
#
#     Hosted::part($dir, $count);         # all rows, for bench.pl
#
#     my $model = Hosted::model();        # an ORS::Model, and the tool
#     ORS::Nginx->new(Hosted::conf($model));
#
#     my $file = Hosted::question($dir, $rounds, $stream);
#
#     # a turn of /v1/responses has been answered: its calls, to be made again
#     for my $call (Hosted::calls($model, $dir)) {
#         $call->{path}, $call->{body}    # of the location, a file
#     }

use v5.36;
use ORS::JSON qw( json_encode json_false json_true );
use ORS::Loop qw( plan call );
use ORS::Model qw( :all );
use ORS::Nginx ();
use ORS::Util qw( spew );

# texts of a conversation, an output and an answer
my $INPUT = 'Look at the weather, and say what to wear. ' x 200;
my $OUTPUT = 'Rain in the morning, later some sun. ' x 25;
my $ANSWER = 'Take a coat with you, and boots. ';


sub model () {
    my %plan;

    for my $rounds (0 .. 3) {
        $plan{"rounds-$rounds"} = [
            (map { { tool_calls => [ call("get_weather#$_", city => 'Oslo') ] }
            } 1 .. $rounds), { text => [ ($ANSWER) x 20 ] } ];
    }

    my $streamed = plan(%plan);

    $_->[-1] = $ANSWER x 20 for values %plan;

    my $whole = plan(%plan);

    return ORS::Model->new(scripts => {
        tool => [ [ header => 'Content-Type', 'text/plain' ],
                  [ raw => $OUTPUT ] ],
        default => sub ($conn, $r) {
            ($r->{body} =~ /"stream":true/ ? $streamed : $whole)->($conn, $r);
        },
    });
}


sub conf ($model) {
    return (model => $model, workers => 1, conf => <<'CONF');
        server {
            listen 127.0.0.1:%%PORT_0%%;

            client_body_buffer_size 1m;

            location /v1/ {
                open_responses on;
                open_responses_target default /to/model;
                open_responses_tool get_weather /to/tool;
            }

            location = /to/model {
                internal;
                open_responses_dialect chat;
                proxy_pass http://%%MODEL%%/chat;
            }

            location = /to/tool {
                internal;
                proxy_pass http://%%MODEL%%/script/tool;
            }

            location /plain/ {
                proxy_pass http://%%MODEL%%/;
            }
        }
CONF
}


# a function of a file: the name of what was written

sub question ($dir, $rounds, $stream) {
    my $file = "$dir/hosted-$rounds.json";

    spew($file, json_encode({
        model => "rounds-$rounds", input => $INPUT,
        stream => $stream ? json_true : json_false,
        tools => [ { type => 'function', name => 'get_weather',
                     strict => json_false, description => 'The weather',
                     parameters => { type => 'object', properties => {
                         city => { type => 'string' } } } } ] }));

    return $file;
}


sub calls ($model, $dir) {
    my $n = 0;

    return map {
        my $file = "$dir/hosted-call-" . $n++ . '.json';

        spew($file, $_->{body});
        { path => "/plain$_->{uri}", body => $file };
    } $model->requests;
}


# a turn that calls a tool in some rounds, and its calls one by one: processor
# time of the worker for one of them, the kernel's included

sub part ($dir, $n) {
    main::section('A turn with rounds of a hosted tool, microseconds');

    my $model = model();
    my $gateway = ORS::Nginx->new(conf($model))->start;

    _row($model, $gateway, $dir, $n, @$_)
        for map { my $n = $_; map { [ $n, $_ ] } 0, 1 } 0, 1, 3;

    $gateway->stop;
}


sub _row ($model, $gateway, $dir, $n, $rounds, $stream) {
    my %turn = (path => '/v1/responses',
                body => question($dir, $rounds, $stream));

    my $cost = sub ($count, %request) {
        my $r = main::load('closed', conns => 1, count => $count, %request,
                     port => $gateway->port,
                     worker => ($gateway->workers)[0]);

        return $r->{cpu} / ($r->{requests} || 1);
    };

    $model->forget;
    $cost->(1, %turn);

    my @calls = calls($model, $dir);

    if (@calls != 1 + 2 * $rounds) {
        die "hosted: $rounds rounds are " . @calls . " calls\n";
    }

    my ($plain, $ours) = main::rounds(sub ($side) {
        return $cost->($n, %turn) if $side eq 'adapter';

        my $sum = 0;

        $sum += $cost->($n, %$_) for @calls;
        return $sum;
    });

    my $ratio = main::median(map { $plain->[$_] / ($ours->[$_] || 1) }
                       0 .. $#$plain);

    main::row("$rounds rounds" . ($stream ? ', a stream' : ''),
        (map { sprintf '%.0f', main::median(@$_) / 1000 } $plain, $ours),
        sprintf('%.2f', $ratio), $rounds ? '>= 0.80' : '',
        $rounds ? $ratio >= 0.80 : undef);
}


1;
