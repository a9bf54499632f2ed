import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createRecordingLogger, FakeClock } from '@portolan/plugin-testing';
import { expect } from 'chai';
import type { RegistryServer } from '@portolan/registry-client';
import { CatalogueCache } from '../../../packages/registry-client/src/lookup/catalogue-cache.ts';
import { writeAtomically } from '../../../packages/workload/src/state/write-atomically.ts';
import { TemporaryFolders } from '../../support/temporary-folders.ts';

const WORKER = path.join(import.meta.dirname, '../../support/cache-worker.ts');
const MIB = 1024 * 1024;
const DAY_MS = 24 * 3_600_000;

function serversOf(name: string, bytes = 0): readonly RegistryServer[] {
  const document = { name, description: 'x'.repeat(bytes) };
  return [{ document, status: 'active', statusMessage: undefined }];
}

describe('CatalogueCache', () => {
  const folders = new TemporaryFolders();
  let folder = '';
  let clock: FakeClock;

  beforeEach(async () => {
    folder = path.join(await folders.make(), 'cache');
    clock = new FakeClock(new Date());
  });
  afterEach(() => folders.removeAll());

  const open = (): CatalogueCache =>
    new CatalogueCache({
      folder,
      clock: clock.clock,
      logger: createRecordingLogger(),
      write: writeAtomically,
    });

  it('returns stored results to another process for 7 days, and nothing for another query', async () => {
    await open().store(serversOf('dev.acme/notes'), 'api', 'a');
    const other = open();
    expect((await other.find('api', 'a'))?.servers).to.deep.equal(serversOf('dev.acme/notes'));
    expect(await other.find('api', 'b')).to.equal(undefined);
    expect(await other.find('apia')).to.equal(undefined);
    clock.advance(7 * DAY_MS);
    expect(await other.find('api', 'a')).to.equal(undefined);
  });

  it('treats results with a future time as expired', async () => {
    const cache = open();
    const cached = await cache.store(serversOf('dev.acme/notes'), 'a');
    clock.advance(-DAY_MS);
    expect(cache.ageMs(cached)).to.be.above(DAY_MS);
    expect(await cache.find('a')).to.equal(undefined);
  });

  it('creates files that only their owner can read', async () => {
    await open().store(serversOf('dev.acme/notes'), 'a');
    const [name = ''] = await readdir(folder);
    expect((await stat(path.join(folder, name))).mode & 0o777).to.equal(0o600);
    expect((await stat(folder)).mode & 0o777).to.equal(0o700);
  });

  it('ignores a truncated or foreign file', async () => {
    const cache = open();
    await cache.store(serversOf('dev.acme/notes'), 'a');
    const [name = ''] = await readdir(folder);
    const file = path.join(folder, name);
    const whole = await readFile(file, 'utf8');
    await truncate(file, whole.length - 10);
    expect(await open().find('a')).to.equal(undefined);
    for (const text of [
      '{}',
      '[]',
      '{"format":2,"servers":[]}',
      '{"format":1,"fetchedAt":"soon","servers":[]}',
    ]) {
      await writeFile(file, text);
      expect(await open().find('a'), text).to.equal(undefined);
    }
  });

  it('removes files older than 7 days, and partial files of a killed process', async () => {
    await open().store(serversOf('dev.acme/old'), 'old');
    const [name = ''] = await readdir(folder);
    const half = path.join(folder, '.half.json.0123.tmp');
    await writeFile(half, 'half');
    const weekAgo = new Date(clock.clock().getTime() - 7 * DAY_MS);
    await utimes(path.join(folder, name), weekAgo, weekAgo);
    await utimes(half, weekAgo, weekAgo);
    await open().store(serversOf('dev.acme/new'), 'new');
    expect(await readdir(folder))
      .to.have.length(1)
      .and.not.include(name);
  });

  it('stores at most 10 MiB in a file, and larger results in memory only', async () => {
    const cache = open();
    await cache.store(serversOf('dev.acme/notes'), 'a');
    await cache.store(serversOf('dev.acme/large', 10 * MIB), 'a');
    expect(await readdir(folder)).to.deep.equal([]);
    expect((await cache.find('a'))?.servers[0]?.document).to.include({ name: 'dev.acme/large' });
  });

  it('stores at most 50 MiB in total, and evicts the oldest', async () => {
    for (let at = 0; at < 6; at += 1) {
      await open().store(serversOf(`dev.acme/n${at}`, 9 * MIB), String(at));
      // Files with the same modification time have no order.
      for (const name of await readdir(folder)) {
        const file = path.join(folder, name);
        const { mtimeMs } = await stat(file);
        await utimes(file, new Date(mtimeMs - 1000), new Date(mtimeMs - 1000));
      }
    }
    const there = await Promise.all(['0', '1', '2', '3', '4', '5'].map((key) => open().find(key)));
    expect(there.map((found) => found !== undefined)).to.deep.equal([false, true, true, true, true, true]);
  });

  it('works in memory when its folder cannot be created', async () => {
    await writeFile(path.join(path.dirname(folder), 'cache'), '');
    const cache = open();
    await cache.store(serversOf('dev.acme/notes'), 'a');
    expect((await cache.find('a'))?.servers).to.have.length(1);
  });

  it('returns no partial results to concurrent readers and writers', async () => {
    const children = ['one', 'two'].map((writer) =>
      spawn(process.execPath, ['--conditions=@portolan/source', WORKER, folder, writer, '30'], {
        stdio: ['ignore', 'inherit', 'inherit'],
      }),
    );
    const codes = await Promise.all(
      children.map(async (child) => (await once(child, 'close'))[0] as unknown),
    );
    expect(codes).to.deep.equal([0, 0]);
  });
});
