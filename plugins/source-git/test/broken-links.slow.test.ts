import { randomBytes } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeCertificate } from '../../../test/support/certificate.ts';
import { skipSuite } from '../../../test/support/skip-suite.ts';
import type { GitConfig } from '../src/index.ts';
import { faultOf } from './fault-of.ts';
import { catalogueOf, GitBench, namesOf } from './git-bench.ts';
import { gitBlock } from './git-block.ts';
import { GitServer } from './git-server.ts';
import { LimitedLink } from './limited-link.ts';
import { findSshd, SshServer } from './ssh-server.ts';

/** A server with a link before it, and the block of a source that asks it by way of the link. */
interface Linked {
  readonly link: LimitedLink;
  readonly block: Partial<GitConfig>;
  readonly close: () => Promise<void>;
}

const WAYS: Readonly<Record<string, (bench: GitBench, hook: Mocha.Context) => Promise<Linked>>> = {
  https: async (bench) => {
    const { cert, key, file } = await makeCertificate(bench.folder, ['localhost']);
    const server = await GitServer.start(join(bench.folder, 'served'), { cert, key });
    const link = await LimitedLink.open(server.port);
    const repository = `https://localhost:${link.port}/catalogue.git`;
    return {
      link,
      block: { repository, caCertPath: file },
      close: async () => {
        await link.close();
        await server.stop();
      },
    };
  },
  ssh: async (bench, hook) => {
    const program =
      (await findSshd()) ?? skipSuite(hook, 'no sshd on this machine; apt-get install openssh-server');
    const folder = await mkdtemp(join(tmpdir(), 'portolan-ssh-'));
    const server = await SshServer.start(program, folder);
    const link = await LimitedLink.open(server.port);
    const key = await readFile(join(folder, 'host.pub'), 'utf8');
    await appendFile(join(folder, 'known_hosts'), `[127.0.0.1]:${link.port} ${key}`);
    const repository = `ssh://${server.user}@127.0.0.1:${link.port}${bench.repository.folder}`;
    const ssh = { keyFile: join(folder, 'key'), knownHostsFile: join(folder, 'known_hosts') };
    return {
      link,
      block: { repository, ssh },
      close: async () => {
        await link.close();
        await server.stop();
        await rm(folder, { recursive: true });
      },
    };
  },
};

for (const [way, open] of Object.entries(WAYS)) {
  describe(`git source with a broken ${way} connection`, () => {
    let bench: GitBench;
    let linked: Linked;

    before(async function () {
      bench = await GitBench.open();
      await bench.repository.commit({
        'registry.json': catalogueOf('x'),
        'big.json': randomBytes(900_000).toString('base64'),
      });
      linked = await open(bench, this);
    });
    after(async () => {
      await linked?.close();
      await bench.close();
    });
    beforeEach(async () => {
      await rm(bench.scratch, { recursive: true, force: true });
      linked.link.reset();
    });

    const sync = async (more: Partial<GitConfig> = {}) =>
      await bench.sync(await bench.source(gitBlock(bench.server, { ...linked.block, ...more })));

    /** Connections of a sync that goes well: for the reference, the commit and its files. */
    async function bytesOfEach(): Promise<readonly number[]> {
      expect(namesOf(await sync({ timeout: '2m' }))).to.deep.equal(['dev.acme/x']);
      await rm(bench.scratch, { recursive: true });
      return [...linked.link.passed];
    }

    it('times out when any of its connections hangs, at the start or halfway', async function () {
      this.timeout(120_000);
      const whole = await bytesOfEach();
      expect(whole).to.have.lengthOf(3);
      for (const [connection, length] of whole.entries()) {
        for (const bytes of [0, Math.floor(length / 2)]) {
          linked.link.reset({ connection, bytes, outcome: 'hangs' });
          await rm(bench.scratch, { recursive: true, force: true });
          const fault = await faultOf(() => sync({ timeout: '1500ms' }));
          expect(fault.code, `connection ${connection}, ${bytes} bytes`).to.equal('ERR_SOURCE_TIMEOUT');
          expect(await bench.processes()).to.deep.equal([]);
        }
      }
    });

    it('reports any closed connection, and reads it in the next sync', async function () {
      this.timeout(120_000);
      const whole = await bytesOfEach();
      for (const [connection, length] of whole.entries()) {
        linked.link.reset({ connection, bytes: Math.floor(length / 2), outcome: 'is cut' });
        const fault = await faultOf(() => sync({ timeout: '2m' }));
        expect(fault.code, `connection ${connection}`).to.equal('ERR_SOURCE_UNREACHABLE');
        expect(await bench.processes()).to.deep.equal([]);
      }
      linked.link.reset();
      expect(namesOf(await sync({ timeout: '2m' }))).to.deep.equal(['dev.acme/x']);
    });

    it('reports a connection closed within a pack, and yields nothing', async () => {
      linked.link.reset({ connection: 2, bytes: 300_000, outcome: 'is cut' });
      const fault = await faultOf(() => sync({ path: 'big.json', timeout: '2m' }));
      expect(fault.code).to.equal('ERR_SOURCE_UNREACHABLE');
      expect(linked.link.passed[2]).to.equal(300_000);
      expect(await bench.processes()).to.deep.equal([]);
    });
  });
}
