import { hash } from 'node:crypto';
import { findRepeatedName } from '@portolan/mcp-protocol';
import canonicalize from 'canonicalize';
import { keepAppMeta } from './app-meta.ts';
import { normalizeTexts } from './normalize-texts.ts';

/** Version of the digest algorithm. A lock file names the one of its digests. */
export const FORMULA = 1;

/** Digest of a definition with the JSON behind it, or the reason why the definition has none. */
export type DefinitionDigest =
  | {
      /** `sha256:` and 64 hexadecimal digits: SHA-256 of `json` in UTF-8. */
      readonly digest: string;
      /** JSON of the definition in the canonical form of RFC 8785. */
      readonly json: string;
    }
  | {
      /** Why the definition has no digest, as a clause: "it is not JSON". Drift protection holds such a definition. */
      readonly fault: string;
    };

/**
 * Returns the digest of a parsed definition: of a tool, a prompt or a template. Texts count in NFC, and member
 * names as they are. Of `_meta`, only the keys of apps count.
 */
export function digestDefinition(definition: unknown): DefinitionDigest {
  return digestValue(keepAppMeta(definition));
}

/**
 * Returns the digest of a definition from its JSON. A member name that occurs twice in an object is a fault,
 * because clients differ in which one they read.
 */
export function digestDefinitionText(json: string): DefinitionDigest {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { fault: 'it is not JSON' };
  }
  const fault = findRepeatedName(json);
  return fault === undefined ? digestDefinition(value) : { fault };
}

/** Returns the digest of any JSON value, such as `capabilities`, with every member of `_meta`. */
export function digestValue(value: unknown): DefinitionDigest {
  let json: string | undefined;
  try {
    json = canonicalize(value);
    if (json !== undefined && /[^\0-\u007f]/.test(json)) json = canonicalize(normalizeTexts(value));
  } catch (error) {
    return { fault: describeFault(error) };
  }
  if (json === undefined) return { fault: 'it has no value' };
  // Canonical JSON repeats no name, so that only the nesting can be a fault.
  const fault = findRepeatedName(json);
  return fault === undefined ? { digest: digestOfJson(json), json } : { fault };
}

/** Returns the digest of a canonical JSON text. */
export function digestOfJson(json: string): string {
  return `sha256:${hash('sha256', json)}`;
}

function describeFault(error: unknown): string {
  const text = String(error);
  if (text.includes('surrogate')) return 'it has half of a UTF-16 surrogate pair, which UTF-8 cannot encode';
  if (error instanceof RangeError) return 'it is nested too deeply';
  return 'it has a number that JSON cannot encode';
}
