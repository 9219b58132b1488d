#!/bin/sh

# load.sh NGINX MODULE: says whether that nginx takes the module, with one
# gateway in its configuration.

set -eu

nginx=$1
module=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

mkdir "$dir/logs"

# nginx would take it for sockets
unset NGINX

cat >"$dir/nginx.conf" <<END
load_module "$(cd "$(dirname "$module")" && pwd)/$(basename "$module")";
pid "$dir/nginx.pid";

events {
}

http {
    client_body_temp_path "$dir/body";
    proxy_temp_path "$dir/proxy";
    fastcgi_temp_path "$dir/fastcgi";
    uwsgi_temp_path "$dir/uwsgi";
    scgi_temp_path "$dir/scgi";

    server {
        listen 127.0.0.1:8080;

        location /v1/ {
            open_responses         on;
            open_responses_target  default /to/model;
        }

        location = /to/model {
            internal;
            open_responses_dialect  chat;
            proxy_pass http://127.0.0.1:8000\$open_responses_uri;
        }
    }
}
END

"$nginx" -v
"$nginx" -t -q -e "$dir/error.log" -p "$dir" -c "$dir/nginx.conf"
