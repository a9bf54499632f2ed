import type { ContainerSpec } from '@portolan/plugin-api';
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import {
  checkContainerSpec,
  findWeakenings,
  listJudgedFields,
} from '../../../src/supervisor/container/check-container-spec.ts';

const PLANNED: ContainerSpec = {
  name: 'notes',
  image: 'sha256:1234',
  command: ['serve'],
  environment: { HTTP_PROXY: 'http://127.0.0.1:3128' },
  labels: { 'portolan.dev/name': 'notes', team: 'maps' },
  user: '1000:1000',
  mounts: [
    { type: 'bind', source: '/srv/docs', target: '/docs', readOnly: true },
    { type: 'bind', source: '/srv/data', target: '/data', readOnly: false },
    { type: 'tmpfs', target: '/data/.ssh', readOnly: true },
    { type: 'bind', source: '/run/empty', target: '/data/.env', readOnly: true },
  ],
  network: { mode: 'joined', container: 'gateway' },
  ports: [{ containerPort: 80, hostAddress: '127.0.0.1', hostPort: 8080 }],
  limits: { memoryBytes: 1000, cpus: 1, processes: 10, openFiles: 100 },
};
const [DOCS, DATA, HIDDEN_FOLDER, HIDDEN_FILE] = PLANNED.mounts ?? [];
if (DOCS === undefined || DATA === undefined || HIDDEN_FOLDER === undefined || HIDDEN_FILE === undefined) {
  throw new Error('the plan has four mounts');
}

interface Case {
  readonly title: string;
  readonly change: Partial<ContainerSpec>;
  readonly finds: readonly string[];
}

const WEAKENS: readonly Case[] = [
  { title: 'another name', change: { name: 'other' }, finds: ['name: changed to other'] },
  {
    title: 'another image',
    change: { image: 'evil' },
    finds: ['image: changed to evil, which was not verified'],
  },
  { title: 'privileges', change: { privileged: true }, finds: ['privileged: switched on'] },
  {
    title: 'new privileges',
    change: { allowNewPrivileges: true },
    finds: ['allowNewPrivileges: switched on'],
  },
  { title: 'a writable root', change: { writableRoot: true }, finds: ['writableRoot: switched on'] },
  {
    title: 'a capability',
    change: { capabilities: ['CAP_SYS_ADMIN'] },
    finds: ['capabilities: added CAP_SYS_ADMIN'],
  },
  { title: 'another seccomp profile', change: { seccompProfile: '{}' }, finds: ['seccompProfile: replaced'] },
  {
    title: 'logs without a maximum size',
    change: { logs: { maxBytes: 1e12, files: 1 } },
    finds: ['logs: raised to 1000000000000 bytes; expected at most 104857600'],
  },
  {
    title: 'logs in many files',
    change: { logs: { maxBytes: 10_000_000, files: 1000 } },
    finds: ['logs: raised to 10000000000 bytes; expected at most 104857600'],
  },
  {
    title: 'logs with an invalid maximum size',
    change: { logs: { maxBytes: -1, files: 1 } },
    finds: ['logs: raised to Infinity bytes; expected at most 104857600'],
  },
  {
    title: 'a stop grace period of an hour',
    change: { stopGraceMs: 3_600_000 },
    finds: ['stopGraceMs: raised to 3600000; expected at most 300000'],
  },
  { title: 'root', change: { user: '0:0' }, finds: ['user: changed to 0:0'] },
  { title: 'root with leading zeros', change: { user: '00' }, finds: ['user: changed to 00'] },
  { title: 'root by name', change: { user: 'root' }, finds: ['user: changed to root'] },
  { title: 'root by an empty user', change: { user: '' }, finds: ['user: changed to root'] },
  { title: 'a user by name', change: { user: 'admin' }, finds: ['user: changed to admin'] },
  { title: 'the root group', change: { user: '1000:0' }, finds: ['user: changed to 1000:0'] },
  {
    title: 'a change to the bridge network',
    change: { network: { mode: 'bridge' } },
    finds: ['network: changed from joined to bridge'],
  },
  {
    title: "the host's network",
    change: { network: { mode: 'host' } },
    finds: ['network: changed from joined to host'],
  },
  {
    title: 'the network of another container',
    change: { network: { mode: 'joined', container: 'other' } },
    finds: ['network: changed from joined to joined'],
  },
  {
    title: 'a named network',
    change: { network: { mode: 'named', name: 'lan' } },
    finds: ['network: changed from joined to named'],
  },
  {
    title: 'a port',
    change: { ports: [{ containerPort: 81, hostAddress: '127.0.0.1' }] },
    finds: ['ports: added 127.0.0.1::81'],
  },
  {
    title: 'a port on every address',
    change: { ports: [{ containerPort: 80, hostAddress: '0.0.0.0', hostPort: 8080 }] },
    finds: ['ports: added 0.0.0.0:8080:80'],
  },
  {
    title: 'a new host folder',
    change: {
      mounts: [
        ...(PLANNED.mounts ?? []),
        { type: 'bind', source: '/etc', target: '/etc-of-host', readOnly: true },
      ],
    },
    finds: ['mounts: added /etc at /etc-of-host'],
  },
  {
    title: 'another host folder at the same path',
    change: { mounts: [{ type: 'bind', source: '/etc', target: '/docs', readOnly: true }] },
    finds: ['mounts: added /etc at /docs'],
  },
  {
    title: 'a folder made writable',
    change: { mounts: [{ ...DOCS, readOnly: false }] },
    finds: ['mounts: /docs made writable'],
  },
  {
    title: 'a hidden folder made visible',
    change: { mounts: [DOCS, DATA, HIDDEN_FILE] },
    finds: ['mounts: removed /data/.ssh, which hides what is below it'],
  },
  {
    title: 'a hidden file made visible',
    change: { mounts: [DOCS, DATA, HIDDEN_FOLDER] },
    finds: ['mounts: removed /data/.env, which hides what is below it'],
  },
  {
    title: 'two mounts at one path',
    change: { mounts: [DOCS, DOCS] },
    finds: ['mounts: /docs is named twice'],
  },
  {
    title: 'an executable tmpfs',
    change: { mounts: [{ type: 'tmpfs', target: '/work', executable: true }] },
    finds: ['mounts: /work allows programs to be started'],
  },
  {
    title: 'raised limits',
    change: { limits: { memoryBytes: 1001, cpus: 2, processes: 11, openFiles: 101 } },
    finds: [
      'limits.memoryBytes: raised from 1000 to 1001',
      'limits.cpus: raised from 1 to 2',
      'limits.processes: raised from 10 to 11',
      'limits.openFiles: raised from 100 to 101',
    ],
  },
  {
    title: 'removed limits',
    change: {
      limits: { memoryBytes: 0, processes: -1, cpus: Number.POSITIVE_INFINITY, openFiles: Number.NaN },
    },
    finds: [
      'limits.memoryBytes: removed',
      'limits.cpus: removed',
      'limits.processes: removed',
      'limits.openFiles: removed',
    ],
  },
  {
    title: 'a changed label of Portolan',
    change: { labels: { 'portolan.dev/name': 'other', 'Portolan.dev/role': 'server' } },
    finds: ['labels: changed portolan.dev/name', 'labels: changed Portolan.dev/role'],
  },
];

