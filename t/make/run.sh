#!/bin/sh

# run.sh NGINX MODULE DIR: an nginx on 127.0.0.1 that serves /v1/responses,
# to try it out.  By default the model is conf.d/demo.conf's; UPSTREAM=URL is
# the base URL of a server of Chat Completions, arguments included, as in
# http://host/openai/v1?api-version=1, MODEL=NAME the name to send there,
# OPENAI_API_KEY a key to try it with, CA=FILE whom to trust if it is https.
# PORT=N is 8080 by default.  CLIENT=codex starts Codex with it, in a home of
# its own.  With -n it says what "make run" will do.
# It stays until Ctrl-C; with DETACH=1, or without a terminal, nginx is left
# running in the background.

set -eu

if [ "$1" = -n ]; then
    cat <<END
make run: installs the Debian packages that are missing, as root (if nginx is
one of them, it starts on port 80); builds the module in build/, and starts an
nginx on 127.0.0.1:${PORT:-8080} in build/run/
END
    exit 0
fi

nginx=$1
module=$2
port=${PORT:-8080}
dir=$3/$port
top=$(cd "$(dirname "$0")/../.." && pwd)
url=http://127.0.0.1:$port/v1
json="-H 'Content-Type: application/json'"
auth='-H "Authorization: Bearer $OPENAI_API_KEY"'
ca=$(realpath -m -- "${CA:-/etc/ssl/certs/ca-certificates.crt}")
upstream=${UPSTREAM:-}
model=${MODEL:-}
client=${CLIENT:-}
query=

export NO_PROXY="127.0.0.1,${NO_PROXY:-}"


fail() {
    echo "$*" >&2
    exit 1
}


# a value in nginx.conf must be one word there

check_words() {
    case "$client" in
        "" | codex) ;;
        *) fail "CLIENT=$client is not known, it must be codex" ;;
    esac

    if ! { [ "$port" -ge 1 ] && [ "$port" -le 65535 ]; } 2>/dev/null; then
        fail "PORT=$port is not the number of a port"
    fi

    case "$upstream" in
        *\?*) query=?${upstream#*\?} upstream=${upstream%%\?*} ;;
    esac

    case "$upstream$query" in
        *[!][A-Za-z0-9._~:/%+?=\&-]*)
            fail "UPSTREAM=$upstream$query is not the base URL of a server" ;;
        http://?* | https://?* | "") ;;
        *://*) fail "UPSTREAM=$upstream must begin with http:// or https://" ;;
        *) upstream=http://$upstream ;;
    esac

    case "$model" in
        *[\"\\]*) fail "MODEL=$model must have no \" and no \\" ;;
    esac

    while [ "${upstream%/}" != "$upstream" ]; do
        upstream=${upstream%/}
    done

    # people copy the URL of an endpoint from an example

    for endpoint in chat/completions responses models embeddings; do
        upstream=${upstream%/"$endpoint"}
    done

    case "$upstream" in
        *://*/api)
            fail "UPSTREAM=$upstream is the base of Ollama's own API, that of" \
                 "Chat Completions is ${upstream%/api}/v1" ;;
        "" | *://*/*) ;;
        *) upstream=$upstream/v1 ;;
    esac

    # http://host:port and /path

    path=/${upstream#*://*/}
    origin=${upstream%"$path"}

    case "$upstream" in
        https:*) [ -f "$ca" ] || fail "$ca is missing, so $upstream cannot" \
                     "be trusted: apt-get install ca-certificates, or CA=FILE"
    esac
}


# nginx takes its file away when it leaves; a process may stay as a zombie
# where nobody waits for it, as in containers

alive() {
    [ -s "$dir/nginx.pid" ] && kill -0 "$(cat "$dir/nginx.pid")" 2>/dev/null
}


check_port() {
    status=0
    curl -s -o /dev/null -m 2 "http://127.0.0.1:$port/" || status=$?

    # 7: nobody listens there
    [ $status != 7 ] || return 0

    if alive; then
        fail "port $port is taken by an earlier \"make run\"; to stop it:" \
             "kill $(cat "$dir/nginx.pid")"
    fi

    fail "port $port is taken, try another one: make run PORT=N"
}


