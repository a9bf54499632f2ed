import { isDeepStrictEqual } from 'node:util';
import type { MemberStatus, VirtualServer } from '@portolan/virtual-server';
import { type MemberState, NEW_MEMBER } from '../../state/member-state.ts';
import type { WorkloadState } from '../../state/workload-state.ts';
import type { StateWriter } from '../process/state-record.ts';
import type { MemberTable } from './member-table.ts';

type Seen = Omit<MemberState, 'server'>;

/** Writes the states of the members to the state of the virtual server, whenever they have changed. */
export class MemberStatesRecord {
  readonly #record: Pick<StateWriter, 'note'>;
  readonly #virtual: Pick<VirtualServer, 'status'>;
  readonly #table: MemberTable;
  #last: readonly (readonly [string, Seen])[] | undefined;

  constructor(record: Pick<StateWriter, 'note'>, virtual: Pick<VirtualServer, 'status'>, table: MemberTable) {
    this.#record = record;
    this.#virtual = virtual;
    this.#table = table;
  }

  look(): void {
    const seen = this.#virtual
      .status()
      .map((status) => [status.name, seenState(status, this.#table)] as const);
    if (isDeepStrictEqual(this.#last, seen)) return;
    this.#last = seen;
    this.#record.note((state) => ({ ...state, members: mergeStates(state.members, seen) }));
  }
}

function seenState(status: MemberStatus, table: MemberTable): Seen {
  const { name, state, revision = '', tools, lastError = '', findings } = status;
  const { fault, notice, isIdle } = table.find(name);
  return {
    status:
      fault !== '' && state === 'unknown' ? 'failing' : isIdle && state === 'available' ? 'idle' : state,
    revision,
    tools,
    lastError: fault === '' ? lastError : fault,
    findings: notice === '' ? findings : [...findings, notice],
  };
}

/** Returns the states in the order of the members. Members that are gone are left out. */
function mergeStates(
  before: WorkloadState['members'],
  seen: readonly (readonly [string, Seen])[],
): WorkloadState['members'] {
  const merged = seen.map(([name, state]) => {
    const { server } = (Object.hasOwn(before, name) ? before[name] : undefined) ?? NEW_MEMBER;
    return [name, { ...state, server }] as const;
  });
  return Object.fromEntries(merged);
}
