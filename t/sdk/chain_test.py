# Copyright (C) Open Responses contributors
#
# Conversations that the server at $BASE keeps; see chain.mjs, which does the
# same in JavaScript.

import json
import os
import sys
import traceback

import openai
from openai import OpenAI

ROUNDS = 20
PATIENCE = 20

TOOLS = [{"type": "function", "name": "step",
          "parameters": {"type": "object"}}]

tests = []


def customer(key):
    return OpenAI(base_url=os.environ["BASE"], api_key=key, max_retries=0,
                  timeout=PATIENCE)


alice, bob = customer("alice"), customer("bob")


def test(*args):
    def add(run):
        tests.append((run.__doc__ % tuple(a.__name__ for a in args), run,
                      args))
        return run

    return add


def more(response, text):
    request = {"model": "m", "input": text, "tools": TOOLS}

    if response is not None:
        request["previous_response_id"] = response.id

    return request


def outputs(response):
    return [{"type": "function_call_output", "call_id": item.call_id,
             "output": "done %d" % json.loads(item.arguments)["n"]}
            for item in response.output if item.type == "function_call"]


def create(request):
    return alice.responses.create(**request)


def stream(request):
    with alice.responses.stream(**request) as events:
        for event in events:
            pass

        return events.get_final_response()


def refused(call):
    try:
        call()
    except openai.BadRequestError as error:
        assert error.code == "previous_response_not_found", error.code
        return

    raise AssertionError("it was answered")


@test(create)
@test(stream)
def rounds(ask):
    """rounds of a tool: %s"""

    response = ask(more(None, f"{ROUNDS} steps"))

    for _ in range(ROUNDS):
        assert response.store
        assert response.output[0].type == "function_call"

        after = ask(more(response, outputs(response)))

        assert after.previous_response_id == response.id
        response = after

    assert response.output_text == f"after {ROUNDS} steps"

    response = ask(more(response, "how many?"))
    assert response.output_text == f"after {ROUNDS} steps"

    refused(lambda: bob.responses.create(**more(response, "how many?")))


@test()
def nothing_kept():
    """nothing is kept of store: false"""

    response = create({**more(None, "1 step"), "store": False})

    assert response.store is False
    refused(lambda: create(more(response, outputs(response))))


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
