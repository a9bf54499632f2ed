import type { SupervisedEnd } from './supervised-end.ts';

/** Phase of a workload. Every part that notices its end calls `finish`. */
export class Lifecycle {
  readonly #ended = Promise.withResolvers<SupervisedEnd>();
  readonly #stop = new AbortController();
  readonly #begun = Promise.withResolvers<void>();
  #isStarting = true;
  #end: SupervisedEnd | undefined;

  get ended(): Promise<SupervisedEnd> {
    return this.#ended.promise;
  }

  get end(): SupervisedEnd | undefined {
    return this.#end;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** Whether the server has not responded yet. */
  get isStarting(): boolean {
    return this.#isStarting;
  }

  /** Resolves when a process can respond. The start timeout counts from then on. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  begin(): void {
    this.#begun.resolve();
  }

  ready(): void {
    this.#isStarting = false;
  }

  /** Ends the workload. Only the first call counts. */
  finish(end: SupervisedEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#stop.abort(new Error('The workload is stopping'));
    this.#ended.resolve(end);
  }
}
