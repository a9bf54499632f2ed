import { parseDuration } from '@portolan/plugin-api';
import { credentialsOf, kindOfMember, type Member, memberConfigOf, type Members } from '@portolan/run-spec';
import { MemberOutcomes, type MemberSource } from '@portolan/virtual-server';
import { bareMemberConfig, findMemberConfig } from '../../state/member-config.ts';
import { memberName } from '../../state/member-name.ts';
import type { MemberState, MemberStates } from '../../state/member-state.ts';
import { openMiddleware } from '../policies/open-middleware.ts';
import type { Supervision } from '../supervision.ts';
import type { MemberValues } from '../supervisor-order.ts';
import { MemberRecord } from './member-record.ts';
import { MemberServer } from './member-server.ts';
import { nameSettingsOf, serverKeyOf } from './member-settings.ts';
import type { MemberTarget } from './member-source.ts';
import type { MemberAccess } from './open-member-backend.ts';
import { WorkloadMember } from './workload-member.ts';

/** Values of a member that needs no secrets. */
const NO_VALUES: MemberValues = { secrets: {}, headers: {}, policySecrets: {} };

interface Row {
  readonly serverKey: string;
  readonly namesKey: string;
  readonly target: MemberTarget;
  readonly outcomes: MemberOutcomes;
  readonly source: MemberSource;
  /** Number of sources that lead to the target. */
  readonly users: { count: number };
}

/** Facts about members in addition to their settings. */
export interface MemberFacts {
  /** Secret values of members, by name. */
  readonly values?: Readonly<Record<string, MemberValues>> | undefined;
  /** States of members, by name. Default: those before the start. */
  readonly states?: MemberStates | undefined;
}

export interface TableChange {
  /** Sources of all members, in their order. Those of unchanged members are the same objects. */
  readonly sources: readonly MemberSource[];
  /** Begins to start the servers of new members. Call it when the removed members are closed. */
  readonly begin: () => void;
}

/** Members of a virtual server, each with the server that it leads to. */
export class MemberTable {
  readonly #work: Supervision;
  readonly #changed: () => void;
  #rows: ReadonlyMap<string, Row> = new Map();

  /** `changed` is called when the state of a server has changed. */
  constructor(work: Supervision, changed: () => void) {
    this.#work = work;
    this.#changed = changed;
  }

  /**
   * Replaces the members. A member whose server settings are the same keeps its server. Throws the errors of the
   * token exchange; then nothing changes.
   */
  async replace(members: Members, facts: MemberFacts): Promise<TableChange> {
    const rows = new Map<string, Row>();
    const added: MemberTarget[] = [];
    for (const [name, member] of Object.entries(members)) {
      const serverKey = serverKeyOf(member);
      const before = this.#rows.get(name);
      const isSame = before?.serverKey === serverKey;
      const parts = isSame ? before : await this.#open(name, member, facts);
      if (!isSame) added.push(parts.target);
      rows.set(name, rowOf(name, member, { ...parts, serverKey, before: isSame ? before : undefined }));
    }
    this.#rows = rows;
    await this.look();
    return {
      sources: this.sources,
      begin: () => {
        for (const target of added) target.begin?.();
      },
    };
  }

