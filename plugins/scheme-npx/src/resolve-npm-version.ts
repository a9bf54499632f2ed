import type { IndexedPackage, PluginContext, SchemeOptions } from '@portolan/plugin-api';
import { askIndex, below, packageNotFound } from '@portolan/scheme-kit';
import { answerUnreadable } from './errors.ts';
import { type NpmRegistries, registryOf } from './npm-registries.ts';
import { newestInRange } from './version-range.ts';

/** The short form holds what is needed here, and is smaller by far. */
const ACCEPT = 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8';

/**
 * The exact version that the package's registry gives now: an exact one as it
 * is, a tag (`latest` when none is named) as it stands, of a range the newest.
 * Throws ERR_PACKAGE_NOT_FOUND, ERR_PACKAGE_INDEX.
 */
export async function resolveNpmVersion(
  { name, version: wanted = 'latest', pinned }: IndexedPackage,
  registries: NpmRegistries,
  context: Pick<PluginContext, 'openFetch'>,
  options: SchemeOptions,
): Promise<string> {
  if (pinned) return wanted;
  const registry = registryOf(registries, name);
  const address = below(registry, name.replace('/', '%2F'));
  const answer = await askIndex(address, ACCEPT, context, options, registries.authorize);
  if (answer === undefined) throw packageNotFound(`package ${name}`, registry.host);
  const { tags, versions } = readDescription(answer.text, name, registry);
  const found = tags.get(wanted) ?? newestInRange(wanted, versions);
  if (found === undefined) throw packageNotFound(`${name}@${wanted}`, registry.host);
  return found;
}

interface Description {
  readonly tags: ReadonlyMap<string, string>;
  readonly versions: readonly string[];
}

function readDescription(text: string, name: string, registry: URL): Description {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw answerUnreadable(name, registry.host, error);
  }
  if (!isMap(document) || !isMap(document['versions'])) throw answerUnreadable(name, registry.host);
  const versions = Object.keys(document['versions']);
  const tags = isMap(document['dist-tags']) ? document['dist-tags'] : {};
  const known = Object.entries(tags).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && versions.includes(entry[1]),
  );
  return { tags: new Map(known), versions };
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
