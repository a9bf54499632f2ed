import { expect } from 'chai';
import { prefixFor } from '../src/request/endpoint-prefix.ts';
import { contentTypeUnsupported } from '../src/errors/request-errors.ts';
import { withoutBlanks } from '../src/request/request-state.ts';

const MANY = 1_000_000;

describe('long header', () => {
  it('is trimmed in linear time', () => {
    const inside = `a${' \t'.repeat(MANY)}b`;
    expect(withoutBlanks(inside) === inside).to.equal(true);
    expect(withoutBlanks(`\t ${inside} \t`) === inside).to.equal(true);
    expect(withoutBlanks('\t \t')).to.equal('');
  });

  it('is shown with at most 80 characters in an error', () => {
    const { message } = contentTypeUnsupported('x'.repeat(MANY));
    expect(message).to.equal(
      `The request has the content type ${'x'.repeat(77)}...; expected application/json.`,
    );
  });

  it('with a path prefix loses its outer slashes in linear time', () => {
    const prefixOf = (text: string) =>
      prefixFor({ get: () => text }, { endpointPrefix: undefined, trustProxyHeaders: true });
    const inside = `/a${'/'.repeat(MANY)}b`;
    expect(prefixOf(inside) === inside).to.equal(true);
    expect(prefixOf(`//${inside}//`) === inside).to.equal(true);
    expect(prefixOf('///')).to.equal('');
  });
});
