import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inTime } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { type Finished, RunningPortolan } from '../../support/command-line.ts';
import { skipSuite } from '../../support/skip-suite.ts';

const CONFIG = `sources: [{ name: own, managed: {} }]
registries: [{ name: main, sources: [own] }]
auth: { mode: anonymous }
`;
const TELEMETRY = `telemetry: { enabled: true, endpoint: 'https://collector.example:4318', caCertPath: /dev/zero }
`;
const API = `  - name: far
    api: { endpoint: 'https://registry.example', auth: { token: 'file:/dev/zero' } }
    syncPolicy: { interval: 1h }
`;

/* A device has no size and may be endless. */
describe('an endless file in a configuration', () => {
  let folder: string;
  before(async function () {
    if (!existsSync('/dev/zero')) skipSuite(this, 'no /dev/zero on this machine');
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-endless-'));
  });
  after(async () => {
    if (folder !== undefined) await rm(folder, { recursive: true });
  });

  /** Runs a command, and ends it before it has used all memory. */
  async function run(args: readonly string[], text: string): Promise<Finished> {
    const file = path.join(folder, 'portolan.config.yaml');
    await writeFile(file, text);
    const command = new RunningPortolan([...args, '--config', file], { cwd: folder });
    try {
      return await inTime('the end of the command', command.finished, { withinMs: 60_000 });
    } finally {
      command.kill('SIGKILL');
    }
  }

  for (const [title, text, place] of [
    ['of an exporter', CONFIG + TELEMETRY, 'telemetry.caCertPath'],
    [
      'with a secret',
      CONFIG.replace('[{ name: own, managed: {} }]', `\n  - { name: own, managed: {} }\n${API}`),
      'sources[1].api.auth.token',
    ],
  ] as const) {
    it(`config check › reports ${title}`, async () => {
      const { status, stdout, stderr } = await run(['config', 'check'], text);
      expect(status, stdout + stderr).to.equal(2);
      expect(stdout + stderr)
        .to.contain(place)
        .and.contain('/dev/zero');
    });
  }

  it('serve › fails when the CA file of the database is endless', async () => {
    const database = `database: { host: 127.0.0.1, port: 1, user: x, database: x, sslMode: verify-full, caCertPath: /dev/zero }\n`;
    const { status, stderr } = await run(['serve'], CONFIG + database);
    expect(status).to.be.above(0);
    expect(stderr).to.contain('Cannot read /dev/zero for TLS to the database');
  });
});
