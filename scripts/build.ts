// Builds every package into its `dist`: bundled JavaScript and the exported type declarations, without tests.
import { cp, glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bundle } from './bundle.ts';
import { bundledPackage } from './bundled-packages.ts';
import { declarationsOf } from './declarations-of.ts';
import { findDeclarationFaults } from './find-declaration-faults.ts';
import { writeManifest } from './manifest.ts';
import { run } from './run.ts';
import { listPackages, ROOT, type WorkspacePackage } from './workspace-packages.ts';

/** Builds all packages from scratch. Throws with the messages of the compiler or the bundler. */
export async function build(): Promise<void> {
  // Below the root, so that the compiler resolves the same node_modules as from the sources.
  await mkdir(path.join(ROOT, 'node_modules/.cache'), { recursive: true });
  const compiled = await mkdtemp(path.join(ROOT, 'node_modules/.cache/portolan-build-'));
  try {
    await compile(compiled);
    for (const one of await listPackages()) {
      const { directory } = one;
      const dist = path.join(directory, 'dist');
      await rm(dist, { recursive: true, force: true });
      await cp(path.join(compiled, path.relative(ROOT, directory), 'src'), dist, { recursive: true });
      await keepDeclarations(one, dist);
      await copyAssets(path.join(directory, 'src'), dist);
      await bundle(one);
    }
    await writeBuildInfo();
    await writeManifest();
  } finally {
    await rm(compiled, { recursive: true, force: true });
  }
}

/** Emits the declarations with one compiler run over all packages, which also checks types. */
async function compile(outDir: string): Promise<void> {
  const project = path.join(outDir, 'tsconfig.json');
  const settings = {
    extends: path.join(ROOT, 'tsconfig.json'),
    compilerOptions: { noEmit: false, emitDeclarationOnly: true, types: ['node'], rootDir: ROOT, outDir },
    include: ['packages/*/src', 'plugins/*/src'].map((folder) => path.join(ROOT, folder)),
  };
  await writeFile(project, JSON.stringify(settings));
  await run(process.execPath, [path.join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', project], {
    cwd: ROOT,
  });
}

/**
 * Keeps the declarations that exports reach. Throws if they name a package that is not installed with them.
 */
async function keepDeclarations(
  { name, manifest, directory }: WorkspacePackage,
  dist: string,
): Promise<void> {
  const kept = await declarationsOf(manifest, directory);
  const texts = new Map<string, string>();
  for await (const file of glob('**/*.d.ts', { cwd: dist })) {
    const place = path.join(dist, file);
    if (kept.has(place)) texts.set(path.relative(directory, place), await readFile(place, 'utf8'));
    else await rm(place);
  }
  const faults = findDeclarationFaults({ manifest, inlined: bundledPackage(name).inlined, texts });
  if (faults.length > 0) throw new Error(`${name} cannot be published:\n${faults.join('\n')}`);
}

/** Copies files that are not TypeScript. */
async function copyAssets(source: string, dist: string): Promise<void> {
  for await (const entry of glob('**/*', { cwd: source, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('.ts')) continue;
    const file = path.join(entry.parentPath, entry.name);
    await cp(file, path.join(dist, path.relative(source, file)));
  }
}

/** Writes the build information of `portolan version` and `/version`. */
async function writeBuildInfo(): Promise<void> {
  // not a git checkout
  const commit = await run('git', ['rev-parse', 'HEAD'], { cwd: ROOT }).catch(() => undefined);
  const seconds = process.env['SOURCE_DATE_EPOCH']; // set by reproducible builds
  const buildDate = (seconds === undefined ? new Date() : new Date(Number(seconds) * 1000)).toISOString();
  const info = { ...(commit === undefined ? {} : { commit: commit.trim() }), buildDate };
  await writeFile(path.join(ROOT, 'packages/cli/dist/build-info.json'), `${JSON.stringify(info)}\n`);
}

if (import.meta.main) await build();
