import { HttpFault } from './http-fault.ts';
import type { HttpReply } from './http-reply.ts';

/** Visible ASCII characters, as every revision with sessions requires. */
const SESSION_ID = /^[!-~]{1,1024}$/;

/**
 * Returns the session id of a handshake. Undefined for a server without sessions. Throws for an invalid id.
 * Some servers send the header twice, with equal values.
 */
export function readSessionId(reply: HttpReply, name: string): string | undefined {
  const header = reply.headers['mcp-session-id'];
  if (header === undefined) return undefined;
  const [id = '', ...others] = new Set([header].flat().flatMap((value) => value.split(/, */)));
  if (others.length === 0 && SESSION_ID.test(id)) return id;
  reply.discard();
  throw new HttpFault('invalid-response', `${name} named a session by an invalid header`);
}
