import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { JsonObject } from '@portolan/plugin-api';
import { parse, stringify } from 'yaml';
import { run } from '../../scripts/run.ts';
import { skipSuite } from './skip-suite.ts';

const SCRIPT = path.join(import.meta.dirname, '../../scripts/kube-env.sh');

/** Rules of a Role or ClusterRole for all reads of a source. */
export const READING: readonly JsonObject[] = [
  {
    apiGroups: ['toolhive.stacklok.dev', 'gateway.networking.k8s.io', 'networking.k8s.io', ''],
    resources: ['mcpservers', 'virtualmcpservers', 'mcpremoteproxies', 'httproutes', 'ingresses', 'services'],
    verbs: ['get', 'list', 'watch'],
  },
];

/**
 * A real API server of Kubernetes with etcd in their own processes, and a kubeconfig with the users `admin`
 * and `reader`. The caller has to stop it.
 */
export class TestCluster {
  readonly folder: string;
  readonly kubeconfig: string;
  readonly #server: URL;
  /** Self-signed certificate of the server. */
  readonly ca: string;

  private constructor(folder: string, kubeconfig: string, server: URL, ca: string) {
    this.folder = folder;
    this.kubeconfig = kubeconfig;
    this.#server = server;
    this.ca = ca;
  }

  /** Starts a cluster in a `before` hook. Skips the suite with the reason if the API server was not built. */
  static async start(context: Mocha.Context): Promise<TestCluster> {
    context.timeout(180_000);
    const cluster = await TestCluster.open();
    return cluster ?? skipSuite(context, 'no API server of Kubernetes; scripts/kube-env.sh build makes one');
  }

  /** Returns undefined if the API server was not built. */
  static async open(priority: 'as this one' | 'lowest' = 'as this one'): Promise<TestCluster | undefined> {
    const isBuilt = await run(SCRIPT, ['status']).then(
      () => true,
      () => false,
    );
    if (!isBuilt) return undefined;
    const folder = await mkdtemp(path.join(tmpdir(), 'portolan-kube-'));
    try {
      const started =
        priority === 'lowest'
          ? run('nice', ['-n', '19', SCRIPT, 'start', folder])
          : run(SCRIPT, ['start', folder]);
      const kubeconfig = (await started).trim();
      const { clusters } = parse(await readFile(kubeconfig, 'utf8'));
      const cluster = clusters[0].cluster;
      const ca = await readFile(cluster['certificate-authority'], 'utf8');
      return new TestCluster(folder, kubeconfig, new URL(cluster.server), ca);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  get port(): number {
    return Number(this.#server.port);
  }

  /** Returns a kubeconfig of the cluster for another port or user. */
  async kubeconfigWith(changes: { readonly port?: number; readonly context?: string }): Promise<string> {
    const config = parse(await readFile(this.kubeconfig, 'utf8'));
    const { port = this.port, context = 'admin' } = changes;
    config.clusters[0].cluster.server = `https://127.0.0.1:${port}`;
    config['current-context'] = context;
    const file = path.join(this.folder, `kubeconfig-${context}-${port}`);
    await writeFile(file, stringify(config), { mode: 0o600 });
    return file;
  }

  /** Returns a token of a service account, as a pod has one. */
  async tokenOf(namespace: string, name: string): Promise<string> {
    const query = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const at = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
    const { body } = await this.send('POST', at, query);
    return String(Object(body['status']).token);
  }

  /** Returns a kubeconfig of a service account. */
  async kubeconfigOf(namespace: string, name: string): Promise<string> {
    const config = parse(await readFile(this.kubeconfig, 'utf8'));
    config.users = [{ name: 'admin', user: { token: await this.tokenOf(namespace, name) } }];
    const file = path.join(this.folder, `kubeconfig-of-${namespace}-${name}`);
    await writeFile(file, stringify(config), { mode: 0o600 });
    return file;
  }

  /** Makes objects, or replaces their annotations, labels and spec. */
  async apply(...objects: readonly JsonObject[]): Promise<void> {
    for (const object of objects) {
      const { at, name } = addressOf(object);
      const patch = `${at}/${name}?fieldManager=test&force=true`;
      await this.#expect(await this.send('PATCH', patch, object, 'application/apply-patch+yaml'), [200, 201]);
    }
  }

  /** Validates objects with a dry run: schema, admission and access. Throws with the faults. */
  async judge(...objects: readonly JsonObject[]): Promise<void> {
    for (const object of objects)
      await this.#expect(await this.send('POST', `${addressOf(object).at}?dryRun=All`, object), [201]);
  }

  /** Makes many objects at the same time. */
  async create(objects: readonly JsonObject[]): Promise<void> {
    const open = [...objects];
    const agent = new Agent({ keepAlive: true });
    const worker = async (): Promise<void> => {
      for (let next = open.shift(); next !== undefined; next = open.shift()) {
        const response = await this.send('POST', addressOf(next).at, next, 'application/json', agent);
        await this.#expect(response, [201, 409]);
      }
    };
    try {
      await Promise.all(Array.from({ length: 8 }, worker));
    } finally {
      agent.destroy();
    }
  }

  async delete(object: JsonObject): Promise<void> {
    const { at, name } = addressOf(object);
    await this.#expect(await this.send('DELETE', `${at}/${name}`), [200, 202]);
  }

  async namespaces(...names: readonly string[]): Promise<void> {
    await this.create(names.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })));
  }

  /** Grants rules to `reader` in one namespace or, without one, in all. */
  async allow(namespace: string | undefined, rules: readonly JsonObject[] = READING): Promise<void> {
    await this.apply(...grant(namespace, rules));
  }

