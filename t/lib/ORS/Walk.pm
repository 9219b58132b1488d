package ORS::Walk;

# Copyright (C) Open Responses contributors
#
# The tables of the protocol asked about documents, without a server.
#
#     use ORS::Walk qw( walk_file walk_verdict );
#
#     walk_file($documents, $verdicts);    # names of files; dies
#
# A line of the first file is a kind, a profile and JSON text, with tabs
# between them; "\x01N:text\x01" in it stands for N times that text.  Kinds
# and profiles are in t/diff/schema_walk.c.  To each there is one in the
# second file, in the same order:
#
#     my $v = walk_verdict($line);         # undef: valid
#     $v->{param} $v->{code} $v->{message}

use v5.36;
use Exporter qw( import );
use File::Basename qw( dirname );
use ORS::Nginx ();

our @EXPORT_OK = qw( walk_file walk_verdict );

my $MODULE = $ENV{TEST_NGINX_MODULE} // "$ORS::Nginx::ROOT/build/module";
my $UNIT = $ENV{TEST_UNIT_DIR} // dirname($MODULE) . '/unit';
my $PROGRAM = "$UNIT/schema_walk";


sub walk_file ($documents, $verdicts) {
    -x $PROGRAM or die "$PROGRAM is missing, run: make unit-tools\n";

    my $pid = fork // die "cannot fork: $!\n";

    if ($pid == 0) {
        open STDIN, '<', $documents or die "$documents: $!\n";
        open STDOUT, '>', $verdicts or die "$verdicts: $!\n";
        exec { $PROGRAM } $PROGRAM or die "$PROGRAM: $!\n";
    }

    waitpid $pid, 0;
    die "$PROGRAM failed: $?\n" if $?;
}


sub walk_verdict ($line) {
    return undef if $line eq 'ok';

    my ($param, $code, $message) = split /\t/, $line, 3;

    die "no verdict: $line\n" if !defined $message;

    return { param => $param, code => $code, message => $message };
}


1;
