"""Client of FastMCP: world_client.py TRANSPORT URL, or stdio COMMAND..."""

import asyncio
import os
import sys

from fastmcp import Client
from fastmcp.client.transports import SSETransport, StdioTransport, StreamableHttpTransport


async def expect_echo(client):
    result = await asyncio.wait_for(client.call_tool("echo", {"message": "ahoy"}), 60)
    assert "ahoy" in result.content[0].text, result


async def main(kind, target, *args):
    transports = {
        "stdio": lambda: StdioTransport(command=target, args=list(args), env=dict(os.environ)),
        "sse": lambda: SSETransport(target),
        "streamable-http": lambda: StreamableHttpTransport(target),
    }
    async with Client(transports[kind]()) as client:
        assert "echo" in [tool.name for tool in await client.list_tools()]
        await expect_echo(client)
        if denied := os.environ.get("DENIED_TOOL"):
            failure = None
            try:
                await asyncio.wait_for(client.call_tool(denied, {}), 60)
            except Exception as error:
                failure = type(error).__name__
            assert failure in ("McpError", "MCPError", "ToolError"), failure
            await expect_echo(client)
    print("ok")


asyncio.run(main(*sys.argv[1:]))
