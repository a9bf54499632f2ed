import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type CommandOptions, runPortolan } from '../../../test/support/command-line.ts';
import manifest from '../package.json' with { type: 'json' };

const SOUND = `
sources:
  - { name: catalogue, file: { path: ./catalogue.json }, syncPolicy: { interval: 30m } }
registries:
  - { name: main, sources: [catalogue] }
auth: { mode: anonymous }
database: { url: "sqlite:./registry.db" }
`;

/** Complete configuration of an organization with several teams. */
const WHOLE = `
sources:
  - name: local
    file: { path: ./catalogue.json }
    syncPolicy: { interval: 5m }
    filter:
      names: { include: ["com.acme/*"], exclude: ["com.acme/experimental-*"] }
      tags: { exclude: ["internal-only"] }
    claims: { org: acme, team: [platform, data] }
  - name: published
    managed: {}
    claims: { org: acme }
registries:
  - name: main
    sources: [published, local]
    claims: { org: acme }
  - name: open
    sources: [local]
    public: true
    publicClaims: { org: acme, team: platform }
auth:
  mode: oauth
  publicPaths: []
  claims: { roles: /realm_access/roles }
  oauth:
    resourceUrl: https://registry.acme.example
    providers:
      - { name: sso, issuerUrl: https://sso.acme.example/realms/main, audience: mcp-registry }
  authz:
    roles:
      superAdmin: [{ role: registry-admin }]
      manageSources: [{ org: acme, team: platform }]
      manageRegistries: [{ org: acme, team: platform }]
      manageEntries: [{ role: [publisher, release-bot] }]
database: { host: db, port: 5432, user: app, migrationUser: owner, database: registry }
telemetry: { metrics: { enabled: true } }
audit: { enabled: true, logFile: ./audit.log }
apiSources: { allowedDirectories: [/srv/catalogues], allowedHosts: ["*.acme.example"] }
`;

/** Configuration that satisfies the schemas, in which every value is invalid. */
const FAULTS_OF_KINDS = `sources:
  - name: remote
    file: { timeout: 2h, url: "ftp://ada:hunter2@files.acme.example/" }
registries: [{ name: main, sources: [remote, local] }]
database: { url: "sqlite::memory:" }
auth:
  mode: oauth
  oauth:
    providers:
      - { name: a, issuerUrl: "http://sso.acme.example", audience: one }
      - { name: a, issuerUrl: "https://sso.acme.example", audience: two, clientSecretFile: secret, caCertPath: ./no.pem }
audit: { enabled: true, logFile: ./missing/audit.log, maxFiles: 3 }
`;

const TEN_FAULTS = `
sources:
  - { name: Catalogue!, file: { path: 7 }, syncPolicy: { interval: soon } }
  - { name: second, syncPolicy: { interval: 30m } }
  - { name: third, fiel: { path: ./a.json }, syncPolicy: { interval: 30m } }
registries:
  - { name: main, sources: [secnd] }
  - { name: main, sources: [second], clams: { org: acme } }
auth: { mode: anonymus }
database: { maxOpenConns: 0 }
sever: {}
`;

