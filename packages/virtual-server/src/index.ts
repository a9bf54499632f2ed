export { exposedNameOf, isExposedName, ownNameOf } from './names/exposed-name.ts';
export type {
  MemberSettings,
  MemberSource,
  MemberStatus,
  NameOverride,
  SearchSettings,
  VirtualServerOptions,
} from './options.ts';
