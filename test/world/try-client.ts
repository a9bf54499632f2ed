import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { WorkloadUser } from '../support/workload-user.ts';
import type { HostPrograms } from './host-programs.ts';
import type { CheckResult } from './results.ts';

/** A published client, and the command with which it says which servers it sees. */
interface WorldClient {
  /** As `portolan client setup` takes it. */
  readonly client: string;
  readonly target: `${'npx' | 'uvx'}://${string}`;
  readonly program: string;
  /** `NAME` stands for a workload. Without it, one command lists all servers. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Output that proves that the client sees the workload; `NAME` stands for its name. */
  readonly seen: string;
}

const CLIENTS: readonly WorldClient[] = [
  {
    client: 'gemini-cli',
    target: 'npx://@google/gemini-cli',
    program: 'gemini',
    args: ['mcp', 'list'],
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    seen: '✓ NAME: .*Connected',
  },
  {
    client: 'claude-code',
    target: 'npx://@anthropic-ai/claude-code',
    program: 'claude',
    args: ['mcp', 'list'],
    seen: 'NAME: .*Connected',
  },
  {
    client: 'qoder',
    target: 'npx://@qoder-ai/qodercli',
    program: 'qodercli',
    args: ['mcp', 'list'],
    seen: '✓ NAME: .*Connected',
  },
  {
    client: 'opencode',
    target: 'npx://opencode-ai',
    program: 'opencode',
    args: ['mcp', 'list'],
    seen: '✓ NAME .*connected',
  },
  {
    client: 'factory',
    target: 'npx://droid',
    program: 'droid',
    args: ['mcp', 'list'],
    seen: 'NAME +\\S+ +connected',
  },
  // The others only list what they read; they connect in a session, which needs a login.
  {
    client: 'codex',
    target: 'npx://@openai/codex',
    program: 'codex',
    args: ['mcp', 'get', 'NAME'],
    seen: 'enabled: true',
  },
  {
    client: 'copilot-cli',
    target: 'npx://@github/copilot',
    program: 'copilot',
    args: ['mcp', 'get', 'NAME'],
    seen: 'Tools: \\* \\(all\\)',
  },
  { client: 'cline', target: 'npx://cline', program: 'cline', args: ['config', 'mcp'], seen: 'NAME \\[' },
  {
    client: 'mistral-vibe',
    target: 'uvx://mistral-vibe',
    program: 'vibe',
    args: ['mcp', 'remove', 'NAME'],
    seen: 'Removed MCP server `NAME`',
  },
];

/** Maximum time for a command of a client, in ms, with its installation. */
const MAX_COMMAND_MS = 300_000;

/** Writes two workloads into the files of each client, and asks the newest release of the client whether it sees them. */
export async function tryClients(
  names: readonly string[],
  user: WorkloadUser,
  programs: HostPrograms,
  onResult: (result: CheckResult) => void,
): Promise<void> {
  for (const client of CLIENTS) {
    await user.done('client', 'setup', client.client);
    onResult(await tryClient(client, names, user, programs));
    await user.done('client', 'remove', client.client);
  }
}

async function tryClient(
  client: WorldClient,
  names: readonly string[],
  user: WorkloadUser,
  programs: HostPrograms,
): Promise<CheckResult> {
  const ask = async (words: readonly string[]): Promise<string> => {
    const { command, args, environment } = programs.commandFor(client, words);
    return await outputOf(command, args, { ...environment, ...client.env, ...user.environment }, user.root);
  };
  const version = /\d+\.\d+\.\d+/.exec(await ask(['--version']))?.[0] ?? '';
  const isForEach = client.args.includes('NAME');
  const list = isForEach ? '' : await ask(client.args);
  const unseen: string[] = [];
  for (const name of names) {
    const output = isForEach ? await ask(client.args.map((word) => (word === 'NAME' ? name : word))) : list;
    if (!new RegExp(client.seen.replaceAll('NAME', name)).test(output))
      unseen.push(`${name}: ${output.trim()}`);
  }
  return {
    name: client.client,
    date: new Date().toISOString().slice(0, 10),
    version,
    result: unseen.length === 0 ? 'ok' : (unseen[0] ?? '').split('\n').slice(0, 2).join(' '),
  };
}

/** Returns what a command writes to standard output and standard error, without colours. */
async function outputOf(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<string> {
  const child = spawn(command, args, {
    env,
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: MAX_COMMAND_MS,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  }
  await once(child, 'close');
  // oxlint-disable-next-line no-control-regex -- escape sequences of terminals begin with a control character
  return output.replaceAll(/\u001B\[[0-9;]*m/g, '');
}
