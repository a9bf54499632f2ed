import { expect } from 'chai';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type CommandOptions, runPortolan } from '../../../test/support/command-line.ts';
import {
  refusal,
  type SeenRequest,
  type StubResponse,
  StubRegistry,
} from '../../../test/support/stub-registry.ts';

const server = (name: string, version = '1.0.0') => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name,
  description: `What ${name} knows.`,
  version,
});
const SKILL = { namespace: 'com.acme', name: 'triage', description: 'Sorts.', version: '1.0.0' };
const CATALOGUE = {
  version: '1.0.0',
  data: {
    servers: [server('com.acme/tides'), server('com.acme/winds'), server('com.acme/secret')],
    skills: [SKILL],
  },
};

/** Responds like the server: one entry already exists, and one is refused. */
function publishing({ method, path: at, body }: SeenRequest): StubResponse {
  if (method !== 'POST' || at !== '/v1/entries')
    return refusal(404, 'ERR_ROUTE_NOT_FOUND', 'Nothing is here.');
  const text = JSON.stringify(body);
  if (text.includes('com.acme/winds'))
    return refusal(409, 'ERR_VERSION_EXISTS', 'Version "1.0.0" of "com.acme/winds" already exists.');
  if (text.includes('com.acme/secret'))
    return refusal(403, 'ERR_CLAIMS_DIFFER', 'It has other claims.', {
      hint: 'Use those.',
    });
  return { status: 201, body: {} };
}

