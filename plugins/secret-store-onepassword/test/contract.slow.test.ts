import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { secretStoreContract } from '@portolan/plugin-testing';
import { onePasswordStore } from '../src/index.ts';

const ITEM = {
  id: 'i1',
  title: 'Weather',
  vault: { id: 'v1', name: 'Work' },
  fields: [{ label: 'key', value: 'k-1', reference: 'op://Work/Weather/key' }],
};

/** Stands in for the program: it knows one item. */
const PROGRAM = `#!${process.execPath}
const item = ${JSON.stringify(ITEM)};
const words = process.argv.slice(2);
if (words[0] === 'read') {
  const field = item.fields.find(({ reference }) => reference === words[2]);
  if (field !== undefined) process.stdout.write(field.value);
  else { process.stderr.write('[ERROR] 2026/01/01 00:00:00 "x" isn\\'t an item in the "Work" vault.\\n'); process.exitCode = 1; }
} else process.stdout.write(JSON.stringify(words[1] === 'list' ? [item] : item));
`;

describe('1Password store', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portolan-op-'));
    await writeFile(join(folder, 'op'), PROGRAM);
    await chmod(join(folder, 'op'), 0o755);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  secretStoreContract({
    name: '1password',
    kind: onePasswordStore,
    blocks: [{ program: 'op' }],
    create: (context) => onePasswordStore.create({ program: join(folder, 'op') }, context),
    present: { 'op://Work/Weather/key': 'k-1' },
    names: ['op://Work/Maps/key', 'op://Work/Weather/other'],
    badNames: ['', 'weather', 'op://Work', '--help'],
  });
});
