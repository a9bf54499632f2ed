import { authProviderCases } from './auth-provider-cases.ts';
import type { AuthProviderUnderTest } from './auth-provider-under-test.ts';
import { registerContract } from './contract-case.ts';

/** Registers the mocha suite that every auth provider kind has to pass. */
export function authProviderContract(options: AuthProviderUnderTest): void {
  registerContract(`auth provider contract: ${options.name}`, authProviderCases(options));
}
