import path from 'node:path';
import { expect } from 'chai';
import { SupervisorProcess } from '../../src/supervisor/supervisor-process.ts';
import type { SupervisorOrder } from '../../src/supervisor/supervisor-order.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';

describe('SupervisorProcess', () => {
  const folders = new TemporaryFolders();
  afterEach(() => folders.removeAll());

  it('rejects and ends the supervisor when the signal aborts during its start', async () => {
    const stop = new AbortController();
    const reason = new Error('stopped by SIGINT');
    const program = [process.execPath, '-e', 'setInterval(() => {}, 1000)'];
    const supervisor = new SupervisorProcess({ program, environment: process.env });
    const launched = supervisor.launch(
      // SAFETY: the program does not read its order.
      { name: 'vessel' } as SupervisorOrder,
      {
        logFile: path.join(await folders.make(), 'supervisor.log'),
        onReport: () => undefined,
        signal: stop.signal,
      },
    );
    stop.abort(reason);
    const error: unknown = await launched
      .then(({ ready }) => ready)
      .then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
    expect(error).to.equal(reason);
  });
});
