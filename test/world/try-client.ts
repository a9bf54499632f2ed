import type { WorkloadUser } from '../support/workload-user.ts';
import type { HostPrograms } from './host-programs.ts';
import type { CheckResult } from './results.ts';
import { runProgram } from './run-program.ts';

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

/** Writes two workloads into the files of each client, and asks the newest release of the client whether it sees them. */
export async function tryClients(
  names: readonly string[],
  user: WorkloadUser,
  programs: HostPrograms,
  onResult: (result: CheckResult) => void,
  isChosen: (client: string) => boolean,
): Promise<void> {
  for (const client of CLIENTS.filter((one) => isChosen(one.client))) {
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
    const env = { ...environment, ...client.env, ...user.environment };
    return await runProgram(command, args, { cwd: user.root, env, ignoresStatus: true });
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
