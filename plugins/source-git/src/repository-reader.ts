import { isPortolanError, type PluginContext } from '@portolan/plugin-api';
import { askReference, type ResolvedReference } from './ask-reference.ts';
import { BlobReader } from './blob-reader.ts';
import { type Connection, nobodyIn, openConnection } from './connection.ts';
import { gitFailed, noCommit, referenceMissing, scratchFull } from './errors.ts';
import { explainFailure } from './explain-failure.ts';
import {
  FETCH_SETTINGS,
  fetchCommit,
  fetchFiles,
  fetchHistory,
  givesOutTipsOnly,
  PARTIAL_SETTINGS,
} from './fetch-objects.ts';
import { followRedirect } from './follow-redirect.ts';
import type { Clock } from './clock.ts';
import type { GitConfig } from './git-config.ts';
import { type GitSettings, gitVariables } from './git-variables.ts';
import { CURRENT, CachedRepository } from './cached-repository.ts';
import { type RepositoryFile, type RepositoryFiles, listFiles } from './list-files.ts';
import type { Repository } from './parse-repository.ts';
import { runGit, runGitForRecords } from './run-git.ts';
import type { Selection } from './selection.ts';
import { GitFailure } from './start-git.ts';
import { showReference, type ReferenceSelection } from './reference-selection.ts';

export interface RepositoryInput {
  readonly config: GitConfig;
  readonly context: Pick<PluginContext, 'directory' | 'environment' | 'findRoute' | 'openFetch'>;
  readonly repository: Repository;
  readonly reference: ReferenceSelection;
  readonly selection: Selection;
  /** Current address, which changes after a redirect. */
  readonly whereabouts: { address: string };
}

type ReadStep = 'reference' | 'commit' | 'files';

type Act<Result> = (connection: Connection, signal: AbortSignal) => Promise<Result>;

export interface ReadingInput extends RepositoryInput {
  readonly scratch: string;
  /** Maximum size of the scratch folder in bytes. */
  readonly maxBytes: number;
  /** Limits the time of requests to the server, and of git's processing of fetched data. */
  readonly clock: Clock;
  readonly localClock: Clock;
  readonly signal: AbortSignal;
}

/**
 * One sync of a repository: resolves the reference, fetches the commit, lists the files. Throws
 * ERR_SOURCE_GIT_* errors, whose messages contain no text of git.
 */
export class RepositoryReader {
  readonly #input: ReadingInput;
  readonly #repository: CachedRepository;

  constructor(input: ReadingInput) {
    this.#input = input;
    this.#repository = new CachedRepository(input.scratch);
  }

