import { randomBytes } from 'node:crypto';
import type { HostedExit, HostedServer, Labels, OpenServer, WorkloadHost } from '@portolan/plugin-api';
import { expect } from 'chai';
import { inTime } from '../eventually.ts';
import { leavesNothingOpen } from '../leaves-nothing-open.ts';
import { createTestContext } from '../test-context.ts';
import type { HostedProgram, HostUnderTest } from './host-under-test.ts';

const LABEL = 'portolan.dev/test';

/** A server that a test has opened, and what the host has told of it. */
export interface ToldServer {
  readonly server: OpenServer;
  readonly exits: readonly HostedExit[];
  readonly lines: readonly string[];
}

export interface HostTest {
  readonly host: WorkloadHost;
  /** On everything the test makes. */
  readonly labels: Labels;
  /** Aborts at the end of the test. */
  readonly signal: AbortSignal;
  /** Opens a server of a program; starts nothing. */
  readonly open: (program: HostedProgram, change?: Partial<HostedServer>) => Promise<ToldServer>;
}

/** Runs an action with an instance, as a test. */
export type UseHost = (action: (test: HostTest) => Promise<void>) => () => Promise<void>;

/** Makes an instance, hands it to the action, removes what is left and fails then, closes it, and sees that nothing stays open. */
export async function useHost(
  options: HostUnderTest,
  action: (test: HostTest) => Promise<void>,
): Promise<void> {
  const { withinMs = 40_000 } = options;
  await leavesNothingOpen(async () => {
    const runtime = await options.create(createTestContext());
    if (runtime.runs !== 'workloads') throw new TypeError('this runtime has an engine: see engineContract');
    const { host } = runtime;
    const ending = new AbortController();
    const labels = { [LABEL]: randomBytes(6).toString('hex') };
    const { signal } = ending;
    const opened: OpenServer[] = [];
    const open: HostTest['open'] = async (program, change) => {
      const exits: HostedExit[] = [];
      const lines: string[] = [];
      const server = await host.open(
        { ...serverOf(program, labels), ...change },
        {
          line: (text) => void lines.push(text),
          ended: (exit) => void exits.push(exit),
          progress: () => undefined,
        },
        signal,
      );
      opened.push(server);
      return { server, exits, lines };
    };
    try {
      await inTime('the end of the test', action({ host, labels, signal, open }), { withinMs });
    } finally {
      ending.abort(new Error('the test is over'));
      await Promise.all(opened.map((server) => server.close()));
      const left = await host.listServers(labels);
      await Promise.all(left.map(({ id }) => host.removeServer(id, { graceMs: 0 })));
      await runtime.close();
      await runtime.close();
      expect(
        left.map(({ name }) => name),
        'left behind',
      ).to.deep.equal([]);
    }
  }, options);
}

let names = 0;

/** A server of a program, under a name that nothing else has. */
export function serverOf(program: HostedProgram, labels: Labels): HostedServer {
  names += 1;
  const { port = 0 } = program;
  return {
    name: `portolan-contract-${labels[LABEL]}-${names}`,
    labels,
    environment: {},
    secretNames: [],
    mode: 'streamable-http',
    sessions: 'own',
    network: 'open',
    outbound: { allowAll: true, hosts: [], ports: [] },
    ...program,
    transport: port === 0 ? 'stdio' : 'streamable-http',
    port,
  };
}
