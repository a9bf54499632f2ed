import { protectionsNotEnforced } from './run-config-errors.ts';
import { foldCase } from '../document/fold-case.ts';
import { isJsonObject, memberOf } from '../document/json-members.ts';
import { quote } from '../parse/text-faults.ts';
import { asksForTokens } from './oidc-config.ts';
import type { RunConfig } from './run-config.ts';

type FieldName = keyof RunConfig;

/** Fields that restrict callers or record calls. Without their effect, a workload would be open. */
const PROTECTIONS: Readonly<Partial<Record<FieldName, string>>> = {
  audit_config_path: 'that calls are recorded, and its file was not read',
  embedded_auth_server_config: 'who may call it',
};

/** Fields that are stored only for other tools and have no effect in Portolan. */
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
  // The field only names the file of the audit settings. Without the settings, nothing is recorded.
  if (name === 'audit_config_path' && config.audit_config !== undefined) return false;
  // An object of another tool enables its feature even when empty; an empty map of Portolan has no effect.
  return isJsonObject(value) ? true : isFilled(value);
}

function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isJsonObject(value)) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== '' && value !== 0 && value !== false;
}

/** Fields that replace a middleware of another tool without loss. */
interface Counterpart {
  /** Fields with the same effect, of which one must be present; empty when Portolan has no such field. */
  readonly fields: readonly string[];
  readonly isSaid?: (field: unknown) => boolean;
}

const NOWHERE: Counterpart = { fields: [] };
const TOOLS: Counterpart = { fields: ['tools_filter', 'tools_override'] };
const TOKENS: Counterpart = { fields: ['oidc_config'], isSaid: asksForTokens };

/**
 * Middleware of other tools that protects, or that changes requests or their sender, with its counterpart.
 */
const COUNTERPARTS: ReadonlyMap<unknown, Counterpart> = new Map([
  ['auth', TOKENS],
  // If callers authenticate, their credentials are never forwarded to the server.
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
  // These fields are stored, with a note that they have no effect.
  ['upstreamswap', { fields: ['upstream_swap_config'] }],
  ['awssts', { fields: ['aws_sts_config'] }],
  ['obo', NOWHERE],
]);

/**
 * Middleware of other tools that can be ignored: every proxy of Portolan has the same effect, or only those
 * tools need it.
 */
const WITHOUT_LOSS: ReadonlySet<unknown> = new Set([
  'bodylimit',
  'mcp-parser',
  'origin',
  'recovery',
  'usagemetrics',
]);

/** Fields with lists of middleware. A value of another type would hide requested protections. */
const CHAINS = ['middleware_configs', 'additional_middleware_configs'] as const;

/**
 * Returns protections that are only in the middleware lists of another tool, where Portolan would ignore
 * them. This includes middleware of unknown type. `run` and the supervisor check the kinds in the additional
 * list.
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
  // Other tools add this middleware to every list. Without an issuer it admits every caller.
  if (type === 'auth' && !asksForTokens(spelledMember(parameters, 'oidc_config'))) return undefined;
  const { fields, isSaid = isFilled } = counterpart;
  if (fields.length === 0)
    return `found ${type}, which changes as whom the server is asked; expected none, since this version has nothing like it`;
  if (!fields.some((field) => isSaid(document[field])))
    return `found ${type}; expected ${fields.join(' or ')} beside it, since only those count`;
  return type === 'ratelimit' ? findLostStore(parameters, document['rate_limit_config']) : undefined;
}

/**
 * Returns the problem of a rate limit that several proxies share. Without the shared store, each proxy would
 * admit the full amount.
 */
function findLostStore(parameters: unknown, limits: unknown): string | undefined {
  const lost = ['redis_addr', 'redis_db'].filter((key) => isFilled(spelledMember(parameters, key)));
  if (lost.length === 0 || isFilled(memberOf(limits, 'redis'))) return undefined;
  return `found ratelimit with ${lost.join(' and ')}; expected rate_limit_config.redis beside it, with the address redis://HOST:PORT/DB, since only that counts`;
}

/** Returns a member by its name without regard to case, as other tools do. */
function spelledMember(value: unknown, name: string): unknown {
  if (!isJsonObject(value)) return undefined;
  const key = Object.keys(value).find((one) => foldCase(one) === name);
  return key === undefined ? undefined : value[key];
}

function membersOf(document: Readonly<Record<string, unknown>>, key: string): readonly unknown[] {
  const list: unknown = document[key];
  return Array.isArray(list) ? list : [];
}
