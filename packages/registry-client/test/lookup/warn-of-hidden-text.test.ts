import { expect } from 'chai';
import { warnOfHiddenText } from '../../src/lookup.ts';

describe('warnOfHiddenText', () => {
  it('warnOfHiddenText › names the first 10 places in printable ASCII and counts the others', () => {
    const tools = Array.from({ length: 13 }, () => ({ 'na\u200bme': 'x' }));
    const warnings = warnOfHiddenText('dev.acme/notes', { tools });
    expect(warnings).to.have.length(11);
    expect(warnings[0]).to.equal(
      'The entry of dev.acme/notes has hidden text at tools[0]["na?me"]: 1 zero-width character U+200B.',
    );
    expect(warnings[10]).to.equal('The entry of dev.acme/notes has hidden text at 3 more places.');
    expect(warnings.join('')).to.match(/^[ -~]*$/);
  });

  it('warnOfHiddenText › returns nothing for an entry without hidden text', () => {
    expect(warnOfHiddenText('dev.acme/notes', { description: 'Finds notes.' })).to.deep.equal([]);
  });
});
