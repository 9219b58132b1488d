# Copyright (C) Open Responses contributors
#
# OpenAI's SDK for Python through a validator; see validator.mjs, which does the
# same in JavaScript.

import json
import os
import sys
import traceback
import warnings

import openai
from openai import OpenAI
from pydantic import BaseModel

BASE, AIMOCK = os.environ["BASE"], os.environ["AIMOCK"]
HELLO = "Hello from aimock! 🙂"
CITIES = ["Paris", "Tokyo", "San José"]
PATIENCE = 20

# the SDK's own, about what it has parsed and sends back
warnings.filterwarnings("ignore", module="pydantic")

ABOUT = {
    "name": "get_weather", "strict": True,
    "parameters": {
        "type": "object", "additionalProperties": False,
        "required": ["city", "note"],
        "properties": {"city": {"type": "string"},
                       "note": {"type": "string"}},
    },
}


class Weather(BaseModel):
    city: str
    degrees: float
    rain: bool


PARSED = Weather(city="Paris", degrees=21.5, rain=False)

tests = []


def client(base):
    return OpenAI(base_url=base, api_key="test-key", max_retries=0,
                  timeout=PATIENCE)


def both(run):
    for name, base in (("gateway", BASE), ("aimock", AIMOCK)):
        tests.append((f"{name}, {run.__doc__}", run, client(base)))


def aimock(run):
    tests.append((f"aimock, {run.__doc__}", run, client(AIMOCK)))


def gateway(run):
    tests.append((f"gateway, {run.__doc__}", run, client(BASE)))


def chat(text, **more):
    return {"model": "aimock",
            "messages": [{"role": "user", "content": text}], **more}


def ask(text, **more):
    return {"model": "aimock", "input": text, **more}


def fails(kind, code, run):
    try:
        run()

    except kind as error:
        assert type(error) is kind, error
        assert error.code == code, error.code
        return

    raise AssertionError(f"no {kind.__name__}")


# ---- chat completions, embeddings and models


@both
def chat_text(own):
    """chat: text"""

    r = own.chat.completions.create(**chat("say hello", temperature=0.5,
                                           n=1, seed=7, stop=["never"]))

    assert r.choices[0].message.content == HELLO
    assert r.model == "aimock"


@both
def chat_streamed(own):
    """chat: streamed"""

    stream = own.chat.completions.create(
        **chat("say hello"), stream=True,
        stream_options={"include_usage": True})
    text = "".join(c.choices[0].delta.content or ""
                   for c in stream if c.choices)

    # aimock cuts a character in two: halves are joined
    assert text.encode("utf-16", "surrogatepass").decode("utf-16") == HELLO


@both
def chat_tools(own):
    """chat: tools and their answers"""

    asked = chat("three cities",
                 tools=[{"type": "function", "function": ABOUT}])

    with own.chat.completions.stream(**asked) as stream:
        message = stream.get_final_completion().choices[0].message

    assert [json.loads(c.function.arguments)["city"]
            for c in message.tool_calls] == CITIES

    asked["messages"] += [message] + [
        {"role": "tool", "tool_call_id": c.id, "content": "sun"}
        for c in message.tool_calls]

    r = own.chat.completions.create(**asked)

    assert r.choices[0].message.content == "The tools said: sun, sun, sun."


@both
def chat_parsed(own):
    """chat: structured output, and sent back"""

    asked = chat("as json", response_format=Weather)
    message = own.chat.completions.parse(**asked).choices[0].message

    assert message.parsed == PARSED

    again = own.chat.completions.create(**chat("", messages=[
        *asked["messages"], message,
        {"role": "user", "content": "say hello"}]))

    assert again.choices[0].message.content == HELLO


@both
def chat_wrong(own):
    """chat: a request that is wrong"""

    fails(openai.BadRequestError, "invalid_type",
          lambda: own.chat.completions.create(**chat("", temperature="hot")))


@both
def chat_cut(own):
    """chat: a stream that is cut"""

    fails(openai.APIError, "upstream_disconnected",
          lambda: list(own.chat.completions.create(**chat("cut"),
                                                   stream=True)))


@both
def embeddings(own):
    """embeddings"""

    r = own.embeddings.create(model="aimock", input="some words",
                              encoding_format="float")

    assert r.data[0].embedding == [0.5, -0.25, 1]


@gateway
def embeddings_bytes(own):
    """embeddings as bytes"""

    r = own.embeddings.create(model="mock-vectors", input=["one", "two"])

    assert [d.embedding for d in r.data] == [[0.5, -0.25, 1], [0, 2, -4]]
    assert r.model == "mock-vectors"


@both
def models(own):
    """models"""

    assert all(m.id and m.object == "model" for m in own.models.list())


# ---- aimock's own responses


@aimock
def text(own):
    """text"""

    r = own.responses.create(**ask("say hello"))

    assert r.output_text == HELLO
    assert (r.tools, r.parallel_tool_calls) == ([], True)
    assert r.usage.output_tokens_details.reasoning_tokens == 0


@aimock
def streamed(own):
    """streamed"""

    events = list(own.responses.create(**ask("say hello"), stream=True))

    assert [e.sequence_number for e in events] == list(range(len(events)))
    assert events[-1].type == "response.completed"


@aimock
def tools(own):
    """tools and their answers"""

    asked = [{"role": "user", "content": "three cities"}]
    functions = [{"type": "function", **ABOUT}]

    with own.responses.stream(**ask(asked, tools=functions)) as stream:
        r = stream.get_final_response()

    assert [json.loads(c.arguments)["city"] for c in r.output] == CITIES

    answer = own.responses.create(**ask([*asked, *r.output, *(
        {"type": "function_call_output", "call_id": c.call_id,
         "output": "sun"} for c in r.output)], tools=functions))

    assert answer.output_text == "The tools said: sun, sun, sun."


@aimock
def structured(own):
    """structured output"""

    r = own.responses.parse(**ask("as json"), text_format=Weather)

    assert r.output_parsed == PARSED


@aimock
def refused(own):
    """errors"""

    for status, kind, code in (
            (400, openai.BadRequestError, "context_length_exceeded"),
            (401, openai.AuthenticationError, "invalid_api_key"),
            (403, openai.PermissionDeniedError, None),
            (404, openai.NotFoundError, "model_not_found"),
            (429, openai.RateLimitError, "rate_limit_exceeded"),
            (500, openai.InternalServerError, None)):
        fails(kind, code,
              lambda: own.responses.create(**ask(f"error {status}")))


@aimock
def cut(own):
    """streams that are cut or contradict themselves"""

    for text, code in (("cut", "upstream_disconnected"),
                       ("count", "invalid_upstream_answer")):
        fails(openai.APIError, code,
              lambda: list(own.responses.create(**ask(text), stream=True)))


# ---- all of them


def tell(**line):
    print(json.dumps(line), flush=True)


for name, run, own in tests:
    try:
        run(own)
        tell(ok=1, name=name)

    except Exception:
        tell(ok=0, name=name, why=traceback.format_exc())

tell(plan=len(tests))
sys.exit(0)
