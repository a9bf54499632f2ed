import type { ResourceClaims } from '@portolan/plugin-api';
import { badArgument } from '../terminal/terminal-errors.ts';
import { parseResourceClaims } from '@portolan/authorization';

/**
 * Parses claims from `KEY=VALUE` texts, split at the first `=`. A repeated key gets a list. Undefined without
 * texts. Throws ERR_BAD_ARGUMENT for claims that the server could not store.
 */
export async function parseClaims(texts: readonly string[] | undefined): Promise<ResourceClaims | undefined> {
  if (texts === undefined || texts.length === 0) return undefined;
  const values = new Map<string, string[]>();
  for (const text of texts) {
    const at = text.indexOf('=');
    if (at <= 0) throw badArgument(`found --claim ${JSON.stringify(text)}; expected KEY=VALUE`);
    const key = text.slice(0, at);
    values.set(key, [...(values.get(key) ?? []), text.slice(at + 1)]);
  }
  const claims = [...values].map(([key, all]) => [key, all.length === 1 ? all[0] : all] as const);
  const parsed = parseResourceClaims(Object.fromEntries(claims));
  if ('problems' in parsed) throw badArgument(parsed.problems.join(' '));
  return parsed.claims;
}

/** Formats claims on one line: `org=acme team=maps,tides`; `-` for none. */
export function printClaims(claims: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(claims).map(([key, value]) => `${key}=${[value].flat().join(',')}`);
  return parts.length === 0 ? '-' : parts.join(' ');
}
