// Prepares a release: `npm run release -- [--dry-run] [--artefacts] [--version X.Y.Z] [--date YYYY-MM-DD] [FOLDER]`.
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import semver from 'semver';
import { build } from './build.ts';
import { writeArtefacts } from './release/artefacts.ts';
import { insertRelease, nextVersion, readChanges, renderRelease } from './release/changes.ts';
import { setVersion } from './release/versions.ts';
import { run } from './run.ts';
import { ROOT } from './workspace-packages.ts';

const USAGE = `Usage: npm run release -- [OPTIONS] [FOLDER]

Writes the next version to all packages and to CHANGELOG.md, removes the change files, builds, and writes the
artefacts to FOLDER (default: dist/release).

  --dry-run         print the next version and its notes; change nothing
  --artefacts       build and write the artefacts of the current version only
  --version X.Y.Z   version to release; default: from the sections of the change files
  --date DATE       date of the release; default: today (UTC)
`;

interface Options {
  readonly dryRun: boolean;
  readonly artefacts: boolean;
  readonly version: string | undefined;
  readonly date: string;
  readonly folder: string;
}

function parseOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      'dry-run': { type: 'boolean', default: false },
      artefacts: { type: 'boolean', default: false },
      version: { type: 'string' },
      date: { type: 'string', default: new Date().toISOString().slice(0, 10) },
    },
  });
  const { version, date } = values;
  if (version !== undefined && semver.valid(version) !== version)
    throw new Error(`--version ${version}: expected a version such as 1.2.3`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || Number.isNaN(Date.parse(date)))
    throw new Error(`--date ${date}: expected a date such as 2026-11-29`);
  if (positionals.length > 1) throw new Error(`expected one folder, found ${positionals.join(', ')}`);
  return {
    dryRun: values['dry-run'],
    artefacts: values.artefacts,
    version,
    date,
    folder: path.resolve(positionals[0] ?? path.join(ROOT, 'dist/release')),
  };
}

/** Writes the next version and its notes to the repository, and returns the version. */
async function applyVersion(current: string, { dryRun, version, date }: Options): Promise<string> {
  const { changes, faults } = await readChanges(ROOT);
  if (faults.length > 0) throw new Error(`change files have faults:\n${faults.join('\n')}`);
  if (changes.length === 0) throw new Error(`changes has no change files; nothing changed since ${current}`);
  const next = version ?? nextVersion(current, changes);
  if (!semver.gt(next, current)) throw new Error(`${next} is not newer than ${current}`);
  const part = renderRelease(next, date, changes);
  process.stdout.write(`${current} -> ${next}\n\n${part}`);
  if (dryRun) return next;
  const status = await run('git', ['status', '--porcelain'], { cwd: ROOT });
  if (status !== '') throw new Error(`commit or stash these changes first:\n${status}`);
  const changelog = path.join(ROOT, 'CHANGELOG.md');
  await writeFile(changelog, insertRelease(await readFile(changelog, 'utf8'), part));
  await setVersion(ROOT, next);
  for (const { file } of changes) await rm(path.join(ROOT, file));
  return next;
}

async function release(options: Options): Promise<void> {
  const manifest: unknown = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'));
  const current = String(Object(manifest).version);
  const version = options.artefacts ? current : await applyVersion(current, options);
  if (options.dryRun) return;
  await build();
  for (const file of await writeArtefacts(options.folder, version)) process.stdout.write(`${file}\n`);
  if (options.artefacts) return;
  const commit = `git commit --all --message "release: ${version}"`;
  process.stdout.write(`\nNext: ${commit} && git tag v${version} && git push --follow-tags\n`);
}

try {
  await release(parseOptions(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exitCode = 1;
}
