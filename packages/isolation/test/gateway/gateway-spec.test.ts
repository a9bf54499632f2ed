import { expect } from 'chai';
import type { EngineDescription } from '@portolan/plugin-api';
import { gatewaySpec } from '../../src/gateway/gateway-spec.ts';

const engine: EngineDescription = {
  name: 'Docker Engine',
  version: '28.0.0',
  apiVersion: '1.48',
  os: 'linux',
  architecture: 'amd64',
  address: 'unix:///var/run/docker.sock',
  addressFrom: 'a place that was tried',
  rootless: false,
  userNamespaces: false,
  sharesSockets: true,
  keepsInputOpen: true,
  buildsInClosedNetwork: true,
  opensLowPorts: true,
};
const facts = {
  containerName: 'notes-gateway',
  labels: { 'portolan.dev/role': 'gateway' },
  image: { reference: 'portolanlocal/gateway:1', command: ['node', 'a'], channelCommand: ['node', 'b'] },
  engine,
  folder: '/run/user/7/portolan/x',
  user: { uid: 7, gid: 8 },
};

describe('gatewaySpec', () => {
  it('has only loopback, no capabilities, small limits and one mount', () => {
    const spec = gatewaySpec(facts);
    expect(spec).to.deep.include({
      network: { mode: 'none', dns: ['127.0.0.1'] },
      capabilities: [],
      user: '7:8',
      stdin: 'closed',
      logs: 'none',
      environment: {},
      entrypoint: ['node', 'a'],
      mounts: [{ type: 'bind', source: facts.folder, target: '/run/portolan', readOnly: false }],
    });
    expect(spec.limits).to.include({ memoryBytes: 96 * 1024 * 1024, processes: 32 });
    expect(spec).to.not.have.any.keys('writableRoot', 'privileged', 'allowNewPrivileges', 'ports');
  });

  it('mounts nothing of this host when the engine runs on another host', () => {
    expect(gatewaySpec({ ...facts, engine: { ...engine, sharesSockets: false } })).to.deep.include({
      user: '65532:65532',
      stdin: 'once',
      entrypoint: ['node', 'b'],
      mounts: [{ type: 'tmpfs', target: '/run/portolan', sizeBytes: 1024 * 1024 }],
    });
  });

  const users: readonly (readonly [string, Partial<EngineDescription>, string | undefined])[] = [
    ['is user 0 on a rootless engine, who is the user outside', { rootless: true }, '0:0'],
    ['keeps its number in a user namespace', { userNamespaces: true }, '7:8'],
  ];
  for (const [title, change, expected] of users) {
    it(title, () => {
      expect(gatewaySpec({ ...facts, engine: { ...engine, ...change } }).user).to.equal(expected);
    });
  }

  it('adds NET_BIND_SERVICE on an engine that reserves low ports', () => {
    const spec = gatewaySpec({ ...facts, engine: { ...engine, opensLowPorts: false } });
    expect(spec.capabilities).to.deep.equal(['NET_BIND_SERVICE']);
  });
});
