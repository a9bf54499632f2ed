// Client of a virtual server, with the official SDK for Go: members URL FILE
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type expected struct {
	Tools []string
	Calls []struct {
		Name      string
		Arguments map[string]any
		Seen      string
	}
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	text, err := os.ReadFile(os.Args[2])
	if err != nil {
		log.Fatalf("error: %v", err)
	}
	var wanted expected
	if err := json.Unmarshal(text, &wanted); err != nil {
		log.Fatalf("error: %v", err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "go-sdk", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: os.Args[1]}, nil)
	if err != nil {
		log.Fatalf("error: connect: %v", err)
	}
	defer session.Close()
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		log.Fatalf("error: list: %v", err)
	}
	for _, name := range wanted.Tools {
		if !slices.ContainsFunc(list.Tools, func(tool *mcp.Tool) bool { return tool.Name == name }) {
			log.Fatalf("error: not listed: %s", name)
		}
	}
	for _, call := range wanted.Calls {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: call.Name, Arguments: call.Arguments})
		if err != nil {
			log.Fatalf("error: %s: %v", call.Name, err)
		}
		text, _ := json.Marshal(result)
		if !strings.Contains(string(text), call.Seen) {
			log.Fatalf("error: %s: %s", call.Name, text)
		}
	}
	fmt.Println("ok")
}
