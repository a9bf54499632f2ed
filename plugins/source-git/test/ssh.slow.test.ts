import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readContext, sourceContract } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { skipSuite } from '../../../test/support/skip-suite.ts';
import { type GitConfig, gitSource } from '../src/index.ts';
import { catalogueText, ENTRIES } from './catalogue-text.ts';
import { faultOf } from './fault-of.ts';
import { gitBlock } from './git-block.ts';
import { catalogueOf, GitBench, namesOf } from './git-bench.ts';
import { findSshd, SshServer } from './ssh-server.ts';

describe('git source over ssh', () => {
  let bench: GitBench;
  let server: SshServer;
  let keys: string;
  const undo: (() => Promise<void>)[] = [];

  before(async function () {
    const program =
      (await findSshd()) ?? skipSuite(this, 'no sshd on this machine; apt-get install openssh-server');
    keys = await mkdtemp(join(tmpdir(), 'portolan-ssh-'));
    undo.push(() => rm(keys, { recursive: true }));
    server = await SshServer.start(program, join(keys, 'ssh'));
    undo.push(() => server.stop());
  });
  after(async () => {
    for (const act of undo.splice(0).toReversed()) await act();
  });
  beforeEach(async () => {
    bench = await GitBench.open();
    await cp(join(keys, 'ssh'), join(bench.folder, 'ssh'), { recursive: true });
    await bench.repository.commit({ 'registry.json': catalogueText(0) });
  });
  afterEach(() => bench.close());

  const ssh = { keyFile: 'ssh/key', knownHostsFile: 'ssh/known_hosts' };

  function block(more: Partial<GitConfig> = {}): GitConfig {
    const repository = `ssh://${server.user}@127.0.0.1:${server.port}${bench.repository.folder}`;
    return { ...gitBlock(bench.server), repository, ssh, ...more };
  }

  let revision = 0;
  sourceContract({
    name: 'git by ssh',
    kind: gitSource,
    create: (context) => gitSource.create(block(), { ...context, directory: bench.folder }),
    entries: ENTRIES,
    change: async () => {
      revision += 1;
      await bench.repository.commit({ 'registry.json': catalogueText(revision) });
    },
    spoil: () => rm(bench.repository.folder, { recursive: true }),
    withinMs: 30_000,
  });

  it('fetches only the selected files, and nothing when nothing has changed', async () => {
    await bench.repository.commit({ 'registry.json': catalogueOf('x'), 'big.bin': 'x'.repeat(100_000) });
    const source = await bench.source(block());
    expect(namesOf(await bench.sync(source))).to.deep.equal(['dev.acme/x']);
    expect(namesOf(await bench.sync(source))).to.deep.equal(['dev.acme/x']);
  });

  it('refuses an unknown host key, a changed one, and an unauthorized client key', async () => {
    const known = join(bench.folder, 'ssh/known_hosts');
    const faults = async (more: Partial<GitConfig>) =>
      (await faultOf(async () => bench.sync(await bench.source(block(more))))).code;
    expect(await faults({ ssh: { ...ssh, keyFile: 'ssh/stranger' } })).to.equal('ERR_SOURCE_DENIED');
    await writeFile(known, '');
    expect(await faults({})).to.equal('ERR_SOURCE_UNTRUSTED');
    await writeFile(known, `[127.0.0.1]:${server.port} ssh-ed25519 ${'A'.repeat(68)}\n`);
    expect(await faults({})).to.equal('ERR_SOURCE_UNTRUSTED');
    const address = `ssh://${server.user}@127.0.0.1:${server.port}`;
    await writeFile(known, '');
    expect(await faults({ repository: `${address}/none.git` })).to.equal('ERR_SOURCE_UNTRUSTED');
  });

  it('reports a missing repository, and an unusable key file', async () => {
    const address = `ssh://${server.user}@127.0.0.1:${server.port}`;
    const faults = async (more: Partial<GitConfig>) =>
      await faultOf(async () => bench.sync(await bench.source(block(more))));
    expect((await faults({ repository: `${address}/none.git` })).code).to.equal('ERR_SOURCE_DENIED');
    await chmod(join(bench.folder, 'ssh/key'), 0o644);
    const open = await faults({});
    expect([open.code, open.message.includes('ssh.keyFile')]).to.deep.equal([
      'ERR_SOURCE_CREDENTIAL_FILE',
      true,
    ]);
    await chmod(join(bench.folder, 'ssh/key'), 0o600);
    await writeFile(join(bench.folder, 'ssh/key'), 'no key');
    expect((await faults({})).code).to.equal('ERR_SOURCE_CREDENTIAL_FILE');
    expect((await faults({ ssh: { ...ssh, keyFile: 'ssh/none' } })).code).to.equal(
      'ERR_SOURCE_CREDENTIAL_FILE',
    );
    expect((await faults({ repository: `ssh://x@127.0.0.1:1/x.git` })).code).to.equal(
      'ERR_SOURCE_UNREACHABLE',
    );
  });

  it('connects to the checked address, and verifies the key of the name', async () => {
    const asked: string[] = [];
    const source = await bench.source(
      block({ repository: `ssh://${server.user}@git.acme.example:${server.port}${bench.repository.folder}` }),
      {
        findRoute: async ({ scheme, host, port }) => {
          asked.push(`${scheme} ${host} ${port}`);
          return { addresses: ['127.0.0.1'] };
        },
      },
    );
    expect((await bench.sync(source)).items).to.have.lengthOf(3);
    expect(new Set(asked)).to.deep.equal(new Set([`ssh git.acme.example ${server.port}`]));
  });

  it('tries the next address when one is unresponsive', async () => {
    const source = await bench.source(
      block({ repository: `ssh://${server.user}@git.acme.example:${server.port}${bench.repository.folder}` }),
      { findRoute: async () => ({ addresses: ['127.0.0.2', '127.0.0.1'] }) },
    );
    expect((await bench.sync(source)).items).to.have.lengthOf(3);
  });

  for (const filters of [true, false])
    it(`reads from a server with only the older protocol, and ${filters ? 'can' : 'cannot'} leave files out`, async () => {
      const { repository, folder } = bench;
      const program = (await findSshd()) ?? '';
      const older = await SshServer.start(program, join(folder, 'older'), { speaksVersion2: false });
      try {
        if (!filters) await repository.git('config', 'uploadpack.allowFilter', 'false');
        const files = { 'registry.json': catalogueOf('one'), 'servers/a.json': catalogueOf('a') };
        const first = await repository.commit(files);
        const address = `ssh://${older.user}@127.0.0.1:${older.port}${repository.folder}`;
        const own = { keyFile: 'older/key', knownHostsFile: 'older/known_hosts' };
        const open = (more: Partial<GitConfig>) =>
          bench.source(block({ repository: address, ssh: own, ...more }));
        const [one, many] = [await open({}), await open({ path: 'servers/*.json' })];
        expect(namesOf(await bench.sync(one))).to.deep.equal(['dev.acme/one']);
        expect(namesOf(await bench.sync(many))).to.deep.equal(['dev.acme/a']);
        await repository.commit({ 'registry.json': catalogueOf('two'), 'servers/b.json': catalogueOf('b') });
        expect(namesOf(await bench.sync(one))).to.deep.equal(['dev.acme/two']);
        expect(namesOf(await bench.sync(many)).toSorted()).to.deep.equal(['dev.acme/a', 'dev.acme/b']);
        const past = await open({ commit: first });
        expect(namesOf(await bench.sync(past))).to.deep.equal(['dev.acme/one']);
      } finally {
        await older.stop();
      }
    });

  it("uses none of the user's settings, agents or keys", async () => {
    const home = join(bench.folder, 'home');
    await mkdir(join(home, '.ssh'), { recursive: true });
    const environment = {
      PATH: process.env['PATH'],
      HOME: home,
      SSH_AUTH_SOCK: '/none',
      GIT_SSH_COMMAND: '/none',
    };
    const source = await bench.source(block(), { environment });
    expect((await bench.sync(source)).items).to.have.lengthOf(3);
  });

  it('ends ssh with git, and leaves no process', async () => {
    const stop = new AbortController();
    const source = await bench.source(block());
    const hanging = new Promise<never>(() => undefined);
    const context = readContext(bench.scratch);
    const reading = (async () => {
      for await (const _ of source.readEntries(stop.signal, context)) stop.abort(new Error('enough'));
    })();
    const outcome = await Promise.race([reading, hanging]).catch((error: unknown) => error);
    expect(outcome).to.have.property('message', 'enough');
    expect(await bench.processes()).to.deep.equal([]);
  });
});
