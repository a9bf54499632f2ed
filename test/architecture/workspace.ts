import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';

/** A package, plugin or example, which is checked as a unit. */
export interface Unit {
  /** npm name. For an example without `package.json`, the name of its folder. */
  readonly name: string;
  /** Path from the root of the repository, with slashes: `packages/kernel`. */
  readonly folder: string;
  readonly sort: 'package' | 'plugin' | 'example';
  /** Names under `dependencies`, `peerDependencies` and `optionalDependencies`. */
  readonly dependencies: readonly string[];
  readonly devDependencies: readonly string[];
  /** Import specifiers in the `exports` of its manifest: `@portolan/workload`, `@portolan/workload/run`. */
  readonly exports: readonly string[];
  /** Text of its TypeScript files, by path from the root of the repository. */
  readonly files: ReadonlyMap<string, string>;
}

export interface Workspace {
  readonly units: readonly Unit[];
  /** Packages that every test may use: the root's `devDependencies`. */
  readonly testTools: readonly string[];
}

interface Manifest {
  readonly name?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
}

const PLACES = [
  { sort: 'package', folders: 'packages/*', files: '{src,test}/**/*.ts' },
  { sort: 'plugin', folders: 'plugins/*', files: '{src,test}/**/*.ts' },
  { sort: 'example', folders: 'examples/*', files: '**/*.ts' },
] as const;

/** Reads packages, plugins and examples below a root. Throws if a package or plugin has no manifest. */
export async function readWorkspace(root: string): Promise<Workspace> {
  const { devDependencies } = await readManifest(root);
  const units: Unit[] = [];
  for (const { sort, folders, files } of PLACES) {
    for await (const entry of glob(folders, { cwd: root, withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      units.push(await readUnit(root, path.join(entry.parentPath, entry.name), sort, files));
    }
  }
  return { units, testTools: Object.keys(devDependencies ?? {}) };
}

async function readUnit(root: string, directory: string, sort: Unit['sort'], pattern: string): Promise<Unit> {
  const manifest = await readManifest(directory).catch((error: unknown): Manifest => {
    if (sort === 'example') return {}; // An example may consist of a config and a file, without a package.
    throw error;
  });
  const folder = slashed(path.relative(root, directory));
  const files = new Map<string, string>();
  for await (const found of glob(pattern, {
    cwd: directory,
    exclude: ['**/node_modules/**', '**/dist/**'],
  })) {
    files.set(`${folder}/${slashed(found)}`, await readFile(path.join(directory, found), 'utf8'));
  }
  const { dependencies, peerDependencies, optionalDependencies, devDependencies, exports = {} } = manifest;
  const name = manifest.name ?? folder;
  return {
    name,
    folder,
    sort,
    dependencies: Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies }),
    devDependencies: Object.keys(devDependencies ?? {}),
    exports: Object.keys(exports).map((subpath) => path.posix.join(name, subpath)),
    files,
  };
}

async function readManifest(directory: string): Promise<Manifest> {
  // SAFETY: npm has read this file before.
  return JSON.parse(await readFile(path.join(directory, 'package.json'), 'utf8')) as Manifest;
}

function slashed(file: string): string {
  return file.split(path.sep).join('/');
}
