import path from 'node:path';
import {
  badSetting,
  credentialsOf,
  isVirtualServer,
  kindOfMember,
  type Member,
  type Members,
  type RunConfig,
  type RunFlags,
  type RunRequest,
  settingsConflict,
  withMemberConfig,
} from '@portolan/run-spec';
import { type MemberState, NEW_MEMBER, NEW_MEMBER_SERVER } from '../../state/member-state.ts';
import { storedNameOf } from '../../state/member-config.ts';
import type { ConsentRequest } from '../../consent/require-consent.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import type { RunOptions } from '../run-options.ts';
import type { PreparedRun } from '../steps/prepared-run.ts';
import type { NamedSecret, SettledRun } from '../steps/settled-run.ts';
import { nameMember, observerOfMember } from './name-member.ts';
import { storedMember } from './stored-member.ts';

/** Prepares one run, as `prepareRun`. */
export type Prepare = (
  request: RunRequest,
  context: WorkloadContext,
  options: Pick<RunOptions, 'observer' | 'trust'>,
  signal: AbortSignal,
) => Promise<PreparedRun>;

export interface MembersRequest {
  /** Name of the virtual server. */
  readonly name: string;
  readonly members: Members;
  /** Folder that relative paths and targets of members begin at. */
  readonly folder: string;
}

export interface PreparedMembers {
  readonly prepared: ReadonlyMap<string, PreparedRun>;
  /** Consents that the members need, by the name of the member. */
  readonly consents: ReadonlyMap<string, ConsentRequest | undefined>;
  /** Provides the images of the members, and decides the settings that depend on them. */
  settle(): Promise<SettledMembers>;
}

export interface SettledMembers {
  readonly members: Members;
  readonly secrets: readonly NamedSecret[];
  /** States of the members before their first start. */
  readonly states: Readonly<Record<string, MemberState>>;
}

/**
 * Prepares the servers of the members that are no workloads: each is a run of its own, until it would start.
 * Errors name the member. Throws like `prepareRun`.
 */
export async function prepareMembers(
  { name, members, folder }: MembersRequest,
  context: WorkloadContext,
  options: Pick<RunOptions, 'observer' | 'trust'>,
  prepare: Prepare,
  signal: AbortSignal,
): Promise<PreparedMembers> {
  const { requestOfMember } = await import('@portolan/run-spec/members-file');
  const prepared = new Map<string, PreparedRun>();
  for (const [member, settings] of Object.entries(members)) {
    refuseCaller(member, settings);
    if (settings.config !== undefined) {
      prepared.set(member, storedMember({ name, members }, member, context, options.observer, signal));
      continue;
    }
    const request = requestOfMember(settings);
    if (request === undefined) continue;
    const own = { ...context, workingDirectory: folder };
    const observer = observerOfMember(member, options.observer);
    const named = requestOfServer(request, { name, member });
    prepared.set(
      member,
      await nameMember(member, async () => await prepare(named, own, { ...options, observer }, signal)),
    );
  }
  return {
    prepared,
    consents: new Map([...prepared].map(([member, { consent }]) => [member, consent])),
    settle: async () => await settleMembers({ name, members }, prepared, context),
  };
}

/** Returns the request for a member's server, as the server of the virtual server `name`. */
export function requestOfServer(
  request: RunRequest,
  { name, member }: { readonly name: string; readonly member: string },
): RunRequest {
  const flags = request.fromConfig === undefined ? { name: storedNameOf({ name }, member) } : {};
  return { ...request, flags: { ...withoutExchange(request.flags), ...flags } };
}

/** Returns the flags of a member's server. Its token exchange belongs to the member, not to the server. */
function withoutExchange(flags: RunFlags): RunFlags {
  return Object.fromEntries(Object.entries(flags).filter(([name]) => !name.startsWith('tokenExchange')));
}

/** Refuses logins of callers, which virtual servers do not have yet. */
function refuseCaller(member: string, settings: Member): void {
  if (credentialsOf(settings) !== 'caller') return;
  throw badSetting(
    `members.${member}.credentials`,
    'caller',
    'none, workload or exchange: logins of callers are not available yet',
  );
}

async function settleMembers(
  { name, members }: Pick<MembersRequest, 'name' | 'members'>,
  prepared: ReadonlyMap<string, PreparedRun>,
  { kinds }: Pick<WorkloadContext, 'kinds'>,
): Promise<SettledMembers> {
  const settled: [string, Member][] = [];
  const states: [string, MemberState][] = [];
  const secrets: NamedSecret[] = [];
  for (const [member, settings] of Object.entries(members)) {
    const run = prepared.get(member);
    const one = run && (await nameMember(member, async () => await run.settle(undefined)));
    if (one !== undefined) {
      refuseNested(member, one.config);
      const carries = kinds.transports.get(one.config.transport);
      refuseExchange(member, settings, one.config, carries);
      secrets.push(...one.secrets);
    }
    settled.push([member, one === undefined ? settings : withServer(name, member, settings, one.config)]);
    states.push([member, one === undefined ? NEW_MEMBER : stateOf(one)]);
  }
  return { members: Object.fromEntries(settled), secrets, states: Object.fromEntries(states) };
}

/** Refuses the run config of a virtual server as that of a member. */
function refuseNested(member: string, config: RunConfig): void {
  if (!isVirtualServer(config)) return;
  throw badSetting(
    `members.${member}.run`,
    'the run config of a virtual server',
    'that of one server; to use a virtual server, run it and name it with workload',
  );
}

/** Refuses the exchange of tokens for a server that gets no HTTP headers. */
function refuseExchange(
  member: string,
  settings: Member,
  { transport, remote_url: url }: RunConfig,
  carries: 'http' | 'messages' | undefined,
): void {
  if (credentialsOf(settings) !== 'exchange' || url !== '' || carries === 'http') return;
  throw settingsConflict(
    `members.${member}.credentials: exchange`,
    `the transport ${transport}`,
    'its server gets no HTTP headers',
  );
}

/** Returns the member with the run config of its server. The proxy of the virtual server is its only proxy. */
function withServer(name: string, member: string, settings: Member, config: RunConfig): Member {
  const own = storedNameOf({ name }, member);
  return withMemberConfig(settings, {
    ...config,
    name: own,
    base_name: own,
    container_name: config.remote_url === '' ? own : '',
    host: '',
    port: 0,
    publish: [],
    group: '',
  });
}

function stateOf({ config, imageDigest, mountPaths = {} }: SettledRun): MemberState {
  if (kindOf(config) === 'remote') return { ...NEW_MEMBER, server: NEW_MEMBER_SERVER };
  return { ...NEW_MEMBER, server: { ...NEW_MEMBER_SERVER, imageDigest, mountPaths } };
}

function kindOf({ remote_url: url }: RunConfig): 'remote' | 'container' {
  return url === '' ? 'container' : 'remote';
}

/** Returns the members that are workloads, which need no server of their own. */
export function workloadMembersOf(members: Members): readonly string[] {
  return Object.values(members).flatMap((member) =>
    kindOfMember(member) === 'workload' ? [member.workload ?? ''] : [],
  );
}

export function folderOf(file: string, workingDirectory: string): string {
  return file === '' ? workingDirectory : path.dirname(file);
}
