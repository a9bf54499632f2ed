import { parseClientBody } from '@portolan/mcp-protocol';

const READS = ['GET', 'HEAD', 'OPTIONS'];

/** Methods of the protocol that only look, whatever server answers them. */
const LOOKS: ReadonlySet<string> = new Set([
  'ping',
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
]);

/** Whether a request may be sent a second time though nobody knows if the server has got the first: it changes nothing there. */
export function isRepeatable(method: string, body: Buffer | undefined): boolean {
  if (method !== 'POST') return READS.includes(method);
  try {
    const parsed = parseClientBody(body ?? Buffer.alloc(0));
    return parsed.form === 'message' && parsed.message.kind === 'request' && LOOKS.has(parsed.message.method);
  } catch {
    return false; // not understood, so nothing is known of it
  }
}
