import { isDeepStrictEqual } from 'node:util';
import {
  type MemberServerState,
  type MemberState,
  NEW_MEMBER,
  NEW_MEMBER_SERVER,
} from '../../state/member-state.ts';
import { newWorkloadState, type WorkloadState } from '../../state/workload-state.ts';
import type { StateRecord, StateWriter } from '../process/state-record.ts';

type Change = (state: WorkloadState) => WorkloadState;

/**
 * State of a member's server, in the form of a workload's state. What outlives the supervisor is written to
 * the state of the virtual server; the rest stays in memory.
 */
export class MemberRecord implements StateWriter {
  readonly #parent: Pick<StateRecord, 'note'>;
  readonly #member: string;
  readonly #changed: () => void;
  #state: WorkloadState;

  constructor(
    parent: Pick<StateRecord, 'note'>,
    {
      name,
      member,
      server,
      now,
    }: {
      readonly name: string;
      readonly member: string;
      readonly server: MemberServerState | undefined;
      readonly now: Date;
    },
    changed: () => void,
  ) {
    this.#parent = parent;
    this.#member = member;
    this.#changed = changed;
    this.#state = stateOf(name, server ?? NEW_MEMBER_SERVER, now);
    if (server === undefined) this.#write();
  }

  get state(): WorkloadState {
    return this.#state;
  }

  note(change: Change): void {
    const before = this.#state;
    this.#state = change(before);
    if (!isDeepStrictEqual(serverOf(before), serverOf(this.#state))) this.#write();
    this.#changed();
  }

  async change(change: Change): Promise<void> {
    this.note(change);
  }

  /** Does nothing: the record of the virtual server writes the state. */
  async close(): Promise<void> {
    // nothing is pending here
  }

  #write(): void {
    const server = serverOf(this.#state);
    this.#parent.note((state) => withMember(state, this.#member, (now) => ({ ...now, server })));
  }
}

/** Returns the state of a virtual server with a change of one member. */
export function withMember(
  state: WorkloadState,
  member: string,
  change: (now: MemberState) => MemberState,
): WorkloadState {
  const now = Object.hasOwn(state.members, member) ? state.members[member] : undefined;
  return { ...state, members: { ...state.members, [member]: change(now ?? NEW_MEMBER) } };
}

function stateOf(name: string, server: MemberServerState, now: Date): WorkloadState {
  const { hasStarted, ...fields } = server;
  return { ...newWorkloadState(name, now), ...fields, startedAt: hasStarted ? now : undefined };
}

function serverOf(state: WorkloadState): MemberServerState {
  const { containerId, imageDigest, writableRoot, mountPaths, missingScopes, startedAt } = state;
  return {
    containerId,
    imageDigest,
    writableRoot,
    mountPaths,
    missingScopes,
    hasStarted: startedAt !== undefined,
  };
}
