import { isModern, parseClientBody } from '@portolan/mcp-protocol';
import type { ForwardedHeader } from '@portolan/plugin-api';
import { workloadRefused } from '../../errors/backend-errors.ts';
import { headerOf, type RequestContext } from '../../request/request-state.ts';
import { bufferResponse, holdRefusal } from '../judge/buffer-response.ts';
import type { ResponseSink, UpstreamHead } from './open-forwarder.ts';
import { authorizeUpstream } from './resolve-upstream.ts';
import type { EndpointOptions } from './rewrite-endpoint.ts';
import { noteSession } from '../sessions/session-of-request.ts';
import { tapRevision } from '../sessions/tap-revision.ts';
import { MAX_RESPONSE_LISTENERS, type TransparentOptions } from '../transparent-options.ts';
import { headerIn } from './upstream-headers.ts';
import type { ResolvedUpstream } from './resolved-upstream.ts';

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
function isRepeatable(method: string, body: Buffer | undefined): boolean {
  if (method !== 'POST') return READS.includes(method);
  try {
    const parsed = parseClientBody(body ?? Buffer.alloc(0));
    return parsed.form === 'message' && parsed.message.kind === 'request' && LOOKS.has(parsed.message.method);
  } catch {
    return false; // unparsable, so its effect is unknown
  }
}

export function send(
  options: TransparentOptions,
  ctx: RequestContext,
  way: ResolvedUpstream,
  then: SendHandlers,
): void {
  ctx.respond = false;
  // Each step listens for the end of the response.
  ctx.res.setMaxListeners(MAX_RESPONSE_LISTENERS);
  options.waiting(1);
  ctx.res.once('close', () => options.waiting(-1));
  sendOnce(options, ctx, way, then, options.askRefused);
}

interface SendHandlers {
  readonly answered: (head: UpstreamHead, endpoint: EndpointOptions) => ResponseSink;
  readonly failed: (error: unknown) => void;
}

function sendOnce(
  options: TransparentOptions,
  ctx: RequestContext,
  way: ResolvedUpstream,
  then: SendHandlers,
  askRefused: TransparentOptions['askRefused'],
): void {
  const { url, path, headers, body, sessionId, provenBy, endpoint } = way;
  const forwarder = isMcp(ctx) ? options.forwarder : options.pageForwarder;
  forwarder.forward(ctx.res, {
    method: ctx.method,
    url,
    path,
    headers,
    body,
    isRepeatable: () => isRepeatable(ctx.method, body),
    answered: (sent, answeredUrl) => {
      const failure = options.clientLogins?.findFailure(ctx, sent.status, way);
      if (failure !== undefined) {
        then.failed(failure);
        return NOWHERE;
      }
      const head = options.clientLogins?.rewrite(ctx, sent, way) ?? sent;
      const challenge = headerIn(head.rawHeaders, 'www-authenticate');
      const isAsked = provenBy === 'workload' && askRefused !== undefined;
      if (isAsked && head.status === 401) {
        const renewed = askRefused(pairsOf(headers), { status: 401, challenge });
        void sendAgain(options, ctx, way, then, renewed);
        return NOWHERE;
      }
      noteStatus(options, ctx, head.status, { path, provenBy });
      const refused = refusalIn(options, provenBy, head.status, challenge);
      const session = noteSession(options, ctx, head, { path, sessionId });
      const begin = (): ResponseSink => {
        if (refused !== undefined) {
          then.failed(refused);
          return NOWHERE;
        }
        const sink = then.answered(head, { ...endpoint, streamUrl: answeredUrl });
        if (session === undefined || !options.readsRevisions) return sink;
        return tapRevision(sink, head, (revision) => options.sessions.agreed(session.id, revision));
      };
      if (isAsked && head.status === 403 && challenge !== undefined) {
        const hasResponded = askRefused(pairsOf(headers), { status: 403, challenge });
        const again = (): void => void sendAgain(options, ctx, way, then, hasResponded);
        return holdRefusal(hasResponded, begin, { again, failed: then.failed });
      }
      return session?.known === undefined ? begin() : bufferResponse(session.known, begin, then.failed);
    },
    failed: then.failed,
  });
}

async function sendAgain(
  options: TransparentOptions,
  ctx: RequestContext,
  way: ResolvedUpstream,
  then: SendHandlers,
  renewed: Promise<boolean>,
): Promise<void> {
  try {
    await renewed;
    const proven = await authorizeUpstream(
      { ...options, credentials: { ...options.credentials, policy: undefined } },
      ctx,
      way,
      undefined,
    );
    if (!ctx.res.destroyed) sendOnce(options, ctx, proven, then, undefined);
  } catch (error) {
    if (!ctx.res.destroyed) then.failed(error);
  }
}

function refusalIn(
  { isRemote, askRefused, renewal }: TransparentOptions,
  provenBy: ResolvedUpstream['provenBy'],
  status: number,
  challenge: string | undefined,
): Error | undefined {
  if (!isRemote || provenBy !== 'workload') return undefined;
  if (status === 401) return workloadRefused(401, renewal);
  const lacksScopes =
    challenge !== undefined && (askRefused !== undefined || /\binsufficient_scope\b/.test(challenge));
  return status === 403 && lacksScopes ? workloadRefused(403, renewal) : undefined;
}

function pairsOf(headers: readonly string[]): readonly ForwardedHeader[] {
  return headers.flatMap((name, at) => (at % 2 === 0 ? [{ name, value: headers[at + 1] ?? '' }] : []));
}

const NOWHERE: ResponseSink = {
  body: { write: () => true, end: () => undefined, once: () => undefined },
  trailers: () => undefined,
};

/**
 * Returns whether a request is part of MCP: a message, a stream or the end of a session. Pages, probes and
 * forms are not.
 */
function isMcp({ method, req: { headers } }: RequestContext): boolean {
  if (headers['mcp-session-id'] !== undefined || headers['mcp-protocol-version'] !== undefined) return true;
  if (method === 'POST') return /^application\/json\b/i.test(headers['content-type'] ?? '');
  return method === 'GET' && (headers.accept ?? '').includes('text/event-stream');
}

/**
 * Records whether the server accepts the proxy's requests. Does not count when the server rejects the
 * client's own credentials.
 */
function noteStatus(
  options: TransparentOptions,
  ctx: RequestContext,
  status: number,
  { path, provenBy }: Pick<ResolvedUpstream, 'path' | 'provenBy'>,
): void {
  const isWell = status >= 200 && status < 300;
  if (isWell) {
    const version = headerOf(ctx, 'MCP-Protocol-Version') ?? '';
    options.seen(ctx.method === 'POST' && isModern(version) ? path : undefined);
  }
  if (!options.isRemote) return;
  if (isWell) options.refused(false);
  else if (status === 401 && provenBy !== 'client') options.refused(true);
}
