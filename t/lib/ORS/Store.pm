package ORS::Store;

# Copyright (C) Open Responses contributors
#
# Conversations with a gateway that has a store: short names for its tests.
#
#     use ORS::Store qw( gateway turn lost );
#
#     my $conf = gateway("open_responses_store main lmdb:%%TESTDIR%%/db;",
#                        'main required');
#
#     my ($id, $r) = turn($t->port, 'hello');
#     my ($next) = turn($t->port, 'and then?', previous_response_id => $id);
#     lost($t->port, $id, 'a foreign response');
#
# gateway()  the inside of http {}: a gateway at PORT_0 with the store that is
#            defined by the first argument and used as the second one says,
#            and what a model says at PORT_1, fast, without a process of its
#            own: /v1/ has answers from there, /told/ those of %%MODEL%%.
# turn()     one turn, checked by nobody: its id, the reply, and the response
#            object; an id of undef if it has no status 200.
# kept()     the same, one test: the turn has been kept.
# lost()     a test: that response cannot be followed.
# fails()    a test: 503, as the store fails; gives the reason in the log.

use v5.36;
use Exporter qw( import );
use Test::More ();
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_decode json_encode );
use ORS::Model qw( chat_reply chat_chunk );
use ORS::Stream qw( error_ok );
use ORS::Util qw( wait_for );

our @EXPORT_OK = qw( fails gateway turn kept lost );


sub gateway ($define, $use = 'main') {
    my $reply = json_encode(chat_reply(content => 'hello'));
    my $stream = join '', map { 'data: ' . json_encode($_) . "\n\n" }
                 chat_chunk(content => 'hello'), chat_chunk(finish => 'stop');

    return <<"CONF";
        $define
        open_responses_strict off;
        open_responses_store_scope \$http_x_scope empty=share;

        map \$http_x_stream \$model {
            1        /stream;
            default  /plain;
        }

        server {
            listen 127.0.0.1:%%PORT_0%%;
            add_header X-Worker \$pid;

            location /v1/ {
                open_responses on;
                open_responses_store $use;
                open_responses_target default /to/fast;
            }

            location /told/ {
                open_responses on;
                open_responses_store $use;
                open_responses_target default /to/model;
            }

            location = /to/fast {
                internal;
                open_responses_dialect chat;
                proxy_pass http://127.0.0.1:%%PORT_1%%\$model;
            }

            location = /to/model {
                internal;
                open_responses_dialect chat;
                proxy_pass http://%%MODEL%%/chat;
            }
        }

        server {
            listen 127.0.0.1:%%PORT_1%%;
            access_log off;

            location = /plain {
                default_type application/json;
                return 200 '$reply';
            }

            location = /stream {
                default_type text/event-stream;
                return 200 '${stream}data: [DONE]\n\n';
            }
        }
CONF
}


sub turn ($port, $input, %o) {
    my $at = delete $o{at} // '/v1';
    my $headers = delete $o{headers} // {};
    my $r = post_json($port, "$at/responses",
                      { model => 'm', input => $input, %o },
                      headers => $headers);
    my $response = $r->{status} && $r->{status} == 200
                   ? json_decode($r->{body}) : undef;

    return ($response && $response->{id}, $r, $response);
}


sub kept ($port, $name, $input, %o) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($id, $r, $response) = turn($port, $input, %o);

    Test::More::ok($id && $response->{store}, "$name: kept")
        or Test::More::diag($r->{status}, ' ', $r->{body});

    return ($id, $r, $response);
}


sub lost ($port, $id, $name, %o) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my (undef, $r) = turn($port, 'x', previous_response_id => $id, %o);

    return error_ok($r, 400, $name, code => 'previous_response_not_found',
                    param => 'previous_response_id');
}


sub fails ($t, $name, %o) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $mark = $t->log_mark;
    my (undef, $r) = turn($t->port, 'x', %o);
    my $why;

    error_ok($r, 503, $name, code => 'store_unavailable');
    wait_for(sub {
        ($why) = $t->log_since($mark)
                 =~ /\ store\ "main"(?:\ cannot\ be\ read)?:
                     \ (it\ [^,]*?)(?:\ while|,)/x;
    }) or Test::More::diag($t->log_since($mark));

    return $why // '';
}


1;
