interface OpenStream {
  readonly owner: string | undefined;
  /** Inserts one event between those of the server. */
  readonly push: (event: string) => void;
}

/** Open streams of HTTP+SSE, by the path and query that messages of their sessions are posted to. */
export class EventStreams {
  readonly #open = new Map<string, Set<OpenStream>>();

  /** Adds a stream. The returned function removes it, and returns whether it was the last one of the endpoint. */
  add(endpoint: string, stream: OpenStream): () => boolean {
    const streams = this.#open.get(endpoint) ?? new Set();
    this.#open.set(endpoint, streams.add(stream));
    return () => {
      streams.delete(stream);
      if (streams.size === 0) this.#open.delete(endpoint);
      return streams.size === 0;
    };
  }

  /**
   * Returns how to send an event to the client that posts to an endpoint. Undefined without a stream, and
   * when several clients share the endpoint.
   */
  find(endpoint: string, owner: string | undefined): OpenStream['push'] | undefined {
    const [only, other] = this.#open.get(endpoint) ?? [];
    return other === undefined && only?.owner === owner ? only?.push : undefined;
  }
}
