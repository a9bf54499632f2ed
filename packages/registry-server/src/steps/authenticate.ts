import { type ClaimMapping, mapClaims } from '@portolan/authorization';
import type { ClaimSet, Identity } from '@portolan/plugin-api';
import type { RegistryReader } from '@portolan/registry';
import { decodeComponent } from '../parameters/query-text.ts';
import type { Middleware, RequestContext } from '../request/request-state.ts';
import type { ServerAccess } from '../request/server-access.ts';

/**
 * Settles who sent a request, whose route was found before, and which policy decides about it. Paths in `open`
 * and pages are answered to nobody in every mode; what a public registry shows without a
 * token is reached without one. A credential that is sent is always checked,
 * so that a bad one never counts as none.
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
    // SAFETY: providers are written for any Koa state; ours is one.
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

/** Whether this reads from a registry that is public, or the list of registries while one is. */
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
 * Name of the registry that is read from; undefined for anything else. Reading
 * where no route is counts below a registry, too: a 401 would tell the client that
 * logging in helps, and that there is nothing is said of a public registry only.
 */
function registryRead({ method, state }: RequestContext): string | undefined {
  const { route, pathText, path } = state;
  if (route !== undefined) return route.publicWith === undefined ? undefined : pathText['registryName'];
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const [, segment] = /^\/registry\/([^/]+)(?:\/|$)/.exec(path) ?? [];
  return segment === undefined ? undefined : decodeComponent(segment);
}

/**
 * Mapped claims by the token's: a provider gives the same object for the same
 * token as long as it remembers it, and so does this, which lets later steps
 * remember what they decided about it.
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
