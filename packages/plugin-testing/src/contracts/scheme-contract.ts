import { registerContract } from './contract-case.ts';
import { schemeCases } from './scheme-cases.ts';
import type { SchemeUnderTest } from './scheme-under-test.ts';

/** Registers the mocha suite that every scheme kind has to pass. It builds nothing: plans are looked at, and indexes are stand-ins. */
export function schemeContract(options: SchemeUnderTest): void {
  registerContract(`scheme contract: ${options.name}`, schemeCases(options));
}