  /** Returns the current target. */
  async find(): Promise<ResolvedReference> {
    const { reference } = this.#input;
    if (reference.kind === 'commit') return { object: reference.name, commit: reference.name };
    try {
      return await this.#ask('reference', {}, (connection, signal) =>
        askReference(reference, connection, signal),
      );
    } catch (error) {
      throw error instanceof GitFailure ? gitFailed(error) : error;
    }
  }

  /**
   * Fetches the content of the commit. Uses the cached repository; if that fails, fetches again without it,
   * and finally without omitting anything.
   */
  async fetch({ object }: ResolvedReference): Promise<RepositoryFiles> {
    await this.#repository.tidy(this.#limits);
    const hasSomething = await this.#repository.exists();
    const isWhole = await this.#repository.isWhole();
    const anew = async (whole: boolean): Promise<RepositoryFiles> => {
      await this.#repository.remove();
      return await this.#fetchOnce(object, whole);
    };
    const attempts = [
      () => this.#fetchOnce(object, isWhole),
      ...(hasSomething ? [() => anew(false)] : []),
      () => anew(true),
    ];
    let failure: unknown;
    for (const [at, attempt] of attempts.entries()) {
      try {
        return await attempt();
      } catch (error) {
        failure = error;
        if (!this.#mayGoOtherwise(error, at === 0 && hasSomething)) break;
      }
    }
    if (isTooLarge(failure)) await this.#repository.remove();
    if (isNoRoom(failure)) {
      // An incomplete pack may be what fills the disk, so remove it.
      await this.#repository.remove();
      throw scratchFull(failure);
    }
    if (!(failure instanceof GitFailure)) throw failure;
    const isNoTree = failure.output.includes('not a tree object');
    throw isNoTree ? noCommit(showReference(this.#input.reference)) : gitFailed(failure);
  }

  /** Reads files that `fetch` returned, one after the other. */
  openFiles(files: readonly RepositoryFile[]): BlobReader {
    const { signal, localClock } = this.#input;
    const objects = files.map(({ object }) => object);
    return new BlobReader({ objects, environment: this.#localVariables(), signal, clock: localClock });
  }

  async forget(): Promise<void> {
    await this.#repository.remove();
  }

  get #limits() {
    const { config, maxBytes } = this.#input;
    return { bytes: Math.min(config.maxBytes, maxBytes), objects: config.maxObjects };
  }

  async #fetchOnce(object: string, isWhole: boolean): Promise<RepositoryFiles> {
    const { selection, reference, signal, localClock } = this.#input;
    const settings = { ...FETCH_SETTINGS, ...(isWhole ? {} : PARTIAL_SETTINGS) };
    const fetching = { repository: this.#repository, limits: this.#limits };
    if ((await this.#repository.current()) !== object) {
      await this.#repository.make(object, { isWhole });
      let isByHistory = false;
      await this.#ask('commit', settings, async (connection, counted) => {
        const input = { ...fetching, connection, signal: counted };
        try {
          await fetchCommit(object, input);
        } catch (error) {
          isByHistory = reference.kind === 'commit' && givesOutTipsOnly(error);
          if (!isByHistory) throw error;
          await fetchHistory(input);
        }
      });
      if (isByHistory) await this.#keepOfHistory(object);
    }
    const environment = this.#localVariables();
    const files = await localClock.count(signal, (counted) =>
      listFiles({
        listTree: (words) =>
          runGitForRecords({ words: ['ls-tree', '-z', ...words], environment, signal: counted }, '\0'),
        commit: object,
        selection,
        shown: showReference(reference),
        maxFiles: this.#limits.objects,
      }),
    );
    const missing = await localClock.count(signal, (counted) => this.#missingOf(files.files, counted));
    if (missing.length > 0) {
      await this.#ask('files', settings, async (connection, counted) => {
        await fetchFiles(missing, { ...fetching, connection, signal: counted });
      });
    }
    return files;
  }

  /**
   * Fetches the whole history to get a commit. Throws ERR_SOURCE_GIT_REFERENCE when no branch or tag leads to
   * the commit.
   */
  async #keepOfHistory(commit: string): Promise<void> {
    const { signal, localClock } = this.#input;
    const words = ['update-ref', CURRENT, commit];
    try {
      await localClock.count(signal, (counted) =>
        runGit({ words, environment: this.#localVariables(), signal: counted }),
      );
    } catch (error) {
      throw error instanceof GitFailure
        ? referenceMissing(showReference(this.#input.reference), error)
        : error;
    }
  }

  async #missingOf(
    files: readonly RepositoryFile[],
    signal: AbortSignal,
  ): Promise<readonly RepositoryFile[]> {
    const byObject = new Map(files.map((file) => [file.object, file]));
    const records = runGitForRecords(
      {
        words: ['cat-file', '--batch-check'],
        environment: this.#localVariables(),
        signal,
        input: [...byObject.keys()].map((object) => `${object}\n`).join(''),
      },
      '\n',
    );
    const missing: RepositoryFile[] = [];
    for await (const lines of records) {
      for (const line of lines) {
        const file = line.endsWith(' missing') ? byObject.get(line.slice(0, -8)) : undefined;
        if (file !== undefined) missing.push(file);
      }
    }
    return missing;
  }

  /**
   * Returns whether a new attempt may help. It does not when the server, the time limit or an abort is the
   * reason.
   */
  #mayGoOtherwise(error: unknown, hadSomething: boolean): boolean {
    if (this.#input.signal.aborted || isNoRoom(error)) return false;
    // A folder in place of a file is damage too, although git never reports it.
    if (error instanceof GitFailure || isFileFault(error)) return true;
    return hadSomething && isTooLarge(error);
  }

  /** Lets git contact the server. Throws GitFailure only for failures that are not the server's. */
  async #ask<Result>(what: ReadStep, settings: GitSettings, act: Act<Result>): Promise<Result> {
    const { whereabouts, repository, clock, signal } = this.#input;
    try {
      return await this.#askOnce(what, settings, act);
    } catch (error) {
      const from = whereabouts.address;
      whereabouts.address = repository.address;
      if (!isPortolanError(error) || error.code !== 'ERR_SOURCE_REDIRECT') throw error;
      whereabouts.address = await clock.count(signal, (counted) =>
        followRedirect({ ...this.#input, address: from, signal: counted }),
      );
      return await this.#askOnce(what, settings, act);
    }
  }

  async #askOnce<Result>(what: ReadStep, settings: GitSettings, act: Act<Result>): Promise<Result> {
    const { clock, signal, reference, repository, whereabouts } = this.#input;
    try {
      return await clock.count(signal, async (counted) => {
        // Resolving a reference needs no repository, and the cached one may be damaged.
        const folder = what === 'reference' ? undefined : this.#repository.folder;
        const place = { ...repository, ...whereabouts };
        const input = { ...this.#input, repository: place, folder, settings, signal: counted };
        return await act(await openConnection(input), counted);
      });
    } catch (error) {
      if (!(error instanceof GitFailure)) throw error;
      const explained = explainFailure(error, showReference(reference), this.#repository.folder);
      // Some servers serve commits but no single files; a complete fetch may then succeed.
      const mayGiveAll = what === 'files' && explained?.code === 'ERR_SOURCE_GIT_REFERENCE';
      throw explained === undefined || mayGiveAll ? error : explained;
    }
  }

  #localVariables(): Readonly<Record<string, string>> {
    const { context, scratch } = this.#input;
    return gitVariables({
      environment: context.environment,
      home: nobodyIn(scratch),
      repository: this.#repository.folder,
    });
  }
}

function isTooLarge(error: unknown): boolean {
  return isPortolanError(error) && error.code === 'ERR_SOURCE_TOO_LARGE';
}

/** Returns whether the system reports an error about a file or folder. */
function isFileFault(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** Returns whether the disk or the user's quota is full. */
function isNoRoom(error: unknown): boolean {
  if (error instanceof GitFailure) return /No space left on device|Disk quota exceeded/.test(error.output);
  return isFileFault(error) && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}
