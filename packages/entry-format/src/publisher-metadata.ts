import { Buffer } from 'node:buffer';
import type { JsonObject } from '@portolan/plugin-api';
import { isJsonObject, listOf, memberOf, textOf } from './json-value.ts';

export const PUBLISHER_PROVIDED = 'io.modelcontextprotocol.registry/publisher-provided';

export const STACKLOK = 'io.github.stacklok';

/** Key of Portolan's own object in the publisher-provided metadata. */
export const PORTOLAN = 'dev.portolan';

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

/** Returns the keys of extension objects of a server: its package identifiers and remote URLs. */
export function extensionKeysOf(document: unknown): readonly string[] {
  const identifiers = listOf(document, 'packages').map((item) => textOf(item, 'identifier'));
  const addresses = listOf(document, 'remotes').map((remote) => textOf(remote, 'url'));
  return [...identifiers, ...addresses].filter((key) => key !== undefined);
}

export function portolanExtensionOf(document: unknown): unknown {
  return memberOf(publisherMetadataOf(document), PORTOLAN);
}

/** Returns a copy of a document with members added to Portolan's object, or replaced in it. */
export function withPortolanExtension(document: JsonObject, members: JsonObject): JsonObject {
  const [meta, publisher, own] = [
    memberOf(document, '_meta'),
    publisherMetadataOf(document),
    portolanExtensionOf(document),
  ].map((part) => (isJsonObject(part) ? part : {}));
  const extension = { ...own, ...members };
  return {
    ...document,
    _meta: { ...meta, [PUBLISHER_PROVIDED]: { ...publisher, [PORTOLAN]: extension } },
  };
}

function publisherMetadataOf(document: unknown): unknown {
  return memberOf(memberOf(document, '_meta'), PUBLISHER_PROVIDED);
}

function membersOf(value: unknown): readonly unknown[] {
  return isJsonObject(value) ? Object.values(value) : [];
}
