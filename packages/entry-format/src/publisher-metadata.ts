import { Buffer } from 'node:buffer';
import { isJsonObject, memberOf } from './json-value.ts';

export const PUBLISHER_PROVIDED = 'io.modelcontextprotocol.registry/publisher-provided';

export const STACKLOK = 'io.github.stacklok';

/** Returns the size of the publisher-provided metadata as UTF-8 JSON; 0 without any. */
export function metadataBytesOf(document: unknown): number {
  const metadata = publisherMetadataOf(document);
  return metadata === undefined ? 0 : Buffer.byteLength(JSON.stringify(metadata));
}

/** Returns the distinct tags in the publisher-provided metadata, at `<vendor>.<key>.tags`. */
export function tagsOf(document: unknown): readonly string[] {
  const vendors = membersOf(publisherMetadataOf(document));
  const tags = vendors.flatMap(membersOf).flatMap((extension) => memberOf(extension, 'tags') ?? []);
  return [...new Set(tags.filter((tag) => typeof tag === 'string'))];
}

/**
 * Returns the extension object of a server. Uses the first of the keys (package identifiers, remote URLs)
 * that exists, otherwise the first object.
 */
export function stacklokExtensionOf(document: unknown, keys: readonly string[]): unknown {
  const extensions = memberOf(publisherMetadataOf(document), STACKLOK);
  if (!isJsonObject(extensions)) return undefined;
  const key = keys.find((candidate) => Object.hasOwn(extensions, candidate)) ?? Object.keys(extensions)[0];
  return key === undefined ? undefined : memberOf(extensions, key);
}

function publisherMetadataOf(document: unknown): unknown {
  return memberOf(memberOf(document, '_meta'), PUBLISHER_PROVIDED);
}

function membersOf(value: unknown): readonly unknown[] {
  return isJsonObject(value) ? Object.values(value) : [];
}
