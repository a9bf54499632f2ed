import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RunConfig, unreachable, type UserSettings } from '@portolan/run-spec';
import { registryFileUnusable } from './lookup-errors.ts';
import { addressRulesOf, apiBaseOf, parseRegistryUrl } from './registry-address.ts';

export type ActiveRegistry =
  | {
      readonly kind: 'api';
      readonly url: URL;
      readonly name: string;
      /**
       * Whether this is the default registry, which the user did not choose. It gets no token, and only
       * requests that are necessary.
       */
      readonly isDefault: boolean;
    }
  | { readonly kind: 'url'; readonly url: URL; readonly name: string }
  | { readonly kind: 'file'; readonly path: string; readonly name: string };

/** Fields of a run config that say which registry an entry comes from. Empty for a local file. */
export type RegistryFields = Partial<Pick<RunConfig, 'registry_api_url' | 'registry_url'>>;

/**
 * Returns the user's registry: the API first, then the file behind a URL, then the local file; otherwise the
 * default registry, if any. Throws ERR_LOOKUP_ADDRESS and ERR_NAMED_FILE.
 */
export function findActiveRegistry(user: UserSettings, workingDirectory: string): ActiveRegistry | undefined {
  const rules = addressRulesOf(user);
  if (user.registryApiUrl !== undefined) {
    const url = apiBaseOf(parseRegistryUrl(user.registryApiUrl, rules));
    return { kind: 'api', url, name: nameOf(url), isDefault: false };
  }
  if (user.registryUrl !== undefined) {
    const url = parseRegistryUrl(user.registryUrl, rules);
    return { kind: 'url', url, name: nameOf(url) };
  }
  if (user.localRegistryPath !== undefined) {
    const file = localPathOf(user.localRegistryPath, workingDirectory);
    return { kind: 'file', path: file, name: file };
  }
  if (user.defaultRegistryUrl !== undefined) {
    const url = apiBaseOf(parseRegistryUrl(user.defaultRegistryUrl, rules));
    return { kind: 'api', url, name: nameOf(url), isDefault: true };
  }
  return undefined;
}

/** Returns whether a registry is the default one, which is too large to list. */
export function isDefault(registry: ActiveRegistry): boolean {
  return registry.kind === 'api' && registry.isDefault;
}

/** Returns the path of a local catalogue, given as a path or `file://` URL. Throws ERR_NAMED_FILE. */
export function localPathOf(text: string, workingDirectory: string): string {
  if (!/^file:/i.test(text)) return path.resolve(workingDirectory, text);
  try {
    return fileURLToPath(text);
  } catch (error) {
    throw registryFileUnusable(text, 'its URL names no file of this machine', error);
  }
}

export function fieldsOf(registry: ActiveRegistry): RegistryFields {
  switch (registry.kind) {
    case 'api':
      return { registry_api_url: hrefOf(registry.url) };
    case 'url':
      return { registry_url: hrefOf(registry.url) };
    case 'file':
      return {};
    default:
      return unreachable(registry);
  }
}

/** Returns a URL for messages. Omits the query, which may contain a key. */
function nameOf(url: URL): string {
  return hrefOf(new URL(`${url.origin}${url.pathname}`));
}

function hrefOf(url: URL): string {
  return url.href.replace(/\/$/, '');
}
