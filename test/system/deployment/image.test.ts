import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { GitServer } from '../../../plugins/source-git/test/git-server.ts';
import { TestRepository } from '../../../plugins/source-git/test/test-repository.ts';
import { run } from '../../../scripts/run.ts';
import { asHere, shownIn } from '../../support/examples/shown-in.ts';
import { freePort } from '../../support/free-port.ts';
import { serverDocument } from '../../support/registry-under-test.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { provideServerImage } from './support/images.ts';

const IMAGE = 'portolan-test/server';
/** Maximum size of the layers of Portolan. git, ssh and certificates are in another layer. */
const OUR_BYTES = 130e6;

const CONFIG = `
sources:
  - { name: published, managed: {} }
registries:
  - { name: main, sources: [published] }
auth: { mode: anonymous }
`;

interface Inspected {
  readonly Config: {
    readonly User: string;
    readonly Labels: Readonly<Record<string, string>>;
    readonly Healthcheck?: { readonly Test: readonly string[] };
  };
}

describe('image of the server', function () {
  this.timeout(600_000); // The hook installs and builds everything in the engine once.

  let folder: string;
  const started: string[] = [];
  before(async function () {
    const isThere = await run('docker', [
      'image',
      'inspect',
      'portolan-test/debian',
      'portolan-test/node',
    ]).catch(() => undefined);
    if (isThere === undefined)
      skipSuite(this, 'no engine with the test images: scripts/container-env.sh up all');
    await provideServerImage(IMAGE);
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-image-'));
    await chmod(folder, 0o755); // The process in the container runs as another user.
    await writeFile(path.join(folder, 'portolan.config.yaml'), CONFIG);
  });
  afterEach(async () => {
    for (const name of started.splice(0)) await run('docker', ['rm', '-fv', name]).catch(() => '');
  });
  after(async () => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  const hardened = [
    '--read-only',
    '--tmpfs',
    '/tmp',
    '--cap-drop',
    'ALL',
    '--security-opt',
    'no-new-privileges',
  ];
  const runOnce = (...args: readonly string[]) =>
    run('docker', [
      'run',
      '--rm',
      '--network',
      'none',
      ...hardened,
      '--entrypoint',
      args[0] ?? '',
      IMAGE,
      ...args.slice(1),
    ]);
  const start = async (...options: readonly string[]) => {
    const name = `portolan-test-image-${randomUUID()}`;
    started.push(name);
    const mount = `${path.join(folder, 'portolan.config.yaml')}:/etc/portolan/portolan.config.yaml:ro`;
    await run('docker', [
      'run',
      '-d',
      '--name',
      name,
      '--label',
      'portolan.dev/test=image',
      '-v',
      mount,
      ...hardened,
      '--health-interval',
      '1s',
      ...options,
      IMAGE,
    ]);
    return name;
  };
  const stateOf = async (name: string) =>
    (
      await run('docker', [
        'inspect',
        '--format',
        '{{.State.Status}} {{.State.Health.Status}} {{.State.ExitCode}}',
        name,
      ])
    ).trim();
  const becomes = async (name: string, state: RegExp) => {
    for (let left = 300; left > 0; left -= 1) {
      const found = await stateOf(name);
      if (state.test(found)) return found;
      if (found.startsWith('exited')) break;
      await delay(200);
    }
    throw new Error(`${await stateOf(name)}\n${await run('docker', ['logs', name])}`);
  };

  it('runs as a numeric user without root rights, and has descriptive labels', async () => {
    const [{ Config } = undefined as never] = JSON.parse(
      await run('docker', ['image', 'inspect', IMAGE]),
    ) as readonly Inspected[]; // SAFETY: the API of the engine returns this type.
    expect(Config.User).to.equal('65532:65532');
    expect(Config.Labels).to.include({
      'org.opencontainers.image.title': 'Portolan',
      'org.opencontainers.image.licenses': 'Apache-2.0',
    });
    expect(await runOnce('portolan', 'version')).to.match(/^portolan \d+\.\d+\.\d+/);
    expect(await runOnce('id', '-u')).to.equal('65532\n');
  });

  it('holds less than 130 MB of our files, without sources, tests and build tools', async () => {
    const layers = (
      await run('docker', [
        'history',
        '--no-trunc',
        '--format',
        '{{.Size}}\t{{.CreatedBy}}',
        '--human=false',
        IMAGE,
      ])
    )
      .trim()
      .split('\n');
    const ours = layers.filter((line) => line.includes(' in /opt/portolan'));
    expect(ours).to.have.lengthOf.at.least(1);
    const bytes = ours.reduce((sum, line) => sum + Number(line.split('\t')[0]), 0);
    expect(bytes).to.be.within(1e6, OUR_BYTES);
    const of = '/opt/portolan';
    const sources = ['-name', 'src', '-o', '-name', 'test', '-o', '-name', '*.d.ts', '-o', '-name', '.npmrc'];
    const tools = ['typescript', 'esbuild', 'oxlint', '@biomejs'].map((name) => `${of}/node_modules/${name}`);
    const found = await runOnce(
      'sh',
      '-c',
      `find ${of}/packages ${of}/plugins -name node_modules -prune -o \\( "$@" \\) -print; ls -d ${tools.join(' ')} 2>/dev/null || :`,
      'sh',
      ...sources,
    );
    expect(found).to.equal('');
  });

  it('includes git, ssh and certificates', async () => {
    expect(await runOnce('git', '--version')).to.match(/^git version /);
    // ssh looks up its user, and fails for a user without a name.
    expect(await runOnce('ssh', '-G', 'git.acme.example')).to.include('user portolan');
    await runOnce('sh', '-c', ' test -s /etc/ssl/certs/ca-certificates.crt');
  });

  it('serves on a read-only root, is healthy, keeps published entries, and exits with status 0', async () => {
    const volume = `portolan-test-${randomUUID()}`;
    await run('docker', ['volume', 'create', '--label', 'portolan.dev/test=image', volume]);
    try {
      const first = await start('--network', 'none', '-v', `${volume}:/var/lib/portolan`);
      await becomes(first, /^running healthy/);
      const server = { name: 'com.acme/kept', description: 'Kept', version: '1.0.0' };
      const body = JSON.stringify({
        server: {
          $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
          ...server,
        },
        claims: {},
      });
      const ask = (name: string, program: string) => run('docker', ['exec', name, 'node', '-e', program]);
      const publish = `fetch('http://127.0.0.1:8080/v1/entries',{method:'POST',headers:{'content-type':'application/json'},body:${JSON.stringify(body)}}).then(async r=>console.log(r.status, await r.text()))`;
      expect(await ask(first, publish)).to.match(/^201 /);
      await run('docker', ['stop', '-t', '40', first]);
      expect(await stateOf(first)).to.match(/^exited \S+ 0$/);
      const second = await start('--network', 'none', '-v', `${volume}:/var/lib/portolan`);
      await becomes(second, /^running healthy/);
      const read = `fetch('http://127.0.0.1:8080/registry/main/v0.1/servers/com.acme%2Fkept/versions/latest').then(r=>console.log(r.status))`;
      expect(await ask(second, read)).to.equal('200\n');
      await run('docker', ['rm', '-fv', first, second]);
    } finally {
      await run('docker', ['volume', 'rm', '-f', volume]);
    }
  });

  it('starts with the command of docs/operate/install-container.md, and another command shows its health', async () => {
    const port = await freePort();
    const name = `portolan-test-image-${randomUUID()}`;
    const volume = `portolan-test-${randomUUID()}`;
    started.push(name);
    const command = asHere(await shownIn('docs/operate/install-container.md', 'docker run '), {
      '--name registry': `--name ${name} --label portolan.dev/test=image --health-interval 1s`,
      '127.0.0.1:8080:8080': `127.0.0.1:${port}:8080`,
      '-v registry:': `-v ${volume}:`,
      '\n  portolan\n': `\n  ${IMAGE}\n`,
    });
    await run('docker', ['volume', 'create', '--label', 'portolan.dev/test=image', volume]);
    try {
      const child = spawn('sh', ['-euc', command], { cwd: folder, stdio: 'ignore' });
      const ended = once(child, 'exit');
      for (
        let left = 300;
        left > 0 && !(await stateOf(name).catch(() => '')).startsWith('running');
        left -= 1
      )
        await delay(200);
      await becomes(name, /^running healthy/);
      const answer = await fetch(`http://127.0.0.1:${port}/registry`);
      expect(answer.status).to.equal(200);
      const check = await shownIn('docs/operate/install-container.md', 'docker exec ');
      const told = await run('sh', ['-euc', asHere(check, { ' registry ': ` ${name} ` })]);
      expect(told).to.include('/etc/portolan/portolan.config.yaml');
      await run('docker', ['stop', '-t', '40', name]);
      expect(await ended).to.deep.equal([0, null]);
    } finally {
      await run('docker', ['rm', '-fv', name]).catch(() => '');
      await run('docker', ['volume', 'rm', '-f', volume]);
    }
  });

  it('syncs a git source', async () => {
    const repository = await TestRepository.make(path.join(folder, 'repositories/catalogue.git'));
    await repository.commit({ 'registry.json': JSON.stringify(serverDocument('com.acme/in-git')) });
    const server = await GitServer.start(path.join(folder, 'repositories'));
    try {
      const source = { repository: `${server.url}/catalogue.git`, allowHttp: true };
      const config = {
        sources: [{ name: 'catalogue', git: source, syncPolicy: { interval: '1h' } }],
        registries: [{ name: 'main', sources: ['catalogue'] }],
        auth: { mode: 'anonymous' },
      };
      const file = path.join(folder, 'git.config.json');
      await writeFile(file, JSON.stringify(config));
      const port = await freePort();
      // The container uses the host's network, because the repository is on its loopback.
      const name = await start(
        '--network',
        'host',
        '-v',
        `${file}:/etc/portolan/git.config.json:ro`,
        '-e',
        'PORTOLAN_CONFIG=/etc/portolan/git.config.json',
        '-e',
        `PORTOLAN_SERVER_ADDRESS=127.0.0.1:${port}`,
        '-e',
        'PORTOLAN_SERVER_INTERNALADDRESS=off',
      );
      await becomes(name, /^running healthy/);
      const target = `http://127.0.0.1:${port}/registry/main/v0.1/servers/com.acme%2Fin-git/versions/latest`;
      let status = 0;
      for (let left = 150; left > 0 && status !== 200; left -= 1) {
        ({ status } = await fetch(target));
        if (status !== 200) await delay(200);
      }
      expect(status, await run('docker', ['logs', name])).to.equal(200);
    } finally {
      await server.stop();
    }
  });

  it('exits with status 2 for an invalid configuration', async () => {
    const name = await start('--network', 'none', '-e', 'PORTOLAN_AUTH_MODE=nonsense');
    for (let left = 300; left > 0 && !(await stateOf(name)).startsWith('exited'); left -= 1) await delay(200);
    expect(await stateOf(name)).to.match(/^exited \S+ 2$/);
  });
});
