import type { ConfigBlock, Kind } from '@portolan/plugin-api';
import { expect } from 'chai';
import { findConfigBlockProblems } from '../config-block-problems.ts';
import type { ContractCase } from './contract-case.ts';

/** What every kind promises, whatever it is a kind of. */
export function kindCases(
  kind: Pick<Kind<ConfigBlock, unknown>, 'kind' | 'config'>,
): readonly ContractCase[] {
  return [
    {
      title: 'has a name of lower-case letters, digits and hyphens',
      run: async () => {
        expect(kind.kind).to.match(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
      },
    },
    {
      title: 'has a config block that is an object, with every field described and every default fitting',
      run: async () => {
        expect(kind.config.type, 'type of the block').to.equal('object');
        expect(findConfigBlockProblems(kind.config)).to.deep.equal([]);
      },
    },
  ];
}
