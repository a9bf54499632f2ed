import { isDeepStrictEqual } from 'node:util';
import { PROXY_LIMITS } from '@portolan/proxy';
import { type Members, searchSettingsOf } from '@portolan/run-spec';
import { type MemberStatus, openVirtualServer, type VirtualServer } from '@portolan/virtual-server';
import { type MemberState, NEW_MEMBER } from '../../state/member-state.ts';
import { watchStates } from '../../state/watch-states.ts';
import type { WorkloadState } from '../../state/workload-state.ts';
import type { ServerSide } from '../server/server-side.ts';
import type { Supervision } from '../supervision.ts';
import { membersIn } from './group-members.ts';
import { MemberTable } from './member-table.ts';
import { removeLeftMembers } from './remove-left-members.ts';

/** Interval in milliseconds at which states of members that have changed are recorded. */
const RECORD_MS = 1000;

/**
 * Opens a virtual server with its members. A member that cannot be reached or started never fails the start.
 * Throws the errors of a token exchange, and those of the engine when containers of earlier members are left.
 */
export async function openMembers(work: Supervision): Promise<ServerSide> {
  const { config, context, lifecycle, order } = work;
  const changes = new Changes();
  const table = new MemberTable(work, () => changes.tell());
  const members = await readMembers(work);
  await removeLeftMembers(work, members);
  const { sources, begin } = await table.replace(members, order.members);
  const virtual = openVirtualServer({
    name: config.name,
    members: sources,
    search: searchSettingsOf(config.search),
    version: context.version,
    limits: PROXY_LIMITS,
    logger: context.logger,
    clock: context.clock,
  });
  const record = (): void => recordMembers(work, virtual, table);
  const watching = await watchMembers(work, { table, virtual, members, record });
  const timer = setInterval(record, RECORD_MS);
  timer.unref();
  begin();
  changes.listen(record);
  record();
  return {
    backend: { ...virtual.backend, mode: config.proxy_mode === 'sse' ? 'sse' : 'streamable-http' },
    middleware: [virtual.middleware],
    start: async () => lifecycle.begin(),
    notAnswering: (reason) => context.logger.warn({ reason }, 'virtual server does not respond'),
    close: async () => {
      clearInterval(timer);
      await watching.close();
      await virtual.close();
      changes.stop();
    },
  };
}

async function readMembers({ config, context }: Supervision): Promise<Members> {
  return membersIn(config, config.member_group === '' ? [] : await context.store.list());
}

/** Calls one listener for changes of members, once for all changes of one turn. */
class Changes {
  #listener: (() => void) | undefined;
  #isDue = false;

  listen(listener: () => void): void {
    this.#listener = listener;
  }

  stop(): void {
    this.#listener = undefined;
  }

  tell(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      this.#listener?.();
    });
  }
}

interface Watched {
  readonly table: MemberTable;
  readonly virtual: VirtualServer;
  readonly members: Members;
  readonly record: () => void;
}

/** Follows the workloads that are members, and the group if the members are those of a group. */
async function watchMembers(
  work: Supervision,
  { table, virtual, members, record }: Watched,
): Promise<{ readonly close: () => Promise<void> }> {
  const { config, context } = work;
  let current = members;
  let last: Promise<void> = Promise.resolve();
  const look = async (): Promise<void> => {
    const next = config.member_group === '' ? current : await readMembers(work);
    if (!isDeepStrictEqual(next, current)) {
      const { sources, begin } = await table.replace(next);
      current = next;
      await virtual.replaceMembers(sources);
      begin();
      context.logger.info({ members: Object.keys(next) }, 'members of the group changed');
    } else if (await table.look()) context.logger.info({}, 'a workload that is a member changed');
    record();
  };
  const watch = await watchStates({
    folder: context.directories.statuses,
    changed: () => {
      last = last.then(look).catch((error: unknown) => {
        context.logger.warn({ err: error }, 'members could not be looked at');
      });
    },
  });
  return {
    close: async () => {
      watch.close();
      await last;
    },
  };
}

/** Writes the states of the members to the state of the virtual server, if they have changed. */
function recordMembers(work: Supervision, virtual: VirtualServer, table: MemberTable): void {
  const seen = virtual.status().map((status) => [status.name, seenState(status, table)] as const);
  const recorded = recordedStates.get(work);
  if (isDeepStrictEqual(recorded, seen)) return;
  recordedStates.set(work, seen);
  work.record.note((state) => ({ ...state, members: mergeStates(state.members, seen) }));
}

type Seen = Omit<MemberState, 'server'>;

const recordedStates = new WeakMap<Supervision, readonly (readonly [string, Seen])[]>();

function seenState(status: MemberStatus, table: MemberTable): Seen {
  const { name, state, revision = '', tools, lastError = '', findings } = status;
  const { fault, notice } = table.find(name);
  return {
    status: fault !== '' && state === 'unknown' ? 'failing' : state,
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
