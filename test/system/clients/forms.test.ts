import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { provideEverythingImage } from '../../support/everything-image.ts';
import {
  inlineSource,
  type Json,
  RegistryUnderTest,
  serverDocument,
} from '../../support/registry-under-test.ts';
import { WorkloadUser } from '../../support/workload-user.ts';
import { callTool, connectClient, expectUsable } from './connect-client.ts';

/** Transport of a server, its arguments, and the path of its workload. */
const MODES = [
  { title: 'stdio', transport: 'stdio', flags: [], args: [], url: /\/mcp$/ },
  {
    title: 'stdio, to clients that only know HTTP+SSE',
    transport: 'stdio',
    flags: ['--proxy-mode', 'sse'],
    args: [],
    url: /\/sse#/,
  },
  { title: 'HTTP+SSE', transport: 'sse', flags: ['--transport', 'sse'], args: ['--', 'sse'], url: /\/sse#/ },
  {
    title: 'streamable HTTP',
    transport: 'streamable-http',
    flags: ['--transport', 'streamable-http'],
    args: ['--', 'streamableHttp'],
    url: /\/mcp$/,
  },
] as const;

describe('portolan run', function () {
  this.timeout(180_000); // The cases run containers one after the other.
  let user: WorkloadUser;
  let image: string;
  before(async function () {
    user = await WorkloadUser.open(this);
    image = await provideEverythingImage();
  });
  after(() => user?.close());

  /** Expects that the workload responds, and that `list` shows the same. */
  async function expectRunning(url: string, fields: Json): Promise<void> {
    await expectUsable(url);
    const { name } = fields;
    const listed = (await user.list()).find((one) => one.name === name);
    expect(listed).to.deep.include({ status: 'running', url, ...fields });
  }

  for (const { title, transport, flags, args, url: expected } of MODES) {
    it(`runs an image that speaks ${title}`, async () => {
      const url = await user.run(image, '--name', 'vessel', '-l', 'team=sea', ...flags, ...args);
      expect(url).to.match(expected);
      await expectRunning(url, { name: 'vessel', transport, group: 'default', labels: { team: 'sea' } });
      await user.removeAll('vessel');
    });
  }

  it('runs an exported file as the same workload', async () => {
    const settings = ['-e', 'REGION=eu', '-l', 'team=sea', '--permission-profile', 'none'];
    const first = await user.run(image, '--name', 'vessel', ...settings);
    await user.done('export', 'vessel', 'one.json');
    const exported = await user.done('export', 'vessel', '-');
    expect(exported).to.equal(await readText('one.json'));
    const refused = await user.portolan(['run', '--from-config', 'one.json']);
    expect(refused).to.include({ status: 1, stdout: '' });
    expect(refused.stderr).to.match(/^error: .*vessel/m);
    await user.done('rm', 'vessel');
    const piped = await user.portolan(['run', '--from-config', '-'], { stdin: exported });
    expect(piped.stdout, piped.stderr).to.equal(`${first}\n`);
    await user.done('rm', 'vessel');
    const url = await user.run('--from-config', 'one.json');
    expect(url).to.equal(first);
    await expectRunning(url, { name: 'vessel', transport: 'stdio', labels: { team: 'sea' } });
    const client = await connectClient(url);
    expect(JSON.parse(await callTool(client, 'get-env'))).to.include({ REGION: 'eu' });
    await client.close();
    await user.done('export', 'vessel', 'two.json');
    expect(await readText('two.json')).to.equal(await readText('one.json'));
    await user.done('rm', 'vessel');
    await user.removeFiles('one.json', 'two.json');
    await user.expectNoTraces();
  });

  it('runs a URL, here that of a workload with the default name', async () => {
    const origin = await user.run(image);
    const url = await user.run(origin, '--name', 'ferry');
    await expectRunning(url, { name: 'ferry', transport: 'streamable-http', remote: true });
    await expectRunning(origin, { name: 'portolan-test-everything', transport: 'stdio', remote: false });
    await user.done('rm', 'ferry');
    await expectUsable(origin);
    await user.removeAll('portolan-test-everything');
  });

  it('runs a URL of a server that speaks HTTP+SSE', async () => {
    const origin = await user.run(image, '--name', 'harbour', '--transport', 'sse', '--', 'sse');
    const url = await user.run(origin, '--name', 'ferry');
    await expectRunning(url, { name: 'ferry', transport: 'sse', remote: true });
    await user.removeAll('ferry', 'harbour');
  });

  describe('with the name of a registry entry', () => {
    let registry: RegistryUnderTest;
    before(async () => {
      const variables = [
        { name: 'REGION', description: 'Where it sails', isRequired: true },
        { name: 'UNITS', description: 'Of distances', default: 'nautical' },
      ];
      const packages = [
        {
          registryType: 'oci',
          identifier: image,
          transport: { type: 'stdio' },
          environmentVariables: variables,
        },
      ];
      registry = await RegistryUnderTest.start({
        engine: 'SQLite',
        mode: 'anonymous',
        config: {
          sources: [
            inlineSource('fleet', undefined, [serverDocument('dev.acme/vessel', '1.0.0', { packages })]),
          ],
          registries: [{ name: 'main', sources: ['fleet'] }],
        },
      });
      await user.done('config', 'set-registry', `${registry.url}/registry/main`, '--allow-private-ip');
    });
    after(async () => {
      await user.done('config', 'unset-registry');
      await registry.close();
    });

    it('lists the missing variables and leaves no workload', async () => {
      const { status, stdout, stderr } = await user.portolan(['run', 'dev.acme/vessel']);
      expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
      expect(stderr).to.match(/^error: .*REGION/ms);
      expect(stderr).not.to.include('UNITS');
      await user.expectNoTraces();
    });

    for (const name of ['dev.acme/vessel', 'vessel']) {
      it(`finds the entry by the name ${name}`, async () => {
        const url = await user.run(name, '-e', 'REGION=eu');
        await expectRunning(url, { name: 'dev-acme-vessel', transport: 'stdio' });
        const client = await connectClient(url);
        const environment: unknown = JSON.parse(await callTool(client, 'get-env'));
        expect(environment).to.include({ REGION: 'eu', UNITS: 'nautical' });
        await client.close();
        await user.removeAll('dev-acme-vessel');
      });
    }

    it('reports a name that is neither an entry nor an image', async () => {
      const { status, stdout, stderr } = await user.portolan(['run', 'dev.acme/no-such-server']);
      expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
      expect(stderr).to.match(/^error: .*dev\.acme\/no-such-server/m);
      await user.expectNoTraces();
    });
  });

  const readText = (file: string): Promise<string> => readFile(path.join(user.root, file), 'utf8');
});
