import type { RunConfig } from '@portolan/run-spec';
import type { MembersSource } from './read-members-file.ts';

/** Returns the run config fields that a members file states. */
export function fieldsOfSource({
  file,
  memberGroup,
  members,
  search,
  fields,
}: MembersSource): Partial<RunConfig> {
  if (file === '') return fields;
  const hasMembers = Object.keys(members).length > 0;
  return { ...fields, members, search, members_file: hasMembers ? file : '', member_group: memberGroup };
}
