import type { Members, SearchFields } from '../members/member.ts';
import type { RunConfig } from '../run-config/run-config.ts';

/** Content of a members file. */
export interface MembersFile {
  /** Tool that the format belongs to: Portolan, or `thv vmcp`. */
  readonly format: 'members' | 'vmcp';
  /** Name of the virtual server; undefined to use the name of the file. */
  readonly name: string | undefined;
  /** Group that the virtual server belongs to. */
  readonly group: string | undefined;
  /** Members in the order of the file. */
  readonly members: Members;
  /**
   * Group whose workloads are the members. Only a file of `thv vmcp` without backends has it. `members` then has the settings
   * of some of these workloads.
   */
  readonly memberGroup: string | undefined;
  readonly search: SearchFields | undefined;
  /** Settings of the virtual server itself, which only a file of `thv vmcp` has. */
  readonly fields: Partial<RunConfig>;
  /** A sentence for each setting of the file that has another meaning in Portolan, or none. */
  readonly notes: readonly string[];
}
