import { expect } from 'chai';
import { findDefaultRegistry } from '../../src/context/open-workload-context.ts';

const OFFICIAL = 'https://registry.modelcontextprotocol.io';

describe('findDefaultRegistry', () => {
  const cases = [
    { title: 'returns the official registry', uses: true, named: undefined, expected: OFFICIAL },
    {
      title: 'returns the official registry for an empty variable',
      uses: true,
      named: '',
      expected: OFFICIAL,
    },
    {
      title: 'returns the registry of the environment',
      uses: true,
      named: 'https://r.acme.example',
      expected: 'https://r.acme.example',
    },
    { title: 'returns undefined for off in the environment', uses: true, named: 'off', expected: undefined },
    { title: 'returns undefined for OFF in the environment', uses: true, named: 'OFF', expected: undefined },
    {
      title: 'returns undefined when the settings disable it',
      uses: false,
      named: undefined,
      expected: undefined,
    },
    {
      title: 'returns undefined when the settings disable it, whatever the environment says',
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
