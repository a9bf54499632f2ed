import { isJsonObject, type JsonMembers, memberOf, ownMembers } from '../document/json-members.ts';

/**
 * Middleware whose settings other tools write only into the assembled chain: its field, and the place in the
 * chain.
 */
const FIELDS = [
  { type: 'tokenexchange', field: 'token_exchange_config', key: 'token_exchange_config' },
  { type: 'ratelimit', field: 'rate_limit_config', key: 'config' },
] as const;

/**
 * Returns the document with fields that its writer put only into `middleware_configs`. An existing field is
 * kept; of two middlewares of one type, the first counts.
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
