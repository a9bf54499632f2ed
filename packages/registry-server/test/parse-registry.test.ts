import { expect } from 'chai';
import { parseRegistry } from '../src/actions/parse-registry.ts';

describe('parseRegistry', () => {
  const namesOf = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `s${at}`);

  it('accepts a thousand sources in order', () => {
    const sources = namesOf(1000);
    expect(parseRegistry('main', { sources })).to.deep.equal({ sources, claims: {} });
  });

  it('rejects more than 1000 sources', () => {
    for (const sources of [namesOf(1001), Array.from({ length: 100_000 }, () => 'same')]) {
      const read = parseRegistry('main', { sources });
      if (!('fault' in read)) expect.fail('it was taken');
      expect(read.fault.code).to.equal('ERR_BODY_INVALID');
      expect(read.fault.message).to.contain(`sources has ${sources.length} names; at most 1000 are taken.`);
      expect(read.sources).to.deep.equal([]);
    }
  });

  it('returns the valid parts of an invalid registry', () => {
    const { fault, ...read } = {
      fault: undefined,
      ...parseRegistry('-x-', { sources: ['a', 7, 'a', 'b'], claims: { org: 'acme' } }),
    };
    expect(fault).to.have.property('code', 'ERR_BODY_INVALID');
    expect(read).to.deep.equal({ sources: ['a', 'b'], claims: { org: 'acme' } });
    expect(parseRegistry('main', { sources: 'a', claims: 7 })).to.have.keys('fault', 'sources');
  });
});
