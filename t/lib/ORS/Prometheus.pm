package ORS::Prometheus;

# Copyright (C) Open Responses contributors
#
# A strict reader of the text format of Prometheus, version 0.0.4.
#
#     use ORS::Prometheus qw( prometheus prometheus_errors );
#
#     my $m = prometheus($text);            # dies on the first error
#     $m->{families}{open_responses_turns_total}{type}    # counter
#     $m->{families}{...}{help}
#     $m->{value}{'open_responses_turns_total{delivery="stream",...}'}
#     $m->{series}            # list of [name, \%labels, value] in order
#     my @errors = prometheus_errors($text);              # none: it is good
#
# Keys of {value} have the labels sorted by name.  Errors are also what
# servers accept and tools complain of: a family without HELP or TYPE or with
# its samples in two places, a counter that does not end in _total, a series
# twice, a histogram whose buckets fall, or have no +Inf, or another count.

use v5.36;
use Exporter qw( import );

our @EXPORT_OK = qw( prometheus prometheus_errors );

my $NAME = qr/[a-zA-Z_:][a-zA-Z0-9_:]*/;
my $LABEL = qr/[a-zA-Z_][a-zA-Z0-9_]*/;
my $NUMBER = qr/[+-]?(?:\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|Inf)|NaN/;


sub prometheus ($text) {
    my $m = _read($text);

    die "prometheus: $m->{errors}[0]\n" if @{ $m->{errors} };
    return $m;
}


sub prometheus_errors ($text) {
    return @{ _read($text)->{errors} };
}


sub _read ($text) {
    my $m = { families => {}, value => {}, series => [], errors => [],
              last => '', n => 0 };

    _error($m, 'the last line does not end') if $text !~ /\n\z/;
    _error($m, 'no UTF-8') if !utf8::decode(my $copy = $text);

    for my $line (split /\n/, $text) {
        $m->{n}++;

        if ($line =~ /\A#/) {
            _comment($m, $line);

        } elsif ($line ne '') {
            _sample($m, $line);
        }
    }

    _family($m, $_) for sort keys %{ $m->{families} };

    return $m;
}


sub _error ($m, $what) {
    push @{ $m->{errors} }, "line $m->{n}: $what";
}


sub _comment ($m, $line) {
    my ($what, $name, $rest) = $line =~ /\A# (HELP|TYPE) ($NAME) (.+)\z/
        or return _error($m, "no HELP or TYPE: $line");
    my $family = $m->{families}{$name} //= { samples => [] };

    _error($m, "$what of $name twice") if defined $family->{lc $what};
    _error($m, "$what of $name after its samples") if @{ $family->{samples} };
    _error($m, "escape in HELP of $name")
        if $what eq 'HELP' && $rest =~ /\A(?:[^\\]|\\[\\n])*\\(?![\\n])/;
    _error($m, "type $rest of $name")
        if $what eq 'TYPE'
           && $rest !~ /\A(?:counter|gauge|histogram|summary|untyped)\z/;

    $family->{lc $what} = $rest;
    $m->{last} = $name;
}


sub _sample ($m, $line) {
    my ($name, $rest) = $line =~ /\A($NAME)(.*)\z/s
        or return _error($m, "no name: $line");
    my (%label, $n);

    if ($rest =~ s/\A\{//) {
        while ($rest =~ s/\A($LABEL)="((?:[^"\\]|\\[\\"n])*)"//) {
            _error($m, "label $1 twice in $name") if exists $label{$1};
            $label{$1} = $2;
            last if $rest !~ s/\A,(?=[a-zA-Z_])//;
        }

        return _error($m, "labels: $line") if $rest !~ s/\A\}//;
    }

    return _error($m, "no number: $line") if $rest !~ /\A ($NUMBER)\z/;
    $n = $1;

    my $of = _of($m, $name);
    my $key = _key($name, \%label);

    return _error($m, "$name has no TYPE") if !$of;
    _error($m, "$key twice") if exists $m->{value}{$key};
    _error($m, "$name apart from its family") if $m->{last} ne $of;

    $m->{last} = $of;
    $m->{value}{$key} = $n;

    push @{ $m->{series} }, [ $name, \%label, $n ];
    push @{ $m->{families}{$of}{samples} }, $m->{series}[-1];
}


sub _of ($m, $name) {
    my $base = $name =~ s/_(?:bucket|sum|count)\z//r;
    my $family = $m->{families}{$base};

    return $base if $base ne $name && $family
                    && ($family->{type} // '') =~ /\A(?:histogram|summary)\z/;
    return $m->{families}{$name} && $m->{families}{$name}{type} ? $name : undef;
}


sub _key ($name, $label) {
    return $name if !%$label;
    return "$name\{" . join(',', map { "$_=\"$label->{$_}\"" }
                                 sort keys %$label) . '}';
}


sub _family ($m, $name) {
    my $family = $m->{families}{$name};
    my $type = $family->{type} // '';

    _error($m, "$name has no HELP") if !defined $family->{help};
    _error($m, "$name has no TYPE") if $type eq '';
    _error($m, "counter $name without _total")
        if $type eq 'counter' && $name !~ /_total\z/;
    _error($m, "$name with _total is no counter")
        if $type ne 'counter' && $name =~ /_total\z/;

    if ($type eq 'counter') {
        for (@{ $family->{samples} }) {
            _error($m, "$name is $_->[2]") if $_->[2] !~ /\A\d/;
        }
    }

    _histogram($m, $name, $family) if $type eq 'histogram';
}


sub _histogram ($m, $name, $family) {
    my %of;

    for my $sample (@{ $family->{samples} }) {
        my %label = %{ $sample->[1] };
        my $le = delete $label{le};
        my $h = $of{_key('', \%label)} //= { le => [] };

        if ($sample->[0] eq "${name}_bucket") {
            push @{ $h->{le} }, [ $le // 'none', $sample->[2] ];

        } else {
            _error($m, "$sample->[0] has le") if defined $le;
            $h->{ $sample->[0] } = $sample->[2];
        }
    }

    for my $key (sort keys %of) {
        my @le = @{ $of{$key}{le} };
        my $count = $of{$key}{"${name}_count"};

        _error($m, "$name$key without +Inf") if !@le || $le[-1][0] ne '+Inf';
        _error($m, "$name$key without sum")
            if !defined $of{$key}{"${name}_sum"};
        _error($m, "$name$key: count is not that of +Inf")
            if !defined $count || !@le || $count != $le[-1][1];

        for my $i (1 .. $#le) {
            _error($m, "$name$key: bucket $le[$i][0] is out of order")
                if $le[$i][0] <= $le[$i - 1][0];
            _error($m, "$name$key: bucket $le[$i][0] falls")
                if $le[$i][1] < $le[$i - 1][1];
        }
    }
}


1;
