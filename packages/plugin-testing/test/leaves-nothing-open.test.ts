import { once } from 'node:events';
import { type FileHandle, open } from 'node:fs/promises';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { leavesNothingOpen } from '../src/index.ts';

describe('leavesNothingOpen', () => {
  it('answers what the action answers', async () => {
    expect(await leavesNothingOpen(() => 'done')).to.equal('done');
  });

  it('waits for what is about to close', async () => {
    await leavesNothingOpen(async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      server.close();
    });
  });

  it('throws what the action throws', async () => {
    const failing = leavesNothingOpen(() => {
      throw new Error('broken');
    });
    expect(await failing.catch(String)).to.equal('Error: broken');
  });

  it('names what is still open', async () => {
    const server = createServer();
    const leaking = leavesNothingOpen(
      async () => {
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
      },
      { withinMs: 50 },
    );
    expect(await leaking.catch(String)).to.equal('Error: left open: 1 × TCPServerWrap');
    server.close();
    await once(server, 'close');
  });

  if (process.platform === 'linux') {
    it('names files that are still open', async () => {
      let handle: FileHandle | undefined;
      const leaking = leavesNothingOpen(
        async () => {
          handle = await open(import.meta.filename);
        },
        { withinMs: 50 },
      );
      expect(await leaking.catch(String)).to.equal(`Error: left open: 1 × ${import.meta.filename}`);
      await handle?.close();
    });
  }
});
