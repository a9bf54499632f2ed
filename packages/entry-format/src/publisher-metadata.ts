import { Buffer } from 'node:buffer';
import { isJsonObject, memberOf } from './json-value.ts';

/** Key in a document's `_meta` below which publishers keep their own data. */
export const PUBLISHER_PROVIDED = 'io.modelcontextprotocol.registry/publisher-provided';

/** Vendor key of the extension that catalogues of the stacklok format carry. */
export const STACKLOK = 'io.github.stacklok';

/** Size of the publisher-provided metadata as JSON in UTF-8; 0 when there is none. */
export function metadataBytesOf(document: unknown): number {
  const metadata = publisherMetadataOf(document);
  return metadata === undefined ? 0 : Buffer.byteLength(JSON.stringify(metadata));
}

/** All tags in the publisher-provided metadata, two levels down (`<vendor>.<key>.tags`), each once. */
export function tagsOf(document: unknown): readonly string[] {
  const vendors = membersOf(publisherMetadataOf(document));
  const tags = vendors.flatMap(membersOf).flatMap((extension) => memberOf(extension, 'tags') ?? []);
  return [...new Set(tags.filter((tag) => typeof tag === 'string'))];
}

/**
 * The extension object of the stacklok format: the one under the first of the
 * keys (package identifiers, remote URLs) that is there, else the first one.
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
