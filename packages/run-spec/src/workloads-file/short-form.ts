import { isJsonObject, memberOf } from '../document/json-members.ts';
import { MEMBER_FIELDS, REMOTE_AUTH_FIELDS, type MemberFieldValues } from '../members/member-fields.ts';
import { isVirtualServer } from '../run-config/members/is-virtual-server.ts';
import type { RunConfig } from '../run-config/run-config.ts';
import type { FlagType } from '../settings/flag-row.ts';
import { flagRow } from '../settings/run-flags.ts';
import { FLAG_KEYS, flagKeysOf } from './flag-keys.ts';
import type { WorkloadKind } from './workloads-file.ts';

/** Default values of settings. The short form leaves them out. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  isolate_network: true,
  ignore_globally: true,
  permission_profile: 'network',
  image_verification: 'warn',
  stdio_sessions: 'own',
  proxy_mode: 'streamable-http',
  group: 'default',
  host: '127.0.0.1',
  target_host: '127.0.0.1',
};

/**
 * Returns a workload's settings as the short form of a workloads file, as far as it can express them. It cannot
 * express some settings, such as the content of policy files, so the caller checks that both lead to one run config.
 */
export function shortFormOf(config: RunConfig): Readonly<Record<string, unknown>> {
  const { kind, target } = targetOf(config);
  const settings = [
    ...(kind === 'run' || kind === 'url' ? memberSettings(config, kind) : []),
    ...(kind === 'url' ? remoteAuthOf(config) : []),
    ...flagSettings(config, kind),
  ].filter(([key, value]) => value !== undefined && value !== (DEFAULTS[key] ?? false));
  return { [kind]: target, ...Object.fromEntries(settings) };
}

type Setting = readonly [key: string, value: unknown];

function targetOf(config: RunConfig): { readonly kind: WorkloadKind; readonly target: string } {
  const { member_group: group, members_file: file, remote_url: url, registry_server_name: server } = config;
  if (isVirtualServer(config))
    return group === '' ? { kind: 'members', target: file } : { kind: 'member_group', target: group };
  if (server !== '') return { kind: 'run', target: server };
  if (url !== '') return { kind: 'url', target: url };
  return { kind: 'run', target: config.run_target === '' ? config.image : config.run_target };
}

function memberSettings(config: RunConfig, kind: 'run' | 'url'): readonly Setting[] {
  return Object.entries(MEMBER_FIELDS).flatMap(([key, { field, is, of }]): readonly Setting[] => {
    if (!of.some((one) => one === kind) || key === 'env_file' || key === 'env_file_dir') return [];
    // The mode is part of the profile that `permission_profile` names.
    if (key === 'network') return [];
    return [[key, valueFor(is, valueAt(config, field))]];
  });
}

function remoteAuthOf(config: RunConfig): readonly Setting[] {
  const settings = Object.entries(REMOTE_AUTH_FIELDS)
    .map(([key, { field, is }]): Setting => [key, valueFor(is, valueAt(config, field))])
    .filter(([, value]) => value !== undefined);
  return settings.length === 0 ? [] : [['remote_auth', Object.fromEntries(settings)]];
}

function flagSettings(config: RunConfig, kind: WorkloadKind): readonly Setting[] {
  const keys = flagKeysOf(kind);
  return [...FLAG_KEYS].flatMap(([key, name]): readonly Setting[] => {
    const row = flagRow(name);
    if (!keys.includes(key) || row.names === 'files') return [];
    return [[key, valueFor(row.is, valueAt(config, row.field))]];
  });
}

function valueAt(config: RunConfig, field: string): unknown {
  return field.split('.').reduce<unknown>((value, key) => memberOf(value, key), config);
}

/** Converts a value of the run config to that of the file; undefined for a value that is not set. */
function valueFor(is: FlagType | keyof MemberFieldValues, value: unknown): unknown {
  switch (is) {
    case 'truth':
      return typeof value === 'boolean' ? value : undefined;
    case 'integer':
    case 'number':
      return typeof value === 'number' && value !== 0 ? value : undefined;
    case 'texts':
    case 'list':
      return Array.isArray(value) && value.length > 0 ? value : undefined;
    case 'text-map':
      return isJsonObject(value) && Object.keys(value).length > 0 ? value : undefined;
    case 'text':
    case 'reference':
    case 'duration':
    default:
      return typeof value === 'string' && value !== '' ? value : undefined;
  }
}
