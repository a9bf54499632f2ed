import { LRUCache } from 'lru-cache';
import { sendDocument } from '../responses/send-json.ts';
import { describeRoutes, registryRoutes } from '../openapi/openapi-document.ts';
import { type RequestContext, registryOf } from '../request/request-state.ts';
import { type Route, type Step, step } from '../request/route.ts';
import { addressOf, registryUrl } from './base-url.ts';

type Format = 'json' | 'yaml';

export interface DescriptionOptions {
  readonly format: Format;
  /** Returns all routes. Called on each request, because the routes include the route of this description. */
  readonly routes: () => readonly Route[];
  readonly publicUrl: string | undefined;
}

/** Shows the OpenAPI document of the whole API. */
export function showOpenApi(options: DescriptionOptions): Step {
  return describing(
    'showOpenApi',
    options,
    (ctx) => addressOf(ctx, options.publicUrl, '') || '/',
    (routes) => routes,
  );
}

/** Shows the OpenAPI document of one registry, at the address where clients of that registry look for it. */
export function showRegistryOpenApi(options: DescriptionOptions): Step {
  const addressOfRegistry = (ctx: RequestContext) =>
    registryUrl(addressOf(ctx, options.publicUrl, ''), registryOf(ctx).name);
  return describing('showRegistryOpenApi', options, addressOfRegistry, registryRoutes);
}

/** Caches the serialized document for a few addresses. */
function describing(
  name: string,
  { format, routes }: DescriptionOptions,
  addressFor: (ctx: RequestContext) => string,
  select: (routes: readonly Route[]) => readonly Route[],
): Step {
  const texts = new LRUCache<string, Promise<string>>({ max: 100 });
  return step(name, async (ctx) => {
    const address = addressFor(ctx);
    const text = texts.get(address) ?? write(format, () => describeRoutes(select(routes()), address));
    texts.set(address, text);
    sendDocument(ctx, await text, format === 'json' ? 'application/json' : 'application/yaml');
  });
}

async function write(format: Format, describe: () => unknown): Promise<string> {
  if (format === 'json') return `${JSON.stringify(describe())}\n`;
  // Loaded on demand, because only this response needs the library.
  const { stringify } = await import('yaml');
  return stringify(describe(), { aliasDuplicateObjects: false, lineWidth: 0 });
}
