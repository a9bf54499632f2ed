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

  it('runs the work of five milliseconds together, in order, and later work afterwards', () => {
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

  it('runs a full batch of 128 items at once', () => {
    const numbers = Array.from({ length: 128 }, (_none, at) => at);
    add(...numbers.slice(1));
    expect(done).to.deep.equal([]);
    add(0);
    expect(done).to.deep.equal([...numbers.slice(1), 0]);
    add(200);
    mock.timers.tick(5);
    expect(done.at(-1)).to.equal(200);
  });

  it('reports an error of one item, and runs the others', () => {
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

  it('runs nothing twice, and leaves no timer after finish', () => {
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

  it('runs items that an item adds in the next batch', () => {
    batch.add(() => add(1));
    batch.finish();
    expect(done).to.deep.equal([]);
    mock.timers.tick(5);
    expect(done).to.deep.equal([1]);
  });
});
