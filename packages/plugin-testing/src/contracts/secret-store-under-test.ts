import type { SecretStore, SecretStoreContext, SecretStoreKind } from '@portolan/plugin-api';

export interface SecretStoreUnderTest {
  /** Stands in the title of the suite. */
  readonly name: string;
  readonly kind: SecretStoreKind;
  /** Blocks that can be used, with their defaults: the kind's `check` has to find nothing wrong with them. */
  readonly blocks?: readonly unknown[];
  /**
   * Makes an instance. Called for every test, with files in memory, an empty
   * environment and a person who knows the password; what stores of one test
   * are handed is the same, so that the second sees what the first has kept.
   */
  readonly create: (context: SecretStoreContext) => SecretStore | Promise<SecretStore>;
  /** Secrets that are there before. For a kind that cannot `set`, at least one. */
  readonly present?: Readonly<Record<string, string>>;
  /** Names that a secret may have; left out, plain words. A kind that can `set` is tried with them. */
  readonly names?: readonly [string, string];
  /** Names that no secret can have. */
  readonly badNames?: readonly string[];
  /** Whether it has to be unlocked with a password, for which a person is asked. */
  readonly locks?: boolean;
  readonly withinMs?: number;
}
