import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import module from 'node:module';
import path from 'node:path';
import { SUPERVISOR_ROOM } from '../../packages/cli/src/supervisor/supervisor-program.ts';
import { UndoStack } from '../registry/undo-stack.ts';
import { freeAddress, type RunningProcess, startNode } from '../registry/start-process.ts';
import { McpLoad } from './mcp-load.ts';

/** Measured process, with its open sessions. */
export interface ProxyTarget {
  readonly name: string;
  readonly pid: number;
  readonly load: McpLoad;
  /** Maximum number of sessions. */
  readonly maxSessions: number;
  /** Maximum payload size of a call in bytes. */
  readonly maxPayloadBytes: number;
}

export interface TargetSource {
  readonly folder: string;
  readonly undo: UndoStack;
}

const PROGRAMS = import.meta.dirname;
/** Flags that a supervisor sets first. */
const FLAGS = new URL('../../packages/cli/bin/supervisor-flags.js', import.meta.url).href;
const SOURCE = '--conditions=@portolan/source';

/**
 * Folder of type-stripped programs, from which they resolve the packages; undefined: programs run from their
 * sources.
 */
let plainFolder: string | undefined;

/**
 * Uses the built packages from now on, like an installation. Strips types in advance, because stripping at
 * start-up adds 25 MB to each process.
 */
export async function useBuilt(): Promise<void> {
  const folder = path.resolve(PROGRAMS, '../../node_modules/.cache/portolan-bench-proxy');
  for (const file of await readdir(PROGRAMS, { recursive: true })) {
    if (!file.endsWith('.ts')) continue;
    const target = path.join(folder, plainName(file));
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, await withoutTypes(file));
  }
  plainFolder = folder;
}

/** Returns a program of this folder as plain JavaScript, with imports of `.mjs` files. */
export async function withoutTypes(file: string): Promise<string> {
  const plain = module.stripTypeScriptTypes(await readFile(path.join(PROGRAMS, file), 'utf8'));
  return plain.replaceAll(/((?:from|import\() *'\.[^']*)\.ts'/g, "$1.mjs'");
}

function plainName(file: string): string {
  return file.replace(/\.ts$/, '.mjs');
}

/** Returns the command line of a program: `node` with its file and the arguments. */
export function program(file: string, ...args: readonly string[]): readonly string[] {
  return plainFolder === undefined
    ? [SOURCE, path.join(PROGRAMS, file), ...args]
    : [path.join(plainFolder, plainName(file)), ...args];
}

/** Returns the command line of our proxy, with the Node.js flags of a supervisor. */
export function ownProxy(...args: readonly string[]): readonly string[] {
  return [...SUPERVISOR_ROOM, '--import', FLAGS, ...program('own-proxy.ts', ...args)];
}

/** Returns the command line of a virtual server, with the Node.js flags of a supervisor. */
export function ownVirtual(...args: readonly string[]): readonly string[] {
  return [...SUPERVISOR_ROOM, '--import', FLAGS, ...program('virtual/own-virtual.ts', ...args)];
}

/** Starts a process on a free port and waits until it opens a session. */
export async function startTarget(
  { folder, undo }: TargetSource,
  name: string,
  argsFor: (port: string) => readonly string[] | Promise<readonly string[]>,
  more: {
    readonly program?: string;
    readonly maxSessions?: number;
    readonly maxPayloadBytes?: number;
    readonly tokenFor?: (session: number) => string;
    /** Tools that the load calls. Default: `echo`. */
    readonly tools?: readonly string[];
    readonly environment?: Readonly<Record<string, string>>;
  } = {},
): Promise<ProxyTarget> {
  const url = await freeAddress();
  const server = startNode(new URL('/mcp', url), {
    program: more.program,
    args: await argsFor(url.port),
    environment: more.environment ?? {},
    logFile: path.join(folder, `${name.replaceAll(/\W+/g, '-')}-${url.port}.log`),
  });
  undo.push(name, () => server.stop());
  const load = await firstSession(server, more);
  undo.push(`sessions of ${name}`, () => load.close());
  return {
    name,
    pid: server.pid,
    load,
    maxSessions: more.maxSessions ?? 64,
    maxPayloadBytes: more.maxPayloadBytes ?? Number.POSITIVE_INFINITY,
  };
}

/** Maximum start-up time in milliseconds. Peers load hundreds of files, which is slow on a busy machine. */
const STARTED_MS = 60_000;

async function firstSession(
  server: RunningProcess,
  {
    tokenFor,
    tools,
  }: { readonly tokenFor?: (session: number) => string; readonly tools?: readonly string[] },
): Promise<McpLoad> {
  const until = performance.now() + STARTED_MS;
  for (;;) {
    const load = new McpLoad(server.url, tokenFor, tools);
    try {
      await load.open(1);
      return load;
    } catch (error) {
      await load.close();
      if (performance.now() > until || server.hasEnded()) {
        throw new Error(`no session at ${server.logFile}`, { cause: error });
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
