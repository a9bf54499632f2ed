import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { findErrorLine } from '../find-error-line.ts';
import type { CheckResult } from '../results.ts';
import { runProgram } from '../run-program.ts';
import { SDK_LANGUAGES } from '../sdk-languages.ts';
import { WORLD_SDKS, type WorldSdk } from '../sdks.ts';
import { copyPrograms } from '../try-sdk.ts';
import type { TryContext } from '../try-package.ts';
import { type Expected, openRealVirtualServer, type RealVirtualServer } from './open-members.ts';

/** SDKs with a program `members`. */
const SDKS = ['typescript-1', 'typescript-2', 'python-1', 'python-2', 'go-sdk'];

/** A published command line that lists and calls tools of an address. */
interface CommandLine {
  readonly name: string;
  readonly target: `npx://${string}`;
  readonly program: string;
  list(url: string): readonly string[];
  call(url: string, tool: string, args: Readonly<Record<string, string>>): readonly string[];
}

const COMMAND_LINES: readonly CommandLine[] = [
  {
    name: 'mcporter',
    target: 'npx://mcporter',
    program: 'mcporter',
    list: (url) => ['list', '--http-url', url, '--allow-http', '--json'],
    call: (url, tool, args) => [
      'call',
      '--http-url',
      url,
      '--allow-http',
      '--name',
      'desk',
      tool,
      '--args',
      JSON.stringify(args),
    ],
  },
  {
    name: 'Inspector',
    target: 'npx://@modelcontextprotocol/inspector',
    program: 'mcp-inspector',
    list: (url) => ['--cli', url, '--transport', 'http', '--method', 'tools/list'],
    call: (url, tool, args) => [
      ...`--cli ${url} --transport http --method tools/call --tool-name ${tool}`.split(' '),
      ...Object.entries(args).flatMap(([name, value]) => ['--tool-arg', `${name}=${value}`]),
    ],
  },
];

/** Time for all members to be installed and to respond, in ms. */
const INSTALLED_MS = 600_000;
/** Time for members to start once they are installed, in ms. */
const STARTED_MS = 30_000;
/** Time between two lists meanwhile, in ms. */
const AGAIN_MS = 2000;

/**
 * Opens a virtual server of all real members. Each client lists its tools, and calls one tool of each member.
 */
export async function tryVirtualServer(
  context: TryContext,
  onResult: (result: CheckResult) => void,
): Promise<void> {
  const { root } = context.user;
  const server = await openRealVirtualServer(root, context.programs);
  try {
    const tools = await awaitTools(server);
    const expected = { tools, calls: server.calls };
    const report = async (name: string, version: string, run: () => Promise<void>): Promise<void> => {
      const error = await run().then(
        () => undefined,
        (reason: unknown) => (reason instanceof Error ? reason.message : String(reason)),
      );
      const date = new Date().toISOString().slice(0, 10);
      onResult({ name, date, version, result: error === undefined ? 'ok' : findErrorLine(error) });
    };
    for (const sdk of WORLD_SDKS.filter(({ folder }) => SDKS.includes(folder))) {
      const folder = path.join(root, 'members-sdk');
      await copyPrograms(sdk, folder);
      const version = await SDK_LANGUAGES[sdk.language].prepareClient(sdk, folder, context, 'members');
      const run = (): Promise<void> => runSdk(sdk, folder, server.url, expected, context);
      await report(sdk.name, version, () => tryTwice(run));
      await rm(folder, { recursive: true, force: true });
    }
    for (const line of COMMAND_LINES) {
      const version = await versionOf(line, root);
      const run = (): Promise<void> => runLine(line, server.url, expected, context);
      await report(line.name, version, () => tryTwice(run));
    }
  } finally {
    await server.close();
    await context.programs.removeDownloads();
  }
}

/** Waits until every member has listed its tools. Throws with what is known about the others. */
async function awaitTools(server: RealVirtualServer): Promise<readonly string[]> {
  const until = performance.now() + INSTALLED_MS;
  // One session, because each has its own process of each member.
  const client = new Client({ name: 'portolan-test-world', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(server.url));
  try {
    for (;;) {
      const { tools } = await client.listTools();
      const names = tools.map(({ name }) => name);
      if (server.calls.every(({ name }) => names.includes(name))) return names;
      if (performance.now() > until)
        throw new Error(`members do not respond: ${JSON.stringify(server.status())}`);
      await pause(AGAIN_MS);
    }
  } finally {
    await client.close();
  }
}

/**
 * Repeats an action that fails. The first list for new capabilities of a client leaves out members that need
 * more than 10 s to start, and they start from package indexes here.
 */
async function tryTwice(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch {
    await pause(STARTED_MS);
    await run();
  }
}

async function runSdk(
  sdk: WorldSdk,
  folder: string,
  url: URL,
  expected: Expected,
  context: TryContext,
): Promise<void> {
  const file = path.join(folder, 'expected.json');
  await writeFile(file, JSON.stringify(expected));
  const words = SDK_LANGUAGES[sdk.language].clientWords(sdk, folder, context, 'members');
  const [command, ...args] = [...words, url.href, file];
  const output = await runProgram(command, args, { cwd: folder, env: process.env });
  if (!/^ok$/m.test(output)) throw new Error(output);
}

async function runLine(
  line: CommandLine,
  url: URL,
  { tools, calls }: Expected,
  { programs, user }: TryContext,
): Promise<void> {
  const run = async (words: readonly string[]): Promise<string> => {
    const { command, args, environment } = programs.commandFor(line, words);
    return await runProgram(command, args, { cwd: user.root, env: environment });
  };
  const listed = await run(line.list(url.href));
  const missing = tools.filter((name) => !listed.includes(`"${name}"`));
  if (missing.length > 0) throw new Error(`not listed: ${missing.join(', ')}`);
  for (const { name, arguments: args, seen } of calls) {
    const output = await run(line.call(url.href, name, args));
    if (!output.includes(seen)) throw new Error(`${name}: ${output}`);
  }
}

async function versionOf({ target }: CommandLine, root: string): Promise<string> {
  const name = target.replace(/^npx:\/\//, '');
  const output = await runProgram('npm', ['view', name, 'version'], { cwd: root, env: process.env });
  return /\d+\.\d+\.\d+/.exec(output)?.[0] ?? '';
}
