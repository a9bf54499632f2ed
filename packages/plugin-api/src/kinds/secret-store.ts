import type { ConfigBlock, ConfigOf } from '../config-schema.ts';
import type { PluginContext } from '../plugin-context.ts';
import type { Kind } from './kind.ts';

/** Stores secrets. The kind's name is a value of `secrets.provider_type`. */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface SecretStoreKind<Block extends ConfigBlock = any> extends Kind<Block, SecretStore> {
  /** Operations besides finding a secret by name. */
  readonly can: readonly SecretAbility[];
  create(config: ConfigOf<Block>, context: SecretStoreContext): SecretStore | Promise<SecretStore>;
}

/** Context of a secret store. */
export interface SecretStoreContext extends PluginContext, SecretStoreSurroundings {}

export interface SecretStoreSurroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly files: SecretFiles;
  /**
   * Asks the user for a password without echo. Absent when no user is present. Rejects when the user cancels.
   */
  readonly askPassword?: (question: string, signal?: AbortSignal) => Promise<string>;
}

/** A file's name begins with that of the kind. */
export interface SecretFiles {
  /** Returns the path, for messages. */
  pathOf(name: string): string;
  /** Rejects for a file above the size limit. */
  read(name: string, maxBytes: number): Promise<Uint8Array | undefined>;
  /**
   * Replaces the content with the result of `change`, atomically for readers and exclusively among writers.
   * Undefined writes nothing.
   */
  update(
    name: string,
    maxBytes: number,
    change: (content: Uint8Array | undefined) => Promise<Uint8Array | undefined>,
    signal?: AbortSignal,
  ): Promise<void>;
}

export type SecretAbility = 'set' | 'delete' | 'list';

/** Functions reject with ERR_SECRET_STORE_LOCKED when the store has no key and cannot ask for one. */
export interface SecretStore {
  /** Returns undefined for an unknown name. Rejects for an invalid one. */
  find(name: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Stores a value under a name, replacing the previous one. Present when the kind can `set`. */
  set?(name: string, value: string, signal?: AbortSignal): Promise<void>;
  /** Returns false when there was none. */
  delete?(name: string, signal?: AbortSignal): Promise<boolean>;
  /** Returns sorted names without values. */
  list?(signal?: AbortSignal): Promise<readonly SecretListing[]>;
  /** Removes its password in the operating system's keyring. Returns false when there was none. */
  forgetPassword?(signal?: AbortSignal): Promise<boolean>;
  /** Returns the secrets of another program's file. */
  readForeign?(content: Uint8Array, signal?: AbortSignal): Promise<ReadonlyMap<string, string>>;
  close?(): Promise<void>;
}

export interface SecretListing {
  readonly name: string;
  readonly description?: string;
}
