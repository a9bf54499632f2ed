export { MemberOutcomes } from './members/member-outcomes.ts';
export { openVirtualServer } from './open-virtual-server.ts';
export type { VirtualServer } from './open-virtual-server.ts';
export type {
  MemberOutcome,
  MemberSource,
  MemberStatus,
  SearchSettings,
  VirtualServerOptions,
} from './options.ts';
