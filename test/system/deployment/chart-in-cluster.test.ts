import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { JsonObject } from '@portolan/plugin-api';
import { expect } from 'chai';
import { eventually } from '@portolan/plugin-testing';
import { run } from '../../../scripts/run.ts';
import { ROOT } from '../../../scripts/workspace-packages.ts';
import { asHere, shownIn } from '../../support/examples/shown-in.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { TestCluster } from '../../support/test-cluster.ts';
import { CHART, findHelm, render } from './support/chart.ts';
import { VALUE_SETS } from './support/chart-values.ts';

/** CRD of the Prometheus operator, with the fields that the ServiceMonitor of the chart uses. */
const SERVICE_MONITORS: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'servicemonitors.monitoring.coreos.com' },
  spec: {
    group: 'monitoring.coreos.com',
    scope: 'Namespaced',
    names: { kind: 'ServiceMonitor', plural: 'servicemonitors', singular: 'servicemonitor' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        },
      },
    ],
  },
};

describe('deploy/helm/portolan on a real API server without nodes', function () {
  this.timeout(180_000); // The hook starts an API server.

  let cluster: TestCluster | undefined;
  let helm: string;
  let folder: string;
  before(async function () {
    const found = await findHelm();
    if (found === undefined) skipSuite(this, 'Helm was not compiled here: scripts/helm.sh path');
    helm = found;
    cluster = await TestCluster.start(this);
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-chart-'));
    await cluster.namespaces('registry', 'tools', 'data');
    await cluster.define(SERVICE_MONITORS);
  });
  after(async () => {
    await cluster?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true });
  });

  const there = (): TestCluster => {
    if (cluster === undefined) throw new Error('no cluster was started');
    return cluster;
  };
  const helmWith = async (words: readonly string[], values?: object): Promise<string> => {
    const file = path.join(folder, 'values.json');
    if (values !== undefined) await writeFile(file, JSON.stringify(values));
    // Helm caches what it learns about a server in HOME, so a test has its own.
    const of = ['--kubeconfig', there().kubeconfig, '--namespace', 'registry'];
    return await run(helm, [...words, ...of, ...(values === undefined ? [] : ['--values', file])]);
  };
  /**
   * Makes a dry run of the server, including hooks. The dry run of Helm only renders. Before 3.13, Helm has
   * no `--dry-run=server`.
   */
  const judge = async (values: object): Promise<void> => {
    const file = path.join(folder, 'values.json');
    await writeFile(file, JSON.stringify(values));
    const rendered = await render(helm, file, '--validate', '--kubeconfig', there().kubeconfig);
    expect(rendered.map(({ kind }) => kind)).to.include('Deployment');
    for (const object of rendered) {
      const isOfCluster = object.kind.startsWith('Cluster');
      const metadata = { ...(isOfCluster ? {} : { namespace: 'registry' }), ...object.metadata };
      await there().judge({ ...object, metadata });
    }
  };
  /** Returns whether the authorizer of the server allows this to a service account. */
  const may = async (account: string, verb: string, namespace: string, group: string, resource: string) => {
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: {
        user: `system:serviceaccount:registry:${account}`,
        resourceAttributes: { verb, namespace, group, resource },
      },
    };
    const { body } = await there().send('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', review);
    return Boolean(Object(body['status']).allowed);
  };

  /** Sets the status of a job to succeeded once it exists, like its controller. */
  const finishJob = async (namespace: string, name: string): Promise<void> => {
    const at = `/apis/batch/v1/namespaces/${namespace}/jobs/${name}/status`;
    const now = new Date().toISOString();
    const conditions = [{ type: 'Complete', status: 'True', lastProbeTime: now, lastTransitionTime: now }];
    const status = { succeeded: 1, startTime: now, completionTime: now, conditions };
    await eventually(
      async () => {
        const { status: code } = await there().send('PATCH', at, { status }, 'application/merge-patch+json');
        expect(code).to.equal(200);
      },
      { withinMs: 60_000 },
    );
  };

  for (const [title, values] of Object.entries(VALUE_SETS)) {
    it(`installs after a dry run, upgrades and uninstalls: ${title}`, async () => {
      await judge(values);
      // Hooks wait for the end of a job, and no pod runs here. The server has validated them in the dry run.
      await helmWith(['install', 'registry', CHART, '--no-hooks'], values);
      const installed = await helmWith(['get', 'manifest', 'registry']);
      expect(installed).to.match(/^kind: Deployment$/m);
      await helmWith(['upgrade', 'registry', CHART, '--no-hooks'], {
        ...values,
        podLabels: { changed: 'yes' },
      });
      expect(await helmWith(['get', 'manifest', 'registry'])).to.match(/changed: "?yes/);
      await helmWith(['uninstall', 'registry', '--no-hooks']);
      const { body } = await there().send('GET', '/apis/apps/v1/namespaces/registry/deployments');
      expect(body['items']).to.deep.equal([]);
    });
  }

  it('installs, upgrades and uninstalls by the commands and values of docs/operate/install-helm.md, hooks included', async () => {
    const namespace = 'of-the-guide';
    const cwd = path.join(folder, 'guide');
    await mkdir(path.join(cwd, 'bin'), { recursive: true });
    await symlink(helm, path.join(cwd, 'bin/helm'));
    await symlink(path.join(ROOT, 'deploy'), path.join(cwd, 'deploy'));
    await writeFile(path.join(cwd, 'values.yaml'), await shownIn('docs/operate/install-helm.md', 'image:\n'));
    const env = {
      ...process.env,
      PATH: `${path.join(cwd, 'bin')}:${process.env['PATH']}`,
      KUBECONFIG: there().kubeconfig,
    };
    const here = { '--namespace registry': `--namespace ${namespace}` };
    const install = asHere(await shownIn('docs/operate/install-helm.md', 'helm install '), here);
    /** Runs a Helm command and sets the migration job to succeeded, as a node would. */
    const follow = async (command: string): Promise<void> => {
      const helmEnds = run('sh', ['-euc', command], { cwd, env });
      const jobEnds = finishJob(namespace, 'registry-portolan-migration');
      const [ended] = await Promise.allSettled([helmEnds, Promise.race([jobEnds, helmEnds])]);
      if (ended.status === 'rejected') throw ended.reason;
    };
    await follow(install);
    const state = async (): Promise<string> =>
      await run(helm, ['status', 'registry', '--namespace', namespace], { env });
    expect(await state())
      .to.match(/^STATUS: deployed$/m)
      .and.to.match(/^REVISION: 1$/m);
    await follow(asHere(await shownIn('docs/operate/install-helm.md', 'helm upgrade '), here));
    expect(await state()).to.match(/^REVISION: 2$/m);
    await run(helm, ['rollback', 'registry', '1', '--namespace', namespace], { env });
    expect(await state()).to.match(/^REVISION: 3$/m);
    const uninstall = asHere(await shownIn('docs/operate/install-helm.md', 'helm uninstall '), here);
    await run('sh', ['-euc', uninstall], { cwd, env });
    const { body } = await there().send('GET', `/apis/apps/v1/namespaces/${namespace}/deployments`);
    expect(body['items']).to.deep.equal([]);
  });

  it('keeps the volume with published entries', async () => {
    const { body } = await there().send('GET', '/api/v1/namespaces/registry/persistentvolumeclaims');
    const items = body['items'] as readonly JsonObject[]; // SAFETY: a list of the API.
    expect(items.map(({ metadata }) => Object(metadata).name)).to.deep.equal(['registry-portolan']);
  });

  it('lets the server read what its sources name, in their namespaces only', async () => {
    await helmWith(
      ['install', 'registry', CHART, '--no-hooks'],
      VALUE_SETS['sources in two namespaces of the cluster'],
    );
    const account = 'registry-portolan';
    const rows: readonly (readonly [
      verb: string,
      namespace: string,
      group: string,
      resource: string,
      allowed: boolean,
    ])[] = [
      ['list', 'tools', '', 'services', true],
      ['watch', 'data', 'networking.k8s.io', 'ingresses', true],
      ['create', 'tools', '', 'events', true],
      ['list', 'registry', '', 'services', false],
      ['list', 'tools', '', 'secrets', false],
      ['list', 'tools', '', 'pods', false],
      ['update', 'tools', '', 'services', false],
    ];
    for (const [verb, namespace, group, resource, allowed] of rows) {
      expect(
        await may(account, verb, namespace, group, resource),
        `${verb} ${resource} in ${namespace}`,
      ).to.equal(allowed);
    }
    await helmWith(['uninstall', 'registry', '--no-hooks']);
    expect(await may(account, 'list', 'tools', '', 'services')).to.equal(false);
  });
});
