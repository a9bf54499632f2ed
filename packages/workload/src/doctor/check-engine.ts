import type { HostDescription } from '@portolan/plugin-api';
import type { WorkloadContext } from '../workload-context.ts';
import type { Finding } from './finding.ts';

export async function checkEngine(
  { kinds }: WorkloadContext,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const runtime = await kinds.openRuntime();
  if (runtime.runs === 'workloads') return [describeHost(await runtime.host.describe(signal))];
  const engine = await runtime.engine.describe(signal);
  const { name, version, address, addressFrom } = engine;
  const findings: Finding[] = [
    { check: 'engine', level: 'fine', found: `${name} ${version} responds at ${address} (${addressFrom}).` },
  ];
  if (!engine.sharesSockets) {
    findings.push({
      check: 'engine',
      level: 'notice',
      found:
        'The engine runs on another machine or in a virtual machine: isolated workloads need two networks there.',
    });
  }
  return findings;
}

function describeHost({ name, version, address, addressFrom, enforces }: HostDescription): Finding {
  const gives = enforces.length === 0 ? 'does not isolate them' : `enforces ${enforces.join(', ')}`;
  return {
    check: 'engine',
    level: enforces.includes('confinement') ? 'fine' : 'notice',
    found: `${name} ${version} responds at ${address} (${addressFrom}): it runs workloads without a container engine and ${gives}.`,
  };
}