describe('portolan', function () {
  this.timeout(180_000); // each case starts a process

  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-cli-'));
    await writeFile(path.join(folder, 'sound.yaml'), SOUND);
    await writeFile(path.join(folder, 'catalogue.json'), '{"version":"1.0.0","data":{"servers":[]}}');
    await writeFile(path.join(folder, 'early.yaml'), SOUND.replace('./catalogue.json', './later.json'));
    await writeFile(path.join(folder, 'faults.yaml'), TEN_FAULTS);
    await writeFile(path.join(folder, 'whole.yaml'), WHOLE);
    await writeFile(path.join(folder, 'kinds.yaml'), FAULTS_OF_KINDS);
    await writeFile(path.join(folder, 'no-auth.yaml'), SOUND.replace('auth: { mode: anonymous }', ''));
    await writeFile(path.join(folder, 'no-mode.yaml'), SOUND.replace('{ mode: anonymous }', '{}'));
    await writeFile(path.join(folder, 'broken.yaml'), 'sources: [\n');
    await writeFile(path.join(folder, 'thrower.mjs'), `throw new Error('lost at sea');`);
    await writeFile(path.join(folder, 'plugin.yaml'), `plugins: [./thrower.mjs]${SOUND}`);
    await writeFile(path.join(folder, 'leaver.mjs'), 'process.exit(0);');
    await writeFile(path.join(folder, 'leaver.yaml'), `plugins: [./leaver.mjs]${SOUND}`);
    await writeFile(path.join(folder, 'missing-plugin.yaml'), `plugins: [./nowhere.ts]${SOUND}`);
  });
  after(async () => {
    await rm(folder, { recursive: true, force: true });
  });
  const portolan = (args: readonly string[], options: CommandOptions = {}) =>
    runPortolan(args, { cwd: folder, ...options });
  const migrate = async (...args: readonly string[]): Promise<string> => {
    const { status, stdout, stderr } = await portolan(['migrate', ...args, '--config', 'sound.yaml']);
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
    return stdout;
  };

  const mistakes = [
    {
      title: 'an unknown command',
      args: ['serv'],
      says: 'error: unknown command "serv"\nhint: did you mean `portolan serve`?',
    },
    {
      title: 'an unknown command of a topic',
      args: ['config', 'chekc'],
      says: 'hint: did you mean `portolan config check`?',
    },
    {
      title: 'an unknown command of a topic',
      args: ['plugins', 'instal', 'x'],
      says: 'error: unknown command "plugins instal"\nhint: did you mean `portolan plugins install`?',
    },
    {
      title: 'an unknown command of a topic, with a colon and for help',
      args: ['help', 'plugins:instal'],
      says: 'error: unknown command "plugins instal"\nhint: did you mean `portolan plugins install`?',
    },
    {
      title: 'an unknown topic that is similar to another',
      args: ['plugin', 'install', 'x'],
      says: 'error: unknown command "plugin"\nhint: did you mean `portolan plugins install`?',
    },
    {
      title: 'an unknown flag',
      args: ['serve', '--confg', 'sound.yaml'],
      says: 'error: unknown flag --confg\nhint: did you mean --config?',
    },
    {
      title: 'an unknown flag before a command',
      args: ['--frob', 'serve'],
      says: 'error: unknown flag --frob',
    },
    { title: 'an unexpected argument', args: ['serve', 'now'], says: 'error: unexpected argument: now' },
    { title: 'an argument after --', args: ['kinds', '--', 'now'], says: 'error: unexpected argument: now' },
    {
      title: 'a flag without its value',
      args: ['serve', '--config'],
      says: 'error: flag --config expects a value',
    },
    {
      title: 'a flag given twice',
      args: ['serve', '--config', 'a', '--config', 'b'],
      says: 'error: flag --config can only be specified once',
    },
    {
      title: 'a value that is not one of the choices',
      args: ['kinds', '--format', 'xml'],
      says: 'to be one of: text, json',
    },
    {
      title: 'an invalid address',
      args: ['serve', '--config', 'sound.yaml', '--address', 'localhost:http'],
      says: 'server.address  found "localhost:http" in the command line; expected HOST:PORT',
    },
    {
      title: 'an invalid number of steps',
      args: ['migrate', 'down', '-n', 'all'],
      says: 'expected an integer',
    },
    { title: 'too many steps', args: ['migrate', 'down', '-n', '1001'], says: 'less than or equal to 1000' },
    {
      title: 'migrate down without a number',
      args: ['migrate', 'down'],
      says: 'missing required flag --num-steps',
    },
    {
      title: 'a change of the database without a confirmation',
      args: ['migrate', 'up', '--config', 'sound.yaml'],
      says: 'error: this command needs a confirmation, but standard input is not a terminal\nhint: add --yes',
    },
    { title: 'no configuration', args: ['serve'], says: 'error: No configuration found in ' },
    {
      title: 'a configuration that does not exist',
      args: ['serve', '--config', 'nowhere.yaml'],
      says: 'nowhere.yaml cannot be read: it does not exist',
    },
    { title: 'a configuration that is a folder', args: ['serve', '--config', '.'], says: 'it is a folder' },
    {
      title: 'a configuration that is not YAML',
      args: ['serve', '--config', 'broken.yaml'],
      says: 'broken.yaml:2:1',
    },
    {
      title: 'a plugin that throws while it is loaded',
      args: ['serve', '--config', 'plugin.yaml'],
      says: 'lost at sea',
    },
    {
      title: 'a plugin that ends the process while it is checked',
      args: ['config', 'check', '--config', 'leaver.yaml'],
      says: /^error: Code of a plugin or of the configuration called process\.exit with status 0, at \S+leaver\.mjs:1:9; .*\nhint: throw /,
    },
    {
      title: 'a plugin that ends the process while it is loaded',
      args: ['serve', '--config', 'leaver.yaml'],
      says: /^error: Code of a plugin or of the configuration called process\.exit with status 0, at \S+leaver\.mjs:1:9; .*\nhint: throw /,
    },
    {
      title: 'a configuration that ends the process',
      args: ['config', 'check', '--config', 'leaver.mjs'],
      says: /^error: Code of a plugin .* at \S+leaver\.mjs:1:9; /,
    },
    {
      title: 'a plugin that does not exist',
      args: ['config', 'check', '--config', 'missing-plugin.yaml'],
      says: 'error: The plugin "./nowhere.ts", named by ',
    },
  ];
  for (const { title, args, says } of mistakes) {
    it(`exits with status 2 for ${title}, with the error on standard error only`, async () => {
      const { status, stdout, stderr } = await portolan(args);
      if (typeof says === 'string') expect(stderr).to.include(says);
      else expect(stderr).to.match(says);
      expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
      expect(stderr).not.to.match(/^ +at /m);
    });
  }

  it('config check › reports every problem of a configuration at once', async () => {
    const { status, stderr } = await portolan(['config', 'check', '--config', 'faults.yaml']);
    expect(status).to.equal(2);
    expect(stderr).to.match(/^\S+faults\.yaml has (1\d) problems\n/);
    for (const place of [
      'sources[0].name',
      'sources[0].file.path',
      'sources[0].syncPolicy.interval',
      'sources[1]',
      'sources[2].fiel',
      'registries[0].sources[0]',
      'registries[1].name',
      'registries[1].clams',
      'auth.mode',
      'database.maxOpenConns',
      'sever',
    ]) {
      expect(stderr).to.include(` ${place} `);
    }
    expect(stderr).to.include('did you mean "second"?').and.to.include('did you mean "anonymous"?');
  });

  it('config check › prints the problems of a configuration as JSON', async () => {
    const { status, stdout } = await portolan([
      'config',
      'check',
      '--config',
      'faults.yaml',
      '--format',
      'json',
    ]);
    expect(status).to.equal(2);
    expect(JSON.parse(stdout).problems).to.deep.include({
      place: 'auth.mode',
      line: 9,
      column: 9,
      found: '"anonymus"',
      expected: 'one of oauth, anonymous',
      didYouMean: 'anonymous',
    });
  });

  it('config check › reports a configuration without problems', async () => {
    const { status, stdout, stderr } = await portolan(['config', 'check', '--config', 'sound.yaml']);
    expect({ status, stdout, stderr }).to.deep.equal({
      status: 0,
      stdout: `${path.join(folder, 'sound.yaml')} has no problems\n`,
      stderr: '',
    });
  });

  it('config check › warns about a missing file that may be created later', async () => {
    const { status, stdout } = await portolan(['config', 'check', '--config', 'early.yaml']);
    expect(status).to.equal(0);
    expect(stdout).to.match(/^warning: sources\[0\]\.file\.path .*"\.\/later\.json", which does not exist/m);
  });

  it('config check › accepts the complete configuration of an organization', async () => {
    const { status, stdout, stderr } = await portolan(['config', 'check', '--config', 'whole.yaml']);
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
    expect(stdout).to.match(/whole\.yaml has no problems\n$/);
  });

  it('config check and serve › report problems of kinds together with all others', async () => {
    const expected = [
      '2:5  sources[0].syncPolicy.interval',
      '3:13  sources[0].file.timeout',
      '3:26  sources[0].file.url',
      '4:46  registries[0].sources[1]',
      '10:20  auth.oauth.providers[0].issuerUrl',
      '11:9  auth.oauth.providers[1].clientId',
      '11:11  auth.oauth.providers[1].name',
      '11:74  auth.oauth.providers[1].clientSecretFile',
      '11:100  auth.oauth.providers[1].caCertPath',
      '12:25  audit.logFile',
      '12:55  audit.maxFiles',
    ];
    for (const command of [['config', 'check'], ['serve']]) {
      const { status, stderr } = await portolan([...command, '--config', 'kinds.yaml']);
      expect(status).to.equal(2);
      const lines = stderr.split('\n').filter((line) => line.includes('; expected '));
      expect(lines.map((line) => line.trim().split('  found')[0]?.trim().replace(/ +/, '  '))).to.deep.equal(
        expected,
      );
      expect(stderr).not.to.include('hunter2');
    }
  });

  for (const [file, says] of [
    ['no-auth.yaml', 'auth  found nothing; expected a map with "mode", one of oauth, anonymous'],
    ['no-mode.yaml', 'auth.mode  found nothing; expected one of oauth, anonymous'],
  ] as const) {
    it(`config check › names the two choices of auth.mode for ${file}`, async () => {
      const { status, stderr } = await portolan(['config', 'check', '--config', file]);
      expect(status).to.equal(2);
      expect(stderr).to.include(says);
    });
  }

  it('config check › reads the configuration of PORTOLAN_CONFIG', async () => {
    const { status, stdout } = await portolan(['config', 'check'], {
      env: { PORTOLAN_CONFIG: 'sound.yaml' },
    });
    expect(status).to.equal(0);
    expect(stdout).to.include('sound.yaml');
  });

  it('config check › warns about variables that are not settings', async () => {
    const { stdout } = await portolan(['config', 'check', '--config', 'sound.yaml'], {
      env: { PORTOLAN_SERVER_ADRESS: ':1' },
    });
    expect(stdout).to.include('warning: the environment variable PORTOLAN_SERVER_ADRESS is no setting');
  });

  it('--debug › adds the stack of an error', async () => {
    const { stderr } = await portolan(['config', 'check', '--config', 'plugin.yaml', '--debug']);
    expect(stderr)
      .to.match(/^error: .*lost at sea/)
      .and.to.match(/^ +at .*thrower\.mjs/m);
  });

  it('kinds › lists every kind with plugin and file', async () => {
    const { status, stdout } = await portolan(['kinds', '--format', 'json']);
    expect(status).to.equal(0);
    const kinds: readonly { readonly kind: string; readonly file: string; readonly loadedFor: unknown }[] =
      JSON.parse(stdout);
    expect(kinds.find(({ kind }) => kind === 'file')).to.include({
      sort: 'source',
      plugin: '@portolan/source-file',
      origin: 'shipped',
    });
    const loadedFor = (name: string): unknown => kinds.find(({ kind }) => kind === name)?.loadedFor;
    expect(loadedFor('file')).to.deep.equal(['registry-server']);
    expect(loadedFor('oauth')).to.deep.equal(['registry-server', 'workload']);
    expect(loadedFor('docker')).to.deep.equal(['workload']);
    expect(kinds.every(({ file }) => path.isAbsolute(file))).to.equal(true);
    const { stdout: table } = await portolan(['kinds']);
    expect(table)
      .to.match(/^SORT +KIND +PLUGIN +ORIGIN +LOADED FOR +FILE\n/)
      .and.to.match(/^auth provider +anonymous +/m);
  });

  it('config schema › prints the schema of the configuration', async () => {
    const { status, stdout } = await portolan(['config', 'schema']);
    expect(status).to.equal(0);
    expect(JSON.parse(stdout)).to.have.nested.property('properties.sources.items.properties.file');
  });

  it('version and --version › print the same version', async () => {
    const [command, flag] = [
      await portolan(['version', '--format', 'json']),
      await portolan(['--version', '--format', 'json']),
    ];
    expect(command).to.deep.equal(flag);
    expect(JSON.parse(command.stdout)).to.include({ version: manifest.version, node: process.version });
  });

  const helps = [
    [],
    ['--help'],
    ['help'],
    ['serve', '--help'],
    ['help', 'migrate', 'up'],
    ['config'],
    ['plugins:install', '--help'],
  ];
  for (const args of helps) {
    it(`prints the help of "portolan ${args.join(' ')}"`, async () => {
      const { status, stdout, stderr } = await portolan(args);
      expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
      expect(stdout).to.include('USAGE\n  $ portolan ');
    });
  }

  it('help › shows the flags and variables of run in 80 columns, without broken words or narrow columns', async () => {
    const { stdout } = await portolan(['run', '--help'], { env: { OCLIF_COLUMNS: '80' } });
    expect(stdout.split('\n').filter((line) => line.length > 80)).to.deep.equal([]);
    expect(stdout).to.match(/^Run an MCP server .* machine\n\nUSAGE\n/);
    expect(stdout)
      .to.include('  -e, --env=KEY[=VALUE]...       environment variable of the server; without a\n')
      .and.to.include(
        '  -v, --volume=HOST-PATH|NAME:CONTAINER-PATH[:ro]...\n                                 mount a local file or folder, or a named volume\n',
      )
      .and.to.match(/^ENVIRONMENT\n {2}PORTOLAN_RUNTIME +\[default: docker\] container runtime: docker/m);
  });

  it('help › lists plugins in the section of other commands', async () => {
    expect((await portolan(['--help'])).stdout).to.match(/OTHER COMMANDS\n +plugins +Manage plugins/);
  });

  for (const command of ['run', 'plan', 'start', 'restart', 'rm']) {
    it(`help › shows the flags of every command for ${command}`, async () => {
      const { stdout } = await portolan([command, '--help']);
      expect(stdout).to.match(/GLOBAL FLAGS\n +-h, --help +show this help\n[^]*--debug +log details/);
    });
  }

  it('migrate › applies and undoes migrations of the database', async () => {
    expect(await migrate('status')).to.match(/^MIGRATION +APPLIED\n0001-tables +pending\n/);
    expect(await migrate('up', '--yes')).to.match(/^applied 0001-tables\n/);
    expect(await migrate('up', '--yes')).to.match(/ is up to date\n$/);
    const states = JSON.parse(await migrate('status', '--format', 'json'));
    expect(states[0])
      .to.have.property('appliedAt')
      .that.matches(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(await migrate('down', '-n', String(states.length), '--yes')).to.match(/undone 0001-tables\n$/);
    expect(await migrate('down', '-n', '1', '--yes')).to.match(/ has no migrations to undo\n$/);
  });
});
