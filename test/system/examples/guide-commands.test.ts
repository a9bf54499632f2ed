import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { glob, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { run } from '../../../scripts/run.ts';
import { ROOT } from '../../../scripts/workspace-packages.ts';
import { LAUNCHER, context } from '../../support/command-line.ts';
import { CommandOnTerminal } from '../../support/command-on-terminal.ts';
import { isConfiguration } from '../../support/complete-configuration.ts';
import { expectJson } from '../../support/examples/match-response.ts';
import { readSession } from '../../support/examples/recorded-session.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { foldersBelow } from '../../support/user-folders.ts';
import { ADMIN_API, WITH_CLAIMS } from '../../support/examples/followed-guides.ts';
import { asHere, readShown, type Shown, shownIn } from '../../support/examples/shown-in.ts';

/** Pages whose samples `NOT_RUN` lists or a test runs. Other tests run the samples of the pages in `OTHERS`. */
const OTHERS = ['failure-modes'];
/** Pages that `registry-guides.test.ts` follows from the first to the last sample. */
const FOLLOWED: ReadonlySet<string> = new Set([...ADMIN_API, ...WITH_CLAIMS]);
const GUIDES = [
  'README.md',
  ...globSync('docs/{*.md,{extend,get-started,guides/registry,operate}/**/*.md}', { cwd: ROOT }).toSorted(),
].filter((page) => !OTHERS.includes(path.basename(page, '.md')) && !FOLLOWED.has(page));

/** All samples that no test runs, with the reason. */
const NOT_RUN: readonly (readonly [guide: string, beginning: string, because: string])[] = [
  [
    'README.md',
    'npm ci\nnpm run test:fast',
    'it is what runs this test; `.ci/run` has the first and the last line',
  ],
  [
    'README.md',
    'npm ci\nnpm run build && npm run pack',
    'packed-cli.test.ts builds and packs the same packages, and installs them with npm',
  ],
  [
    'docs/get-started/install.md',
    'npm ci\nnpm run build && npm run pack',
    'the same; packed-install-cases.ts installs the files as the page says',
  ],
  ['docs/get-started/install.md', 'portolan autocomplete', 'it prints what to write into a profile'],
  ['docs/releases.md', 'sha256sum --check', 'release.test.ts runs it in the folder of a release'],
  ['docs/releases.md', '   npm run release -- --dry-run', 'release.test.ts runs the script in a clone'],
  ['docs/releases.md', '   npm run release\n', 'the same'],
  ['docs/releases.md', 'portolan migrate down', 'a test of docs/operate/migrations.md runs it'],
  [
    'README.md',
    'node_modules/.bin/portolan run npx://',
    'what the index has newest changes; workload-examples.test.ts runs the package in one version',
  ],
  [
    'docs/get-started/serve-a-registry.md',
    'portolan run com.acme/everything',
    'the entry names the package of run-a-server.md, which workload-examples.test.ts runs',
  ],
  [
    'docs/guides/registry/audit-rotation.md',
    '/var/log/portolan/audit.log {',
    'there is no logrotate, nor what starts it; what SIGHUP does is tried',
  ],
  [
    'docs/guides/registry/audit-siem.md',
    'service:\n  parsers_file:',
    'there is no Fluent Bit; middleware-audit tests the lines',
  ],
  [
    'docs/guides/registry/publish/log-in.md',
    'export PORTOLAN_URL=',
    'registry-session.test.ts sets this variable to its own server',
  ],
  [
    'docs/guides/registry/publish/publish-tools.md',
    '$ portolan publish server.json --claim org=acme --with-tools',
    'publish-with-tools.test.ts publishes the lists of another server',
  ],
  [
    'docs/guides/registry/publish/log-in.md',
    'portolan config set-registry ',
    'registry-login.test.ts logs in with these flags at its own issuer',
  ],
  [
    'docs/guides/registry/providers/github-actions.md',
    '- run: |',
    'it is a job of GitHub, which gives out the token',
  ],
  [
    'docs/guides/registry/providers/kubernetes.md',
    'kubectl get ',
    'there is no kubectl; the registry reads the same address itself',
  ],
  [
    'docs/guides/registry/providers/cognito.md',
    'portolan run --oidc-issuer https://cognito-idp.',
    'it needs a user pool at Amazon; client-ids.test.ts tries tokens of its form',
  ],
  [
    'docs/guides/registry/databases.md',
    'alter default privileges ',
    'it needs two roles of a PostgreSQL; the tests have one',
  ],
  [
    'docs/guides/run/remote-login-recipes.md',
    'portolan run https://mcp.notion.com/mcp',
    'it needs an account; provider-responses.test.ts plays the responses',
  ],
  ['docs/guides/run/remote-login-recipes.md', 'portolan run https://mcp.slack.com/mcp', 'the same'],
  ['docs/guides/run/remote-login-recipes.md', 'portolan run https://api.githubcopilot.com/mcp/', 'the same'],
  [
    'docs/guides/run/remote-login-recipes.md',
    'portolan run https://mcp.acme.example/mcp --remote-auth-client-id',
    'the same; remote-login-cases.test.ts sends no resource',
  ],
  [
    'docs/extend/tool-index.md',
    'search: { mode: auto, index: wiki }',
    'it is a part of a members file and needs the index of the page; parse-members-file.test.ts reads the field',
  ],
  ['docs/extend/publish-a-plugin.md', 'npm publish', 'it would publish a package'],
  [
    'docs/operate/high-availability.md',
    'portolan serve --config /etc/',
    'replicas.test.ts starts two servers on one PostgreSQL; guides.test.ts checks the configuration',
  ],
  [
    'docs/operate/migrate-a-registry.md',
    'portolan publish catalogue.json',
    'registry-guides.test.ts runs it with the catalogue of publish-catalogues.md',
  ],
  [
    'docs/operate/install-systemd.md',
    'systemctl daemon-reload',
    'systemd starts nothing here; systemd.test.ts has it read the unit and switch it on',
  ],
  [
    'docs/operate/install-systemd.md',
    'systemctl reload portolan',
    'the same; serve.slow.test.ts sends SIGHUP',
  ],
  [
    'docs/get-started/migrate-from-toolhive.md',
    'portolan rm weather\nthv start',
    'ToolHive is not installed',
  ],
  [
    'docs/get-started/migrate-from-toolhive.md',
    'thv export',
    'ToolHive is not installed; run-config tests read files that it exports',
  ],
  [
    'docs/get-started/migrate-from-toolhive.md',
    'portolan secret setup',
    'the same; a test of secret import reads its file',
  ],
  ['docs/get-started/migrate-from-toolhive.md', 'thv client remove', 'the same'],
  [
    'docs/get-started/migrate-from-toolhive.md',
    'portolan list',
    'the same; it shows the workload of an exported file',
  ],
  [
    'docs/operate/install-helm.md',
    '   openssl rand -base64 32',
    'there is no kubectl; the first line is that of browser-login.md',
  ],
  [
    'docs/operate/install-helm.md',
    '   secretFiles:',
    'they are a part of the values; chart.test.ts renders values with secretFiles',
  ],
  ['docs/operate/install-helm.md', '   login: {', 'it is a part of a provider, as in browser-login.md'],
  [
    'docs/operate/rotate-keys-and-secrets.md',
    '   create role portolan_b',
    'it needs two roles of a PostgreSQL; the tests have one',
  ],
  [
    'docs/operate/rotate-keys-and-secrets.md',
    '$ printf %s',
    'it needs a workload with an introspection endpoint; the warning has a test of its own',
  ],
  [
    'docs/operate/rotate-keys-and-secrets.md',
    'portolan change sums --oidc-client-secret',
    'the same; oidc.test.ts runs the flag',
  ],
  [
    'docs/extend/write-a-source.md',
    'portolan sources list --url',
    'it needs the wiki of the guide; plugin-guide.test.ts tests the source with its own responses',
  ],
  [
    'docs/operate/metrics.md',
    'scrape_configs:',
    'Prometheus is not installed; operation.test.ts reads the address',
  ],
];

/** A test below runs this command, which the page of each identity provider contains. */
const EXPLAIN_TOKEN = 'portolan claims explain --config portolan.config.yaml --token-file token';

/**
 * Languages of blocks that are neither run nor checked as a configuration: responses and documents.
 * `guides.test.ts` checks the types of `ts`.
 */
const READ_ONLY = ['', 'json', 'http', 'text', 'ts'];

describe('commands and settings in guides', function () {
  this.timeout(180_000); // The cases start the command line many times.

  it('are each run by a test, or listed with a reason', async () => {
    const taken = await takenByTests();
    const open: string[] = [];
    for (const guide of GUIDES) {
      for (const shown of await readShown(guide)) {
        if (READ_ONLY.includes(shown.language) || isSeen(guide, shown, taken)) continue;
        open.push(`${guide}: ${shown.text.split('\n', 1)[0]}`);
      }
    }
    expect(open).to.deep.equal([]);
  });

  for (const [guide, beginning, because] of NOT_RUN) {
    it(`cannot run in a test: ${guide}, ${beginning.split('\n', 1)[0]}: ${because}`, async () => {
      await shownIn(guide, beginning);
    });
  }

  describe('with an installed portolan', () => {
    let folder: string;
    let env: NodeJS.ProcessEnv;
    let serving: Serving | undefined;
    beforeEach(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'portolan-guide-'));
      await mkdir(path.join(folder, 'bin'));
      await symlink(LAUNCHER, path.join(folder, 'bin/portolan'));
      await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
      const found = [path.join(folder, 'bin'), path.dirname(process.execPath), process.env['PATH']];
      env = {
        ...context(),
        ...foldersBelow(folder),
        PATH: found.join(':'),
        PORTOLAN_SERVER_ADDRESS: '127.0.0.1:0',
        PORTOLAN_SERVER_INTERNALADDRESS: 'off',
      };
      const [configuration, catalogue] = await Promise.all([
        shownIn('README.md', 'sources:\n  - name: catalogue'),
        shownIn('README.md', '{ "data"'),
      ]);
      const database = 'database: { url: "sqlite:registry.db" }\n';
      await writeFile(path.join(folder, 'portolan.config.yaml'), `${configuration}${database}`);
      await writeFile(path.join(folder, 'catalogue.json'), catalogue);
    });
    afterEach(async () => {
      await serving?.stop();
      serving = undefined;
      await rm(folder, { recursive: true, force: true });
    });

    const serve = async (command: string, cwd = folder): Promise<string> => {
      serving = new Serving(command, cwd, env);
      return await serving.address();
    };
    const follow = (commands: string, cwd = folder) => run('sh', ['-euc', commands], { cwd, env });

    it('README.md › starts the server of an example, which responds as shown', async function () {
      await run('curl', ['--version']).catch(() => skipSuite(this, 'curl is not installed'));
      // `npm ci` would remove the packages of this test.
      const address = await serve(
        asHere(await shownIn('README.md', 'npm ci && '), { 'npm ci && ': '' }),
        ROOT,
      );
      const [list, search, version] = [
        await shownIn('README.md', 'curl http://127.0.0.1:8080/registry\n'),
        await shownIn('README.md', "curl 'http://127.0.0.1:8080/registry/main/v0.1/servers?"),
        await shownIn(
          'README.md',
          "curl 'http://127.0.0.1:8080/registry/main/v0.1/servers/dev.acme%2Fweather/",
        ),
      ];
      const ask = async (command: string): Promise<string> => {
        const answer = await follow(
          asHere(command, { '127.0.0.1:8080': address, 'curl ': 'curl -sS --fail ' }),
        );
        return answer.replaceAll(address, '127.0.0.1:8080');
      };
      const shown = async (beginning: string) => withoutMoments(await shownIn('README.md', beginning));
      expectJson(JSON.parse(await ask(list)), await shown('{"registries":'));
      await eventually(async () => expectJson(JSON.parse(await ask(search)), await shown('{"servers":')), {
        withinMs: 30_000,
      });
      expect(await ask(version)).to.include('"dev.acme/weather"');
    });

    it('README.md › checks and serves its configuration, as in a checkout', async () => {
      const [check = '', start = ''] = (
        await shownIn('README.md', 'node_modules/.bin/portolan config check')
      ).split('\n');
      expect(await follow(check)).to.include('portolan.config.yaml');
      const address = await serve(start);
      await eventually(async () => {
        expect(await (await fetch(`http://${address}/registry/main/v0.1/servers`)).text()).to.include(
          'com.acme/notes',
        );
      });
    });

    it('docs/get-started/serve-a-registry.md › works as shown', async function () {
      await run('jq', ['--version']).catch(() => skipSuite(this, 'jq is not installed'));
      await writeFile(
        path.join(folder, 'portolan.config.yaml'),
        `${await shownIn('docs/get-started/serve-a-registry.md', 'sources:')}database: { url: "sqlite:registry.db" }\n`,
      );
      await writeFile(
        path.join(folder, 'catalogue.json'),
        await shownIn('docs/get-started/serve-a-registry.md', '{ "data"'),
      );
      const [check = '', start = ''] = (
        await shownIn('docs/get-started/serve-a-registry.md', 'portolan config check\n')
      ).split('\n');
      expect(await follow(check)).to.include('has no problems');
      const address = await serve(start);
      const list = await shownIn('docs/get-started/serve-a-registry.md', 'curl -s http');
      const shown: unknown = JSON.parse(await shownIn('docs/get-started/serve-a-registry.md', '{\n  "name"'));
      await eventually(async () =>
        expectJson(JSON.parse(await follow(asHere(list, { '127.0.0.1:8080': address }))), shown),
      );
      for (const step of await readSession('get-started/serve-a-registry.md')) {
        const said = await follow(`${step.command} 2>&1`.replace('127.0.0.1:8080', address));
        expect(said.replaceAll(address, '127.0.0.1:8080').trim()).to.equal(step.output);
      }
      const [, unset = ''] = (
        await shownIn('docs/get-started/serve-a-registry.md', 'portolan rm everything')
      ).split('\n');
      await follow(unset);
    });

    it('start a server, with variables and with less memory', async () => {
      const commands = [
        await shownIn('docs/operate/start-server.md', 'portolan serve '),
        await shownIn('docs/operate/memory.md', 'MALLOC_ARENA_MAX='),
        asHere(await shownIn('docs/guides/registry/secrets.md', 'PORTOLAN_SERVER_ADDRESS='), {
          '=:8080': '=127.0.0.1:0',
        }),
      ];
      for (const command of commands) {
        const address = await serve(`exec env ${command}`); // The shell is replaced by the program.
        expect((await fetch(`http://${address}/registry`)).status, command).to.equal(200);
        expect(await serving?.stop(), command).to.equal(0);
      }
    });

    it('check a configuration, write its schema, list the kinds, and serve it', async () => {
      const file = path.join(folder, 'portolan.config.yaml');
      await writeFile(
        file,
        await shownIn('docs/guides/registry/configure-server.md', '# yaml-language-server'),
      );
      await follow(await shownIn('docs/guides/registry/configure-server.md', 'portolan config schema'));
      const checked = await follow(
        await shownIn('docs/guides/registry/configure-server.md', 'portolan config check'),
      );
      const shown = await shownIn('docs/guides/registry/configure-server.md', '/etc/portolan/');
      expect(checked.trim()).to.equal(asHere(shown, { '/etc/portolan': folder }).trim());
      await follow(await shownIn('docs/guides/registry/secrets.md', 'portolan config check'));
      const kinds = await follow(await shownIn('docs/guides/registry/configure-server.md', 'portolan kinds'));
      expect(kinds).to.match(/\bmanaged\b/);
      const address = await serve(
        await shownIn('docs/guides/registry/configure-server.md', 'portolan serve'),
      );
      const listed = await follow(
        asHere(await shownIn('docs/guides/registry/configure-server.md', 'curl '), {
          '127.0.0.1:8080': address,
        }),
      );
      const response = await shownIn('docs/guides/registry/configure-server.md', '{ "registries"');
      expectJson(JSON.parse(listed.replaceAll(address, '127.0.0.1:8080')), JSON.parse(response));
      const schema: unknown = JSON.parse(await readFile(path.join(folder, 'config.schema.json'), 'utf8'));
      expect(Object(schema)).to.have.property('properties');
    });

    it('explain what a token gives access to', async () => {
      await writeFile(path.join(folder, 'token'), 'not.a.token\n');
      expect(await follow(EXPLAIN_TOKEN)).to.match(/^mode /);
    });

    it('create a session key', async () => {
      const commands = [
        await shownIn('docs/guides/registry/browser-login.md', 'openssl rand '),
        await shownIn('docs/operate/high-availability.md', 'openssl rand '),
      ];
      for (const command of commands) {
        await follow(command);
        const file = path.join(folder, 'session-keys');
        expect(Buffer.from(await readFile(file, 'utf8'), 'base64')).to.have.lengthOf(32);
        expect((await stat(file)).mode & 0o077).to.equal(0);
      }
    });

    it('search an audit log', async function () {
      await run('jq', ['--version']).catch(() => skipSuite(this, 'jq is not installed'));
      const line = await shownIn('docs/guides/registry/audit-siem.md', '{"time"');
      await writeFile(path.join(folder, 'audit.log'), line);
      const shown = await shownIn('docs/guides/registry/audit-siem.md', '2026-02-03T');
      expect(await follow(await shownIn('docs/guides/registry/audit-siem.md', 'jq -r '))).to.equal(shown);
    });

    it('migrate the database after confirmation', async function () {
      CommandOnTerminal.require(this);
      const shown = await shownIn('docs/operate/migrations.md', 'portolan migrate status ');
      const [status = '', up = '', down = ''] = shown.split('\n').map((line) => line.replace(/ +#.*/, ''));
      const ask = async (command: string): Promise<string> => {
        const terminal = new CommandOnTerminal(command.split(' ').slice(1), { cwd: folder, env });
        await terminal.shown(/\[y\/N\] |Type yes: /);
        terminal.answer('yes');
        const { status: ended, screen } = await terminal.finished;
        expect(ended, screen).to.equal(0);
        return screen;
      };
      expect(
        await follow(await shownIn('docs/guides/registry/databases.md', 'portolan migrate status')),
      ).to.equal(await follow(status));
      const layout = async () => (await follow(status)).replaceAll(/\d{4}-[\d-]+T\S+Z/g, 'applied');
      expect(await layout())
        .to.include('0001')
        .and.not.include('applied');
      await ask(up);
      const after = await layout();
      expect(after).to.include('applied');
      await ask(down);
      expect(await layout()).not.to.equal(after);
      await ask(up);
      expect(await layout()).to.equal(after);
    });
  });
});

