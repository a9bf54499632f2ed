import { expect } from 'chai';
import { EventEmitter } from 'node:events';
import { listenForStop } from '../src/stop-signals.ts';

/** A process that notes with which status it would have ended. */
class FakeProcess extends EventEmitter {
  readonly ended: number[] = [];
  exit(status: number): void {
    this.ended.push(status);
  }
}

describe('listenForStop', () => {
  for (const [signal, status] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const) {
    it(`asks to stop on ${signal}, and ends with ${status} on another one`, async () => {
      const process = new FakeProcess();
      const stop = listenForStop(process, () => undefined);
      process.emit(signal, signal);
      expect(await stop.asked).to.equal(signal);
      expect(stop.signal.aborted).to.equal(true);
      expect(process.ended).to.deep.equal([]);
      process.emit(signal, signal);
      expect(process.ended).to.deep.equal([status]);
    });
  }

  it('hands SIGHUP on and does not stop', () => {
    const process = new FakeProcess();
    let hungUp = 0;
    const stop = listenForStop(process, () => {
      hungUp += 1;
    });
    process.emit('SIGHUP', 'SIGHUP');
    expect({ hungUp, aborted: stop.signal.aborted }).to.deep.equal({ hungUp: 1, aborted: false });
  });

  it('leaves no listener behind', () => {
    const process = new FakeProcess();
    listenForStop(process, () => undefined).close();
    expect(process.eventNames()).to.deep.equal([]);
  });
});
