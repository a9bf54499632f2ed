"""Server of the official SDK for Python, version 1: world_server.py TRANSPORT PORT"""

import sys

from mcp.server.fastmcp import FastMCP


def main():
    kind, port = sys.argv[1:3]
    server = FastMCP("python-1", host="127.0.0.1", port=int(port))

    @server.tool()
    def echo(message: str) -> str:
        return f"Echo: {message}"

    server.run(transport=kind)


if __name__ == "__main__":
    main()
