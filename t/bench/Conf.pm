package Conf;

# Copyright (C) Open Responses contributors
#
# The configuration of the servers that are measured.
#
#     Conf::http(Conf::plain() . Conf::ours(), $directives)
#
#     plain       locations of a proxy that knows nothing of what it passes
#     ours        those of the gateway and the validator
#     kept        those of a gateway with a store, over a WebSocket, too

use v5.36;


sub http ($locations, $http) {
    return <<"CONF";
        events {
            worker_connections %%CONNECTIONS%%;
        }

        http {
            keepalive_requests 1000000000;
            keepalive_timeout 1h;

            client_max_body_size 64m;
            client_body_buffer_size 2m;
            $http

            proxy_http_version 1.1;
            proxy_set_header Connection "";

            upstream model {
                server 127.0.0.1:%%MODEL%%;
                keepalive 256;
                keepalive_requests 1000000000;
            }

            server {
                listen 127.0.0.1:%%PORT_0%% backlog=4096;
                access_log off;

                location = /tiny {
                    return 204;
                }
$locations
            }
        }
CONF
}


# with Chat Completions, and with the Responses API

sub plain {
    return <<'CONF';

                location = /plain {
                    proxy_pass http://model/v1/chat/completions;
                }

                location = /plain/stream {
                    proxy_buffering off;
                    proxy_pass http://model/v1/chat/completions;
                }

                location = /plain/big {
                    client_body_buffer_size 8m;
                    proxy_pass http://model/v1/chat/completions;
                }

                location /direct/ {
                    proxy_pass http://model/v1/;
                }

                location /direct/stream/ {
                    proxy_buffering off;
                    proxy_pass http://model/v1/;
                }

                location /direct/big/ {
                    client_body_buffer_size 8m;
                    proxy_pass http://model/v1/;
                }
CONF
}


sub ours {
    return <<'CONF';

                location /adapter/ {
                    open_responses on;
                    open_responses_target default /to/model;
                }

                location /adapter/big/ {
                    client_body_buffer_size 8m;
                    open_responses on;
                    open_responses_target default /to/model;
                }

                location = /to/model {
                    internal;
                    open_responses_dialect chat;
                    proxy_pass http://model/v1/chat/completions;
                }

                location /request/ {
                    open_responses_validate request;
                    proxy_pass http://model/v1/;
                }

                location /on/ {
                    open_responses_validate on;
                    proxy_pass http://model/v1/;
                }

                location /on/stream/ {
                    open_responses_validate on;
                    proxy_buffering off;
                    proxy_pass http://model/v1/;
                }

                location /on/big/ {
                    client_body_buffer_size 8m;
                    open_responses_validate on;
                    proxy_pass http://model/v1/;
                }
CONF
}


sub kept {
    return <<'CONF';

                location /kept/ {
                    open_responses on;
                    open_responses_store main required;
                    open_responses_store_scope all;
                    open_responses_limits scope_context=64m;
                    open_responses_websocket on;
                    open_responses_target default /to/model;
                }
CONF
}


1;
