import { expect } from 'chai';
import { findDefaultRegistry } from '../../src/context/default-registry.ts';

const OFFICIAL = 'https://registry.modelcontextprotocol.io';

describe('findDefaultRegistry', () => {
  const cases = [
    { title: 'is the official one', uses: true, named: undefined, expected: OFFICIAL },
    { title: 'is the official one where the variable is empty', uses: true, named: '', expected: OFFICIAL },
    {
      title: 'is the one of the environment',
      uses: true,
      named: 'https://r.acme.example',
      expected: 'https://r.acme.example',
    },
    { title: 'is none where the environment says off', uses: true, named: 'off', expected: undefined },
    { title: 'is none where the environment says OFF', uses: true, named: 'OFF', expected: undefined },
    { title: 'is none where the user wants none', uses: false, named: undefined, expected: undefined },
    {
      title: 'is none where the user wants none, whatever the environment says',
      uses: false,
      named: 'https://r.acme.example',
      expected: undefined,
    },
  ];
  for (const { title, uses, named, expected } of cases) {
    it(title, () => {
      expect(
        findDefaultRegistry({ usesDefaultRegistry: uses }, { PORTOLAN_DEFAULT_REGISTRY: named }),
      ).to.equal(expected);
    });
  }
});
