// Client of mcp-go: client TRANSPORT URL, or client stdio COMMAND...
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

func open(ctx context.Context, kind, target string) (*client.Client, error) {
	if kind == "stdio" {
		return client.NewStdioMCPClient(target, os.Environ(), os.Args[3:]...)
	}
	var opened *client.Client
	var err error
	if kind == "sse" {
		opened, err = client.NewSSEMCPClient(target)
	} else {
		opened, err = client.NewStreamableHttpClient(target)
	}
	if err != nil {
		return nil, err
	}
	return opened, opened.Start(ctx)
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	session, err := open(ctx, os.Args[1], os.Args[2])
	if err != nil {
		log.Fatalf("error: connect: %v", err)
	}
	defer session.Close()
	hello := mcp.InitializeRequest{}
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "mcp-go", Version: "1.0.0"}
	if _, err := session.Initialize(ctx, hello); err != nil {
		log.Fatalf("error: initialize: %v", err)
	}
	if _, err := session.ListTools(ctx, mcp.ListToolsRequest{}); err != nil {
		log.Fatalf("error: list: %v", err)
	}
	call := func(name string) (*mcp.CallToolResult, error) {
		request := mcp.CallToolRequest{}
		request.Params.Name = name
		request.Params.Arguments = map[string]any{"message": "ahoy"}
		return session.CallTool(ctx, request)
	}
	expectEcho := func() {
		result, err := call("echo")
		if err != nil {
			log.Fatalf("error: echo: %v", err)
		}
		if text, ok := result.Content[0].(mcp.TextContent); !ok || !strings.Contains(text.Text, "ahoy") {
			log.Fatalf("error: unexpected result: %v", result)
		}
	}
	expectEcho()
	if denied := os.Getenv("DENIED_TOOL"); denied != "" {
		if result, err := call(denied); err == nil && !result.IsError {
			log.Fatal("error: the denied call succeeded")
		}
		expectEcho()
	}
	fmt.Println("ok")
}
