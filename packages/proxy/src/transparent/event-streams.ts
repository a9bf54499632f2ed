interface OpenStream {
  readonly owner: string | undefined;
  readonly push: (event: string) => void;
}

/** Open HTTP+SSE streams, by the path and query to which clients post their messages. */
export class EventStreams {
  readonly #open = new Map<string, Set<OpenStream>>();

  /** The returned function removes the stream, and returns whether it was the last one of the endpoint. */
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
   * Returns the function that inserts an event into the stream of an endpoint. Undefined without a stream,
   * and when several clients share the endpoint.
   */
  find(endpoint: string, owner: string | undefined): OpenStream['push'] | undefined {
    const [only, other] = this.#open.get(endpoint) ?? [];
    return other === undefined && only?.owner === owner ? only?.push : undefined;
  }
}
