import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { LocalIndexes, NPM_HOST } from '../build/support/local-indexes.ts';
import { publishNpm } from '../build/support/npm-package.ts';
import { OwnBaseImage } from '../../support/own-base-image.ts';
import { WorkloadUser } from '../../support/workload-user.ts';
import { ImageRegistry } from './support/image-registry.ts';
import { TOOLS_SERVER } from './support/tools-server.ts';

const dockerfile = (...command: readonly string[]): string =>
  `FROM portolan-test/node\nCOPY server.mjs /server.mjs\nENTRYPOINT ${JSON.stringify(['node', ...command])}\n`;

describe('portolan lock with an engine that pulls and builds', function () {
  this.timeout(600_000); // The cases pull, build, and start a process for each command.
  let anybody: WorkloadUser;
  let user: WorkloadUser;
  let indexes: LocalIndexes;

  before(async function () {
    anybody = await WorkloadUser.open(this); // The suite is skipped without an engine.
    indexes = await LocalIndexes.open(anybody.root);
    user = await WorkloadUser.at(anybody.runtime, {
      ...indexes.environment,
      npm_config_registry: `https://${NPM_HOST}/`,
    });
    await user.done('config', 'set-ca-cert', indexes.certificate);
  });
  afterEach(async () => await user?.removeLeft());
  after(async () => {
    await user?.close();
    await indexes?.close();
    await anybody?.close();
  });

  const lockOf = async (name: string): Promise<string> =>
    await readFile(path.join(user.root, `data/portolan/policies/${name}/portolan.lock`), 'utf8');

  it('locks the digest of a pulled image, and refuses another one under the same tag', async () => {
    const registry = await ImageRegistry.open(anybody.root);
    try {
      const images = { first: dockerfile('/server.mjs', 'list'), second: dockerfile('/server.mjs', 'find') };
      await registry.make(images, { 'server.mjs': TOOLS_SERVER });
      registry.publish('first', '1.0');
      const image = `${registry.repository}:1.0`;
      await user.run('--name', 'pulled', '--transport', 'stdio', '--isolate-network=false', image);
      await user.done('stop', 'pulled');
      await user.done('lock', 'pulled', '--yes');
      expect(await lockOf('pulled')).to.match(/image: \S+:1\.0, digest: sha256:[0-9a-f]{64}/);
      await user.done('lock', '--check', 'pulled');

      registry.publish('second', '1.0');
      await user.done('update', 'pulled');
      const checked = await user.portolan(['lock', '--check', 'pulled']);
      expect(checked.status, checked.stderr).to.equal(3);
      expect(checked.stdout).to.include('~ image (changed, refused)').and.include('+ tool find');
      await user.done('lock', 'approve', 'pulled', '--yes');
      await user.done('lock', '--check', 'pulled');
      await user.removeAll('pulled');
    } finally {
      await registry.close();
    }
  });

  it('locks the integrity of a package, and nothing of the image that was built from it', async () => {
    const base = await OwnBaseImage.make(user.runtime);
    try {
      await publishNpm(indexes, anybody.root, {
        name: '@acme/locked',
        version: '1.2.3',
        more: { bin: { locked: 'server.mjs' } },
        files: { 'server.mjs': `#!/usr/bin/env node\nprocess.argv.push('read');\n${TOOLS_SERVER}` },
      });
      const flags = ['--name', 'built', '--isolate-network=false', '--runtime-image', base.reference];
      await user.run(...flags, 'npx://@acme/locked@1.2.3');
      await user.done('lock', 'built', '--yes');
      const text = await lockOf('built');
      expect(text).to.include('source: npx://@acme/locked@1.2.3');
      expect(text).to.match(/package: "?@acme\/locked"?, version: 1\.2\.3, integrity: sha512-\S+/);
      expect(text).to.not.include('portolanlocal').and.not.include('digest: sha256:0');
      await user.done('lock', '--check', 'built');
      await user.removeAll('built');
    } finally {
      await user.removeLeft();
      await base.remove();
    }
  });
});
