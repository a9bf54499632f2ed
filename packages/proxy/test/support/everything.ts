import { bundledProgram } from '../../../../test/support/bundled-program.ts';

/** The program of a real MCP server with every feature. */
export const EVERYTHING = bundledProgram(
  'everything',
  import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
);
