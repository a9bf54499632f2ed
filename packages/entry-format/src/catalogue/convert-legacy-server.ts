import type { JsonObject, SkippedEntry, SourceEntry } from '@portolan/plugin-api';
import { LATEST_SERVER_SCHEMA } from '../document/schema-address.ts';
import { shortDescription } from '../document/short-description.ts';
import { isJsonObject, listOf, nameOfType, textOf } from '../json-value.ts';
import { PUBLISHER_PROVIDED, STACKLOK } from '../publisher-metadata.ts';

const DEFAULT_PORT = 8080;

/**
 * Converts a legacy entry: a container (`image`) becomes a package, a remote server (`url`) a remote. Other
 * fields go to the extension object at `_meta[publisher-provided]["io.github.stacklok"]`, keyed by image or
 * URL. Checks no values.
 */
export function convertLegacyServer(key: string, legacy: unknown, place: string): SourceEntry | SkippedEntry {
  if (!isJsonObject(legacy)) {
    return {
      skipped: place,
      because: `The entry is ${nameOfType(legacy)}; expected an object.`,
      entry: legacyEntry(key),
    };
  }
  const { image, url, description } = legacy;
  const extensionKey = image ?? url;
  if (typeof extensionKey !== 'string' || extensionKey === '') {
    return {
      skipped: place,
      because: 'The entry has neither `image` nor `url`; expected one of them as text.',
      entry: legacyEntry(key),
    };
  }
  const document: JsonObject = {
    $schema: LATEST_SERVER_SCHEMA,
    name: legacyEntry(key).name,
    description: typeof description === 'string' ? shortDescription(description) : description,
    ...pick(legacy, { title: 'title' }),
    ...repositoryOf(legacy),
    version: '1.0.0',
    ...(image === undefined ? {} : { packages: [packageOf(legacy, image)] }),
    ...(url === undefined ? {} : { remotes: [remoteOf(legacy, url)] }),
    _meta: { [PUBLISHER_PROVIDED]: { [STACKLOK]: { [extensionKey]: extensionOf(legacy) } } },
  };
  return { type: 'server', document, place };
}

export function legacyEntry(key: string): { readonly type: 'server'; readonly name: string } {
  return { type: 'server', name: `io.github.stacklok/${key}` };
}

function packageOf(legacy: JsonObject, image: unknown): JsonObject {
  const type = legacy['transport'] ?? 'stdio';
  const port = typeof legacy['target_port'] === 'number' ? legacy['target_port'] : DEFAULT_PORT;
  const args = listOf(legacy, 'args');
  const variables = listOf(legacy, 'env_vars');
  return {
    registryType: 'oci',
    identifier: image,
    transport: type === 'stdio' ? { type } : { type, url: `http://localhost:${port}` },
    ...(args.length === 0 ? {} : { packageArguments: args.map((value) => ({ type: 'positional', value })) }),
    ...(variables.length === 0 ? {} : { environmentVariables: variables.map(inputOf) }),
  };
}

function remoteOf(legacy: JsonObject, url: unknown): JsonObject {
  const headers = listOf(legacy, 'headers');
  return {
    type: legacy['transport'] ?? 'sse',
    url,
    ...(headers.length === 0 ? {} : { headers: headers.map(inputOf) }),
  };
}

function inputOf(legacy: unknown): unknown {
  if (!isJsonObject(legacy)) return legacy;
  return {
    ...pick(legacy, { name: 'name', description: 'description' }),
    ...(legacy['required'] === true ? { isRequired: true } : {}),
    ...(legacy['secret'] === true ? { isSecret: true } : {}),
    ...pick(legacy, { default: 'default', choices: 'choices' }),
  };
}

/**
 * Returns the fields that have no place in a server document. Includes a truncated description in full when
 * there is no overview.
 */
function extensionOf(legacy: JsonObject): JsonObject {
  const rest = Object.entries(legacy).filter(([key]) => !isPlacedElsewhere(key, legacy));
  const description = legacy['description'];
  const isCut = typeof description === 'string' && shortDescription(description) !== description;
  if (!isCut || (legacy['overview'] ?? '') !== '') return Object.fromEntries(rest);
  return Object.fromEntries([...rest.filter(([key]) => key !== 'overview'), ['overview', description]]);
}

function isPlacedElsewhere(key: string, legacy: JsonObject): boolean {
  const isContainer = legacy['image'] !== undefined;
  switch (key) {
    // The field `name` of the entry repeats its key, which is already part of the document's name.
    case 'name':
    case 'title':
    case 'description':
    case 'image':
    case 'url':
    case 'transport':
      return true;
    case 'env_vars':
      return isContainer;
    case 'headers':
      return legacy['url'] !== undefined;
    case 'target_port':
      return isContainer && (legacy['transport'] ?? 'stdio') !== 'stdio';
    case 'repository_url':
      return sourceOf(legacy) !== undefined;
    default:
      return false;
  }
}

function repositoryOf(legacy: JsonObject): JsonObject {
  const source = sourceOf(legacy);
  return source === undefined ? {} : { repository: { url: legacy['repository_url'], source } };
}

/** Returns the kind of repository host, such as `github`, or the host name when the kind is unknown. */
function sourceOf(legacy: JsonObject): string | undefined {
  const address = textOf(legacy, 'repository_url');
  if (address === undefined || !URL.canParse(address)) return undefined;
  const host = new URL(address).hostname.replace(/^www\./, '');
  if (host === 'github.com') return 'github';
  if (host === 'gitlab.com') return 'gitlab';
  return host === '' ? undefined : host;
}

function pick(from: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, becomes]) =>
      from[name] === undefined ? [] : [[becomes, from[name]]],
    ),
  );
}
