import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { JsonObject, Source } from '@portolan/plugin-api';
import {
  createRecordingLogger,
  createTestContext,
  eventually,
  leavesNothingOpen,
} from '@portolan/plugin-testing';
import { expect } from 'chai';
import { CuttableLink } from '../../../test/support/cuttable-link.ts';
import { IS_SOAK } from '../../../test/support/soak.ts';
import { DEFINITIONS, definitionOf, READING, TestCluster } from '../../../test/support/test-cluster.ts';
import { kubernetesConfig, type KubernetesConfig } from '../src/index.ts';
import { createSource } from '../src/kubernetes-source.ts';
import { mapOf } from '../src/objects/cluster-object.ts';
import { faultOf } from './support/fault-of.ts';
import { custom, exported, httpRoute, ingress, OTHER_PREFIX, service } from './support/objects.ts';
import { Follower, namesIn, readItems } from './support/read-items.ts';

/** Three pages, or eight. */
const MANY = IS_SOAK ? 2000 : 600;

/** A tenth of the usual ones, and less. */
const PAUSES = { first: 50, longest: 500, absent: 300 };

describe('kubernetes source', function () {
  this.timeout(300_000); // of a machine with two cores that has other things to do
  let cluster: TestCluster;
  let followers: Follower[] = [];
  let links: CuttableLink[] = [];

  before(async function () {
    cluster = await TestCluster.start(this);
  });
  after(async () => cluster?.stop());
  afterEach(async () => {
    await Promise.all(followers.map((follower) => follower.stop()));
    await Promise.all(links.map((link) => link.cut()));
    followers = [];
    links = [];
  });

  function open(config: Partial<KubernetesConfig> = {}, context = createTestContext()): Source {
    const defaults = {
      kubeconfig: cluster.kubeconfig,
      namespaces: [],
      resources: kubernetesConfig.properties.resources.default,
      namePrefix: 'com.toolhive.k8s',
    };
    return createSource({ ...defaults, ...config }, context, { pauses: PAUSES });
  }

  /** Begins to follow, and waits until every watch was begun. */
  async function follow(source: Source, expected: readonly string[]): Promise<Follower> {
    const follower = new Follower(source);
    followers.push(follower);
    await eventually(() => expect(follower.names).to.deep.equal(expected), { withinMs: 60_000 });
    return follower;
  }

  /** A namespace of its own for a test. */
  async function namespace(name: string): Promise<string> {
    await cluster.namespaces(name);
    return name;
  }

  const entry = (ns: string, name: string): string => `com.toolhive.k8s.${ns}/${name}`;

  it('requires a cluster role for all namespaces, and reads each', async () => {
    const [one, other] = [await namespace('all-a'), await namespace('all-b')];
    await cluster.apply(service('x', { namespace: one }), ingress('y', { namespace: other }));
    const kubeconfig = await cluster.kubeconfigWith({ context: 'reader' });
    const fault = await faultOf(() => readItems(open({ kubeconfig })));
    expect([fault.code, fault.message]).to.deep.equal([
      'ERR_KUBERNETES_FORBIDDEN',
      'The Kubernetes API server does not permit listing mcpservers in all namespaces.',
    ]);
    await cluster.allow(undefined);
    try {
      const items = await readItems(open({ kubeconfig }));
      expect(await namesIn(open({ kubeconfig }))).to.include.members([entry(one, 'x'), entry(other, 'y')]);
      const scopes = items.find((item) => 'completeScopes' in item);
      expect(scopes).to.have.property('allScopes').that.includes.members([one, other]);
    } finally {
      await cluster.deny(undefined);
    }
  });

  // registry-api.md 13.1 and 18, issue 886 of the reference: one namespace deletes what came from the others.
  it('reads the permitted namespaces when its token may not list one of them', async () => {
    const [one, other] = [await namespace('rbac-a'), await namespace('rbac-b')];
    await cluster.apply(service('x', { namespace: one }), service('y', { namespace: other }));
    await cluster.allow(one);
    const kubeconfig = await cluster.kubeconfigWith({ context: 'reader' });
    const items = await readItems(open({ kubeconfig, namespaces: [other, one] }));
    expect(items.filter((item) => !('document' in item))).to.deep.equal([
      {
        skipped: other,
        because: `The Kubernetes API server does not permit listing mcpservers in the namespace ${other}. Its last good entries are kept.`,
        scope: other,
      },
      { completeScopes: [one], allScopes: [other, one] },
    ]);
    expect(items.filter((item) => 'document' in item)).to.have.lengthOf(1);
  });

  it('notices a namespace that becomes readable', async () => {
    const ns = await namespace('granted');
    await cluster.apply(service('x', { namespace: ns }));
    const kubeconfig = await cluster.kubeconfigWith({ context: 'reader' });
    const follower = new Follower(open({ kubeconfig, namespaces: [ns] }));
    followers.push(follower);
    await cluster.allow(ns);
    await eventually(() => expect(follower.names).to.deep.equal([entry(ns, 'x')]));
  });

  it('needs permissions only for the configured resources', async () => {
    const ns = await namespace('services-only');
    await cluster.apply(service('x', { namespace: ns }));
    await cluster.allow(ns, [{ apiGroups: [''], resources: ['services'], verbs: ['list', 'watch'] }]);
    const kubeconfig = await cluster.kubeconfigWith({ context: 'reader' });
    expect(await namesIn(open({ kubeconfig, namespaces: [ns], resources: ['services'] }))).to.deep.equal([
      entry(ns, 'x'),
    ]);
  });

  it('authenticates as the service account of its pod', async () => {
    const ns = await namespace('pod');
    await cluster.apply(service('x', { namespace: ns }));
    const { name, folder } = await serviceAccount(ns);
    const context = createTestContext({
      environment: { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(cluster.port) },
    });
    const config = {
      namespaces: [ns],
      resources: kubernetesConfig.properties.resources.default,
      namePrefix: 'com.toolhive.k8s',
    };
    const source = createSource(config, context, { serviceAccount: folder });
    expect((await faultOf(() => readItems(source))).code, 'before it may').to.equal(
      'ERR_KUBERNETES_FORBIDDEN',
    );
    await cluster.apply(...bind(ns, name));
    expect(await namesIn(source)).to.deep.equal([entry(ns, 'x')]);
    await writeFile(path.join(folder, 'token'), 'over');
    expect((await faultOf(() => readItems(source))).code, 'after it ran out').to.equal('ERR_SOURCE_DENIED');
    const outside = createSource(config, createTestContext({ environment: {} }), { serviceAccount: folder });
    expect((await faultOf(() => readItems(outside))).code, 'elsewhere').to.equal('ERR_SOURCE_CONFIG');
  });

  it('reports created, changed, opted-out and deleted objects, and no status changes', async () => {
    const ns = await namespace('events');
    const follower = await follow(open({ namespaces: [ns] }), []);
    await cluster.apply(service('x', { namespace: ns }));
    await eventually(() => expect(follower.names).to.deep.equal([entry(ns, 'x')]));
    await cluster.apply(service('y', { namespace: ns, annotations: exported({}, OTHER_PREFIX) }));
    await eventually(() => expect(follower.names).to.deep.equal([entry(ns, 'x'), entry(ns, 'y')]));

    const rings = follower.rings;
    const at = `/api/v1/namespaces/${ns}/services/x/status`;
    const status = { status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } };
    expect((await cluster.send('PATCH', at, status, 'application/merge-patch+json')).status).to.equal(200);
    await cluster.apply(
      service('x', { namespace: ns, annotations: exported({ 'registry-export': 'false' }) }),
    );
    await eventually(() => expect(follower.names).to.deep.equal([entry(ns, 'y')]));
    expect(follower.rings - rings, 'rings since the status changed').to.equal(1);

    await cluster.delete(service('y', { namespace: ns }));
    await eventually(() => expect(follower.names).to.deep.equal([]));
  });

  // registry-api.md 13.2: in the reference a change of one object publishes those beside it that never opted in.
  it('ignores changes of objects that never opted in', async () => {
    const ns = await namespace('opt-in');
    const { 'portolan.dev/registry-export': _, ...others } = exported();
    await cluster.apply(service('never', { namespace: ns, annotations: others }));
    const follower = await follow(open({ namespaces: [ns] }), []);
    await cluster.apply(service('x', { namespace: ns }));
    await eventually(() => expect(follower.names).to.deep.equal([entry(ns, 'x')]));
  });

  it('reads only objects with the configured labels, and notices label changes', async () => {
    const ns = await namespace('labels');
    const labelled = service('x', { namespace: ns, labels: { tier: 'front' } });
    await cluster.apply(labelled, service('y', { namespace: ns, labels: { tier: 'back' } }));
    const source = open({ namespaces: [ns], labelSelector: 'tier in (front, middle)' });
    const follower = await follow(source, [entry(ns, 'x')]);
    await cluster.apply(service('x', { namespace: ns, labels: { tier: 'back' } }));
    await eventually(() => expect(follower.names).to.deep.equal([]));
  });

  it('finds custom resources whose definition appears later, and HTTPRoutes, and drops those of a removed definition', async () => {
    const ns = await namespace('crds');
    await cluster.apply(service('notes', { namespace: ns }));
    const follower = await follow(open({ namespaces: [ns] }), [entry(ns, 'notes')]);
    await cluster.define(...DEFINITIONS);
    await cluster.apply(
      custom('MCPServer', 'notes', { namespace: ns, spec: { image: 'acme/notes:3.0.0' } }),
      httpRoute('route', { namespace: ns }),
    );
    const expected = [entry(ns, 'notes'), `- Service ${ns}/notes`, entry(ns, 'route')];
    await eventually(() => expect(follower.names).to.deep.equal(expected), { withinMs: 30_000 });
    await cluster.undefine(...DEFINITIONS);
    await eventually(() => expect(follower.names).to.deep.equal([entry(ns, 'notes')]), { withinMs: 30_000 });
  });

  it('uses an older version of a custom resource when the cluster has no newer one', async () => {
    const ns = await namespace('older');
    const definition = definitionOf('toolhive.stacklok.dev', 'MCPServer', ['v1alpha1']);
    await cluster.define(definition);
    try {
      const object = {
        ...custom('MCPServer', 'x', { namespace: ns }),
        apiVersion: 'toolhive.stacklok.dev/v1alpha1',
      };
      await cluster.apply(object);
      expect(await namesIn(open({ namespaces: [ns] }))).to.deep.equal([entry(ns, 'x')]);
    } finally {
      await cluster.undefine(definition);
    }
  });

  it('reports why an entry is hidden in a cluster event, once, if permitted', async () => {
    const ns = await namespace('told');
    await cluster.apply(service('x', { namespace: ns, annotations: exported({ 'authz-claims': '[]' }) }));
    const events = async (): Promise<readonly JsonObject[]> => {
      const { body } = await cluster.send('GET', `/api/v1/namespaces/${ns}/events`);
      return Array.isArray(body['items']) ? body['items'].map(mapOf) : [];
    };
    const kubeconfig = await cluster.kubeconfigWith({ context: 'reader' });
    await cluster.allow(ns);
    expect(await namesIn(open({ kubeconfig, namespaces: [ns] })), 'where it may not').to.deep.equal([
      `- Service ${ns}/x`,
    ]);
    expect(await events()).to.deep.equal([]);

    await cluster.allow(ns, [...READING, { apiGroups: [''], resources: ['events'], verbs: ['create'] }]);
    const source = open({ kubeconfig, namespaces: [ns] });
    await readItems(source);
    await readItems(source);
    await readItems(open({ kubeconfig, namespaces: [ns] })); // another replica
    const [event, ...more] = await events();
    expect(more).to.deep.equal([]);
    expect(event).to.include({
      type: 'Warning',
      reason: 'RegistryEntryHidden',
      message: 'The annotation portolan.dev/authz-claims is not a JSON object.',
      count: 1,
    });
    expect(event?.['involvedObject']).to.include({
      apiVersion: 'v1',
      kind: 'Service',
      namespace: ns,
      name: 'x',
    });
  });

  it('resumes after its connection broke', async () => {
    const ns = await namespace('link');
    const link = new CuttableLink({ host: '127.0.0.1', port: cluster.port });
    links.push(link);
    await link.mend();
    const logger = createRecordingLogger();
    const kubeconfig = await cluster.kubeconfigWith({ port: link.port });
    const source = open({ kubeconfig, namespaces: [ns] }, createTestContext({ logger }));
    const follower = await follow(source, []);
    await link.cut();
    expect((await faultOf(() => readItems(source))).code).to.equal('ERR_SOURCE_UNREACHABLE');
    await cluster.apply(service('x', { namespace: ns }));
    await link.mend();
    await eventually(() => expect(follower.names).to.deep.equal([entry(ns, 'x')]));
    const lines = logger.lines.filter(({ message }) => message === 'watch broke; it is resumed');
    expect(lines.length, 'once for each watch').to.be.within(1, 6);
  });

  it('starts over when the server has dropped the resource version (410)', async () => {
    const ns = await namespace('gone');
    await cluster.apply(service('old', { namespace: ns }));
    const link = new CuttableLink({ host: '127.0.0.1', port: cluster.port });
    links.push(link);
    await link.mend();
    const kubeconfig = await cluster.kubeconfigWith({ port: link.port });
    const follower = await follow(open({ kubeconfig, namespaces: [ns] }), [entry(ns, 'old')]);
    await link.cut();
    await cluster.delete(service('old', { namespace: ns }));
    await cluster.apply(service('new', { namespace: ns }));
    await cluster.compact();
    // What the server remembers by itself is forgotten with it.
    await cluster.halt();
    await cluster.resume();
    expect(await resumeFrom('1', ns), 'the server has really forgotten').to.equal(410);
    await link.mend();
    await eventually(() => expect(follower.names).to.deep.equal([entry(ns, 'new')]));
    await cluster.apply(service('newer', { namespace: ns }));
    await eventually(() => expect(follower.names).to.deep.equal([entry(ns, 'new'), entry(ns, 'newer')]));
  });

  it('continues after a server restart, and keeps custom resources that the server does not know yet', async () => {
    const ns = await namespace('restart');
    await cluster.define(...DEFINITIONS);
    await cluster.apply(custom('MCPServer', 'x', { namespace: ns }));
    const source = open({ namespaces: [ns] });
    const follower = await follow(source, [entry(ns, 'x')]);
    const seen = new Set<string>();
    const watched = eventually(
      async () => {
        // Whatever is read while the server starts is all of it, or an error.
        const names = await namesIn(source).catch(() => ['nothing was read']);
        seen.add(names.join());
        expect(names).to.deep.equal([entry(ns, 'x'), entry(ns, 'y')]);
      },
      { withinMs: 60_000 },
    );
    await cluster.halt();
    await cluster.resume();
    await cluster.apply(custom('MCPServer', 'y', { namespace: ns }));
    await eventually(() => expect(follower.names).to.deep.equal([entry(ns, 'x'), entry(ns, 'y')]), {
      withinMs: 30_000,
    });
    await watched;
    expect([...seen]).to.not.include('');
    await cluster.undefine(...DEFINITIONS);
  });

  it(`reads ${MANY} objects in pages, and notices a change among them`, async () => {
    const ns = await namespace('many');
    await cluster.define(...DEFINITIONS);
    const names = Array.from({ length: MANY }, (_, index) => `s-${String(index).padStart(4, '0')}`);
    await cluster.create(
      names.map((name) => custom('MCPServer', name, { namespace: ns, spec: { image: 'acme/s:1.0.0' } })),
    );
    const all = names.map((name) => entry(ns, name));
    const follower = await follow(open({ namespaces: [ns] }), all);
    await cluster.delete(custom('MCPServer', 's-0500', { namespace: ns }));
    await eventually(() =>
      expect(follower.names).to.deep.equal(all.filter((name) => !name.endsWith('-0500'))),
    );
    await cluster.undefine(...DEFINITIONS);
  });

  it('closes all connections, in any phase of a sync', async () => {
    const ns = await namespace('open');
    await cluster.apply(service('x', { namespace: ns }));
    await leavesNothingOpen(async () => {
      const source = open({ namespaces: [ns] });
      for await (const _ of source.readEntries(new AbortController().signal, { scratch: NO_SCRATCH })) break;
      const stop = new AbortController();
      for await (const _ of source.watch?.(stop.signal) ?? []) break;
      const again = source.watch?.(stop.signal)[Symbol.asyncIterator]();
      await again?.next();
      stop.abort();
      expect(await again?.next()).to.deep.equal({ done: true, value: undefined });
    });
  });

  /** Status of a watch from an old version. */
  async function resumeFrom(version: string, ns: string): Promise<unknown> {
    const query = `watch=true&resourceVersion=${version}&timeoutSeconds=1`;
    const { status, body } = await cluster.send('GET', `/api/v1/namespaces/${ns}/services?${query}`);
    return status === 200 ? mapOf(body['object'])['code'] : status;
  }

  async function serviceAccount(ns: string): Promise<{ readonly name: string; readonly folder: string }> {
    const name = 'portolan';
    await cluster.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: ns } });
    const folder = path.join(cluster.folder, 'service-account');
    await mkdir(folder);
    await writeFile(path.join(folder, 'token'), await cluster.tokenOf(ns, name));
    await writeFile(path.join(folder, 'ca.crt'), cluster.ca);
    return { name, folder };
  }
});

const NO_SCRATCH = {
  maxBytes: 0,
  open: async (): Promise<string> => {
    throw new Error('nothing is kept');
  },
};

function bind(namespace: string, name: string): readonly JsonObject[] {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const metadata = { name: 'portolan', namespace };
  return [
    { apiVersion, kind: 'Role', metadata, rules: READING },
    {
      apiVersion,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'portolan' },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
  ];
}
