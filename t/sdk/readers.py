# Copyright (C) Open Responses contributors
#
# Reads requests as Python does: readers.py json|orjson|pydantic LEVELS. The
# last one is how vLLM does it: FastAPI gives the document that json has read
# to a model that takes more members than it has.  See t/readers.t for lines
# and form.

import json
import struct
import sys
from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict

LEVELS = json.loads(sys.argv[2])


class Request(BaseModel):
    model_config = ConfigDict(extra='allow')

    include: list[str] | None = None
    input: str | list[dict[str, Any]] | None = None
    instructions: str | None = None
    max_output_tokens: int | None = None
    metadata: dict[str, Any] | None = None
    model: str | None = None
    previous_response_id: str | None = None
    stream: bool | None = None
    temperature: float | None = None
    tool_choice: Any = None
    tools: list[dict[str, Any]] | None = None
    top_p: float | None = None
    truncation: str | None = None


def text_of(value):
    """lone surrogates as what they become when they are sent on"""
    return value.encode('utf-16-le', 'surrogatepass') \
        .decode('utf-16-le', 'replace').encode()


def form(value):
    if value is None:
        return 'n'

    if value is True or value is False:
        return 't' if value else 'f'

    if isinstance(value, str):
        return 's' + text_of(value).hex()

    if isinstance(value, (int, float)):
        try:
            value = float(value)
        except OverflowError:
            value = float('inf') if value > 0 else float('-inf')

        return 'd' + struct.pack('>d', value or 0.0).hex()

    if isinstance(value, list):
        return '[' + ''.join(map(form, value)) + ']'

    return '{' + ''.join(f's{key.hex()}={form(v)};' for key, v in
                         sorted({ text_of(k): v
                                  for k, v in value.items() }.items())) + '}'


def members(value, level):
    if not isinstance(value, dict):
        return form(value)

    text = ''

    for name, below in LEVELS[level]:
        v = value.get(name)

        if v is not None:
            text += name + '=' + ('[' + ''.join(members(e, below) for e in v)
                                  + ']' if below and isinstance(v, list)
                                  else form(v)) + ';'

    return '{' + text + '}'


def pydantic(body):
    return Request.model_validate(json.loads(body)).model_dump()


read = { 'json': json.loads, 'orjson': orjson.loads,
         'pydantic': pydantic }[sys.argv[1]]

for line in sys.stdin:
    try:
        text = members(read(bytes.fromhex(line)), 'request')
    except (ValueError, RecursionError):
        text = '-'

    print(text)
