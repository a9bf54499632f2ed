import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { RunningPortolan } from '../../support/command-line.ts';
import { CuttableLink } from '../../support/cuttable-link.ts';
import { skipSuite } from '../../support/skip-suite.ts';

const POSTGRES = process.env['PORTOLAN_TEST_POSTGRES_URL'];

/** Returns the value once it satisfies a condition. Throws with the last value after the timeout. */
async function eventually<T>(ask: () => Promise<T>, isWanted: (answer: T) => boolean): Promise<T> {
  const deadline = Date.now() + 40_000;
  for (;;) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(answer)} after 40 s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('portolan serve when PostgreSQL goes down', function () {
  this.timeout(180_000);
  let folder: string;
  let link: CuttableLink;
  let url: URL;
  let running: RunningPortolan | undefined;
  const name = `portolan_test_${randomUUID().replaceAll('-', '')}`;

  const administer = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: POSTGRES });
    await client.connect();
    await client.query(statement);
    await client.end();
  };

  before(async function () {
    if (POSTGRES === undefined) skipSuite(this, 'PORTOLAN_TEST_POSTGRES_URL names no server');
    const target = new URL(POSTGRES);
    await administer(`create database ${name}`);
    link = new CuttableLink({ host: target.hostname, port: Number(target.port || 5432) });
    await link.mend();
    url = new URL(POSTGRES);
    url.host = `127.0.0.1:${link.port}`;
    url.pathname = `/${name}`;
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-fault-'));
    const server = { name: 'acme/tides', description: 'Tides of the coast.', version: '1.0.0' };
    await writeFile(
      path.join(folder, 'catalogue.json'),
      JSON.stringify({ version: '1.0.0', data: { servers: [server] } }),
    );
    await writeFile(
      path.join(folder, 'portolan.config.yaml'),
      `
sources:
  - { name: catalogue, file: { path: ./catalogue.json }, syncPolicy: { interval: 30m } }
registries:
  - { name: main, sources: [catalogue] }
auth: { mode: anonymous }
database: { url: "${url.href}" }
server: { address: "127.0.0.1:0", internalAddress: off }
`,
    );
  });

  after(async () => {
    running?.kill('SIGKILL');
    await running?.finished;
    if (POSTGRES === undefined) return;
    await link.cut();
    await administer(`drop database ${name} with (force)`);
    await rm(folder, { recursive: true });
  });

  it('exits with status 1 and a message when it is down at the start', async () => {
    await link.cut();
    const { status, stderr } = await new RunningPortolan(['serve'], { cwd: folder }).finished;
    expect(status).to.equal(1);
    expect(stderr).to.contain(`127.0.0.1:${link.port}/${name}`).and.contain('does not respond');
    expect(stderr).to.not.contain('    at ');
    await link.mend();
  });

  it('responds 503 with a reason while it is down, and recovers', async () => {
    running = new RunningPortolan(['serve'], { cwd: folder });
    const { address } = await running.logged('listening');
    await running.logged('source synced');
    const ask = async (where: string) => {
      const answer = await fetch(`http://${String(address)}${where}`);
      return { status: answer.status, body: await answer.text() };
    };
    const list = (): ReturnType<typeof ask> => ask('/registry/main/v0.1/servers?limit=7');
    expect((await list()).status).to.equal(200);

    await link.cut();
    const down = await eventually(list, ({ status }) => status === 503);
    expect(JSON.parse(down.body))
      .to.include({ code: 'ERR_DATABASE_UNAVAILABLE' })
      .and.have.property('requestId');
    const notReady = await ask('/readiness');
    expect(notReady.status).to.equal(503);
    expect(notReady.body, 'it says why').to.contain('does not respond');
    expect((await ask('/health')).status, 'the process itself is well').to.equal(200);

    await link.mend();
    await eventually(list, ({ status }) => status === 200);
    expect((await ask('/readiness')).status).to.equal(200);
    expect((await running.stop()).status).to.equal(0);
    running = undefined;
  });
});
