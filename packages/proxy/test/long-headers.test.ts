import { expect } from 'chai';
import { prefixFor } from '../src/endpoint-prefix.ts';
import { withoutBlanks } from '../src/request-state.ts';

const MANY = 1_000_000;

describe('a long header', () => {
  it('loses the blanks around it, and each place inside it is looked at once', () => {
    const inside = `a${' \t'.repeat(MANY)}b`;
    expect(withoutBlanks(inside) === inside).to.equal(true);
    expect(withoutBlanks(`\t ${inside} \t`) === inside).to.equal(true);
    expect(withoutBlanks('\t \t')).to.equal('');
  });

  it('loses the slashes around a prefix, and each place inside it is looked at once', () => {
    const prefixOf = (text: string) =>
      prefixFor({ get: () => text }, { endpointPrefix: undefined, trustProxyHeaders: true });
    const inside = `/a${'/'.repeat(MANY)}b`;
    expect(prefixOf(inside) === inside).to.equal(true);
    expect(prefixOf(`//${inside}//`) === inside).to.equal(true);
    expect(prefixOf('///')).to.equal('');
  });
});
