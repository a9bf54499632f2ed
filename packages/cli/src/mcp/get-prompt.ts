import type { GetPromptResult } from '@modelcontextprotocol/client';
import { listPrompts } from './list-offers.ts';
import { mcpArgumentsInvalid } from './mcp-errors.ts';
import type { OpenServer } from './open-server.ts';
import { listIfAllowed, tryUnlisted } from './try-unlisted.ts';
import { readArguments } from './tool-arguments.ts';

/**
 * Returns a prompt, filled in. Requests an unlisted prompt too. Throws ERR_NAME_UNKNOWN, ERR_MCP_DENIED, and
 * ERR_BAD_ARGUMENT, before sending anything, for arguments that the prompt does not accept.
 */
export async function getPrompt(
  server: OpenServer,
  name: string,
  words: readonly string[],
  json: string | undefined,
): Promise<GetPromptResult> {
  const prompts = await listIfAllowed(server, listPrompts);
  const prompt = prompts.find((one) => one.name === name);
  if (prompt === undefined) {
    const listed = prompts.map((one) => one.name);
    const offer = { kind: 'prompt', name, where: server.label, listed } as const;
    const texts = Object.entries(readArguments(words, json, {})).map(([key, value]) => [key, textOf(value)]);
    return await tryUnlisted(offer, () => askFor(server, name, Object.fromEntries(texts)));
  }
  const taken = prompt.arguments ?? [];
  const types = Object.fromEntries(taken.map((one) => [one.name, { type: 'string' }]));
  const input = readArguments(words, json, types);
  const texts: Record<string, string> = {};
  const faults: string[] = [];
  for (const [key, value] of Object.entries(input)) {
    if (!Object.hasOwn(types, key)) faults.push(`there is no argument "${key}"`);
    else if (typeof value !== 'string') faults.push(`"${key}" must be a string`);
    else texts[key] = value;
  }
  for (const one of taken)
    if (one.required === true && !Object.hasOwn(input, one.name)) faults.push(`"${one.name}" is missing`);
  if (faults.length > 0) throw mcpArgumentsInvalid(name, faults);
  return await askFor(server, name, texts);
}

async function askFor(
  server: OpenServer,
  name: string,
  texts: Record<string, string>,
): Promise<GetPromptResult> {
  return await server.ask(
    async (client, options) => await client.getPrompt({ name, arguments: texts }, options),
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