# conversations, compaction, responses in the background and WebSockets work in
# a trial

write_state() {
    [ -s "$dir/secret" ] || {
        (umask 077 && od -An -N32 -tx1 /dev/urandom | tr -d ' \n' \
            >"$dir/secret")
    }

    cat >"$dir/gateway.conf" <<END

        open_responses_store        trial;
        open_responses_store_scope  trial;
        open_responses_websocket    on;
    }

    location = /status {
        open_responses_status;
END
}


write_conf() {
    write_state

    if [ -n "$upstream" ]; then
        write_upstream >"$dir/server.conf"

    else
        sed "s/127\.0\.0\.1:8080/127.0.0.1:$port/
             /default \/to\/demo;/r $dir/gateway.conf" \
            "$top/conf.d/demo.conf" >"$dir/server.conf"
    fi

    # workers of root stay root: others could not enter a tree in /root

    cat >"$dir/nginx.conf" <<END
load_module "$module";

$([ "$(id -u)" != 0 ] || echo 'user root;')
pid "$dir/nginx.pid";
error_log "$dir/error.log" info;

events {
}

http {
    access_log "$dir/access.log";

    client_body_temp_path "$dir/temp/body";
    proxy_temp_path "$dir/temp/proxy";
    fastcgi_temp_path "$dir/temp/fastcgi";
    uwsgi_temp_path "$dir/temp/uwsgi";
    scgi_temp_path "$dir/temp/scgi";

    open_responses_store   trial "lmdb:$dir/store";
    open_responses_secret  "$dir/secret";

    include "$dir/server.conf";
$([ -n "$upstream" ] || echo "    include \"$top/conf.d/demo-model.conf\";")
}
END
}


write_upstream() {
    cat <<END
server {
    listen 127.0.0.1:$port;

    client_max_body_size     32m;
    client_body_buffer_size  1m;

    proxy_read_timeout  600s;

    location /v1/ {
        open_responses         on;
        open_responses_flavor  openai;
        open_responses_target  default /to/upstream;
$(cat "$dir/gateway.conf")
    }

    location = /v1/models {
        rewrite ^ "$path/models$query" break;
        proxy_pass $origin;
    }

    location = /to/upstream {
        internal;
        open_responses_dialect  chat;
$([ -z "$model" ] || echo "        open_responses_model    \"$model\";")
        rewrite ^ "$path\$open_responses_path$query" break;
        proxy_pass $origin;
    }
END

    case "$upstream" in
        https:*) cat <<END

    proxy_ssl_server_name          on;
    proxy_ssl_verify               on;
    proxy_ssl_verify_depth         5;
    proxy_ssl_trusted_certificate  "$ca";
END
    esac

    echo '}'
}


start() {
    if ! "$nginx" -e "$dir/error.log" -p "$dir" -c "$dir/nginx.conf" \
            2>"$dir/start.log"
    then
        sed -n 's/.*\[emerg\] //p' "$dir/start.log" >&2
        fail "nginx did not start, see $dir/start.log"
    fi

    n=0

    while [ ! -s "$dir/nginx.pid" ]; do
        n=$((n + 1))
        [ $n -lt 100 ] || fail "nginx did not start, see $dir/error.log"
        sleep 0.1
    done

    pid=$(cat "$dir/nginx.pid")
}


stop() {
    kill "$pid" 2>/dev/null || :

    while alive 2>/dev/null; do
        sleep 0.1
    done

    echo "nginx ($pid) is stopped"
}


# meanings of curl's exit codes

reason() {
    case $1 in
        6) echo 'the name of its host is unknown' ;;
        7) echo 'nothing listens at its port' ;;
        28) echo 'it does not answer' ;;
        35) echo 'it does not speak TLS: is it http://?' ;;
        52 | 56) echo 'it closes the connection: is it https://?' ;;
        *) echo "curl fails with $1" ;;
    esac
}


# on a terminal JSON is printed in lines and with colours

colour() {
    if [ -t 1 ]; then
        "$top/t/make/json.pl"
    else
        cat
    fi
}


