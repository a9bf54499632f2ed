/** What the first response of a server to `initialize` says about the server. */
export interface FirstResponse {
  /** Milliseconds from the start of the process to its response. */
  readonly tookMs: number;
  /** Whether the response is an error that names a revision without a handshake. */
  readonly namesModern: boolean;
}

/**
 * Records the first response to `initialize` of any process of one server. Until then,
 * a process that does not respond may still load its program.
 */
export class Startup {
  readonly #first = Promise.withResolvers<FirstResponse>();
  #isKnown = false;

  /** Whether a process has responded to `initialize`. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Settles at the first response; pending for as long as there is none. */
  get first(): Promise<FirstResponse> {
    return this.#first.promise;
  }

  /** Records a response; later ones change nothing, since their processes may have been idle before. */
  note(response: FirstResponse): void {
    this.#isKnown = true;
    this.#first.resolve(response);
  }
}
