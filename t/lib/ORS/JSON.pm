package ORS::JSON;

# Copyright (C) Open Responses contributors
#
# A strict JSON reader for the tests, and a writer with sorted keys.
#
# JSON::PP would do, but for three things the tests must see: a key that
# comes twice, invalid UTF-8, and whether a value was a number or a string
# (JSON::PP turns a long integer into a string).  It is also several times
# faster, which counts for streams of many thousand events.
#
#     use ORS::JSON qw( json_decode json_encode json_error is_num is_str );
#
#     my $v = json_decode($bytes);            # dies with a text
#     my $v = json_decode($bytes, dup => 1);  # a key may come twice
#     my $e = json_error($bytes);             # undef, or what is wrong
#     my $s = json_encode($data);             # UTF-8 bytes, sorted keys
#
# Objects and arrays are plain references, strings plain strings of
# characters, numbers Perl numbers (is_num() tells them apart), true and
# false are JSON::PP's, null is undef.  A lone surrogate escape is kept as
# the surrogate's code point; same_text() joins halves.

use v5.36;
use Exporter qw( import );
use JSON::PP ();

no warnings qw( experimental::builtin surrogate nonchar );

our @EXPORT_OK = qw(
    json_decode json_encode json_error is_num is_int is_str is_bool
    same_text same_value join_surrogates json_true json_false
);

use constant MAX_DEPTH => 1000;

my %ESC = ('"' => '"', '\\' => '\\', '/' => '/', b => "\b", f => "\f",
           n => "\n", r => "\r", t => "\t");

my $WRITER = JSON::PP->new->utf8->canonical->allow_nonref->allow_blessed;

my ($DEPTH, $DUP);


sub json_true () { JSON::PP::true }
sub json_false () { JSON::PP::false }


sub json_encode ($data) {
    return $WRITER->encode($data);
}


sub json_error ($bytes, %opt) {
    return eval { json_decode($bytes, %opt); 1 } ? undef : $@ =~ s/\n\z//r;
}


sub json_decode ($bytes, %opt) {
    my $text = $bytes;

    die "not bytes\n" if $text =~ /[^\x00-\xff]/;
    die "invalid UTF-8\n" if !utf8::decode($text);
    die "invalid UTF-8 (surrogate or beyond U+10FFFF)\n"
        if $text =~ /[\x{d800}-\x{dfff}]|[^\x{0}-\x{10ffff}]/;

    ($DEPTH, $DUP) = (0, $opt{dup});

    my $value = _value(\$text);

    $text =~ /\G[ \t\n\r]*/gc;
    _fail(\$text, 'text after the value') if pos $text < length $text;

    return $value;
}


sub is_num ($v) {
    return defined $v && !ref $v && builtin::created_as_number($v);
}


sub is_int ($v) {
    return is_num($v) && abs($v) < 9.3e18 && $v == int($v);
}


sub is_str ($v) {
    return defined $v && !ref $v && !builtin::created_as_number($v);
}


sub is_bool ($v) {
    return ref $v && JSON::PP::is_bool($v);
}


sub join_surrogates ($s) {
    $s =~ s{ ([\x{d800}-\x{dbff}]) ([\x{dc00}-\x{dfff}]) }
           { chr(0x10000 + ((ord($1) - 0xd800) << 10) + ord($2) - 0xdc00) }gex
        if $s =~ /[\x{d800}-\x{dbff}]/;
    return $s;
}


sub same_text ($x, $y) {
    return 1 if $x eq $y;
    return join_surrogates($x) eq join_surrogates($y);
}


# deep equality with types

sub same_value ($x, $y) {
    return !defined $x && !defined $y if !defined $x || !defined $y;
    return 0 if ref $x ne ref $y;

    if (ref $x eq 'HASH') {
        return 0 if keys %$x != keys %$y;

        for my $k (keys %$x) {
            return 0 if !exists $y->{$k} || !same_value($x->{$k}, $y->{$k});
        }

        return 1;
    }

    if (ref $x eq 'ARRAY') {
        return 0 if @$x != @$y;

        for my $i (0 .. $#$x) {
            return 0 if !same_value($x->[$i], $y->[$i]);
        }

        return 1;
    }

    return !!$x == !!$y if is_bool($x);
    return 0 if is_num($x) != is_num($y);
    return is_num($x) ? $x == $y : same_text($x, $y);
}


sub _fail ($t, $what) {
    my $at = pos $$t // 0;
    my $near = substr $$t, $at, 20;
    utf8::encode($near);
    die "$what at character $at, near '$near'\n";
}


sub _value ($t) {
    $$t =~ /\G[ \t\n\r]*/gc;

    return _string($t) if $$t =~ /\G"/gc;
    return _object($t) if $$t =~ /\G\{/gc;
    return _array($t) if $$t =~ /\G\[/gc;

    return 0 + $1 if $$t =~ /\G ( -? (?: 0 | [1-9][0-9]*+ )
                                (?: \.[0-9]++ )? (?: [eE][-+]?[0-9]++ )? )
                             (?! [0-9.eE+-] )/gcx;

    if ($$t =~ /\G(true|false|null)\b/gc) {
        return $1 eq 'null' ? undef
               : $1 eq 'true' ? JSON::PP::true : JSON::PP::false;
    }

    _fail($t, 'no value');
}


sub _string ($t) {
    my $out = '';

    while (1) {
        $$t =~ /\G([^"\\\x00-\x1f]*+)/gc;
        $out .= $1;

        return $out if $$t =~ /\G"/gc;

        if ($$t =~ /\G\\(["\\\/bfnrt])/gc) {
            $out .= $ESC{$1};

        } elsif ($$t =~ /\G\\u([0-9A-Fa-f]{4})/gc) {
            my $u = hex $1;

            if ($u >= 0xd800 && $u < 0xdc00
                && $$t =~ /\G\\u([dD][c-fC-F][0-9A-Fa-f]{2})/gc)
            {
                $u = 0x10000 + (($u - 0xd800) << 10) + hex($1) - 0xdc00;
            }

            $out .= chr $u;

        } else {
            _fail($t, 'bad string');
        }
    }
}


sub _object ($t) {
    my %o;

    _fail($t, 'too deep') if ++$DEPTH > MAX_DEPTH;

    if ($$t !~ /\G[ \t\n\r]*\}/gc) {
        while (1) {
            $$t =~ /\G[ \t\n\r]*"/gc or _fail($t, 'no key');
            my $k = _string($t);

            _fail($t, "key \"$k\" comes twice") if exists $o{$k} && !$DUP;

            $$t =~ /\G[ \t\n\r]*:/gc or _fail($t, 'no colon');
            $o{$k} = _value($t);

            next if $$t =~ /\G[ \t\n\r]*,/gc;
            last if $$t =~ /\G[ \t\n\r]*\}/gc;
            _fail($t, 'no comma or brace');
        }
    }

    $DEPTH--;
    return \%o;
}


sub _array ($t) {
    my @a;

    _fail($t, 'too deep') if ++$DEPTH > MAX_DEPTH;

    if ($$t !~ /\G[ \t\n\r]*\]/gc) {
        while (1) {
            push @a, _value($t);

            next if $$t =~ /\G[ \t\n\r]*,/gc;
            last if $$t =~ /\G[ \t\n\r]*\]/gc;
            _fail($t, 'no comma or bracket');
        }
    }

    $DEPTH--;
    return \@a;
}


1;
