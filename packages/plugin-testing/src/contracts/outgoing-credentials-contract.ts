import { registerContract } from './contract-case.ts';
import { outgoingCredentialsCases } from './outgoing-credentials-cases.ts';
import type { OutgoingCredentialsUnderTest } from './outgoing-credentials-under-test.ts';

/** Registers the mocha suite that every kind of outgoing credentials has to pass. */
export function outgoingCredentialsContract(options: OutgoingCredentialsUnderTest): void {
  registerContract(`outgoing credentials contract: ${options.name}`, outgoingCredentialsCases(options));
}
