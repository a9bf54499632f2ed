import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { writeAtomically, writeTogether } from '../../src/state/write-atomically.ts';
import { caught } from '../../../../test/support/caught.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';

const folders = new TemporaryFolders();

describe('writeAtomically', () => {
  afterEach(() => folders.removeAll());

  it('creates folder and file for their owner only, without any other file', async () => {
    const folder = path.join(await folders.make(), 'a', 'b');
    const file = path.join(folder, 'x.json');
    await writeAtomically(file, 'one');
    await writeAtomically(file, 'two');
    expect(await readFile(file, 'utf8')).to.equal('two');
    expect(await readdir(folder)).to.deep.equal(['x.json']);
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect((await stat(folder)).mode & 0o777).to.equal(0o700);
  });

  it('leaves the old content and no temporary file when it fails', async () => {
    const folder = await folders.make();
    const inTheWay = path.join(folder, 'x.json');
    await mkdir(inTheWay);
    await writeFile(path.join(inTheWay, 'kept'), '1');
    const error = await caught(() => writeAtomically(inTheWay, 'new'));
    expect(error.code).to.equal('ERR_STATE_INACCESSIBLE');
    expect(error.message).to.include(inTheWay);
    expect(await readdir(folder)).to.deep.equal(['x.json']);
    expect(await readFile(path.join(inTheWay, 'kept'), 'utf8')).to.equal('1');
  });

  it('shows readers the old or the new text, never a part', async () => {
    const file = path.join(await folders.make(), 'x.json');
    const texts = ['a'.repeat(100_000), 'b'.repeat(50_000)];
    await writeAtomically(file, texts[0] ?? '');
    const controller = new AbortController();
    const seen = new Set<string>();
    const read = async (): Promise<void> => {
      while (!controller.signal.aborted) seen.add(await readFile(file, 'utf8'));
    };
    const reading = read();
    for (let round = 0; round < 30; round += 1) await writeAtomically(file, texts[round % 2] ?? '');
    controller.abort();
    await reading;
    expect([...seen].every((text) => texts.includes(text))).to.equal(true);
  });
});

describe('writeTogether', () => {
  afterEach(() => folders.removeAll());

  it('replaces no file when one of them cannot be written', async () => {
    const folder = await folders.make();
    const [first, second] = [path.join(folder, 'first.json'), path.join(folder, 'second.json')];
    await writeFile(first, 'before');
    await writeFile(second, 'before');
    const inAFile = path.join(second, 'third.json');
    const texts = [first, second, inAFile].map((file) => ({ file, text: 'after' }));
    const error = await caught(() => writeTogether(texts));
    expect(error.code).to.equal('ERR_STATE_INACCESSIBLE');
    expect(error.message).to.include(inAFile);
    expect(await readdir(folder)).to.have.members(['first.json', 'second.json']);
    expect(await readFile(first, 'utf8')).to.equal('before');
    await writeTogether(texts.slice(0, 2));
    expect(await readFile(first, 'utf8')).to.equal('after');
    expect(await readFile(second, 'utf8')).to.equal('after');
  });
});
