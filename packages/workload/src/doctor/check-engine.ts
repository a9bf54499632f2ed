import type { WorkloadContext } from '../workload-context.ts';
import type { Finding } from './finding.ts';

/** Whether a container engine answers, and what it cannot do. */
export async function checkEngine(
  { kinds }: WorkloadContext,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const engine = await (await kinds.openRuntime()).describe(signal);
  const { name, version, address, addressFrom } = engine;
  const findings: Finding[] = [
    { check: 'engine', level: 'fine', found: `${name} ${version} answers at ${address} (${addressFrom}).` },
  ];
  if (!engine.sharesSockets) {
    findings.push({
      check: 'engine',
      level: 'notice',
      found:
        'The engine runs on another machine or in a virtual one: an isolated workload needs two networks there.',
    });
  }
  return findings;
}
