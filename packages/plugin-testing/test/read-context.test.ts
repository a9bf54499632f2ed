import { expect } from 'chai';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readContext } from '../src/index.ts';

describe('readContext', () => {
  it('creates the scratch folder once, and none when the folder of the test is gone', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'portolan-read-context-'));
    const { scratch } = readContext(path.join(folder, 'scratch'));
    for (const times of ['made', 'there'])
      expect(await scratch.open(), times).to.equal(path.join(folder, 'scratch'));
    expect(await readdir(folder)).to.deep.equal(['scratch']);
    await rm(folder, { recursive: true });
    expect(await scratch.open().catch(({ code }: { readonly code: unknown }) => code)).to.equal('ENOENT');
  });
});
