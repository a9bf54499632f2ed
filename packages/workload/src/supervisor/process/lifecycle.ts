import type { SupervisedEnd } from './supervised-end.ts';

/**
 * Lifecycle of a workload: starting, running, ended. Any part of the program that notices the end calls
 * `finish`.
 */
export class Lifecycle {
  readonly #ended = Promise.withResolvers<SupervisedEnd>();
  readonly #stop = new AbortController();
  readonly #started = Promise.withResolvers<void>();
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

  /** Whether the workload is still starting: its server has not responded yet. */
  get isStarting(): boolean {
    return this.#isStarting;
  }

  /**
   * Resolves when a server process has started and could respond. The start timeout counts from this moment.
   */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  begin(): void {
    this.#started.resolve();
  }

  ready(): void {
    this.#isStarting = false;
  }

  /** Ends the workload. Only the first call has an effect. */
  finish(end: SupervisedEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#stop.abort(new Error('The workload is stopping'));
    this.#ended.resolve(end);
  }
}
