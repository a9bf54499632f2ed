import type { CallToolResult } from '@modelcontextprotocol/client';
import { isJsonObject } from '@portolan/plugin-api';
import { faultFinder } from './check-arguments.ts';
import { listTools } from './list-offers.ts';
import { mcpArgumentsInvalid, mcpNameUnknown, type NamedOffer } from './mcp-errors.ts';
import { listIfAllowed, tryUnlisted } from './try-unlisted.ts';
import { printable } from '../terminal/printable.ts';
import type { OpenServer } from './open-server.ts';
import { type ArgumentSchema, readArguments } from './tool-arguments.ts';

export interface ToolCall {
  readonly tool: string;
  /** Arguments as `KEY=VALUE`. */
  readonly words: readonly string[];
  /** More arguments, as a JSON object. */
  readonly json: string | undefined;
}

const MAX_MESSAGE_LENGTH = 300;

/**
 * Calls a tool. Validates the arguments against the schema that the server lists; an unlisted tool is called
 * without validation. Throws ERR_NAME_UNKNOWN, ERR_MCP_DENIED and ERR_BAD_ARGUMENT.
 */
export async function callTool(
  server: OpenServer,
  { tool: name, words, json }: ToolCall,
  tell: (lines: readonly string[]) => void,
): Promise<CallToolResult> {
  const tools = await listIfAllowed(server, listTools);
  const tool = tools.find((one) => one.name === name);
  const listed = tools.map((one) => one.name);
  if (tool === undefined) {
    const offer = { kind: 'tool', name, where: server.label, listed } as const;
    return await callUnlisted(server, offer, readArguments(words, json, {}));
  }
  const input = readArguments(words, json, propertiesOf(tool.inputSchema));
  const { find, unusable } = faultFinder(tool.inputSchema, 'arguments');
  if (unusable !== undefined) tell([`note: the arguments were not validated: ${unusable}`]);
  const faults = find(input);
  if (faults.length > 0) throw mcpArgumentsInvalid(name, faults);
  return await server.ask(
    async (client, options) => await client.callTool({ name, arguments: input }, options),
  );
}

async function callUnlisted(
  server: OpenServer,
  offer: NamedOffer,
  value: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
  const result = await tryUnlisted(offer, () =>
    server.ask(
      async (client, options) =>
        await client.callTool({ name: offer.name, arguments: { ...value } }, options),
    ),
  );
  // Many servers report an unknown tool as a failed call.
  if (result.isError === true) throw mcpNameUnknown(offer, textOf(result));
  return result;
}

function textOf({ content }: CallToolResult): string {
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return printable(texts.join(' ')).slice(0, MAX_MESSAGE_LENGTH);
}

function propertiesOf({ properties }: { readonly properties?: unknown }): Record<string, ArgumentSchema> {
  const entries = isJsonObject(properties) ? Object.entries(properties) : [];
  return Object.fromEntries(
    entries.flatMap(([key, schema]) => (isJsonObject(schema) ? [[key, schema] as const] : [])),
  );
}
