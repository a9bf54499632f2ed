import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { runPortolan } from '../../../test/support/command-line.ts';
import { TemporaryFolders } from '../../../test/support/temporary-folders.ts';

const CONFIG = {
  sources: [{ name: 'own', managed: {} }],
  registries: [{ name: 'main', sources: ['own'] }],
  auth: { mode: 'anonymous' },
};

describe('portolan backup and restore', function () {
  this.timeout(120_000);
  const folders = new TemporaryFolders();
  let folder: string;

  beforeEach(async () => {
    folder = await folders.make();
  });
  afterEach(() => folders.removeAll());

  async function portolan(url: string, ...args: readonly string[]) {
    const config = path.join(folder, 'portolan.config.json');
    await writeFile(config, JSON.stringify({ ...CONFIG, database: { url } }));
    return await runPortolan(args, { cwd: folder, env: { PORTOLAN_CONFIG: config } });
  }

  it('saves the configured database and restores it', async () => {
    const url = 'sqlite:registry.db';
    expect(await portolan(url, 'migrate', 'up', '--yes')).to.include({ status: 0 });
    expect(await portolan(url, 'backup', 'saved.db')).to.include({ status: 0 });
    const again = await portolan(url, 'backup', 'saved.db');
    expect(again).to.include({ status: 2 });
    expect(again.stderr).to.contain('saved.db exists; expected a new file');
    const unconfirmed = await portolan(url, 'restore', 'saved.db');
    expect(unconfirmed.stderr).to.contain('--yes');
    const restored = await portolan(url, 'restore', 'saved.db', '--yes');
    expect(restored).to.include({ status: 0 });
    expect(restored.stdout).to.contain('registry.db.before-restore');
    expect((await portolan(url, 'migrate', 'status')).stdout).not.to.contain('pending');
    expect((await readdir(folder)).toSorted()).to.deep.equal([
      'portolan.config.json',
      'registry.db',
      'registry.db.before-restore',
      'saved.db',
    ]);
  });

  for (const { args, hint } of [
    { args: ['backup', 'saved.db'], hint: 'pg_dump' },
    { args: ['restore', 'saved.db', '--yes'], hint: 'pg_restore' },
  ]) {
    it(`names the program for PostgreSQL: ${args[0]}`, async () => {
      const { status, stderr } = await portolan('postgres://127.0.0.1:1/registry', ...args);
      expect(status).to.equal(2);
      expect(stderr).to.contain(hint);
    });
  }

  it('reports that a backup does not exist', async () => {
    const { status, stderr } = await portolan('sqlite:registry.db', 'restore', 'absent.db', '--yes');
    expect(status).to.equal(2);
    expect(stderr).to.contain('absent.db');
    expect(await readdir(folder)).to.deep.equal(['portolan.config.json']);
  });
});
