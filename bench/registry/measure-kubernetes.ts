import path from 'node:path';
import type { Source } from '@portolan/plugin-api';
import { createTestContext, readContext } from '@portolan/plugin-testing';
import { kubernetesSource } from '../../plugins/source-kubernetes/src/index.ts';
import type { TestCluster } from '../../test/support/test-cluster.ts';
import { NAMESPACE, objectOf, OBJECTS, openFilledCluster } from './cluster-objects.ts';
import { percentile } from './statistics.ts';

export interface KubernetesFigures {
  readonly objects: number;
  /** Wall time of a list of all objects, and our CPU time. */
  readonly listMs: number;
  readonly listCpuMs: number;
  /** Additional heap during the list in MB. */
  readonly listHeapMb: number;
  /** Time from an object's change to the watch event, half of which is the API server's. */
  readonly ringMs: number;
  readonly slowestRingMs: number;
  /** CPU time per change that does not affect the registry. */
  readonly silentCpuMs: number;
}

/** Lists and watches the Services of a real API server; undefined if none is available. */
export async function measureKubernetes(rounds: number): Promise<KubernetesFigures | undefined> {
  const cluster = await openFilledCluster();
  if (cluster === undefined) return undefined;
  try {
    const source = await kubernetesSource.create(
      {
        kubeconfig: path.basename(cluster.kubeconfig),
        namespaces: [NAMESPACE],
        resources: ['services'],
        namePrefix: 'bench',
      },
      createTestContext({ directory: cluster.folder }),
    );
    return {
      objects: OBJECTS,
      ...(await measureLists(source, rounds)),
      ...(await measureWatch(source, cluster, rounds)),
    };
  } finally {
    await cluster.stop();
  }
}

async function measureLists(
  source: Source,
  rounds: number,
): Promise<Pick<KubernetesFigures, 'listMs' | 'listCpuMs' | 'listHeapMb'>> {
  await list(source);
  const [taken, cpu, heap]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    const [begun, before] = [performance.now(), process.cpuUsage()];
    heap.push(await list(source));
    taken.push(performance.now() - begun);
    cpu.push(cpuMsSince(before));
  }
  const [listMs, listCpuMs, listHeapMb] = [taken, cpu, heap].map((all) => percentile(all, 0.5));
  return {
    listMs: listMs ?? Number.NaN,
    listCpuMs: listCpuMs ?? Number.NaN,
    listHeapMb: listHeapMb ?? Number.NaN,
  };
}

/** Reads all objects, and returns the additional heap in MB. */
async function list(source: Source): Promise<number> {
  const before = process.memoryUsage().heapUsed;
  let [entries, most] = [0, 0];
  for await (const item of source.readEntries(new AbortController().signal, readContext())) {
    if ('document' in item) entries += 1;
    if (entries % 100 === 0) most = Math.max(most, process.memoryUsage().heapUsed - before);
  }
  if (entries !== OBJECTS) throw new Error(`the source has yielded ${entries} of ${OBJECTS} entries`);
  return most / 1e6;
}

async function measureWatch(
  source: Source,
  cluster: TestCluster,
  rounds: number,
): Promise<Pick<KubernetesFigures, 'ringMs' | 'slowestRingMs' | 'silentCpuMs'>> {
  const stop = new AbortController();
  // SAFETY: this kind supports watches
  const rings = (source.watch?.(stop.signal) ?? []) as AsyncGenerator<void, void>;
  try {
    await rings.next(); // waits until every watch is open
    const taken: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const next = rings.next();
      const begun = performance.now();
      await cluster.apply(objectOf(round, `of round ${round}`));
      await next;
      taken.push(performance.now() - begun);
    }
    const before = process.cpuUsage();
    const silent = Array.from({ length: rounds }, (_, at) => at);
    for (const at of silent) {
      const target = `/api/v1/namespaces/${NAMESPACE}/services/s-${at}/status`;
      const status = { status: { loadBalancer: { ingress: [{ ip: `192.0.2.${at + 1}` }] } } };
      await cluster.send('PATCH', target, status, 'application/merge-patch+json');
    }
    const silentCpuMs = cpuMsSince(before) / rounds;
    return { ringMs: percentile(taken, 0.5), slowestRingMs: Math.max(...taken), silentCpuMs };
  } finally {
    stop.abort();
    await rings.return();
  }
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
