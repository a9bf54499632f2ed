import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../../..');

async function linesOf(file: string): Promise<readonly string[]> {
  return (await readFile(path.join(ROOT, file), 'utf8')).split('\n').filter((line) => line !== '');
}

describe('build context of the server image', () => {
  it('excludes output of builds and tests, so that the build cache of the image stays valid', async () => {
    const left = (await linesOf('.gitignore')).map((line) => line.replace(/\/$/, ''));
    expect(left).to.include('dist');
    expect(await linesOf('.dockerignore')).to.include.members(
      left.map((line) => (line.includes('/') ? line : `**/${line}`)),
    );
  });
});
