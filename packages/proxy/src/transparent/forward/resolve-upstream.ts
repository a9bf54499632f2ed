import { type ClientExchange, findPathFault, joinAddress } from '@portolan/plugin-api';
import { prefixFor } from '../../request/endpoint-prefix.ts';
import { pathUnknown } from '../../errors/request-errors.ts';
import { withForwardedPort } from '../../request/forwarded-port.ts';
import type { RequestContext } from '../../request/request-state.ts';
import { askCredentials, hasCredentials, type Proof } from './ask-credentials.ts';
import type { Peek } from './peek-body.ts';
import { holdEvents, sessionIdOf } from '../sessions/session-of-request.ts';
import type { TransparentOptions } from '../transparent-options.ts';
import { upstreamHeaders } from './upstream-headers.ts';
import { type AnnouncedPaths, upstreamPath } from './upstream-path.ts';
import type { ResolvedUpstream } from './resolved-upstream.ts';

/** Determines address, headers and body of the request to the server. Throws ERR_PATH_UNKNOWN. */
export function prepareUpstream(
  options: TransparentOptions,
  ctx: RequestContext,
  peek: Peek,
  body: Buffer | undefined,
  announced: AnnouncedPaths,
): ResolvedUpstream {
  const { target, isRemote } = options;
  const sessionId = sessionIdOf(options, ctx, peek);
  const requested = ctx.path + ctx.search;
  if (findPathFault(requested) !== undefined) throw pathUnknown(options.clientPath);
  const path = upstreamPath(requested, target, isRemote, announced);
  return {
    url: joinAddress(target, path),
    path,
    headers: headersFor(options, ctx, peek),
    body,
    sessionId,
    provenBy: proverOf(options, ctx),
    endpoint: {
      prefix: prefixFor(ctx, options),
      outerOrigin: outerOriginOf(ctx, options),
      announced: (own, query, push) => {
        announced.add(own);
        holdEvents(options, ctx, own + query, push);
      },
    },
  };
}

function headersFor(options: TransparentOptions, ctx: RequestContext, peek: Peek): readonly string[] {
  return upstreamHeaders(ctx.req.headers, {
    isRemote: options.isRemote,
    targetScheme: options.target.protocol.slice(0, -1),
    trustProxyHeaders: options.trustProxyHeaders,
    forwardHeaders: options.forwardHeaders,
    clientAddress: ctx.req.socket.remoteAddress ?? '',
    dropsCredentials: ctx.state.owner !== undefined,
    readsAnswer: options.readsAnswers || (options.transport === 'sse' && ctx.method === 'GET'),
    dropsSession: peek.isSessionless || options.isStateless,
    isMessage: options.transport === 'streamable-http' && ctx.method === 'POST',
  });
}

function proverOf({ forwardHeaders }: TransparentOptions, ctx: RequestContext): ResolvedUpstream['provenBy'] {
  if (forwardHeaders.some(({ name }) => name.toLowerCase() === 'authorization')) return 'workload';
  // When callers authenticate to the proxy, their credentials are not forwarded.
  const isPassedOn = ctx.state.owner === undefined && ctx.req.headers.authorization !== undefined;
  return isPassedOn ? 'client' : 'nobody';
}

function outerOriginOf(ctx: RequestContext, { trustProxyHeaders }: TransparentOptions): string | undefined {
  const host = ctx.get('X-Forwarded-Host');
  const scheme = ctx.get('X-Forwarded-Proto');
  if (!trustProxyHeaders || host === '' || scheme === '') return undefined;
  const url = URL.parse(`${scheme}://${withForwardedPort(ctx, host)}`);
  return url === null || url.origin === 'null' ? undefined : url.origin;
}

/** Adds the credentials of the workload. Returns a promise only when a source is asynchronous. */
export function authorizeUpstream(
  { credentials }: TransparentOptions,
  ctx: RequestContext,
  way: ResolvedUpstream,
  exchange: ClientExchange | undefined,
): ResolvedUpstream | Promise<ResolvedUpstream> {
  if (!hasCredentials(credentials)) return way;
  const left = new AbortController();
  const unproven = { method: ctx.method, url: way.url, headers: way.headers, body: way.body };
  const asking = askCredentials(credentials, unproven, exchange, left.signal);
  if (!(asking instanceof Promise)) return authorizedUpstream(way, asking);
  const leave = (): void => left.abort();
  ctx.res.once('close', leave);
  return asking.then((proof) => authorizedUpstream(way, proof)).finally(() => ctx.res.off('close', leave));
}

function authorizedUpstream(way: ResolvedUpstream, { headers, provided }: Proof): ResolvedUpstream {
  const isOurs = provided.has('authorization') || (way.provenBy === 'nobody' && provided.size > 0);
  return { ...way, headers, provenBy: isOurs ? 'workload' : way.provenBy };
}
