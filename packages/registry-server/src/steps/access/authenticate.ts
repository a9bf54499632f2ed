import { type ClaimMapping, mapClaims } from '@portolan/authorization';
import type { ClaimSet, Identity } from '@portolan/plugin-api';
import type { RegistryReader } from '@portolan/registry';
import { decodeComponent } from '../../parameters/query-text.ts';
import type { Middleware, RequestContext } from '../../request/request-state.ts';
import type { ServerAccess } from '../../request/server-access.ts';

/**
 * Identifies the caller and selects the policy. Pages, paths in `open` and what a public registry shows need
 * no credential. A credential that is sent is always verified, so an invalid one never counts as none.
 */
export function authenticate(
  access: () => ServerAccess,
  reader: Pick<RegistryReader, 'catalog'>,
  open: ReadonlySet<string>,
): Middleware {
  const mapped = new MappedClaims();
  return async (ctx, next) => {
    const current = access();
    ctx.state.access = current;
    const { provider, claims, publicPaths } = current;
    if (provider?.kind.identifies !== true || ctx.state.route?.open === true) return next();
    if (isOpen(ctx.state.path, open, publicPaths)) return next();
    if (ctx.req.headers.authorization === undefined && (await isPublic(ctx, reader))) return next();
    const { instance } = provider;
    // SAFETY: providers accept any Koa state.
    const context = ctx as Parameters<typeof instance.verify>[0];
    await instance.verify(context, () => Promise.resolve());
    const identity = instance.identify(context);
    if (identity !== undefined) ctx.state.caller = toCaller(identity, mapped.of(identity.claims, claims));
    return next();
  };
}

function toCaller({ subject, user, provider }: Identity, claims: ClaimSet) {
  return {
    subject,
    claims,
    roles: [],
    ...(user === undefined ? {} : { user }),
    ...(provider === undefined ? {} : { provider }),
  };
}

function isOpen(path: string, open: ReadonlySet<string>, publicPaths: readonly string[]): boolean {
  const bare = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  return open.has(bare) || publicPaths.includes(bare) || bare.startsWith('/.well-known/');
}

/**
 * Returns whether a public registry makes the request readable without a token. Includes lists of registries
 * while at least one is public.
 */
async function isPublic(ctx: RequestContext, reader: Pick<RegistryReader, 'catalog'>): Promise<boolean> {
  const { state } = ctx;
  const anyWill = state.route?.publicWith === 'any registry';
  const name = anyWill ? undefined : registryRead(ctx);
  if (!anyWill && name === undefined) return false;
  state.catalog = await reader.catalog();
  const { registries } = state.catalog;
  if (name === undefined)
    return [...registries.values()].some(({ publicClaims }) => publicClaims !== undefined);
  return registries.get(name)?.publicClaims !== undefined;
}

/**
 * Returns the registry that a request reads. Includes paths below a registry that have no route, because a
 * 401 would wrongly suggest a login. Only for a public registry does the response reveal that nothing is
 * there.
 */
function registryRead({ method, state }: RequestContext): string | undefined {
  const { route, pathText, path } = state;
  if (route !== undefined) return route.publicWith === undefined ? undefined : pathText['registryName'];
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const [, segment] = /^\/registry\/([^/]+)(?:\/|$)/.exec(path) ?? [];
  return segment === undefined ? undefined : decodeComponent(segment);
}

/**
 * Maps the claims of tokens, and caches the result by the claims object. Both objects stay the same while the
 * provider caches the token, so later steps can cache by them.
 */
class MappedClaims {
  #mapping: ClaimMapping | undefined;
  #known = new WeakMap<ClaimSet, ClaimSet>();

  of(claims: ClaimSet, mapping: ClaimMapping): ClaimSet {
    if (mapping !== this.#mapping) {
      this.#mapping = mapping;
      this.#known = new WeakMap();
    }
    const known = this.#known.get(claims) ?? mapClaims(claims, mapping);
    this.#known.set(claims, known);
    return known;
  }
}
