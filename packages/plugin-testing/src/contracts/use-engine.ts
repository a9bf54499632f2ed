import { randomBytes } from 'node:crypto';
import type { ContainerSpec, Labels, ContainerEngine } from '@portolan/plugin-api';
import { expect } from 'chai';
import { inTime } from '../eventually.ts';
import { engineOf } from '../runtime-of-engine.ts';
import { leavesNothingOpen } from '../leaves-nothing-open.ts';
import { createTestContext } from '../test-context.ts';
import type { EngineUnderTest } from './engine-under-test.ts';

const LABEL = 'portolan.dev/test';

export interface EngineTest {
  readonly runtime: ContainerEngine;
  /** On everything the test makes. */
  readonly labels: Labels;
  /** A name that nothing else has. */
  readonly name: () => string;
  /** A container of the image that runs a command. */
  readonly spec: (command: readonly string[], change?: Partial<ContainerSpec>) => ContainerSpec;
  /** Aborts at the end of the test. */
  readonly signal: AbortSignal;
}

/** Runs an action with an instance, as a test. */
export type UseEngine = (action: (test: EngineTest) => Promise<void>) => () => Promise<void>;

/** Makes an instance, hands it to the action, removes what is left and fails then, closes it, and sees that nothing stays open. */
export async function useEngine(
  options: EngineUnderTest,
  action: (test: EngineTest) => Promise<void>,
): Promise<void> {
  const { withinMs = 40_000 } = options;
  await leavesNothingOpen(async () => {
    const opened = await options.create(createTestContext());
    const runtime = engineOf(opened);
    const ending = new AbortController();
    const test = testOf(runtime, options, ending.signal);
    try {
      await inTime('the end of the test', action(test), { withinMs });
    } finally {
      ending.abort(new Error('the test is over'));
      const left = await removeAll(runtime, test.labels);
      await opened.close();
      await opened.close();
      expect(left, 'left behind').to.deep.equal([]);
    }
  }, options);
}

function testOf(runtime: ContainerEngine, { image }: EngineUnderTest, signal: AbortSignal): EngineTest {
  const run = randomBytes(6).toString('hex');
  const labels = { [LABEL]: run };
  let names = 0;
  const name = (): string => {
    names += 1;
    return `portolan-contract-${run}-${names}`;
  };
  return {
    runtime,
    labels,
    signal,
    name,
    spec: (command, change = {}) => ({
      name: name(),
      image,
      command,
      environment: {},
      labels,
      network: { mode: 'none' },
      logs: { maxBytes: 100_000, files: 1 },
      stopGraceMs: 2000,
      ...change,
    }),
  };
}

async function removeAll(runtime: ContainerEngine, labels: Labels): Promise<readonly string[]> {
  const containers = await runtime.listContainers(labels);
  for (const { id } of containers) await runtime.removeContainer(id);
  const networks = await runtime.listNetworks(labels);
  for (const { id } of networks) await runtime.removeNetwork(id);
  return [...containers, ...networks].map(({ name }) => name);
}
