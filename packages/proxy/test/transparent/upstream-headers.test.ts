import { expect } from 'chai';
import { passedOn } from '../../src/transparent/forward/upstream-headers.ts';

describe('passedOn', () => {
  it('passes equal values of a single-value field once (agentchattr 80)', () => {
    const raw = ['Mcp-Session-Id', 'a', 'X-A', '1', 'mcp-session-id', 'a', 'Content-Type', 'text/plain'];
    expect(passedOn(raw, [])).to.deep.equal([
      'Mcp-Session-Id',
      'a',
      'X-A',
      '1',
      'Content-Type',
      'text/plain',
    ]);
  });

  it('passes different values, and repeated list fields, unchanged', () => {
    const raw = ['Mcp-Session-Id', 'a', 'Mcp-Session-Id', 'b', 'Vary', 'x', 'Vary', 'x'];
    expect(passedOn(raw, [])).to.deep.equal(raw);
  });
});
