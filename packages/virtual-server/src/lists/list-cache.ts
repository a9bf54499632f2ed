import type { ListKind } from './list-kind.ts';
import type { MemberList } from './read-list.ts';

/** Milliseconds to wait for a list of which nothing is known. */
export const FIRST_LIST_MS = 10_000;
/** Milliseconds to wait for a list of which an older state is known. */
export const LATER_LIST_MS = 2000;
/** Milliseconds for which a list is used without asking again, when no notification announces changes. */
const FRESH_MS = 60_000;
const MAX_VIEWS = 64;

interface KnownList {
  list: MemberList | undefined;
  readAtMs: number;
  isStale: boolean;
  reading: Promise<MemberList> | undefined;
}

export interface ListRequest {
  readonly kind: ListKind;
  /** What the caller may see of the member. Callers with the same view share a list. */
  readonly view: string;
  readonly read: () => Promise<MemberList>;
  /** Whether a notification will announce changes of the list. */
  readonly isWatched: boolean;
}

export interface GivenList {
  readonly list: MemberList | undefined;
  /** Whether the member did not respond in time, or with an error. */
  readonly isLate: boolean;
}

/** Known lists of one member, by kind and view. */
export class ListCache {
  readonly #known = new Map<string, KnownList>();
  readonly #nowMs: () => number;
  readonly #changed: (kind: ListKind, view: string) => void;
  readonly #failed: (error: unknown) => void;

  constructor(options: {
    readonly nowMs: () => number;
    /** Called when a list that callers have seen is different now. */
    readonly changed: (kind: ListKind, view: string) => void;
    readonly failed: (error: unknown) => void;
  }) {
    this.#nowMs = options.nowMs;
    this.#changed = options.changed;
    this.#failed = options.failed;
  }

  /** Returns the last known list of any view with the most items, for `status`. */
  latest(kind: ListKind): MemberList | undefined {
    let latest: KnownList | undefined;
    for (const [key, known] of this.#known)
      if (key.startsWith(`${kind.method}\n`) && known.list !== undefined)
        if (latest === undefined || known.readAtMs >= latest.readAtMs) latest = known;
    return latest?.list;
  }

  /** Returns the list of a view, if it is known, without asking the member. */
  peek(kind: ListKind, view: string): MemberList | undefined {
    return this.#known.get(keyOf(kind, view))?.list;
  }

  /**
   * Returns the list of a view. Waits for the member within the budget; then the last known list is used, and
   * the late response is stored for the next request.
   */
  async get(request: ListRequest): Promise<GivenList> {
    const known = this.#find(request);
    if (this.#isFresh(known, request.isWatched)) return { list: known.list, isLate: false };
    const reading = this.#read(known, request);
    const late = Promise.withResolvers<undefined>();
    const timer = setTimeout(
      () => late.resolve(undefined),
      known.list === undefined ? FIRST_LIST_MS : LATER_LIST_MS,
    );
    try {
      const list = await Promise.race([reading, late.promise]);
      return list === undefined ? { list: known.list, isLate: true } : { list, isLate: false };
    } catch {
      return { list: known.list, isLate: true };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Marks lists as changed, so that the next request asks the member. */
  invalidate(changedBy: string, view?: string): void {
    for (const [key, known] of this.#known) {
      const [method, ownView] = splitKey(key);
      if (changesOf(method) === changedBy && (view === undefined || view === ownView)) known.isStale = true;
    }
  }

  /** Returns the views of which a list of this kind is known. */
  viewsOf(changedBy: string): readonly string[] {
    const views = [...this.#known.keys()].flatMap((key) => {
      const [method, view] = splitKey(key);
      return changesOf(method) === changedBy ? [view] : [];
    });
    return [...new Set(views)];
  }

  #find({ kind, view }: ListRequest): KnownList {
    const key = keyOf(kind, view);
    const found = this.#known.get(key);
    // Keeps the map in the order of use, so that the oldest view goes first.
    this.#known.delete(key);
    const known = found ?? { list: undefined, readAtMs: 0, isStale: true, reading: undefined };
    this.#known.set(key, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_VIEWS * 4 && oldest !== undefined) this.#known.delete(oldest);
    return known;
  }

  #isFresh({ list, isStale, readAtMs }: KnownList, isWatched: boolean): boolean {
    if (list === undefined || isStale) return false;
    return isWatched || this.#nowMs() - readAtMs < (list.ttlMs ?? FRESH_MS);
  }

  #read(known: KnownList, { kind, view, read }: ListRequest): Promise<MemberList> {
    known.reading ??= this.#readOnce(known, kind, view, read).finally(() => {
      known.reading = undefined;
    });
    // A reader that has given up must not leave an unhandled rejection.
    known.reading.catch(() => undefined);
    return known.reading;
  }

  async #readOnce(
    known: KnownList,
    kind: ListKind,
    view: string,
    read: () => Promise<MemberList>,
  ): Promise<MemberList> {
    // A notification during the read makes the result stale.
    known.isStale = false;
    try {
      const list = await read();
      known.readAtMs = this.#nowMs();
      const before = known.list;
      if (before !== undefined && isSameList(before, list)) return before;
      known.list = list;
      if (before !== undefined) this.#changed(kind, view);
      return list;
    } catch (error) {
      known.isStale = true;
      this.#failed(error);
      throw error;
    }
  }
}

function isSameList(left: MemberList, right: MemberList): boolean {
  return (
    left.items.length === right.items.length &&
    left.finding === right.finding &&
    left.isPrivate === right.isPrivate &&
    left.items.every(({ text }, at) => text === right.items[at]?.text)
  );
}

function keyOf({ method }: ListKind, view: string): string {
  return `${method}\n${view}`;
}

function splitKey(key: string): readonly [string, string] {
  const at = key.indexOf('\n');
  return [key.slice(0, at), key.slice(at + 1)];
}

/** Returns the notification that announces changes of a list. Resources and templates share one. */
function changesOf(method: string): string {
  return `notifications/${method.slice(0, method.indexOf('/'))}/list_changed`;
}
