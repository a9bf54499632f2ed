import type { ContainerEngine } from '@portolan/plugin-api';
import { engineOf, runtimeOfEngine } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { CallCounts } from '../../src/context/count-calls.ts';

describe('CallCounts', () => {
  it('counts the calls of a runtime, without their arguments', async () => {
    let now = 0;
    class Engine {
      readonly #images = ['hunter2'];

      inspectImage(): Promise<number> {
        now += 500;
        return Promise.resolve(this.#images.length);
      }

      async removeImage(): Promise<void> {
        await Promise.reject(new Error('in use'));
      }

      *readLogs(): Generator<string> {
        yield 'connected';
      }
    }
    const counts = new CallCounts(() => now);
    // SAFETY: the test calls no other methods.
    const runtime = engineOf(counts.watch(runtimeOfEngine(new Engine() as unknown as ContainerEngine)));
    expect(counts.describe()).to.equal('');
    expect(await runtime.inspectImage('hunter2')).to.equal(1);
    await runtime.inspectImage('hunter2');
    const failed: unknown = await runtime.removeImage('hunter2').catch((error: unknown) => error);
    expect(failed).to.have.property('message', 'in use');
    const logs: unknown = runtime.readLogs('hunter2', { follow: false });
    expect(logs).to.have.property('next');
    await Promise.resolve();
    expect(counts.describe())
      .to.match(/^inspectImage 2 \(\d/)
      .and.to.include('removeImage 1')
      .and.to.include('readLogs 1')
      .and.not.to.include('hunter2');
  });
});
