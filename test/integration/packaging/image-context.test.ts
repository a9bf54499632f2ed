import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../../..');

async function linesOf(file: string): Promise<readonly string[]> {
  return (await readFile(path.join(ROOT, file), 'utf8')).split('\n').filter((line) => line !== '');
}

describe("the context of the server's image", () => {
  it('has nothing that a build or a run of tests leaves, so that an image that was made before them stays good', async () => {
    const left = (await linesOf('.gitignore')).map((line) => line.replace(/\/$/, ''));
    expect(left).to.include('packages/cli/man');
    expect(await linesOf('.dockerignore')).to.include.members(
      left.map((line) => (line.includes('/') ? line : `**/${line}`)),
    );
  });
});
