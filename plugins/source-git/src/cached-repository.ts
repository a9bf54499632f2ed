import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Name of the reference to the commit in use. git then keeps the commit, and tells the server that it has it.
 */
export const CURRENT = 'refs/portolan/current';
/**
 * Name of a marker file. It exists when the server refused to serve single files, so that fetches are
 * complete.
 */
const WHOLE = 'portolan-whole';
/** Maximum number of packs. Each fetch adds one or two, and many packs slow down reads. */
const MAX_PACKS = 60;

/**
 * A bare repository in the scratch folder, written by one git process at a time. Nothing is ever checked out.
 */
export class CachedRepository {
  readonly folder: string;

  constructor(scratch: string) {
    this.folder = join(scratch, 'repository');
  }

  /** Returns the commit of the last complete fetch. */
  async current(): Promise<string | undefined> {
    const text = await readFile(join(this.folder, CURRENT), 'utf8').catch(() => '');
    return /^[0-9a-f]{40,64}\n?$/.test(text) ? text.trim() : undefined;
  }

  async exists(): Promise<boolean> {
    return isThere(this.folder);
  }

  /** Returns whether the server has refused to serve single files. */
  async isWhole(): Promise<boolean> {
    return isThere(join(this.folder, WHOLE));
  }

  /** Removes the files of a killed git process, and the whole repository when it exceeds its limits. */
  async tidy({ bytes }: { readonly bytes: number }): Promise<void> {
    const folder = join(this.folder, 'objects', 'pack');
    const names = await readdir(folder).catch(() => []);
    for (const name of names)
      if (name.startsWith('tmp_')) await rm(join(folder, name), { recursive: true, force: true });
    const packs = names.filter((name) => name.endsWith('.pack'));
    // A broken symbolic link is damage, which git will report.
    const sizeOf = (name: string) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      );
    const sizes = await Promise.all(packs.map(sizeOf));
    const sum = sizes.reduce((all, size) => all + size, 0);
    if (packs.length > MAX_PACKS || sum > bytes / 2) await this.remove();
  }

  /** Creates the repository. The length of `object` determines the hash function of all names. */
  async make(object: string, { isWhole }: { readonly isWhole: boolean }): Promise<void> {
    for (const name of ['objects/info', 'objects/pack', 'refs/heads', 'refs/portolan'])
      await mkdir(join(this.folder, name), { recursive: true, mode: 0o700 });
    await writeFile(join(this.folder, 'HEAD'), 'ref: refs/heads/none\n');
    await writeFile(join(this.folder, 'config'), object.length === 64 ? SHA256 : SHA1);
    if (isWhole) await writeFile(join(this.folder, WHOLE), '');
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Returns the refspec by which the fetch writes the reference. */
export function refspecOf(object: string): string {
  return `+${object}:${CURRENT}`;
}

const SHA1 = '[core]\n\trepositoryformatversion = 0\n\tbare = true\n';
const SHA256 =
  '[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n';
