export class Subscriptions<Session> {
  readonly #byUri = new Map<string, Set<Session>>();
  readonly #queues = new Map<string, Promise<void>>();

  of(uri: string): readonly Session[] {
    return [...(this.#byUri.get(uri) ?? [])];
  }

  urisOf(session: Session): readonly string[] {
    return [...this.#byUri].filter(([, sessions]) => sessions.has(session)).map(([uri]) => uri);
  }

  isAlone(uri: string, session: Session): boolean {
    const sessions = this.#byUri.get(uri);
    return sessions === undefined || [...sessions].every((other) => other === session);
  }

  has(uri: string, session: Session): boolean {
    return this.#byUri.get(uri)?.has(session) === true;
  }

  add(uri: string, session: Session): void {
    const sessions = this.#byUri.get(uri) ?? new Set<Session>();
    sessions.add(session);
    this.#byUri.set(uri, sessions);
  }

  remove(uri: string, session: Session): void {
    const sessions = this.#byUri.get(uri);
    sessions?.delete(session);
    if (sessions?.size === 0) this.#byUri.delete(uri);
  }

  clear(): void {
    this.#byUri.clear();
  }

  /** Runs the changes of one resource's subscription one after the other. `change` must not reject. */
  inTurn(uri: string, change: () => Promise<void>): void {
    const turn = this.#queue(this.#queues.get(uri), change).finally(() => {
      if (this.#queues.get(uri) === turn) this.#queues.delete(uri);
    });
    this.#queues.set(uri, turn);
  }

  async #queue(before: Promise<void> | undefined, change: () => Promise<void>): Promise<void> {
    await before;
    await change();
  }
}
