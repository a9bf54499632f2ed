import type { OpenFetch } from '@portolan/plugin-api';

/** Connections of one client, opened on the first request. */
export class OwnFetch {
  readonly #open: () => Promise<OpenFetch>;
  #opening: Promise<OpenFetch> | undefined;

  constructor(open: () => Promise<OpenFetch>) {
    this.#open = open;
  }

  async get(): Promise<OpenFetch['fetch']> {
    this.#opening ??= this.#open();
    return (await this.#opening).fetch;
  }

  /** Closes all connections and ends requests in progress. */
  async close(): Promise<void> {
    const opened = await this.#opening?.catch(() => undefined); // the caller got the error
    this.#opening = undefined;
    await opened?.close();
  }
}
