import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { LAUNCHER } from '../../support/command-line.ts';
import { freePort } from '../../support/free-port.ts';
import { skipSuite } from '../../support/skip-suite.ts';

const SOON = { withinMs: 60_000 };

describe('a registry server with 64 file descriptors', function () {
  this.timeout(120_000);
  let folder = '';
  let server: ChildProcess | undefined;
  const clients: Socket[] = [];

  before(async function () {
    if (process.platform !== 'linux') skipSuite(this, 'only Linux reports the limit of open files');
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-descriptors-'));
  });
  after(async () => {
    for (const client of clients) client.destroy();
    if (server?.exitCode === null && server.signalCode === null) {
      server.kill('SIGTERM');
      await once(server, 'exit');
    }
    if (folder !== '') await rm(folder, { recursive: true });
  });

  it('readiness › responds on both listeners while clients hold 80 idle connections to each', async () => {
    const [port, internal] = [await freePort(), await freePort()];
    const file = path.join(folder, 'portolan.config.yaml');
    const config = {
      sources: [{ name: 'own', managed: {} }],
      registries: [{ name: 'main', sources: ['own'] }],
      auth: { mode: 'anonymous' },
      database: { url: `sqlite:${path.join(folder, 'portolan.db')}` },
      server: { address: `127.0.0.1:${port}`, internalAddress: `127.0.0.1:${internal}` },
    };
    await writeFile(file, stringify(config));
    server = spawn(
      'sh',
      ['-c', 'ulimit -n 64 && exec "$0" "$@"', process.execPath, LAUNCHER, 'serve', '--config', file],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let log = '';
    server.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      log += chunk;
    });
    const status = async (at: number, requestPath: string): Promise<number | undefined> => {
      // The request has its own connection, like a probe. The server may have closed a connection that a
      // client keeps.
      const request = get({ port: at, host: '127.0.0.1', path: requestPath, agent: false });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    };
    const ready = async (at: number): Promise<number | undefined> => await status(at, '/readiness');
    for (const at of [port, internal])
      await eventually(async () => expect(await ready(at), log).to.equal(200), SOON);
    for (const at of [port, internal]) {
      for (let count = 0; count < 80; count += 1) {
        const client = connect(at, '127.0.0.1').on('error', () => undefined);
        clients.push(client);
        await once(client, 'connect');
      }
    }
    expect([await ready(port), await ready(internal)], log).to.deep.equal([200, 200]);
    expect(await status(port, '/registry/main/v0.1/servers'), log).to.equal(200);
    await eventually(() => expect(log).to.include('too few file descriptors'), SOON);
  });
});
