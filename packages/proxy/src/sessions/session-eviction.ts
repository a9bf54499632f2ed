import type { SessionTable, TabledSession } from './session-table.ts';

export interface RoomMakerOptions<Session extends TabledSession> {
  readonly table: SessionTable<Session>;
  readonly makesRoomAfterMs: number;
  readonly awaited: () => number;
}

/** Ends idle sessions for waiting clients: the longest idle first, and at most one per waiting client. */
export class SessionEviction<Session extends TabledSession> {
  readonly #options: RoomMakerOptions<Session>;
  #ending = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RoomMakerOptions<Session>) {
    this.#options = options;
  }

  /** Call this when a client begins to wait, and when a session may be idle. */
  look(): void {
    clearTimeout(this.#timer);
    const { table, awaited, makesRoomAfterMs } = this.#options;
    while (awaited() > this.#ending) {
      const idle = table.findIdlest();
      if (idle === undefined) return;
      const missingMs = makesRoomAfterMs - idle.idleMs;
      if (missingMs > 0) {
        this.#timer = setTimeout(() => this.look(), missingMs);
        return;
      }
      void this.#end(idle.session);
    }
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  async #end(session: Session): Promise<void> {
    this.#ending += 1;
    this.#options.table.remove(session);
    try {
      await session.end();
    } finally {
      this.#ending -= 1;
      this.look();
    }
  }
}
