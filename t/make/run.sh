#!/bin/sh

# run.sh NGINX MODULE DIR: nginx in the foreground, on loopback, serving
# /v1/responses on top of the Chat Completions server UPSTREAM.

set -eu

nginx=$1
module=$2
dir=$3
port=${PORT:-8080}
upstream=${UPSTREAM:-127.0.0.1:8000}

mkdir -p "$dir/temp"

cat >"$dir/nginx.conf" <<END
load_module $module;

daemon off;
master_process off;
pid $dir/nginx.pid;
error_log stderr info;

events {}

http {
    access_log /dev/stdout;

    client_body_temp_path $dir/temp/body;
    proxy_temp_path $dir/temp/proxy;
    fastcgi_temp_path $dir/temp/fastcgi;
    uwsgi_temp_path $dir/temp/uwsgi;
    scgi_temp_path $dir/temp/scgi;

    server {
        listen 127.0.0.1:$port;

        location /v1/ {
            open_responses on;
            open_responses_target default /chat;
        }

        location = /chat {
            internal;
            open_responses_dialect chat;
            proxy_pass http://$upstream/v1/chat/completions;
        }
    }
}
END

echo "http://127.0.0.1:$port/v1/responses, model at $upstream"

exec "$nginx" -e stderr -p "$dir" -c "$dir/nginx.conf"
