import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually, inTime } from '../src/index.ts';

async function failureOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'none',
    (error: unknown) => String(error),
  );
}

describe('eventually', () => {
  it('returns the result of the check once it no longer throws', async () => {
    let tries = 0;
    const answer = await eventually(() => {
      tries += 1;
      if (tries < 3) throw new Error('not yet');
      return 'now';
    });
    expect({ answer, tries }).to.deep.equal({ answer: 'now', tries: 3 });
  });

  it('throws the last error after the timeout', async () => {
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

  it('checks once more at the timeout, even during a longer pause', async () => {
    const began = performance.now();
    const times: number[] = [];
    const failing = eventually(
      async () => {
        times.push(performance.now() - began);
        await pass(40);
        throw new Error('not yet');
      },
      { withinMs: 100 },
    );
    expect(await failureOf(failing)).to.equal('Error: not yet');
    // A timer may be early by a millisecond or two; the check before began at once.
    expect(times.at(-1)).to.be.at.least(90);
  });

  it('pauses for twice the duration of a check', async () => {
    const pauses: number[] = [];
    let ended = 0;
    await eventually(async () => {
      if (ended > 0) pauses.push(performance.now() - ended);
      const began = performance.now();
      await pass(30);
      ended = performance.now();
      if (pauses.length < 2) throw new Error('not yet');
      pauses.push(ended - began); // how long the last check took, for the message
    });
    expect(Math.min(pauses[0] ?? 0, pauses[1] ?? 0), String(pauses)).to.be.at.least(50); // 10 without, and timers may be early
  });

  it('checks at least once, however short the timeout is', async () => {
    expect(await eventually(async () => 'at once', { withinMs: 0 })).to.equal('at once');
  });
});

describe('inTime', () => {
  it('returns the result of the promise', async () => {
    expect(await inTime('an answer', Promise.resolve(42))).to.equal(42);
  });

  it('throws the error of the promise', async () => {
    expect(await failureOf(inTime('an answer', Promise.reject(new Error('broken'))))).to.equal(
      'Error: broken',
    );
  });

  it('throws an error that names what did not happen in time', async () => {
    const never = inTime('the end of the world', new Promise(() => undefined), { withinMs: 10 });
    expect(await failureOf(never)).to.equal('Error: the end of the world did not happen within 10 ms');
  });
});
