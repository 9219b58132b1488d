#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The stream checker: each defect of the framing is reported.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Sample;

my $ok = render(good());

reports($ok =~ s/\n/\r\n/gr, qr/a CR/, 'CRLF');
reports($ok =~ s/\n\n/\n\n\n/r, qr/empty line too many/, 'an empty line');
reports($ok =~ s/event: /event:/r, qr/not "event/, 'a missing space');
reports($ok =~ s/event: [^\n]*\n//r, qr/not "event/, 'no event line');
reports($ok =~ s/event: /id: 1\nevent: /r, qr/not "event/, 'an id');
reports($ok =~ s/\ndata: \{/\ndata: {\ndata: /r, qr/not "event/,
        'data on two lines');
reports($ok =~ s/\ndata: /\n: x\ndata: /r, qr/not "event/,
        'a comment inside a frame');
reports($ok =~ s/(event: \S+)\n(data: [^\n]+)/$2\n$1/r, qr/not "event/,
        'data before event');
reports($ok =~ s/event: response\.created/event: response.create/r,
        qr/event is not the type/, 'event other than type');
reports($ok =~ s/"Be brief\."/"Be \xff brief."/r, qr/UTF-8/, 'bad UTF-8');
reports($ok =~ s/"Be brief\."/"Be \xed\xa0\x80"/r, qr/UTF-8/,
        'an encoded surrogate');
reports($ok =~ s/"Be brief\."/"Be\tbrief"/r, qr/not JSON/,
        'a control character');
reports($ok =~ s/\}\n\n/},\n\n/r, qr/not JSON/, 'a comma too many');
reports($ok =~ s/\}\n\n/\n\n/r, qr/not JSON/, 'a brace missing');
reports($ok =~ s/data: (\{[^\n]*)/data: [$1]/r, qr/no object/, 'an array');
reports($ok =~ s/"store":false/"store":false,"store":false/r, qr/twice/,
        'a key that comes twice');
reports($ok =~ s/data: \[DONE\]\n\n//r, qr/no \[DONE\]/, 'no [DONE]');
reports($ok =~ s/\[DONE\]/[DONE] /r, qr/not written/, 'a space after [DONE]');
reports($ok . "data: [DONE]\n\n", qr/after \[DONE\]/, 'a second [DONE]');
reports($ok . frame(good()->[0]), qr/after \[DONE\]/, 'an event after it');
reports("${ok}x", qr/bytes after the last frame/, 'bytes at the end');
reports(substr($ok, 0, -1), qr/bytes after the last frame/,
        'a frame without its empty line');
reports("\xef\xbb\xbf$ok", qr/byte order mark/, 'a byte order mark');
reports("data: [DONE]\n\n$ok", qr/before the terminal/, 'an early [DONE]');
reports('', qr/no terminal event/, 'nothing at all');
reports($ok =~ s/event: response\.completed.*?\n\n//sr,
        qr/no terminal event/, 'no terminal event');

done_testing();
