import type { SupervisedEnd } from './supervised-end.ts';

/** Where a workload is between its start and its end; whoever notices an end says so here. */
export class Lifecycle {
  readonly #ended = Promise.withResolvers<SupervisedEnd>();
  readonly #stop = new AbortController();
  readonly #begun = Promise.withResolvers<void>();
  #isStarting = true;
  #end: SupervisedEnd | undefined;

  /** Settles with the first end that was noticed. */
  get ended(): Promise<SupervisedEnd> {
    return this.#ended.promise;
  }

  /** The end that was noticed, as soon as there is one. */
  get end(): SupervisedEnd | undefined {
    return this.#end;
  }

  /** Aborted once there is an end: what is being started need not go on. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** Whether the server has still to answer for the first time. */
  get isStarting(): boolean {
    return this.#isStarting;
  }

  /** Settles when there is something that can answer: from then on its time counts. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  begin(): void {
    this.#begun.resolve();
  }

  ready(): void {
    this.#isStarting = false;
  }

  /** The first end counts. */
  finish(end: SupervisedEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#stop.abort(new Error('The workload is being ended'));
    this.#ended.resolve(end);
  }
}
