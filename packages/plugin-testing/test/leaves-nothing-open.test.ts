import { once } from 'node:events';
import { type FileHandle, open } from 'node:fs/promises';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { leavesNothingOpen } from '../src/index.ts';

describe('leavesNothingOpen', () => {
  it('returns the result of the action', async () => {
    expect(await leavesNothingOpen(() => 'done')).to.equal('done');
  });

  it('waits for resources that are closing', async () => {
    await leavesNothingOpen(async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      server.close();
    });
  });

  it('throws the error of the action', async () => {
    const failing = leavesNothingOpen(() => {
      throw new Error('broken');
    });
    expect(await failing.catch(String)).to.equal('Error: broken');
  });

  // The lists may also have requests for files of the test runner that are in flight.
  it('throws with the names of open resources', async () => {
    const server = createServer();
    const leaking = leavesNothingOpen(
      async () => {
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
      },
      { withinMs: 50 },
    );
    expect(await leaking.catch(String)).to.contain('1 × TCPServerWrap');
    server.close();
    await once(server, 'close');
  });

  if (process.platform === 'linux') {
    it('throws with the names of open files', async () => {
      let handle: FileHandle | undefined;
      const leaking = leavesNothingOpen(
        async () => {
          handle = await open(import.meta.filename);
        },
        { withinMs: 50 },
      );
      expect(await leaking.catch(String)).to.contain(`1 × ${import.meta.filename}`);
      await handle?.close();
    });
  }
});
