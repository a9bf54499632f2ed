import { glob, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createGunzip } from 'node:zlib';
import { build } from '../../../scripts/build.ts';
import { packAll } from '../../../scripts/pack.ts';
import { run } from '../../../scripts/run.ts';
import { listenOnLoopback } from '../../support/listen-on-loopback.ts';
import { skipSuite } from '../../support/skip-suite.ts';

/** All packages, installed from their tarballs in a folder of their own. */
export interface PackedInstallation {
  /** Absolute path of the folder in which programs run. */
  readonly folder: string;
  readonly launcher: string;
  /** Tarballs by package name. */
  readonly tarballs: ReadonlyMap<string, string>;
  /**
   * Installed packages of others without those inside another package, once for each copy, and the size of
   * all.
   */
  broughtAlong(): Promise<{ readonly packages: readonly string[]; readonly bytes: number }>;
  /** Names of all installed packages with an install script. */
  withInstallScripts(): Promise<readonly string[]>;
  /** Writes files into a folder of the installation; returns that folder. */
  write(folder: string, files: Readonly<Record<string, string>>): Promise<string>;
  /** Returns the folder of an installed package of ours. */
  packageFolder(name: string): string;
  /** Returns the names of the libraries whose code is in the JavaScript of a package: esbuild writes the path of each file above its code. */
  bundledNames(name: string): Promise<readonly string[]>;
  /** Returns what `npm audit` asks a registry about: versions by package name. */
  audited(): Promise<Readonly<Record<string, readonly string[]>>>;
  /** Throws when `npm ls` finds a package that is missing or of a wrong version. */
  checkTree(): Promise<void>;
  remove(): Promise<void>;
}

/** Output of npm when it cannot reach the registry for third-party packages. */
export const UNREACHABLE =
  /\b(ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|ENOTCACHED)\b/;

/**
 * Builds unless that was done, packs and installs. Skips the suite of the hook if npm cannot reach the
 * registry.
 */
export async function installPacked(hook: Mocha.Context): Promise<PackedInstallation> {
  const folder = await mkdtemp(path.join(tmpdir(), 'portolan-packed-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    if (process.env['PORTOLAN_DIST'] !== '1') await build(); // else `npm test` has, and other tests run it
    const tarballs = await packAll(path.join(folder, 'tarballs'));
    await writeFile(
      path.join(folder, 'package.json'),
      '{ "name": "empty", "private": true, "type": "module" }',
    );
    const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
    await run('npm', [...install, ...tarballs.values()], { cwd: folder });
    const packageFolder = (name: string): string => path.join(folder, 'node_modules', name);
    return {
      folder,
      launcher: path.join(folder, 'node_modules/@portolan/cli/bin/portolan.js'),
      tarballs,
      withInstallScripts: async () => {
        const packages = await readInstalled(path.join(folder, 'node_modules'));
        return Object.keys(packages).filter((place) => packages[place]?.hasInstallScript === true);
      },
      broughtAlong: () => broughtAlong(path.join(folder, 'node_modules')),
      write: async (name, files) => {
        const target = path.join(folder, name);
        await mkdir(target, { recursive: true });
        for (const [file, content] of Object.entries(files))
          await writeFile(path.join(target, file), content);
        return target;
      },
      packageFolder,
      bundledNames: (name) => bundledNames(path.join(packageFolder(name), 'dist')),
      audited: () => captureAudit(folder),
      checkTree: async () => void (await run('npm', ['ls', '--all'], { cwd: folder })),
      remove,
    };
  } catch (error) {
    await remove();
    if (!UNREACHABLE.test(String(error))) throw error;
    return skipSuite(hook, 'the npm registry cannot be reached, and its cache lacks packages');
  }
}

async function bundledNames(dist: string): Promise<readonly string[]> {
  const names = new Set<string>();
  for await (const file of glob('**/*.js', { cwd: dist })) {
    const code = await readFile(path.join(dist, file), 'utf8');
    for (const [, name = ''] of code.matchAll(
      /^ *\/\/ (?:\.\.\/)*(?:\S+\/)?node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//gm,
    ))
      names.add(name);
  }
  return [...names];
}

/** Runs `npm audit` in a folder against a registry on this machine that knows no advisories. */
async function captureAudit(cwd: string): Promise<Readonly<Record<string, readonly string[]>>> {
  let sent = '';
  const registry = createServer((request, response) => {
    const zipped = request.headers['content-encoding'] === 'gzip';
    const body = zipped ? request.pipe(createGunzip()) : request;
    body.setEncoding('utf8').on('data', (chunk: string) => {
      sent += chunk;
    });
    body.on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
  });
  const port = await listenOnLoopback(registry);
  try {
    await run('npm', ['audit', `--registry=http://127.0.0.1:${port}`], { cwd });
  } finally {
    registry.close();
  }
  // SAFETY: npm's request to the bulk endpoint for advisories.
  return JSON.parse(sent) as Readonly<Record<string, readonly string[]>>;
}

async function broughtAlong(
  modules: string,
): Promise<{ readonly packages: readonly string[]; readonly bytes: number }> {
  const packages = await readInstalled(modules);
  const installed = Object.keys(packages).filter((place) => packages[place]?.inBundle !== true);
  const names = installed.map((place) => place.slice(place.lastIndexOf('node_modules/') + 13));
  let bytes = 0;
  for await (const entry of glob('**/*', { cwd: modules, withFileTypes: true })) {
    const isOurs = path.relative(modules, entry.parentPath).startsWith('@portolan');
    if (entry.isFile() && !isOurs) bytes += (await stat(path.join(entry.parentPath, entry.name))).size;
  }
  return { packages: names.filter((name) => !name.startsWith('@portolan/')), bytes };
}

/** Returns npm's list of installed packages by their path. */
async function readInstalled(
  modules: string,
): Promise<Readonly<Record<string, { readonly inBundle?: boolean; readonly hasInstallScript?: boolean }>>> {
  // SAFETY: npm writes this file with each installation.
  const { packages } = JSON.parse(await readFile(path.join(modules, '.package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<
      Record<string, { readonly inBundle?: boolean; readonly hasInstallScript?: boolean }>
    >;
  };
  return packages;
}
