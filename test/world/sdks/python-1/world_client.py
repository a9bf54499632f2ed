"""Client of the official SDK for Python, version 1: world_client.py TRANSPORT URL, or stdio COMMAND..."""

import asyncio
import os
import sys
from contextlib import asynccontextmanager

from mcp import ClientSession, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


@asynccontextmanager
async def streams(kind, target, args):
    if kind == "stdio":
        parameters = StdioServerParameters(command=target, args=args, env=dict(os.environ))
        async with stdio_client(parameters) as (read, write):
            yield read, write
    elif kind == "sse":
        async with sse_client(target) as (read, write):
            yield read, write
    else:
        async with streamablehttp_client(target) as (read, write, _):
            yield read, write


async def expect_echo(session):
    result = await asyncio.wait_for(session.call_tool("echo", {"message": "ahoy"}), 60)
    assert "ahoy" in result.content[0].text, result


async def main(kind, target, *args):
    async with streams(kind, target, list(args)) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        assert "echo" in [tool.name for tool in (await session.list_tools()).tools]
        await expect_echo(session)
        if denied := os.environ.get("DENIED_TOOL"):
            try:
                result = await asyncio.wait_for(session.call_tool(denied, {}), 60)
                assert result.isError, "the denied call succeeded"
            except AssertionError:
                raise
            except Exception as error:
                assert type(error).__name__ == "McpError", repr(error)
            await expect_echo(session)
    print("ok")


asyncio.run(main(*sys.argv[1:]))
