import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { RegistryInProcess } from '../../support/registry-in-process.ts';

const config = {
  sources: [{ name: 'drafts', managed: {} }],
  registries: [{ name: 'main', sources: ['drafts'] }],
};

const INTERVAL = { syncPolicy: { interval: '1h' } };

/** Sources that a configuration file may define without another setting, and the API may not. */
const SOURCES: readonly (readonly [what: string, source: object])[] = [
  ['a git repository by file://', { git: { repository: 'file:///srv/git/a.git' }, ...INTERVAL }],
  ['a git repository by http on loopback', { git: { repository: 'http://127.0.0.1:1/a.git' }, ...INTERVAL }],
  ['a file by http on loopback', { file: { url: 'http://127.0.0.1:1/a.json' }, ...INTERVAL }],
  ['a file by the name localhost', { file: { url: 'http://localhost:49152/a.json' }, ...INTERVAL }],
  ['a registry on loopback', { api: { endpoint: 'http://[::1]:1' }, ...INTERVAL }],
  ['the service account of the server', { kubernetes: {} }],
];

describe('sources created through the API', () => {
  const put = async (registry: RegistryInProcess, source: object) =>
    await fetch(`${registry.url}/v1/sources/made`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(source),
    });

  it('may connect to fewer addresses than sources of the configuration file', async () => {
    const registry = await RegistryInProcess.start(config);
    try {
      for (const [what, source] of SOURCES) {
        const answer = await put(registry, source);
        const text = await answer.text();
        // A host name is checked when the connection is made.
        if (what.endsWith('localhost')) {
          expect(answer.status, text).to.equal(201);
          await eventually(async () => {
            const state = await (await fetch(`${registry.url}/v1/sources/made`)).text();
            expect(state).to.include('is not public');
          });
        } else expect(answer.status, `${what}: ${text}`).to.equal(400);
      }
    } finally {
      await registry.stop();
    }
  });

  it('may use the service account of the server when the operator allows it', async () => {
    const registry = await RegistryInProcess.start({
      ...config,
      apiSources: { allowServerCredentials: true },
    });
    try {
      const answer = await put(registry, { kubernetes: {} });
      expect(answer.status, await answer.text()).to.equal(201);
    } finally {
      await registry.stop();
    }
  });
});
