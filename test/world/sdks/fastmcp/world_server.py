"""Server of FastMCP: world_server.py TRANSPORT PORT"""

import sys

from fastmcp import FastMCP


def main():
    kind, port = sys.argv[1:3]
    server = FastMCP("fastmcp")

    @server.tool
    def echo(message: str) -> str:
        return f"Echo: {message}"

    if kind == "stdio":
        server.run(transport="stdio")
    else:
        server.run(transport=kind, host="127.0.0.1", port=int(port))


if __name__ == "__main__":
    main()
