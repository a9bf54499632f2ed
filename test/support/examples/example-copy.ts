import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run } from '../../../scripts/run.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
/** The folder of all examples. */
export const EXAMPLES = path.join(ROOT, 'examples');

/** Names of the examples. */
export async function listExamples(): Promise<readonly string[]> {
  const entries = await readdir(EXAMPLES, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted();
}

/**
 * A copy of an example, so that commands do not change the original. It uses the packages of this repository.
 * The caller has to remove it.
 */
export class ExampleCopy {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(example: string): Promise<ExampleCopy> {
    const folder = await mkdtemp(path.join(tmpdir(), 'portolan-example-'));
    const source = path.join(EXAMPLES, example);
    const left = await leftBehind(source);
    await cp(source, folder, { recursive: true, filter: (file) => !left.has(file) });
    await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
    return new ExampleCopy(folder);
  }

  /** Replaces a text in every file of the copy. */
  async replaceEverywhere(text: string, other: string): Promise<void> {
    for (const entry of await readdir(this.folder, { withFileTypes: true })) {
      if (!entry.isFile() || entry.name === 'README.md') continue;
      const file = path.join(this.folder, entry.name);
      const content = await readFile(file, 'utf8');
      if (content.includes(text)) await writeFile(file, content.replaceAll(text, other));
    }
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true });
  }
}

/**
 * Files that Git ignores in the original, which may remain after somebody followed the README. Empty outside
 * a checkout.
 */
async function leftBehind(folder: string): Promise<ReadonlySet<string>> {
  const words = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z'];
  const listed = await run('git', words, { cwd: folder }).catch(() => '');
  const names = listed.split('\0').filter((name) => name !== '');
  return new Set(names.map((name) => path.resolve(folder, name)));
}
