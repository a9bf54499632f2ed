"""Client of the official SDK for Python, version 2: world_client.py TRANSPORT URL, or stdio COMMAND..."""

import asyncio
import os
import sys

from mcp import Client, MCPError, StdioServerParameters
from mcp.client.sse import sse_client


async def expect_echo(client):
    result = await asyncio.wait_for(client.call_tool("echo", {"message": "ahoy"}), 60)
    assert "ahoy" in result.content[0].text, result


async def main(kind, target, *args):
    servers = {
        "stdio": lambda: StdioServerParameters(command=target, args=list(args), env=dict(os.environ)),
        "sse": lambda: sse_client(target),
        "streamable-http": lambda: target,
    }
    async with Client(servers[kind]()) as client:
        assert "echo" in [tool.name for tool in (await client.list_tools()).tools]
        await expect_echo(client)
        if denied := os.environ.get("DENIED_TOOL"):
            try:
                result = await asyncio.wait_for(client.call_tool(denied, {}), 60)
                assert result.is_error, "the denied call succeeded"
            except MCPError:
                pass
            await expect_echo(client)
    print("ok")


asyncio.run(main(*sys.argv[1:]))
