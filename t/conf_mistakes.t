#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The mistakes of t/data/mistakes.txt, and what nginx says of each: which
# directive it is, what was found, and what is allowed.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Nginx;
use ORS::Util qw( slurp );

my $text = slurp("$ORS::Nginx::ROOT/t/data/mistakes.txt") =~ s/^#.*\n//mgr;
my @cases = map { mistake($_) } split /\n{2,}/, $text =~ s/^\n+//r;

cmp_ok(scalar @cases, '>=', 60, 'there are cases');

for my $case (@cases) {
    my ($code, $out) = ORS::Nginx->conf_test(conf($case));
    my $name = $case->{name};
    my $level = @{ $case->{'!'} } ? 'emerg' : 'warn';
    my ($line) = $out =~ /^[^\n]*\[$level\] ([^\n]*)/m;

    is($code, @{ $case->{'!'} } ? 1 : 0, $name) or diag($out);

    if (!@{ $case->{'!'} } && !@{ $case->{'?'} }) {
        unlike($out, qr/\[(?:warn|emerg)\]/, "$name: not a word");
    }

    # a line that ends with its place, or is about the whole

    for my $say (@{ $case->{'!'} }, @{ $case->{'?'} }) {
        ok($out =~ /^.*\[$level\].*\Q$say\E/m, "$name: says it")
            or diag("expected $say\n$out");
    }

    unlike($out, qr/\Q$_\E/, "$name: does not print it") for @{ $case->{"-"} };
}

places();

done_testing();


# each row of the table "Where directives have an effect", in each location

sub places () {
    my $docs = slurp("$ORS::Nginx::ROOT/docs/directives.md");
    my %where = $docs =~ /^\| \[`(open_responses\w+)`\]\S+ \| (.*) \|$/mg;
    my %example = (
        open_responses_target => 'm /t', open_responses_target_tries => 2,
        open_responses_target_timeout => '9s', open_responses_tool => 'f /t',
        open_responses_mcp => 'docs /t', open_responses_max_tool_calls => 0,
        open_responses_max_rounds => 1, open_responses_schema => 'off',
        open_responses_store => 'main', open_responses_store_scope => '$uri',
        open_responses_background => 'timeout=5s',
        open_responses_compact_prompt => '""', open_responses_heartbeat => 0,
        open_responses_pass_credentials => 'first',
        open_responses_pass_trace => 'off', open_responses_reasoning => 'auto',
        open_responses_refusal => 'part', open_responses_strict => 'off',
        open_responses_flavor => 'spec', open_responses_limits => 'depth=9',
        open_responses_reject_log_level => 'info',
        open_responses_unknown_fields => 'pass',
        open_responses_websocket => 'pass', open_responses_model => 'm',
        open_responses_upstream_errors => 'pass',
        open_responses_path_variants => 'pass',
        open_responses_unknown_paths => 'pass',
        open_responses_dialect => 'responses',
        open_responses_inline_context => 'off',
        open_responses_set => '/top_k 1',
        open_responses_chat_options => 'usage=off',
        open_responses_reasoning_effort => 'low',
        open_responses_tool_type => 'default skip',
    );

    while ($docs =~ /^## (open_responses\w*)\n.*?^\*\*Context:\*\* (.*?)$/msg) {
        my ($name, $context) = ($1, $2);

        next if $context !~ /location/
            || $name =~ /^open_responses(?:_(?:validate|status|ready))?$/;

        ok(exists $where{$name}, "$name is in the table");
    }

    for my $name (sort keys %where) {
        my $line = "$name $example{$name};";
        my ($gateway, $validated, $target) = split / ?\| ?/, $where{$name}, -1;
        my $dialect = $line =~ /dialect/ ? '' : 'open_responses_dialect chat;';

        place($name, 'a gateway', $gateway,
              "location /a/ { open_responses on;
                              open_responses_target default /t; $line }");
        place($name, 'a validated location', $validated,
              "location /a/ { open_responses_validate on; $line return 200; }");
        place($name, 'a target', $target,
              "location /a/ { internal; $dialect $line return 200; }");
        place($name, 'a target of responses', $target =~ s/`chat`//r,
              "location /a/ { internal; $line return 200; }
               location /b/ { open_responses on;
                              open_responses_target default /a/; }");
    }
}


sub place ($name, $kind, $allowed, $lines) {
    my ($code, $out) = ORS::Nginx->conf_test(conf({
        http => ['open_responses_store main lmdb:db;'], server => [$lines] }));

    return is($code, 0, "$name is for $kind") || diag($out) if $allowed;

    like($out, qr{\[emerg\].*"$name"\ has\ no\ effect\ in
                  \ (the\ )?location\ (of\ target\ )?"/a/"}x,
         "$name is not for $kind");
}


sub mistake ($block) {
    my ($name, @lines) = split /\n/, $block;
    my %case = (name => $name, http => [], server => [],
                map { $_ => [] } qw( ! ? - ));

    for my $line (@lines) {
        next if $line eq '.';

        if ($line =~ /^([!?-]) (.*)/) {
            push @{ $case{$1} }, $2;

        } elsif ($line =~ /^http: (.*)/) {
            push @{ $case{http} }, $1;

        } else {
            push @{ $case{server} }, $line;
        }
    }

    return \%case;
}


sub conf ($case) {
    return join "\n", @{ $case->{http} }, <<'CONF', @{ $case->{server} }, '}';
server {
    listen 127.0.0.1:%%PORT_0%%;

    location = /t { internal; return 200; }
    location = /chat { internal; open_responses_dialect chat; return 200; }
CONF
}
