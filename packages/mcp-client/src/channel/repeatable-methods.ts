/** MCP methods whose repetition is harmless. */
const REPEATABLE: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
]);

/** Returns whether to repeat a request that the server may have received. */
export function isRepeatable(method: string): boolean {
  return REPEATABLE.has(method);
}
