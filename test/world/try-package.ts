import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { run } from '../../scripts/run.ts';
import { RunningPortolan } from '../support/command-line.ts';
import { OwnBaseImage } from '../support/own-base-image.ts';
import type { WorkloadUser } from '../support/workload-user.ts';
import type { BaseImages } from './base-images.ts';
import { findErrorLine, MAX_ERROR_LENGTH } from './find-error-line.ts';
import type { HostPrograms } from './host-programs.ts';
import { listTools } from './list-tools.ts';
import type { WorldPackage } from './packages.ts';
import type { PackageResult } from './results.ts';

/** What `tryPackage` needs. */
export interface TryContext {
  readonly user: WorkloadUser;
  readonly images: BaseImages;
  readonly programs: HostPrograms;
}

/** Maximum time for a package to start and list its tools, in ms. First builds take up to 340 s on a busy machine. */
const MAX_START_MS = 600_000;

/**
 * Starts a package without a container, then under the defaults of `portolan run`, and compares the tools.
 * A package that does not start without a container is not started in one.
 */
export async function tryPackage(one: WorldPackage, context: TryContext): Promise<PackageResult> {
  const folder = path.join(context.user.root, 'world-files');
  await mkdir(folder, { recursive: true, mode: 0o777 });
  const today = new Date().toISOString().slice(0, 10);
  try {
    const bare = await attemptTwice(() => listBare(one, folder, context));
    if ('error' in bare)
      return { target: one.target, date: today, outcome: 'not-by-itself', error: bare.error };
    const times: { build?: number; list?: number; version?: string } = {};
    const contained = await attempt(() => listUnderPortolan(one, folder, context, times));
    if ('error' in contained) {
      const error = contained.error;
      return { target: one.target, date: today, outcome: 'fails', ...times, bare: bare.value.length, error };
    }
    const isOfHost = (name: string): boolean =>
      one.hostTools !== undefined && name.startsWith(one.hostTools.prefix);
    const expected = bare.value.filter((name) => !isOfHost(name));
    const difference = describeDifference(expected, contained.value);
    return {
      target: one.target,
      date: today,
      outcome: difference === undefined ? 'same' : 'differs',
      ...times,
      bare: expected.length,
      contained: contained.value.length,
      ...(difference === undefined ? {} : { error: difference }),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function attempt<T>(
  action: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly error: string }> {
  try {
    return { value: await action() };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { error: findErrorLine(text) };
  }
}

/** Repeats an action that fails before its timeout, because a first download may fail without a lasting cause. */
async function attemptTwice<T>(action: () => Promise<T>): ReturnType<typeof attempt<T>> {
  const first = await attempt(action);
  return 'error' in first && !/timed out/i.test(first.error) ? await attempt(action) : first;
}

async function listBare(
  one: WorldPackage,
  folder: string,
  { programs }: TryContext,
): Promise<readonly string[]> {
  const args = await fillArguments(one, folder, folder);
  const { command, args: words, environment } = programs.commandFor(one, args);
  const transport = new StdioClientTransport({
    command,
    args: [...words],
    env: { ...environment },
    cwd: folder,
    stderr: 'pipe',
  });
  let output = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  try {
    return await listTools(transport);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const written = output.replaceAll(/^npm (?:notice|warn).*$/gim, '').trim();
    const isLate = /timed out/i.test(text);
    throw new Error(written === '' || isLate ? text : written, { cause: error });
  }
}

/** Folder of the container at which files of a package are mounted. */
const MOUNT = '/projects';

async function listUnderPortolan(
  one: WorldPackage,
  folder: string,
  { user, images }: TryContext,
  times: { build?: number; list?: number; version?: string },
): Promise<readonly string[]> {
  const name = `world-${process.pid}`;
  const base = await OwnBaseImage.make(user.runtime, await images.provideFor(one));
  const started = performance.now();
  const elapsed = (): number => Math.round((performance.now() - started) / 100) / 10;
  try {
    const command = new RunningPortolan(await runArguments(one, folder, name, base.reference), {
      cwd: user.root,
      env: user.environment,
    });
    const timer = AbortSignal.timeout(MAX_START_MS);
    timer.addEventListener('abort', () => command.kill('SIGTERM'));
    command.told(/^Choosing the settings of /m).then(
      () => (times.build = elapsed()),
      () => undefined, // the build has failed, which the exit status says
    );
    const { status, stdout, stderr } = await command.finished;
    if (status !== 0) throw new Error(timer.aborted ? `no response in ${MAX_START_MS / 1000} s` : stderr);
    const tools = await listTools(new StreamableHTTPClientTransport(new URL(stdout.trim())), one.call);
    times.list = elapsed();
    const listed = (await user.list()).find((workload) => workload.name === name);
    const built = listed?.['package'];
    times.version = (typeof built === 'string' ? /@([^@/]+)$/.exec(built)?.[1] : undefined) ?? '';
    return tools;
  } finally {
    await user.removeLeft();
    await user.removeImages();
    await base.remove();
  }
}

async function runArguments(
  one: WorldPackage,
  folder: string,
  name: string,
  image: string,
): Promise<readonly string[]> {
  const { target, program, args = [], env = {}, flags = [], requirement } = one;
  const hasFiles = args.some((word) => FILE_WORDS.includes(word));
  const words = await fillArguments(one, folder, MOUNT);
  return [
    'run',
    program === undefined ? target : `${target}#${program}`,
    '--name',
    name,
    '--runtime-image',
    image,
    ...Object.entries(env).flatMap(([key, value]) => ['-e', `${key}=${value}`]),
    ...(hasFiles ? ['-v', `${folder}:${MOUNT}`] : []),
    ...(requirement === undefined ? [] : ['--build-with', requirement]),
    ...flags,
    ...(words.length === 0 ? [] : ['--', ...words]),
  ];
}

/** Arguments in place of which a package gets the path of its files. */
const FILE_WORDS: readonly string[] = ['FOLDER', 'REPOSITORY', 'VAULT'];

/** Makes the files of a package in `folder`, and returns its arguments with `FILE_WORDS` replaced by `place`. */
async function fillArguments(
  { args = [] }: WorldPackage,
  folder: string,
  place: string,
): Promise<readonly string[]> {
  if (args.includes('REPOSITORY')) await run('git', ['init', '--quiet', folder]);
  if (args.includes('VAULT')) await mkdir(path.join(folder, '.obsidian'), { recursive: true });
  return args.map((word) => (FILE_WORDS.includes(word) ? place : word));
}

function describeDifference(bare: readonly string[], contained: readonly string[]): string | undefined {
  const missing = bare.filter((name) => !contained.includes(name));
  const added = contained.filter((name) => !bare.includes(name));
  if (missing.length + added.length === 0) return undefined;
  return [
    missing.length === 0 ? '' : `missing: ${missing.join(', ')}`,
    added.length === 0 ? '' : `added: ${added.join(', ')}`,
  ]
    .filter((text) => text !== '')
    .join('; ')
    .slice(0, MAX_ERROR_LENGTH);
}
