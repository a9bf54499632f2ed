import { fileURLToPath } from 'node:url';

/** The program of a real MCP server with every feature. */
export const EVERYTHING = fileURLToPath(
  import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
);
