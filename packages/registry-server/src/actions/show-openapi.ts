import { LRUCache } from 'lru-cache';
import { sendDocument } from '../answers/send-json.ts';
import { describeRoutes, registryRoutes } from '../openapi/openapi-document.ts';
import { registryOf } from '../request/request-state.ts';
import type { Route, Step } from '../request/route.ts';
import { registryUrl } from './base-url.ts';

type Format = 'json' | 'yaml';

/** The description of the whole API. The routes are asked for when somebody reads it: they hold this one too. */
export function showOpenApi(format: Format, routes: () => readonly Route[]): Step {
  let text: Promise<string> | undefined;
  return async (ctx) => {
    text ??= write(format, () => describeRoutes(routes(), '/'));
    sendDocument(ctx, await text, contentType(format));
  };
}

/** The description of one registry, as clients that are given its address look for it. */
export function showRegistryOpenApi(format: Format, routes: () => readonly Route[]): Step {
  const texts = new LRUCache<string, Promise<string>>({ max: 100 });
  return async (ctx) => {
    const address = registryUrl('', registryOf(ctx).name);
    const text = texts.get(address) ?? write(format, () => describeRoutes(registryRoutes(routes()), address));
    texts.set(address, text);
    sendDocument(ctx, await text, contentType(format));
  };
}

function contentType(format: Format): string {
  return format === 'json' ? 'application/json' : 'application/yaml';
}

async function write(format: Format, describe: () => unknown): Promise<string> {
  if (format === 'json') return `${JSON.stringify(describe())}\n`;
  // Loaded here: no other answer needs it.
  const { stringify } = await import('yaml');
  return stringify(describe(), { aliasDuplicateObjects: false, lineWidth: 0 });
}
