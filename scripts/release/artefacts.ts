import { createHash } from 'node:crypto';
import { glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { SBOM_FILE } from '../bundled-manifests.ts';
import { packAll } from '../pack.ts';
import { run } from '../run.ts';
import { listPackages, ROOT } from '../workspace-packages.ts';
import { readRelease } from './changes.ts';

/** Name of the file with the SHA-256 digests of all other files, in the format of `sha256sum --check`. */
export const CHECKSUMS_FILE = 'SHA256SUMS';

/**
 * Writes the artefacts of a release into an emptied folder: the packed packages below `npm`, the Helm
 * chart, the other deployment files, the SBOM, the notes and the checksums. The packages must be built.
 * Returns the files, relative to the folder.
 */
export async function writeArtefacts(folder: string, version: string): Promise<readonly string[]> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await packAll(path.join(folder, 'npm'));
  const deploy = path.join(ROOT, 'deploy');
  await packChart(path.join(folder, `portolan-chart-${version}.tgz`));
  await archive(path.join(folder, `portolan-deploy-${version}.tgz`), deploy, ['compose', 'portolan.service']);
  await writeFile(path.join(folder, `portolan-${version}.cdx.json`), await releaseSbom(version));
  const changelog = await readFile(path.join(ROOT, 'CHANGELOG.md'), 'utf8');
  await writeFile(path.join(folder, 'NOTES.md'), readRelease(changelog, version));
  await writeFile(path.join(folder, CHECKSUMS_FILE), await checksums(folder));
  return await listFiles(folder);
}

/** Writes the Helm chart to a file that `helm install` accepts. */
export async function packChart(file: string): Promise<void> {
  await archive(file, path.join(ROOT, 'deploy/helm'), ['portolan']);
}

/** Packs entries of a folder without owners, times and random order, so that the same input gives the same bytes. */
async function archive(file: string, folder: string, entries: readonly string[]): Promise<void> {
  const stable = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
  await run('tar', [...stable, '-czf', file, '-C', folder, ...entries]);
}

interface Sbom {
  components?: SbomPart[];
  dependencies?: { ref: string; dependsOn?: string[] }[];
  readonly [key: string]: unknown;
}
type SbomPart = Readonly<Record<string, unknown>> & { readonly purl: string; readonly 'bom-ref': string };

/**
 * Returns one CycloneDX document for the release: what npm installs with the packages, from the lock file,
 * and the libraries that the packages bundle, from their SBOMs.
 */
async function releaseSbom(version: string): Promise<string> {
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--workspaces', '--omit=dev'];
  const { serialNumber: _random, metadata, ...installed } = parseSbom(await run('npm', args, { cwd: ROOT }));
  const parts = new Map((installed.components ?? []).map((part) => [part.purl, part]));
  const dependencies = new Map(installed.dependencies?.map((edge) => [edge.ref, edge]));
  for (const { directory } of await listPackages()) {
    const bundled = parseSbom(await readFile(path.join(directory, 'dist', SBOM_FILE), 'utf8'));
    for (const part of bundled.components ?? []) {
      if (parts.has(part.purl)) continue;
      parts.set(part.purl, part);
      const edge = bundled.dependencies?.find(({ ref }) => ref === part['bom-ref']);
      if (edge !== undefined) dependencies.set(edge.ref, edge);
    }
  }
  const known = new Set([...parts.values()].map((part) => part['bom-ref']));
  const component = { type: 'application', name: 'portolan', version, 'bom-ref': `portolan@${version}` };
  const edges = [...dependencies.values()].filter(({ ref }) => known.has(ref));
  const document = {
    ...installed,
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    specVersion: '1.6',
    metadata: { ...Object(metadata), timestamp: undefined, component },
    components: [...parts.values()].toSorted((left, right) => left.purl.localeCompare(right.purl)),
    dependencies: edges.map(({ ref, dependsOn = [] }) => ({
      ref,
      dependsOn: dependsOn.filter((target) => known.has(target)),
    })),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function parseSbom(text: string): Sbom {
  return JSON.parse(text) as Sbom; // SAFETY: written by npm and by `writeSbom`.
}

async function checksums(folder: string): Promise<string> {
  const lines = [];
  for (const file of await listFiles(folder)) {
    const digest = createHash('sha256').update(await readFile(path.join(folder, file)));
    lines.push(`${digest.digest('hex')}  ${file}\n`);
  }
  return lines.join('');
}

/** Returns the files below a folder, sorted. */
async function listFiles(folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  for await (const entry of glob('**', { cwd: folder, withFileTypes: true }))
    if (entry.isFile()) files.push(path.relative(folder, path.join(entry.parentPath, entry.name)));
  return files.toSorted();
}
