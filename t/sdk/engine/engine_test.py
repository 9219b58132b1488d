# Copyright (C) Open Responses contributors
#
# OpenAI's SDK for Python against the server at $BASE, behind which is a model
# that has learned little: only forms are certain.

import json
import os
import sys
import traceback
from typing import Literal

import openai
from openai import OpenAI
from pydantic import BaseModel

client = OpenAI(base_url=os.environ["BASE"], api_key="none", max_retries=0,
                timeout=120)


class City(BaseModel):
    city: Literal["Paris", "Rome"]


WEATHER = {
    "type": "function", "name": "weather", "strict": True,
    "parameters": {
        "type": "object", "additionalProperties": False,
        "required": ["city"],
        "properties": {"city": {"enum": ["Paris", "Rome"]}},
    },
}

tests = []


def test(run):
    tests.append(run)
    return run


def ask(model, text, **more):
    return {"model": model, "input": text, "temperature": 0,
            "max_output_tokens": 60, **more}


@test
def text():
    """a text"""

    response = client.responses.create(**ask("text", "Count: 1, 2, 3, 4,",
                                             max_output_tokens=16))

    assert response.status == "incomplete", response
    assert response.output_text, response
    assert response.usage.output_tokens == 16, response.usage


@test
def stream():
    """a stream"""

    with client.responses.stream(**ask("text", "Count: 1, 2, 3, 4,",
                                       max_output_tokens=16)) as stream:
        events = list(stream)

    deltas = [e.delta for e in events
              if e.type == "response.output_text.delta"]

    assert len(deltas) > 1, deltas
    assert events[-1].type == "response.incomplete", events[-1]
    assert "".join(deltas) == events[-1].response.output_text, events[-1]


@test
def parsed():
    """an object of a class"""

    response = client.responses.parse(**ask("tools", "A city?",
                                            text_format=City))

    assert isinstance(response.output_parsed, City), response


@test
def rounds():
    """a call, and its output"""

    more = {"tools": [WEATHER],
            "tool_choice": {"type": "function", "name": "weather"}}
    asked = [{"role": "user", "content": "Rain in Rome?"}]
    call, = client.responses.create(**ask("tools", asked, **more)).output

    assert json.loads(call.arguments)["city"] in ("Paris", "Rome"), call

    asked += [call, {"type": "function_call_output", "output": "No rain.",
                     "call_id": call.call_id}]
    again, = client.responses.create(**ask("tools", asked, **more)).output

    assert again.type == "function_call", again
    assert again.call_id != call.call_id, again


@test
def too_long():
    """an error"""

    try:
        client.responses.create(**ask("text", "far too long " * 2000))

    except openai.BadRequestError as error:
        assert error.code == "context_length_exceeded", error
        return

    raise AssertionError("no error")


def tell(**line):
    print(json.dumps(line), flush=True)


for run in tests:
    try:
        run()
        tell(ok=1, name=run.__doc__)

    except Exception:
        tell(ok=0, name=run.__doc__, why=traceback.format_exc())

tell(plan=len(tests))
sys.exit(0)
