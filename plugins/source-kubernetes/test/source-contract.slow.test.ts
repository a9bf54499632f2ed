import type { JsonObject, SkippedEntry, SourceEntry } from '@portolan/plugin-api';
import { sourceContract } from '@portolan/plugin-testing';
import { TestCluster } from '../../../test/support/test-cluster.ts';
import { kubernetesConfig, kubernetesSource } from '../src/index.ts';
import { mapOf } from '../src/objects/cluster-object.ts';
import { createSource } from '../src/kubernetes-source.ts';
import { exported, service } from './support/objects.ts';

const NAMESPACES = ['team-a', 'team-b'];
const DEFAULTS = {
  namespaces: [],
  resources: kubernetesConfig.properties.resources.default,
  namePrefix: 'com.toolhive.k8s',
};

const claims = (org: string): string => JSON.stringify({ org });
const OBJECTS: readonly JsonObject[] = [
  service('notes', { annotations: exported({ 'authz-claims': claims('acme') }) }),
  service('mail', { namespace: 'team-b' }),
  service('broken', { namespace: 'team-b', annotations: exported({ 'authz-claims': '?' }) }),
  service('private', { annotations: {} }),
];

describe('kubernetes source against a cluster', function () {
  let cluster: TestCluster;
  let kubeconfig: string;
  const entries: (SourceEntry | SkippedEntry)[] = [];
  let revision = 0;

  before(async function () {
    cluster = await TestCluster.start(this);
    await cluster.namespaces(...NAMESPACES);
    kubeconfig = await cluster.kubeconfigWith({ context: 'reader' });
  });
  after(async () => cluster?.stop());

  beforeEach(async function () {
    this.timeout(120_000);
    for (const namespace of NAMESPACES) await cluster.allow(namespace);
    await cluster.apply(...OBJECTS);
    entries.push(...(await declared(cluster)));
  });
  afterEach(() => {
    entries.length = 0;
  });

  sourceContract({
    name: 'kubernetes',
    kind: kubernetesSource,
    blocks: [
      DEFAULTS,
      { ...DEFAULTS, namespaces: ['team-a'], labelSelector: 'app=notes', namePrefix: 'com.acme' },
    ],
    create: (context) => createSource({ ...DEFAULTS, kubeconfig, namespaces: NAMESPACES }, context),
    entries,
    change: async () => {
      revision += 1;
      const annotations = exported({ 'registry-description': `Keeps notes, number ${revision}.` });
      await cluster.apply(service('notes', { annotations }));
    },
    spoilScope: async () => {
      await cluster.deny('team-b');
      return 'team-b';
    },
    spoil: async () => {
      for (const namespace of NAMESPACES) await cluster.deny(namespace);
    },
    withinMs: 10_000,
  });
});

/** What the objects are to become: only the uid is known to nobody before. */
async function declared(cluster: TestCluster): Promise<readonly (SourceEntry | SkippedEntry)[]> {
  const of = async (namespace: string, name: string, description: string, labels: Record<string, string>) => {
    const { body } = await cluster.send('GET', `/api/v1/namespaces/${namespace}/services/${name}`);
    const url = 'https://notes.acme.example/mcp';
    const kubernetes = { kind: 'Service', namespace, name, uid: mapOf(body['metadata'])['uid'] };
    return {
      type: 'server',
      document: {
        $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
        name: `com.toolhive.k8s.${namespace}/${name}`,
        description,
        version: '1.0.0',
        remotes: [{ type: 'streamable-http', url }],
        _meta: {
          'io.modelcontextprotocol.registry/publisher-provided': {
            'io.github.stacklok': { [url]: { status: 'active', metadata: { kubernetes } } },
          },
        },
      },
      claims: labels,
      scope: namespace,
    } as const;
  };
  return [
    await of('team-a', 'notes', 'Keeps notes.', { org: 'acme' }),
    await of('team-b', 'mail', 'Keeps notes.', {}),
    {
      skipped: 'Service team-b/broken',
      because: 'The annotation portolan.dev/authz-claims is not JSON.',
      scope: 'team-b',
      entry: { type: 'server', name: 'com.toolhive.k8s.team-b/broken' },
    },
  ];
}
