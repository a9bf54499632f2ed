"""Client of a virtual server, with the official SDK for Python, version 1: world_members.py URL FILE"""

import asyncio
import json
import sys
from pathlib import Path

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client


async def main(url, file):
    expected = json.loads(Path(file).read_text())
    async with streamablehttp_client(url) as (read, write, _), ClientSession(read, write) as session:
        await session.initialize()
        names = [tool.name for tool in (await session.list_tools()).tools]
        missing = [name for name in expected["tools"] if name not in names]
        assert not missing, f"not listed: {missing}"
        for call in expected["calls"]:
            result = await asyncio.wait_for(session.call_tool(call["name"], call["arguments"]), 60)
            assert call["seen"] in result.model_dump_json(), result
    print("ok")


asyncio.run(main(*sys.argv[1:]))
