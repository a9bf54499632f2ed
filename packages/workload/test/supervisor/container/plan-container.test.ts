import type { ContainerSpec, Transport } from '@portolan/plugin-api';
import { expect } from 'chai';
import { createRunConfig, type RunConfig } from '@portolan/run-spec';
import { planContainer } from '../../../src/supervisor/container/plan-container.ts';
import type { ContainerFacts } from '../../../src/supervisor/container/container-user.ts';

const STDIO: Transport = {
  carries: 'messages',
  prepareContainer: (spec, { serves }) => ({
    ...spec,
    stdin: serves === 'session' ? 'once' : 'open',
    environment: { MCP_TRANSPORT: 'stdio', ...spec.environment },
  }),
  openConnection: () => {
    throw new Error('nothing is connected here');
  },
};
const HTTP: Transport = {
  carries: 'http',
  clientPath: '/mcp',
  prepareContainer: (spec, { port }) => ({
    ...spec,
    environment: { MCP_PORT: String(port), PORT: String(port), ...spec.environment },
  }),
};

const FACTS: ContainerFacts = {
  name: 'notes',
  labels: { 'portolan.dev/name': 'notes' },
  image: { id: 'sha256:12', user: '', environment: { PATH: '/bin' } },
  engine: { rootless: false },
  transport: STDIO,
  serves: 'session',
  secrets: {},
  gateway: undefined,
  overlays: [],
  publishAddress: '127.0.0.1',
  paths: { workingDirectory: '/home/me', home: '/home/me' },
  caller: { uid: 1000, gid: 1001 },
  writableRoot: false,
};
const GATEWAY: ContainerFacts['gateway'] = {
  network: { mode: 'joined', container: 'g1' },
  environment: { HTTP_PROXY: 'http://127.0.0.1:3128' },
};
const MOUNTED: Partial<RunConfig> = { permission_profile: { read: ['/srv/docs:/docs'] } };

interface Case {
  readonly title: string;
  readonly config?: Partial<RunConfig>;
  readonly facts?: Partial<ContainerFacts>;
  readonly expected: Partial<ContainerSpec>;
}

