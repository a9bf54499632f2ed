import { readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { createTestContext, readContext } from '@portolan/plugin-testing';
import type { Source } from '@portolan/plugin-api';
import { type GitConfig, gitSource } from '../../plugins/source-git/src/index.ts';
import { git } from '../../plugins/source-git/test/git-command.ts';
import type { TestRepository } from '../../plugins/source-git/test/test-repository.ts';
import { filesOf, serveGitCatalogue } from './git-catalogue.ts';
import { percentile } from './statistics.ts';

export interface GitFigures {
  /** CPU time of a sync without changes, including child processes. */
  readonly unchangedCpuMs: number;
  readonly unchangedMs: number;
  /** Wall time of a sync with one changed file, and of the bare git commands. */
  readonly changedMs: number;
  readonly bareMs: number;
  readonly changedCpuMs: number;
  readonly bareCpuMs: number;
  /** Median ratio of sync time to the bare commands. */
  readonly ratio: number;
  /** The same change when all 2,000 files are read, each as its own scope. */
  readonly folderMs: number;
}

/** Syncs a repository of 2,000 files on loopback, and compares it with bare git in alternation. */
export async function measureGit(folder: string, rounds: number): Promise<GitFigures> {
  const served = path.join(folder, 'git');
  const server = await serveGitCatalogue(served);
  try {
    return await measureRounds({ folder, rounds, repository: server.repository, url: server.url });
  } finally {
    await server.stop();
    await rm(served, { recursive: true, force: true });
  }
}

interface MeasureContext {
  readonly folder: string;
  readonly rounds: number;
  readonly repository: TestRepository;
  readonly url: string;
}

async function measureRounds({ folder, rounds, repository, url }: MeasureContext): Promise<GitFigures> {
  const one = await sourceOf({ repository: url, path: 'registry.json' });
  const many = await sourceOf({ repository: url, path: 'servers/*.json' });
  const bare = path.join(folder, 'bare.git');
  const scratch = (name: string): string => path.join(folder, 'scratch', name);
  await git(folder, ['clone', '--quiet', '--bare', '--depth=1', '--filter=blob:none', url, bare]);
  await mkdir(path.join(folder, 'scratch'));
  await sync(one, scratch('one'));
  await sync(many, scratch('many'));
  const unchanged: Taken[] = [];
  const changed: Taken[] = [];
  const plain: Taken[] = [];
  const folders: Taken[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    unchanged.push(await taken(() => fingerprint(one, scratch('one'))));
    const { 'registry.json': registry, 'servers/7.json': server } = filesOf(round);
    await repository.commit({ 'registry.json': registry, 'servers/7.json': server });
    const turns = [
      async () => changed.push(await taken(() => sync(one, scratch('one')))),
      async () => plain.push(await taken(() => bareSync(bare, url))),
    ];
    for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn();
    folders.push(await taken(() => sync(many, scratch('many'))));
  }
  const ratios = changed.map(({ ms }, at) => ms / (plain[at]?.ms ?? Number.NaN));
  return {
    unchangedCpuMs: middle(unchanged.map(({ cpuMs }) => cpuMs)),
    unchangedMs: middle(unchanged.map(({ ms }) => ms)),
    changedMs: middle(changed.map(({ ms }) => ms)),
    bareMs: middle(plain.map(({ ms }) => ms)),
    changedCpuMs: middle(changed.map(({ cpuMs }) => cpuMs)),
    bareCpuMs: middle(plain.map(({ cpuMs }) => cpuMs)),
    ratio: middle(ratios),
    folderMs: middle(folders.map(({ ms }) => ms)),
  };
}

/** Fetches and reads the one file with git commands, as a person would. */
async function bareSync(folder: string, url: string): Promise<void> {
  await git(folder, ['ls-remote', url, 'HEAD']);
  await git(folder, [
    'fetch',
    '--quiet',
    '--depth=1',
    '--filter=blob:none',
    'origin',
    '+HEAD:refs/heads/main',
  ]);
  await git(folder, ['cat-file', 'blob', 'main:registry.json']);
}

async function sourceOf(block: Pick<GitConfig, 'repository' | 'path'>): Promise<Source> {
  const limits = { timeout: '2m', maxBytes: 1 << 28, maxObjects: 100_000, allowHttp: true };
  return gitSource.create({ ...limits, ...block }, createTestContext());
}

async function sync(source: Source, scratch: string): Promise<void> {
  await fingerprint(source, scratch);
  let entries = 0;
  for await (const item of source.readEntries(new AbortController().signal, readContext(scratch, 1 << 30)))
    if ('document' in item) entries += 1;
  if (entries === 0) throw new Error('the source has yielded nothing');
}

async function fingerprint(source: Source, scratch: string): Promise<void> {
  await source.fingerprint?.(new AbortController().signal, readContext(scratch, 1 << 30));
}

interface Taken {
  readonly ms: number;
  readonly cpuMs: number;
}

async function taken(act: () => Promise<unknown>): Promise<Taken> {
  const [begun, before] = [performance.now(), cpuWithChildrenMs()];
  await act();
  return { ms: performance.now() - begun, cpuMs: cpuWithChildrenMs() - before };
}

/** Returns the CPU time of this process and of its ended children; the latter in steps of 10 ms. */
function cpuWithChildrenMs(): number {
  const { user, system } = process.cpuUsage();
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (user + system) / 1000 + (Number(fields[13]) + Number(fields[14])) * 10;
}

function middle(values: readonly number[]): number {
  return percentile(values, 0.5);
}
