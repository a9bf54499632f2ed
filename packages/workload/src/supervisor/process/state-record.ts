import { codeOf } from '@portolan/run-spec';
import type { Logger } from '@portolan/plugin-api';
import type { ProcessIdentity } from '../../state/process-identity.ts';
import type { WorkloadState } from '../../state/workload-state.ts';
import type { WorkloadStore } from '../../state/workload-store.ts';

type Change = (state: WorkloadState) => WorkloadState;

/** Writer of a state: that of a workload, or that of a member of a virtual server. */
export type StateWriter = Pick<StateRecord, 'note' | 'change' | 'close'>;

const RETRY_MS = 15_000;

/**
 * Writes a supervisor's changes to the state of its workload, in order. Stops once the state names another
 * supervisor, or the workload is being removed.
 */
export class StateRecord {
  readonly #store: Pick<WorkloadStore, 'change'>;
  readonly #name: string;
  readonly #own: ProcessIdentity;
  readonly #logger: Logger;
  readonly #mask: (text: string) => string;
  #queue: Promise<unknown> = Promise.resolve();
  #unwritten: Change[] = [];
  #retry: NodeJS.Timeout | undefined;

  constructor(
    store: Pick<WorkloadStore, 'change'>,
    name: string,
    own: ProcessIdentity,
    logger: Logger,
    mask: (text: string) => string = (text) => text,
  ) {
    this.#store = store;
    this.#name = name;
    this.#own = own;
    this.#logger = logger;
    this.#mask = mask;
  }

  /** Makes this process the supervisor of the workload. Throws what the store throws. */
  async takeOver(change: Change): Promise<WorkloadState> {
    return await this.#store.change(this.#name, (state) => ({ ...change(state), supervisor: this.#own }));
  }

  async change(change: Change): Promise<void> {
    await this.#inTurn(() => this.#write([change]));
  }

  /**
   * Changes the state and never fails. If the write fails, such as on a full disk, logs the error and
   * retries.
   */
  note(change: Change): void {
    this.#unwritten.push(change);
    void this.#inTurn(() => this.#flush());
  }

  /** Waits for pending writes, and retries failed ones once. */
  async close(): Promise<void> {
    clearTimeout(this.#retry);
    await this.#inTurn(() => this.#flush());
    clearTimeout(this.#retry);
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#retry);
    const changes = [...this.#unwritten]; // a copy, because more changes may come during the write
    if (changes.length === 0) return;
    try {
      await this.#write(changes);
      this.#unwritten = this.#unwritten.slice(changes.length);
    } catch (error) {
      if (codeOf(error) === 'ERR_WORKLOAD_UNKNOWN') {
        this.#unwritten = [];
        return;
      }
      this.#logger.warn({ error }, 'state could not be written');
      this.#retry = setTimeout(() => void this.#inTurn(() => this.#flush()), RETRY_MS);
      this.#retry.unref();
    }
  }

  async #write(changes: readonly Change[]): Promise<void> {
    await this.#store.change(this.#name, (state) => {
      if (!this.#isOurs(state)) return state;
      const changed = changes.reduce((before, change) => change(before), state);
      return { ...changed, statusContext: this.#mask(changed.statusContext) };
    });
  }

  #isOurs({ status, supervisor }: WorkloadState): boolean {
    if (status === 'removing') return false;
    return supervisor?.pid === this.#own.pid && supervisor.started === this.#own.started;
  }

  #inTurn<Result>(action: () => Promise<Result>): Promise<Result> {
    const next = this.#queue.then(action);
    this.#queue = next.catch(() => undefined); // the caller of this method gets the error
    return next;
  }
}
