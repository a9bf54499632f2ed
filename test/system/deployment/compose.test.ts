import { randomBytes } from 'node:crypto';
import { chmod, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { run } from '../../../scripts/run.ts';
import { ROOT } from '../../../scripts/workspace-packages.ts';
import { asHere, shownIn } from '../../support/examples/shown-in.ts';
import { serverDocument } from '../../support/registry-under-test.ts';
import { freePort } from '../../support/free-port.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { provideDeploymentImages } from './support/images.ts';

interface Answer {
  readonly status: number;
  readonly body: string;
}

describe('deploy/compose with substitutes for the images of PostgreSQL and nginx', function () {
  this.timeout(600_000); // The cases build images and start four containers.

  let folder: string;
  let port: number;
  let ca: string;
  let env: NodeJS.ProcessEnv;
  let renamed: string | undefined;
  const project = `portolantest${randomBytes(4).toString('hex')}`;
  const compose = (...args: readonly string[]) => run('docker-compose', [...args], { cwd: folder, env });
  /**
   * Runs the commands of docs/operate/install-compose.md with Compose as a separate program, as in Debian 12.
   */
  const follow = async (commands: string, here: Readonly<Record<string, string>>): Promise<string> =>
    await run('sh', ['-euc', asHere(commands, here)], { cwd: folder, env });
  const PLUGIN = { 'docker compose ': 'docker-compose ' };

  before(async function () {
    for (const [program, asked] of [
      ['docker-compose', 'version'],
      ['curl', '--version'],
    ] as const)
      await run(program, [asked]).catch(() => skipSuite(this, `${program} is not installed`));
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
    port = await freePort();
    env = {
      ...process.env,
      PORTOLAN_IMAGE: images.server,
      POSTGRES_IMAGE: images.postgres,
      PROXY_IMAGE: images.nginx,
      PORTOLAN_PORT: `127.0.0.1:${port}`,
      COMPOSE_PROJECT_NAME: project,
    };
    await follow(await shownIn('docs/operate/install-compose.md', '# in deploy/compose\n'), PLUGIN);
    ca = await readFile(path.join(folder, 'secrets/tls.crt'), 'utf8');
  });
  after(async () => {
    if (folder === undefined) return;
    if (env !== undefined) await compose('down', '-v', '--remove-orphans', '-t', '10');
    if (renamed !== undefined) await run('docker', ['rmi', renamed]);
    const filter = ['--filter', `label=com.docker.compose.project=${project}`];
    const left = await run('docker', ['ps', '-aq', ...filter]);
    const networks = await run('docker', ['network', 'ls', '-q', ...filter]);
    const volumes = await run('docker', ['volume', 'ls', '-q', ...filter]);
    await rm(folder, { recursive: true, force: true });
    expect({ left, networks, volumes }).to.deep.equal({ left: '', networks: '', volumes: '' });
  });

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

  const isHealthy = (server: string) =>
    eventually(async () => {
      const check = ['exec', '-T', server, 'node', '/opt/portolan/check-health.mjs'];
      const out = await compose(...check).catch(() => 'no');
      return { status: out === 'no' ? 503 : 200, body: out };
    }, 200);

  it('serves reads and refuses writes with the shipped settings', async () => {
    await eventually(() => ask('GET', '/readiness'), 200);
    expect((await ask('GET', '/registry/main/v0.1/servers')).status).to.equal(200);
    expect((await ask('POST', '/v1/entries', { server: serverDocument(NAME) })).status).to.equal(404);
    expect((await ask('PUT', '/v1/sources/evil', { managed: {} })).status).to.equal(404);
  });

  it('serves over TLS, and both servers show what was published at one', async () => {
    const file = path.join(folder, 'portolan.config.yaml');
    const shipped = await readFile(file, 'utf8');
    await writeFile(file, shipped.replace(/^  adminApi: false.*$/m, '  adminApi: true'));
    await compose('restart', '-t', '40', 'registry-1', 'registry-2');
    await eventually(() => ask('GET', '/v1/sources'), 200);
    for (const server of ['registry-1', 'registry-2']) await isHealthy(server);
    const made = await ask('POST', '/v1/entries', { server: serverDocument(NAME), claims: {} });
    expect(made.status, made.body).to.equal(201);
    for (const server of ['registry-1', 'registry-2']) {
      const program = `fetch('http://127.0.0.1:8080/registry/main/v0.1/servers/${encodeURIComponent(NAME)}/versions/latest').then(r=>console.log(r.status))`;
      expect(await compose('exec', '-T', server, 'node', '-e', program), server).to.equal('200\n');
    }
    const { body } = await ask('GET', '/registry');
    expect(body).to.include('https://localhost/registry/main');
    const told = await follow(await shownIn('docs/operate/install-compose.md', 'curl '), {
      ':8443': `:${port}`,
    });
    expect(told).to.include(`https://localhost:${port}/registry/main`);
  });

  it('serves while one server is down, and responds with an error while both are down', async () => {
    for (const server of ['registry-1', 'registry-2']) {
      await compose('kill', server);
      const answers = await Promise.all(Array.from({ length: 20 }, read));
      expect(
        answers.map(({ status }) => status),
        server,
      ).to.deep.equal(answers.map(() => 200));
      await compose('up', '-d', server);
      await isHealthy(server);
    }
    await compose('stop', '-t', '40', 'registry-1', 'registry-2');
    expect((await read()).status).to.be.oneOf([502, 504]);
    await compose('up', '-d');
    expect((await eventually(read, 200)).body).to.include(NAME);
  });

  it('serves while one server after the other is replaced', async () => {
    const idOf = (server: string) => compose('ps', '-q', server);
    // A second name for the same image: Compose makes a server again when its settings differ.
    const image = String(env['PORTOLAN_IMAGE']);
    renamed = `${image}:${project}`;
    await run('docker', ['tag', image, renamed]);
    env = { ...env, PORTOLAN_IMAGE: renamed };
    const statuses: number[] = [];
    const replaced = new AbortController();
    const reader = (async () => {
      while (!replaced.signal.aborted) statuses.push((await read().catch(() => ({ status: 0 }))).status);
    })();
    try {
      for (const server of ['registry-1', 'registry-2']) {
        const before = await idOf(server);
        const replace = await shownIn('docs/operate/install-compose.md', 'docker compose up -d --no-deps ');
        await follow(replace, { ...PLUGIN, 'registry-1': server });
        expect(await idOf(server), server).not.to.equal(before);
        await isHealthy(server);
      }
    } finally {
      replaced.abort();
      await reader;
      env = { ...env, PORTOLAN_IMAGE: image };
    }
    expect(statuses.filter((status) => status !== 200)).to.deep.equal([]);
  });

  it('keeps published entries after `down` and `up`', async () => {
    await compose('down', '-t', '40');
    await compose('up', '-d');
    expect((await eventually(read, 200)).body).to.include(NAME);
  });
});
