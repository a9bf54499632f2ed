import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { LAUNCHER } from '../../support/command-line.ts';
import { freePort } from '../../support/free-port.ts';
import { skipSuite } from '../../support/skip-suite.ts';

const run = promisify(execFile);
const SOON = { withinMs: 60_000 };

/* The log is on its own small disk. The database is elsewhere. */
describe('a registry server with a full disk for its log', function () {
  this.timeout(120_000);
  let folder = '';
  let disk = '';
  let server: ChildProcess | undefined;

  before(async function () {
    if (process.getuid?.() !== 0) skipSuite(this, 'only root can mount a small disk');
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-log-disk-'));
    disk = await mkdtemp(path.join(folder, 'disk-'));
    await run('mount', ['-t', 'tmpfs', '-o', 'size=256k,mode=700', 'portolan-log-disk', disk]);
  });
  afterEach(async () => {
    if (server?.exitCode === null && server.signalCode === null) {
      server.kill('SIGTERM');
      await once(server, 'exit');
    }
  });
  after(async () => {
    if (disk !== '') await run('umount', [disk]);
    if (folder !== '') await rm(folder, { recursive: true });
  });

  for (const { title, audit } of [
    { title: 'standard error', audit: false },
    { title: 'standard error and its audit log on standard output', audit: true },
  ]) {
    it(`keeps serving and counts lost lines when the disk of ${title} is full`, async () => {
      const [port, internal] = [await freePort(), await freePort()];
      const file = path.join(folder, 'portolan.config.yaml');
      const middleware = audit ? { middleware: { audit: { enabled: true } } } : {};
      await writeFile(
        file,
        stringify({
          sources: [{ name: 'own', managed: {} }],
          registries: [{ name: 'main', sources: ['own'] }],
          auth: { mode: 'anonymous' },
          database: { url: `sqlite:${path.join(folder, 'portolan.db')}` },
          server: { address: `127.0.0.1:${port}`, internalAddress: `127.0.0.1:${internal}` },
          ...middleware,
        }),
      );
      const log = path.join(disk, 'portolan.log');
      const auditLog = path.join(disk, 'audit.log');
      const handle = await open(log, 'a');
      const auditHandle = await open(auditLog, 'a');
      server = spawn(process.execPath, [LAUNCHER, 'serve', '--config', file], {
        stdio: ['ignore', auditHandle.fd, handle.fd],
        env: { ...process.env, LOG_LEVEL: 'debug' },
      });
      await Promise.all([handle.close(), auditHandle.close()]);
      const url = `http://127.0.0.1:${port}`;
      const list = async (): Promise<number> => {
        const response = await fetch(`${url}/registry/main/v0.1/servers`, {
          headers: { connection: 'close' },
        });
        await response.arrayBuffer();
        return response.status;
      };
      const lost = async (): Promise<number> => {
        const text = await (await fetch(`http://127.0.0.1:${internal}/metrics`)).text();
        return Number(/^portolan_log_lines_lost_total (\d+)$/m.exec(text)?.[1]);
      };
      await eventually(async () => expect(await list()).to.equal(200), SOON);
      expect(await lost()).to.equal(0);
      const ballast = path.join(disk, 'ballast');
      await fill(disk, ballast);
      // Wait until the last block of the log is full.
      await eventually(async () => {
        for (let times = 0; times < 20; times += 1) expect(await list()).to.equal(200);
        expect(await lost()).to.be.greaterThan(10);
      }, SOON);
      expect(server.exitCode).to.equal(null);
      await rm(ballast);
      await eventually(async () => {
        expect(await list()).to.equal(200);
        const lines = (await readFile(log, 'utf8'))
          .split('\n')
          .filter((line) => line.includes('log lines were lost'));
        expect(lines).to.have.length(1);
        expect(JSON.parse(lines[0] ?? '')).to.include({ level: 'warn', lost: await lost() });
      }, SOON);
      // Audit lines wait for the disk.
      if (audit)
        await eventually(
          async () => expect(await readFile(auditLog, 'utf8')).to.match(/"outcome":"success".*\n$/),
          SOON,
        );
      await Promise.all([rm(log), rm(auditLog)]);
    });
  }
});

/** Fills a disk. The server writes lines at the same time, so the last bytes may not fit. */
async function fill(disk: string, ballast: string): Promise<void> {
  const { bavail, bsize } = await statfs(disk);
  try {
    await writeFile(ballast, Buffer.alloc(bavail * bsize, 1));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}
