package ORS::Fair;

# Copyright (C) Open Responses contributors
#
# Whether an answer is one that a client can live with, whatever went wrong
# behind it: a whole document, a stream with an end, an error of our shape, or
# a connection that was closed.
#
#     use ORS::Fair qw( unfair );
#
#     my $what = unfair($reply);      # undef: it is; else what is wrong
#
# A reply is one of ORS::HTTP or ORS::H2.

use v5.36;
use Exporter qw( import );
use ORS::JSON qw( json_decode );

our @EXPORT_OK = qw( unfair );


sub unfair ($r) {
    return 'no end' if $r->{timeout};
    return if !$r->{complete};                  # the connection was closed

    my $type = $r->{headers}{'content-type'} // '';
    my $body = $r->{body} // '';

    # nginx' own page, if it has no memory for more
    return if $r->{status} >= 500 && $type !~ /json|event-stream/;
    return if $r->{status} == 204;

    if ($type =~ /event-stream/) {
        return $body =~ /^data:\ ?\{.*"type":\s*
                         "response\.(?:completed|failed|incomplete)"/mx
               || $body =~ /^data: \[DONE\]/m
               ? undef : 'a stream without an end: ' . substr $body, -500;
    }

    my $json = eval { json_decode($body) };

    return "no JSON, status $r->{status}: " . substr $body, 0, 500
        if ref $json ne 'HASH';

    return "an error of another shape, status $r->{status}: "
           . substr $body, 0, 500
        if $r->{status} >= 400 && ref $json->{error} ne 'HASH';

    return;
}


1;
