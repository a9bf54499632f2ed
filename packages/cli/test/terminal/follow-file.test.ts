import { expect } from 'chai';
import { appendFile, mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readFileText } from '../../src/terminal/follow-file.ts';

describe('readFileText', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-follow-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function readAll(file: string): Promise<string> {
    let all = '';
    for await (const text of readFileText(file, { follow: false, signal: new AbortController().signal }))
      all += text;
    return all;
  }

  it('yields the existing text, including characters that are split across reads', async () => {
    const file = path.join(folder, 'a.log');
    const text = `${'x'.repeat(65_535)}äöü`;
    await writeFile(file, text);
    expect(await readAll(file)).to.equal(text);
  });

  it('yields nothing for a missing file', async () => {
    expect(await readAll(path.join(folder, 'missing.log'))).to.equal('');
  });

  it('follows appended text until the signal aborts, also after the file was truncated', async () => {
    const file = path.join(folder, 'a.log');
    const controller = new AbortController();
    const texts: string[] = [];
    await writeFile(file, 'one\n');
    for await (const text of readFileText(file, { follow: true, signal: controller.signal })) {
      texts.push(text);
      if (texts.length === 1) await appendFile(file, 'two\n');
      else if (texts.length === 2) {
        await truncate(file, 0);
        await writeFile(file, 'new\n');
      } else controller.abort();
    }
    expect(texts).to.deep.equal(['one\n', 'two\n', 'new\n']);
  });

  it('ends when the file is missing and none may be created', async () => {
    const file = path.join(folder, 'a.log');
    const { signal } = new AbortController();
    const texts: string[] = [];
    let asked = 0;
    const mayCome = async (): Promise<boolean> => {
      asked += 1;
      if (asked === 1) await writeFile(file, 'two\n');
      return asked === 1;
    };
    await writeFile(file, 'one\n');
    for await (const text of readFileText(file, { follow: true, signal, mayCome })) {
      texts.push(text);
      await rename(file, `${file}.${texts.length}`);
    }
    expect({ texts, asked }).to.deep.equal({ texts: ['one\n', 'two\n'], asked: 2 });
  });
});
