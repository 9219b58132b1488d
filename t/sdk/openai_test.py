# Copyright (C) Open Responses contributors
#
# OpenAI's SDK for Python against the server at $BASE; see openai.mjs, which
# does the same in JavaScript.  What is beyond it: responses and events must
# fit the SDK's own types, which the SDK itself does not insist on.

import asyncio
import json
import os
import sys
import time
import traceback

import openai
from openai import AsyncOpenAI, OpenAI
from openai.types.responses import (CompactedResponse, Response,
                                    ResponseStreamEvent)
from pydantic import BaseModel, TypeAdapter

BASE, DIR = os.environ["BASE"], os.environ["DIR"]
LONG = 'Zażółć gęślą jaźń 🙂 "quoted" \\ tab\t\n' * 4000
CITIES = ["Paris", "Tokyo", "San José"]
HELLO = "Hello from aimock! 🙂"
PATIENCE = 20

WEATHER = {
    "type": "function", "name": "get_weather", "strict": True,
    "description": "Weather of a city",
    "parameters": {
        "type": "object", "additionalProperties": False,
        "required": ["city", "note"],
        "properties": {"city": {"type": "string"},
                       "note": {"type": "string"}},
    },
}

tests = []


def new_client(kind=OpenAI, base=BASE, key="test-key", retries=0):
    return kind(base_url=base, api_key=key, max_retries=retries,
                timeout=PATIENCE)


client = new_client()


def test(*args):
    def add(run):
        words = tuple(getattr(a, "__name__", a) for a in args)
        tests.append((run.__doc__ % words, run, args))
        return run

    return add


def ask(text, **more):
    return {"model": "aimock", "input": text, **more}


def until_there(name):
    end = time.time() + PATIENCE

    while not os.path.exists(f"{DIR}/{name}"):
        assert time.time() < end, f"{name} never came"
        time.sleep(0.005)


# aimock counts in UTF-16 and cuts a character in two: halves are joined

def deltas(events, kind):
    text = "".join(e.delta for e in events if e.type == f"response.{kind}")

    return text.encode("utf-16", "surrogatepass").decode("utf-16")


def fails(kind, status, code, run, param=None, text=None):
    try:
        run()

    except kind as error:
        assert type(error) is kind, error
        assert getattr(error, "status_code", None) == status, error
        assert error.code == code, error.code
        assert param is None or error.param == param, error.param
        assert text is None or text in error.message, error.message
        return error

    raise AssertionError(f"no {kind.__name__}")


EVENT = TypeAdapter(ResponseStreamEvent)


def check_types(what):
    data = what.to_dict()
    usage = data.get("response", data).get("usage")

    # newer than the specification
    if usage:
        usage["input_tokens_details"]["cache_write_tokens"] = 0

    if isinstance(what, (Response, CompactedResponse)):
        type(what).model_validate(data)
    else:
        EVENT.validate_python(data)


# ways to get an answer; each gives the final response


def plainly(body):
    response = client.responses.create(**body)

    check_types(response)
    return response


def streamed(body):
    with client.responses.create(**body, stream=True) as stream:
        events = list(stream)

    for event in events:
        check_types(event)

    assert [e.sequence_number for e in events] == list(range(len(events)))
    assert events[0].type == "response.created", events[0]

    response = events[-1].response

    assert response.id == events[0].response.id
    assert deltas(events, "output_text.delta") == response.output_text

    for n, item in enumerate(response.output):
        own = [e for e in events if getattr(e, "output_index", None) == n]

        if item.type == "function_call":
            assert deltas(own, "function_call_arguments.delta") \
                == item.arguments

    return response


def helped(body):
    with client.responses.stream(**body) as stream:
        return stream.get_final_response()


def asynchronously(body):
    async def run():
        async with new_client(AsyncOpenAI) as own:
            async with own.responses.stream(**body) as stream:
                return await stream.get_final_response()

    return asyncio.run(run())


WAYS = (plainly, streamed, helped, asynchronously)


def each_way(run):
    for way in WAYS:
        tests.append((f"{run.__doc__}, {way.__name__}", run, (way,)))


# ---- text