const CASES: readonly Case[] = [
  {
    title: 'grants no privileges by default',
    expected: {
      name: 'notes',
      image: 'sha256:12',
      command: [],
      mounts: [],
      ports: [],
      network: { mode: 'bridge' },
      logs: 'none',
      stdin: 'once',
    },
  },
  {
    title: 'keeps the input of a shared process open',
    facts: { serves: 'shared' },
    expected: { stdin: 'open' },
  },
  { title: 'passes on arguments', config: { cmd_args: ['--quiet'] }, expected: { command: ['--quiet'] } },
  {
    title: "mounts the profile's folders, and over them the mounts that hide parts",
    config: { permission_profile: { read: ['/srv/docs', './rel:/rel'], write: ['/srv/data:/data'] } },
    facts: { overlays: [{ type: 'tmpfs', target: '/data/.ssh' }] },
    expected: {
      mounts: [
        { type: 'bind', source: '/srv/docs', target: '/srv/docs', readOnly: true },
        { type: 'bind', source: '/home/me/rel', target: '/rel', readOnly: true },
        { type: 'bind', source: '/srv/data', target: '/data', readOnly: false },
        { type: 'tmpfs', target: '/data/.ssh' },
      ],
    },
  },
  {
    title: 'is privileged if the profile says so',
    config: { permission_profile: { privileged: true } },
    expected: { privileged: true },
  },
  {
    title: 'has a writable root after the server needed one',
    facts: { writableRoot: true },
    expected: { writableRoot: true },
  },
  {
    title: 'runs an image that Portolan built as the caller when folders of the caller are mounted',
    config: { ...MOUNTED, image: 'portolanlocal/npx-notes:abc' },
    expected: { user: '1000:1001', environment: { MCP_TRANSPORT: 'stdio', HOME: '/tmp' } },
  },
  {
    title: 'runs such an image as user 0 in a rootless engine',
    config: { ...MOUNTED, image: 'localhost/portolanlocal/npx-notes:abc' },
    facts: { engine: { rootless: true } },
    expected: { user: '0:0' },
  },
  {
    title: "keeps the image's HOME",
    config: { ...MOUNTED, image: 'portolanlocal/npx-notes:abc' },
    facts: { image: { id: 'sha256:12', user: '65532', environment: { HOME: '/home/app' } } },
    expected: { user: '1000:1001', environment: { MCP_TRANSPORT: 'stdio' } },
  },
  {
    title:
      'lets variables of the user win over those of the transport, secrets over both, the gateway over all',
    config: { env_vars: { MCP_TRANSPORT: 'mine', KEY: 'clear', HTTP_PROXY: 'http://mine', A: 'b' } },
    facts: { secrets: { KEY: 'secret' }, gateway: GATEWAY },
    expected: {
      environment: { MCP_TRANSPORT: 'mine', KEY: 'secret', HTTP_PROXY: 'http://127.0.0.1:3128', A: 'b' },
    },
  },
  {
    title: 'keeps variables that the image sets',
    config: { target_port: 8080 },
    facts: { transport: HTTP, image: { id: 'i', user: '', environment: { PORT: '9000' } } },
    expected: { environment: { MCP_PORT: '8080' } },
  },
  {
    title: "joins the gateway's network, and publishes no ports itself",
    config: { target_port: 8080, publish: ['8000:80'] },
    facts: { transport: HTTP, gateway: GATEWAY },
    expected: { network: { mode: 'joined', container: 'g1' }, ports: [] },
  },
  {
    title:
      "publishes ports without isolation: for the proxy on loopback, for the user on the proxy's address",
    config: { target_port: 8080, publish: ['8000:80', '90'], host: '0.0.0.0' },
    facts: { transport: HTTP, publishAddress: '0.0.0.0' },
    expected: {
      ports: [
        { containerPort: 8080, hostAddress: '127.0.0.1' },
        { containerPort: 80, hostAddress: '0.0.0.0', hostPort: 8000 },
        { containerPort: 90, hostAddress: '0.0.0.0' },
      ],
    },
  },
  {
    title: "publishes no ports in the host's network",
    config: { target_port: 8080, permission_profile: { network: { mode: 'host' } } },
    facts: { transport: HTTP },
    expected: { network: { mode: 'host' }, ports: [] },
  },
  {
    title: 'has no network with the mode none',
    config: { permission_profile: { network: { mode: 'none' } } },
    expected: { network: { mode: 'none' }, ports: [] },
  },
  {
    title: 'uses a network by its name',
    config: { permission_profile: { network: { mode: 'lab' } } },
    expected: { network: { mode: 'named', name: 'lab' } },
  },
  {
    title: "contains the engine's limits for comparison",
    facts: {
      engine: { rootless: false, defaultLimits: { memoryBytes: 1, cpus: 2, processes: 3, openFiles: 4 } },
    },
    expected: { limits: { memoryBytes: 1, cpus: 2, processes: 3, openFiles: 4 } },
  },
];

const CLOSED = [
  'privileged',
  'capabilities',
  'allowNewPrivileges',
  'seccompProfile',
  'writableRoot',
  'user',
  'init',
];

describe('planContainer', () => {
  for (const { title, config = {}, facts = {}, expected } of CASES) {
    it(title, () => {
      const spec = planContainer(createRunConfig({ name: 'notes', image: 'acme/notes', ...config }), {
        ...FACTS,
        ...facts,
      });
      for (const [key, value] of Object.entries(expected)) {
        expect(spec[key as keyof ContainerSpec], key).to.deep.equal(value);
      }
      for (const key of CLOSED) if (!(key in expected)) expect(spec).not.to.have.property(key);
    });
  }

  it('keeps the user of an image that Portolan did not build, with and without mounts', () => {
    const spec = planContainer(createRunConfig({ name: 'notes', image: 'acme/notes', ...MOUNTED }), FACTS);
    expect(spec).not.to.have.property('user');
    expect(spec.environment).not.to.have.property('HOME');
  });

  it('rejects a mount that cannot be parsed', () => {
    const config = createRunConfig({ name: 'n', image: 'i', permission_profile: { read: ['/a:/b:/c:/d'] } });
    expect(() => planContainer(config, FACTS))
      .to.throw()
      .with.property('code', 'ERR_PERMISSION_PROFILE');
  });
});
