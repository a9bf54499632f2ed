#!/usr/bin/env node
// Server of the official SDK for TypeScript, version 2: server.js TRANSPORT PORT
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const [kind, port] = process.argv.slice(2);

function createEcho() {
  const server = new McpServer({ name: 'typescript-2', version: '1.0.0' });
  server.registerTool('echo', { inputSchema: z.object({ message: z.string() }) }, ({ message }) => ({
    content: [{ type: 'text', text: `Echo: ${message}` }],
  }));
  return server;
}

if (kind === 'stdio') serveStdio(createEcho);
else createServer(toNodeHandler(createMcpHandler(createEcho))).listen(Number(port), '127.0.0.1');
