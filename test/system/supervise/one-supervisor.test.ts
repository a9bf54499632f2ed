import { watch } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { runPortolan } from '../../support/command-line.ts';
import { endWorkloads, foldersBelow } from '../../support/user-folders.ts';
import { TOOLS_SERVER } from '../run/support/tools-server.ts';

/** Until its name is known, the log of a supervisor has one of its own: as many of these as there were supervisors. */
const FIRST_LOG = /^\.starting-/;

describe('supervisors that one portolan run starts', function () {
  this.timeout(120_000);
  let root: string;
  let logs: string;
  let config: string;
  let folders: Readonly<Record<string, string>>;

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-one-'));
    folders = foldersBelow(root);
    logs = path.join(root, 'data/portolan/logs');
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    await mkdir(logs, { recursive: true });
    const server = path.join(root, 'server.mjs');
    await writeFile(server, TOOLS_SERVER);
    const host = path.resolve(import.meta.dirname, '../../support/process-host/index.ts');
    const programs = { 'registry.acme.example/notes:1': [process.execPath, server, 'list'] };
    const runtimes = { processes: { folder: path.join(root, 'servers'), programs } };
    config = path.join(root, 'portolan.json');
    await writeFile(config, JSON.stringify({ plugins: [host], runtimes }));
  });
  after(async () => {
    await endWorkloads(root, { ...folders, PORTOLAN_CONFIG: config, PORTOLAN_RUNTIME: 'processes' });
    await rm(root, { recursive: true, force: true });
  });

  const ways = {
    'the configuration is named by a variable': { flags: [], variables: true },
    'the configuration is named by a flag, which a process that is begun earlier does not know': {
      flags: ['--config'],
      variables: false,
    },
  };
  for (const [at, [what, { flags, variables }]] of Object.entries(ways).entries()) {
    it(`are one where ${what}`, async () => {
      const names = new Set<string>();
      const watcher = watch(logs, (_event, name) => {
        if (name !== null && FIRST_LOG.test(name)) names.add(name);
      });
      try {
        const env = {
          ...folders,
          PORTOLAN_RUNTIME: 'processes',
          ...(variables ? { PORTOLAN_CONFIG: config } : {}),
        };
        const args = ['run', 'registry.acme.example/notes:1', `--name=notes-${at}`, '--transport=stdio'];
        const given = flags.flatMap((flag) => [flag, config]);
        const { status, stderr } = await runPortolan([...args, '--isolate-network=false', ...given], {
          cwd: root,
          env,
        });
        expect(status, stderr).to.equal(0);
      } finally {
        watcher.close();
      }
      expect([...names]).to.have.length(1);
      expect((await readdir(logs)).filter((name) => FIRST_LOG.test(name))).to.deep.equal([]);
    });
  }
});
