import { isJsonObject, type JsonMembers, memberOf, ownMembers } from '../document/json-members.ts';

/** Middleware of which other tools write the settings into the assembled chain alone: its field, and where they stand there. */
const FIELDS = [
  { type: 'tokenexchange', field: 'token_exchange_config', key: 'token_exchange_config' },
  { type: 'ratelimit', field: 'rate_limit_config', key: 'config' },
] as const;

/**
 * The document with fields that its writer has put into `middleware_configs`
 * alone. A field that is there counts as it is; of two middlewares of one type
 * the first counts.
 */
export function withFieldsOfChain(document: JsonMembers): JsonMembers {
  const chain: unknown = document['middleware_configs'];
  if (!Array.isArray(chain)) return document;
  const found: { [field: string]: unknown } = {};
  for (const { type, field, key } of FIELDS) {
    if (document[field] !== undefined && document[field] !== null) continue;
    const item: unknown = chain.find((one) => memberOf(one, 'type') === type);
    const settings: unknown = memberOf(memberOf(item, 'parameters'), key);
    if (isJsonObject(settings)) found[field] = settings;
  }
  return ownMembers({ ...document, ...found });
}
