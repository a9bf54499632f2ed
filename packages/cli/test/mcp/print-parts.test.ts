import { expect } from 'chai';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Part } from '../../src/mcp/contents.ts';
import { printParts, safeJson } from '../../src/mcp/print-parts.ts';

const HOSTILE = 'a\u001B[2Jb\u202Ec\nd';
const TEXT: Part = { is: 'text', text: HOSTILE };
const IMAGE: Part = { is: 'bytes', what: 'image', mimeType: 'image/png', base64: 'aGk=' };

async function print(parts: readonly Part[], isTerminal: boolean, file?: string) {
  const written: string[] = [];
  const told: string[] = [];
  await printParts(parts, {
    isTerminal,
    write: (data) => void written.push(String(data)),
    tell: (lines) => void told.push(...lines),
    file,
  });
  return { written: written.join(''), told: told.join('\n') };
}

describe('printParts', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-parts-'));
  });
  after(async () => await rm(folder, { recursive: true, force: true }));

  it('writes text unchanged when the output is not a terminal', async () => {
    expect((await print([TEXT], false)).written).to.equal(`${HOSTILE}\n`);
  });

  it('removes control characters for a terminal', async () => {
    expect((await print([TEXT], true)).written).to.equal('ab c\nd\n');
  });

  it('names the data that it does not show', async () => {
    const { written, told } = await print([IMAGE], true);
    expect(written).to.equal('');
    expect(told).to.equal('image (image/png, 2 bytes) is not shown; --output FILE saves it');
  });

  it('saves data, several files with numbers', async () => {
    await print([IMAGE], true, path.join(folder, 'one.png'));
    await print([IMAGE, TEXT, IMAGE], true, path.join(folder, 'chart.png'));
    expect((await readdir(folder)).toSorted()).to.deep.equal(['chart-1.png', 'chart-2.png', 'one.png']);
    expect(await readFile(path.join(folder, 'one.png'), 'utf8')).to.equal('hi');
  });

  it('throws without data to save, and when the file cannot be written', async () => {
    for (const [part, file] of [
      [TEXT, path.join(folder, 'none.txt')],
      [IMAGE, path.join(folder, 'no-folder/a.png')],
    ] as const) {
      const failed = await print([part], false, file).catch((error: unknown) => error);
      expect(failed).to.have.property('code', 'ERR_BAD_ARGUMENT');
    }
  });
});

describe('safeJson', () => {
  it('escapes control characters, and keeps the value', () => {
    const value = { text: `\u009B31m${HOSTILE}\u{E0001}é` };
    const json = safeJson(value);
    expect(JSON.parse(json)).to.deep.equal(value);
    expect(json).to.match(/^[\n\x20-\x7Eé]+$/);
  });
});
