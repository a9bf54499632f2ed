import { mock } from 'node:test';
import { expect } from 'chai';
import { BatchedWork } from '../src/index.ts';

describe('BatchedWork', () => {
  let failures: unknown[];
  let done: number[];
  let batch: BatchedWork;
  const add = (...numbers: readonly number[]): void => {
    for (const one of numbers) batch.add(() => done.push(one));
  };
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    failures = [];
    done = [];
    batch = new BatchedWork((error) => failures.push(error));
  });
  afterEach(() => mock.timers.reset());

  it('does what came within five milliseconds of the first, in its order, and then what comes later', () => {
    add(1);
    mock.timers.tick(4);
    add(2);
    expect(done).to.deep.equal([]);
    mock.timers.tick(1);
    expect(done).to.deep.equal([1, 2]);
    add(3);
    mock.timers.tick(5);
    expect(done).to.deep.equal([1, 2, 3]);
  });

  it('does a hundred and twenty-eight at once, so that none of them holds up others for long', () => {
    const numbers = Array.from({ length: 128 }, (_none, at) => at);
    add(...numbers.slice(1));
    expect(done).to.deep.equal([]);
    add(0);
    expect(done).to.deep.equal([...numbers.slice(1), 0]);
    add(200);
    mock.timers.tick(5);
    expect(done.at(-1)).to.equal(200);
  });

  it('tells what one of them throws, and does the others', () => {
    const fault = new Error('no');
    add(1);
    batch.add(() => {
      throw fault;
    });
    add(2);
    batch.finish();
    expect(done).to.deep.equal([1, 2]);
    expect(failures).to.deep.equal([fault]);
  });

  it('does nothing twice, and leaves no timer when it has finished', () => {
    add(1);
    mock.timers.tick(3);
    batch.finish();
    batch.finish();
    add(2);
    mock.timers.tick(4);
    expect(done).to.deep.equal([1]);
    mock.timers.tick(1);
    expect(done).to.deep.equal([1, 2]);
  });

  it('does what work adds in the next batch', () => {
    batch.add(() => add(1));
    batch.finish();
    expect(done).to.deep.equal([]);
    mock.timers.tick(5);
    expect(done).to.deep.equal([1]);
  });
});
