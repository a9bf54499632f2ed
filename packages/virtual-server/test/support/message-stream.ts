/** A message as a client gets it. */
export interface StreamMessage {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

const MAX_WAIT_MS = 10_000;

/** Messages of an event stream, as they come. */
export class MessageStream {
  readonly messages: StreamMessage[] = [];
  readonly #stop = new AbortController();
  readonly #waiting = new Set<() => void>();
  #reading: Promise<void> = Promise.resolve();

  /** Opens the stream. `request` must pass the signal on. */
  static async open(request: (signal: AbortSignal) => Promise<Response>): Promise<MessageStream> {
    const stream = new MessageStream();
    const response = await request(stream.#stop.signal);
    stream.#reading = stream.#read(response).catch(() => undefined);
    return stream;
  }

  /** Returns the first message that fits, also of those that came before. */
  async find(fits: (message: StreamMessage) => boolean, maxMs = MAX_WAIT_MS): Promise<StreamMessage> {
    const endMs = performance.now() + maxMs;
    for (;;) {
      const found = this.messages.find(fits);
      if (found !== undefined) return found;
      const leftMs = endMs - performance.now();
      if (leftMs <= 0) throw new Error(`no such message among ${JSON.stringify(this.messages)}`);
      await this.#next(leftMs);
    }
  }

  methods(): readonly (string | undefined)[] {
    return this.messages.map(({ method }) => method);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#reading;
  }

  async #next(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#waiting.add(resolve);
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(resolve);
  }

  async #read({ body }: Response): Promise<void> {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of body ?? []) {
      rest += decoder.decode(chunk, { stream: true });
      const events = rest.split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) this.#take(event);
    }
    this.#take(rest);
  }

  #take(event: string): void {
    const lines = event.startsWith('{')
      ? [event]
      : event.split('\n').filter((line) => line.startsWith('data: {'));
    // SAFETY: a message of another form fails the test that reads it.
    for (const line of lines) this.messages.push(JSON.parse(line.replace(/^data: /, '')) as StreamMessage);
    for (const wake of this.#waiting) wake();
  }
}
