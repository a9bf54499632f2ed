import type { OpenFetch } from '@portolan/plugin-api';

/** The connections of one client, opened with its first request. */
export class OwnFetch {
  readonly #open: () => Promise<OpenFetch>;
  #opening: Promise<OpenFetch> | undefined;

  constructor(open: () => Promise<OpenFetch>) {
    this.#open = open;
  }

  /** Rejects as opening does. */
  async get(): Promise<OpenFetch['fetch']> {
    this.#opening ??= this.#open();
    return (await this.#opening).fetch;
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    const opened = await this.#opening?.catch(() => undefined); // whoever has asked was told
    this.#opening = undefined;
    await opened?.close();
  }
}
