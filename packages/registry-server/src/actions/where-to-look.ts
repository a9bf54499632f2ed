import type { RegistryReader } from '@portolan/registry';
import type { RequestContext } from '../request/request-state.ts';
import { baseUrl, registryUrl } from './base-url.ts';
import { openRegistries } from './open-registries.ts';

/** A registry's base address, which is not an endpoint. */
const REGISTRY_ADDRESS = /^(\/registry\/[\w.-]{1,128})(?:\/v0(?:\.1)?)?\/?$/;

/** A list without the API version. */
const LIST_ADDRESS = /^(\/registry\/[\w.-]{1,128})\/servers(?:\/.*)?$/;

/** One server without `versions`, with its name percent-encoded or not. */
const SERVER_ADDRESS = /^(\/registry\/[\w.-]{1,128})\/v0\.1\/servers\/([\w.%/-]{1,400}?)\/?$/;

/** The API at the root, as single-registry servers have it. */
const ROOT_ADDRESS = /^(?:\/v0(?:\.1)?)?\/servers(?:\/.*)?$/;

/** `mcp-publisher` sends publications here, without claims. */
const PUBLISHER_ADDRESS = /^(?:\/registry\/[\w.-]{1,128})?\/v0(?:\.1)?\/publish\/?$/;

const DESCRIBED = 'The addresses of this server are described at /openapi.json.';

/** Maximum number of registries in a hint. */
const MAX_REGISTRIES = 10;

/**
 * Returns a hint that is the same for existing and absent registries. It names registries only to callers who
 * may read them.
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

/** Returns undefined for a malformed escape. */
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
