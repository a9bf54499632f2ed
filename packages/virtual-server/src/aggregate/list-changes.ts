/** Milliseconds within which several changes of one list become one notification. */
const JOIN_MS = 100;
/** Milliseconds for a list that changes all the time. */
const FLOOD_MS = 1000;
/** Number of changes after which a list counts as one that changes all the time. One is forgotten per second. */
const MAX_CHANGES = 10;

interface Waiting {
  timer: NodeJS.Timeout | undefined;
  changes: number;
  lastMs: number;
}

/** Joins changes of a list: at most one in 100 ms, and one in a second when the list changes all the time. */
export class ListChanges {
  readonly #pass: (list: string) => void;
  readonly #lists = new Map<string, Waiting>();

  constructor(pass: (list: string) => void) {
    this.#pass = pass;
  }

  note(list: string): void {
    const nowMs = performance.now();
    const waiting = this.#lists.get(list) ?? { timer: undefined, changes: 0, lastMs: nowMs };
    this.#lists.set(list, waiting);
    if (waiting.timer !== undefined) return;
    waiting.changes = Math.max(0, waiting.changes - (nowMs - waiting.lastMs) / 1000) + 1;
    waiting.lastMs = nowMs;
    waiting.timer = setTimeout(
      () => {
        waiting.timer = undefined;
        this.#pass(list);
      },
      waiting.changes > MAX_CHANGES ? FLOOD_MS : JOIN_MS,
    );
  }

  close(): void {
    for (const { timer } of this.#lists.values()) clearTimeout(timer);
    this.#lists.clear();
  }
}
