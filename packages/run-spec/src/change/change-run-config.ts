import type { Parts } from './change-maps.ts';
import type { JsonObject } from '@portolan/plugin-api';
import { isJsonObject } from '../document/json-members.ts';
import { normalizeRunConfig } from '../run-config/normalize-run-config.ts';
import { isVirtualServer } from '../run-config/members/is-virtual-server.ts';
import type { RunConfig } from '../run-config/run-config.ts';
import { mergeSettings } from '../settings/merge-settings.ts';
import type { MergedSettings } from '../settings/merged-settings.ts';
import type { MergeInput } from '../settings/merge-input.ts';
import {
  flagRow,
  RUN_FLAG_NAMES,
  type RunFlagName,
  type RunFlags,
  typedFlag,
} from '../settings/run-flags.ts';
import { toRunConfig } from '../settings/to-run-config.ts';
import { nameImmutable, ofEntry } from './change-errors.ts';
import {
  baseProfile,
  changePorts,
  changeVolumes,
  type ContainerChange,
  keptNetwork,
  STORED_PROFILE,
} from './change-profile.ts';
import { findUnset, parseUnset, type RunChange, type Unset } from './run-change.ts';
import { isStored, storedFlags } from './stored-flags.ts';
import { changeVariables, changeMap, changeHeaders, changeArguments } from './change-maps.ts';

/** Input of `changeRunConfig`. Its files are those that the given flags name. */
export type ChangeInput = Omit<MergeInput, 'request' | 'entry' | 'storedSecrets' | 'exposedPorts'>;

export interface ChangedRunConfig {
  readonly config: RunConfig;
  /** Whether the image of a package must be rebuilt. */
  readonly needsBuild: boolean;
  readonly warnings: readonly string[];
}

/**
 * Applies a change to some settings and keeps all others. In a list with named items, a flag replaces the
 * item of the same name. An unset setting gets its default. Pure. Throws like `run`, and throws ERR_SETTING
 * or ERR_SETTINGS_CONFLICT for a setting that cannot be unset.
 */
export function changeRunConfig(config: RunConfig, change: RunChange, input: ChangeInput): ChangedRunConfig {
  const unset = parseUnset(change);
  if (change.flags.name !== undefined) throw nameImmutable(config.name);
  refuseOfEntry(config, unset);
  const touched = touchedFlags(config, change, unset);
  const container = { config, flags: change.flags, unset, context: input.context };
  const flags = mergedFlags(container, touched);
  const settings = mergeSettings({
    ...input,
    profileFile: input.profileFile ?? (hasContainer(config) ? baseProfile(container) : undefined),
    target: targetOf(config, input),
    request: { target: undefined, args: change.args ?? [], flags },
    entry: undefined,
    exposedPorts: undefined,
  });
  const fresh = freshConfig(config, settings, input);
  const parts = { config, fresh, settings, touched, unset };
  const changed = normalizeRunConfig({
    ...config,
    ...changePlain(parts),
    ...changeObjects(parts),
    ...changePolicies(parts),
    ...changeServer(parts, change.flags),
    container_labels: changeMap(config.container_labels, fresh.container_labels, findUnset(unset, 'labels')),
    ...changeProxy(parts),
    ...changeArguments(parts, change),
  });
  const needsBuild = hasContainer(config) && (touched.has('caCert') || hasRuntimeFlag(touched));
  return { config: changed, needsBuild, warnings: warningsAbout(settings.warnings, change.flags) };
}

function hasContainer(config: RunConfig): boolean {
  return config.remote_url === '' && !isVirtualServer(config);
}

/** Returns the target of the merge. A virtual server keeps its kind, with other members too. */
function targetOf(config: RunConfig, { target }: ChangeInput): ChangeInput['target'] {
  const { members_file: file, member_group: group } = config;
  if (!isVirtualServer(config)) return target;
  return { from: 'members', file: group === '' ? file : undefined, group: group === '' ? undefined : group };
}

function changeServer(parts: Parts, flags: RunFlags): Partial<RunConfig> {
  const { config } = parts;
  if (isVirtualServer(config)) return changeMembers(parts);
  return config.remote_url === '' ? changeContainer(parts) : { header_forward: changeHeaders(parts, flags) };
}

/** Removes the members that the change replaces: those of a group, or those of a file. */
function changeMembers({ fresh, touched }: Parts): Partial<RunConfig> {
  if (touched.has('members')) return { member_group: fresh.member_group };
  return touched.has('memberGroup') ? { members: {}, members_file: '' } : {};
}

/**
 * Throws for unsetting a setting that the registry entry defines: its value would not become Portolan's
 * default.
 */
