"""Server of the official SDK for Python, version 2: world_server.py TRANSPORT PORT"""

import sys

from mcp.server.mcpserver import MCPServer


def main():
    kind, port = sys.argv[1:3]
    server = MCPServer("python-2")

    @server.tool()
    def echo(message: str) -> str:
        return f"Echo: {message}"

    if kind == "stdio":
        server.run("stdio")
    else:
        server.run(kind, host="127.0.0.1", port=int(port))


if __name__ == "__main__":
    main()
