import type { MessageSender } from '@portolan/plugin-api';
import type { ListFilter } from '@portolan/proxy/list-filter';
import type { JoinedList } from '../lists/joined-list.ts';
import { LIST_KINDS, type ListKind } from '../lists/list-kind.ts';
import type { NameDirectory } from '../names/name-directory.ts';
import { ListChanges } from './list-changes.ts';
import { isSameState, type ListState, stateOf, visibleOf } from './visible-list.ts';

export interface SeenListsOptions {
  /** Returns a list as it is known now. Undefined when it is not known. */
  readonly known: (kind: ListKind) => JoinedList | undefined;
  readonly namesOf: (kind: ListKind) => NameDirectory;
  /** Filter of the policies for lists. */
  readonly filter: () => ListFilter | undefined;
  readonly sender: () => MessageSender | undefined;
  /** Sends a notification with this method. */
  readonly notify: (method: string) => void;
}

/** Lists as one client has seen them. The client hears of a change only if its own view has changed. */
export class SeenLists {
  readonly #options: SeenListsOptions;
  readonly #seen = new Map<ListKind, ListState>();
  readonly #changes: ListChanges;
  #isClosed = false;

  constructor(options: SeenListsOptions) {
    this.#options = options;
    this.#changes = new ListChanges((method) => void this.#compare(method));
  }

  /** Records that the client has got a list. */
  shown(kind: ListKind, joined: JoinedList): void {
    this.#seen.set(kind, stateOf(kind, joined, this.#options.namesOf(kind)));
  }

  /** Records all lists as they are known now, for a client that may have got them without this object. */
  showKnown(): void {
    for (const kind of LIST_KINDS) {
      const joined = this.#options.known(kind);
      if (joined !== undefined) this.shown(kind, joined);
    }
  }

  /** Returns whether the client has seen a list. */
  has(kind: ListKind): boolean {
    return this.#seen.has(kind);
  }

  /** Records that a list may have changed. The client is notified soon if it looks different. */
  noteChange(kind: ListKind): void {
    if (this.#seen.has(kind)) this.#changes.note(kind.changed);
  }

  close(): void {
    this.#isClosed = true;
    this.#changes.close();
  }

  async #compare(method: string): Promise<void> {
    let hasChanged = false;
    for (const kind of LIST_KINDS)
      if (kind.changed === method && (await this.#hasChanged(kind))) hasChanged = true;
    if (hasChanged && !this.#isClosed) this.#options.notify(method);
  }

  async #hasChanged(kind: ListKind): Promise<boolean> {
    const { known, namesOf, filter, sender } = this.#options;
    const before = this.#seen.get(kind);
    const joined = known(kind);
    if (before === undefined || joined === undefined) return false;
    const now = stateOf(kind, joined, namesOf(kind));
    if (isSameState(before, now)) return false;
    // A list that the client requests in the meantime is newer than this one.
    this.#seen.set(kind, now);
    const [old, current] = await Promise.all([
      visibleOf(kind, before, filter(), sender()),
      visibleOf(kind, now, filter(), sender()),
    ]);
    return old !== current;
  }
}
