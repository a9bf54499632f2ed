import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, '../..');
const BASE = 'portolan-test/node';
const SERVER = '@modelcontextprotocol/server-everything';

/**
 * Returns the reference of an image with a real MCP server that has every feature. It is made once from
 * installed packages, without a request to a package index, and stays like the base images.
 * `scripts/container-env.sh purge` removes it.
 */
export async function provideEverythingImage(): Promise<string> {
  const packages = await closureOf(SERVER, path.join(ROOT, 'package.json'));
  const base = await run('docker', ['image', 'inspect', '--format', '{{.Id}}', BASE]);
  const versions = await Promise.all(
    [...packages.values()].map(async (one) => (await readManifest(one)).version),
  );
  const key = createHash('sha256')
    .update([base.stdout, ...packages.keys(), ...versions].join('\n'))
    .digest('hex')
    .slice(0, 12);
  const reference = `portolan-test/everything:${key}`;
  try {
    await run('docker', ['image', 'inspect', reference]);
    return reference;
  } catch {
    // The image does not exist yet.
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'portolan-everything-'));
  try {
    for (const [place, from] of packages) {
      await mkdir(path.join(folder, path.dirname(place)), { recursive: true });
      const nested = path.join(from, 'node_modules');
      await cp(from, path.join(folder, place), { recursive: true, filter: (file) => file !== nested });
    }
    const program = `/app/node_modules/${SERVER}/dist/index.js`;
    const lines = [`FROM ${BASE}`, 'COPY . /app', 'USER 65532:65532', `ENTRYPOINT ["node", "${program}"]`];
    await writeFile(path.join(folder, 'Dockerfile'), `${lines.join('\n')}\n`);
    const env = { ...process.env, DOCKER_BUILDKIT: '0' };
    await run('docker', ['build', '-q', '-t', reference, folder], { env });
    return reference;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

async function readManifest(folder: string): Promise<Manifest> {
  // SAFETY: npm has installed the package, so its manifest is valid.
  return JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** Returns the folders of a package and its dependencies, by their path below the root. */
async function closureOf(name: string, from: string): Promise<ReadonlyMap<string, string>> {
  const matches = new Map<string, string>();
  const waiting: { readonly name: string; readonly from: string }[] = [{ name, from }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const folder = findPackage(next.name, next.from);
    if (folder === undefined) continue; // The package is optional and not for this platform.
    const place = path.relative(ROOT, folder);
    if (matches.has(place)) continue;
    matches.set(place, folder);
    const { dependencies = {}, optionalDependencies = {} } = await readManifest(folder);
    for (const dependency of Object.keys({ ...dependencies, ...optionalDependencies })) {
      waiting.push({ name: dependency, from: path.join(folder, 'package.json') });
    }
  }
  return matches;
}

function findPackage(name: string, from: string): string | undefined {
  const places = createRequire(from).resolve.paths(name) ?? [];
  for (const place of places) {
    try {
      const manifest = createRequire(from).resolve(path.join(place, name, 'package.json'));
      return path.dirname(manifest);
    } catch {
      // The package is not in this folder. The search goes on in the next one.
    }
  }
  return undefined;
}
