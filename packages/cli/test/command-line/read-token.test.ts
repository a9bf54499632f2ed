import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { readToken } from '../../src/command-line/read-token.ts';

describe('readToken', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-token-'));
  });
  after(async () => {
    await rm(folder, { recursive: true, force: true });
  });
  const nothing = Readable.from([]);

  it('trims white space around the token', async () => {
    const file = path.join(folder, 'token');
    await writeFile(file, '\n  aaa.bbb-_.ccc==\r\n');
    expect(await readToken(file, nothing)).to.equal('aaa.bbb-_.ccc==');
  });

  it('reads standard input for "-"', async () => {
    expect(await readToken('-', Readable.from(['aaa', '.bbb\n']))).to.equal('aaa.bbb');
  });

  const bad = [
    { title: 'an empty file', text: ' \n', says: 'it is empty' },
    { title: 'a header', text: 'Bearer aaa.sesame', says: 'it begins with "Bearer"' },
    { title: 'two lines', text: 'aaa\nsesame', says: 'characters that no token has' },
    { title: 'letters beyond ASCII', text: 'sesame\u00E9', says: 'characters that no token has' },
    { title: 'a file that is too large', text: 'sesame'.repeat(20_000), says: 'more than 65536 bytes' },
  ];
  for (const { title, text, says } of bad) {
    it(`rejects ${title} without showing it`, async () => {
      const file = path.join(folder, 'bad');
      await writeFile(file, text);
      const error = await readToken(file, nothing).then(String, (reason: unknown) => reason);
      expect(error).to.have.property('code', 'ERR_TOKEN_FILE');
      expect(String(error)).to.include(says).and.not.to.include('sesame');
    });
  }

  it('reports why a file is unreadable', async () => {
    const message = async (file: string) => readToken(file, nothing).then(String, String);
    expect(await message(path.join(folder, 'nowhere'))).to.include('it does not exist');
    expect(await message(folder)).to.include('it is a folder');
  });
});
