import type { SecretFiles } from '@portolan/plugin-api';
import { createRecordingLogger, type RecordingLogger } from '@portolan/plugin-testing';
import { PortolanError } from '@portolan/plugin-api';
import type { EncryptedStoreContext } from '../../src/encrypted-store.ts';
import type { Keyring } from '../../src/keyring.ts';

/** Files in memory; changes of one file happen one after another. */
export class MemoryFiles implements SecretFiles {
  readonly contents = new Map<string, Uint8Array>();
  readonly writes: Uint8Array[] = [];
  #last: Promise<unknown> = Promise.resolve();

  pathOf(name: string): string {
    return `/secrets/${name}`;
  }

  async read(name: string, maxBytes: number): Promise<Uint8Array | undefined> {
    const content = this.contents.get(name);
    if (content !== undefined && content.length > maxBytes) throw new Error('too long');
    return await Promise.resolve(content);
  }

  async update(
    name: string,
    maxBytes: number,
    change: (content: Uint8Array | undefined) => Promise<Uint8Array | undefined>,
  ): Promise<void> {
    const turn = this.#after(this.#last, async () => {
      const changed = await change(await this.read(name, maxBytes));
      if (changed !== undefined) {
        this.writes.push(changed);
        this.contents.set(name, changed);
      }
    });
    this.#last = turn;
    await turn;
  }

  async #after(earlier: Promise<unknown>, action: () => Promise<void>): Promise<void> {
    await earlier.catch(() => undefined); // told to whoever made that change
    await action();
  }
}

/** A keyring in memory; `reason` makes it one that is not there. */
export class MemoryKeyring implements Keyring {
  readonly passwords = new Map<string, string>();
  readonly #reason: string | undefined;

  constructor(reason?: string) {
    this.#reason = reason;
  }

  async find({ service }: { readonly service: string }): Promise<string | undefined> {
    return await this.#answer(this.passwords.get(service));
  }

  async keep({ service }: { readonly service: string }, password: string): Promise<void> {
    await this.#answer(undefined);
    this.passwords.set(service, password);
  }

  async forget({ service }: { readonly service: string }): Promise<boolean> {
    await this.#answer(undefined);
    return this.passwords.delete(service);
  }

  async #answer<Value>(value: Value): Promise<Value> {
    if (this.#reason !== undefined)
      throw new PortolanError('ERR_SECRET_KEYRING', 'unavailable', `No keyring: ${this.#reason}.`);
    return await Promise.resolve(value);
  }
}

export interface MemoryContext extends EncryptedStoreContext {
  readonly files: MemoryFiles;
  readonly keyring: MemoryKeyring;
  readonly logger: RecordingLogger;
  readonly asked: string[];
}

export interface MemoryOptions {
  readonly files?: MemoryFiles;
  readonly keyring?: MemoryKeyring;
  /** What `PORTOLAN_SECRETS_PASSWORD` is. */
  readonly variable?: string;
  /** What a person answers, one after another; left out, no prompt is possible. */
  readonly answers?: readonly string[];
}

export function memoryContext(options: MemoryOptions = {}): MemoryContext {
  const { files = new MemoryFiles(), keyring = new MemoryKeyring(), variable, answers } = options;
  const requests: string[] = [];
  const left = [...(answers ?? [])];
  const askPassword = async (question: string): Promise<string> => {
    requests.push(question);
    return await Promise.resolve(left.shift() ?? '');
  };
  return {
    files,
    keyring,
    asked: requests,
    cost: { log2N: 14, r: 1, p: 1 },
    environment: variable === undefined ? {} : { PORTOLAN_SECRETS_PASSWORD: variable },
    logger: createRecordingLogger(),
    ...(answers === undefined ? {} : { askPassword }),
  };
}
