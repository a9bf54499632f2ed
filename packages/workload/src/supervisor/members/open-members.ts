import { PROXY_LIMITS } from '@portolan/proxy';
import type { Members } from '@portolan/run-spec';
import { openVirtualServer, type VirtualServer } from '@portolan/virtual-server';
import type { ServerSide } from '../server/server-side.ts';
import type { Supervision } from '../supervision.ts';
import { membersIn } from './group-members.ts';
import { MemberStatesRecord } from './member-states.ts';
import { MemberTable } from './member-table.ts';
import { MembersWatch } from './members-watch.ts';
import { openSearch } from './open-search.ts';
import { removeLeftMembers } from './remove-left-members.ts';

/** Interval in milliseconds at which states of members that have changed are recorded. */
const RECORD_MS = 1000;

/**
 * Opens a virtual server with its members. A member that cannot be reached or started never fails the start.
 * Throws the errors of a token exchange, and those of the engine when containers of earlier members are left.
 */
export async function openMembers(work: Supervision): Promise<ServerSide> {
  const { config, context, lifecycle, order } = work;
  let record = (): void => undefined;
  const table = new MemberTable(work, () => record());
  const members = await readMembers(work);
  await removeLeftMembers(work, members);
  const { sources, begin } = await table.replace(members, { values: order.members });
  const virtual = await openAggregate(work, sources);
  const states = new MemberStatesRecord(work.record, virtual, table);
  record = () => states.look();
  const watch = new MembersWatch(work, { table, virtual, members, record });
  watch.open();
  const timer = setInterval(record, RECORD_MS);
  timer.unref();
  begin();
  record();
  return {
    backend: { ...virtual.backend, mode: config.proxy_mode === 'sse' ? 'sse' : 'streamable-http' },
    middleware: [virtual.middleware],
    usePolicies: (policies) => virtual.usePolicies(policies),
    start: async () => lifecycle.begin(),
    notAnswering: (reason) => context.logger.warn({ reason }, 'virtual server does not respond'),
    findUnavailable: () => virtual.status().find(({ state }) => state !== 'available')?.name,
    close: async () => {
      clearInterval(timer);
      record = () => undefined;
      await watch.close();
      await virtual.close();
    },
  };
}

async function openAggregate(
  work: Supervision,
  members: Parameters<typeof openVirtualServer>[0]['members'],
): Promise<VirtualServer> {
  const { config, context } = work;
  return openVirtualServer({
    name: config.name,
    members,
    ...(await openSearch(config.search, context)),
    version: context.version,
    limits: PROXY_LIMITS,
    logger: context.logger,
    clock: context.clock,
  });
}

async function readMembers({ config, context }: Supervision): Promise<Members> {
  return membersIn(config, config.member_group === '' ? [] : await context.store.list());
}
