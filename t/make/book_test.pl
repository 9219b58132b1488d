#!/usr/bin/perl

# A thing of the protocol is added in few files: each change is made in a copy
# of src/, where the files with tables made of the book must compile with it,
# and must have its name.
#
#   book_test.pl [TREE]
#
# TREE is the directory nginx was configured in.

use strict;
use warnings;

use File::Basename qw(dirname);
use File::Find qw(find);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use Test::More;

use lib dirname(__FILE__);
use House qw(content);

my $tree = $ARGV[0] // 'build/tree';
my $book = 'src/base/ngx_ors_book.h';
my $errors = 'src/base/ngx_ors_error.h';

my @sources;
find({ wanted => sub { push(@sources, $_) if /\.[ch]$/ }, no_chdir => 1 },
     'src');

my %rooms = map { dirname($_) => 1 } @sources;
my $lists = join('|', map { content($_) =~ /^#define (NGX_ORS_\w+)\(row\)/mg }
                      $book, $errors);

# files that make a table of a list

my @users = sort grep { /\.c$/ && content($_) =~ /\b(?:$lists)\(ngx/ } @sources;

ok(@users > 15, scalar(@users) . ' files have tables made of the book');


sub row {
    my ($list, $row) = @_;

    return sub { $_[0] =~ s/^(#define $list\(row\) +\\\n)/$1    $row \\\n/m };
}


# after the last include, where shapes of the same file are known

sub text {
    my ($text) = @_;

    return sub { $_[0] =~ s/^.*^#include <\w+\.h>\n\K/\n$text\n/ms };
}


# "files" are those that may change, "names" are in tables of files after that

sub adds {
    my ($what, $files, $edits, %names) = @_;

    my $dir = tempdir(CLEANUP => 1);

    is(keys %$edits, $files, "$what: $files files");

    for my $file (@sources) {
        my $text = content($file);

        for my $edit (@{ $edits->{$file} // [] }) {
            $edit->($text) or fail("$what: no place for it in $file");
        }

        make_path(dirname("$dir/$file"));
        open(my $out, '>', "$dir/$file") or die "$file: $!";
        print $out $text;
        close($out);
    }

    my $cc = join(' ', $ENV{CC} // 'cc',
                  qw(-Wall -Wextra -Wno-unused-parameter -Werror),
                  (map { "-I$dir/$_" } sort keys %rooms),
                  map { "-I$tree/$_" }
                  qw(objs src/core src/event src/event/modules src/os/unix
                     src/http src/http/modules src/http/v2));

    my %changed = map { $_ => 1 } @users, grep { /\.c$/ } keys %$edits;
    my $all = join(' ', map { "$dir/$_" } sort keys %changed);
    my $out = `$cc -fsyntax-only $all 2>&1`;

    is($?, 0, "$what: compiles") or diag($out);

    for my $file (sort keys %names) {
        like(`$cc -E $dir/src/$file 2>&1`, qr/\Q$names{$file}\E/,
             "$what: $file has it");
    }
}


sub shape {
    my ($name) = @_;

    return text("ngx_ors_members_needed($name, "
                . "ngx_ors_row_needed(\"type\", NULL));");
}


adds('an error code', 1,
     { $errors => [ row('NGX_ORS_CODES',
                        'row(no_tea, 418, client, "", "No tea.")') ] },
     'base/ngx_ors_error.c' => '"no_tea"');

adds('a field of requests, echoed and sent to Chat servers', 1,
     { $book => [ row('NGX_ORS_REQUEST_FIELDS', 'row(top_k, number_null)'),
                  row('NGX_ORS_RESPONSE_FIELDS',
                      'row(top_k, filled, ALL, &ngx_ors_number_rule, "1")'),
                  row('NGX_ORS_ECHOES', 'row(top_k, NULL)'),
                  row('NGX_ORS_CHAT_NUMBERS', 'row(top_k)') ] },
     'schema/ngx_ors_fields_request.c' => '"top_k"',
     'schema/ngx_ors_fields_response.c' => '"top_k"',
     'proto/ngx_ors_response.c' => 'top_k',
     'chat/ngx_ors_chat_request.c' => 'ngx_ors_rq_top_k');

adds('a field with a rule', 2,
     { $book => [ row('NGX_ORS_REQUEST_FIELDS', 'row(top_k, top_k)') ],
       'src/schema/ngx_ors_fields_request.c' =>
           [ text('static const ngx_ors_rule_t  ngx_ors_top_k_rule ='
                  . ' ngx_ors_rule(NGX_ORS_V_INTEGER, 1, 9);') ] },
     'schema/ngx_ors_fields_request.c' => '&ngx_ors_top_k_rule');

adds('an event', 2,
     { $book => [ row('NGX_ORS_EVENTS', 'row(moved, response.moved, '
                                        . 'queued, none, OPENAI, moved)') ],
       'src/schema/ngx_ors_fields_response.c' =>
           [ shape('ngx_ors_stream_moved_shape') ] },
     'schema/ngx_ors_fields_response.c' => '"response.moved"',
     'answer/ngx_ors_verify.c' => '"response.moved"');

adds('an item', 2,
     { $book => [ row('NGX_ORS_ITEMS_PASSED',
                      'row(map_call, -, map, 1, other, OPENAI)') ],
       'src/schema/ngx_ors_fields_items.c' =>
           [ shape('ngx_ors_input_map_call_shape'),
             shape('ngx_ors_output_map_call_shape') ] },
     'schema/ngx_ors_fields_items.c' => '"map_call"',
     'proto/ngx_ors_input.c' => '"map_call"');

adds('a hosted type', 4,
     { $book => [ row('NGX_ORS_ITEMS_HOSTED',
                      'row(map_call, map, mp, 1, hosted, OPENAI)'),
                  row('NGX_ORS_HOSTED_TYPES',
                      'row(map, map, mapping, "map_call.results", results, '
                      . 'query, "[\"%V\"]", "Finds a place.", "The place")'),
                  row('NGX_ORS_STEPS', 'row(map_call, in_progress, begun)'),
                  row('NGX_ORS_STEPS', 'row(map_call, mapping, busy)'),
                  row('NGX_ORS_STEPS', 'row(map_call, completed, over)') ],
       'src/schema/ngx_ors_fields_items.c' =>
           [ shape('ngx_ors_input_map_call_shape'),
             shape('ngx_ors_output_map_call_shape') ],
       'src/schema/ngx_ors_fields_tool.c' =>
           [ shape('ngx_ors_tool_map_shape') ],
       'src/proto/ngx_ors_item.c' =>
           [ text('static void ngx_ors_hosted_map(ngx_ors_out_t *out, '
                  . 'ngx_ors_item_t *item, ngx_uint_t empty) { }') ] },
     'proto/ngx_ors_item.c' => '"map"',
     'proto/ngx_ors_event.c' => '"mapping"',
     'schema/ngx_ors_fields_tool.c' => '"map"',
     'turn/ngx_ors_builder_items.c' => 'ngx_ors_item_map');

done_testing();
