import { randomBytes } from 'node:crypto';
import { chmod, cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { run } from '../../../scripts/run.ts';
import { ROOT } from '../../../scripts/workspace-packages.ts';
import { serverDocument } from '../../support/registry-under-test.ts';
import { freePort } from '../../support/free-port.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { provideDeploymentImages } from './support/images.ts';

interface Answer {
  readonly status: number;
  readonly body: string;
}

describe('deploy/compose, with stand-ins for the images of PostgreSQL and nginx', function () {
  this.timeout(600_000); // builds images, and starts four containers

  let folder: string;
  let port: number;
  let ca: string;
  let env: NodeJS.ProcessEnv;
  const project = `portolantest${randomBytes(4).toString('hex')}`;
  const compose = (...args: readonly string[]) =>
    run('docker-compose', ['-p', project, ...args], { cwd: folder, env });

  before(async function () {
    const hasCompose = await run('docker-compose', ['version']).catch(() => undefined);
    if (hasCompose === undefined) skipSuite(this, 'docker-compose is not installed');
    const hasImages = await run('docker', [
      'image',
      'inspect',
      'portolan-test/services',
      'portolan-test/debian',
    ]).catch(() => undefined);
    if (hasImages === undefined)
      skipSuite(this, 'no engine with the test images: scripts/container-env.sh up all');
    const images = await provideDeploymentImages();
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-compose-'));
    await cp(path.join(ROOT, 'deploy/compose'), folder, { recursive: true });
    await chmod(folder, 0o755);
    await rm(path.join(folder, 'secrets'), { recursive: true, force: true });
    await mkdir(path.join(folder, 'secrets'));
    await followGuide();
    ca = await readFile(path.join(folder, 'secrets/tls.crt'), 'utf8');
    port = await freePort();
    env = {
      ...process.env,
      PORTOLAN_IMAGE: images.server,
      POSTGRES_IMAGE: images.postgres,
      PROXY_IMAGE: images.nginx,
      PORTOLAN_PORT: `127.0.0.1:${port}`,
    };
    await compose('up', '-d');
  });
  after(async () => {
    if (folder === undefined) return;
    if (env !== undefined) await compose('down', '-v', '--remove-orphans', '-t', '10');
    const filter = ['--filter', `label=com.docker.compose.project=${project}`];
    const left = await run('docker', ['ps', '-aq', ...filter]);
    const networks = await run('docker', ['network', 'ls', '-q', ...filter]);
    const volumes = await run('docker', ['volume', 'ls', '-q', ...filter]);
    await rm(folder, { recursive: true, force: true });
    expect({ left, networks, volumes }).to.deep.equal({ left: '', networks: '', volumes: '' });
  });

  /** The commands that docs/deployment.md gives for the secrets. */
  async function followGuide(): Promise<void> {
    const guide = await readFile(path.join(ROOT, 'docs/deployment.md'), 'utf8');
    const [, commands] = /```sh\n(# in deploy\/compose\n[\s\S]*?)```/.exec(guide) ?? [];
    if (commands === undefined)
      throw new Error('docs/deployment.md has no block that begins with "# in deploy/compose"');
    const lines = commands.split('\n').filter((line) => !line.startsWith('docker '));
    await run('sh', ['-euc', lines.join('\n')], { cwd: folder });
  }

  const ask = (method: string, target: string, body?: unknown): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const request = https.request(
        {
          host: '127.0.0.1',
          servername: 'localhost',
          port,
          ca,
          method,
          path: target,
          headers: { host: 'localhost', 'content-type': 'application/json' },
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
          response.on('error', reject);
        },
      );
      request.on('error', reject);
      request.end(body === undefined ? undefined : JSON.stringify(body));
    });
  const eventually = async (what: () => Promise<Answer>, status: number): Promise<Answer> => {
    let last: Answer | undefined;
    for (let left = 150; left > 0; left -= 1) {
      last = await what().catch(() => undefined);
      if (last?.status === status) return last;
      await delay(200);
    }
    throw new Error(`${JSON.stringify(last)}\n${await compose('logs', '--no-color', '--tail', '30')}`);
  };
  const NAME = 'com.acme/notes';
  const read = () => ask('GET', `/registry/main/v0.1/servers/${encodeURIComponent(NAME)}/versions/latest`);

  it('answers by TLS, and both servers have what was published by one', async () => {
    await eventually(() => ask('GET', '/readiness'), 200);
    const made = await ask('POST', '/v1/entries', { server: serverDocument(NAME), claims: {} });
    expect(made.status, made.body).to.equal(201);
    for (const server of ['registry-1', 'registry-2']) {
      const program = `fetch('http://127.0.0.1:8080/registry/main/v0.1/servers/${encodeURIComponent(NAME)}/versions/latest').then(r=>console.log(r.status))`;
      expect(await compose('exec', '-T', server, 'node', '-e', program), server).to.equal('200\n');
    }
    const { body } = await ask('GET', '/registry');
    expect(body).to.include('https://localhost/registry/main');
  });

  it('goes on when either server is killed, and without both says so until one is back', async () => {
    for (const server of ['registry-1', 'registry-2']) {
      await compose('kill', server);
      const answers = await Promise.all(Array.from({ length: 20 }, read));
      expect(
        answers.map(({ status }) => status),
        server,
      ).to.deep.equal(answers.map(() => 200));
      await compose('up', '-d', server);
      await eventually(async () => {
        const out = await compose('exec', '-T', server, 'node', '/opt/portolan/check-health.mjs').catch(
          () => 'no',
        );
        return { status: out === 'no' ? 503 : 200, body: out };
      }, 200);
    }
    await compose('stop', '-t', '40', 'registry-1', 'registry-2');
    expect((await read()).status).to.be.oneOf([502, 504]);
    await compose('up', '-d');
    expect((await eventually(read, 200)).body).to.include(NAME);
  });

  it('keeps what was published when everything is made anew', async () => {
    await compose('down', '-t', '40');
    await compose('up', '-d');
    expect((await eventually(read, 200)).body).to.include(NAME);
  });
});