# prints a command, runs it, and looks for a part of its answer

show() {
    printf '\n# %s\n%s\n\n' "$1" "$2"

    sh -c "$2" | tee "$dir/answer" | colour
    echo

    if ! grep -q "$3" "$dir/answer"; then
        stop
        fail "this is not the answer of the demo, see $dir/error.log"
    fi
}


show_demo() {
    show 'an answer' "curl -s $url/responses $json \\
    -d '{\"model\":\"demo\",\"input\":\"Hello!\"}'" \
        '"status":"completed".*Hello!'

    show 'a stream of events, of which this prints the pieces of text' \
        "curl -sN $url/responses $json \\
    -d '{\"model\":\"demo\",\"input\":\"Hello!\",\"stream\":true}' |
    perl -ne '\$| = 1; print \$1 if /\"delta\":\"(.*?)\"/'" \
        'You said: Hello!'

    show 'a call of a function; this prints the items of the answer' \
        "curl -s $url/responses $json \\
    -d '{\"model\":\"demo\",\"input\":\"What is the weather in Paris?\",
         \"tools\":[{\"type\":\"function\",\"name\":\"get_weather\",
                   \"parameters\":{\"type\":\"object\",\"properties\":
                                 {\"city\":{\"type\":\"string\"}}}}]}' |
    perl -ne 'print \$1 if /(\"output\":\\[.*?\\]),\"usage\"/'" \
        '"name":"get_weather"'

    show 'a function that runs at the gateway; this prints the items, too' \
        "curl -s $url/responses $json \\
    -d '{\"model\":\"demo\",\"input\":\"What time is it?\",
         \"tools\":[{\"type\":\"function\",\"name\":\"get_time\",
                   \"parameters\":{\"type\":\"object\"}}]}' |
    perl -ne 'print \$1 if /(\"output\":\\[.*?\\]),\"usage\"/'" \
        '"output":"It is .*The tool gave: It is '

    model=demo

    cat <<END

# next: what the function gave goes back to the model
curl -s $url/responses $json \\
    -d '{"model":"demo","input":[
         {"role":"user","content":"What is the weather in Paris?"},
         {"type":"function_call","call_id":"call_1","name":"get_weather",
          "arguments":"{\"city\":\"Paris\"}"},
         {"type":"function_call_output","call_id":"call_1",
          "output":"sunny, 25 degrees"}]}'
END
}


# for "curl -K -": the key is not among the arguments, which others can see

key() {
    [ -z "${OPENAI_API_KEY:-}" ] \
        || echo "header = \"Authorization: Bearer $OPENAI_API_KEY\""
}


# sends a request with the rest of its body, and says whether the answer has
# what is expected

try() {
    code=$(key | curl -sN -K - -m 60 -o "$dir/answer" \
           -w '%{http_code}' -H 'Content-Type: application/json' \
           -d "{\"model\":\"$model\",$2}" "$url/responses") || :

    if grep -q "$3" "$dir/answer" 2>/dev/null; then
        echo "                $1: works"
        return
    fi

    echo "                $1: does not work, status $code" \
         "$(grep -o '"message":"[^"]*"' "$dir/answer" 2>/dev/null \
            | head -n 1 | cut -d: -f2-)"
}


try_upstream() {
    echo "                asked for model $model:"
    try 'an answer' '"input":"Say hello."' '"status":"completed"'
    try 'a stream' '"input":"Say hello.","stream":true' '^data: \[DONE\]'
    try 'a tool call' '"input":"What is the weather in Paris?",
        "tool_choice":"required","tools":[{"type":"function",
        "name":"get_weather","parameters":{"type":"object",
        "properties":{"city":{"type":"string"}}}}]' \
        '"type":"function_call".*"name":"get_weather"'
}


# a model server that is down is no reason not to start

show_upstream() {
    status=0
    code=$(key | curl -s -K - -o "$dir/answer" -m 10 --cacert "$ca" \
           -w '%{http_code}' "$upstream/models$query") || status=$?
    models=$(grep -o '"id": *"[^"]*"' "$dir/answer" 2>/dev/null \
             | head -n 20 | cut -d'"' -f4 | tr '\n' ' ')

    echo
    echo "model server:   $upstream$query"

    case $status:$code in
        0:200)
            if [ -n "$models" ]; then
                echo "                is up, its models: $models"
            else
                echo '                is up and lists no models;' \
                     'MODEL=name says which one to try'
            fi ;;
        0:401 | 0:403)
            if [ -n "${OPENAI_API_KEY:-}" ]; then
                echo '                is up and does not accept the key in' \
                     'OPENAI_API_KEY'
            else
                echo '                is up and wants a key, which' \
                     'OPENAI_API_KEY may have'
            fi ;;
        0:*)
            echo "                is up (/models gives status $code)" ;;
        60:*)
            echo '                has a certificate that is not trusted here;' \
                 'CA=FILE says whom to trust' ;;
        *)
            echo "                cannot be reached now: $(reason "$status");"
            echo '                until it can, requests get status 502' ;;
    esac

    # the first model of the list is as good as any to try

    if [ -z "$model" ] && [ "$status:$code" = 0:200 ]; then
        model=${models%% *}
    fi

    [ -z "$model" ] || try_upstream

    model=${model:-NAME}

    cat <<END