function refuseOfEntry({ registry_server_name: server }: RunConfig, unset: readonly Unset[]): void {
  if (server === '') return;
  const whole = unset.filter(({ item }) => item === undefined);
  const refused = whole.find(({ name }) => name === 'args' || flagRow(name).inEntry !== undefined);
  if (refused === undefined) return;
  throw ofEntry(refused.name === 'args' ? 'args' : flagRow(refused.name).flag, server);
}

/**
 * Flags that enable an object of the run config, by field. The other flags of the object have no effect
 * without them.
 */
const SWITCHES: Readonly<Record<string, readonly RunFlagName[]>> = {
  oidc_config: ['oidcIssuer', 'oidcJwksUrl', 'oidcIntrospectionUrl'],
  token_exchange_config: ['tokenExchangeUrl'],
};

/**
 * Returns the flags that lose their effect when a login or token exchange is unset. Keeps `--resource-url`.
 */
function switchedOff(
  config: RunConfig,
  inputs: readonly RunFlagName[],
  unset: readonly RunFlagName[],
): readonly RunFlagName[] {
  const isOff = (switches: readonly RunFlagName[]): boolean =>
    switches.some((name) => unset.includes(name)) &&
    switches.every((name) => !inputs.includes(name) && (unset.includes(name) || !isStored(name, config)));
  const fields = Object.keys(SWITCHES).filter((field) => isOff(SWITCHES[field] ?? []));
  return RUN_FLAG_NAMES.filter(
    (name) => name !== 'resourceUrl' && fields.some((field) => flagRow(name).field.startsWith(`${field}.`)),
  );
}

/**
 * Returns the names of flags that the change sets or unsets. Leaves out container flags of a remote workload,
 * which have no effect there.
 */
function touchedFlags(
  config: RunConfig,
  { flags }: RunChange,
  unset: readonly Unset[],
): ReadonlySet<RunFlagName> {
  const usedFlags = RUN_FLAG_NAMES.filter((name) => flags[name] !== undefined);
  const named = unset.flatMap(({ name }) => (name === 'args' ? [] : [name]));
  const names = [...usedFlags, ...named, ...switchedOff(config, usedFlags, named)];
  const isRecorded = config.audit_config !== undefined && flags.enableAudit === true;
  return new Set(
    names.filter(
      (name) =>
        !(config.remote_url !== '' && flagRow(name).only === 'container') &&
        !(name === 'enableAudit' && isRecorded),
    ),
  );
}

function mergedFlags(change: ContainerChange, touched: ReadonlySet<RunFlagName>): RunFlags {
  const { config, flags, unset } = change;
  const stored = { ...storedFlags(config, touched), ...flags };
  if (!hasContainer(config)) return stored;
  const { permissionProfile } = flags;
  const isUnset = findUnset(unset, 'permissionProfile').length > 0;
  const named = permissionProfile ?? (isUnset ? 'network' : STORED_PROFILE);
  const network = named === STORED_PROFILE ? flags.network : keptNetwork(change);
  const { network: _, ...rest } = stored;
  return {
    ...rest,
    ...(network === undefined ? {} : { network }),
    permissionProfile: named,
    volumes: changeVolumes(change),
    publish: changePorts(change),
  };
}

function freshConfig(config: RunConfig, settings: MergedSettings, input: ChangeInput): RunConfig {
  return toRunConfig(settings, {
    target: targetOf(config, input),
    image: config.image,
    transport: settings.transport?.value ?? '',
    proxyMode: settings.proxyMode?.value ?? '',
    proxyPort: settings.proxyPort?.value ?? 0,
    targetPort: settings.targetPort?.value,
  });
}

const NOT_PLAIN: ReadonlySet<RunFlagName> = new Set([
  'name',
  'env',
  'envFile',
  'envFileDir',
  'secrets',
  'labels',
  'volumes',
  'permissionProfile',
  'publish',
  'isolateNetwork',
  'transport',
  'proxyMode',
  'targetPort',
  'stdioSessions',
]);

function changePlain({ fresh, touched }: Parts): Partial<RunConfig> {
  const names = [...touched].filter((name) => !NOT_PLAIN.has(name) && !flagRow(name).field.includes('.'));
  const fields = names.map((name) => flagRow(name).field as keyof RunConfig);
  return Object.fromEntries(fields.map((field) => [field, fresh[field]]));
}

/** Objects of the run config that the merge creates completely from their flags. */
const MADE_WHOLE = ['oidc_config', 'token_exchange_config', 'telemetry_config', 'runtime_config'] as const;

