import { expect } from 'chai';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { declarationsOf } from '../../../scripts/declarations-of.ts';

describe('declaration files in a published package', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-declarations-'));
    const files = {
      'index.d.ts': `export { A } from './deep/a.ts';\nexport type { Readable } from 'node:stream';\n`,
      'deep/a.d.ts': `import type { B } from "../b.ts";\nexport type A = B | import('./c.ts').C;\n`,
      'b.d.ts': `import './index.ts';\nexport type B = 1;\n`,
      'deep/c.d.ts': 'export type C = 2;\n',
      'second.d.ts': 'export {};\n',
      'own.d.ts': 'export type Own = 3;\n',
    };
    await mkdir(path.join(folder, 'dist/deep'), { recursive: true });
    for (const [file, text] of Object.entries(files)) await writeFile(path.join(folder, 'dist', file), text);
  });

  after(() => rm(folder, { recursive: true }));

  const keptOf = async (manifest: Readonly<Record<string, unknown>>) =>
    [...(await declarationsOf(manifest, folder))].map((file) => path.relative(folder, file)).toSorted();

  it('include those of its exports and all that these import, in every import form', async () => {
    const types = './dist/index.d.ts';
    const exports = { '.': { types, default: './dist/index.js' }, './2': { types: './dist/second.d.ts' } };
    expect(await keptOf({ exports })).to.deep.equal([
      'dist/b.d.ts',
      'dist/deep/a.d.ts',
      'dist/deep/c.d.ts',
      'dist/index.d.ts',
      'dist/second.d.ts',
    ]);
  });

  it('are none when the package has no exports', async () => {
    expect(await keptOf({ bin: './bin/it.js' })).to.deep.equal([]);
  });

  it('throws when a declaration file is missing', async () => {
    const exports = { '.': { types: './dist/none.d.ts' } };
    const outcome = await keptOf({ exports }).catch((error: unknown) => String(error));
    expect(outcome).to.include('none.d.ts');
  });
});
