import type { SecretFiles } from '@portolan/plugin-api';

/** In-memory files of secret stores. Changes of one file run one after the other. */
export class MemorySecretFiles implements SecretFiles {
  /** Files by name. A test may add files before the store opens. */
  readonly files = new Map<string, Uint8Array>();
  readonly #last = new Map<string, Promise<unknown>>();

  pathOf(name: string): string {
    return `/memory/${name}`;
  }

  async read(name: string, maxBytes: number): Promise<Uint8Array | undefined> {
    const content = this.files.get(name);
    if (content !== undefined && content.length > maxBytes)
      throw new Error(`${name} has more than ${maxBytes} bytes`);
    return content === undefined ? undefined : Buffer.from(content);
  }

  async update(
    name: string,
    maxBytes: number,
    change: (content: Uint8Array | undefined) => Promise<Uint8Array | undefined>,
    signal?: AbortSignal,
  ): Promise<void> {
    const before = this.#last.get(name);
    const turn = (async (): Promise<void> => {
      await before;
      signal?.throwIfAborted();
      const changed = await change(await this.read(name, maxBytes));
      if (changed !== undefined) this.files.set(name, Buffer.from(changed));
    })();
    this.#last.set(
      name,
      turn.catch(() => undefined), // the caller of `update` gets the error
    );
    await turn;
  }
}
