import { isJsonObject } from '@portolan/plugin-api';
import type { IndexedPackage, PluginContext, SchemeOptions } from '@portolan/plugin-api';
import { askIndex, below, packageNotFound } from '@portolan/scheme-kit';
import { answerUnreadable } from './errors.ts';
import { type NpmRegistries, registryOf } from './npm-registries.ts';

/** Media type of the abbreviated package document, which has all needed fields and is much smaller. */
const ACCEPT = 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8';

export interface NpmPackage {
  readonly registry: string;
  readonly tags: ReadonlyMap<string, string>;
  /** The package.json of each version, abbreviated in the short form. */
  readonly versions: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

/** Throws ERR_PACKAGE_NOT_FOUND, ERR_PACKAGE_INDEX. */
export async function describeNpmPackage(
  { name }: Pick<IndexedPackage, 'name'>,
  registries: NpmRegistries,
  context: Pick<PluginContext, 'openFetch'>,
  options: SchemeOptions,
): Promise<NpmPackage> {
  const registry = registryOf(registries, name);
  const address = below(registry, name.replace('/', '%2F'));
  const response = await askIndex(address, ACCEPT, context, options, registries.authorize);
  if (response === undefined) throw packageNotFound(`package ${name}`, registry.host);
  return readDescription(response.text, name, registry);
}

function readDescription(text: string, name: string, registry: URL): NpmPackage {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw answerUnreadable(name, registry.host, error);
  }
  if (!isJsonObject(document) || !isJsonObject(document['versions']))
    throw answerUnreadable(name, registry.host);
  const all = Object.entries(document['versions']);
  const versions = new Map(all.map(([version, match]) => [version, isJsonObject(match) ? match : {}]));
  const tags = isJsonObject(document['dist-tags']) ? document['dist-tags'] : {};
  const known = Object.entries(tags).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && versions.has(entry[1]),
  );
  return { registry: registry.host, tags: new Map(known), versions };
}
