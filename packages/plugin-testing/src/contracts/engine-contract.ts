import { registerContract } from './contract-case.ts';
import { engineCases } from './engine-cases.ts';
import type { EngineUnderTest } from './engine-under-test.ts';

/**
 * Registers the mocha suite that every runtime kind with an engine has to pass, against a real
 * one. Everything it makes carries the label `portolan.dev/test` and is
 * removed; what is left of a test makes it fail.
 */
export function engineContract(options: EngineUnderTest): void {
  registerContract(`engine contract: ${options.name}`, engineCases(options));
}
