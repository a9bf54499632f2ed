export { getClient } from './clients/client-table.ts';
export {
  findMemberEntries,
  type MemberEntries,
  removeMemberEntries,
} from './clients/member-entries.ts';
export { listClients, registerClient, unregisterClient } from './clients/register-clients.ts';
export {
  findForeignEntries,
  type ForeignEntry,
  moveEntries,
  type MovedEntry,
} from './clients/move-entries.ts';
