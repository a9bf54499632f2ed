import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';

const ROOT = path.resolve(import.meta.dirname, '../../..');

/** What the first sample of a package's README prints; a package that is missing here shows none that runs by itself. */
const PRINTS: Readonly<Record<string, RegExp>> = {
  'registry-server': /^200 \{ servers: \[\], metadata: \{ count: 0 \} \}\n$/,
};

describe('the samples in READMEs of packages', function () {
  this.timeout(30_000); // each starts a process

  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-readme-'));
    await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  for (const [name, prints] of Object.entries(PRINTS)) {
    it(`packages/${name}/README.md shows one that runs`, async () => {
      await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }');
      await writeFile(path.join(folder, 'sample.ts'), await sampleOf(name));
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['--conditions=@portolan/source', 'sample.ts'],
        { cwd: folder, env: { HOME: folder } },
      );
      expect(stdout).to.match(prints);
    });
  }

  it('name packages that there are', async () => {
    expect(await readdir(path.join(ROOT, 'packages'))).to.include.members(Object.keys(PRINTS));
  });
});

async function sampleOf(name: string): Promise<string> {
  const readme = await readFile(path.join(ROOT, 'packages', name, 'README.md'), 'utf8');
  const [, text] = /^```ts\n(.*?)^```$/ms.exec(readme) ?? [];
  if (text === undefined) throw new Error(`the README of packages/${name} has no sample`);
  return text;
}
