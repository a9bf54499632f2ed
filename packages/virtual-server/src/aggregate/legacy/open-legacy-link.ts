import {
  LEGACY_REVISIONS,
  memberOf,
  NEWEST_LEGACY,
  otherRevision,
  type RequestMessage,
  type ResponseMessage,
  rewriteMessage,
} from '@portolan/mcp-protocol';
import type { MessageSender } from '@portolan/plugin-api';
import { ServerLink } from '@portolan/proxy/server-link';
import type { Member } from '../../members/member.ts';
import { type ConnectionParts, linkContextOf } from '../era-connection.ts';

/**
 * Opens a session at a member with the capabilities of the client, in the newest revision that the member
 * accepts. Returns the connection and the result of the handshake. Rejects when the member refuses all
 * revisions or does not respond.
 */
export async function openLegacyLink(
  member: Member,
  initialize: RequestMessage,
  parts: ConnectionParts,
  sender: MessageSender | undefined,
  signal: AbortSignal,
): Promise<{ readonly link: ServerLink; readonly result: unknown }> {
  const tried: string[] = [];
  let revision: string | undefined = NEWEST_LEGACY;
  let refusal: unknown;
  while (revision !== undefined && tried.length < LEGACY_REVISIONS.length) {
    const connection = await member.server.openLegacy(signal);
    const link = new ServerLink(connection, linkContextOf(parts, member));
    const abort = (): void => void link.close().catch(() => undefined);
    signal.addEventListener('abort', abort, { once: true });
    try {
      const response = await greet(link, initialize, revision, sender);
      if (!response.isError) {
        link.send('{"jsonrpc":"2.0","method":"notifications/initialized"}', sender);
        return { link, result: response.result };
      }
      refusal = memberOf(JSON.parse(response.text), 'error');
    } catch (error) {
      await link.close();
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
    await link.close();
    tried.push(revision);
    revision = otherRevision(refusal, tried);
  }
  throw new Error(`it refused the handshake: ${JSON.stringify(refusal).slice(0, 300)}`);
}

function greet(
  link: ServerLink,
  initialize: RequestMessage,
  revision: string,
  sender: MessageSender | undefined,
): Promise<ResponseMessage> {
  const text = rewriteMessage(initialize.text, [
    { path: ['params', 'protocolVersion'], by: JSON.stringify(revision) },
  ]);
  return new Promise((resolve, reject) => {
    const receiver = { answered: resolve, progressed: () => undefined, failed: reject };
    link.request({ ...initialize, text }, receiver, undefined, sender);
  });
}
