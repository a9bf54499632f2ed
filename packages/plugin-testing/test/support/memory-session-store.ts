import type { StoredSession, SessionStore, SessionStoreContext } from '@portolan/plugin-api';

/** What a broken one gets wrong. */
export interface SessionStoreFaults {
  readonly overwrites?: boolean;
  readonly keepsRequests?: boolean;
  readonly resurrects?: boolean;
  readonly takesIdsTwice?: boolean;
  readonly givesTwice?: boolean;
  readonly keepsAll?: boolean;
  readonly mixesServers?: boolean;
  readonly neverForgets?: boolean;
  readonly forgetsUsed?: boolean;
  readonly usesWhatIsFound?: boolean;
  readonly losesOwners?: boolean;
  readonly keepsToItself?: boolean;
  readonly failsWhenClosedTwice?: boolean;
  readonly answersAnyway?: boolean;
  readonly forgetsKeys?: boolean;
  readonly knowsHighestOnly?: boolean;
  readonly trustsUnknown?: boolean;
  readonly noSessionNeeded?: boolean;
}

interface Row {
  session: StoredSession;
  readonly asked: Map<string, string>;
  readonly used: Set<string>;
  untilMs: number;
}

/** What stores of one test share. */
export class SharedMemory {
  readonly rows = new Map<string, Row>();
  isAway = false;
}

/** A session store that forgets nothing but what it should, in the memory of this process. */
export class MemorySessionStore implements SessionStore {
  readonly #faults: SessionStoreFaults;
  readonly #memory: SharedMemory;
  readonly #context: SessionStoreContext;
  #isClosed = false;

  constructor(faults: SessionStoreFaults, memory: SharedMemory, context: SessionStoreContext) {
    this.#faults = faults;
    this.#memory = faults.keepsToItself === true ? new SharedMemory() : memory;
    this.#context = context;
  }

  async begin(id: string, storedSession: StoredSession): Promise<boolean> {
    const session =
      this.#faults.losesOwners === true ? { ...storedSession, owner: undefined } : storedSession;
    if (this.#find(id) !== undefined && this.#faults.overwrites !== true) return false;
    this.#memory.rows.set(this.#key(id), {
      session,
      asked: new Map(),
      used: new Set(),
      untilMs: this.#until(),
    });
    return true;
  }

  async use(id: string): Promise<StoredSession | undefined> {
    const row = this.#find(id);
    if (row !== undefined && this.#faults.forgetsUsed !== true) row.untilMs = this.#until();
    return row?.session;
  }

  async find(id: string): Promise<StoredSession | undefined> {
    return this.#faults.usesWhatIsFound === true ? await this.use(id) : this.#find(id)?.session;
  }

  async agree(id: string, revision: string): Promise<void> {
    const row = this.#find(id);
    if (row !== undefined) row.session = { ...row.session, revision };
    else if (this.#faults.resurrects === true)
      await this.begin(id, { path: '/mcp', owner: undefined, revision });
  }

  async end(id: string): Promise<void> {
    const row = this.#find(id);
    this.#memory.rows.delete(this.#key(id));
    if (this.#faults.keepsRequests !== true || row === undefined) return;
    this.#memory.rows.set(`${this.#key(id)} asked`, row);
  }

  async ask(id: string, key: string, request: string): Promise<'kept' | 'used' | 'waits' | 'full'> {
    const row = this.#find(id);
    if (row?.asked.has(key) === true && this.#faults.takesIdsTwice !== true) return 'waits';
    if ((row?.asked.size ?? 0) >= 100 && this.#faults.keepsAll !== true) return 'full';
    const isUsed = this.#isUsed(row?.used, key);
    row?.asked.set(key, isUsed ? '' : request);
    return isUsed ? 'used' : 'kept';
  }

  async take(id: string, key: string): Promise<string | undefined> {
    const requests = (this.#find(id) ?? this.#memory.rows.get(`${this.#key(id)} asked`))?.asked;
    const request = requests?.get(key);
    if (this.#faults.givesTwice !== true) requests?.delete(key);
    return request;
  }

  /** Remembers all of them, which only a test can afford. */
  #isUsed(used: Set<string> | undefined, key: string): boolean {
    if (this.#faults.forgetsKeys === true) return false;
    const number = Number(/^n([0-9]+)$/.exec(key)?.[1] ?? Number.NaN);
    if (this.#faults.knowsHighestOnly === true && used !== undefined && !Number.isNaN(number)) {
      const isBelow = [...used].some((known) => Number(known.slice(1)) >= number);
      used.add(key);
      return isBelow;
    }
    const isUsed = used?.has(key) ?? this.#faults.noSessionNeeded !== true;
    if (used !== undefined && (used.size < 1000 || this.#faults.trustsUnknown !== true)) used.add(key);
    return isUsed;
  }

  async close(): Promise<void> {
    if (this.#isClosed && this.#faults.failsWhenClosedTwice === true) throw new Error('it was closed before');
    this.#isClosed = true;
  }

  #find(id: string): Row | undefined {
    if (this.#memory.isAway && this.#faults.answersAnyway !== true) throw new Error('it is away');
    const row = this.#memory.rows.get(this.#key(id));
    const isOld = row !== undefined && performance.now() > row.untilMs && this.#faults.neverForgets !== true;
    if (isOld) this.#memory.rows.delete(this.#key(id));
    return isOld ? undefined : row;
  }

  #key(id: string): string {
    return this.#faults.mixesServers === true ? id : JSON.stringify([this.#context.namespace, id]);
  }

  #until(): number {
    return performance.now() + this.#context.ttlMs;
  }
}
