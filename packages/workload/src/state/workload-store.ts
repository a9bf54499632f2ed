import type { PortolanError } from '@portolan/plugin-api';
import { rename } from 'node:fs/promises';
import path from 'node:path';
import { type ParsedRunConfig, type RunConfig, formatRunConfig, isWorkloadName } from '@portolan/run-spec';
import { stateInaccessible, workloadExists, workloadUnknown } from './state-errors.ts';
import type { Directories } from './directories.ts';
import { changeMember, findMemberConfig } from './member-config.ts';
import { findMemberName } from './member-name.ts';
import { type FileLock, type LockOptions, takeLock, withLock } from './file-lock.ts';
import { isAlive, type ProcessIdentity } from './process-identity.ts';
import { formatWorkloadState, newWorkloadState, type WorkloadState } from './workload-state.ts';
import {
  findMovedAside,
  moveAside,
  readText,
  removeFile,
  removeLeftovers,
  removeMovedAside,
} from './state-files.ts';
import { formatSupervisorNote, readSupervisorNote } from './supervisor-note.ts';
import { suggestNames } from './suggest-names.ts';
import { writeAtomically, writeTogether } from './write-atomically.ts';
import { renameIfThere, attempt, isFault, faultOf, stateOf, configOf, namesIn } from './workload-files.ts';

/**
 * Content of a workload's files. A file that is missing or unreadable gives undefined, and an entry in
 * `faults`.
 */
export interface StoredWorkload {
  readonly name: string;
  readonly state: WorkloadState | undefined;
  readonly config: RunConfig | undefined;
  /** Process of the supervisor. It is known even if the state is unreadable, from a second file. */
  readonly supervisor: ProcessIdentity | undefined;
  /** Reasons why state or config are missing or unreadable. */
  readonly faults: readonly string[];
}

/**
 * Part of a removal that may be unfinished. `references` are the entries in client files and the record of
 * consent. `secrets` are the secrets that were stored only for this workload.
 */
export type RemovalPart = 'references' | 'secrets';

/** Removal with at least one unfinished part. */
export interface UnfinishedRemoval {
  readonly name: string;
  readonly hasReferences: boolean;
  /** URL of the workload in client files; undefined when the state is unreadable. */
  readonly url: string | undefined;
  readonly hasSecrets: boolean;
  /** Run config; undefined when it is unreadable. */
  readonly config: RunConfig | undefined;
}

const RECORD_SUFFIX = '.unfinished';

export interface WorkloadStoreOptions {
  readonly directories: Pick<Directories, 'runConfigs' | 'statuses'>;
  readonly clock: () => Date;
  readonly lock?: LockOptions;
}

/**
 * Store of this user's workloads, each with a run config and a state. Files are replaced atomically, and each
 * change holds the workload's lock across processes. Unreadable files are never overwritten or lost; see
 * `setAside`.
 */
export class WorkloadStore {
  readonly #options: WorkloadStoreOptions;

  constructor(options: WorkloadStoreOptions) {
    this.#options = options;
  }

  /** Returns all workloads by name, including those with missing or unreadable parts. */
  async list(): Promise<readonly StoredWorkload[]> {
    const { runConfigs, statuses } = this.#options.directories;
    const names = new Set([...(await namesIn(runConfigs)), ...(await namesIn(statuses))]);
    const storedWorkloads = await Promise.all([...names].toSorted().map((name) => this.find(name)));
    return storedWorkloads.flatMap((workload) => workload ?? []);
  }

