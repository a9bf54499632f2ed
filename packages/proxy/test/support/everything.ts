import { bundledProgram } from '../../../../test/support/bundled-program.ts';

/** Path of the program of the official everything server, which offers every MCP feature. */
export const EVERYTHING = bundledProgram(
  'everything',
  import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
);
