#!/usr/bin/env node
// Server of the official SDK for TypeScript, version 1: server.js TRANSPORT PORT
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const [kind, port] = process.argv.slice(2);
const sessions = new Map();

function createEcho() {
  const server = new McpServer({ name: 'typescript-1', version: '1.0.0' });
  server.registerTool('echo', { inputSchema: { message: z.string() } }, ({ message }) => ({
    content: [{ type: 'text', text: `Echo: ${message}` }],
  }));
  return server;
}

async function serveHttp(request, response) {
  const known = sessions.get(request.headers['mcp-session-id']);
  if (known !== undefined) {
    await known.handleRequest(request, response);
    return;
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => sessions.set(id, transport),
  });
  await createEcho().connect(transport);
  await transport.handleRequest(request, response);
}

async function serveSse(request, response) {
  if (request.method === 'GET') {
    const transport = new SSEServerTransport('/messages', response);
    sessions.set(transport.sessionId, transport);
    await createEcho().connect(transport);
    return;
  }
  const id = new URL(request.url, 'http://server').searchParams.get('sessionId');
  await sessions.get(id)?.handlePostMessage(request, response);
}

if (kind === 'stdio') await createEcho().connect(new StdioServerTransport());
else createServer(kind === 'sse' ? serveSse : serveHttp).listen(Number(port), '127.0.0.1');
