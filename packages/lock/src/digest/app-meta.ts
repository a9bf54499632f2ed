import { isJsonObject } from '@portolan/plugin-api';

/** Matches the keys of `_meta` that link a tool with an app: of MCP Apps, and of the Apps SDK of OpenAI. */
const APP_KEY = /^(?:ui$|ui\/|io\.modelcontextprotocol\/ui|openai\/)/;

/**
 * Returns a definition whose `_meta` has only the keys of apps. Servers put times and counters into other keys.
 * A `_meta` that is not an object stays as it is.
 */
export function keepAppMeta(definition: unknown): unknown {
  if (!isJsonObject(definition) || !Object.hasOwn(definition, '_meta')) return definition;
  const { _meta: meta, ...others } = definition;
  if (!isJsonObject(meta)) return definition;
  const kept = Object.entries(meta).filter(([key]) => isAppKey(key));
  return kept.length === 0 ? others : { ...others, _meta: Object.fromEntries(kept) };
}

/** Returns whether a key of `_meta` counts for the digest. */
export function isAppKey(key: string): boolean {
  return APP_KEY.test(key);
}
