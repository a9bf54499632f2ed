import { protectionsNotEnforced } from './run-config-errors.ts';
import { isJsonObject, memberOf } from '../document/json-members.ts';
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

/** Middleware of other tools, and the field that says the same. */
const FIELDS_OF_MIDDLEWARE: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['auth', ['oidc_config']],
  ['authorization', ['authz_config']],
  ['audit', ['audit_config']],
  ['tool-filter', ['tools_filter', 'tools_override']],
  ['tool-call-filter', ['tools_filter', 'tools_override']],
  ['validating-webhook', ['validating_webhooks']],
  ['mutating-webhook', ['mutating_webhooks']],
  ['tokenexchange', ['token_exchange_config']],
  ['ratelimit', ['rate_limit_config']],
]);

/** A list of middleware that is no list would hide what it asks for. */
const CHAINS = ['middleware_configs', 'additional_middleware_configs'] as const;

/**
 * What is wrong with the lists of middleware. The assembled one does not count:
 * middleware that protects and that no field says again would be lost without a
 * word. Whatever is added to it has to be a kind that is there, which
 * `run` and the supervisor see to.
 */
export function findLostProtections(document: Readonly<Record<string, unknown>>): readonly string[] {
  return [
    ...CHAINS.flatMap((name) => {
      const chain: unknown = document[name];
      if (Array.isArray(chain) || chain === undefined || chain === null) return [];
      return [`${name}: found ${isJsonObject(chain) ? 'a map' : 'something else'}; expected a list`];
    }),
    ...membersOf(document, 'middleware_configs').flatMap((item, index) => {
      const type: unknown = memberOf(item, 'type');
      const fields = FIELDS_OF_MIDDLEWARE.get(type);
      if (fields === undefined) return [];
      if (type === 'auth' && !asksForTokens(memberOf(memberOf(item, 'parameters'), 'oidc_config'))) return [];
      const isSaid = type === 'auth' ? asksForTokens : isFilled;
      if (fields.some((field) => isSaid(document[field]))) return [];
      const place = `middleware_configs[${index}]: found ${String(type)}`;
      return [`${place}; expected ${fields.join(' or ')} beside it, since only those count`];
    }),
  ];
}

function membersOf(document: Readonly<Record<string, unknown>>, key: string): readonly unknown[] {
  const list: unknown = document[key];
  return Array.isArray(list) ? list : [];
}
