# A server of MCP, made with the package of its inventors: it answers both
# eras.  Arguments: the port.

import sys

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import ToolAnnotations
from pydantic import BaseModel, Field
from typing import Annotated

mcp = MCPServer('open-responses-test')


class Weather(BaseModel):
    city: str
    degrees: float


@mcp.tool(annotations=ToolAnnotations(readOnlyHint=True))
def echo(text: str) -> str:
    """Says what it was told."""
    return text


@mcp.tool()
def weather(city: str) -> Weather:
    """The weather in a city."""
    return Weather(city=city, degrees=21.5)


@mcp.tool()
def region(
    name: Annotated[str, Field(json_schema_extra={'x-mcp-header': 'Region'})],
    count: Annotated[int, Field(json_schema_extra={'x-mcp-header': 'Count'})],
) -> str:
    """Whose arguments are headers, too."""
    return f'{name} {count}'


@mcp.tool()
def broken() -> str:
    """Raises an exception."""
    raise ValueError('it does not work')


@mcp.tool()
async def slow(steps: int, ctx: Context) -> str:
    """Reports its progress."""
    for step in range(steps):
        await ctx.report_progress(step, steps)
    return 'done'


app = mcp.streamable_http_app()

uvicorn.run(app, host='127.0.0.1', port=int(sys.argv[1]),
            log_level='warning')