/** A server that a command of a guide has started. The caller has to stop it. */
class Serving {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown[]>;
  #said = '';

  constructor(command: string, cwd: string, env: NodeJS.ProcessEnv) {
    // It has its own process group, because npm and npx start it as a child.
    this.#child = spawn('sh', ['-euc', command], {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said += text;
      this.#child.emit('said');
    });
    this.#ended = once(this.#child, 'close');
  }

  async address(): Promise<string> {
    for (;;) {
      const [, address] = /"address":"([^"]+)".*"msg":"listening"/.exec(this.#said) ?? [];
      if (address !== undefined) return address;
      const next = await Promise.race([once(this.#child, 'said'), this.#ended.then(() => 'ended' as const)]);
      if (next === 'ended') throw new Error(`it ended before it listened:\n${this.#said}`);
    }
  }

  /** Returns the exit status of the shell or of its replacement. */
  async stop(): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.pid !== undefined)
      process.kill(-this.#child.pid, 'SIGTERM');
    const [status] = await this.#ended;
    return typeof status === 'number' ? status : null;
  }
}

type Beginning = readonly [guide: string, beginning: string];

/** Returns the samples that tests take from guides by `shownIn`, as far as the calls contain the path. */
async function takenByTests(): Promise<readonly Beginning[]> {
  const taken: Beginning[] = [];
  for await (const file of glob('test/**/*.ts', { cwd: ROOT })) {
    const text = await readFile(path.join(ROOT, file), 'utf8');
    for (const [, guide = '', , beginning = ''] of text.matchAll(CALLS))
      taken.push([guide, beginning.replaceAll('\\n', '\n')]);
    // Sessions name their guide without its folder.
    for (const [, guide = ''] of text.matchAll(/readSession\('([^']+)'/g))
      taken.push([`docs/${guide}`, '$ ']);
  }
  return taken;
}

const CALLS = /shownIn\(\s*'([^']+)',\s*(['"])(.+?)\2,?\s*\)/g;

function isSeen(guide: string, { language, text }: Shown, taken: readonly Beginning[]): boolean {
  if (text.trim() === EXPLAIN_TOKEN) return true;
  if (language === 'yaml' && isConfiguration(text)) return true; // guides.test.ts checks each of them.
  return [...taken, ...NOT_RUN].some(([of, beginning]) => of === guide && text.startsWith(beginning));
}

/** Returns the text without parts that differ at each start. */
function withoutMoments(text: string): unknown {
  const moment = /"\d{4}-\d\d-\d\dT[\d:.]+Z"|"[0-9a-f]{8}-[0-9a-f-]{27}"/g;
  return JSON.parse(text.replaceAll(moment, '"…"'));
}
