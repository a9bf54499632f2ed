import type { MembersTarget } from '../target/classify-target.ts';
import { nameOfMembers } from '../target/workload-name.ts';
import type { MergeInput } from './merge-input.ts';
import { mergePlain, type PlainSettings } from './plain-settings.ts';
import { refuseMembersFlags, refuseServerFlags } from './refuse-server-flags.ts';
import type { Setting } from './setting.ts';

/** Refuses flags of the other form of workload. Returns whether the workload is a virtual server. */
export function refuseOtherForm({ target, request: { flags, args } }: MergeInput): boolean {
  const isVirtual = target.from === 'members';
  if (isVirtual) refuseServerFlags(flags, args);
  else refuseMembersFlags(flags);
  return isVirtual;
}

/** Merges the plain settings. A members file may state the group. */
export function mergePlainWithFile(input: MergeInput): PlainSettings {
  const plain = mergePlain(input);
  const group = input.membersFile?.group;
  if (group === undefined || input.request.flags.group !== undefined) return plain;
  return { ...plain, group: { value: group, from: 'file', by: 'group of the members file' } };
}

/** Returns the name of a virtual server: that of its file, else one by its file or group. */
export function nameOfVirtual({ file, group }: MembersTarget, { membersFile }: MergeInput): Setting<string> {
  const stated = membersFile?.name;
  if (stated !== undefined) return { value: stated, from: 'file', by: 'name of the members file' };
  const by = file === undefined ? 'the name of the group' : 'the file name of the members file';
  return { value: nameOfMembers(file ?? group ?? ''), from: 'rule', by };
}