@each_way
def text(way):
    """text"""

    r = way(ask("say hello"))

    assert r.output_text == HELLO
    assert r.status == "completed"
    assert r.model == "aimock"
    assert r.error is None
    assert r.id.startswith("resp_")
    assert r.usage.input_tokens > 0 and r.usage.output_tokens > 0
    assert r.usage.total_tokens \
        == r.usage.input_tokens + r.usage.output_tokens


@each_way
def long_text(way):
    """a long text"""

    assert way(ask("say much")).output_text == LONG


@test()
def helper_events():
    """stream helper, event by event"""

    with client.responses.stream(**ask("say hello")) as stream:
        events = list(stream)

    seen = [e.snapshot for e in events
            if e.type == "response.output_text.delta"]

    assert len(seen) > 2 and seen[-1] == HELLO
    assert events[-1].type == "response.completed"


@test()
def parameters():
    """instructions, roles and parameters"""

    r = client.responses.create(
        model="mock-text", instructions="Be brief.", temperature=0.25,
        top_p=0.5, max_output_tokens=100, parallel_tool_calls=False,
        metadata={"ticket": "7"}, tools=[WEATHER], tool_choice="auto",
        input=[{"role": "developer", "content": "Speak up."},
               {"role": "user", "content": "Hi"}])

    assert r.output_text == "Hello"
    assert r.instructions == "Be brief."
    assert (r.temperature, r.top_p) == (0.25, 0.5)
    assert r.max_output_tokens == 100
    assert r.parallel_tool_calls is False
    assert r.metadata == {"ticket": "7"}
    assert [t.to_dict() for t in r.tools] == [WEATHER]


@test()
def image():
    """an image goes along"""

    r = client.responses.create(model="mock-image", input=[
        {"role": "user", "content": [
            {"type": "input_text", "text": "What is it?"},
            {"type": "input_image", "detail": "low",
             "image_url": "data:image/png;base64,iVBORw0KGgo="}]}])

    assert r.output_text == "Hello"


@test()
def many():
    """many at once"""

    async def one(own, n):
        if n % 2:
            return await own.responses.create(**ask("say hello"))

        async with own.responses.stream(**ask("say hello")) as stream:
            return await stream.get_final_response()

    async def run():
        async with new_client(AsyncOpenAI) as own:
            return await asyncio.gather(*(one(own, n) for n in range(24)))

    answers = asyncio.run(run())

    assert len({r.id for r in answers}) == 24
    assert all(r.output_text == HELLO for r in answers)


# ---- the end of an answer


@test()
def incomplete():
    """cut by length"""

    for way in (plainly, streamed):
        r = way(ask("count", max_output_tokens=16))

        assert r.status == "incomplete"
        assert r.incomplete_details.reason == "max_output_tokens"
        assert r.output_text == "one, two, thr"


@test()
def incomplete_helper():
    """cut by length, stream helper"""

    with client.responses.stream(**ask("count")) as stream:
        last = list(stream)[-1]

    assert last.type == "response.incomplete"
    assert last.response.incomplete_details.reason == "max_output_tokens"


@test()
def refusal():
    """a refusal"""

    r = client.responses.create(model="mock-refusal", input="x")

    assert r.output[0].content[0].refusal == "I will not."

    with client.responses.create(model="mock-refusal-stream", input="x",
                                 stream=True) as stream:
        assert deltas(list(stream), "refusal.delta") == "I will not."


# ---- reasoning


@each_way
def reasoning(way):
    """reasoning, and sent back"""

    r = way(ask("think", reasoning={"effort": "low", "summary": "auto"}))

    assert r.output[0].summary[0].text == "Six times seven. Long known."
    assert r.output_text == "It is 42."

    again = way(ask([{"role": "user", "content": "think"}, *r.output,
                     {"role": "user", "content": "say hello"}]))

    assert again.output_text == HELLO


# ---- tools


