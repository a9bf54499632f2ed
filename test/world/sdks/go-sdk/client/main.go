// Client of the official SDK for Go: client TRANSPORT URL, or client stdio COMMAND...
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	kind, target := os.Args[1], os.Args[2]
	var transport mcp.Transport
	switch kind {
	case "stdio":
		transport = &mcp.CommandTransport{Command: exec.Command(target, os.Args[3:]...)}
	case "sse":
		transport = &mcp.SSEClientTransport{Endpoint: target}
	default:
		transport = &mcp.StreamableClientTransport{Endpoint: target}
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "go-sdk", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, transport, nil)
	if err != nil {
		log.Fatalf("error: connect: %v", err)
	}
	defer session.Close()
	if _, err := session.ListTools(ctx, nil); err != nil {
		log.Fatalf("error: list: %v", err)
	}
	call := func(name string) (*mcp.CallToolResult, error) {
		return session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: map[string]any{"message": "ahoy"}})
	}
	expectEcho := func() {
		result, err := call("echo")
		if err != nil {
			log.Fatalf("error: echo: %v", err)
		}
		if text, ok := result.Content[0].(*mcp.TextContent); !ok || !strings.Contains(text.Text, "ahoy") {
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
