import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { expect } from 'chai';
import { caught } from '../../../test/support/caught.ts';
import { listenForRedirect } from '../src/login/listen-for-redirect.ts';

async function occupy(host: string): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : 0 };
}

describe('listenForRedirect', () => {
  it('receives the redirect on both loopback addresses', async () => {
    const listener = await listenForRedirect(0, false);
    const { port } = new URL(listener.redirectUri);
    try {
      for (const host of ['127.0.0.1', '[::1]', 'localhost']) {
        const { status } = await fetch(`http://${host}:${port}/callback?code=x&state=other`);
        expect(status, host).to.equal(400);
      }
    } finally {
      await listener.close();
    }
  });

  for (const host of ['127.0.0.1', '::1']) {
    it(`refuses a port that is in use on ${host}, and chooses another where possible (toolhive 2098)`, async () => {
      const { server, port } = await occupy(host);
      try {
        expect((await caught(() => listenForRedirect(port, false))).code).to.equal('ERR_LOGIN_PORT');
        const moved = await listenForRedirect(port, true);
        expect(new URL(moved.redirectUri).port).to.not.equal(String(port));
        await moved.close();
      } finally {
        server.close();
      }
    });
  }
});
