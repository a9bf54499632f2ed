// Server of the official SDK for Go: server TRANSPORT PORT
package main

import (
	"context"
	"log"
	"net/http"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type message struct {
	Message string `json:"message"`
}

func main() {
	kind, address := os.Args[1], "127.0.0.1:"+os.Args[2]
	server := mcp.NewServer(&mcp.Implementation{Name: "go-sdk", Version: "1.0.0"}, nil)
	echo := func(_ context.Context, _ *mcp.CallToolRequest, in message) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "Echo: " + in.Message}}}, nil, nil
	}
	mcp.AddTool(server, &mcp.Tool{Name: "echo"}, echo)
	find := func(*http.Request) *mcp.Server { return server }
	switch kind {
	case "stdio":
		log.Fatal(server.Run(context.Background(), &mcp.StdioTransport{}))
	case "sse":
		log.Fatal(http.ListenAndServe(address, mcp.NewSSEHandler(find, nil)))
	default:
		log.Fatal(http.ListenAndServe(address, mcp.NewStreamableHTTPHandler(find, nil)))
	}
}
