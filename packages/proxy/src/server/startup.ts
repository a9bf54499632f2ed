export interface FirstResponse {
  /** Milliseconds from the start of the process to its response. */
  readonly tookMs: number;
  /** Whether it is an error that names a revision without a handshake. */
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

  /** Ignores later ones, because their processes may have been idle before. */
  note(response: FirstResponse): void {
    this.#isKnown = true;
    this.#first.resolve(response);
  }
}
