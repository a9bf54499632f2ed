import { protectionsNotEnforced } from './run-config-errors.ts';
import { foldCase } from '../document/fold-case.ts';
import { isJsonObject, memberOf } from '../document/json-members.ts';
import { quote } from '../parse/text-faults.ts';
import { asksForTokens } from './oidc-config.ts';
import type { RunConfig } from './run-config.ts';

type FieldName = keyof RunConfig;

/** These restrict callers or record calls. A workload without them is open. */
const PROTECTIONS: Readonly<Partial<Record<FieldName, string>>> = {
  audit_config_path: 'that calls are recorded, and its file was not read',
  embedded_auth_server_config: 'who may call it',
};

/** Fields that are kept for other tools and have no effect here. */
const WITHOUT_EFFECT = [
  'upstream_swap_config',
  'aws_sts_config',
  'scaling_config',
  'k8s_pod_template_patch',
  'mcpserver_generation',
] as const satisfies readonly FieldName[];

/** Throws ERR_RUN_CONFIG_PROTECTION with every protection that this version cannot provide. */
export function requireEnforced(config: RunConfig): void {
  const names = (Object.keys(PROTECTIONS) as FieldName[]).filter((name) => asksFor(name, config));
  if (names.length === 0) return;
  throw protectionsNotEnforced(
    config.name,
    names.map((name) => `${name} (${PROTECTIONS[name] ?? ''})`),
  );
}

export function noteWithoutEffect(config: RunConfig): readonly string[] {
  return WITHOUT_EFFECT.filter((name) => isFilled(config[name])).map(
    (name) => `The field ${name} is kept, and has no effect here.`,
  );
}

function asksFor(name: FieldName, config: RunConfig): boolean {
  const value = config[name];
  // The field names the file of the audit settings; without those, nothing is recorded.
  if (name === 'audit_config_path' && config.audit_config !== undefined) return false;
  // A foreign object requests it even when it is empty; an empty map of ours does not.
  return isJsonObject(value) ? true : isFilled(value);
}

function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isJsonObject(value)) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== '' && value !== 0 && value !== false;
}

/** What must accompany another tool's middleware, so that nothing is lost. */
interface Counterpart {
  /** Fields of which one has the same effect; empty when this version has none. */
  readonly fields: readonly string[];
  readonly isSaid?: (field: unknown) => boolean;
}

const NOWHERE: Counterpart = { fields: [] };
const TOOLS: Counterpart = { fields: ['tools_filter', 'tools_override'] };
const TOKENS: Counterpart = { fields: ['oidc_config'], isSaid: asksForTokens };

/** They protect, or change the server's requests or their sender. */
const COUNTERPARTS: ReadonlyMap<unknown, Counterpart> = new Map([
  ['auth', TOKENS],
  // Where callers authenticate, their credentials are never forwarded.
  ['strip-auth', TOKENS],
  ['authorization', { fields: ['authz_config'] }],
  ['audit', { fields: ['audit_config'] }],
  ['tool-filter', TOOLS],
  ['tool-call-filter', TOOLS],
  ['validating-webhook', { fields: ['validating_webhooks'] }],
  ['mutating-webhook', { fields: ['mutating_webhooks'] }],
  ['tokenexchange', { fields: ['token_exchange_config'] }],
  ['ratelimit', { fields: ['rate_limit_config'] }],
  ['telemetry', { fields: ['telemetry_config'] }],
  ['header-forward', { fields: ['header_forward'] }],
  // Their fields are kept, with a note that they have no effect.
  ['upstreamswap', { fields: ['upstream_swap_config'] }],
  ['awssts', { fields: ['aws_sts_config'] }],
  ['obo', NOWHERE],
]);

/** Every proxy here does this in its own way, or only other tools need it. */
const WITHOUT_LOSS: ReadonlySet<unknown> = new Set([
  'bodylimit',
  'mcp-parser',
  'origin',
  'recovery',
  'usagemetrics',
]);

/** A list of another type would hide what it requests. */
const CHAINS = ['middleware_configs', 'additional_middleware_configs'] as const;

/**
 * The assembled list is ignored, so protecting or unknown middleware without a corresponding field would be
 * lost silently. `run` and the supervisor check kinds in the additional list.
 */
export function findLostProtections(document: Readonly<Record<string, unknown>>): readonly string[] {
  return [
    ...CHAINS.flatMap((name) => {
      const chain: unknown = document[name];
      if (Array.isArray(chain) || chain === undefined || chain === null) return [];
      return [`${name}: found ${isJsonObject(chain) ? 'a map' : 'something else'}; expected a list`];
    }),
    ...membersOf(document, 'middleware_configs').flatMap((item, index) => {
      const lost = findLost(item, document);
      return lost === undefined ? [] : [`middleware_configs[${index}]: ${lost}`];
    }),
  ];
}

function findLost(item: unknown, document: Readonly<Record<string, unknown>>): string | undefined {
  const type: unknown = memberOf(item, 'type');
  const parameters = spelledMember(item, 'parameters');
  if (typeof type !== 'string') return 'found no type; expected the name of a middleware';
  if (WITHOUT_LOSS.has(type)) return undefined;
  const counterpart = COUNTERPARTS.get(type);
  if (counterpart === undefined) return `found ${quote(type)}; expected a middleware that is known here`;
  // Other tools add it to every list; without an issuer it admits everyone.
  if (type === 'auth' && !asksForTokens(spelledMember(parameters, 'oidc_config'))) return undefined;
  const { fields, isSaid = isFilled } = counterpart;
  if (fields.length === 0)
    return `found ${type}, which changes as whom the server is asked; expected none, since this version has nothing like it`;
  if (!fields.some((field) => isSaid(document[field])))
    return `found ${type}; expected ${fields.join(' or ')} beside it, since only those count`;
  return type === 'ratelimit' ? findLostStore(parameters, document['rate_limit_config']) : undefined;
}

/** Detects limits that several proxies share: without their store, each proxy would admit the full amount. */
function findLostStore(parameters: unknown, limits: unknown): string | undefined {
  const lost = ['redis_addr', 'redis_db'].filter((key) => isFilled(spelledMember(parameters, key)));
  if (lost.length === 0 || isFilled(memberOf(limits, 'redis'))) return undefined;
  return `found ratelimit with ${lost.join(' and ')}; expected rate_limit_config.redis beside it, with the address redis://HOST:PORT/DB, since only that counts`;
}

/** Other tools ignore the case. */
function spelledMember(value: unknown, name: string): unknown {
  if (!isJsonObject(value)) return undefined;
  const key = Object.keys(value).find((one) => foldCase(one) === name);
  return key === undefined ? undefined : value[key];
}

function membersOf(document: Readonly<Record<string, unknown>>, key: string): readonly unknown[] {
  const list: unknown = document[key];
  return Array.isArray(list) ? list : [];
}
