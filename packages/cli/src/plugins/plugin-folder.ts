import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { installedPluginsUnreadable } from '../context/context-errors.ts';
import { hostPackages } from '../context/host-packages.ts';

/** A plugin in the list of the plugin folder's `package.json`. */
export interface PluginRecord {
  readonly name: string;
  /** `user`: npm has installed it. `link`: its folder is elsewhere. */
  readonly type: 'user' | 'link';
  /** Folder of a linked plugin, absolute. */
  readonly root?: string;
  /** File, repository or address of an installed plugin. */
  readonly url?: string;
  /** Version, range or tag of an installed plugin in the package index. */
  readonly tag?: string;
}

interface FolderManifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly oclif?: { readonly plugins?: readonly unknown[] };
}

/** Content of the files that record what npm has installed. */
export type FolderState = ReadonlyMap<string, string | undefined>;

const STATE_FILES = ['package.json', 'package-lock.json'];

/** The folder of the user in which npm installs plugins. */
export class PluginFolder {
  readonly folder: string;
  readonly #manifest: string;

  /** `manifest` is the `package.json` of the folder, absolute; the folder may be missing. */
  constructor(manifest: string) {
    this.#manifest = manifest;
    this.folder = path.dirname(manifest);
  }

  rootOf({ name, root }: PluginRecord): string {
    return root ?? path.join(this.folder, 'node_modules', name);
  }

  /** Lists the plugins in the order of their installation. Throws ERR_PLUGIN_SHAPE. */
  async list(): Promise<readonly PluginRecord[]> {
    const { oclif } = await this.#read();
    return (oclif?.plugins ?? []).flatMap((item: unknown): PluginRecord[] => {
      if (typeof item === 'string') return [{ name: item, type: 'user', tag: 'latest' }];
      return isRecord(item) ? [item] : [];
    });
  }

  /** Returns what npm has installed: specifications by package name. */
  async dependencies(): Promise<Readonly<Record<string, string>>> {
    return (await this.#read()).dependencies ?? {};
  }

  async save(plugins: readonly PluginRecord[]): Promise<void> {
    await this.#write({ ...(await this.#read()), oclif: { schema: 1, plugins } });
  }

  /**
   * Prepares the folder for npm. `overrides` replace every `@portolan/*` of this program
   * with an empty package in `host-packages`, so that npm asks no package index for them.
   */
  async prepare(): Promise<void> {
    const overrides: Record<string, string> = {};
    for (const { name, version } of hostPackages()) {
      const stub = path.join(this.folder, 'host-packages', name.replace('@portolan/', ''));
      await mkdir(stub, { recursive: true });
      await writeFile(path.join(stub, 'package.json'), JSON.stringify({ name, version }));
      overrides[name] = `file:${stub}`;
    }
    await this.#write({ dependencies: {}, ...(await this.#read()), private: true, overrides });
  }

  async remember(): Promise<FolderState> {
    const texts = await Promise.all(STATE_FILES.map((file) => readIfThere(path.join(this.folder, file))));
    return new Map(STATE_FILES.map((file, index) => [file, texts[index]]));
  }

  /** Writes the files of a snapshot. Leaves the installed packages as they are. */
  async restore(state: FolderState): Promise<void> {
    for (const [name, text] of state) {
      const file = path.join(this.folder, name);
      await (text === undefined ? rm(file, { force: true }) : writeFile(file, text));
    }
  }

  /** Removes everything that npm has installed, and the list of plugins. */
  async empty(): Promise<void> {
    for (const name of [...STATE_FILES, 'node_modules', 'host-packages'])
      await rm(path.join(this.folder, name), { recursive: true, force: true });
  }

  async #read(): Promise<FolderManifest> {
    const text = await readIfThere(this.#manifest);
    if (text === undefined) return {};
    try {
      // SAFETY: this is Portolan's own file, and all members are optional in the type.
      return Object(JSON.parse(text)) as FolderManifest;
    } catch (error) {
      throw installedPluginsUnreadable(this.#manifest, error);
    }
  }

  async #write(manifest: object): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    await writeFile(this.#manifest, `${JSON.stringify(manifest, null, 2)}\n`);
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw installedPluginsUnreadable(file, error);
  }
}

function isRecord(item: unknown): item is PluginRecord {
  if (typeof item !== 'object' || item === null || !('name' in item) || !('type' in item)) return false;
  if (typeof item.name !== 'string') return false;
  return item.type === 'user' || (item.type === 'link' && 'root' in item && typeof item.root === 'string');
}
