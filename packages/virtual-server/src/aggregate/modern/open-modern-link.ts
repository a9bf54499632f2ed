import { DISCOVER, isJsonObject, ownParams, ownRequest, type ResponseMessage } from '@portolan/mcp-protocol';
import type { MessageSender } from '@portolan/plugin-api';
import { ServerLink } from '@portolan/proxy/server-link';
import type { Member } from '../../members/member.ts';
import { type ConnectionParts, linkContextOf } from '../era-connection.ts';

/**
 * Opens the connection to a member for all clients without a handshake, and learns what the member has, with the
 * credentials of the client that needs it first. Rejects when the member does not respond.
 */
export async function openModernLink(
  member: Member,
  parts: ConnectionParts,
  sender: MessageSender | undefined,
  signal: AbortSignal,
): Promise<ServerLink> {
  const connection = await member.server.openModern(signal);
  const link = new ServerLink(connection, linkContextOf(parts, member));
  const abort = (): void => void link.close().catch(() => undefined);
  signal.addEventListener('abort', abort, { once: true });
  try {
    member.learn(await discover(link, parts.aggregate.version, sender));
    return link;
  } catch (error) {
    await link.close();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function discover(
  link: ServerLink,
  version: string,
  sender: MessageSender | undefined,
): Promise<unknown> {
  const response = await new Promise<ResponseMessage>((resolve, reject) => {
    const receiver = { answered: resolve, progressed: () => undefined, failed: reject };
    link.request(ownRequest(DISCOVER, ownParams(version)), receiver, undefined, sender);
  });
  if (response.isError || !isJsonObject(response.result))
    throw new Error(`it responded to server/discover with an error: ${response.text.slice(0, 300)}`);
  return response.result;
}
