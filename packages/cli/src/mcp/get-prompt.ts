import type { GetPromptResult } from '@modelcontextprotocol/client';
import { nearest } from '@portolan/plugin-api';
import { listPrompts } from './list-offers.ts';
import { mcpArgumentsInvalid, mcpNameUnknown } from './mcp-errors.ts';
import type { OpenServer } from './open-server.ts';
import { readArguments } from './tool-arguments.ts';

/**
 * A prompt, filled in. Throws ERR_MCP_NAME_UNKNOWN, and ERR_MCP_ARGUMENTS before
 * anything is sent that the prompt does not take.
 */
export async function getPrompt(
  server: OpenServer,
  name: string,
  words: readonly string[],
  json: string | undefined,
): Promise<GetPromptResult> {
  const prompts = await listPrompts(server);
  const prompt = prompts.find((one) => one.name === name);
  const names = prompts.map((one) => one.name);
  if (prompt === undefined) throw mcpNameUnknown('prompt', name, server.label, nearest(name, names));
  const taken = prompt.arguments ?? [];
  const types = Object.fromEntries(taken.map((one) => [one.name, { type: 'string' }]));
  const given = readArguments(words, json, types);
  const texts: Record<string, string> = {};
  const faults: string[] = [];
  for (const [key, value] of Object.entries(given)) {
    if (!Object.hasOwn(types, key)) faults.push(`there is no argument "${key}"`);
    else if (typeof value !== 'string') faults.push(`"${key}" must be a text`);
    else texts[key] = value;
  }
  for (const one of taken)
    if (one.required === true && !Object.hasOwn(given, one.name)) faults.push(`"${one.name}" is missing`);
  if (faults.length > 0) throw mcpArgumentsInvalid(name, faults);
  return await server.ask(
    async (client, options) => await client.getPrompt({ name, arguments: texts }, options),
  );
}
