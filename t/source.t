#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Where "make mainline" and "make package" get nginx's source: a directory of
# archives with known sums, and a crate, which are both made here.

use v5.36;
use Digest::SHA qw( sha256_hex );
use File::Copy qw( copy );
use File::Path qw( make_path );
use File::Temp ();
use Test::More;
use lib 't/lib';
use ORS::Util qw( slurp spew );

# the crate's versions, and nginx's in them

my @CRATES = ([ '1.28.3', '1.28.2' ], [ '1.28.2', '1.28.1' ],
              [ '1.28.1', '1.28.0' ], [ '1.28.0', '1.28.0' ]);

my $home = File::Temp->newdir;
my $sum = archive('1.26.3');

archive('1.26.4');

# the script as it is, with sums of its own

make_path("$home/make", "$home/bin");
copy('t/make/source.sh', "$home/make");
spew("$home/make/nginx.sha256", "$sum  nginx-1.26.3.tar.gz\n");

# a mirror

my @mirror = (NGINX_MIRROR => "file://$home");

like(source('1.26.3', @mirror), qr/^nginx 1\.26\.3, from file:/m,
     'an archive of a known sum');
is(version('1.26.3'), '1.26.3', 'is unpacked');

my $out = source('1.26.4', @mirror);
my ($found) = $out =~ /SHA256=(\w+)$/m;

like($out, qr/^nginx-1\.26\.4\.tar\.gz has .* is not in nginx\.sha256:$/m,
     'an archive of an unknown sum');
is(version('1.26.4'), '', 'is not unpacked');

like(source('1.26.4', @mirror, SHA256 => $sum),
     qr/sum \Q$found\E, not \Q$sum\E$/m, 'an archive of another sum');
is(version('1.26.4'), '', 'is not unpacked');

like(source('1.26.4', @mirror, SHA256 => $found), qr/^nginx 1\.26\.4, from/m,
     'its sum in the environment');
is(version('1.26.4'), '1.26.4', 'is unpacked');

like(source('1.26.5', @mirror, SHA256 => $sum),
     qr/1\.26\.5\.tar\.gz cannot be fetched$/m, 'no such archive');
like(source('', @mirror), qr/which version\? NGINX=X\.Y\.Z$/m, 'no version');

# a crate, by a cargo that has its versions

spew("$home/bin/cargo", cargo());
chmod 0755, "$home/bin/cargo";

my @cargo = (PATH => "$home/bin:$ENV{PATH}");

for my $wanted (qw( 1.28.0 1.28.2 )) {
    like(source($wanted, @cargo), qr/^nginx \Q$wanted\E, from the crate/m,
         "nginx $wanted from the crate");
    is(version($wanted), $wanted, 'is unpacked');
}

like(source('', @cargo), qr/^nginx 1\.28\.2, from the crate/m, 'the newest');
is(version('newest'), '1.28.2', 'is where the link leads to');

like(source('1.28.7', @cargo), qr/^nginx 1\.28\.7 is in none of crate/m,
     'a version that no crate has');
is(version('1.28.7'), '', 'leaves nothing');

done_testing();


# the script's words

sub source ($version, %env) {
    local @ENV{keys %env} = values %env;

    my $name = $version || 'newest';

    return `sh $home/make/source.sh '$version' $home/source/$name crate 2>&1`;
}


sub version ($name) {
    my $file = "$home/source/$name/src/core/nginx.h";

    return '' unless -f $file;
    return slurp($file) =~ /"(.*)"/ ? $1 : undef;
}


sub header ($version) {
    return "#define NGINX_VERSION      \"$version\"\n";
}


# the archive of a release, and its sum

sub archive ($version) {
    my $tree = "nginx-$version";

    make_path("$home/$tree/src/core");
    spew("$home/$tree/src/core/nginx.h", header($version));
    system("tar -czf $home/$tree.tar.gz -C $home $tree") == 0 or die 'tar';

    return sha256_hex(slurp("$home/$tree.tar.gz"));
}


# "cargo vendor": the newest version that Cargo.toml permits, and its lock

sub cargo () {
    my $list = join ' ', map { "[ qw( $_->[0] $_->[1] ) ]," } @CRATES;

    return <<"END" . <<'END';
#!/usr/bin/perl
my \@crates = ($list);
END
my $toml = do { local (@ARGV, $/) = 'Cargo.toml'; <> };
my ($below) = $toml =~ /nginx-src = ".*<(.*)"/;
my ($crate) = grep { !$below || $_->[0] lt $below } @crates;

$toml =~ /nginx-src = "(\*|~1\.28)/ && $crate or exit 1;

system('mkdir', '-p', 'vendor/nginx-src/nginx/src/core') == 0 or die;

open my $lock, '>', 'Cargo.lock';
print $lock qq([[package]]\nname = "nginx-src"\n),
            qq(version = "$crate->[0]+$crate->[1]"\n);

open my $header, '>', 'vendor/nginx-src/nginx/src/core/nginx.h';
print $header qq(#define NGINX_VERSION      "$crate->[1]"\n);
END
}