  /** Sources of all members, in their order. */
  get sources(): readonly MemberSource[] {
    return [...this.#rows.values()].map(({ source }) => source);
  }

  /** Reads the states of members that are workloads again. Returns whether one has changed. */
  async look(): Promise<boolean> {
    const targets = [...this.#rows.values()].map(({ target }) => target);
    const workloads = targets.filter((target) => target instanceof WorkloadMember);
    const changes = await Promise.all(workloads.map((target) => target.look()));
    return changes.includes(true);
  }

  /** Returns the fault and the notice of a member's server, and whether it is idle; empty texts for none. */
  find(name: string): Pick<MemberTarget, 'fault' | 'notice' | 'isIdle'> {
    return this.#rows.get(name)?.target ?? { fault: '', notice: '', isIdle: false };
  }

  async #open(
    name: string,
    member: Member,
    { values: all = {}, states = this.#work.state.members }: MemberFacts,
  ): Promise<OpenTarget> {
    const values = all[name] ?? NO_VALUES;
    const outcomes = new MemberOutcomes();
    const credentials = credentialsOf(member);
    const access: MemberAccess = {
      member: name,
      passHeaders: member.pass_headers ?? [],
      isAuthenticated: credentials === 'workload',
      exchange: credentials === 'exchange' ? await this.#openExchange(name, member, values) : [],
      outcomes,
    };
    // Only a member with the credentials of the workload gets secret headers.
    const own = access.isAuthenticated ? values : { ...values, headers: {} };
    const target =
      kindOfMember(member) === 'workload'
        ? this.#openWorkload(name, member, own, access)
        : this.#openServer(name, member, { values: own, access, state: states[name] });
    return { target, outcomes };
  }

  #openWorkload(name: string, member: Member, values: MemberValues, access: MemberAccess): WorkloadMember {
    const { config: parent, order, context } = this.#work;
    const config = bareMemberConfig(parent, name, member);
    const headers = { config, order: { ...order, ...values } };
    return new WorkloadMember({ workload: member.workload ?? '', access, headers }, context);
  }

  #openServer(
    name: string,
    member: Member,
    {
      values,
      access,
      state,
    }: {
      readonly values: MemberValues;
      readonly access: MemberAccess;
      readonly state: MemberState | undefined;
    },
  ): MemberServer {
    const { config: parent, record, context } = this.#work;
    const config = findMemberConfig({ ...parent, members: { [name]: member } }, name);
    if (config === undefined) throw new TypeError(`the member ${name} has no run config`);
    const own = new MemberRecord(
      record,
      {
        name: memberName(parent.name, name),
        member: name,
        server: state?.server,
        now: context.clock(),
      },
      this.#changed,
    );
    return new MemberServer(this.#work, { member: name, config, values, record: own }, access);
  }

  async #openExchange(
    name: string,
    member: Member,
    { policySecrets }: MemberValues,
  ): Promise<MemberAccess['exchange']> {
    const { config: parent, context } = this.#work;
    const { oidc_config: oidc } = parent;
    const config = { ...bareMemberConfig(parent, name, member), oidc_config: oidc };
    return await openMiddleware(config, policySecrets, context, () => () => undefined);
  }
}

/** Returns the limits of a member. The number of sessions is that of its server, which may need a process for each. */
function limitsOf(member: Member): Pick<MemberSource, 'maxSessions' | 'timeoutMs'> {
  const config = memberConfigOf(member);
  const maxSessions =
    config === undefined || config.max_sessions === 0 ? member.max_sessions : config.max_sessions;
  return {
    ...(maxSessions === undefined ? {} : { maxSessions }),
    ...(member.timeout === undefined ? {} : { timeoutMs: parseDuration(member.timeout) }),
  };
}

interface OpenTarget {
  readonly target: MemberTarget;
  readonly outcomes: MemberOutcomes;
}

function rowOf(
  name: string,
  member: Member,
  {
    target,
    outcomes,
    serverKey,
    before,
  }: OpenTarget & { readonly serverKey: string; readonly before: Row | undefined },
): Row {
  const settings = nameSettingsOf(member);
  const namesKey = JSON.stringify(settings);
  if (before?.namesKey === namesKey) return before;
  const users = before?.users ?? { count: 0 };
  users.count += 1;
  const source: MemberSource = {
    name,
    settings,
    open: target.open,
    isPerCaller: credentialsOf(member) === 'exchange',
    ...(member.pass_headers === undefined ? {} : { passHeaders: member.pass_headers }),
    ...limitsOf(member),
    unavailable: target.unavailable,
    ...(target.silent === undefined ? {} : { silent: target.silent }),
    ...(target.suspect === undefined ? {} : { suspect: target.suspect }),
    ...(target.hasOutcomes ? { onOutcome: outcomes.listen } : {}),
    close: async () => {
      users.count -= 1;
      if (users.count === 0) await target.close();
    },
  };
  return { serverKey, namesKey, target, outcomes, source, users };
}
