/**
 * Arbiter for the only process of a server, between clients with a handshake and clients without one. It
 * avoids a deadlock between the two.
 */
export class OnlyProcess {
  #handshake: Promise<boolean> | undefined;
  #hasAgreed = false;
  #nextHandshake = Promise.withResolvers<boolean>();
  #wanted = Promise.withResolvers<void>();
  #free = Promise.withResolvers<void>();

  /** Settles when a client wants to send `initialize`. */
  get wanted(): Promise<void> {
    return this.#wanted.promise;
  }

  /**
   * Records that a handshake begins. `agrees` settles with whether the server
   * accepted it, and never rejects.
   */
  beginHandshake(agrees: Promise<boolean>): void {
    this.#handshake = agrees;
    void this.#remember(agrees);
    this.#nextHandshake.resolve(agrees);
    this.#nextHandshake = Promise.withResolvers();
  }

  /** Returns whether the server has ever accepted a handshake. Waits for a handshake in progress. */
  async hasHandshake(): Promise<boolean> {
    return this.#hasAgreed || (await this.#handshake) === true;
  }

  /** Settles when a probe hands the process over. */
  awaitTurn(): Promise<void> {
    this.#wanted.resolve();
    return this.#free.promise;
  }

  /** Hands the process over to a waiting client, and returns after its handshake. */
  async handOver(): Promise<void> {
    const next = this.#nextHandshake.promise;
    this.#free.resolve();
    this.#free = Promise.withResolvers();
    this.#wanted = Promise.withResolvers();
    await next;
  }

  async #remember(agrees: Promise<boolean>): Promise<void> {
    if (await agrees) this.#hasAgreed = true;
  }
}
