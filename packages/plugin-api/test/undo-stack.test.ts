import { expect } from 'chai';
import { type Logger, UndoStack } from '../src/index.ts';

/** Keeps what is logged as an error. */
function recorder(): { readonly logger: Logger; readonly errors: unknown[] } {
  const errors: unknown[] = [];
  const nothing = (): void => undefined;
  const error: Logger['error'] = (fields, message) => void errors.push({ ...fields, message });
  return { logger: { debug: nothing, info: nothing, warn: nothing, error }, errors };
}

describe('UndoStack', () => {
  it('runs every step once, the last one first, even when one throws', async () => {
    const { logger, errors } = recorder();
    const fault = new Error('no');
    const done: string[] = [];
    const stack = new UndoStack(logger);
    stack.push('first', () => done.push('first'));
    stack.push('second', () => {
      throw fault;
    });
    stack.push('third', async () => done.push('third'));
    await stack.run();
    await stack.run();
    expect(done).to.deep.equal(['third', 'first']);
    expect(errors).to.deep.equal([{ part: 'second', err: fault, message: 'closing a part failed' }]);
  });

  it('makes a second call wait for the first, and runs steps that were added meanwhile', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const done: string[] = [];
    const stack = new UndoStack(recorder().logger);
    stack.push('slow', async () => {
      await promise;
      done.push('slow');
    });
    const first = stack.run();
    stack.push('late', () => done.push('late'));
    const second = stack.run().then(() => done.push('second'));
    resolve();
    await Promise.all([first, second]);
    expect(done).to.deep.equal(['slow', 'late', 'second']);
  });

  it('runs nothing after it was cleared', async () => {
    const done: string[] = [];
    const stack = new UndoStack(recorder().logger);
    stack.push('part', () => done.push('part'));
    stack.forget();
    await stack.run();
    expect(done).to.deep.equal([]);
  });
});
