import { HOST_PROTECTIONS, type HostDescription, isPortolanError } from '@portolan/plugin-api';
import { createRunConfig, type RunConfig } from '@portolan/run-spec';
import { expect } from 'chai';
import { networkOf, requireHeeded, requireHostGives } from '../../src/supervisor/host/require-host-gives.ts';

const weak: HostDescription = { name: 'Cluster', version: '1', address: 'x', addressFrom: 'y', enforces: [] };
const strong: HostDescription = { ...weak, enforces: HOST_PROTECTIONS };
const configOf = (fields: Partial<RunConfig>): RunConfig =>
  createRunConfig({ name: 'notes', image: 'acme/notes:1', transport: 'stdio', ...fields });

/** Returns the message of the refusal; empty without one. */
function refusal(action: () => void): string {
  try {
    action();
    return '';
  } catch (error) {
    if (!isPortolanError(error) || error.code !== 'ERR_RUNTIME_CANNOT') throw error;
    return error.message;
  }
}

describe('requireHostGives', () => {
  it('accepts a workload without special needs', () => {
    expect(refusal(() => requireHostGives(configOf({}), weak))).to.equal('');
  });

  const enforced: readonly (readonly [string, Partial<RunConfig>, string])[] = [
    ['an isolated network', { isolate_network: true }, 'isolated'],
    ['no network', { permission_profile: { network: { mode: 'none' } } }, 'none'],
  ];
  for (const [title, fields, network] of enforced) {
    it(`accepts ${title} only when the host enforces it`, () => {
      const config = configOf(fields);
      expect(refusal(() => requireHostGives(config, weak))).to.include('Cluster cannot run "notes"');
      expect(refusal(() => requireHostGives(config, strong))).to.equal('');
      expect(networkOf(config)).to.equal(network);
    });
  }

  const never: readonly (readonly [string, Partial<RunConfig>])[] = [
    ['the network of this machine', { permission_profile: { network: { mode: 'host' } } }],
    ['a named network', { permission_profile: { network: { mode: 'mine' } } }],
    ['folders', { permission_profile: { read: ['/data'] } }],
    ['volumes', { volumes: ['/data:/data'] }],
    ['published ports', { publish: ['8080:80'] }],
    ['privileges', { permission_profile: { privileged: true } }],
    ["the engine's gateway", { allow_docker_gateway: true }],
    ['an address of this machine', { target_host: '10.0.0.7' }],
    ['an image that was built here', { image: 'portolanlocal/npx-notes:1' }],
    ['no image', { image: '' }],
  ];
  for (const [title, fields] of never) {
    it(`rejects ${title} on every host`, () => {
      expect(refusal(() => requireHostGives(configOf(fields), strong))).not.to.equal('');
    });
  }
});

describe('requireHeeded', () => {
  const planned = { name: 'notes', image: 'a', command: [], environment: {}, labels: {} };
  const where = { host: 'Cluster', plugin: 'small' };

  it('accepts changes of command, variables and labels', () => {
    const changed = { ...planned, command: ['x'], environment: { A: 'b' }, labels: { c: 'd' } };
    expect(refusal(() => requireHeeded(planned, changed, where))).to.equal('');
  });

  it('rejects a change that the host ignores, and names the plugin', () => {
    const changed = { ...planned, limits: { processes: 5 } };
    expect(refusal(() => requireHeeded(planned, changed, where)))
      .to.include('"limits"')
      .and.to.include('plugin small');
  });
});
