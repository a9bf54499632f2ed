import type { ContainerSpec } from '@portolan/plugin-api';
import { expect } from 'chai';
import { createOptions } from '../src/container/create-options.ts';

const LIMITS = { memoryBytes: 1000, cpus: 2, processes: 10, openFiles: 20 };
const HOST_LIMITS = { processes: 30, openFiles: 15 };
const DOCKER = { podman: false, processors: 4, hostLimits: HOST_LIMITS };
const PODMAN = { podman: true, processors: 4, hostLimits: HOST_LIMITS };

function spec(change: Partial<ContainerSpec> = {}): ContainerSpec {
  return {
    name: 'notes',
    image: 'acme/notes',
    command: [],
    environment: { A: '1' },
    labels: { b: '2' },
    ...change,
  };
}

describe('createOptions', () => {
  it('restricts everything that a spec leaves out', () => {
    expect(createOptions(spec(), DOCKER, LIMITS)).to.deep.equal({
      name: 'notes',
      Image: 'acme/notes',
      Env: ['A=1'],
      Labels: { b: '2' },
      Tty: false,
      OpenStdin: false,
      StdinOnce: false,
      AttachStdin: false,
      AttachStdout: true,
      AttachStderr: true,
      Healthcheck: { Test: ['NONE'] },
      ExposedPorts: {},
      HostConfig: {
        Privileged: false,
        CapDrop: ['ALL'],
        CapAdd: [],
        SecurityOpt: ['no-new-privileges'],
        Memory: 1000,
        MemorySwap: 1000,
        NanoCpus: 2e9,
        PidsLimit: 10,
        Ulimits: [
          { Name: 'nofile', Soft: 20, Hard: 20 },
          { Name: 'core', Soft: 0, Hard: 0 },
        ],
        ReadonlyRootfs: true,
        Init: true,
        RestartPolicy: { Name: 'no' },
        AutoRemove: false,
        NetworkMode: 'default',
        PortBindings: {},
        Mounts: [],
        Tmpfs: { '/tmp': 'rw,nosuid,nodev,noexec,mode=1777' },
        LogConfig: { Type: 'none', Config: {} },
      },
    });
  });

  const host: readonly {
    title: string;
    change: Partial<ContainerSpec>;
    podman?: boolean;
    expected: object;
  }[] = [
    {
      title: 'mounts no /tmp over a writable root',
      change: { writableRoot: true },
      expected: { ReadonlyRootfs: false, Tmpfs: {} },
    },
    {
      title: 'leaves a /tmp that the spec mounts',
      change: { mounts: [{ type: 'bind', source: '/s', target: '/tmp', readOnly: false }] },
      expected: {
        Tmpfs: {},
        Mounts: [{ Type: 'bind', Source: '/s', Target: '/tmp', ReadOnly: false }],
        SecurityOpt: ['no-new-privileges', 'label=disable'],
      },
    },
    {
      title: 'gives a tmpfs to the numeric user',
      change: {
        user: '7:8',
        mounts: [
          { type: 'tmpfs', target: '/x', sizeBytes: 5, mode: 0o700, readOnly: true, executable: true },
        ],
      },
      expected: {
        Tmpfs: {
          '/x': 'ro,nosuid,nodev,exec,mode=700,size=5,uid=7,gid=8',
          '/tmp': 'rw,nosuid,nodev,noexec,mode=1777,uid=7,gid=8',
        },
      },
    },
    {
      title: 'hides on Podman what is below a tmpfs, and names no owner',
      change: { user: '7:8' },
      podman: true,
      expected: { Tmpfs: { '/tmp': 'rw,nosuid,nodev,noexec,mode=1777,notmpcopyup' } },
    },
    {
      title: 'asks on Podman for no more than the machine allows',
      change: {},
      podman: true,
      expected: {
        Ulimits: [
          { Name: 'nofile', Soft: 15, Hard: 15 },
          { Name: 'core', Soft: 0, Hard: 0 },
          { Name: 'nproc', Soft: 30, Hard: 30 },
        ],
      },
    },
    {
      title: 'never asks for more processors than there are',
      change: { limits: { cpus: 64 } },
      expected: { NanoCpus: 4e9 },
    },
    {
      title: 'takes the limits of the spec',
      change: { limits: { memoryBytes: 7, processes: 8, openFiles: 9, cpus: 0.5 } },
      expected: {
        Memory: 7,
        MemorySwap: 7,
        PidsLimit: 8,
        NanoCpus: 5e8,
        Ulimits: [
          { Name: 'nofile', Soft: 9, Hard: 9 },
          { Name: 'core', Soft: 0, Hard: 0 },
        ],
      },
    },
    {
      title: 'joins the network of a container',
      change: { network: { mode: 'joined', container: 'abc' } },
      expected: { NetworkMode: 'container:abc' },
    },
    {
      title: 'sets name servers without search domains',
      change: { network: { mode: 'none', dns: ['127.0.0.1'] } },
      expected: { NetworkMode: 'none', Dns: ['127.0.0.1'], DnsSearch: ['.'] },
    },
    {
      title: 'adds only the capabilities that are named',
      change: { capabilities: ['NET_BIND_SERVICE'] },
      expected: { CapDrop: ['ALL'], CapAdd: ['NET_BIND_SERVICE'] },
    },
    {
      title: 'lets privileges be gained only when asked',
      change: { allowNewPrivileges: true },
      expected: { SecurityOpt: [] },
    },
    {
      title: 'publishes on the address that is named',
      change: { ports: [{ containerPort: 80, hostAddress: '127.0.0.1' }] },
      expected: { PortBindings: { '80/tcp': [{ HostIp: '127.0.0.1', HostPort: '' }] } },
    },
    {
      title: 'keeps a log of limited size',
      change: { logs: { maxBytes: 9, files: 2 } },
      expected: { LogConfig: { Type: 'json-file', Config: { 'max-size': '9', 'max-file': '2' } } },
    },
    {
      title: 'keeps a log on Podman',
      change: { logs: { maxBytes: 9, files: 2 } },
      podman: true,
      expected: { LogConfig: { Type: 'k8s-file', Config: { 'max-size': '9' } } },
    },
    {
      title: 'passes a seccomp profile as text',
      change: { seccompProfile: '{}' },
      expected: { SecurityOpt: ['no-new-privileges', 'seccomp={}'] },
    },
  ];
  for (const { title, change, podman, expected } of host) {
    it(title, () => {
      expect(createOptions(spec(change), podman ? PODMAN : DOCKER, LIMITS).HostConfig).to.deep.include(
        expected,
      );
    });
  }

  const stdin = {
    closed: { OpenStdin: false, StdinOnce: false },
    once: { OpenStdin: true, StdinOnce: true },
    open: { OpenStdin: true, StdinOnce: false },
  };
  for (const [mode, expected] of Object.entries(stdin)) {
    it(`sets the input mode "${mode}"`, () => {
      const change = { stdin: mode as ContainerSpec['stdin'] & string }; // a key of the table above
      expect(createOptions(spec(change), DOCKER, LIMITS)).to.deep.include(expected);
    });
  }

  const impossible: readonly { title: string; change: Partial<ContainerSpec>; podman?: boolean }[] = [
    {
      title: 'a port with the network of the host',
      change: { network: { mode: 'host' }, ports: [{ containerPort: 1, hostAddress: '127.0.0.1' }] },
    },
    {
      title: 'a port with a joined network',
      change: {
        network: { mode: 'joined', container: 'a' },
        ports: [{ containerPort: 1, hostAddress: '127.0.0.1' }],
      },
    },
    { title: 'a network named "host"', change: { network: { mode: 'named', name: 'host' } } },
    { title: 'a network named "container:x"', change: { network: { mode: 'named', name: 'container:x' } } },
    { title: 'a seccomp profile on Podman', change: { seccompProfile: '{}' }, podman: true },
  ];
  for (const { title, change, podman } of impossible) {
    it(`refuses ${title}`, () => {
      expect(() => createOptions(spec(change), podman ? PODMAN : DOCKER, LIMITS)).to.throw(
        'cannot be created',
      );
    });
  }
});
