import { expect } from 'chai';
import { setImmediate as turn } from 'node:timers/promises';
import { OutgoingQueue } from '../../src/server/outgoing-queue.ts';

const LIMITS = { queuedMessages: 5, queuedBytes: 1024 * 1024 };

/** A server that accepts a message only when the test says so. */
class SlowServer {
  readonly handedOver: string[] = [];
  readonly broken: unknown[] = [];
  readonly #taking: PromiseWithResolvers<void>[] = [];
  readonly queue: OutgoingQueue;

  constructor(limits = LIMITS) {
    const send = (message: string): Promise<void> => {
      this.handedOver.push(message);
      const taking = Promise.withResolvers<void>();
      this.#taking.push(taking);
      return taking.promise;
    };
    this.queue = new OutgoingQueue({ send }, limits, (error) => this.broken.push(error));
  }

  async takes(): Promise<void> {
    this.#taking.shift()?.resolve();
    await turn();
  }

  async breaks(): Promise<void> {
    for (const taking of this.#taking.splice(0)) taking.reject(new Error('broken'));
    await turn();
  }
}

describe('OutgoingQueue', () => {
  it('writes all lines of one turn in order, before the first is accepted', () => {
    const server = new SlowServer();
    for (const message of ['{"a":1}', '{\n"b":2}', '{"c":3}']) server.queue.push(message);
    expect(server.handedOver).to.deep.equal(['{"a":1}', '{ "b":2}', '{"c":3}']);
  });

  it('holds further lines back while 64 KiB are queued, until the receiver accepts a line', async () => {
    const server = new SlowServer();
    const large = 'x'.repeat(64 * 1024);
    for (const message of [large, 'second', 'third']) server.queue.push(message);
    expect(server.handedOver).to.deep.equal([large]);
    await server.takes();
    expect(server.handedOver).to.deep.equal([large, 'second', 'third']);
  });

  it('is full by the number and by the size of unaccepted lines', async () => {
    const byNumber = new SlowServer();
    for (let count = 0; count < 5; count += 1) byNumber.queue.push('m');
    expect(() => byNumber.queue.push('m')).to.throw('does not read');
    await byNumber.takes();
    byNumber.queue.push('again');
    expect(byNumber.handedOver.at(-1)).to.equal('again');

    const bySize = new SlowServer({ queuedMessages: 100, queuedBytes: 10 });
    bySize.queue.push('x'.repeat(6));
    expect(() => bySize.queue.push('x'.repeat(5))).to.throw('does not read');
    await bySize.takes();
    bySize.queue.push('x'.repeat(10));
  });

  it('reports a broken connection once, and writes nothing after that', async () => {
    const server = new SlowServer();
    server.queue.push('first');
    server.queue.push('second');
    await server.breaks();
    expect(server.broken).to.have.length(1);
    server.queue.push('third');
    expect(server.handedOver).to.deep.equal(['first', 'second']);
  });

  it('ignores failures after close', async () => {
    const server = new SlowServer();
    server.queue.push('first');
    server.queue.close();
    await server.breaks();
    expect(server.broken).to.deep.equal([]);
  });
});
