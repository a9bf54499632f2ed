import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { JsonObject } from '@portolan/plugin-api';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { RunningPortolan, runPortolan } from '../../support/command-line.ts';
import { EXAMPLES } from '../../support/examples/example-copy.ts';
import { expectJson } from '../../support/examples/match-response.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { freePort } from '../../support/free-port.ts';
import { onHost } from '../../support/on-host.ts';
import { type Json, RegistryUnderTest } from '../../support/registry-under-test.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { TestCluster } from '../../support/test-cluster.ts';
import { POSTGRES } from '../../support/test-database.ts';

/** Time after which the lease of an ended process expires, in milliseconds. */
const LEASE_MS = 15_000;

const EXAMPLE = path.join(EXAMPLES, 'kubernetes-registry');

interface StartOptions {
  readonly beside?: RegistryUnderTest;
  readonly engine?: 'SQLite' | 'PostgreSQL';
  /** Host name that the server uses. */
  readonly host?: string;
}

describe('a registry with a kubernetes source', function () {
  this.timeout(120_000); // The hook starts the program and an API server of Kubernetes.

  let cluster: TestCluster;
  let registries: RegistryUnderTest[] = [];

  before(async function () {
    cluster = await TestCluster.start(this);
    await cluster.namespaces('team-a', 'team-b');
  });
  after(async () => cluster?.stop());
  afterEach(async () => {
    for (const registry of registries.toReversed()) await registry.close();
    registries = [];
  });

  async function start(
    source: Json,
    { beside, engine = 'SQLite', host }: StartOptions = {},
  ): Promise<RegistryUnderTest> {
    const registry = await RegistryUnderTest.start({
      engine,
      mode: 'anonymous',
      config: {
        sources: [{ name: 'cluster', kubernetes: source }],
        registries: [{ name: 'main', sources: ['cluster'] }],
        apiSources: { allowServerCredentials: true },
      },
      ...(beside === undefined ? {} : { beside }),
      ...(host === undefined ? {} : { env: onHost(host) }),
    });
    registries.push(registry);
    return registry;
  }

  it('works as the README of examples/kubernetes-registry shows, with only the rights of its rbac.yaml', async () => {
    await cluster.apply(...(await objectsOf('rbac.yaml')), ...(await objectsOf('services.yaml')));
    const folder = await mkdtemp(path.join(tmpdir(), 'portolan-example-'));
    try {
      await cp(EXAMPLE, folder, { recursive: true });
      const file = path.join(folder, 'portolan.config.yaml');
      const config = parse(await readFile(file, 'utf8'));
      config.sources[0].kubernetes.kubeconfig = await cluster.kubeconfigOf('portolan', 'portolan');
      await writeFile(file, stringify(config));
      const server = new RunningPortolan(
        ['serve', '--config', file, '--address', '127.0.0.1:0', '--internal-address', 'off'],
        { cwd: folder },
      );
      try {
        const { address } = await server.logged('listening');
        const readme = await readFile(path.join(EXAMPLE, 'README.md'), 'utf8');
        const [, shown = ''] = /```json\n(.*?)```/s.exec(readme) ?? [];
        await eventually(async () => {
          const response = await fetch(`http://${String(address)}/registry/main/v0.1/servers`);
          expectJson(await response.json(), JSON.parse(shown));
        });
      } finally {
        await server.stop();
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  // registry-api.md 13.1 and 18, issue 886 of the reference: reconciling one namespace deletes entries that came from the others.
  it('keeps the entries of a namespace that it can no longer read, for any change in another namespace', async () => {
    const [one, other] = ['wipe-a', 'wipe-b'] as const;
    await cluster.namespaces(one, other);
    await cluster.allow(one);
    await cluster.allow(other);
    await cluster.apply(service(one, 'first'), service(other, 'second'));
    const kubeconfig = await cluster.kubeconfigWith({ context: 'reader' });
    const registry = await start({ kubeconfig, namespaces: [one, other] });
    await eventually(async () =>
      expect(await namesIn(registry)).to.deep.equal([`${one}/first`, `${other}/second`]),
    );

    await cluster.deny(other);
    await cluster.apply(service(one, 'third'));
    const three = [`${one}/first`, `${one}/third`, `${other}/second`];
    await eventually(async () => expect(await namesIn(registry)).to.deep.equal(three));
    expect(await skippedIn(registry)).to.deep.equal([
      `${other}: The Kubernetes API server does not permit listing mcpservers in the namespace ${other}. Its last good entries are kept.`,
    ]);

    await cluster.apply(service(other, 'fourth'));
    await cluster.delete(service(one, 'first'));
    await cluster.allow(other);
    const after = [`${one}/third`, `${other}/fourth`, `${other}/second`];
    await eventually(async () => expect(await namesIn(registry)).to.deep.equal(after), { withinMs: 40_000 });
    expect(await skippedIn(registry)).to.deep.equal([]);
  });

  it('lets a caller of the API create a source for the surrounding cluster, but not one with a kubeconfig', async () => {
    const registry = await start({ kubeconfig: cluster.kubeconfig, namespaces: ['team-a'] });
    const refused = await registry.send('PUT', '/v1/sources/mine', {
      body: { kubernetes: { kubeconfig: cluster.kubeconfig } },
    });
    expect(refused.status).to.equal(400);
    expect(refused.text).to.include(
      'kubernetes.kubeconfig: found a kubeconfig; expected none: only a source of the configuration file may have one',
    );
    const made = await registry.send('PUT', '/v1/sources/mine', {
      body: { kubernetes: { namespaces: ['team-b'] } },
    });
    expect(made.status, made.text).to.be.oneOf([200, 201]);
    // The server is not a pod, and its status says so.
    await eventually(async () => {
      const { text } = await registry.send('GET', '/v1/sources/mine');
      expect(text).to.include('this server has no service account of a Kubernetes cluster');
    });
  });

  it('config check › reports problems of a kubeconfig with their place', async () => {
    const file = path.join(cluster.folder, 'portolan.config.yaml');
    const config = {
      sources: [{ name: 'cluster', kubernetes: { kubeconfig: cluster.kubeconfig, context: 'production' } }],
      registries: [{ name: 'main', sources: ['cluster'] }],
      auth: { mode: 'anonymous' },
    };
    await writeFile(file, stringify(config));
    const { status, stderr } = await runPortolan(['config', 'check', '--config', file]);
    expect(status).to.equal(2);
    expect(stderr).to.match(
      /sources\[0\]\.kubernetes\.context +found "production"; expected one of "admin", "reader"/,
    );
  });

  it('keeps entries while its kubeconfig is broken, logs one clear error for each fault, and recovers', async () => {
    const namespace = 'rotated';
    await cluster.namespaces(namespace);
    await cluster.apply(service(namespace, 'kept'));
    const kubeconfig = path.join(cluster.folder, 'rotated');
    const good = await readFile(cluster.kubeconfig, 'utf8');
    await writeFile(kubeconfig, good, { mode: 0o600 });
    const registry = await start({ kubeconfig, namespaces: [namespace] });
    await eventually(async () => expect(await namesIn(registry)).to.deep.equal([`${namespace}/kept`]));
    const server = `https://127.0.0.1:${cluster.port}`;
    const unused = await freePort();
    const { file: stranger } = await makeCertificate(cluster.folder, ['localhost']);
    const WRONG: readonly (readonly [string, RegExp])[] = [
      ['{', /^In `kubeconfig`, found .*, which holds /],
      [good.replace('current-context: admin', 'current-context: nobody'), /^In `context`, found .*nobody/],
      [good.replace('token: admin', 'token: of-yesterday'), /did not accept the credentials \(status 401\)/],
      [good.replace(server, `https://127.0.0.1:${unused}`), /cannot be reached \(ECONNREFUSED\)/],
      [
        good.replace(/certificate-authority: .*(?=\})/, `certificate-authority: "${stranger}"`),
        /cannot be reached \([A-Z_]*(?:CERT|SIGNATURE)[A-Z_]*\)/,
      ],
      [good.replace('token: admin', 'exec: {command: /none}'), /^In `kubeconfig`, found .*exec/],
    ];
    for (const [text, says] of WRONG) {
      expect(text, String(says)).to.not.equal(good);
      await writeFile(kubeconfig, text);
      await registry.send('POST', '/v1/sources/cluster/sync');
      await eventually(async () => {
        const { phase, message } = await statusIn(registry);
        expect(phase).to.equal('failed');
        expect(message).to.match(says);
      });
      expect((await statusIn(registry)).message.split('\n')).to.have.lengthOf(1);
      expect(await namesIn(registry), String(says)).to.deep.equal([`${namespace}/kept`]);
    }
    await writeFile(kubeconfig, good);
    await cluster.apply(service(namespace, 'new'));
    await registry.send('POST', '/v1/sources/cluster/sync');
    await eventually(async () =>
      expect(await namesIn(registry)).to.deep.equal([`${namespace}/kept`, `${namespace}/new`]),
    );
  });

  describe('with two servers', () => {
    before(function () {
      if (POSTGRES === undefined) skipSuite(this, 'no PostgreSQL; PORTOLAN_TEST_POSTGRES_URL names one');
    });

    it('is watched by one server, and within two lease times after its kill by the other', async () => {
      const namespace = 'replicas';
      await cluster.namespaces(namespace);
      const source = { kubeconfig: cluster.kubeconfig, namespaces: [namespace] };
      const first = await start(source, { engine: 'PostgreSQL', host: 'one' });
      await cluster.apply(service(namespace, 'a'));
      await eventually(async () => expect(await namesIn(first)).to.deep.equal([`${namespace}/a`]));
      const second = await start(source, { engine: 'PostgreSQL', host: 'two', beside: first });
      await cluster.apply(service(namespace, 'b'));
      await eventually(async () =>
        expect(await namesIn(second)).to.deep.equal([`${namespace}/a`, `${namespace}/b`]),
      );

      await eventually(async () =>
        expect(await cluster.watchesOf('services'), 'watches of both').to.equal(1),
      );

      // Only the watch can cause this read: without a watch, the interval is half an hour.
      first.process.kill('SIGKILL');
      await eventually(async () => expect(await cluster.watchesOf('services')).to.equal(0));
      await cluster.delete(service(namespace, 'a'));
      await cluster.apply(service(namespace, 'c'));
      await eventually(
        async () => expect(await namesIn(second)).to.deep.equal([`${namespace}/b`, `${namespace}/c`]),
        { withinMs: 2 * LEASE_MS },
      );
      // A watch that ends starts again shortly afterwards.
      await eventually(async () =>
        expect(await cluster.watchesOf('services'), 'watches of the one that is left').to.equal(1),
      );
    });
  });
});

/** Returns the names without their prefix. */
async function namesIn(registry: RegistryUnderTest): Promise<readonly string[]> {
  const answer = await registry.send('GET', '/registry/main/v0.1/servers?limit=100');
  const { servers } = answer.json<{ servers: readonly { server: { name: string } }[] }>();
  return servers.map(({ server }) => server.name.replace('com.toolhive.k8s.', ''));
}

async function skippedIn(registry: RegistryUnderTest): Promise<readonly string[]> {
  const answer = await registry.send('GET', '/v1/sources/cluster');
  const { syncStatus } = answer.json<{
    syncStatus: { skipped?: readonly { skipped: string; because: string }[] };
  }>();
  return (syncStatus.skipped ?? []).map(({ skipped, because }) => `${skipped}: ${because}`);
}

async function statusIn(
  registry: RegistryUnderTest,
): Promise<{ readonly phase: string; readonly message: string }> {
  const answer = await registry.send('GET', '/v1/sources/cluster');
  const { syncStatus } = answer.json<{ syncStatus: { phase: string; message?: string } }>();
  return { phase: syncStatus.phase, message: syncStatus.message ?? '' };
}

function service(namespace: string, name: string): JsonObject {
  const annotations = {
    'portolan.dev/registry-export': 'true',
    'portolan.dev/registry-url': `https://${name}.acme.example/mcp`,
    'portolan.dev/registry-description': `What ${name} does`,
  };
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, annotations },
    spec: { ports: [{ port: 80, protocol: 'TCP' }] },
  };
}

async function objectsOf(file: string): Promise<readonly JsonObject[]> {
  const documents = parseAllDocuments(await readFile(path.join(EXAMPLE, file), 'utf8'));
  return documents.map((document) => document.toJS());
}
