#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# How "make run" shows JSON on a terminal: in lines, in colours, and all of it.

use v5.36;
use File::Temp ();
use Test::More;
use lib 't/lib';
use ORS::Nginx;
use ORS::Util qw( slurp spew );

my $script = "$ORS::Nginx::ROOT/t/make/json.pl";
my $dir = File::Temp->newdir;


sub shown ($text) {
    spew("$dir/in", $text);

    my $out = `perl $script <$dir/in`;

    return $out;
}


sub bare ($text) {
    return $text =~ s/\e\[\d+m//gr;
}


is(bare(shown('{"a":[1,{"b":"x, {y}: \"z\""}],"c":{},"d":[],"e":null}')),
   <<'END' =~ s/\n\z//r, 'a member a line');
{
  "a": [
    1,
    {
      "b": "x, {y}: \"z\""
    }
  ],
  "c": {},
  "d": [],
  "e": null
}
END

like(shown('{"a":"b"}'), qr/\e\[34m"a"\e\[0m: \e\[32m"b"\e\[0m/,
     'keys and strings have colours');
is(bare(shown('"output":[{"a":-1.5e3}]')),
   "\"output\": [\n  {\n    \"a\": -1.5e3\n  }\n]", 'a part of a document');
is(shown("You said: {x}\n"), "You said: {x}\n", 'text is text');
is(shown(''), '', 'nothing is nothing');

{
    my $text = slurp("$ORS::Nginx::ROOT/docs/grafana.json");

    is(bare(shown($text)) =~ s/\s+//gr, $text =~ s/\s+//gr,
       'nothing is left out');
}

done_testing();
