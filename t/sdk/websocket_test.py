# Copyright (C) Open Responses contributors
#
# The WebSocket class of OpenAI's SDK for Python against the server at $BASE;
# see websocket.mjs, which does the same in JavaScript.  Events must fit the
# SDK's own types, which the SDK itself does not insist on.

import json
import os
import sys
import traceback

from openai import OpenAI
from openai.types.responses import ResponsesServerEvent
from pydantic import TypeAdapter

PATIENCE = 20
TOOLS = [{"type": "function", "name": "f", "strict": False,
          "parameters": {"type": "object"}}]
ENDS = ("response.completed", "response.failed", "response.incomplete",
        "error")

types = TypeAdapter(ResponsesServerEvent)
tests = []

client = OpenAI(base_url=os.environ["BASE"], api_key="test-key",
                max_retries=0, timeout=PATIENCE)


def test(run):
    tests.append((run.__doc__, run))
    return run


def turn(connection, text, **more):
    """the events of one turn, each of which has a type of the SDK's"""

    connection.response.create(**{"model": "mock", "input": text, **more})
    events = []

    while not events or events[-1].type not in ENDS:
        data = connection.recv_bytes()
        events.append(connection.parse_event(data))

        event = json.loads(data)
        usage = event.get("response", {}).get("usage")

        # of the SDK's own API only, see openai_test.py

        if usage:
            usage["input_tokens_details"]["cache_write_tokens"] = 0

        types.validate_python(event)

    return events


def response(connection, text, **more):
    last = turn(connection, text, **more)[-1]
    assert last.type == "response.completed", last
    return last.response


@test
def texts():
    """text, and turns one after the other"""

    with client.responses.connect() as connection:
        for text in ("Hi", "Hi again"):
            events = turn(connection, text)

            assert events[0].type == "response.created"
            assert ([e.sequence_number for e in events]
                    == list(range(len(events))))
            assert events[-1].response.output_text == "Hello"


@test
def calls():
    """a call, its output and store=False"""

    with client.responses.connect() as connection:
        first = response(connection, "Hi", model="mock-call", tools=TOOLS,
                         store=False)
        call, = [i for i in first.output if i.type == "function_call"]

        assert call.name == "f"

        second = response(
            connection,
            [{"type": "function_call_output", "call_id": call.call_id,
              "output": "sun"}],
            tools=TOOLS, store=False, previous_response_id=first.id)

        assert second.previous_response_id == first.id
        assert second.output_text == "Hello"


@test
def errors():
    """an error, and the connection goes on"""

    with client.responses.connect() as connection:
        last = turn(connection, "Hi", previous_response_id="resp_none")[-1]

        assert last.type == "error"
        assert last.status == 400
        assert last.error.code == "previous_response_not_found"
        assert response(connection, "Hi").output_text == "Hello"


@test
def reconnects():
    """a new connection with the whole history"""

    with client.responses.connect() as connection:
        first = response(connection, "Hi", store=False)

    with client.responses.connect() as connection:
        last = turn(connection, "more", store=False,
                    previous_response_id=first.id)[-1]

        assert last.type == "error"
        assert last.error.code == "previous_response_not_found"

        again = response(connection, [
            {"role": "user", "content": "Hi"},
            *(item.to_dict() for item in first.output),
            {"role": "user", "content": "more"}], store=False)

        assert again.output_text == "Hello"


# ---- all of them


def tell(**line):
    print(json.dumps(line), flush=True)


for name, run in tests:
    try:
        run()
        tell(ok=1, name=name)

    except Exception:
        tell(ok=0, name=name, why=traceback.format_exc())

tell(plan=len(tests))
sys.exit(0)