describe('portolan publish', function () {
  this.timeout(180_000); // each case starts a process

  let folder: string;
  let stub: StubRegistry;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-publish-'));
    await write('token', 'sesame\n');
    await write('server.json', server('com.acme/tides'));
    await write('winds.json', server('com.acme/winds'));
    await write('skill.json', SKILL);
    await write('catalogue.json', CATALOGUE);
    await write('faults.json', {
      data: {
        servers: [server('com.acme/tides'), { ...server('com.acme/winds'), version: 'latest' }, { name: 7 }],
      },
    });
    stub = await StubRegistry.start(publishing);
  });
  beforeEach(() => {
    stub.answers(publishing);
  });
  after(async () => {
    await stub.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const write = async (name: string, content: unknown): Promise<void> =>
    writeFile(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  const publish = (args: readonly string[], options: CommandOptions = {}) =>
    runPortolan(['publish', ...args], { cwd: folder, env: { PORTOLAN_URL: stub.url }, ...options });

  it('publishes a document with claims and token', async () => {
    const claims = ['--claim', 'org=acme', '--claim', 'team=maps', '--claim', 'team=tides'];
    const finished = await publish(['server.json', '--token-file', 'token', '--source', 'own', ...claims]);
    expect(finished).to.include({
      status: 0,
      stdout: 'published  server com.acme/tides 1.0.0\n',
      stderr: '',
    });
    expect(stub.seen).to.have.length(1);
    expect(stub.seen[0]).to.deep.include({
      method: 'POST',
      path: '/v1/entries',
      query: { source: 'own' },
      body: { server: server('com.acme/tides'), claims: { org: 'acme', team: ['maps', 'tides'] } },
    });
    expect(stub.seen[0]?.headers.authorization).to.equal('Bearer sesame');
  });

  it('publishes a skill from standard input, without claims if none are given', async () => {
    const { status } = await publish(['-', '--type', 'skill'], {
      env: { PORTOLAN_URL: stub.url, PORTOLAN_TOKEN_FILE: 'token' },
      stdin: JSON.stringify(SKILL),
    });
    expect(status).to.equal(0);
    expect(stub.seen[0]?.body).to.deep.equal({ skill: SKILL });
  });

  it('shows the publisher what an entry asks its users to grant', async () => {
    const image = 'ghcr.io/acme/notes:1';
    const permissions = { read: ['/home/user/.ssh:/keys'], write: ['/var/run/docker.sock'] };
    await write('demanding.json', {
      ...server('com.acme/notes'),
      packages: [{ registryType: 'oci', identifier: image, transport: { type: 'stdio' } }],
      _meta: {
        'io.modelcontextprotocol.registry/publisher-provided': {
          'io.github.stacklok': { [image]: { permissions } },
        },
      },
    });
    const told = await publish(['demanding.json']);
    expect(told.stderr.split('\n')).to.include.members([
      'com.acme/notes asks its users for:',
      '  files',
      '    read ~/.ssh',
      '  refused',
    ]);
    expect(told.stderr).to.match(
      /^ {4}permission_profile\.write.*docker\.sock.*socket of a container engine$/m,
    );
    const { stdout } = await publish(['demanding.json', '--format', 'json']);
    const [entry] = (JSON.parse(stdout) as { entries: readonly { demands: object }[] }).entries;
    expect(entry?.demands).to.have.nested.property('grants[0].line', 'read ~/.ssh');
    expect(entry?.demands).to.have.nested.property('refusals[0].found');
  });

  it('reads the token from standard input', async () => {
    const { status } = await publish(['server.json', '--token-file', '-'], { stdin: 'sesame\n' });
    expect(status).to.equal(0);
    expect(stub.seen[0]?.headers.authorization).to.equal('Bearer sesame');
  });

  it('prints the message and the hint of a refusal, and exits with status 1', async () => {
    await write('secret.json', server('com.acme/secret'));
    expect(await publish(['secret.json'])).to.include({
      status: 1,
      stdout: '',
      stderr: 'error: It has other claims.\nhint: Use those.\n',
    });
  });

  it('exits with status 1 for an existing version', async () => {
    const { status, stderr } = await publish(['winds.json']);
    expect(status).to.equal(1);
    expect(stderr).to.equal('error: Version "1.0.0" of "com.acme/winds" already exists.\n');
  });

  it('continues after a refused entry of a catalogue, and prints a summary', async () => {
    const { status, stdout, stderr } = await publish(['catalogue.json', '--type', 'server']);
    expect(status).to.equal(1);
    expect(stdout).to.equal('1 published, 1 already there, 1 refused\n');
    expect(stderr).to.equal(
      [
        'published  server com.acme/tides 1.0.0',
        'already there  server com.acme/winds 1.0.0',
        'refused  server com.acme/secret 1.0.0: It has other claims.',
        '  hint: Use those.',
        'error: 1 of 3 entries were refused',
        'hint: see the reasons above; published entries stay published',
        '',
      ].join('\n'),
    );
  });

  it('exits with status 0 when every version of a catalogue already exists', async () => {
    await write('done.json', { data: { servers: [server('com.acme/tides'), server('com.acme/winds')] } });
    expect(await publish(['done.json'])).to.include({ status: 0, stdout: '1 published, 1 already there\n' });
  });

  it('prints one JSON document on standard output, and all else on standard error', async () => {
    await write('mixed.json', { data: { servers: CATALOGUE.data.servers } });
    const { status, stdout, stderr } = await publish(['mixed.json', '--format', 'json']);
    expect(status).to.equal(1);
    expect(stderr).to.include('refused  server com.acme/secret').and.not.to.include('published  ');
    const { entries, summary, dryRun } = JSON.parse(stdout);
    expect({ summary, dryRun }).to.deep.equal({
      dryRun: false,
      summary: { published: 1, exists: 1, valid: 0, refused: 1, notTried: 0 },
    });
    expect(entries.map((one: { outcome: string }) => one.outcome)).to.deep.equal([
      'published',
      'exists',
      'refused',
    ]);
    expect(entries[2]).to.deep.equal({
      place: 'data.servers[2]',
      type: 'server',
      name: 'com.acme/secret',
      version: '1.0.0',
      outcome: 'refused',
      error: 'It has other claims.',
      code: 'ERR_CLAIMS_DIFFER',
      hint: 'Use those.',
    });
  });

  it('reports every problem of a file with its place, and sends nothing', async () => {
    const { status, stdout, stderr } = await publish(['faults.json']);
    expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
    expect(stderr).to.match(/^error: faults\.json has \d+ problems in 2 of 3 entries; nothing was sent\n/);
    expect(stderr)
      .to.match(/^ {2}data\.servers\[1\]\.version +\S/m)
      .and.match(/^ {2}data\.servers\[2\]\.name +\S/m)
      .and.match(/^ {2}data\.servers\[2\]\.description +\S/m);
    expect(stub.seen).to.deep.equal([]);
  });

  it('prints the problems of a file as JSON', async () => {
    const { status, stdout } = await publish(['faults.json', '--format', 'json']);
    expect(status).to.equal(2);
    const { entries, summary } = JSON.parse(stdout);
    expect(summary).to.deep.equal({ published: 0, exists: 0, valid: 0, refused: 2, notTried: 1 });
    expect(entries[0]).to.include({ place: 'data.servers[1]', outcome: 'invalid' });
    expect(entries[0].issues[0]).to.include({ path: 'data.servers[1].version', severity: 'error' });
  });

  it('publishes the valid entries with --skip-invalid', async () => {
    const { status, stdout, stderr } = await publish(['faults.json', '--skip-invalid']);
    expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '1 published, 2 refused\n' });
    expect(stderr).to.include('invalid  server com.acme/winds latest: It violates rules, and was not sent.');
    expect(stub.seen).to.have.length(1);
  });

  /** The part of the server's API description that declares dry runs. */
  const DRY_RUNS: StubResponse = {
    status: 200,
    body: { paths: { '/v1/entries': { post: { parameters: [{ name: 'dryRun', in: 'query' }] } } } },
  };

  it('sends claims and source in a dry run, so that the server validates them too', async () => {
    const judging = (answer: StubResponse) => (request: SeenRequest) =>
      request.path === '/openapi.json' ? DRY_RUNS : answer;
    stub.answers(judging(refusal(400, 'ERR_CLAIMS_REQUIRED', 'A publish needs claims.')));
    const { status, stdout, stderr } = await publish(['server.json', '--dry-run']);
    expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '' });
    expect(stderr).to.match(/^error: A publish needs claims\./);
    stub.answers(judging({ status: 200, body: { dryRun: true, status: 201 } }));
    const claimed = ['--claim', 'org=acme', '--source', 'own'];
    expect(await publish(['server.json', '--dry-run', ...claimed])).to.include({
      status: 0,
      stdout: 'valid  server com.acme/tides 1.0.0\n',
    });
    expect(stub.seen.map(({ method, path: at }) => `${method} ${at}`)).to.deep.equal([
      'GET /openapi.json',
      'POST /v1/entries',
    ]);
    expect(stub.seen[1]).to.deep.include({
      query: { source: 'own', dryRun: 'true' },
      body: { server: server('com.acme/tides'), claims: { org: 'acme' } },
    });
    expect(await publish(['catalogue.json', '--dry-run', '--type', 'server'])).to.include({
      status: 0,
      stdout: '3 valid\n',
    });
  });

  it('reports existing versions and refusals in a dry run', async () => {
    stub.answers((request) => (request.path === '/openapi.json' ? DRY_RUNS : publishing(request)));
    await write('half.json', { data: { servers: [server('com.acme/winds'), server('com.acme/secret')] } });
    const { status, stdout, stderr } = await publish(['half.json', '--dry-run']);
    expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '0 valid, 1 already there, 1 refused\n' });
    expect(stderr).to.include('refused  server com.acme/secret');
  });

  it('sends nothing to a server without dry runs, because it would publish', async () => {
    stub.answers(({ path: at }) =>
      at === '/openapi.json'
        ? { status: 200, body: { paths: { '/v1/entries': { post: { parameters: [] } } } } }
        : { status: 201, body: {} },
    );
    const { status, stderr } = await publish(['server.json', '--dry-run']);
    expect(status).to.equal(1);
    expect(stderr).to.match(/^error: The server at .* has no dry runs; nothing was sent\.\nhint: /);
    expect(stub.seen.map(({ path: at }) => at)).to.deep.equal(['/openapi.json']);
  });

  it('stops at a rejected token, and reports the results up to it', async () => {
    stub.answers((request) =>
      stub.seen.length > 1
        ? refusal(401, 'ERR_AUTHENTICATION_REQUIRED', 'The token has expired.')
        : publishing(request),
    );
    const { status, stdout, stderr } = await publish([
      'catalogue.json',
      '--type',
      'server',
      '--token-file',
      'token',
    ]);
    expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '1 published, 1 refused, 1 not tried\n' });
    expect(stderr).to.include('error: The token has expired.\nhint: get a new token;');
    expect(stub.seen).to.have.length(2);
  });

  it('never prints a token', async () => {
    stub.answers(() => refusal(401, 'ERR_AUTHENTICATION_REQUIRED', 'No.'));
    const { stdout, stderr } = await publish(['server.json', '--token-file', 'token', '--debug']);
    expect(stdout + stderr).not.to.include('sesame');
  });

  const mistakes = [
    {
      title: 'no server',
      args: ['server.json'],
      env: { PORTOLAN_URL: undefined },
      says: 'no server is named',
    },
    {
      title: 'an invalid address in the variable',
      args: ['server.json'],
      env: { PORTOLAN_URL: 'registry.acme.example' },
      says: 'the value of PORTOLAN_URL is no address',
    },
    {
      title: 'an address with a login in the variable',
      args: ['server.json'],
      env: { PORTOLAN_URL: 'https://una:sesame@registry.acme.example' },
      says: 'PORTOLAN_URL holds a name or password\nhint: pass an access token with --token-file',
    },
    {
      title: 'an invalid address on the command line, whatever the variable has',
      args: ['server.json', '--url=registry.acme.example'],
      env: { PORTOLAN_URL: 'https://registry.acme.example' },
      says: 'the value of --url is no address',
    },
    {
      title: 'a token over http to another host',
      args: ['server.json', '--url', 'http://registry.acme.example', '--token-file', 'token'],
      says: 'add --allow-insecure',
    },
    {
      title: 'a claim without a value',
      args: ['server.json', '--claim', 'org'],
      says: 'expected KEY=VALUE',
    },
    {
      title: 'standard input for both file and token',
      args: ['-', '--token-file', '-'],
      says: 'cannot both be standard input',
    },
    {
      title: 'a file that does not exist',
      args: ['nowhere.json'],
      says: 'nowhere.json cannot be published: it does',
    },
    { title: 'no file', args: [], says: 'error: missing FILE: file to publish\n' },
    { title: 'two files', args: ['server.json', 'skill.json'], says: 'unexpected argument: skill.json' },
    {
      title: 'a token file that does not exist',
      args: ['server.json', '--token-file', 'nowhere'],
      says: 'the token in nowhere cannot be used: it does not exist',
    },
    {
      title: 'a certificate file without certificates',
      args: ['server.json', '--ca-cert', 'token'],
      says: 'token cannot be used: it contains no certificate',
    },
    {
      title: 'an invalid timeout',
      args: ['server.json', '--timeout', 'soon'],
      says: 'expected a duration',
    },
    {
      title: 'a timeout of zero',
      args: ['server.json', '--timeout', '0'],
      says: '--timeout: expected a duration above 0',
    },
    {
      title: 'an entry that may be a skill or a plugin',
      args: ['skill.json'],
      says: 'add --type skill or --type plugin',
    },
  ];
  for (const { title, args, env, says } of mistakes) {
    it(`exits with status 2 for ${title}`, async () => {
      const { status, stdout, stderr } = await publish(args, env === undefined ? {} : { env });
      expect(stderr).to.include(says);
      expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
      expect(stub.seen).to.deep.equal([]);
    });
  }

  it('trusts only the CA certificates of --ca-cert', async () => {
    const tls = path.resolve(import.meta.dirname, '../../outbound/test/fixtures/tls');
    const [cert, key] = await Promise.all(
      ['certificate.pem', 'key.pem'].map((file) => readFile(path.join(tls, file))),
    );
    const secure = await StubRegistry.start(publishing, { cert, key });
    try {
      const refused = await publish(['server.json', '--url', secure.url]);
      expect(refused.status).to.equal(1);
      expect(refused.stderr).to.include('its certificate is not trusted').and.to.include('--ca-cert');
      expect(secure.seen).to.deep.equal([]);
      const trusting = ['--ca-cert', path.join(tls, 'certificate.pem')];
      const finished = await publish(['server.json', '--url', secure.url, ...trusting]);
      expect(finished).to.include({ status: 0, stderr: '' });
    } finally {
      await secure.stop();
    }
  });

  it('sends requests through the proxy of the environment, for a name that only the proxy resolves', async () => {
    stub.answers(() => ({ status: 201, body: {} }));
    const env = { http_proxy: stub.url, no_proxy: undefined, NO_PROXY: undefined };
    const named = ['--url', 'http://registry.acme.example', '--allow-insecure'];
    const finished = await publish(['server.json', ...named], { env });
    expect(finished).to.include({ status: 0, stderr: '' });
    expect(stub.seen.map(({ path: asked }) => asked)).to.deep.equal([
      'http://registry.acme.example/v1/entries',
    ]);
  });

  it('suggests a flag when the server suggests a member of the request', async () => {
    stub.answers(() =>
      refusal(400, 'ERR_CLAIMS_REQUIRED', 'A publish needs claims.', { hint: 'Add "claims" to the body.' }),
    );
    const { status, stderr } = await publish(['server.json', '--token-file', 'token']);
    expect(stderr).to.match(/^error: A publish needs claims\.\nhint: add --claim KEY=VALUE/);
    expect(status).to.equal(1);
  });

  it('exits with status 1 and a hint when no server listens', async () => {
    const gone = await StubRegistry.start(publishing);
    const { url } = gone;
    await gone.stop();
    const { status, stderr } = await publish(['server.json', '--url', url]);
    expect(status).to.equal(1);
    expect(stderr).to.include(
      `error: ${url} cannot be reached: nothing listens there\nhint: check host and port`,
    );
  });
});
