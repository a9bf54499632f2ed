import type { CallToolResult } from '@modelcontextprotocol/client';
import { isJsonObject, nearest } from '@portolan/plugin-api';
import { faultFinder } from './check-arguments.ts';
import { listTools } from './list-offers.ts';
import { mcpArgumentsInvalid, mcpNameUnknown } from './mcp-errors.ts';
import type { OpenServer } from './open-server.ts';
import { type ArgumentSchema, readArguments } from './tool-arguments.ts';

export interface ToolCall {
  readonly tool: string;
  /** `KEY=VALUE` */
  readonly words: readonly string[];
  /** A JSON object, beside them. */
  readonly json: string | undefined;
}

/**
 * Calls a tool. Its arguments are checked before by the schema that the server
 * shows. Throws ERR_MCP_NAME_UNKNOWN, ERR_BAD_ARGUMENT and ERR_MCP_ARGUMENTS.
 */
export async function callTool(
  server: OpenServer,
  { tool: name, words, json }: ToolCall,
  tell: (lines: readonly string[]) => void,
): Promise<CallToolResult> {
  const tools = await listTools(server);
  const tool = tools.find((one) => one.name === name);
  const names = tools.map((one) => one.name);
  if (tool === undefined) throw mcpNameUnknown('tool', name, server.label, nearest(name, names));
  const given = readArguments(words, json, propertiesOf(tool.inputSchema));
  const { find, unusable } = faultFinder(tool.inputSchema, 'arguments');
  if (unusable !== undefined) tell([`note: the arguments were not checked: ${unusable}`]);
  const faults = find(given);
  if (faults.length > 0) throw mcpArgumentsInvalid(name, faults);
  return await server.ask(
    async (client, options) => await client.callTool({ name, arguments: given }, options),
  );
}

function propertiesOf({ properties }: { readonly properties?: unknown }): Record<string, ArgumentSchema> {
  const entries = isJsonObject(properties) ? Object.entries(properties) : [];
  return Object.fromEntries(
    entries.flatMap(([key, schema]) => (isJsonObject(schema) ? [[key, schema] as const] : [])),
  );
}
