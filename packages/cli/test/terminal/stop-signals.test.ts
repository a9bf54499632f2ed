import { expect } from 'chai';
import { EventEmitter } from 'node:events';
import { listenForStop } from '../../src/terminal/stop-signals.ts';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

describe('listenForStop', () => {
  for (const [signal, status] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const) {
    it(`aborts on ${signal}, and ends with ${status} on another one`, async () => {
      const process = new EventEmitter();
      const ended: number[] = [];
      const stop = listenForStop(process, {
        signals: SIGNALS,
        hungUp: () => undefined,
        end: (number) => ended.push(number),
      });
      process.emit(signal, signal);
      expect(await stop.received).to.equal(signal);
      expect(stop.signal.aborted).to.equal(true);
      expect(ended).to.deep.equal([]);
      process.emit(signal, signal);
      expect(ended).to.deep.equal([status]);
    });
  }

  it('passes SIGHUP to hungUp without stopping', () => {
    const process = new EventEmitter();
    let hungUp = 0;
    const stop = listenForStop(process, {
      signals: SIGNALS,
      hungUp: () => {
        hungUp += 1;
      },
      end: () => undefined,
    });
    process.emit('SIGHUP', 'SIGHUP');
    expect({ hungUp, aborted: stop.signal.aborted }).to.deep.equal({ hungUp: 1, aborted: false });
  });

  it('removes its listeners on close', () => {
    const process = new EventEmitter();
    listenForStop(process, { signals: SIGNALS, hungUp: () => undefined, end: () => undefined }).close();
    expect(process.eventNames()).to.deep.equal([]);
  });
});
