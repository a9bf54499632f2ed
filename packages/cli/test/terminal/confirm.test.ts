import { expect } from 'chai';
import { PassThrough } from 'node:stream';
import { confirm } from '../../src/terminal/ask/confirm.ts';

describe('confirm', () => {
  const cases = [
    { title: 'returns when the word is typed', typed: 'yes\n', accepted: ['yes'], code: undefined },
    {
      title: 'accepts the word in upper case and with spaces',
      typed: '  YES \n',
      accepted: ['yes'],
      code: undefined,
    },
    { title: 'throws for another word', typed: 'y\n', accepted: ['yes'], code: 'ERR_NOT_CONFIRMED' },
    { title: 'throws for an empty line', typed: '\n', accepted: ['y', 'yes'], code: 'ERR_NOT_CONFIRMED' },
    { title: 'throws when the input ends', typed: undefined, accepted: ['yes'], code: 'ERR_NOT_CONFIRMED' },
  ];
  for (const { title, typed, accepted, code } of cases) {
    it(title, async () => {
      const input = Object.assign(new PassThrough(), { isTTY: true });
      const output = new PassThrough();
      const answered = outcome(confirm('Go on? ', accepted, { input, output }));
      input.end(typed);
      expect(await answered).to.equal(code);
      expect(String(output.read())).to.include('Go on?');
    });
  }

  it('throws without asking when the input is not a terminal', async () => {
    const output = new PassThrough();
    const answered = outcome(confirm('Go on? ', ['yes'], { input: new PassThrough(), output }));
    expect(await answered).to.equal('ERR_CONFIRMATION_NEEDED');
    expect(output.read()).to.equal(null);
  });
});

/** Returns the error code of a rejected promise; undefined for a fulfilled one. */
async function outcome(promise: Promise<void>): Promise<unknown> {
  try {
    await promise;
    return undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
}
