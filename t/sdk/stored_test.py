# Copyright (C) Open Responses contributors
#
# Stored responses of the server at $BASE; see stored.mjs, which does the same
# in JavaScript.  More than there: items must fit the SDK's own types.

import json
import os
import sys
import time
import traceback

import openai
from openai import OpenAI
from openai.types.responses import (Response, ResponseItem,
                                    ResponseStreamEvent)
from pydantic import TypeAdapter

DIR = os.environ["DIR"]
PATIENCE = 20

tests = []


def customer(key):
    return OpenAI(base_url=os.environ["BASE"], api_key=key, max_retries=0,
                  timeout=PATIENCE)


alice, bob = customer("alice"), customer("bob")


def test(run):
    tests.append((run.__doc__, run))
    return run


def fits(kind, value):
    data = value.to_dict()

    # newer than the specification
    if data.get("usage"):
        data["usage"]["input_tokens_details"]["cache_write_tokens"] = 0

    TypeAdapter(kind).validate_python(data)


def missing(call):
    try:
        call()
    except openai.NotFoundError as e:
        assert e.code == "not_found", e.code
        return

    raise AssertionError("it is there")


def unseen(who, id):
    missing(lambda: who.responses.retrieve(id))
    missing(lambda: who.responses.delete(id))
    missing(lambda: who.responses.cancel(id))
    missing(lambda: who.responses.input_items.list(id))


def until(done):
    end = time.time() + PATIENCE

    while time.time() < end:
        got = done()
        if got:
            return got
        time.sleep(0.02)

    raise AssertionError("takes too long")


def ended(id):
    def done():
        response = alice.responses.retrieve(id)
        fits(Response, response)
        return (response.status not in ("queued", "in_progress")
                and response)

    return until(done)


def noted(name):
    until(lambda: os.path.exists(f"{DIR}/{name}"))


@test
def stored():
    """a response is retrieved and deleted"""

    made = alice.responses.create(model="m", input="hi")
    got = alice.responses.retrieve(made.id)

    assert got.to_dict() == made.to_dict()
    assert got.output_text == "hi!"

    unseen(bob, made.id)
    alice.responses.delete(made.id)
    unseen(alice, made.id)


@test
def listed():
    """its input is listed page by page"""

    last = None

    for text in ("one", "two", "three"):
        last = alice.responses.create(
            model="m", input=text, previous_response_id=last and last.id)

    texts = ["one", "one!", "two", "two!", "three"]

    for order in ("asc", "desc"):
        items = list(alice.responses.input_items.list(last.id, limit=2,
                                                      order=order))
        for item in items:
            fits(ResponseItem, item)
            assert item.status == "completed"

        assert [i.content[0].text for i in items] == texts
        texts.reverse()


@test
def background():
    """one runs in the background"""

    begun = alice.responses.create(model="m", input="later", background=True)

    assert begun.status in ("queued", "in_progress"), begun.status
    fits(Response, begun)

    done = ended(begun.id)

    assert done.status == "completed", done.status
    assert done.output_text == "later!"
    assert alice.responses.cancel(begun.id).status == "completed"


def events(stream):
    all = [event.to_dict() for event in stream]

    for event in all:
        usage = (event.get("response") or {}).get("usage")
        if usage:
            usage["input_tokens_details"]["cache_write_tokens"] = 0
        TypeAdapter(ResponseStreamEvent).validate_python(event)

    return all


def resumed(id, **more):
    return events(alice.responses.retrieve(id, stream=True, **more))


@test
def streamed():
    """a stream is read again, and after each event"""

    all = events(alice.responses.create(model="m", input="hello",
                                        stream=True))
    id = all[0]["response"]["id"]

    assert all[-1]["type"] == "response.completed"
    assert resumed(id) == all

    for n, event in enumerate(all):
        assert resumed(id, starting_after=event["sequence_number"]) \
            == all[n + 1:], n

    missing(lambda: bob.responses.retrieve(id, stream=True))


@test
def followed():
    """a client leaves a stream in the background and comes back"""

    with alice.responses.create(model="m", input="hello", background=True,
                                stream=True) as stream:
        first = next(iter(stream)).to_dict()

    assert first["type"] == "response.created"
    assert first["response"]["status"] == "queued"

    id = first["response"]["id"]
    rest = resumed(id, starting_after=first["sequence_number"])

    assert rest[-1]["type"] == "response.completed"
    assert "".join(e["delta"] for e in rest
                   if e["type"] == "response.output_text.delta") == "hello!"
    assert resumed(id) == [first] + rest


@test
def cancelled():
    """one is cancelled"""

    begun = alice.responses.create(model="m", input="wait py-cancel",
                                   background=True)

    missing(lambda: bob.responses.cancel(begun.id))

    assert alice.responses.cancel(begun.id).status == "cancelled"
    noted("py-cancel-gone")
    assert ended(begun.id).status == "cancelled"


@test
def conversations():
    """a conversation, its items, and turns of it"""

    made = alice.conversations.create(metadata={"topic": "sdk"}, items=[
        {"type": "message", "role": "user", "content": "hello"}])

    assert made.id.startswith("conv_") and made.object == "conversation"
    assert alice.conversations.retrieve(made.id) == made
    missing(lambda: bob.conversations.retrieve(made.id))

    turn = alice.responses.create(model="m", input="and?",
                                  conversation=made.id)

    assert turn.conversation.id == made.id

    added = alice.conversations.items.create(made.id, items=[
        {"type": "message", "role": "user", "content": "aside"}])

    assert len(added.data) == 1
    assert [i.role for i in alice.conversations.items.list(
        made.id, order="asc")] == ["user", "user", "assistant", "user"]

    changed = alice.conversations.update(made.id, metadata={"topic": "x"})

    assert changed.metadata == {"topic": "x"}
    assert alice.conversations.delete(made.id).deleted
    missing(lambda: alice.conversations.retrieve(made.id))


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
