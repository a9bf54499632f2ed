import { methodUnknown, revisionUnsupported } from '@portolan/mcp-protocol';
import type { AcceptedForms } from '../streams/accepted-forms.ts';
import type { StreamLimits } from '../streams/event-stream.ts';
import type { UnreadResponses } from '../streams/unread-responses.ts';
import type { Counts } from '../request/counts.ts';
import { CALL_FOR_ANOTHER } from '../request/changer.ts';
import { notAcceptable } from '../errors/request-errors.ts';
import type { Policy } from '../policy/policy.ts';
import { type PathMessage, type RequestContext, withoutBlanks } from '../request/request-state.ts';
import { senderOf } from '../policy/client-exchange.ts';
import { judgeModern } from './judge-modern.ts';
import type { StatelessHost } from './stateless-host.ts';
import { ModernReply } from './modern-reply.ts';
import { LISTEN } from './subscription.ts';

export interface ServeModernOptions {
  readonly host: StatelessHost;
  readonly limits: StreamLimits & { readonly silenceMs: number };
  readonly unread: UnreadResponses;
  readonly counts: Counts;
  readonly policy: Policy | undefined;
}

export interface ModernRequest {
  readonly sent: PathMessage;
  readonly revision: string;
  readonly accepted: AcceptedForms;
}

/**
 * Methods that only older revisions have. They are refused, because they could change the server's state for
 * all clients.
 */
const REMOVED = ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'];

/** Serves a request without a handshake. Ignores a session id. */
export async function serveModern(
  { host, limits, unread, counts, policy }: ServeModernOptions,
  ctx: RequestContext,
  { sent, revision, accepted }: ModernRequest,
): Promise<void> {
  const { message, settled } = sent;
  if (message.kind !== 'request') return;
  const open = (): ModernReply =>
    new ModernReply({
      response: ctx.res,
      accepted,
      limits,
      unread,
      counts,
      judge: judgeModern(policy, ctx, message),
    });
  if (settled !== undefined) {
    ctx.respond = false;
    if (settled.response !== undefined) open().settle(settled.response);
    return;
  }
  // Without an event stream, the client could not receive any notification of its subscription.
  if (message.method === LISTEN && !accepted.stream) throw notAcceptable('text/event-stream');
  const process = await host.process();
  if (!process.supported.includes(revision)) throw revisionUnsupported(revision, process.supported);
  if (REMOVED.includes(message.method)) throw methodUnknown(message.method);
  const isOwnCall = !sent.changedBy.some(({ by }) => by.includes(CALL_FOR_ANOTHER));
  if (message.method === 'tools/call' && isOwnCall) {
    const { parsed } = ctx.state;
    // The headers match the message as the client sent it, so compare them with that and not with a text that
    // a policy changed.
    const text = parsed?.form === 'message' ? parsed.message.text : message.text;
    await process.checkHeaders(message, text, (name) => fieldOf(ctx, name));
  }
  if (!ctx.res.destroyed) process.request(message, open(), senderOf(ctx));
  ctx.respond = false;
}

/** Returns the header without surrounding blanks; an empty one stays an empty string. */
function fieldOf({ req }: RequestContext, name: string): string | undefined {
  const value = req.headers[name.toLowerCase()];
  return typeof value === 'string' ? withoutBlanks(value) : undefined;
}
