import { isDeepStrictEqual } from 'node:util';
import { type Members, type RunConfig, textOf } from '@portolan/run-spec';
import type { VirtualServer } from '@portolan/virtual-server';
import { type FolderWatch, watchFolder } from '../../state/watch-folder.ts';
import type { Supervision } from '../supervision.ts';
import { membersIn } from './group-members.ts';
import { openSearch } from './open-search.ts';
import { type FileContent, readMembersText, watchMembersFile } from './members-file.ts';
import type { MemberFacts, MemberTable } from './member-table.ts';

/** Name of the notices about the members file. */
const SPEAKER = 'members-file';

const UNAPPLIED =
  'changed settings of the virtual server itself have no effect until `portolan run --members` starts it again';

export interface WatchedMembers {
  readonly table: MemberTable;
  readonly virtual: VirtualServer;
  readonly members: Members;
  readonly record: () => void;
}

/**
 * Follows the members of a virtual server while it runs: workloads that stop and return, the group, and the
 * members file. Changes are applied one after the other.
 */
export class MembersWatch {
  readonly #work: Supervision;
  readonly #watched: WatchedMembers;
  readonly #watches: FolderWatch[] = [];
  #members: Members;
  #search: RunConfig['search'];
  #last: Promise<void> = Promise.resolve();
  /** Last text of the members file that was applied. */
  #text: Promise<string | undefined> = Promise.resolve(undefined);
  #isLooking = false;

  constructor(work: Supervision, watched: WatchedMembers) {
    this.#work = work;
    this.#watched = watched;
    this.#members = watched.members;
    this.#search = work.config.search;
  }

  /** Begins to watch. The members file may have changed while the virtual server was stopped. */
  open(): void {
    const { config, context, changeMembers } = this.#work;
    this.#watches.push(
      watchFolder({
        folder: context.directories.statuses,
        isWatched: (file) => file.endsWith('.json'),
        changed: () => this.#lookSoon(),
      }),
    );
    if (config.members_file === '' || changeMembers === undefined) return;
    this.#text = readMembersText(config.members_file).then((content) =>
      'text' in content ? content.text : undefined,
    );
    const changed = (content: FileContent): void => this.#inTurn(async () => await this.#takeFile(content));
    this.#watches.push(watchMembersFile(config.members_file, undefined, changed));
  }

  async close(): Promise<void> {
    for (const watch of this.#watches) watch.close();
    await this.#last;
  }

  #lookSoon(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#inTurn(async () => {
      this.#isLooking = false;
      await this.#look();
    });
  }

  #inTurn(action: () => Promise<void>): void {
    this.#last = this.#after(this.#last, action);
  }

  async #after(before: Promise<void>, action: () => Promise<void>): Promise<void> {
    await before;
    if (this.#work.lifecycle.isOver) return;
    try {
      await action();
    } catch (error) {
      this.#work.context.logger.warn({ err: error }, 'members could not be changed');
    }
  }

  async #look(): Promise<void> {
    const { config, context } = this.#work;
    const { table, record } = this.#watched;
    const isGroup = config.member_group !== '';
    const next = isGroup ? membersIn(config, await context.store.list()) : this.#members;
    if (!isDeepStrictEqual(next, this.#members)) {
      await this.#replace(next, {});
      context.logger.info({ members: Object.keys(next) }, 'members of the group changed');
    } else if (await table.look()) {
      context.logger.info({}, 'a workload that is a member has started or stopped');
      await this.#watched.virtual.replaceMembers(table.sources);
    }
    record();
  }

  /** Applies a changed members file. If that fails, nothing changes, and the status says why. */
  async #takeFile(content: FileContent): Promise<void> {
    const { config, context, changeMembers, notices, lifecycle } = this.#work;
    const { logger } = context;
    const { members_file: file, name } = config;
    try {
      if ('fault' in content) throw new Error(content.fault);
      const texts = { text: content.text, before: await this.#text };
      const changed = await changeMembers?.(name, texts, context, lifecycle.signal);
      this.#text = Promise.resolve(content.text);
      notices.say(SPEAKER, '');
      if (changed === undefined) return;
      const { change, unapplied } = changed;
      if (unapplied.length > 0) logger.warn({ file, settings: unapplied }, UNAPPLIED);
      if (change === undefined) return;
      for (const warning of change.warnings) logger.warn({ file }, warning);
      await this.#replace(change.members, change);
      await this.#replaceSearch(change.search);
      logger.info({ file, members: Object.keys(change.members) }, 'members file was applied');
    } catch (error) {
      if (lifecycle.isOver) return;
      logger.warn({ file, err: error }, 'members file was not applied');
      notices.say(
        SPEAKER,
        `The members file ${file} was not applied, and the members stay as they were: ${textOf(error)}`,
      );
    }
    this.#watched.record();
  }

  async #replaceSearch(next: RunConfig['search']): Promise<void> {
    if (isDeepStrictEqual(next, this.#search)) return;
    this.#search = next;
    const { search, toolIndex } = await openSearch(next, this.#work.context);
    this.#watched.virtual.replaceSearch(search, toolIndex);
  }

  async #replace(members: Members, facts: MemberFacts): Promise<void> {
    const { table, virtual } = this.#watched;
    const { sources, begin } = await table.replace(members, facts);
    this.#members = members;
    await virtual.replaceMembers(sources);
    begin();
  }
}
