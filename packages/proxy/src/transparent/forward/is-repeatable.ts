import { parseClientBody } from '@portolan/mcp-protocol';

const READS = ['GET', 'HEAD', 'OPTIONS'];

/** Methods without side effects on any server. */
const LOOKS: ReadonlySet<string> = new Set([
  'ping',
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
]);

/** Returns whether to repeat a request that the server may have received: only if it has no side effects. */
export function isRepeatable(method: string, body: Buffer | undefined): boolean {
  if (method !== 'POST') return READS.includes(method);
  try {
    const parsed = parseClientBody(body ?? Buffer.alloc(0));
    return parsed.form === 'message' && parsed.message.kind === 'request' && LOOKS.has(parsed.message.method);
  } catch {
    return false; // unparsable, so its effect is unknown
  }
}
