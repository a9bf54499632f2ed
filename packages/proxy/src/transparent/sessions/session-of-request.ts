import { headerOf, type RequestContext } from '../../request/request-state.ts';
import type { EnteredSession } from './backend-sessions.ts';
import type { UpstreamHead } from '../forward/open-forwarder.ts';
import type { Peek } from '../forward/peek-body.ts';
import type { TransparentOptions } from '../transparent-options.ts';
import type { ResolvedUpstream } from '../forward/resolved-upstream.ts';
import { headerIn } from '../forward/upstream-headers.ts';

/** Returns the session id of a request. For HTTP+SSE, it is the endpoint that the stream announced. */
export function sessionIdOf(
  { transport, isStateless }: Pick<TransparentOptions, 'transport' | 'isStateless'>,
  ctx: RequestContext,
  peek: Pick<Peek, 'isSessionless'>,
): string | undefined {
  if (transport === 'sse') return ctx.method === 'POST' ? ctx.path + ctx.search : undefined;
  return isStateless || peek.isSessionless ? undefined : headerOf(ctx, 'Mcp-Session-Id');
}

/**
 * Checks the owner of the session. Throws ERR_SESSION_UNKNOWN and ERR_SESSIONS_UNAVAILABLE, whose responses
 * contain the request id.
 */
export function enterSession(
  { sessions }: TransparentOptions,
  ctx: RequestContext,
  peek: Pick<Peek, 'id'>,
  sessionId: string | undefined,
): undefined | EnteredSession | Promise<EnteredSession> {
  if (sessionId === undefined) return undefined;
  const refuse = (error: unknown): never => {
    ctx.state.messageId ??= peek.id;
    throw error;
  };
  try {
    const closeStream = ctx.method === 'GET' ? streamCloser(ctx) : undefined;
    const entering = sessions.enter(sessionId, ctx.state.owner, closeStream);
    if (!(entering instanceof Promise)) return leaveWith(ctx, entering);
    return entering.then((session) => leaveWith(ctx, session), refuse);
  } catch (error) {
    return refuse(error);
  }
}

function leaveWith({ res }: RequestContext, session: EnteredSession): EnteredSession {
  if (res.destroyed) session.leave();
  else res.once('close', () => session.leave());
  return session;
}

function streamCloser({ res }: RequestContext): () => void {
  return () => {
    if (!res.headersSent || res.writableLength > 0) res.destroy();
    else res.end();
  };
}

/** Records an HTTP+SSE session for the caller that opened the stream. The session ends with the stream. */
export function holdEvents(
  { sessions, streams }: TransparentOptions,
  ctx: RequestContext,
  endpoint: string,
  push: (event: string) => void,
): void {
  const { owner } = ctx.state;
  if (ctx.res.destroyed) return;
  void sessions.begun(endpoint, { path: endpoint, owner });
  const entering = sessions.enter(endpoint, owner, streamCloser(ctx));
  const remove = streams.add(endpoint, { owner, push });
  ctx.res.once('close', () => {
    void Promise.resolve(entering).then((session) => session.leave());
    if (remove()) sessions.ended(endpoint);
  });
}

/**
 * Records the session that a response begins or ends. Returns a new session id, and the promise to await
 * before the client gets it.
 */
export function noteSession(
  { sessions, isStateless, transport }: TransparentOptions,
  { method, state }: RequestContext,
  { status, rawHeaders }: UpstreamHead,
  { path, sessionId }: Pick<ResolvedUpstream, 'path' | 'sessionId'>,
): NewSession | undefined {
  const isWell = status >= 200 && status < 300;
  if (sessionId !== undefined) {
    if (status === 404 || (isWell && method === 'DELETE')) sessions.ended(sessionId);
    return undefined;
  }
  const isPossible = isWell && !isStateless && transport !== 'sse';
  const newSessionId = isPossible ? headerIn(rawHeaders, 'mcp-session-id') : undefined;
  if (newSessionId === undefined) return undefined;
  return { id: newSessionId, known: sessions.begun(newSessionId, { path, owner: state.owner }) };
}

export interface NewSession {
  readonly id: string;
  /** Settles when all proxies can find the session; undefined when they already can. */
  readonly known: Promise<void> | undefined;
}
