import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import { startTestRegistry } from '../../../../plugins/runtime-docker/test/support/test-registry.ts';
import { expectFailed, useFaultStage } from './support/fault-stage.ts';
import { FLOODS, HALF_A_LINE, HOGS, overHttp, overStdio, program, SILENT } from './support/faulty-servers.ts';

const SOON = ['--start-timeout', '1s'];
// hermes-agent 95187: opens an HTTP+SSE stream at every path, and has no POST there.
const EVENTS_ALONE = `require('node:http').createServer((request, response) => {
  if (request.method !== 'GET') return response.writeHead(405).end();
  response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('event: endpoint\\ndata: /messages\\n\\n');
}).listen(Number(process.env.PORT), process.env.MCP_HOST);`;

const FAULTS = [
  {
    title: 'a container that exits at once',
    words: program('console.error("no key given"); process.exit(3)'),
    says: /ended before it responded: exit status 3[^]*no key given/,
  },
  {
    title: 'a server that speaks HTTP and exits at once',
    words: overHttp('console.error("no key given"); process.exit(3);'),
    says: /ended before it responded: exit status 3[^]*no key given/,
  },
  {
    title: 'a server that never responds',
    words: [...SOON, ...program(SILENT)],
    says: 'did not respond within 1 s',
  },
  {
    title: 'a server that floods its standard output',
    words: [...SOON, ...program(FLOODS)],
    says: 'did not respond within 1 s',
  },
  {
    title: 'a server that writes half a line and hangs',
    words: [...SOON, ...program(HALF_A_LINE)],
    says: 'did not respond within 1 s',
  },
  { title: 'a server that runs out of memory', words: overStdio(HOGS), says: 'it ran out of memory' },
  {
    title: 'a server of HTTP+SSE that was run as streamable HTTP (hermes-agent 95187)',
    words: ['--transport', 'streamable-http', ...program(EVENTS_ALONE)],
    says: /speaks HTTP\+SSE[^]*--transport sse/,
  },
];

describe('portolan run when the start fails', function () {
  this.timeout(180_000);
  const stage = useFaultStage();

  /** Expects that nothing with the name exists, and that `list` does not show it. */
  async function expectNothing(name: string): Promise<void> {
    expect(await stage.user.list()).to.deep.equal([]);
    await stage.user.expectNoTraces();
    expectFailed(await stage.user.portolan(['rm', name]), name);
  }

  for (const { title, words, says } of FAULTS) {
    it(`reports ${title}, and leaves nothing`, async () => {
      const name = stage.name();
      expectFailed(await stage.begin(stage.words(name, ...words)).finished, says);
      await expectNothing(name);
    });
  }

  it('reports an absent engine, while list and rm still work', async () => {
    const absent = { DOCKER_HOST: `unix://${stage.user.root}/no-engine.sock` };
    const name = stage.name();
    expectFailed(await stage.begin(stage.words(name, ...overStdio()), absent).finished, /does not respond/);
    const listed = await stage.begin(['list', '--all', '--format', 'json'], absent).finished;
    expect(listed).to.include({ status: 0, stdout: '[]\n' });
    await expectNothing(name);
  });

  it('reports an image that does not exist', async () => {
    const name = stage.name();
    const registry = await startTestRegistry({ layer: Buffer.alloc(0), labels: {} });
    try {
      const words = ['run', `${registry.host}/acme/no-such-notes:1`, '--name', name];
      expectFailed(await stage.begin(words).finished, 'acme/no-such-notes:1" was not found');
    } finally {
      await registry.close();
    }
    await expectNothing(name);
  });

  for (const host of ['127.0.0.1', '0.0.0.0']) {
    it(`reports a port that is taken at ${host}`, async () => {
      const name = stage.name();
      const taken = createServer();
      taken.listen(0, host);
      await once(taken, 'listening');
      try {
        // SAFETY: a TCP server has a port.
        const { port } = taken.address() as AddressInfo;
        const words = stage.words(name, '--proxy-port', String(port), ...overStdio());
        expectFailed(await stage.begin(words).finished, new RegExp(`port ${port}`));
      } finally {
        taken.close();
      }
      await expectNothing(name);
    });
  }
});