def round_trip(way, word, cities, answer):
    question = [{"role": "user", "content": word}]
    r = way(ask(question, tools=[WEATHER]))
    calls = [item for item in r.output if item.type == "function_call"]

    assert r.status == "completed"
    assert [json.loads(c.arguments) for c in calls] \
        == [{"city": city, "note": 'a "quoted" café 日本'}
            for city in cities]
    assert [c.call_id for c in calls] \
        == [f"call_{n}" for n in range(len(cities))]
    assert all(c.name == "get_weather" and c.status == "completed"
               for c in calls)

    outputs = [{"type": "function_call_output", "call_id": c.call_id,
                "output": f"sun in {json.loads(c.arguments)['city']}"}
               for c in calls]

    after = way(ask([*question, *r.output, *outputs], tools=[WEATHER]))

    assert after.output_text == answer, after.output_text
    return r


@each_way
def tool(way):
    """a tool and its answer"""

    round_trip(way, "one city", CITIES[:1], "The tools said: sun in Paris.")


@each_way
def tools(way):
    """three tools at once"""

    round_trip(way, "three cities", CITIES, "The tools said: sun in Paris,"
               " sun in Tokyo, sun in San José.")


@each_way
def text_and_tool(way):
    """text before a tool"""

    r = round_trip(way, "talk first", ["Oslo"],
                   "The tools said: sun in Oslo.")

    assert [item.type for item in r.output] == ["message", "function_call"]


# ---- structured output


class Weather(BaseModel):
    city: str
    degrees: float
    rain: bool


@test()
def parse():
    """structured output"""

    r = client.responses.parse(**ask("as json"), text_format=Weather)

    assert r.output_parsed == Weather(city="Paris", degrees=21.5, rain=False)


@test()
def parse_streamed():
    """structured output, stream helper"""

    with client.responses.stream(**ask("as json"),
                                 text_format=Weather) as stream:
        r = stream.get_final_response()

    assert r.output_parsed == Weather(city="Paris", degrees=21.5, rain=False)


# ---- errors


@test()
def bad_type():
    """400: a value of the wrong type"""

    error = fails(openai.BadRequestError, 400, "invalid_type",
                  lambda: plainly(ask("hi", temperature="hot")),
                  param="temperature")

    assert error.type == "invalid_request"


@test()
def bad_stream():
    """400: a stream that is never begun"""

    fails(openai.BadRequestError, 400, "integer_above_max_value",
          lambda: streamed(ask("hi", top_logprobs=21)),
          param="top_logprobs")


@test()
def wrong_key():
    """401: a wrong key"""

    fails(openai.AuthenticationError, 401, "invalid_api_key",
          lambda: new_client(key="wrong").responses.create(**ask("hi")))


@test()
def no_model():
    """404: a model that is not there"""

    fails(openai.NotFoundError, 404, "model_not_found",
          lambda: plainly({"model": "nobody", "input": "hi"}),
          param="model", text="nobody")


@test()
def limited():
    """429: a limit of nginx"""

    own = new_client(base=f"{BASE}/limited")

    own.responses.create(**ask("say hello"))
    fails(openai.RateLimitError, 429, "rate_limit_exceeded",
          lambda: own.responses.create(**ask("say hello")))


@test(400, openai.BadRequestError, "context_length_exceeded")
@test(404, openai.NotFoundError, "model_not_found")
@test(429, openai.RateLimitError, "rate_limit_exceeded")
@test(500, openai.InternalServerError, "server_error")
@test(503, openai.InternalServerError, "server_is_overloaded")
def refused(status, kind, code):
    """%d of the model server: %s, %s"""

    for way in WAYS:
        error = fails(kind, status, code,
                      lambda: way(ask(f"error {status}")))

        if status == 429:
            assert error.response.headers["retry-after"] == "7"


@test("mock-cut", "upstream_disconnected")
@test("mock-error", "server_error")
@test("aimock", "upstream_disconnected")
def breaks(model, code):
    """a stream that fails, %s, %s"""

    body = {"model": model, "input": "cut"}

    for begin in (lambda: client.responses.create(**body, stream=True),
                  lambda: client.responses.stream(**body)):
        seen = []

        with begin() as stream:
            fails(openai.APIError, None, code,
                  lambda: seen.extend(e.type for e in note(stream, seen)))

        assert "response.output_text.delta" in seen


