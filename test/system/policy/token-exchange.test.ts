import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { startTestIssuer } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { HttpBackendUnderTest } from '../../../packages/proxy/test/support/http-backend.ts';
import { send } from '../../../packages/proxy/test/support/http-client.ts';
import { speakHttp } from '../../../packages/proxy/test/support/spoken-to.ts';
import {
  answerToken,
  ExchangeEndpoint,
} from '../../../plugins/proxy-token-exchange/test/exchange-endpoint.ts';
import { giveSecretStore } from '../../support/own-secrets.ts';
import { PolicyBench, urlOf } from './support/policy-bench.ts';

const URL_FLAG = '--token-exchange-url=https://id.example/token';
const FLAGS = [
  URL_FLAG,
  '--token-exchange-audience=backend',
  '--token-exchange-client-id=mcp-proxy',
  '--token-exchange-header-name=X-Upstream-Token',
  '--token-exchange-scopes=a,b',
  '--token-exchange-subject-token-type=id_token',
] as const;

describe('portolan run --token-exchange-url', function () {
  this.timeout(120_000);
  let bench: PolicyBench;

  beforeEach(async () => {
    bench = await PolicyBench.open({ PORTOLAN_SECRETS_PASSWORD: 'a long password' });
    await giveSecretStore(bench.root, 'a long password');
  });
  afterEach(async () => {
    await bench.close();
  });

  it('replaces the token of each caller by an exchanged one; callers get no reason when the exchange fails', async () => {
    let isDown = false;
    const issuer = await startTestIssuer({ algorithm: 'ES256', audience: 'weather' });
    const endpoint = await ExchangeEndpoint.open((response, asked) => {
      if (isDown) response.writeHead(503).end();
      else answerToken(response, asked, { access_token: `for-${asked.form.get('audience')}` });
    });
    const server = await HttpBackendUnderTest.start(speakHttp);
    try {
      const flags = [
        `--oidc-issuer=${issuer.issuerUrl}`,
        '--oidc-audience=weather',
        '--jwks-allow-private-ip',
        `--token-exchange-url=${endpoint.url}`,
        '--token-exchange-audience=backend',
        '--token-exchange-client-id=mcp-proxy',
        '--token-exchange-client-secret=hunter2',
        '--token-exchange-scopes=a,b',
        '--transport=streamable-http',
      ];
      const url = await urlOf(
        await bench.portolan('run', '--name=exchanged', ...flags, new URL('/mcp', server.url).href),
      );
      const call = async (token: string) =>
        await send(url, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
          body: '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"plain","arguments":{}}}',
        });
      const ada = issuer.sign({ sub: 'ada' });
      for (let time = 0; time < 3; time += 1) expect((await call(ada)).status).to.equal(200);
      expect(server.received.at(-1)?.headers.authorization).to.equal('Bearer for-backend');
      expect(server.received.map(({ rawHeaders }) => rawHeaders.join(' ')).join(' ')).not.to.include(ada);
      expect(endpoint.asked).to.have.length(1);
      expect(endpoint.asked[0]?.headers.authorization).to.equal(
        `Basic ${Buffer.from('mcp-proxy:hunter2').toString('base64')}`,
      );
      expect(Object.fromEntries(endpoint.asked[0]?.form ?? [])).to.include({
        subject_token: ada,
        scope: 'a b',
      });
      isDown = true;
      const seen = server.received.length;
      const refused = await call(issuer.sign({ sub: 'bob' }));
      expect([refused.status, refused.json.id, refused.json.error.message]).to.deep.equal([
        200,
        7,
        'Token exchange failed',
      ]);
      expect(server.received).to.have.length(seen);
      const { stdout: log } = await bench.portolan('logs', 'exchanged', '--proxy');
      expect(log).to.include('token exchange failed').and.include('503').and.not.include('hunter2');
      expect(log).not.to.include(ada);
    } finally {
      await server.close();
      await endpoint.close();
      await issuer.close();
    }
  });

  it('sends no credentials of the workload, also for callers without a token', async () => {
    const server = await HttpBackendUnderTest.start(speakHttp);
    const token = await bench.write('token.txt', 'of-the-workload');
    try {
      const address = new URL('/mcp', server.url).href;
      const of = ['--transport=streamable-http', `--remote-auth-bearer-token-file=${token}`];
      const forwarded = [
        '--remote-forward-headers=X-Upstream-Token=of-the-workload',
        '--remote-forward-headers=X-Team=a',
      ];
      const call = async (url: URL, headers: object) =>
        await send(url, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', ...headers },
          body: '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"plain","arguments":{}}}',
        });
      const plain = await urlOf(await bench.portolan('run', '--name=plain', ...of, address));
      await call(plain, {});
      // Without an exchange, this token identifies the caller.
      expect(server.received.at(-1)?.headers.authorization).to.equal('Bearer of-the-workload');
      const exchange = [URL_FLAG, '--token-exchange-header-name=X-Upstream-Token'];
      const started = await bench.portolan('run', '--name=local', ...exchange, ...of, ...forwarded, address);
      expect(started.stderr).to.include(
        '--remote-auth-bearer-token-file has no effect: with --token-exchange-url',
      );
      const url = await urlOf(started);
      const before = server.received.length;
      for (const headers of [{}, { Authorization: 'Bearer of-the-caller' }]) {
        expect((await call(url, headers)).status).to.equal(200);
      }
      const got = server.received.slice(before);
      expect(got.some(({ rawHeaders }) => rawHeaders.join(' ').includes('of-the-workload'))).to.equal(false);
      expect(got.at(-1)?.headers).to.include({ authorization: 'Bearer of-the-caller', 'x-team': 'a' });
    } finally {
      await server.close();
    }
  });

  it('shows a reference in place of the secret in plan, export and run config', async () => {
    const secret = await bench.write('secret.txt', 'hunter2\n');
    const flags = [...FLAGS, `--token-exchange-client-secret-file=${secret}`];
    const plan = await bench.run('http', 'exchanging', ...flags, '--dry-run', '--format=json');
    expect(plan.status, plan.stderr).to.equal(0);
    const {
      settings,
      protections,
    }: { settings: { setting: string; value: unknown }[]; protections: string[] } = JSON.parse(plan.stdout);
    expect(protections).to.include('that callers keep their tokens to themselves');
    const planned = settings.filter(({ setting }) => setting.startsWith('token_exchange_config.'));
    expect(planned.map(({ setting }) => setting.split('.')[1])).to.have.members([
      'token_url',
      'audience',
      'client_id',
      'client_secret',
      'external_token_header_name',
      'scopes',
      'subject_token_type',
    ]);
    await urlOf(await bench.run('http', 'exchanging', ...flags));
    const exported = path.join(bench.root, 'exported.json');
    expect((await bench.portolan('export', 'exchanging', exported)).status).to.equal(0);
    const text = await readFile(exported, 'utf8');
    const document: { token_exchange_config: object } = JSON.parse(text);
    expect(document.token_exchange_config).to.deep.equal({
      token_url: 'https://id.example/token',
      audience: 'backend',
      client_id: 'mcp-proxy',
      client_secret: 'TOKEN_EXCHANGE_CLIENT_SECRET_exchanging,target=token_exchange_client_secret',
      external_token_header_name: 'X-Upstream-Token',
      header_strategy: 'custom',
      scopes: ['a', 'b'],
      subject_token_type: 'id_token',
    });
    expect(plan.stdout + text + (await bench.portolan('inspect', 'exchanging')).stdout).not.to.include(
      'hunter2',
    );
    expect((await bench.portolan('status', 'exchanging')).stdout).to.include('keep their tokens');
    await bench.portolan('rm', 'exchanging');
    const again = await bench.portolan('run', '--from-config', exported);
    // Its secret was removed with it.
    expect(again.status).to.equal(1);
    expect(again.stderr).to.include('TOKEN_EXCHANGE_CLIENT_SECRET_exchanging');
  });

  it('accepts the settings of other tools from their middleware chain alone, and stores the secret', async () => {
    const document = {
      name: 'foreign',
      image: 'acme/everything:1',
      transport: 'streamable-http',
      cmd_args: ['streamableHttp'],
      isolate_network: false,
      middleware_configs: [
        {
          type: 'tokenexchange',
          parameters: {
            token_exchange_config: {
              token_url: 'https://id.example/token',
              client_id: 'me',
              client_secret: 'hunter2',
              audience: '',
            },
          },
        },
      ],
    };
    const file = await bench.write('foreign.json', JSON.stringify(document));
    const started = await bench.portolan('run', '--trust', '--from-config', file);
    await urlOf(started);
    expect(started.stderr).to.include('TOKEN_EXCHANGE_CLIENT_SECRET_foreign');
    const exported = path.join(bench.root, 'exported.json');
    await bench.portolan('export', 'foreign', exported);
    expect(await readFile(exported, 'utf8'))
      .to.include('TOKEN_EXCHANGE_CLIENT_SECRET_foreign,target=')
      .and.not.to.include('hunter2');
  });

  it('exits with status 2 for invalid settings and for a stdio server', async () => {
    const empty = await bench.write('empty.txt', ' \n');
    const full = await bench.write('full.txt', 'hunter2');
    const faults: readonly (readonly [flags: readonly string[], says: RegExp])[] = [
      [['--token-exchange-audience=x'], /needs --token-exchange-url/],
      [['--token-exchange-url=nowhere'], /--token-exchange-url: found "nowhere"/],
      [['--token-exchange-url=http://id.example/token'], /--token-exchange-url +found/],
      [[URL_FLAG, '--token-exchange-client-secret=a', `--token-exchange-client-secret-file=${full}`], /both/],
      [[URL_FLAG, `--token-exchange-client-secret-file=${empty}`], /--token-exchange-client-secret-file/],
      [[URL_FLAG, '--token-exchange-client-secret-file=nowhere.txt'], /nowhere\.txt/],
      [[URL_FLAG, '--token-exchange-header-name=Host'], /--token-exchange-header-name/],
      [[URL_FLAG, '--token-exchange-subject-token-type=saml2'], /--token-exchange-subject-token-type/],
      [[URL_FLAG, '--token-exchange-scopes=a b'], /--token-exchange-scopes/],
    ];
    for (const [flags, says] of faults) {
      const { status, stderr } = await bench.run('http', 'faulty', ...flags);
      expect([status, stderr.match(says) === null ? stderr : ''], flags.join(' ')).to.deep.equal([2, '']);
    }
    const stdio = await bench.run('stdio', 'faulty', URL_FLAG);
    expect(stdio.status).to.equal(2);
    expect(stdio.stderr).to.include('a server on standard input and output');
    const file = await bench.write(
      'stdio.json',
      JSON.stringify({
        name: 'faulty',
        image: 'acme/everything:1',
        transport: 'stdio',
        token_exchange_config: { token_url: 'https://id.example/token' },
      }),
    );
    expect((await bench.portolan('run', '--trust', '--from-config', file)).status).to.equal(2);
    expect((await bench.portolan('list', '--all', '--format', 'json')).stdout).to.equal('[]\n');
  });
});
