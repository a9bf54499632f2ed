import { hash } from 'node:crypto';
import type { HttpBackend, Logger } from '@portolan/plugin-api';
import { metadataAddressOf, type OuterAddressOptions, outerAddressOf } from '../steps/outer-address.ts';
import { metadataRow } from '../steps/resource-metadata.ts';
import { clientLoginFailed, noAuthorizationServer } from '../errors/backend-errors.ts';
import type { RemoteLogin } from '../request/proxy-options.ts';
import type { Middleware, RequestContext } from '../request/request-state.ts';
import type { ServedPathRow } from '../request/service.ts';
import type { OriginOptions } from '../steps/check-origin.ts';
import type { UpstreamHead } from './forward/open-forwarder.ts';
import type { ResolvedUpstream } from './forward/resolved-upstream.ts';

export interface ClientLoginsOptions {
  readonly backend: HttpBackend;
  readonly login: RemoteLogin;
  readonly address: OuterAddressOptions;
  readonly origins: OriginOptions;
  readonly nowMs: () => number;
  readonly logger: Logger;
}

/**
 * Time in milliseconds after a request for metadata in which a new token counts as the result of a login by
 * that metadata.
 */
const LOGIN_MS = 600_000;
const MAX_TOKENS = 1000;
/** Cache time of metadata, in milliseconds. */
const METADATA_MS = 60_000;

/** Endpoints of an authorization server by 2025-03-26. */
const LOGIN_PATHS: ReadonlySet<string> = new Set(['/register', '/authorize', '/token']);

/**
 * Lets clients log in at a remote server when the workload has no credentials. The metadata (RFC 9728)
 * contains the proxy's address as the resource, because clients compare it.
 */
export class ClientLogins {
  readonly #options: ClientLoginsOptions;
  readonly #accepted = new Set<string>();
  #servedAt: number | undefined;
  #remoteMetadata: string | undefined;
  #wasRefused = false;
  #known: { readonly login: ReturnType<RemoteLogin['find']>; readonly at: number } | undefined;

  constructor(options: ClientLoginsOptions) {
    this.#options = options;
  }

  /** Paths of the metadata. The response is 404 while the workload has credentials of its own. */
  get servedPaths(): readonly ServedPathRow[] {
    const { origins } = this.#options;
    return [metadataRow(origins, (ctx) => this.#metadata(ctx))];
  }

  rewrite(
    ctx: RequestContext,
    head: UpstreamHead,
    { provenBy }: Pick<ResolvedUpstream, 'provenBy'>,
  ): UpstreamHead {
    if (provenBy === 'workload' || (head.status !== 401 && head.status !== 403)) return head;
    if (head.status === 401) this.#wasRefused = true;
    const own = metadataAddressOf(outerAddressOf(ctx, this.#options.address));
    const { headers, hasBearer, named } = pointChallenges(head.rawHeaders, own);
    this.#remoteMetadata = named ?? this.#remoteMetadata;
    // A remote server that sends no challenge follows 2025-03-26.
    if (head.status === 401 && hasBearer === undefined)
      return { ...head, rawHeaders: [...headers, 'WWW-Authenticate', `Bearer resource_metadata="${own}"`] };
    return { ...head, rawHeaders: headers };
  }

  /**
   * Returns the error when the remote rejects the token of a client's login: another challenge would not
   * help.
   */
  findFailure(
    ctx: RequestContext,
    status: number,
    { provenBy }: Pick<ResolvedUpstream, 'provenBy'>,
  ): Error | undefined {
    const { authorization } = ctx.req.headers;
    if (provenBy !== 'client' || authorization === undefined) return undefined;
    const key = hash('sha256', authorization, 'base64url');
    if (status >= 200 && status < 300) this.#accept(key);
    if (status !== 401 || this.#accepted.has(key) || this.#servedAt === undefined) return undefined;
    const { nowMs, login } = this.#options;
    return nowMs() - this.#servedAt < LOGIN_MS ? clientLoginFailed(login.workload) : undefined;
  }

  #accept(key: string): void {
    this.#accepted.delete(key);
    this.#accepted.add(key);
    const [oldest] = this.#accepted;
    if (this.#accepted.size > MAX_TOKENS && oldest !== undefined) this.#accepted.delete(oldest);
  }

  async #metadata(ctx: RequestContext): Promise<object | undefined> {
    const { address, nowMs } = this.#options;
    if (await this.#hasOwnCredentials()) return undefined;
    const metadata = await this.#find();
    if (metadata === undefined) return undefined;
    this.#servedAt = nowMs();
    const { authorizationServers, scopes } = metadata;
    return {
      resource: outerAddressOf(ctx, address),
      authorization_servers: authorizationServers,
      bearer_methods_supported: ['header'],
      ...(scopes.length === 0 ? {} : { scopes_supported: scopes }),
    };
  }

  /** Returns whether the workload has credentials, including an expired login. */
  async #hasOwnCredentials(): Promise<boolean> {
    const { credentials, target } = this.#options.backend;
    if (credentials === undefined) return false;
    const outgoing = { method: 'GET', url: target, headers: {}, bodyHash: async () => '' };
    try {
      return (await credentials.credentials(outgoing, AbortSignal.timeout(METADATA_MS))).length > 0;
    } catch {
      // Credentials that are temporarily unavailable still count.
      return true;
    }
  }

  async #find(): ReturnType<RemoteLogin['find']> {
    const { login, nowMs } = this.#options;
    const now = nowMs();
    if (this.#known === undefined || now - this.#known.at >= METADATA_MS) {
      const request = { metadataUrl: this.#remoteMetadata, wasRefused: this.#wasRefused };
      this.#known = { login: login.find(request), at: now };
    }
    try {
      const match = await this.#known.login;
      // Try again later, because the address of the metadata may come with the first challenge.
      if (match === undefined) this.#known = undefined;
      return match;
    } catch (error) {
      this.#known = undefined;
      this.#options.logger.warn({ err: error }, 'clients cannot log in at the remote server by themselves');
      return undefined;
    }
  }
}

const NAMED = /\bresource_metadata\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/i;
const BEARER = /(^|,\s*)Bearer(?:(\s+)(?=[\w-]+\s*=)|(?=\s*(?:,|$)))/i;

/** Responds to these paths with 404. The remote server would treat such a request as a message. */
export function refuseLoginPaths(clientPath: string): Middleware {
  return (ctx, next) => {
    if (!LOGIN_PATHS.has(ctx.path) || ctx.path === clientPath) return next();
    ctx.status = 404;
    ctx.body = noAuthorizationServer();
    return undefined;
  };
}

interface Pointed {
  readonly headers: readonly string[];
  readonly hasBearer: boolean | undefined;
  readonly named: string | undefined;
}

function pointChallenges(rawHeaders: readonly string[], own: string): Pointed {
  const headers = [...rawHeaders];
  let hasBearer: boolean | undefined;
  let named: string | undefined;
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at]?.toLowerCase() !== 'www-authenticate') continue;
    const value = headers[at + 1] ?? '';
    hasBearer ??= false;
    if (!BEARER.test(value)) continue;
    hasBearer = true;
    const match = NAMED.exec(value);
    named ??= match?.[1]?.replaceAll(/\\(.)/g, '$1') ?? match?.[2];
    const parameter = `resource_metadata="${own}"`;
    headers[at + 1] =
      match === null
        ? value.replace(BEARER, (_all, before: string, space?: string) =>
            space === undefined ? `${before}Bearer ${parameter}` : `${before}Bearer ${parameter}, `,
          )
        : value.replace(NAMED, () => parameter);
  }
  return { headers, hasBearer, named };
}
