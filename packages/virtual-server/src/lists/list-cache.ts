import { createHash } from 'node:crypto';
import { LIST_KINDS, type ListKind } from './list-kind.ts';
import type { MemberList } from './read-list.ts';

/** Milliseconds to wait for a list of which nothing is known. */
export const FIRST_LIST_MS = 10_000;
/** Milliseconds to wait for a list of which an older state is known, or that was requested before. */
export const LATER_LIST_MS = 2000;
/** Milliseconds for which a list is used without asking again, when no notification announces changes. */
const FRESH_MS = 60_000;
/** Maximum number of lists of one member. The one that was not used for the longest time is evicted. */
const MAX_LISTS = 256;

interface KnownList {
  readonly kind: ListKind;
  readonly view: string;
  list: MemberList | undefined;
  readAtMs: number;
  isStale: boolean;
  /** Whether a request has waited for the list before. */
  wasRequested: boolean;
  reading: Reading | undefined;
}

interface Reading {
  readonly result: Promise<MemberList>;
  /** Time until which requests wait for the result. */
  readonly untilMs: number;
}

export interface ListRequest {
  readonly kind: ListKind;
  /** View of the caller: the part of the member that the caller may see. Callers with the same view share a list. */
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
  /** Kinds whose last request got an older list or none, because the member was late. */
  readonly #late = new Set<ListKind>();
  readonly #known = new Map<string, KnownList>();
  readonly #nowMs: () => number;
  readonly #changed: (kind: ListKind, view: string) => void;
  readonly #failed: (error: unknown) => void;
  /** Whether the member let a first list time out, and has given no list since. */
  #isSilent = false;

  constructor(options: {
    readonly nowMs: () => number;
    /** Called when a list is different now, or known for the first time. */
    readonly changed: (kind: ListKind, view: string) => void;
    readonly failed: (error: unknown) => void;
  }) {
    this.#nowMs = options.nowMs;
    this.#changed = options.changed;
    this.#failed = options.failed;
  }

  /** Returns the list of any view that was read last, for `status`. */
  latest(kind: ListKind): MemberList | undefined {
    let latest: KnownList | undefined;
    for (const known of this.#known.values())
      if (known.kind === kind && known.list !== undefined)
        if (latest === undefined || known.readAtMs >= latest.readAtMs) latest = known;
    return latest?.list;
  }

  /** Sentences for `status` about lists that are not current. */
  get findings(): readonly string[] {
    return [...this.#late].map(
      ({ items }) => `Its list "${items}" did not come in time, so clients see the last known one.`,
    );
  }

  /** Returns the list of a view, if it is known, without asking the member. */
  peek(kind: ListKind, view: string): MemberList | undefined {
    return this.#known.get(keyOf(kind, view))?.list;
  }

  /** Returns for how many milliseconds clients may keep the list of a view. */
  ttlOf(kind: ListKind, view: string, isWatched: boolean): number {
    const known = this.#known.get(keyOf(kind, view));
    if (known?.list?.ttlMs === undefined) return 0;
    const ageMs = isWatched && !known.isStale ? 0 : this.#nowMs() - known.readAtMs;
    return Math.max(0, Math.floor(known.list.ttlMs - ageMs));
  }

  /**
   * Returns the list of a view. Waits for the member within the budget, which begins with the request to the
   * member; then the last known list is used, and the late response is stored for the next request.
   */
  async get(request: ListRequest): Promise<GivenList> {
    const known = this.#find(request);
    if (this.#isFresh(known, request.isWatched)) return { list: known.list, isLate: false };
    const { result, untilMs } = this.#read(known, request);
    const late = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => late.resolve(undefined), Math.max(0, untilMs - this.#nowMs()));
    try {
      const list = await Promise.race([result, late.promise]);
      if (list !== undefined) return { list, isLate: false };
      if (known.list === undefined) this.#isSilent = true;
    } catch {
      // `failed` reports the reason, and the last known list stays.
    } finally {
      clearTimeout(timer);
    }
    this.#late.add(known.kind);
    return { list: known.list, isLate: true };
  }

  /** Marks lists as changed, so that the next request asks the member. */
  invalidate(changedBy: string, view?: string): void {
    for (const known of this.#known.values())
      if (known.kind.changed === changedBy && (view === undefined || view === known.view))
        known.isStale = true;
  }

  /** Marks all lists as changed, because the server of the member is another one now. */
  invalidateAll(): void {
    for (const { changed } of LIST_KINDS) this.invalidate(changed);
  }

  /** Gives a new view the lists that its caller saw in another one, so that a change shows. */
  split(from: string, to: string): void {
    for (const known of this.#known.values())
      if (known.view === from) {
        const key = keyOf(known.kind, to);
        if (!this.#known.has(key))
          this.#known.set(key, { ...known, view: to, isStale: true, reading: undefined });
      }
    this.#evict();
  }

  /** Removes the lists of a view that has no clients. */
  drop(view: string): void {
    for (const [key, known] of this.#known) if (known.view === view) this.#known.delete(key);
  }

  #find({ kind, view }: ListRequest): KnownList {
    const key = keyOf(kind, view);
    const known = this.#known.get(key) ?? {
      kind,
      view,
      list: undefined,
      readAtMs: 0,
      isStale: true,
      wasRequested: false,
      reading: undefined,
    };
    // Keeps the map in the order of use, so that the oldest view goes first.
    this.#known.delete(key);
    this.#known.set(key, known);
    this.#evict();
    return known;
  }

  #evict(): void {
    for (const key of this.#known.keys()) {
      if (this.#known.size <= MAX_LISTS) return;
      this.#known.delete(key);
    }
  }

  #isFresh({ list, isStale, readAtMs }: KnownList, isWatched: boolean): boolean {
    if (list === undefined || isStale) return false;
    return isWatched || this.#nowMs() - readAtMs < (list.ttlMs ?? FRESH_MS);
  }

  #read(known: KnownList, { read }: ListRequest): Reading {
    if (known.reading !== undefined) return known.reading;
    const isFirst = !known.wasRequested && !this.#isSilent;
    known.wasRequested = true;
    const result = this.#readOnce(known, read);
    const reading = { result, untilMs: this.#nowMs() + (isFirst ? FIRST_LIST_MS : LATER_LIST_MS) };
    known.reading = reading;
    const forget = (): void => {
      if (known.reading === reading) known.reading = undefined;
    };
    // A reader that has given up must not leave an unhandled rejection.
    result.then(forget, forget);
    return reading;
  }

  async #readOnce(known: KnownList, read: () => Promise<MemberList>): Promise<MemberList> {
    // A notification during the read makes the result stale.
    known.isStale = false;
    try {
      const list = await read();
      known.readAtMs = this.#nowMs();
      this.#isSilent = false;
      this.#late.delete(known.kind);
      const before = known.list;
      if (before !== undefined && isSameList(before, list)) return before;
      known.list = list;
      this.#changed(known.kind, known.view);
      return list;
    } catch (error) {
      known.isStale = true;
      this.#failed(error);
      throw error;
    }
  }
}

/** Returns a short text that is equal for equal views. What a client declares may be long. */
export function viewKeyOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

function isSameList(left: MemberList, right: MemberList): boolean {
  return (
    left.items.length === right.items.length &&
    left.finding === right.finding &&
    left.isPrivate === right.isPrivate &&
    left.ttlMs === right.ttlMs &&
    left.items.every(({ text }, at) => text === right.items[at]?.text)
  );
}

function keyOf({ method }: ListKind, view: string): string {
  return `${method}\n${view}`;
}
