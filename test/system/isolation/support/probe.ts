import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import type { ContainerEngine, ContainerNetwork } from '@portolan/plugin-api';
import { NODE_IMAGE, type TestRuntime } from './test-runtime.ts';

const PROGRAM = path.resolve(
  import.meta.dirname,
  '../../../../packages/isolation/test/stage/probe-program.ts',
);

export interface Probe {
  /** Runs all attempts at the same time in a container of this network, and returns their results. */
  try(
    network: ContainerNetwork,
    attempts: readonly string[],
    environment?: Readonly<Record<string, string>>,
  ): Promise<ReadonlyMap<string, string>>;
}

/** Makes a probe with containers that trust this certificate. */
export async function makeProbe(engine: TestRuntime, certificate: string): Promise<Probe> {
  const folder = await engine.folder();
  await writeFile(path.join(folder, 'probe.mjs'), stripTypeScriptTypes(await readFile(PROGRAM, 'utf8')));
  await copyFile(certificate, path.join(folder, 'certificate.pem'));
  return {
    try: async (network, attempts, environment = {}) => {
      await writeFile(path.join(folder, 'attempts.json'), JSON.stringify(attempts));
      const output = await runToEnd(engine.runtime, {
        name: engine.name(),
        image: NODE_IMAGE,
        command: ['node', '/probe/probe.mjs', '--from', '/probe/attempts.json'],
        environment: {
          NODE_EXTRA_CA_CERTS: '/probe/certificate.pem',
          NODE_NO_WARNINGS: '1',
          ...environment,
        },
        labels: engine.labels,
        network,
        capabilities: ['NET_RAW'], // Without this capability, ping would fail for another reason.
        mounts: [{ type: 'bind', source: folder, target: '/probe', readOnly: true }],
      });
      // SAFETY: probe-program.ts writes it.
      const results = JSON.parse(output) as readonly string[];
      return new Map(attempts.map((attempt, at) => [attempt, results[at] ?? 'nothing']));
    },
  };
}

async function runToEnd(
  runtime: ContainerEngine,
  spec: Parameters<ContainerEngine['createContainer']>[0],
): Promise<string> {
  const id = await runtime.createContainer({ ...spec, logs: { maxBytes: 1_000_000, files: 1 } });
  try {
    await runtime.startContainer(id);
    await runtime.waitForExit(id);
    const lines: string[] = [];
    for await (const { stream, text } of runtime.readLogs(id, { follow: true })) {
      if (stream === 'stdout') lines.push(text);
    }
    return lines.join('');
  } finally {
    await runtime.removeContainer(id);
  }
}

/**
 * Returns true if an attempt reached something. Only the listed results count as failures. Every other one
 * counts as a leak.
 */
export function gotThrough(word: string): boolean {
  return !NOWHERE.test(word);
}

const NOWHERE =
  /^(?:E[A-Z0-9]+|no answer|no ping|ended with \d+|HTTP\/1\.1 (?:400|403|502) .*|Timeout|nothing)$/;
