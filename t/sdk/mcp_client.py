# OpenAI's SDK for Python and an MCP server at the gateway: a call that is
# approved of, and one in a stream; says what it has got as JSON.

import json
import sys

from openai import OpenAI

client = OpenAI(base_url=sys.argv[1], api_key="key")
server = {"type": "mcp", "server_label": "everything"}

first = client.responses.create(model="sum", input="hi", tools=[server])

request = next(item for item in first.output
               if item.type == "mcp_approval_request")

second = client.responses.create(
    model="sum", tools=[server], previous_response_id=first.id,
    input=[{"type": "mcp_approval_response",
            "approval_request_id": request.id, "approve": True}])

events = []

with client.responses.stream(
        model="sum", input="hi",
        tools=[server | {"require_approval": "never"}]) as stream:
    for event in stream:
        if ".mcp_" in event.type:
            events.append(event.type)

print(json.dumps({
    "asked": [item.type for item in first.output],
    "approved": [item.type for item in second.output],
    "output": second.output[0].output,
    "events": events,
}))
