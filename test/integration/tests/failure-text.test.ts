import { expect } from 'chai';
import { failureText } from '../../support/failure-text.ts';

function failureOf(assertion: () => void): Error {
  try {
    assertion();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('the assertion has not failed');
}

describe('failureText', () => {
  it('shows where two objects differ that are too long for the message', () => {
    const left = {
      containers: [],
      networks: [],
      processes: ['node supervisor'],
      listening: [],
      files: ['a.log'],
    };
    const none = { containers: [], networks: [], processes: [], listening: [], files: [] };
    const text = failureText(failureOf(() => expect(left).to.deep.equal(none)));
    expect(text).to.contain('…').and.to.contain('-    "node supervisor"').and.to.contain('-    "a.log"');
  });

  it('returns only the message when it is complete', () => {
    expect(failureText(failureOf(() => expect(1).to.equal(2)))).to.equal('expected 1 to equal 2');
  });

  it('names every cause of an error', () => {
    const refused = new Error('connect ECONNREFUSED 127.0.0.1:9');
    const failed = new TypeError('fetch failed', { cause: new Error('no server', { cause: refused }) });
    expect(failureText(failed)).to.equal(
      `fetch failed\nbecause of Error: no server\nbecause of Error: ${refused.message}`,
    );
    expect(failureText(new Error('ended', { cause: 'SIGKILL' }))).to.contain('because of "SIGKILL"');
  });
});
