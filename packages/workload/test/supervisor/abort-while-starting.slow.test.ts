import path from 'node:path';
import { expect } from 'chai';
import { launchSupervisor } from '../../src/supervisor/launch-supervisor.ts';
import type { SupervisorOrder } from '../../src/supervisor/supervisor-order.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';

describe('launchSupervisor', () => {
  const folders = new TemporaryFolders();
  afterEach(() => folders.removeAll());

  it('rejects and ends the supervisor when the signal aborts during its start', async () => {
    const stop = new AbortController();
    const reason = new Error('stopped by SIGINT');
    const launched = launchSupervisor(
      // SAFETY: the program does not look at its order.
      { name: 'vessel' } as SupervisorOrder,
      {
        program: [process.execPath, '-e', 'setInterval(() => {}, 1000)'],
        environment: process.env,
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
