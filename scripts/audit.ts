// Checks the libraries in the bundles of the built packages: `npm run audit`. Without a network: no
// author has deprecated their version, by the lock file. With one: the configured npm registry has no
// advisory for them. Exits with 1 when there is a finding.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readBundledLibraries } from './bundled-manifests.ts';
import { listPackages, ROOT } from './workspace-packages.ts';

/** A library with the packages whose bundles contain it. */
export interface AuditedLibrary {
  readonly name: string;
  readonly version: string;
  readonly packages: readonly string[];
}

export type AuditResult =
  /** Result of the registry, with one line for each advisory. */
  | { readonly checked: true; readonly findings: readonly string[] }
  /** The registry is unreachable, or offers no advisories. */
  | { readonly checked: false; readonly reason: string };

/** The fields of npm's audit report, version 2, that this module reads. */
interface Report {
  readonly auditReportVersion?: number;
  readonly message?: string;
  readonly vulnerabilities?: Readonly<
    Record<string, { readonly via: readonly (string | Advisory)[]; readonly nodes: readonly string[] }>
  >;
}

interface Advisory {
  readonly title: string;
  readonly url: string;
  readonly severity: string;
}

/**
 * Queries npm for advisories about libraries. `env` is the environment of npm, and can name another registry.
 */
export async function auditLibraries(
  libraries: readonly AuditedLibrary[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<AuditResult> {
  const folder = await mkdtemp(path.join(tmpdir(), 'portolan-audit-'));
  try {
    await writeLockFile(folder, libraries);
    const printed = await runAudit(folder, env);
    const report = parseReport(printed);
    if (report?.auditReportVersion !== 2)
      return { checked: false, reason: report?.message ?? (printed.trim() || 'npm audit printed no report') };
    return { checked: true, findings: listFindings(report, libraries) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the libraries in the SBOMs of all built packages. Throws when a package was not built. */
export async function listBundledLibraries(): Promise<readonly AuditedLibrary[]> {
  const found = new Map<string, { name: string; version: string; packages: string[] }>();
  for (const owner of await listPackages()) {
    for (const { name, version } of await readBundledLibraries(path.join(owner.directory, 'dist'))) {
      const library = found.get(`${name}@${version}`) ?? { name, version, packages: [] };
      library.packages.push(owner.name);
      found.set(`${name}@${version}`, library);
    }
  }
  return [...found.values()];
}

/** The fields of npm's lock file that this module reads. */
export interface LockFile {
  readonly packages: Readonly<
    Record<string, { readonly name?: string; readonly version?: string; readonly deprecated?: string }>
  >;
}

/**
 * Returns one line for each library that its author has deprecated, which npm notes in the lock file,
 * and for each one that the lock file lacks.
 */
export function listDeprecated(
  libraries: readonly AuditedLibrary[],
  { packages }: LockFile,
): readonly string[] {
  const locked = new Map(
    Object.entries(packages).map(
      ([place, { name = place.split('node_modules/').at(-1), version, deprecated }]) => [
        `${name}@${version}`,
        deprecated,
      ],
    ),
  );
  return libraries.flatMap(({ name, version, packages: owners }) => {
    const library = `${name}@${version}`;
    if (!locked.has(library)) return [`${library} in ${owners.join(', ')}: not in package-lock.json`];
    const note = locked.get(library);
    return note === undefined ? [] : [`${library} in ${owners.join(', ')}: deprecated: ${note}`];
  });
}

/** Writes a lock file in which each library has an alias, because several versions can have one name. */
async function writeLockFile(folder: string, libraries: readonly AuditedLibrary[]): Promise<void> {
  const dependencies = Object.fromEntries(
    libraries.map(({ name, version }, index) => [aliasOf(index), `npm:${name}@${version}`]),
  );
  const root = { name: 'bundled-libraries', private: true, dependencies };
  const installed = libraries.map(
    ({ name, version }, index) => [`node_modules/${aliasOf(index)}`, { name, version }] as const,
  );
  const packages = { '': root, ...Object.fromEntries(installed) };
  const lock = { name: root.name, lockfileVersion: 3, requires: true, packages };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(root));
  await writeFile(path.join(folder, 'package-lock.json'), JSON.stringify(lock));
}

function aliasOf(index: number): string {
  return `library-${index}`;
}

/** Returns what npm prints. npm exits with 1 when there are findings, and when it has no advisories. */
async function runAudit(cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  return await new Promise((resolve) => {
    execFile(
      'npm',
      ['audit', '--package-lock-only', '--json', '--fetch-retries=0'],
      { cwd, env },
      (_error, stdout, stderr) => resolve(stdout.trim() === '' ? stderr : stdout),
    );
  });
}

function parseReport(printed: string): Report | undefined {
  try {
    return JSON.parse(printed) as Report; // SAFETY: every field is optional, and npm's format has a version
  } catch {
    return undefined; // an error message
  }
}

function listFindings(
  { vulnerabilities = {} }: Report,
  libraries: readonly AuditedLibrary[],
): readonly string[] {
  return Object.values(vulnerabilities).flatMap(({ via, nodes }) => {
    const advisories = via.filter((one) => typeof one !== 'string');
    const affected = nodes.flatMap(
      (node) => libraries[Number(node.replace('node_modules/library-', ''))] ?? [],
    );
    return affected.flatMap(({ name, version, packages }) =>
      advisories.map(
        ({ severity, title, url }) =>
          `${name}@${version} in ${packages.join(', ')}: ${severity}: ${title} (${url})`,
      ),
    );
  });
}

async function main(): Promise<void> {
  const libraries = await listBundledLibraries();
  // SAFETY: npm's own file.
  const lock = JSON.parse(await readFile(path.join(ROOT, 'package-lock.json'), 'utf8')) as LockFile;
  const deprecated = listDeprecated(libraries, lock);
  const result = await auditLibraries(libraries);
  const findings = [...deprecated, ...(result.checked ? result.findings : [])];
  for (const finding of findings) console.log(finding);
  const compared = result.checked
    ? 'compared with advisories'
    : `not compared with advisories: ${result.reason}`;
  console.log(`${libraries.length} bundled libraries, ${findings.length} findings; ${compared}`);
  process.exitCode = Math.min(findings.length, 1);
}

if (import.meta.main) await main();
