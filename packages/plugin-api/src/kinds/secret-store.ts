import type { ConfigBlock } from '../config-schema.ts';
import type { Kind } from './kind.ts';

/** Where secrets are kept; the kind's name is a value of `secrets.provider_type`. */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface SecretStoreKind<Block extends ConfigBlock = any> extends Kind<Block, SecretStore> {
  /** What its stores can do beside finding a secret by name. */
  readonly can: readonly SecretAbility[];
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
  close?(): Promise<void>;
}

export interface SecretListing {
  readonly name: string;
  readonly description?: string;
}
