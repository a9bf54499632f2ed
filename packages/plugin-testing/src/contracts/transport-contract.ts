import { registerContract } from './contract-case.ts';
import { transportCases } from './transport-cases.ts';
import type { TransportUnderTest } from './transport-under-test.ts';

/** Registers the mocha suite that every transport kind has to pass. */
export function transportContract(options: TransportUnderTest): void {
  registerContract(`transport contract: ${options.name}`, transportCases(options));
}
