/** Milliseconds within which several changes of one list become one notification. */
const JOIN_MS = 100;

/** Tells one client about changed lists, at most once in 100 ms for each list. */
export class ListChanges {
  readonly #notify: (method: string) => void;
  readonly #waiting = new Map<string, NodeJS.Timeout>();

  /** `notify` is called with the method of the notification. */
  constructor(notify: (method: string) => void) {
    this.#notify = notify;
  }

  note(method: string): void {
    if (this.#waiting.has(method)) return;
    const timer = setTimeout(() => {
      this.#waiting.delete(method);
      this.#notify(method);
    }, JOIN_MS);
    this.#waiting.set(method, timer);
  }

  close(): void {
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
  }
}
