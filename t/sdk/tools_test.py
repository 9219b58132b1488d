# Copyright (C) Open Responses contributors
#
# Tools that run at the server at $BASE; see tools.mjs, which does the same in
# JavaScript.  What is beyond it: responses and events must fit the SDK's own
# types, which the SDK itself does not insist on.

import asyncio
import json
import os
import sys
import traceback

import openai
from openai import AsyncOpenAI, OpenAI
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter

OPTIONS = {"base_url": os.environ["BASE"], "api_key": "test-key",
           "max_retries": 0, "timeout": 20}
MCP = {"type": "mcp", "server_label": "docs"}
EVENT = TypeAdapter(ResponseStreamEvent)

client = OpenAI(**OPTIONS)
tests = []


def check_types(what):
    data = what.to_dict()
    usage = data.get("response", data).get("usage")

    # newer than the specification
    if usage:
        usage["input_tokens_details"]["cache_write_tokens"] = 0

    if isinstance(what, Response):
        Response.model_validate(data)
    else:
        EVENT.validate_python(data)


def plainly(**request):
    response = client.responses.create(**request)

    check_types(response)
    return response


def streamed(**request):
    with client.responses.create(**request, stream=True) as stream:
        events = list(stream)

    for event in events:
        check_types(event)

    assert events[-1].type == "response.completed", events[-1]

    items = [event.item for event in events
             if event.type == "response.output_item.done"]

    assert events[-1].response.output == items
    return events[-1].response


def helper(**request):
    with client.responses.stream(**request) as stream:
        return stream.get_final_response()


def in_parallel(**request):
    async def run():
        async with AsyncOpenAI(**OPTIONS) as many:
            return await many.responses.create(**request)

    return asyncio.run(run())


WAYS = [plainly, streamed, helper, in_parallel]


def each(*ways):
    def add(run):
        for way in ways or WAYS:
            def ask(model, way=way, **more):
                return way(model=model, **{"input": "hi", **more})

            tests.append((f"{run.__doc__}, {way.__name__}",
                          lambda ask=ask: run(ask)))

        return run

    return add


def types(response):
    return [item.type for item in response.output]


def refused(kind, code, run):
    try:
        run()
    except kind as error:
        assert error.code == code, error.code
        return

    raise AssertionError(f"no {kind.__name__}")


@each()
def function(ask):
    """a function"""

    r = ask("clock")

    assert types(r) == ["function_call", "function_call_output", "message"]
    assert r.output[0].arguments == '{"zone":"UTC"}'
    assert r.output[1].output == "12:00"
    assert r.output_text == "Read: 12:00"


@each()
def function_of_the_client(ask):
    """a function, and one of the client"""

    tools = [{"type": "function", "name": "mine", "strict": None,
              "parameters": {"type": "object"}}]
    first = ask("both", tools=tools)

    (call,) = [item for item in first.output
               if getattr(item, "name", None) == "mine"]

    second = ask("both", tools=tools, previous_response_id=first.id, input=[
        {"type": "function_call_output", "output": "yes",
         "call_id": call.call_id}])

    assert types(second) == ["message"]
    assert second.output_text == "Read: 12:00; yes"


@each()
def hosted_types(ask):
    """a search, files and code"""

    r = ask("search", tools=[{"type": "web_search"}],
            include=["web_search_call.action.sources"])

    assert types(r) == ["web_search_call", "message"]
    assert r.output[0].action.query == "news"
    assert r.output[0].action.sources[0].url == "https://example.org/"
    assert r.output_text == "Read: much is new"

    r = ask("files", include=["file_search_call.results"], tools=[
        {"type": "file_search", "vector_store_ids": ["vs_1"]}])

    assert r.output[0].results[0].filename == "a.txt"

    r = ask("code", include=["code_interpreter_call.outputs"], tools=[
        {"type": "code_interpreter", "container": {"type": "auto"}}])

    assert r.output[0].code == "print(2)"
    assert r.output[0].outputs[0].logs == "2\n"


@each()
def server(ask):
    """an MCP server"""

    tools = [{**MCP, "require_approval": "never"}]
    r = ask("read", tools=tools)

    assert types(r) == ["mcp_list_tools", "mcp_call", "mcp_call", "message"]
    assert [t.name for t in r.output[0].tools] == ["read", "write", "broken"]
    assert [i.output for i in r.output[1:3]] == ["read a", "read b"]
    assert r.output_text == "Read: read a; read b"

    r = ask("broken", tools=tools)

    assert r.output[1].status == "failed"
    assert r.output_text == "Read: no disk"


@each(plainly, streamed, helper)
def approvals(ask):
    """approvals"""

    first = ask("write", tools=[MCP])
    request = first.output[-1]

    assert types(first) == ["mcp_list_tools", "message",
                            "mcp_approval_request"]
    assert (request.server_label, request.name) == ("docs", "write")
    assert request.arguments == '{"name":"c"}'

    def answer(**more):
        return ask("write", tools=[MCP], previous_response_id=first.id,
                   input=[{"type": "mcp_approval_response",
                           "approval_request_id": request.id, **more}])

    declined = answer(approve=False, reason='too "bold"')

    assert types(declined) == ["message"]
    assert declined.output_text.endswith('declined this call: too "bold"')

    approved = answer(approve=True)

    assert types(approved) == ["mcp_call", "message"]
    assert approved.output[0].approval_request_id == request.id
    assert approved.output[0].output == "write c"
    assert approved.output_text == "Read: write c"

    kept = client.responses.retrieve(approved.id)

    check_types(kept)
    assert kept.output_text == approved.output_text
    assert kept.output[0] == approved.output[0]

    items = client.responses.input_items.list(approved.id, order="asc").data

    assert [item.type for item in items][-1] == "mcp_approval_response"

    # a stream has begun by then
    refused(openai.APIError, "approval_already_used",
            lambda: answer(approve=True))


@each(plainly)
def label(ask):
    """a label that is not configured"""

    refused(openai.BadRequestError, "unknown_server",
            lambda: ask("read", tools=[{**MCP, "server_label": "other"}]))


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
