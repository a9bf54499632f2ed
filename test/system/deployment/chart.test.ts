import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { packChart } from '../../../scripts/release/artefacts.ts';
import { run } from '../../../scripts/run.ts';
import { shownIn } from '../../support/examples/shown-in.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { CHART, findHelm, render, type Rendered } from './support/chart.ts';
import { VALUE_SETS } from './support/chart-values.ts';

interface Model {
  validate(): void;
}

describe('deploy/helm/portolan', function () {
  this.timeout(180_000); // The cases start Helm several times.

  let helm: string;
  let folder: string;
  before(async function () {
    const found = await findHelm();
    if (found === undefined) skipSuite(this, 'Helm was not compiled here: scripts/helm.sh path');
    helm = found;
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-chart-'));
  });
  after(async () => {
    if (folder !== undefined) await rm(folder, { recursive: true });
  });

  const valuesOf = async (values: object): Promise<string> => {
    const file = path.join(folder, 'values.json');
    await writeFile(file, JSON.stringify(values));
    return file;
  };
  const rendered = async (values: object, ...options: readonly string[]) =>
    await render(helm, await valuesOf(values), ...options);

  for (const [title, values] of Object.entries(VALUE_SETS)) {
    it(`passes Helm's lint and the schemas of a current Kubernetes: ${title}`, async () => {
      await run(helm, ['lint', '--strict', CHART, '--values', await valuesOf(values)]);
      const objects = await rendered(values, '--api-versions', 'policy/v1/PodDisruptionBudget');
      expect(objects.map(({ kind }) => kind)).to.include.members(['Deployment', 'Service', 'ConfigMap']);
      for (const one of objects.filter(({ kind }) => kind !== 'ServiceMonitor')) {
        const model = await modelOf(one);
        expect(() => model.validate(), `${one.kind} ${one.metadata.name}`).not.to.throw();
      }
    });
  }

  it('renders the values of the guide', async () => {
    const values: unknown = parse(await shownIn('docs/operate/install-helm.md', 'image:\n'));
    const objects = await rendered(Object(values));
    expect(objects.map(({ kind }) => kind)).to.include.members([
      'Ingress',
      'Job',
      'PodDisruptionBudget',
      'Role',
    ]);
  });

  it('renders the same from the packed chart of a release', async () => {
    const file = path.join(folder, 'portolan-chart.tgz');
    await packChart(file);
    const values = await valuesOf(VALUE_SETS['three servers on PostgreSQL, watched']);
    const template = (chart: string): Promise<string> =>
      run(helm, ['template', 'registry', chart, '--namespace', 'registry', '--values', values]);
    expect(await template(file)).to.equal(await template(CHART));
  });

  it('passes the configuration unchanged, and secrets only by reference', async () => {
    const values = VALUE_SETS['three servers on PostgreSQL, watched'];
    const objects = await rendered(values);
    const maps = objects.filter(({ kind }) => kind === 'ConfigMap');
    expect(maps).to.have.lengthOf(2); // The job has its own security context.
    for (const map of maps) {
      const data = map['data'] as Readonly<Record<string, string>>; // SAFETY: the schema of ConfigMap.
      expect(parse(data['portolan.config.yaml'] ?? '')).to.deep.equal(values.config);
    }
    expect(objects.some(({ kind }) => kind === 'Secret')).to.equal(false);
    expect(JSON.stringify(objects)).to.include(
      '"secretKeyRef":{"name":"portolan-database","key":"password"}',
    );
  });

  const modes: readonly (readonly [config: object, hides: boolean])[] = [
    [{}, true],
    [{ server: { publicUrl: 'https://registry.acme.example' } }, true],
    [{ server: { adminApi: true } }, false],
    [{ auth: { mode: 'oauth', oauth: { providers: [] } } }, false],
  ];
  for (const [config, hides] of modes)
    it(`${hides ? 'hides' : 'keeps'} the admin API with ${JSON.stringify(config)}`, async () => {
      const deployment = (await rendered({ config })).find(({ kind }) => kind === 'Deployment');
      const setting = '{"name":"PORTOLAN_SERVER_ADMINAPI","value":"false"}';
      expect(JSON.stringify(deployment).includes(setting)).to.equal(hides);
    });

  const rights: readonly (readonly [values: keyof typeof VALUE_SETS, expected: readonly string[]])[] = [
    ['the defaults', []],
    ['three servers on PostgreSQL, watched', []],
    [
      'sources in two namespaces of the cluster',
      ['Role data', 'Role tools', 'RoleBinding data', 'RoleBinding tools'],
    ],
    [
      'a source that reads the whole cluster, and one of another cluster',
      ['ClusterRole undefined', 'ClusterRoleBinding undefined'],
    ],
  ];
  for (const [title, expected] of rights) {
    it(`grants exactly the rights that its kubernetes sources need: ${title}`, async () => {
      const objects = await rendered(VALUE_SETS[title]);
      const found = objects.filter(({ apiVersion }) => apiVersion.startsWith('rbac.'));
      expect(found.map(({ kind, metadata }) => `${kind} ${metadata.namespace}`)).to.deep.equal(expected);
      const token = JSON.stringify(objects.find(({ kind }) => kind === 'Deployment'));
      expect(token.includes('"automountServiceAccountToken":true')).to.equal(expected.length > 0);
      const rules = found.flatMap(
        (one) =>
          (one['rules'] ?? []) as readonly {
            readonly verbs: readonly string[];
            readonly resources: readonly string[];
          }[],
      ); // SAFETY: the schema of Role
      for (const { verbs, resources } of rules) {
        expect(verbs).to.deep.equal(resources[0] === 'events' ? ['create'] : ['get', 'list', 'watch']);
        expect(resources).not.to.include('secrets').and.not.to.include('*');
      }
    });
  }

  it('uses the API versions of the cluster', async () => {
    const values = VALUE_SETS['three servers on PostgreSQL, watched'];
    const budget = (objects: readonly Rendered[]) =>
      objects.find(({ kind }) => kind === 'PodDisruptionBudget')?.apiVersion;
    expect(budget(await rendered(values, '--api-versions', 'policy/v1/PodDisruptionBudget'))).to.equal(
      'policy/v1',
    );
    expect(budget(await rendered(values, '--kube-version', '1.20.2'))).to.equal('policy/v1beta1');
  });

  it('runs database migrations before servers start, only with PostgreSQL', async () => {
    const jobs = async (values: object) => (await rendered(values)).filter(({ kind }) => kind === 'Job');
    expect(await jobs(VALUE_SETS['one server with a volume, behind an ingress'])).to.deep.equal([]);
    const [job] = await jobs(VALUE_SETS['three servers on PostgreSQL, watched']);
    expect(job?.metadata.annotations).to.include({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
    expect(JSON.stringify(job)).to.include('"args":["migrate","up","--yes"]');
    const off = { ...VALUE_SETS['three servers on PostgreSQL, watched'], migration: { enabled: false } };
    expect(await jobs(off)).to.deep.equal([]);
    expect(JSON.stringify(await rendered(off))).not.to.include('MIGRATEONSTART');
  });

  it('gives the migration job the cloud role of the servers', async () => {
    const role = { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::123456789012:role/registry' };
    const values = VALUE_SETS['three servers on PostgreSQL, watched'];
    const accounts = async (serviceAccount: object) => {
      const objects = await rendered({ ...values, serviceAccount });
      const made = objects.filter(({ kind }) => kind === 'ServiceAccount');
      const job = JSON.stringify(objects.find(({ kind }) => kind === 'Job'));
      return { made, ofJob: /"serviceAccountName":"([^"]*)"/.exec(job)?.[1] };
    };
    const own = await accounts({ annotations: role });
    expect(own.ofJob).to.match(/-migration$/);
    expect(own.made.map(({ metadata }) => metadata.name))
      .to.include(own.ofJob)
      .and.to.have.lengthOf(2);
    for (const { metadata } of own.made) expect(metadata.annotations).to.include(role);
    const hook = own.made.find(({ metadata }) => metadata.name === own.ofJob);
    expect(hook?.metadata.annotations).to.include({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
    const given = await accounts({ create: false, name: 'registry-of-ours' });
    expect(given).to.deep.equal({ made: [], ofJob: 'registry-of-ours' });
  });

  const refused: readonly (readonly [title: string, values: object, says: RegExp])[] = [
    ['a value that it does not know', { replica: 2 }, /replica is not allowed|replica/],
    ['no number of replicas', { replicas: 'two' }, /replicas/],
    ['several servers without a common database', { replicas: 2 }, /2 replicas need one database/],
    [
      'several servers on SQLite',
      { replicas: 2, config: { database: { url: 'sqlite:/var/lib/portolan/registry.db' } } },
      /2 replicas need one database/,
    ],
    [
      'a password in the configuration',
      { config: { database: { password: 'hunter2' } } },
      /config\.database/,
    ],
    [
      'a password in the address of the database',
      { config: { database: { url: 'postgres://portolan:hunter2@db/portolan' } } },
      /config\.database/,
    ],
    ['an address that only the chart may set', { config: { server: { address: ':80' } } }, /config\.server/],
    ['a digest that is none', { image: { digest: 'latest' } }, /digest/],
    ['an ingress without hosts', { ingress: { enabled: true } }, /hosts/],
    ['a secret without a key', { secretEnv: [{ name: 'A', secret: 'b' }] }, /key/],
    ['no configuration', { config: null }, /config/],
  ];
  for (const [title, values, says] of refused) {
    it(`rejects ${title}`, async () => {
      const error = await rendered(values).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).to.be.an.instanceOf(Error).with.property('message').that.matches(says);
      if (title.includes('password')) expect(String(error)).not.to.include('hunter2');
    });
  }
});

/**
 * Returns the class of kubernetes-models for an object. The classes come from the OpenAPI documents of
 * Kubernetes.
 */
async function modelOf(object: Rendered): Promise<Model> {
  const module: unknown = await import(`kubernetes-models/${object.apiVersion}/${object.kind}`);
  // SAFETY: every module of that package exports the class with its name.
  const classes = module as Readonly<Record<string, new (data: object) => Model>>;
  const Kind = classes[object.kind];
  if (Kind === undefined) throw new Error(`${object.apiVersion} ${object.kind} is in no schema`);
  return new Kind(object);
}
