import type { ServerLink } from '@portolan/proxy/server-link';

/** Milliseconds without a pending request after which a session at a member may end for another client. */
const MIN_IDLE_MS = 5000;
/** Maximum milliseconds that a client waits for a session at a member. */
const MAX_WAIT_MS = 10_000;
const MAX_WAITING = 256;
const LOOK_MS = 500;

/** Error for a member whose sessions all serve other clients. */
export class MemberBusy extends Error {
  override readonly name = 'MemberBusy';

  constructor(max: number) {
    super(`all of its ${max} sessions are in use`);
  }
}

interface Place {
  readonly link: ServerLink;
  usedMs: number;
}

/**
 * Sessions at one member, at most a number of them. When all are in use, the one that is idle longest ends,
 * because each may be a process; its client gets a new one with its next request.
 */
export class MemberPlaces {
  readonly #max: number;
  readonly #nowMs: () => number;
  readonly #places = new Map<ServerLink, Place>();
  readonly #waiters: (() => void)[] = [];
  #opening = 0;

  constructor(max: number, nowMs: () => number) {
    this.#max = max;
    this.#nowMs = nowMs;
  }

  /** Number of open sessions, and of those that are being opened. */
  get size(): number {
    return this.#places.size + this.#opening;
  }

  /**
   * Opens a session when there is a place. Rejects with the errors of `open`, when no place becomes free in
   * time, and with the reason of `signal` when it aborts while the client waits.
   */
  async open(open: () => Promise<ServerLink>, signal: AbortSignal): Promise<ServerLink> {
    await this.#admit(signal);
    try {
      const link = await open();
      this.#places.set(link, { link, usedMs: this.#nowMs() });
      void this.#freeWhenEnded(link);
      return link;
    } finally {
      this.#opening -= 1;
      this.#next();
    }
  }

  /** Records a request of a session. */
  touch(link: ServerLink): void {
    const place = this.#places.get(link);
    if (place !== undefined) place.usedMs = this.#nowMs();
  }

  async #admit(signal: AbortSignal): Promise<void> {
    if (this.size < this.#max || this.#evict()) {
      this.#opening += 1;
      return;
    }
    if (this.#waiters.length >= MAX_WAITING) throw new MemberBusy(this.#max);
    await this.#wait(signal);
  }

  #wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // A session becomes idle without an event, so the place is looked for again and again.
    const looking = setInterval(() => this.#next(), LOOK_MS);
    const end = (): void => {
      clearTimeout(timer);
      clearInterval(looking);
      signal.removeEventListener('abort', leave);
    };
    const giveUp = (reason: unknown): void => {
      end();
      this.#waiters.splice(this.#waiters.indexOf(admit), 1);
      reject(reason);
    };
    const leave = (): void => giveUp(signal.reason);
    const admit = (): void => {
      end();
      this.#opening += 1;
      resolve();
    };
    const timer = setTimeout(() => giveUp(new MemberBusy(this.#max)), MAX_WAIT_MS);
    signal.addEventListener('abort', leave, { once: true });
    this.#waiters.push(admit);
    return promise;
  }

  #next(): void {
    while (this.#waiters.length > 0 && (this.size < this.#max || this.#evict())) this.#waiters.shift()?.();
  }

  /** Ends the session that is idle longest. Returns whether there is one. */
  #evict(): boolean {
    const idleSinceMs = this.#nowMs() - MIN_IDLE_MS;
    let idlest: Place | undefined;
    for (const place of this.#places.values())
      if (place.link.waiting === 0 && place.usedMs <= idleSinceMs)
        if (idlest === undefined || place.usedMs < idlest.usedMs) idlest = place;
    if (idlest === undefined) return false;
    this.#places.delete(idlest.link);
    void idlest.link.close().catch(() => undefined);
    return true;
  }

  async #freeWhenEnded(link: ServerLink): Promise<void> {
    await link.ended;
    this.#places.delete(link);
    this.#next();
  }
}