  /** Returns one workload, even if its files are unreadable; undefined when it has no files. */
  async find(name: string): Promise<StoredWorkload | undefined> {
    if (!isWorkloadName(name)) return undefined;
    const [state, config] = await Promise.all([
      attempt(this.#stateFile(name), stateOf(name)),
      attempt(this.#configFile(name), configOf(name)),
    ]);
    if (state === undefined && config === undefined) return undefined;
    const faults = [
      faultOf(state, 'its state is missing'),
      faultOf(config, 'its run configuration is missing'),
    ];
    const read = state !== undefined && 'value' in state ? state.value : undefined;
    const known = read === undefined ? undefined : await this.#withMark(name, read);
    return {
      name,
      state: known,
      supervisor: known === undefined ? await readSupervisorNote(this.#noteFile(name)) : known.supervisor,
      config: config !== undefined && 'value' in config ? config.value.config : undefined,
      faults: faults.flatMap((fault) => fault ?? []),
    };
  }

  /** Returns the error for an unknown workload name, with similar names as suggestions. */
  async unknown(name: string): Promise<PortolanError> {
    const { runConfigs, statuses } = this.#options.directories;
    const names = new Set([...(await namesIn(runConfigs)), ...(await namesIn(statuses))]);
    return workloadUnknown(name, suggestNames(name, [...names].toSorted()));
  }

  /** Returns the state. Throws ERR_WORKLOAD_UNKNOWN, and the errors of `parseWorkloadState`. */
  async getState(name: string): Promise<WorkloadState> {
    const state = isWorkloadName(name) ? await this.#readState(name) : undefined;
    if (state === undefined) throw await this.unknown(name);
    return state;
  }

  /**
   * Returns the run config of a workload, or of a member, `WORKLOAD/MEMBER`. Throws ERR_WORKLOAD_UNKNOWN, and
   * the parser's errors.
   */
  async getConfig(name: string): Promise<ParsedRunConfig> {
    const member = findMemberName(name);
    if (member !== undefined) {
      const parsed = await this.getConfig(member.workload);
      const config = findMemberConfig(parsed.config, member.member);
      if (config === undefined) throw workloadUnknown(name);
      return { ...parsed, config };
    }
    const file = this.#configFile(name);
    const text = isWorkloadName(name) ? await readText(file) : undefined;
    if (text === undefined) throw await this.unknown(name);
    return configOf(name)(text, file);
  }

  /**
   * Reserves a name for a workload that starts, and writes its run config and state. Throws
   * ERR_WORKLOAD_EXISTS when the name is in use, also when two processes race. Without `replace`, only a
   * workload in state `error`, or one whose process died during its start, gives up its name.
   */
  async claim(
    config: RunConfig,
    supervisor: ProcessIdentity,
    {
      replace = false,
      imageDigest = '',
      mountPaths = {},
      members = {},
    }: Partial<Pick<WorkloadState, 'imageDigest' | 'mountPaths' | 'members'>> & {
      readonly replace?: boolean;
    } = {},
  ): Promise<WorkloadState> {
    const { name } = config;
    const text = formatRunConfig(config);
    return await this.#locked(name, async () => {
      const earlier = await this.#readState(name);
      if (!replace) await this.#requireFree(name, earlier);
      const state = {
        ...newWorkloadState(name, this.#options.clock()),
        supervisor,
        imageDigest,
        mountPaths,
        members,
      };
      await writeTogether([
        { file: this.#noteFile(name), text: formatSupervisorNote(supervisor) },
        { file: this.#configFile(name), text },
        { file: this.#stateFile(name), text: formatWorkloadState(state) },
      ]);
      await removeFile(this.#markFile(name));
      // Client entries that an unfinished removal left under this name now belong to the new workload.
      await removeFile(this.#recordFile(name, 'references'));
      return state;
    });
  }

  /** Throws ERR_WORKLOAD_EXISTS if `claim` would, and the errors of an unreadable state. */
  async requireFree(name: string): Promise<void> {
    if (isWorkloadName(name)) await this.#requireFree(name, await this.#readState(name));
  }

  /**
   * Changes the state. Throws ERR_WORKLOAD_UNKNOWN, and the errors of an unreadable state; then nothing
   * changes.
   */
  async change(name: string, change: (state: WorkloadState) => WorkloadState): Promise<WorkloadState> {
    return await this.#locked(name, async () => {
      const before = await this.getState(name);
      const state = change(before);
      const changed = { ...state, name, updatedAt: this.#options.clock() };
      const isOther = before.supervisor?.pid !== state.supervisor?.pid;
      const { supervisor } = state;
      await writeTogether([
        ...(isOther && supervisor !== undefined
          ? [{ file: this.#noteFile(name), text: formatSupervisorNote(supervisor) }]
          : []),
        { file: this.#stateFile(name), text: formatWorkloadState(changed) },
      ]);
      if (supervisor === undefined) await removeFile(this.#noteFile(name));
      await removeFile(this.#markFile(name));
      return changed;
    });
  }

  /**
   * Records that a workload was stopped when its state cannot be written. Only renames a file, which works
   * even on a full disk. The next change of the state removes this record. Throws ERR_STATE_INACCESSIBLE.
   */
  async markStopped(name: string): Promise<void> {
    await this.#locked(name, async () => {
      try {
        await rename(this.#noteFile(name), this.#markFile(name));
      } catch (error) {
        throw stateInaccessible(this.#markFile(name), 'write', error);
      }
    });
  }

  /** Returns the state, with the status `stopped` if `markStopped` has left its mark. */
  async #withMark(name: string, state: WorkloadState): Promise<WorkloadState> {
    if ((await readText(this.#markFile(name))) === undefined) return state;
    const nothing = { supervisor: undefined, instance: '', url: '', containerId: '' };
    return { ...state, ...nothing, status: 'stopped', statusContext: '', wanted: false };
  }

  /**
   * Changes the current run config of a workload, or of a member, `WORKLOAD/MEMBER`. Throws
   * ERR_WORKLOAD_UNKNOWN, and the parser's errors.
   */
  async changeConfig(name: string, change: (config: RunConfig) => RunConfig): Promise<void> {
    const member = findMemberName(name);
    if (member !== undefined) {
      return await this.changeConfig(member.workload, (config) => {
        const before = findMemberConfig(config, member.member);
        return before === undefined ? config : changeMember(config, member.member, change(before));
      });
    }
    await this.#locked(name, async () => {
      const { config } = await this.getConfig(name);
      await writeAtomically(this.#configFile(name), formatRunConfig(change(config)));
    });
  }

  /** Replaces the run config of a workload, or of a member. Throws as `change`. */
  async replaceConfig(config: RunConfig): Promise<void> {
    if (findMemberName(config.name) !== undefined) return await this.changeConfig(config.name, () => config);
    const text = formatRunConfig(config);
    await this.#locked(config.name, async () => {
      if ((await readText(this.#configFile(config.name))) === undefined)
        throw await this.unknown(config.name);
      await writeAtomically(this.#configFile(config.name), text);
    });
  }

  /**
   * Removes state and run config, even if they are unreadable or renamed by `setAside`. Ignores an unknown
   * workload. With `keepsRecords`, renames both files as records of an unfinished removal, which works even
   * on a full disk; `removeRecord` removes these records later.
   */
  async remove(
    name: string,
    { keepsRecords = false }: { readonly keepsRecords?: boolean } = {},
  ): Promise<void> {
    if (!isWorkloadName(name)) return;
    await this.#locked(name, async () => {
      if (keepsRecords) {
        await renameIfThere(this.#stateFile(name), this.#recordFile(name, 'references'));
        await renameIfThere(this.#configFile(name), this.#recordFile(name, 'secrets'));
      }
      for (const file of [this.#configFile(name), this.#stateFile(name)]) {
        await removeLeftovers(file);
        await removeMovedAside(file);
        await removeFile(file);
      }
      await removeFile(this.#noteFile(name));
      await removeFile(this.#markFile(name));
    });
  }

  /** Returns the unfinished removals, sorted by name. */
  async listUnfinished(): Promise<readonly UnfinishedRemoval[]> {
    const { runConfigs, statuses } = this.#options.directories;
    const [references, secrets] = await Promise.all([
      namesIn(statuses, RECORD_SUFFIX),
      namesIn(runConfigs, RECORD_SUFFIX),
    ]);
    const names = [...new Set([...references, ...secrets])].toSorted();
    return await Promise.all(names.map((name) => this.#readRecords(name)));
  }

  /** Removes the record of a finished part of a removal. */
  async removeRecord(name: string, part: RemovalPart): Promise<void> {
    await this.#locked(name, async () => await removeFile(this.#recordFile(name, part)));
  }

  async #readRecords(name: string): Promise<UnfinishedRemoval> {
    const [state, config] = await Promise.all([
      attempt(this.#recordFile(name, 'references'), stateOf(name)),
      attempt(this.#recordFile(name, 'secrets'), configOf(name)),
    ]);
    return {
      name,
      hasReferences: state !== undefined,
      url: state !== undefined && 'value' in state ? state.value.url : undefined,
      hasSecrets: config !== undefined,
      config: config !== undefined && 'value' in config ? config.value.config : undefined,
    };
  }

  /** Returns the files that `setAside` has renamed. They may be the only files of the workload. */
  async findSetAside(name: string): Promise<readonly string[]> {
    if (!isWorkloadName(name)) return [];
    const files = [this.#stateFile(name), this.#configFile(name)];
    return (await Promise.all(files.map(findMovedAside))).flat();
  }

  /** Renames unreadable files to `FILE.corrupted`, or the next free name. Returns the new names. */
  async setAside(name: string): Promise<readonly string[]> {
    if (!isWorkloadName(name)) return [];
    return await this.#locked(name, async () => {
      const moved: string[] = [];
      if (isFault(await attempt(this.#stateFile(name), stateOf(name)))) {
        moved.push(await moveAside(this.#stateFile(name)));
      }
      if (isFault(await attempt(this.#configFile(name), configOf(name)))) {
        moved.push(await moveAside(this.#configFile(name)));
      }
      return moved;
    });
  }

  /**
   * Takes the lock of a workload for a longer operation, such as a start. Not reentrant. Throws
   * ERR_WORKLOAD_UNKNOWN for an invalid name, because it could lead out of the folder.
   */
  async lock(name: string, options?: LockOptions): Promise<FileLock> {
    if (!isWorkloadName(name)) throw workloadUnknown(name);
    return await takeLock(`${this.#lockFolder(name)}.work`, { ...this.#options.lock, ...options });
  }

  async #requireFree(name: string, earlier: WorkloadState | undefined): Promise<void> {
    const isTaken =
      earlier === undefined
        ? (await readText(this.#configFile(name))) !== undefined
        : !(await this.#isFree(earlier));
    if (isTaken) throw workloadExists(name);
  }

  async #isFree({ status, supervisor }: WorkloadState): Promise<boolean> {
    if (status === 'error') return true;
    return status === 'starting' && (supervisor === undefined || !(await isAlive(supervisor)));
  }

  async #locked<Result>(name: string, action: () => Promise<Result>): Promise<Result> {
    if (!isWorkloadName(name)) throw workloadUnknown(name);
    return await withLock(this.#lockFolder(name), action, this.#options.lock);
  }

  async #readState(name: string): Promise<WorkloadState | undefined> {
    const file = this.#stateFile(name);
    const text = await readText(file);
    return text === undefined ? undefined : await this.#withMark(name, stateOf(name)(text, file));
  }

  #stateFile(name: string): string {
    return path.join(this.#options.directories.statuses, `${name}.json`);
  }

  #configFile(name: string): string {
    return path.join(this.#options.directories.runConfigs, `${name}.json`);
  }

  #noteFile(name: string): string {
    return path.join(this.#options.directories.statuses, `${name}.supervisor`);
  }

  #markFile(name: string): string {
    return path.join(this.#options.directories.statuses, `${name}.stopped`);
  }

  #recordFile(name: string, part: RemovalPart): string {
    const { runConfigs, statuses } = this.#options.directories;
    return path.join(part === 'references' ? statuses : runConfigs, `${name}${RECORD_SUFFIX}`);
  }

  #lockFolder(name: string): string {
    return path.join(this.#options.directories.statuses, `${name}.lock`);
  }
}
