import { parseDuration } from '@portolan/plugin-api';
import { memberOf } from '../document/json-members.ts';
import { networkModeOf } from '../permissions/permission-profile.ts';
import type { RunConfig } from '../run-config/run-config.ts';
import type { FlagRow } from '../settings/flag-row.ts';
import { isVirtualServer } from '../run-config/members/is-virtual-server.ts';
import { flagsOfWorkload } from '../settings/refuse-server-flags.ts';
import { flagRow, type RunFlagName, type RunFlags } from '../settings/run-flags.ts';

/** Flags whose stored values decide whether other settings are allowed. Every change checks them. */
const CONTEXT: readonly RunFlagName[] = [
  'name',
  'transport',
  'proxyMode',
  'targetPort',
  'stateless',
  'sessionStore',
];

/** Nanoseconds per millisecond. `remote_auth_config.timeout` is in nanoseconds, as in other tools. */
const NS_PER_MS = 1_000_000;

/**
 * Returns flags that reproduce a workload's current settings: those in the same run config object as a
 * changed flag, and those that decide whether the change is allowed. Leaves out flags that name files.
 */
export function storedFlags(config: RunConfig, touched: ReadonlySet<RunFlagName>): RunFlags {
  const objects = new Set([...touched].map((name) => objectOf(name)));
  const names = flagsOfWorkload(config).filter(
    (name) => !touched.has(name) && (CONTEXT.includes(name) || objects.has(objectOf(name))),
  );
  const stored = names.map((name) => [name, storedValue(name, config)] as const);
  return {
    // Each value has the type of its row.
    ...(Object.fromEntries(stored.filter(([, value]) => value !== undefined)) as RunFlags),
    ...isolationOf(config, touched),
  };
}

/**
 * Returns the stored isolation as a flag; no flag for a workload whose network cannot be isolated, so that
 * the default applies.
 */
function isolationOf(config: RunConfig, touched: ReadonlySet<RunFlagName>): RunFlags {
  const { mode } = networkModeOf(config.permission_profile?.network?.mode);
  const hasContainer = config.remote_url === '' && !isVirtualServer(config);
  if (!hasContainer || mode !== 'bridge' || touched.has('isolateNetwork')) return {};
  return { isolateNetwork: config.isolate_network };
}

function objectOf(name: RunFlagName): string {
  const { field } = flagRow(name);
  return field.includes('.') ? (field.split('.')[0] ?? '') : `${field}, whole`;
}

export function isStored(name: RunFlagName, config: RunConfig): boolean {
  return storedValue(name, config) !== undefined;
}

function storedValue(name: RunFlagName, config: RunConfig): unknown {
  const row: FlagRow = flagRow(name);
  if (row.names === 'files' || name === 'network') return undefined;
  const [field = '', part] = row.field.split('.');
  const whole = memberOf(config, field);
  const value = part === undefined ? whole : memberOf(whole, part);
  switch (row.is) {
    case 'text':
      return typeof value === 'string' && value !== '' ? value : undefined;
    case 'texts':
    case 'list':
      return Array.isArray(value) && value.length > 0 ? value : undefined;
    case 'truth':
      return typeof value === 'boolean' ? value : undefined;
    case 'integer':
      return typeof value === 'number' && value !== 0 ? value : undefined;
    case 'number':
      return value === undefined ? undefined : Number(value);
    case 'duration':
      if (typeof value === 'number') return value / NS_PER_MS;
      return typeof value === 'string' && value !== '' ? parseDuration(value) : undefined;
    default:
      return undefined;
  }
}
