import path from 'node:path';
import { readSmallFile } from '@portolan/plugin-api';
import type { Members, RunConfig, SearchFields } from '@portolan/run-spec';
import { fileUnreadable } from '../../state/state-errors.ts';
import type { WorkloadContext } from '../../workload-context.ts';

/** Members of a virtual server, and what their file says about the virtual server itself. */
export interface MembersSource {
  /** Absolute path of the members file; empty for a group. */
  readonly file: string;
  /** Name that the file states; undefined for the name of the file or group. */
  readonly name: string | undefined;
  readonly group: string | undefined;
  readonly members: Members;
  /** Group whose workloads are the members; empty for none. */
  readonly memberGroup: string;
  readonly search: SearchFields | undefined;
  /** Further settings of the virtual server; only a file of another tool has them. */
  readonly fields: Partial<RunConfig>;
  readonly notes: readonly string[];
}

/** Reads a members file. Throws ERR_NAMED_FILE, and ERR_SETTING with all problems and their places. */
export async function readMembersFile(
  named: string,
  { workingDirectory, home }: Pick<WorkloadContext, 'workingDirectory' | 'home'>,
  signal?: AbortSignal,
): Promise<MembersSource> {
  const file = path.resolve(workingDirectory, named);
  let text: string;
  try {
    text = await readSmallFile(file, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw fileUnreadable('file of --members', file, error);
  }
  return await parseMembers(text, file, home);
}

/** Parses the text of a members file. Relative paths in it begin at its folder. Throws ERR_SETTING. */
export async function parseMembers(text: string, file: string, home: string): Promise<MembersSource> {
  // Loaded on demand, because few commands read members files.
  const { parseMembersFile } = await import('@portolan/run-spec/members-file');
  const parsed = parseMembersFile(text, file, { workingDirectory: path.dirname(file), home });
  const { name, group, members, memberGroup = '', search, fields, notes } = parsed;
  return { file, name, group, members, memberGroup, search, fields, notes };
}
