import type { RegistryReader } from '@portolan/registry';
import type { RequestContext } from '../request/request-state.ts';
import { baseUrl, registryUrl } from './base-url.ts';
import { openRegistries } from './open-registries.ts';

/** Matches the base address of a registry, which is not an endpoint. */
const REGISTRY_ADDRESS = /^(\/registry\/[\w.-]{1,128})(?:\/v0(?:\.1)?)?\/?$/;

/** Matches the address of a list without the API version. */
const LIST_ADDRESS = /^(\/registry\/[\w.-]{1,128})\/servers(?:\/.*)?$/;

/** Matches the address of one server without `versions`. Its name may be percent-encoded. */
const SERVER_ADDRESS = /^(\/registry\/[\w.-]{1,128})\/v0\.1\/servers\/([\w.%/-]{1,400}?)\/?$/;

/** Matches the API at the root, where servers with a single registry have it. */
const ROOT_ADDRESS = /^(?:\/v0(?:\.1)?)?\/servers(?:\/.*)?$/;

/** Matches the address to which `mcp-publisher` sends publish requests, which contain no claims. */
const PUBLISHER_ADDRESS = /^(?:\/registry\/[\w.-]{1,128})?\/v0(?:\.1)?\/publish\/?$/;

const DESCRIBED = 'The addresses of this server are described at /openapi.json.';

/** Maximum number of registries in a hint. */
const MAX_REGISTRIES = 10;

/**
 * Returns a hint for a request without a route. The hint is the same for existing and absent registries. It
 * names registries only to callers who may read them.
 */
export function whereToLook(
  reader: Pick<RegistryReader, 'catalog'>,
  publicUrl: string | undefined,
): (ctx: RequestContext) => Promise<string> {
  return async (ctx) => {
    const { path } = ctx.state;
    if (PUBLISHER_ADDRESS.test(path))
      return 'Publish with `portolan publish FILE`, or send the document with its claims to POST /v1/entries.';
    if (ROOT_ADDRESS.test(path)) return `${await nameRegistries(ctx, reader, publicUrl)} ${DESCRIBED}`;
    const [, registry] = REGISTRY_ADDRESS.exec(path) ?? LIST_ADDRESS.exec(path) ?? [];
    if (registry !== undefined) return `A registry has its servers at ${registry}/v0.1/servers. ${DESCRIBED}`;
    const [, ofServer, name] = SERVER_ADDRESS.exec(path) ?? [];
    const escaped = name === undefined ? undefined : escapeName(name);
    if (ofServer === undefined || escaped === undefined) return DESCRIBED;
    return `A registry has one server at ${ofServer}/v0.1/servers/${escaped}/versions/latest. ${DESCRIBED}`;
  };
}

/** Percent-encodes a name that may already be encoded. Undefined for a malformed escape. */
function escapeName(name: string): string | undefined {
  try {
    return encodeURIComponent(decodeURIComponent(name));
  } catch {
    return undefined;
  }
}

async function nameRegistries(
  ctx: RequestContext,
  reader: Pick<RegistryReader, 'catalog'>,
  publicUrl: string | undefined,
): Promise<string> {
  const names = await openRegistries(ctx, reader);
  if (names.length === 0)
    return 'This server has its entries below registries, and you may read none of them.';
  const base = baseUrl(ctx, publicUrl);
  const urls = names.slice(0, MAX_REGISTRIES).map((name) => `${registryUrl(base, name)}/v0.1/servers`);
  const more = names.length > urls.length ? ', and others at GET /registry' : '';
  return `This server has its entries below registries. You may read ${urls.join(', ')}${more}.`;
}
