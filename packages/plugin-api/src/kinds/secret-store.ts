import type { ConfigBlock, ConfigOf } from '../config-schema.ts';
import type { PluginContext } from '../plugin-context.ts';
import type { Kind } from './kind.ts';

/** Stores secrets. The kind's name is a value of `secrets.provider_type`. */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface SecretStoreKind<Block extends ConfigBlock = any> extends Kind<Block, SecretStore> {
  /** Operations that the store supports. Every store can find a secret by name. */
  readonly can: readonly SecretAbility[];
  create(config: ConfigOf<Block>, context: SecretStoreContext): SecretStore | Promise<SecretStore>;
}

/** Context of a secret store. */
export interface SecretStoreContext extends PluginContext, SecretStoreHostContext {}

export interface SecretStoreHostContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly files: SecretFiles;
  /**
   * Asks the user for a password without echo. Absent when no user is present. Rejects when the user cancels.
   */
  readonly askPassword?: (question: string, signal?: AbortSignal) => Promise<string>;
}

/** Private files of a secret store. Their names begin with the name of the kind. */
export interface SecretFiles {
  /** Returns the path of a file, for messages. */
  pathOf(name: string): string;
  /** Reads a file; undefined when it does not exist. Rejects for a file above the size limit. */
  read(name: string, maxBytes: number): Promise<Uint8Array | undefined>;
  /**
   * Replaces the content of a file with the result of `change`; undefined writes nothing. The replacement is
   * atomic for readers, and only one writer runs at a time.
   */
  update(
    name: string,
    maxBytes: number,
    change: (content: Uint8Array | undefined) => Promise<Uint8Array | undefined>,
    signal?: AbortSignal,
  ): Promise<void>;
}

export type SecretAbility = 'set' | 'delete' | 'list';

/**
 * Operations on secrets. They reject with ERR_SECRET_STORE_LOCKED when the store has no password and cannot
 * ask the user for it.
 */
export interface SecretStore {
  /** Returns a secret; undefined for an unknown name. Rejects for an invalid name. */
  find(name: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Stores a value under a name, replacing the previous one. Present when the kind can `set`. */
  set?(name: string, value: string, signal?: AbortSignal): Promise<void>;
  /** Deletes a secret. Returns false when the name was unknown. */
  delete?(name: string, signal?: AbortSignal): Promise<boolean>;
  /** Returns the names of all secrets in sorted order, without values. */
  list?(signal?: AbortSignal): Promise<readonly SecretListing[]>;
  /**
   * Removes the store's password from the operating system's keyring. Returns false when the keyring had
   * none.
   */
  forgetPassword?(signal?: AbortSignal): Promise<boolean>;
  /** Returns the secrets in a file that another program wrote. */
  readForeign?(content: Uint8Array, signal?: AbortSignal): Promise<ReadonlyMap<string, string>>;
  close?(): Promise<void>;
}

export interface SecretListing {
  readonly name: string;
  readonly description?: string;
}
