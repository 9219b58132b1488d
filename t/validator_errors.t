#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Errors that servers answer, from servers that are trusted and from others
# (open_responses_upstream_errors), and what the client is told.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Validator;
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_encode );

sub said (%o) {
    return json_encode({ error => { type => 'invalid_request',
                                    message => SECRET, code => 'x_code',
                                    param => 'input', %o } });
}

my $html = { body => '<html>' . SECRET . '</html>', type => 'text/html' };

# name, the answer, what is told if it is trusted, and what if it is not

my @list = (

    # shapes

    [ 'as specified', { status => 400, body => said() }, undef,
      [ 400, type => 'invalid_request', code => 'upstream_error',
        param => 'input' ] ],
    [ 'the type of others',
      { status => 400, body => said(type => 'invalid_request_error') },
      [ 400, type => 'invalid_request', code => 'x_code', message => SECRET,
        param => 'input' ],
      [ 400, type => 'invalid_request', code => 'upstream_error' ] ],
    [ 'no code and no param',
      { status => 400, body => '{"error":{"type":"x","message":"'
                               . SECRET . '"}}' },
      [ 400, code => '', param => '', message => SECRET ],
      [ 400, code => 'upstream_error', param => '' ] ],
    [ 'null code and param',
      { status => 400, body => said(code => undef, param => undef) }, undef,
      [ 400, code => 'upstream_error', param => '' ] ],
    [ 'the code is a number', { status => 400, body => said(code => 7) },
      [ 400, message => SECRET ], [ 400, code => 'upstream_error' ] ],
    [ 'the code is a number, flavor openai',
      { status => 501, at => 'openai',
        body => said(code => 501, type => 'server_error') },
      [ 501, message => SECRET, code => '501' ], undef ],
    [ 'no type', { status => 400,
                   body => '{"error":{"message":"' . SECRET . '"}}' },
      [ 400, message => SECRET ], [ 400, code => 'upstream_error' ] ],
    [ 'no message', { status => 400, body => '{"error":{"type":"x"}}' },
      [ 400, message => qr/status 400/ ], [ 400, code => 'upstream_error' ] ],
    [ 'the error is a text', { status => 400,
                               body => '{"error":"' . SECRET . '"}' },
      [ 400, message => SECRET ], [ 400, code => 'upstream_error' ] ],
    [ 'a text in "detail"', { status => 404,
                              body => '{"detail":"' . SECRET . '"}' },
      [ 404, message => SECRET ], [ 404, type => 'not_found' ] ],
    [ 'a list in "detail"',
      { status => 422, body => '{"detail":[{"loc":["body","input"],"msg":"'
                               . SECRET . '"}]}' },
      [ 422, message => qr/input.*${\SECRET}/ ],
      [ 422, code => 'upstream_error' ] ],
    [ 'a text that is a message', { status => 400,
                                    body => '{"message":"' . SECRET . '"}' },
      [ 400, message => SECRET ], [ 400, code => 'upstream_error' ] ],
    [ 'a list of one', { status => 400, body => '[' . said() . ']' },
      [ 400, message => SECRET ], [ 400, code => 'upstream_error' ] ],
    [ 'unknown keys', { status => 400, body => said(x_a => 1) }, undef,
      [ 400, code => 'upstream_error' ] ],
    [ 'headers that are no texts',
      { status => 400, body => said(headers => { a => 1 }) },
      [ 400, message => SECRET ], [ 400, code => 'upstream_error' ] ],

    (map { my ($name, $a) = @$_;
        [ $name, { status => 500, %$a }, [ 500, message => qr/status 500/ ],
          [ 500, code => 'server_error' ] ]
    } [ 'empty', { body => '' } ], [ 'not JSON', { body => '{"error' } ],
      [ 'a page', $html ], [ 'plain text', { body => SECRET,
                                             type => 'text/plain' } ],
      [ 'a number', { body => '7' } ], [ 'null', { body => 'null' } ],
      [ 'a page in JSON', { body => '{"error":{"message":"<html>"}}' } ],
      [ 'cut', { body => said(), cut => 30 } ]),

    # statuses: as trusted, as shown when not

    (map { my ($status, $shown, %expect) = @$_;
        [ "status $status", { status => $status, body => said() },
          undef, [ $shown, %expect ] ]
    } [ 400, 400 ], [ 401, 502, code => 'server_error' ], [ 402, 502 ],
      [ 403, 502 ], [ 408, 504, code => 'upstream_timeout' ],
      [ 413, 413, code => 'request_too_large' ], [ 422, 422 ], [ 451, 502 ]),
    (map { my ($status, $shown, $type) = @$_;
        [ "status $status", { status => $status, body => said(type => $type) },
          undef, [ $shown ] ]
    } [ 404, 404, 'not_found' ], [ 429, 429, 'too_many_requests' ],
      [ 500, 500, 'server_error' ], [ 502, 502, 'server_error' ],
      [ 503, 503, 'server_error' ], [ 504, 504, 'server_error' ],
      [ 500, 500, 'model_error' ]),

    # a place of its own, and whom it wants to know

    [ 'a redirect', { status => 307, %$html, headers => [
          [ 'Location', 'http://' . SECRET . '.example/' ] ] },
      [ 502 ], [ 502, code => 'server_error' ] ],
    [ 'a challenge', { status => 401, %$html, headers => [
          [ 'WWW-Authenticate', 'Bearer realm="' . SECRET . '"' ] ] },
      [ 401, code => 'invalid_api_key' ], [ 502, code => 'server_error' ] ],

    (map { my ($status, $trusted, $masked) = @$_;
        [ "a page with $status", { status => $status, %$html },
          [ $trusted ], [ $masked ] ]
    } [ 301, 502, 502 ], [ 302, 502, 502 ], [ 401, 401, 502 ],
      [ 404, 404, 404 ], [ 429, 429, 429 ], [ 501, 502, 502 ],
      [ 503, 503, 503 ], [ 529, 503, 503 ], [ 599, 502, 502 ]),

    # codes that clients act on stay, whose account it is does not

    (map { my ($code, $status) = @$_;
        [ $code, { status => $status,
                   body => said(code => $code, type =>
                                $status == 429 ? 'too_many_requests' :
                                $status == 503 ? 'server_error' :
                                'invalid_request') },
          undef, [ $status, code => $code ] ]
    } [ 'context_length_exceeded', 400 ], [ 'rate_limit_exceeded', 429 ],
      [ 'content_filter', 400 ], [ 'server_is_overloaded', 503 ],
      [ 'slow_down', 503 ]),
    (map { my ($code, $status) = @$_;
        [ $code, { status => $status,
                   body => said(code => $code, type => $status == 429 ?
                                'too_many_requests' : 'invalid_request') },
          undef, [ 502, code => 'server_error' ] ]
    } [ 'insufficient_quota', 429 ], [ 'usage_limit_reached', 429 ],
      [ 'invalid_api_key', 401 ], [ 'billing_not_active', 400 ],
      [ 'account_deactivated', 403 ]),
    [ 'a param that is a text', { status => 400,
                                  body => said(param => SECRET . ' says') },
      undef, [ 400, param => '' ] ],
);

my @rows = map {
    my ($name, $a, $trusted, $masked) = @$_;

    ([ $name, $a, $trusted ? (error => $trusted) : (same => 1) ],
     $masked ? [ "$name, masked", { %$a, at => 'mask' }, error => $masked ]
             : ())
} @list;

my $g = ORS::Validator->new(rows => \@rows, locations => {
    mask => 'open_responses_upstream_errors mask;',
    openai => 'open_responses_flavor openai;',
});

$g->run;
$g->report;

# nothing of any text, not one header less

for my $n (0 .. $#rows) {
    my ($name, $a) = @{ $rows[$n] };

    next if ($a->{at} // '') ne 'mask';

    my $r = post_json($g->port, '/mask/responses',
                      { model => 'm', input => 'hi' },
                      headers => { 'X-Script' => "row-$n" });

    unlike($r->{raw}, qr/${\SECRET}|x_code/, "$name: nothing of it is shown");
}

$g->finish;
done_testing();
