// Server of mcp-go: server TRANSPORT PORT
package main

import (
	"context"
	"log"
	"os"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func main() {
	kind, address := os.Args[1], "127.0.0.1:"+os.Args[2]
	echo := server.NewMCPServer("mcp-go", "1.0.0")
	tool := mcp.NewTool("echo", mcp.WithString("message", mcp.Required()))
	echo.AddTool(tool, func(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("Echo: " + request.GetString("message", "")), nil
	})
	switch kind {
	case "stdio":
		log.Fatal(server.ServeStdio(echo))
	case "sse":
		log.Fatal(server.NewSSEServer(echo).Start(address))
	default:
		log.Fatal(server.NewStreamableHTTPServer(echo).Start(address))
	}
}