function changeObjects({ config, fresh, touched }: Parts): Partial<RunConfig> {
  const changed: Partial<Record<keyof RunConfig, unknown>> = {};
  for (const name of touched) {
    const [field = '', part, deeper] = flagRow(name).field.split('.');
    if (part === undefined || deeper !== undefined || field === 'header_forward') continue;
    const key = field as keyof RunConfig;
    const made = fresh[key];
    const before = key in changed ? changed[key] : config[key];
    const isWhole = MADE_WHOLE.some((one) => one === key);
    if (isWhole && !isJsonObject(made)) changed[key] = undefined;
    else changed[key] = withPart(before, part, made);
  }
  if (hasRuntimeFlag(touched)) {
    const { runtime_config: stored } = config;
    changed.runtime_config = fresh.runtime_config && {
      ...fresh.runtime_config,
      runtime_env: stored?.runtime_env ?? fresh.runtime_config.runtime_env,
    };
  }
  return changed as Partial<RunConfig>;
}

/**
 * Returns a stored object with one part replaced by its new value. Undefined when the object becomes empty.
 */
function withPart(stored: unknown, part: string, made: unknown): JsonObject | undefined {
  const before = isJsonObject(stored) ? stored : {};
  const next: JsonObject = isJsonObject(made)
    ? { ...made, ...before, [part]: made[part], ...derivedIn(made) }
    : { ...before };
  const isGone = next[part] === undefined || !isJsonObject(made) || !Object.hasOwn(made, part);
  const remaining = Object.entries(next).filter(([key]) => key !== part || !isGone);
  return remaining.length === 0 ? undefined : Object.fromEntries(remaining);
}

/** Returns the header strategy, which depends on the header name. */
function derivedIn({ header_strategy: strategy }: JsonObject): JsonObject {
  return strategy === undefined ? {} : { header_strategy: strategy };
}

function hasRuntimeFlag(touched: ReadonlySet<RunFlagName>): boolean {
  return [...touched].some((name) => flagRow(name).field.startsWith('runtime_config.'));
}

const OF_FILES: { readonly [Name in RunFlagName]?: readonly (keyof RunConfig)[] } = {
  enableAudit: ['audit_config', 'audit_config_path'],
  auditConfig: ['audit_config', 'audit_config_path'],
  authzConfig: ['authz_config', 'authz_config_path'],
  rateLimitConfig: ['rate_limit_config'],
  members: ['members', 'search', 'members_file'],
  toolsOverride: ['tools_override'],
  webhookConfig: ['validating_webhooks', 'mutating_webhooks'],
};

function changePolicies({ fresh, touched }: Parts): Partial<RunConfig> {
  const fields = [...touched].flatMap((name) => OF_FILES[name] ?? []);
  return Object.fromEntries(fields.map((field) => [field, fresh[field]]));
}

function changeContainer({ config, fresh, touched, unset }: Parts): Partial<RunConfig> {
  const hasAny = (...names: readonly RunFlagName[]): boolean => names.some((name) => touched.has(name));
  const isMounted = hasAny('volumes', 'permissionProfile', 'network');
  const isConnected = hasAny('isolateNetwork', 'permissionProfile', 'network', 'publish');
  return {
    ...(isMounted ? { permission_profile: fresh.permission_profile, volumes: fresh.volumes } : {}),
    ...(hasAny('permissionProfile')
      ? { permission_profile_name_or_path: fresh.permission_profile_name_or_path }
      : {}),
    ...(isConnected ? { isolate_network: fresh.isolate_network } : {}),
    ...(hasAny('publish') ? { publish: fresh.publish } : {}),
    ...changeVariables({ config, fresh, unset }),
  };
}

/** Computes again the settings that depend on the transport. */
function changeProxy({ config, fresh, settings, touched }: Parts): Partial<RunConfig> {
  const isOther = touched.has('transport') && fresh.transport !== config.transport;
  const decides = touched.has('publish') || touched.has('stateless');
  const isByRule = decides && settings.stdioSessions.from === 'rule';
  return {
    ...(touched.has('transport') ? { transport: fresh.transport } : {}),
    ...(touched.has('proxyMode') || isOther ? { proxy_mode: fresh.proxy_mode } : {}),
    ...(touched.has('targetPort') || isOther ? { target_port: settings.targetPort?.value ?? 0 } : {}),
    ...(touched.has('stdioSessions') || isOther || isByRule ? { stdio_sessions: fresh.stdio_sessions } : {}),
  };
}

/** Returns the warnings without those about flags that were only rebuilt from stored settings. */
function warningsAbout(warnings: readonly string[], runFlags: RunFlags): readonly string[] {
  const stored = RUN_FLAG_NAMES.filter((name) => runFlags[name] === undefined).map(typedFlag);
  return warnings.filter((warning) => !stored.some((flag) => warning.startsWith(`${flag} `)));
}
