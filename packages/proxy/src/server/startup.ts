export interface FirstResponse {
  /** Milliseconds from the start of the process to its response. */
  readonly tookMs: number;
  /** Whether the response is an error that lists a revision without a handshake. */
  readonly namesModern: boolean;
}

/**
 * First response to `initialize` of any process of one server. Until then, a silent process may still be
 * loading.
 */
export class Startup {
  readonly #first = Promise.withResolvers<FirstResponse>();
  #isKnown = false;

  get isKnown(): boolean {
    return this.#isKnown;
  }

  get first(): Promise<FirstResponse> {
    return this.#first.promise;
  }

  /**
   * Records the first response. Ignores later responses, because their processes may have been idle before.
   */
  note(response: FirstResponse): void {
    this.#isKnown = true;
    this.#first.resolve(response);
  }
}
