import { expect } from 'chai';
import { eventually, inTime } from '../src/index.ts';

async function failureOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'none',
    (error: unknown) => String(error),
  );
}

describe('eventually', () => {
  it('answers what the check returns once it no longer throws', async () => {
    let tries = 0;
    const answer = await eventually(() => {
      tries += 1;
      if (tries < 3) throw new Error('not yet');
      return 'now';
    });
    expect({ answer, tries }).to.deep.equal({ answer: 'now', tries: 3 });
  });

  it('throws the last error when the time is up', async () => {
    let tries = 0;
    const failing = eventually(
      () => {
        tries += 1;
        throw new Error(`try ${tries}`);
      },
      { withinMs: 30 },
    );
    expect(await failureOf(failing)).to.equal(`Error: try ${tries}`);
  });

  it('checks at least once, however little time there is', async () => {
    expect(await eventually(async () => 'at once', { withinMs: 0 })).to.equal('at once');
  });
});

describe('inTime', () => {
  it('answers what the promise answers', async () => {
    expect(await inTime('an answer', Promise.resolve(42))).to.equal(42);
  });

  it('throws what the promise throws', async () => {
    expect(await failureOf(inTime('an answer', Promise.reject(new Error('broken'))))).to.equal(
      'Error: broken',
    );
  });

  it('names what did not happen', async () => {
    const never = inTime('the end of the world', new Promise(() => undefined), { withinMs: 10 });
    expect(await failureOf(never)).to.equal('Error: the end of the world did not happen within 10 ms');
  });
});