  /** Revokes the rules of `allow` in one namespace or in all. */
  async deny(namespace: string | undefined): Promise<void> {
    for (const object of grant(namespace, []).toReversed()) await this.delete(object);
  }

  /** Makes custom resource definitions, and waits until the server serves them. */
  async define(...definitions: readonly JsonObject[]): Promise<void> {
    await this.apply(...definitions);
    for (const definition of definitions) {
      const { group, versions, names } = Object(definition['spec']);
      const at = `/apis/${group}/${versions[0].name}/${names.plural}`;
      for (;;) {
        const { status } = await this.send('GET', at);
        if (status === 200) break;
        if (status !== 404) throw new Error(`${at} was answered with status ${status}`);
      }
    }
  }

  /** Removes definitions, and waits until all of their objects are gone. */
  async undefine(...definitions: readonly JsonObject[]): Promise<void> {
    for (const definition of definitions) {
      const { at, name } = addressOf(definition);
      await this.delete(definition);
      while ((await this.send('GET', `${at}/${name}`)).status !== 404);
    }
  }

  /** Sends any request of the API as `admin`. */
  async send(
    method: string,
    target: string,
    body?: JsonObject,
    type = 'application/json',
    agent?: Agent,
  ): Promise<{ readonly status: number; readonly body: JsonObject }> {
    const { status, text } = await this.#ask(method, target, body, type, agent);
    return { status, body: bodyOf(text) };
  }

  /** Returns the number of open watches of a resource, as the server counts them, each in a namespace. */
  async watchesOf(resource: string): Promise<number> {
    const { text } = await this.#ask('GET', '/metrics', undefined, 'text/plain', undefined);
    const gauge = new RegExp(
      `^apiserver_longrunning_gauge\\{[^}]*resource="${resource}"[^}]*scope="namespace"[^}]*verb="WATCH"[^}]*\\} (\\d+)$`,
      'm',
    );
    return Number(gauge.exec(text)?.[1] ?? 0);
  }

  async #ask(
    method: string,
    target: string,
    body: JsonObject | undefined,
    type: string,
    agent: Agent | undefined,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
    const headers = {
      authorization: 'Bearer admin',
      'content-type': type,
      ...(agent === undefined ? { connection: 'close' } : {}),
    };
    const sent = request(
      new URL(target, this.#server),
      { method, headers, agent, ca: this.ca },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    return promise;
  }

  /** Kills the API server, like a crash. */
  async halt(): Promise<void> {
    await run(SCRIPT, ['halt', this.folder]);
  }

  /** Starts the API server again at the same address. */
  async resume(): Promise<void> {
    await run(SCRIPT, ['resume', this.folder]);
  }

  /** Compacts the history: a watch from an older version gets status 410. */
  async compact(): Promise<void> {
    await run(SCRIPT, ['compact', this.folder]);
  }

  async stop(): Promise<void> {
    await run(SCRIPT, ['stop', this.folder]);
  }

  async #expect(
    response: { readonly status: number; readonly body: JsonObject },
    statuses: readonly number[],
  ): Promise<void> {
    if (!statuses.includes(response.status)) throw new Error(JSON.stringify(response));
  }
}

/** The server responds with plain text to an unknown path. */
function bodyOf(text: string): JsonObject {
  return text.startsWith('{') ? JSON.parse(text) : {};
}

const PLURALS: Readonly<Record<string, string>> = {
  HTTPRoute: 'httproutes',
  Ingress: 'ingresses',
  MCPRemoteProxy: 'mcpremoteproxies',
  NetworkPolicy: 'networkpolicies',
};

function addressOf(object: JsonObject): { readonly at: string; readonly name: string } {
  const { apiVersion, kind, metadata } = object;
  const { namespace, name } = Object(metadata);
  const root = String(apiVersion).includes('/')
    ? `/apis/${String(apiVersion)}`
    : `/api/${String(apiVersion)}`;
  const plural = PLURALS[String(kind)] ?? `${String(kind).toLowerCase()}s`;
  return { at: `${root}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${plural}`, name };
}

function grant(namespace: string | undefined, rules: readonly JsonObject[]): readonly JsonObject[] {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const cluster = namespace === undefined ? 'Cluster' : '';
  const metadata = { name: 'reader', ...(namespace === undefined ? {} : { namespace }) };
  const apiGroup = 'rbac.authorization.k8s.io';
  return [
    { apiVersion, kind: `${cluster}Role`, metadata, rules },
    {
      apiVersion,
      kind: `${cluster}RoleBinding`,
      metadata,
      roleRef: { apiGroup, kind: `${cluster}Role`, name: 'reader' },
      subjects: [{ apiGroup, kind: 'User', name: 'reader' }],
    },
  ];
}

/** Returns a custom resource definition without restrictions. */
export function definitionOf(group: string, kind: string, versions: readonly string[]): JsonObject {
  const singular = kind.toLowerCase();
  const plural = PLURALS[kind] ?? `${singular}s`;
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      // Names below k8s.io need an annotation that says they were approved.
      ...(group.endsWith('.k8s.io')
        ? { annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' } }
        : {}),
    },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular, kind, listKind: `${kind}List` },
      versions: versions.map((name, index) => ({ name, served: true, storage: index === 0, schema })),
    },
  };
}

/** Definitions that a source can read in a cluster with the operator of ToolHive and the Gateway API. */
export const DEFINITIONS: readonly JsonObject[] = [
  ...['MCPServer', 'VirtualMCPServer', 'MCPRemoteProxy'].map((kind) =>
    definitionOf('toolhive.stacklok.dev', kind, ['v1beta1']),
  ),
  definitionOf('gateway.networking.k8s.io', 'HTTPRoute', ['v1']),
];
