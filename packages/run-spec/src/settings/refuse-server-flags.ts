import type { RunConfig } from '../run-config/run-config.ts';
import { isVirtualServer } from '../run-config/members/is-virtual-server.ts';
import { flagRow, RUN_FLAG_NAMES, type RunFlagName, type RunFlags, typedFlag } from './run-flags.ts';
import { settingsConflict } from './settings-errors.ts';

const IN_FILE = 'each member has it in the members file, or is a workload with it';

/** Flags of a single server that do not name its kind, with the reason why a virtual server has none. */
const OF_SERVER: { readonly [Name in RunFlagName]?: string } = {
  labels: 'a virtual server has no container',
  transport: IN_FILE,
  proxyMode: 'clients reach a virtual server over streamable HTTP',
  stateless: IN_FILE,
  stdioSessions: IN_FILE,
  maxSessions: IN_FILE,
  start: IN_FILE,
  stopAfterIdleMs: IN_FILE,
  toolsOverride: 'each member has `override` in the members file',
};

/** Returns why a flag cannot be set for a virtual server; undefined for a flag of its proxy. */
function whyRefused(name: RunFlagName): string | undefined {
  const { only, field } = flagRow(name);
  if (only === 'container') return `a virtual server has no container: ${IN_FILE}`;
  if (only === 'remote') return `a virtual server has several servers: ${IN_FILE}`;
  if (field.startsWith('token_exchange_config.'))
    return 'each member has `token_exchange` in the members file';
  return OF_SERVER[name];
}

/** Returns whether a flag sets something of a single server, which no virtual server has. */
export function isOfServer(name: RunFlagName): boolean {
  return whyRefused(name) !== undefined;
}

/** Refuses flags and arguments of a single server for a virtual server. Throws ERR_SETTINGS_CONFLICT. */
export function refuseServerFlags(flags: RunFlags, args: readonly string[]): void {
  const by = flags.memberGroup === undefined ? '--members' : '--member-group';
  for (const name of RUN_FLAG_NAMES.filter((one) => flags[one] !== undefined)) {
    const because = whyRefused(name);
    if (because !== undefined) throw settingsConflict(typedFlag(name), by, because);
  }
  if (args.length > 0) throw settingsConflict('--', by, `a virtual server has no arguments: ${IN_FILE}`);
}

/** Refuses `--members` and `--member-group` for a server that is none. Throws ERR_SETTINGS_CONFLICT. */
export function refuseMembersFlags(flags: RunFlags): void {
  for (const name of ['members', 'memberGroup'] as const) {
    if (flags[name] === undefined) continue;
    throw settingsConflict(typedFlag(name), 'a server', 'a virtual server has members instead of one');
  }
}

/** Returns the names of flags that apply to a stored workload. */
export function flagsOfWorkload(config: RunConfig): readonly RunFlagName[] {
  return isVirtualServer(config) ? RUN_FLAG_NAMES.filter((name) => !isOfServer(name)) : RUN_FLAG_NAMES;
}
