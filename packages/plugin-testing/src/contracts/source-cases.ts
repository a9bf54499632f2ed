import type { SourceKind } from '@portolan/plugin-api';
import { expect } from 'chai';
import type { ContractCase } from './contract-case.ts';
import { kindCases } from './kind-cases.ts';
import { changesCases } from './source-changes-cases.ts';
import { reachCases } from './source-reach-cases.ts';
import { scopeCases } from './source-scope-cases.ts';
import { scratchCases } from './source-scratch-cases.ts';
import { readingCases } from './source-reading-cases.ts';
import type { SourceUnderTest } from './source-under-test.ts';
import { watchingCases } from './source-watching-cases.ts';

/** What a source kind promises; see `Source` in `@portolan/plugin-api`. */
export function sourceCases<Kind extends SourceKind>(
  options: SourceUnderTest<Kind>,
): readonly ContractCase[] {
  return [
    ...kindCases(options.kind, options.blocks),
    {
      title: 'says who labels its entries',
      run: async () => {
        expect(options.kind.claimsFrom).to.be.oneOf(['source', 'entry', 'publisher']);
      },
    },
    ...readingCases(options),
    ...changesCases(options),
    ...scopeCases(options),
    ...scratchCases(options),
    ...reachCases(options),
    ...watchingCases(options),
  ];
}
