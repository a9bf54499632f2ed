#!/usr/bin/env node
// Server of the npm package fastmcp: server.js TRANSPORT PORT
import { FastMCP } from 'fastmcp';
import { z } from 'zod';

const [kind, port] = process.argv.slice(2);
const server = new FastMCP({ name: 'npm-fastmcp', version: '1.0.0' });
server.addTool({
  name: 'echo',
  description: 'Returns the message',
  parameters: z.object({ message: z.string() }),
  execute: async ({ message }) => `Echo: ${message}`,
});
await server.start(
  kind === 'stdio'
    ? { transportType: 'stdio' }
    : { transportType: 'httpStream', httpStream: { port: Number(port), host: '127.0.0.1' } },
);
