import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import {
  allow,
  openWebhookServer,
  type WebhookServer,
} from '../../../plugins/proxy-webhooks/test/webhook-server.ts';
import { provideEverythingImage } from '../../support/everything-image.ts';
import { WorkloadUser } from '../../support/workload-user.ts';
import { callTool, connectClient } from '../clients/connect-client.ts';

/** Transport of a server, and its arguments. */
const MODES = [
  { title: 'stdio', flags: [], args: [] },
  { title: 'stdio, to clients that only know HTTP+SSE', flags: ['--proxy-mode', 'sse'], args: [] },
  { title: 'HTTP+SSE', flags: ['--transport', 'sse'], args: ['--', 'sse'] },
  { title: 'streamable HTTP', flags: ['--transport', 'streamable-http'], args: ['--', 'streamableHttp'] },
] as const;

describe('portolan run --tools --tools-override --webhook-config with a container', function () {
  this.timeout(180_000); // The cases run containers one after the other.
  let user: WorkloadUser;
  let image: string;
  let server: WebhookServer | undefined;
  let folder: string | undefined;
  before(async function () {
    user = await WorkloadUser.open(this);
    image = await provideEverythingImage();
    // The folder is outside the user's folders, where nothing may remain.
    const files = await mkdtemp(path.join(tmpdir(), 'portolan-policy-files-'));
    folder = files;
    const webhook = await openWebhookServer();
    server = webhook;
    webhook.answer = (question, response) => {
      const { params }: { params?: { arguments?: { message?: string } } } = question.mcp_request;
      allow({ allowed: params?.arguments?.message !== 'forbidden' })(question, response);
    };
    const hook = {
      name: 'window',
      url: webhook.url,
      failure_policy: 'fail',
      tls_config: { insecure_skip_verify: true },
    };
    await writeFile(path.join(files, 'hooks.json'), JSON.stringify({ validating: [hook] }));
    const override = { toolsOverride: { echo: { name: 'repeat' } } };
    await writeFile(path.join(files, 'override.json'), JSON.stringify(override));
  });
  after(async () => {
    await server?.close();
    await user?.close();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  const files = (): readonly string[] => [
    `--tools-override=${path.join(folder ?? '', 'override.json')}`,
    `--webhook-config=${path.join(folder ?? '', 'hooks.json')}`,
  ];

  async function expectGuarded(url: string): Promise<void> {
    const client = await connectClient(url);
    try {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).to.have.members(['repeat', 'get-sum']);
      expect(await callTool(client, 'repeat', { message: 'ahoy' })).to.equal('Echo: ahoy');
      for (const [name, message] of [
        ['echo', 'ahoy'],
        ['get-env', 'ahoy'],
        ['repeat', 'forbidden'],
      ] as const) {
        const refused: unknown = await callTool(client, name, { message }).catch((error: unknown) => error);
        expect(refused, name).to.be.instanceOf(Error);
      }
    } finally {
      await client.close();
    }
  }

  for (const { title, flags, args } of MODES) {
    it(`guards a server that speaks ${title}`, async () => {
      const url = await user.run(
        '--name',
        'toolbox',
        '--tools',
        'repeat,get-sum',
        ...files(),
        ...flags,
        image,
        ...args,
      );
      await expectGuarded(url);
      await user.removeAll('toolbox');
    });
  }

  it('guards a remote server', async () => {
    const origin = await user.run(image, '--name', 'origin');
    const url = await user.run('--name', 'toolbox', '--tools=repeat', '--tools=get-sum', ...files(), origin);
    await expectGuarded(url);
    await user.removeAll('toolbox', 'origin');
  });
});