def note(stream, seen):
    for event in stream:
        seen.append(event.type)

    return []


# ---- retries


@test()
def retry_after():
    """a 429 with retry-after is tried again, and not too early"""

    start = time.time()
    r = new_client(retries=1).responses.create(model="mock-busy", input="x")

    assert r.output_text == "Hello"
    assert time.time() - start >= 1


@test()
def retry():
    """a 503 is tried again, a 400 is not"""

    again = new_client(retries=1)

    with again.responses.stream(model="mock-down", input="x") as stream:
        assert stream.get_final_response().output_text == "Hello"

    fails(openai.BadRequestError, 400, "invalid_request_error",
          lambda: again.responses.create(model="mock-no", input="x"))


# ---- compaction


@test()
def compaction():
    """a conversation is compacted, and goes on"""

    c = client.responses.compact(model="mock-summary", input=[
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello"}])

    check_types(c)
    assert [i.type for i in c.output] == ["compaction"]
    assert c.usage.total_tokens > 0

    r = client.responses.create(model="mock-summary", input=[
        *(i.to_dict() for i in c.output),
        {"role": "user", "content": "Go on"}])

    assert r.output_text == "Hello"


@test()
def compaction_in_stream():
    """a compaction in a stream"""

    with client.responses.create(
            model="mock-trigger", stream=True,
            input=[{"role": "user", "content": "Hi"},
                   {"type": "compaction_trigger"}]) as stream:
        events = list(stream)

    for event in events:
        check_types(event)

    assert [e.type for e in events] == [
        "response.created", "response.in_progress",
        "response.output_item.added", "response.output_item.done",
        "response.completed"]
    assert events[-1].response.output[0].type == "compaction"


@test()
def compaction_due():
    """a compaction in front of an answer"""

    with client.responses.create(
            model="mock-due", stream=True, store=False,
            context_management=[{"type": "compaction",
                                 "compact_threshold": 1000}],
            input=[{"role": "user", "content": "Hi " * 2000},
                   {"role": "assistant", "content": "Hello"},
                   {"role": "user", "content": "Go on"}]) as stream:
        events = list(stream)

    for event in events:
        check_types(event)

    done = events[-1].response

    assert [i.type for i in done.output] == ["compaction", "message"]
    assert done.output_text == "Hello"


# ---- a count


@test()
def count():
    """the tokens of a request"""

    c = client.responses.input_tokens.count(
        model="mock-count", input="Hi", instructions="Be brief.",
        tools=[{"type": "function", "name": "f", "parameters": {},
                "strict": False}])

    assert (c.object, c.input_tokens) == ("response.input_tokens", 7)


# ---- leaving early


@test()
def left():
    """a stream that is left"""

    with client.responses.create(model="mock-hang-stream", input="x",
                                 stream=True) as stream:
        for event in stream:
            if event.type == "response.output_text.delta":
                break

    until_there("hang-stream-gone")


@test()
def cancelled():
    """a task that is cancelled"""

    async def run():
        async with new_client(AsyncOpenAI) as own:
            begun = asyncio.Event()

            async def read():
                async with own.responses.stream(model="mock-hang-abort",
                                                input="x") as stream:
                    async for event in stream:
                        if event.type == "response.output_text.delta":
                            begun.set()

            task = asyncio.create_task(read())

            await begun.wait()
            task.cancel()

            try:
                await task
            except asyncio.CancelledError:
                return

            raise AssertionError("not cancelled")

    asyncio.run(run())
    until_there("hang-abort-gone")


@test()
def too_long():
    """an answer that takes too long"""

    try:
        client.responses.create(model="mock-hang-plain", input="x",
                                timeout=0.3)
    except openai.APITimeoutError:
        until_there("hang-plain-gone")
        return

    raise AssertionError("no time-out")


# ---- all of them


def tell(**line):
    print(json.dumps(line), flush=True)


for name, run, args in tests:
    try:
        run(*args)
        tell(ok=1, name=name)

    except Exception:
        tell(ok=0, name=name, why=traceback.format_exc())

tell(plan=len(tests))
sys.exit(0)
