import { protectionsNotEnforced } from './run-config-errors.ts';
import { foldCase } from '../document/fold-case.ts';
import { isJsonObject, memberOf } from '../document/json-members.ts';
import { quote } from '../parse/text-faults.ts';
import { asksForTokens } from './oidc-config.ts';
import type { RunConfig } from './run-config.ts';

type FieldName = keyof RunConfig;

/** Fields that say who may do what, or that it is written down. A workload that is run without them is open. */
const PROTECTIONS: Readonly<Partial<Record<FieldName, string>>> = {
  audit_config_path: 'that calls are recorded, and its file was not read',
  embedded_auth_server_config: 'who may call it',
};

/** Fields that are kept for other tools and change nothing here. */
const WITHOUT_EFFECT = [
  'upstream_swap_config',
  'aws_sts_config',
  'scaling_config',
  'k8s_pod_template_patch',
  'mcpserver_generation',
] as const satisfies readonly FieldName[];

/**
 * A workload is either run with everything that protects it or not at all.
 * Throws ERR_RUN_CONFIG_PROTECTION with every field that asks for a protection
 * that this version cannot give.
 */
export function requireEnforced(config: RunConfig): void {
  // The keys of the table are names of fields.
  const names = (Object.keys(PROTECTIONS) as FieldName[]).filter((name) => asksFor(name, config));
  if (names.length === 0) return;
  throw protectionsNotEnforced(
    config.name,
    names.map((name) => `${name} (${PROTECTIONS[name] ?? ''})`),
  );
}

/** A sentence for each field that is kept and changes nothing. */
export function noteWithoutEffect(config: RunConfig): readonly string[] {
  return WITHOUT_EFFECT.filter((name) => isFilled(config[name])).map(
    (name) => `The field ${name} is kept, and has no effect here.`,
  );
}

function asksFor(name: FieldName, config: RunConfig): boolean {
  const value = config[name];
  // Where it came from; without what came from there, nothing is recorded.
  if (name === 'audit_config_path' && config.audit_config !== undefined) return false;
  // An empty object asks for it with its defaults; an empty map of ours for nothing.
  return isJsonObject(value) ? true : isFilled(value);
}

function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isJsonObject(value)) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== '' && value !== 0 && value !== false;
}

/** What has to stand beside a middleware of other tools, so that nothing is lost with it. */
interface Counterpart {
  /** The fields of which one says the same; none where this version has nothing like it. */
  readonly fields: readonly string[];
  /** Whether a field says it. */
  readonly isSaid?: (field: unknown) => boolean;
}

const NOWHERE: Counterpart = { fields: [] };
const TOOLS: Counterpart = { fields: ['tools_filter', 'tools_override'] };
const TOKENS: Counterpart = { fields: ['oidc_config'], isSaid: asksForTokens };

/** Middleware of other tools that protects, or changes what its server is asked and by whom. */
const COUNTERPARTS: ReadonlyMap<unknown, Counterpart> = new Map([
  ['auth', TOKENS],
  // Where callers prove who they are, what they prove it with goes no further.
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

/** Middleware of other tools that every proxy here has in its own way, or that only they need. */
const WITHOUT_LOSS: ReadonlySet<unknown> = new Set([
  'bodylimit',
  'mcp-parser',
  'origin',
  'recovery',
  'usagemetrics',
]);

/** A list of middleware that is no list would hide what it asks for. */
const CHAINS = ['middleware_configs', 'additional_middleware_configs'] as const;

/**
 * What is wrong with the lists of middleware. The assembled one does not count:
 * middleware that protects and that no field says again would be lost without a
 * word, and so might one that nobody knows. Whatever is added to it has to be a
 * kind that is there, which `run` and the supervisor see to.
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

/** What would be lost of one middleware of the assembled list. */
function findLost(item: unknown, document: Readonly<Record<string, unknown>>): string | undefined {
  const type: unknown = memberOf(item, 'type');
  const parameters = spelledMember(item, 'parameters');
  if (typeof type !== 'string') return 'found no type; expected the name of a middleware';
  if (WITHOUT_LOSS.has(type)) return undefined;
  const counterpart = COUNTERPARTS.get(type);
  if (counterpart === undefined) return `found ${quote(type)}; expected a middleware that is known here`;
  // Other tools have it in every list; without an issuer everybody is let in.
  if (type === 'auth' && !asksForTokens(spelledMember(parameters, 'oidc_config'))) return undefined;
  const { fields, isSaid = isFilled } = counterpart;
  if (fields.length === 0)
    return `found ${type}, which changes as whom the server is asked; expected none, since this version has nothing like it`;
  if (!fields.some((field) => isSaid(document[field])))
    return `found ${type}; expected ${fields.join(' or ')} beside it, since only those count`;
  return type === 'ratelimit' ? findLostStore(parameters, document['rate_limit_config']) : undefined;
}

/** Limits that several proxies share: without their store each would let through as much. */
function findLostStore(parameters: unknown, limits: unknown): string | undefined {
  const lost = ['redis_addr', 'redis_db'].filter((key) => isFilled(spelledMember(parameters, key)));
  if (lost.length === 0 || isFilled(memberOf(limits, 'redis'))) return undefined;
  return `found ratelimit with ${lost.join(' and ')}; expected rate_limit_config.redis beside it, with the address redis://HOST:PORT/DB, since only that counts`;
}

/** A member whose name is written in any capitals: other tools read it all the same. */
function spelledMember(value: unknown, name: string): unknown {
  if (!isJsonObject(value)) return undefined;
  const key = Object.keys(value).find((one) => foldCase(one) === name);
  return key === undefined ? undefined : value[key];
}

function membersOf(document: Readonly<Record<string, unknown>>, key: string): readonly unknown[] {
  const list: unknown = document[key];
  return Array.isArray(list) ? list : [];
}
