import type { SecretFiles } from '@portolan/plugin-api';

/** Files of secret stores, in memory: nothing of the machine is read or written. One change of a file waits for the one before. */
export class MemorySecretFiles implements SecretFiles {
  /** By name; what a test puts here was there before. */
  readonly files = new Map<string, Uint8Array>();
  readonly #last = new Map<string, Promise<unknown>>();

  pathOf(name: string): string {
    return `/memory/${name}`;
  }

  async read(name: string, mostBytes: number): Promise<Uint8Array | undefined> {
    const content = this.files.get(name);
    if (content !== undefined && content.length > mostBytes)
      throw new Error(`${name} has more than ${mostBytes} bytes`);
    return content === undefined ? undefined : Buffer.from(content);
  }

  async update(
    name: string,
    mostBytes: number,
    change: (content: Uint8Array | undefined) => Promise<Uint8Array | undefined>,
    signal?: AbortSignal,
  ): Promise<void> {
    const before = this.#last.get(name);
    const turn = (async (): Promise<void> => {
      await before;
      signal?.throwIfAborted();
      const changed = await change(await this.read(name, mostBytes));
      if (changed !== undefined) this.files.set(name, Buffer.from(changed));
    })();
    this.#last.set(
      name,
      turn.catch(() => undefined), // told to whoever asked for the change
    );
    await turn;
  }
}
