import type { SourceKind } from '@portolan/plugin-api';
import { registerContract } from './contract-case.ts';
import { sourceCases } from './source-cases.ts';
import type { SourceUnderTest } from './source-under-test.ts';

/**
 * Registers the mocha suite that every source kind has to pass. Surroundings
 * that its tests need (a folder, a server) are made and removed by `beforeEach`
 * and `afterEach` of the `describe` around it, for each test anew.
 */
export function sourceContract<Kind extends SourceKind>(options: SourceUnderTest<Kind>): void {
  registerContract(`source contract: ${options.name}`, sourceCases(options));
}
