import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

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
 * A copy of an example, so that what its commands write does not stay. It finds
 * the packages of this tree, as the example does. Whoever makes one removes it.
 */
export class ExampleCopy {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(example: string): Promise<ExampleCopy> {
    const folder = await mkdtemp(path.join(tmpdir(), 'portolan-example-'));
    await cp(path.join(EXAMPLES, example), folder, { recursive: true });
    await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
    return new ExampleCopy(folder);
  }

  /** Puts another text in place of one, in every file of the copy that has it. */
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
