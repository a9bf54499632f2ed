// Packs every package as it is published: `node scripts/pack.ts FOLDER`.
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { addBundledManifests, findNeededLibraries, readBundledLibraries } from './bundled-manifests.ts';
import { run } from './run.ts';
import { listPackages, ROOT, type WorkspacePackage } from './workspace-packages.ts';

/**
 * Packs the built packages into a folder and returns the files, absolute, by package name. Each
 * contains the `files` of its manifest, its README, the licence, and the manifests of the libraries
 * in its bundle (see `addBundledManifests`). The packed manifest lacks the export condition for
 * sources and `devDependencies`. Throws when a package was not built.
 */
export async function packAll(folder: string): Promise<ReadonlyMap<string, string>> {
  await mkdir(folder, { recursive: true });
  const staging = await mkdtemp(path.join(tmpdir(), 'portolan-pack-'));
  try {
    const tarballs = new Map<string, string>();
    const staged: string[] = [];
    for (const one of await listPackages()) {
      const directory = path.join(staging, one.name.replace('@', '').replace('/', '-'));
      await stage(one, directory);
      staged.push(directory);
      const file = `${one.name.replace('@', '').replace('/', '-')}-${one.version}.tgz`;
      tarballs.set(one.name, path.resolve(folder, file));
    }
    await run('npm', ['pack', '--silent', '--pack-destination', path.resolve(folder), ...staged], {
      cwd: staging,
    });
    return tarballs;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function stage({ directory, manifest }: WorkspacePackage, target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  // SAFETY: our own manifests, which all have a list of names.
  for (const file of manifest['files'] as readonly string[]) {
    await cp(path.join(directory, file), path.join(target, file), { recursive: true });
  }
  await cp(path.join(directory, 'README.md'), path.join(target, 'README.md'));
  await cp(path.join(ROOT, 'LICENSE'), path.join(target, 'LICENSE'));
  const libraries = await readBundledLibraries(path.join(target, 'dist'));
  const published = publishedManifest(manifest);
  const needed = await findNeededLibraries(directory, Object.keys(Object(published['dependencies'])));
  const packed = await addBundledManifests(target, published, libraries, needed);
  await writeFile(path.join(target, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`);
}

function publishedManifest(manifest: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { devDependencies: _treeOnly, ...published } = manifest;
  const text = JSON.stringify(published, (key, value: unknown) =>
    key === '@portolan/source' ? undefined : value,
  );
  return JSON.parse(text) as Record<string, unknown>; // the source was an object, too
}

if (import.meta.main) {
  const [, , folder = 'dist'] = process.argv;
  for (const file of (await packAll(folder)).values()) process.stdout.write(`${file}\n`);
}