const NARROWS: readonly Omit<Case, 'finds'>[] = [
  { title: 'no change', change: {} },
  { title: 'other variables and arguments', change: { environment: {}, command: ['serve', '--quiet'] } },
  { title: 'another entrypoint', change: { entrypoint: ['/bin/wrapper'] } },
  { title: 'changed labels of users', change: { labels: { ...PLANNED.labels, team: 'data', owner: 'x' } } },
  { title: 'no network', change: { network: { mode: 'none' } } },
  { title: 'no ports', change: { ports: [] } },
  { title: 'no mounts', change: { mounts: [] } },
  { title: 'a removed mount together with the mounts that hid its parts', change: { mounts: [DOCS] } },
  {
    title: 'a mount made read-only',
    change: { mounts: [DOCS, { ...DATA, readOnly: true }, HIDDEN_FOLDER, HIDDEN_FILE] },
  },
  {
    title: 'more hidden paths',
    change: { mounts: [...(PLANNED.mounts ?? []), { type: 'tmpfs', target: '/docs/private' }] },
  },
  { title: 'another user by number', change: { user: '65532:65532' } },
  { title: 'lower limits', change: { limits: { memoryBytes: 500, cpus: 0.5 } } },
  { title: 'no limits, so that those of the runtime apply', change: { limits: {} } },
];

describe('findWeakenings', () => {
  for (const { title, change, finds } of WEAKENS) {
    it(`reports ${title}`, () => {
      expect(findWeakenings(PLANNED, { ...PLANNED, ...change }, { imageUser: '1000' })).to.deep.equal(finds);
    });
  }

  for (const { title, change } of NARROWS) {
    it(`accepts ${title}`, () => {
      expect(findWeakenings(PLANNED, { ...PLANNED, ...change }, { imageUser: '1000' })).to.deep.equal([]);
    });
  }

  it("compares with the image's user when the plan names none", () => {
    const { user: _user, ...planned } = PLANNED;
    expect(findWeakenings(planned, { ...planned, user: '0' }, { imageUser: 'node' })).to.have.length(1);
    expect(findWeakenings(planned, { ...planned, user: '0' }, { imageUser: '' })).to.deep.equal([]);
    expect(findWeakenings(PLANNED, planned, { imageUser: '' })).to.have.length(1);
  });
});

describe('checkContainerSpec', () => {
  it('throws one error with all changes', () => {
    const changed = { ...PLANNED, privileged: true, writableRoot: true };
    expect(() => checkContainerSpec(PLANNED, changed, { imageUser: '' }))
      .to.throw('privileged: switched on\n  writableRoot: switched on')
      .with.property('code', 'ERR_HOOK_WEAKENS');
  });
});

describe('listJudgedFields', () => {
  it('contains every field that a plugin may return', async () => {
    const text = await readFile(
      new URL('../../../../kernel/src/hooks/container-spec-fault.ts', import.meta.url),
      'utf8',
    );
    const block = /const FIELDS[^=]*= \{\n([\s\S]*?)\n\};/.exec(text)?.[1] ?? '';
    const fields = [...block.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name);
    expect(fields.length).to.be.greaterThan(15);
    expect([...listJudgedFields().keys()]).to.have.members(fields);
  });
});
