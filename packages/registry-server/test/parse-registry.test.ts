import { expect } from 'chai';
import { isPortolanError } from '@portolan/plugin-api';
import { parseRegistry } from '../src/actions/parse-registry.ts';

describe('parseRegistry', () => {
  const namesOf = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `s${at}`);

  it('takes a thousand sources, in their order', () => {
    const sources = namesOf(1000);
    expect(parseRegistry('main', { sources })).to.deep.equal({ sources, claims: {} });
  });

  it('refuses more, whatever their names are', () => {
    for (const sources of [namesOf(1001), Array.from({ length: 100_000 }, () => 'same')]) {
      try {
        parseRegistry('main', { sources });
        expect.fail('it was taken');
      } catch (error) {
        if (!isPortolanError(error)) throw error;
        expect(error.code).to.equal('ERR_BODY_INVALID');
        expect(error.message).to.contain(`sources has ${sources.length} names; at most 1000 are taken.`);
      }
    }
  });
});
