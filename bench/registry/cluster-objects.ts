import { exported, service } from '../../plugins/source-kubernetes/test/support/objects.ts';
import { TestCluster } from '../../test/support/test-cluster.ts';

export const OBJECTS = 2000;
export const NAMESPACE = 'bench';

/** Opens a real API server with `OBJECTS` Services; undefined if no test cluster is available. */
export async function openFilledCluster(): Promise<TestCluster | undefined> {
  const cluster = await TestCluster.open('lowest');
  if (cluster === undefined) return undefined;
  try {
    await cluster.namespaces(NAMESPACE);
    await cluster.create(Array.from({ length: OBJECTS }, (_, at) => objectOf(at)));
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

export function objectOf(at: number, more = ''): ReturnType<typeof service> {
  const annotations = exported({
    'registry-url': `https://s-${at}.acme.example/mcp`,
    'registry-description': `Service ${at} ${more}`.trim(),
  });
  return service(`s-${at}`, { namespace: NAMESPACE, annotations });
}
