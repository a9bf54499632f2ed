import { registerContract } from './contract-case.ts';
import { secretStoreCases } from './secret-store-cases.ts';
import type { SecretStoreUnderTest } from './secret-store-under-test.ts';

/** Registers the mocha suite that every secret store kind has to pass. */
export function secretStoreContract(options: SecretStoreUnderTest): void {
  registerContract(`secret store contract: ${options.name}`, secretStoreCases(options));
}
