import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { secretStoreContract } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { fileStore, listSecretFiles } from './src/file-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'secret-files-'));
writeFileSync(join(folder, 'weather-key'), 'k-1\n');
writeFileSync(join(folder, 'maps.token'), 'k-2');
writeFileSync(join(folder, '.hidden'), 'no secret');
after(() => rmSync(folder, { recursive: true }));

secretStoreContract({
  name: 'files',
  kind: fileStore,
  blocks: [{ folder: '/run/secrets' }],
  create: (context) => fileStore.create({ folder }, context),
  present: { 'weather-key': 'k-1', 'maps.token': 'k-2' },
  badNames: ['', '../weather-key', '.hidden', 'a/b'],
});

describe('listSecretFiles', () => {
  it('returns the names of files that are not hidden, sorted', async () => {
    expect(await listSecretFiles(folder)).to.deep.equal(['maps.token', 'weather-key']);
  });

  it('throws an error with a hint when the folder does not exist', async () => {
    const error: unknown = await listSecretFiles(join(folder, 'nowhere')).catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'ERR_SECRET_FILES_FOLDER' }).and.to.have.property('hint');
  });
});
