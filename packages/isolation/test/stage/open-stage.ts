import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { NetworkPermissions } from '@portolan/outbound';
import type { EgressEvent } from '../../src/policy/egress-event.ts';

export interface StageSettings {
  /** Runtime folder of the workload. */
  readonly folder: string;
  readonly certificate: string;
  readonly key: string;
  /** Network permissions of the workload. `off` is the network mode `none`, without any access. */
  readonly network?: NetworkPermissions | 'off';
  readonly allowContainerGateway?: boolean;
  /** Whether the policy engine does not know the addresses of its host. */
  readonly isBlind?: boolean;
  readonly ingress: readonly number[];
  /** Addresses by name. `*.many.example` matches every name below it that has no entry. */
  readonly names: Readonly<Record<string, readonly string[]>>;
}

export interface Stage {
  readonly folder: string;
  /** Decisions of the policy engine so far. */
  readonly events: readonly EgressEvent[];
  /** Connections that arrived at any stand-in so far, such as `outside http ::ffff:203.0.113.7`. */
  readonly hits: readonly string[];
  readonly relayProcess: number;
  /** Runs the attempts concurrently inside the closed network, and returns the outcome of each. */
  probe(
    attempts: readonly string[],
    environment?: Readonly<Record<string, string>>,
  ): Promise<readonly string[]>;
  /** Starts a program in the closed network. */
  spawn(file: string, ...words: readonly string[]): ChildProcess;
  /** `reopen` closes the policy engine and opens a new one, `close` only closes it. */
  tell(word: 'reopen' | 'close'): Promise<void>;
  end(): Promise<void>;
}

/** Returns why this machine cannot run a stage; undefined when it can. */
export async function findStageObstacle(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'network namespaces are a matter of Linux';
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  for (const [file, ...words] of [
    ['openssl', 'version'],
    ['ip', '-V'],
    ['nsenter', '-V'],
    // Try the operations that the stage needs, in a separate namespace.
    [
      'unshare',
      '-n',
      '-m',
      'sh',
      '-c',
      'ip link add a0 type veth peer name a1 && ip link add b0 type bridge',
    ],
  ] as const) {
    try {
      await promisify(execFile)(file, words);
    } catch (error) {
      return `${[file, ...words].join(' ')}: ${String(error).split('\n')[0]}`;
    }
  }
  return undefined;
}

/** Opens namespaces, stand-ins, policy engine and relay. The caller must call `end`. */
export async function openStage(settings: StageSettings): Promise<Stage> {
  const program = path.join(import.meta.dirname, 'host-program.ts');
  const node = [
    process.execPath,
    '--conditions=@portolan/source',
    '--disable-warning=ExperimentalWarning',
    program,
  ];
  const host = spawn('unshare', ['-n', ...node, JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const events: EgressEvent[] = [];
  const hits: string[] = [];
  const up = Promise.withResolvers<{ workload: number; relay: number }>();
  const waiting: (() => void)[] = [];
  host.once('exit', (status) => up.reject(new Error(`the stage ended with ${status}`)));
  createInterface({ input: host.stdout }).on('line', (line) => {
    // SAFETY: host-program.ts and stand-in-program.ts wrote the line.
    const said = JSON.parse(line) as {
      event?: EgressEvent;
      hit?: string;
      kind?: string;
      to?: string;
      workload?: number;
      relay?: number;
      done?: string;
    };
    if (said.event !== undefined) events.push(said.event);
    if (said.hit !== undefined) hits.push(`${said.hit} ${said.kind} ${said.to}`);
    if (said.workload !== undefined) up.resolve({ workload: said.workload, relay: said.relay ?? 0 });
    if (said.done !== undefined) waiting.shift()?.();
  });
  const { workload, relay } = await up.promise;
  const enter = ['-t', String(workload), '-n', '-m'];
  const probeFile = path.join(import.meta.dirname, 'probe-program.ts');
  const tell = (word: string): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(resolve);
      host.stdin.write(`${word}\n`);
    });
  return {
    folder: settings.folder,
    events,
    hits,
    relayProcess: relay,
    probe: async (attempts, environment = {}) => {
      const words = [...enter, process.execPath, probeFile, JSON.stringify(attempts)];
      const { PATH = '' } = process.env;
      const { stdout } = await promisify(execFile)('nsenter', words, {
        env: { PATH, NODE_EXTRA_CA_CERTS: settings.certificate, NODE_NO_WARNINGS: '1', ...environment },
      });
      await tell('events'); // the response follows all earlier events
      // SAFETY: probe-program.ts wrote the text.
      return JSON.parse(stdout) as readonly string[];
    },
    spawn: (file, ...words) =>
      spawn('nsenter', [...enter, file, ...words], { stdio: ['ignore', 'pipe', 'pipe'] }),
    tell,
    end: async () => {
      host.stdin.end();
      if (host.exitCode === null) await once(host, 'exit');
    },
  };
}