# an answer, and a stream; a key is passed on
curl -s $url/responses $json \\
    $auth \\
    -d '{"model":"$model","input":"Hello!"}'

curl -sN $url/responses $json \\
    $auth \\
    -d '{"model":"$model","input":"Hello!","stream":true}'
END
}


# the SDK takes a key from OPENAI_API_KEY, and fails without any

sdk_key() {
    [ -n "$upstream" ] && [ -n "${OPENAI_API_KEY:-}" ] \
        || echo ', api_key="none"'
}


show_next() {
    cat <<END

# next: pip install openai, then in Python
from openai import OpenAI
client = OpenAI(base_url="$url"$(sdk_key))
print(client.responses.create(model="$model", input="Hello!").output_text)
END

    if [ -z "$upstream" ]; then
        cat <<END

# next: a real model server, by its base URL
make run UPSTREAM=http://127.0.0.1:11434/v1
END
    fi

    cat <<END

endpoint:       $url/responses
status:         ${url%/v1}/status
configuration:  $dir/nginx.conf
                $dir/server.conf (after a change: kill -HUP $pid)
logs:           $dir/error.log
                $dir/access.log
END
}


# Codex reads nothing of the user's own configuration here

write_codex() {
    mkdir -p "$dir/codex"

    cat >"$dir/codex/config.toml" <<END
model = "$model"
model_provider = "gateway"
sandbox_mode = "read-only"

[model_providers.gateway]
name = "gateway"
base_url = "$url"
wire_api = "responses"
supports_websockets = true
END

    if [ -n "$upstream" ] && [ -n "${OPENAI_API_KEY:-}" ]; then
        echo 'env_key = "OPENAI_API_KEY"' >>"$dir/codex/config.toml"
    fi
}


show_codex() {
    write_codex

    printf '\n# Codex, in %s\n' "$dir/codex/config.toml"
    cat "$dir/codex/config.toml"

    printf '\n# start it with\nCODEX_HOME=%s codex\n' "$dir/codex"

    if ! command -v codex >/dev/null; then
        printf '\n# it is not installed here: npm install -g @openai/codex\n'
        client=
    fi
}


check_words
mkdir -p "$dir/temp"
check_port
write_conf
start

trap 'stop; exit 0' INT TERM HUP

if [ -n "$upstream" ]; then
    show_upstream

else
    show_demo
fi

show_next

[ -z "$client" ] || show_codex

if [ -z "${DETACH:-}" ] && [ ! -t 0 ] && [ ! -t 1 ]; then
    DETACH=1
fi

if [ "${DETACH:-0}" != 0 ]; then
    echo "to stop it:     kill $pid"
    exit 0
fi

if [ -n "$client" ]; then
    CODEX_HOME=$dir/codex codex || :
    stop
    exit 0
fi

echo 'to stop it:     Ctrl-C'

while alive; do
    sleep 0.5
done

fail "nginx is gone, see $dir/error.log"
