import type { ConfigBlock, ConfigOf } from '../config-schema.ts';
import type { PluginContext } from '../plugin-context.ts';
import type { Kind } from './kind.ts';

/** Where secrets are kept; the kind's name is a value of `secrets.provider_type`. */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface SecretStoreKind<Block extends ConfigBlock = any> extends Kind<Block, SecretStore> {
  /** What its stores can do beside finding a secret by name. */
  readonly can: readonly SecretAbility[];
  create(config: ConfigOf<Block>, context: SecretStoreContext): SecretStore | Promise<SecretStore>;
}

/** What a secret store may use beside what every plugin may. */
export interface SecretStoreContext extends PluginContext, SecretStoreSurroundings {}

/** What the host of secret stores gives them. */
export interface SecretStoreSurroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The files that stores keep, each of this user alone. */
  readonly files: SecretFiles;
  /**
   * Asks a person, who does not see what is typed. Left out where nobody can be
   * asked. Rejects when the person gives up.
   */
  readonly askPassword?: (question: string, signal?: AbortSignal) => Promise<string>;
}

/** Files by name, in a folder of Portolan's. A name begins with that of the kind. */
export interface SecretFiles {
  /** Where it is, or would be; for messages. */
  pathOf(name: string): string;
  /** Undefined when there is none. Rejects for one that has more bytes. */
  read(name: string, mostBytes: number): Promise<Uint8Array | undefined>;
  /**
   * Replaces the content by what `change` makes of it: readers see the one
   * before or the new one, and nobody else changes the file meanwhile. With
   * undefined, nothing is written.
   */
  update(
    name: string,
    mostBytes: number,
    change: (content: Uint8Array | undefined) => Promise<Uint8Array | undefined>,
    signal?: AbortSignal,
  ): Promise<void>;
}

export type SecretAbility = 'set' | 'delete' | 'list';

/** A store's functions reject with ERR_SECRET_STORE_LOCKED when it has no key and may not ask for one. */
export interface SecretStore {
  /** The value; undefined when there is no secret of that name. A name it cannot have is an error. */
  find(name: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Keeps a value under a name, in place of the one before. There where the kind can `set`. */
  set?(name: string, value: string, signal?: AbortSignal): Promise<void>;
  /** False when there was none. There where the kind can `delete`. */
  delete?(name: string, signal?: AbortSignal): Promise<boolean>;
  /** Names in order, never values. There where the kind can `list`. */
  list?(signal?: AbortSignal): Promise<readonly SecretListing[]>;
  /** Forgets a password that it keeps with the operating system; false when there was none. */
  forgetPassword?(signal?: AbortSignal): Promise<boolean>;
  /** The secrets in a file of another program that it can read, by name. */
  readForeign?(content: Uint8Array, signal?: AbortSignal): Promise<ReadonlyMap<string, string>>;
  close?(): Promise<void>;
}

export interface SecretListing {
  readonly name: string;
  readonly description?: string;
}
