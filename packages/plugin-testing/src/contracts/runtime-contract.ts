import { registerContract } from './contract-case.ts';
import { runtimeCases } from './runtime-cases.ts';
import type { RuntimeUnderTest } from './runtime-under-test.ts';

/**
 * Registers the mocha suite that every runtime kind has to pass, against a real
 * engine. Everything it makes carries the label `portolan.dev/test` and is
 * removed; what is left of a test makes it fail.
 */
export function runtimeContract(options: RuntimeUnderTest): void {
  registerContract(`runtime contract: ${options.name}`, runtimeCases(options));
}
