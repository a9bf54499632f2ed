import {
  completeTokenExchange,
  createRunConfig,
  isVirtualServer,
  type Member,
  memberConfigOf,
  type RunConfig,
  withMemberConfig,
} from '@portolan/run-spec';
import { memberName } from './member-name.ts';
import type { WorkloadState } from './workload-state.ts';

/**
 * Returns the run config of the server of a member that is no workload. Its name is `WORKLOAD/MEMBER`.
 * Undefined for a workload, and for a member that does not exist.
 */
export function findMemberConfig(config: RunConfig, name: string): RunConfig | undefined {
  const member = Object.hasOwn(config.members, name) ? config.members[name] : undefined;
  const own = member && memberConfigOf(member);
  if (member === undefined || own === undefined) return undefined;
  return { ...own, name: memberName(config.name, name), group: config.group, ...exchangeOf(member) };
}

/**
 * Returns the settings of a member that no server of its own belongs to, as a run config: its headers, and its
 * token exchange.
 */
export function bareMemberConfig(config: RunConfig, name: string, member: Member): RunConfig {
  const { forward_headers: plain = {}, forward_headers_secret: secret = {} } = member;
  return createRunConfig({
    name: memberName(config.name, name),
    header_forward: { add_plaintext_headers: plain, add_headers_from_secret: secret },
    ...exchangeOf(member),
  });
}

function exchangeOf({ token_exchange: exchange }: Member): Pick<RunConfig, 'token_exchange_config'> {
  return { token_exchange_config: completeTokenExchange(exchange && { ...exchange }, undefined) };
}

/** Returns the run configs of all members that are no workloads, by the name of the member. */
export function memberConfigsOf(config: RunConfig): ReadonlyMap<string, RunConfig> {
  const all = Object.keys(config.members).map((name) => [name, findMemberConfig(config, name)] as const);
  return new Map(all.flatMap(([name, own]) => (own === undefined ? [] : [[name, own] as const])));
}

/** Returns the run config of a virtual server with another run config for a member's server. */
export function changeMember(config: RunConfig, name: string, own: RunConfig): RunConfig {
  const member = config.members[name];
  if (member === undefined) return config;
  const stored = withMemberConfig(member, {
    ...own,
    name: storedNameOf(config, name),
    token_exchange_config: undefined,
  });
  return { ...config, members: { ...config.members, [name]: stored } };
}

/** Returns the name of a member's server in its run config, where a name has no slash. */
export function storedNameOf({ name }: Pick<RunConfig, 'name'>, member: string): string {
  return `${name}-member-${member}`;
}

/** Returns the run configs of all servers that belong to a workload: its own, or those of its members. */
export function serverConfigsOf(config: RunConfig): readonly RunConfig[] {
  return isVirtualServer(config) ? [...memberConfigsOf(config).values()] : [config];
}

/** Returns whether a workload can have containers. Without a run config, it can. */
export function mayHaveContainers(config: RunConfig | undefined): boolean {
  return config === undefined || serverConfigsOf(config).some(({ remote_url: url }) => url === '');
}

/** Returns the name of a workload, and those of the servers of its members, which have folders of their own. */
export function namesWithin({ name, config, state }: NamedParts): readonly string[] {
  const members = new Set([
    ...(config === undefined ? [] : memberConfigsOf(config).keys()),
    ...Object.keys(state?.members ?? {}),
  ]);
  return [name, ...[...members].map((member) => memberName(name, member))];
}

interface NamedParts {
  readonly name: string;
  readonly config: RunConfig | undefined;
  readonly state: Pick<WorkloadState, 'members'> | undefined;
}

/** Returns the run configs of the members that may need secret values, by the name of the member. */
export function valueConfigsOf(config: RunConfig): ReadonlyMap<string, RunConfig> {
  const all = Object.entries(config.members).map(
    ([name, member]) =>
      [name, findMemberConfig(config, name) ?? bareMemberConfig(config, name, member)] as const,
  );
  return new Map(all);
}
