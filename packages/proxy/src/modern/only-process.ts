/**
 * Arbiter for the only process between clients with and without a handshake, which would otherwise deadlock.
 */
export class OnlyProcess {
  #handshake: Promise<boolean> | undefined;
  #hasAgreed = false;
  #nextHandshake = Promise.withResolvers<boolean>();
  #requested = Promise.withResolvers<void>();
  #free = Promise.withResolvers<void>();

  get requested(): Promise<void> {
    return this.#requested.promise;
  }

  /**
   * Records that a handshake with the server begins. `agrees` settles with whether the server accepted, and
   * never rejects.
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

  awaitTurn(): Promise<void> {
    this.#requested.resolve();
    return this.#free.promise;
  }

  async handOver(): Promise<void> {
    const next = this.#nextHandshake.promise;
    this.#free.resolve();
    this.#free = Promise.withResolvers();
    this.#requested = Promise.withResolvers();
    await next;
  }

  async #remember(agrees: Promise<boolean>): Promise<void> {
    if (await agrees) this.#hasAgreed = true;
  }
}
