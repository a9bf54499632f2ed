import { eventually } from '@portolan/plugin-testing';
import type { RunFlagName } from '@portolan/run-spec';
import { expect } from 'chai';
import { send } from '../../../../packages/proxy/test/support/http-client.ts';
import type { GuardedWorkload, SharedServers } from './guarded-workload.ts';
import type { Way } from './policy-bench.ts';
import { spanOfCall, hasSent, expectNeeded, askedOf, expectOpaque } from './seen-of-flags.ts';

/**
 * The workloads of each kind of server: one has all flags that go together, the other those that they
 * exclude.
 */
export type Which = 'all' | 'others';

/** How a test sees the effect of a flag. */
export interface FlagRow {
  /** Values of the flag, each passed as `--flag=value`. */
  readonly given: (
    around: SharedServers,
    of: { readonly way: Way; readonly which: Which; readonly name: string },
  ) => readonly string[];
  /** Workloads with the flag. The test checks the first. The default is `all`. */
  readonly of?: readonly Which[];
  /** Checks the effect from outside. */
  readonly seen: (workload: GuardedWorkload) => Promise<unknown>;
  /** Checks the effect after each workload with the flag was stopped. */
  readonly seenAfter?: (workload: GuardedWorkload, which: Which) => void;
  /** Kinds of server for which the flag is refused, with the reason. */
  readonly refused?: Partial<Readonly<Record<Way, string>>>;
}

const RESOURCE = 'https://mcp.acme.example/weather';
const NO_REQUESTS = 'its server gets messages, and no requests that could carry a token';
const LOOK = { id: 'look', method: 'tools/call', params: { name: 'look', arguments: {} } };
const LIST = { id: 'list', method: 'tools/list' };

const exchanging = (row: Omit<FlagRow, 'refused'>): FlagRow => ({ ...row, refused: { stdio: NO_REQUESTS } });
const BOTH = ['all', 'others'] as const;

const keysOf = ({ issuer }: SharedServers): string => `http://0.0.0.0:${new URL(issuer.issuerUrl).port}/jwks`;

/** Every flag about callers of a server, their permissions, and records of calls. */
export const FLAG_ROWS: Partial<Readonly<Record<RunFlagName, FlagRow>>> = {
  oidcIssuer: {
    of: BOTH,
    given: ({ issuer }) => [issuer.issuerUrl],
    seen: async (workload) => {
      const refused = await workload.begin(undefined);
      expect(refused.status).to.equal(401);
      expect(refused.headers['www-authenticate']).to.include(`realm="${workload.around.issuer.issuerUrl}"`);
      expect((await workload.begin(workload.token({ iss: 'https://other.example' }))).status).to.equal(401);
      expect((await workload.begin(workload.token())).status).to.equal(200);
    },
  },
  oidcAudience: {
    of: BOTH,
    given: () => ['weather'],
    seen: async (workload) => {
      expect((await workload.begin(workload.token({ aud: 'shop' }))).status).to.equal(401);
      expect((await workload.begin(workload.token({ aud: ['shop', 'weather'] }))).status).to.equal(200);
    },
  },
  oidcAllowedClient: {
    of: BOTH,
    given: () => ['planner'],
    seen: async (workload) => {
      const begin = async (claims: Readonly<Record<string, unknown>>): Promise<number> =>
        (await workload.begin(workload.token(claims))).status;
      expect(await begin({ client_id: 'planner' })).to.equal(200);
      expect(await begin({ client_id: 'shop' })).to.equal(401);
      expect(await begin({ client_id: undefined })).to.equal(401);
    },
  },
  oidcClientId: {
    given: () => ['proxy'],
    seen: async (workload) => {
      await expectOpaque(workload);
      const login = Buffer.from(
        String(workload.around.introspecting.requests.at(-1)?.authorization).slice(6),
        'base64',
      );
      expect(String(login)).to.match(/^proxy:/);
    },
  },
  oidcClientSecret: {
    given: () => ['hunter2'],
    seen: async (workload) => {
      await expectOpaque(workload);
      const login = Buffer.from(
        String(workload.around.introspecting.requests.at(-1)?.authorization).slice(6),
        'base64',
      );
      expect(String(login)).to.match(/:hunter2$/);
    },
  },
  oidcJwksUrl: {
    of: BOTH,
    given: (around) => [keysOf(around)],
    seen: async ({ around: { issuer } }) => {
      expect([issuer.count('jwks') > 0, issuer.count('discovery')]).to.deep.equal([true, 0]);
    },
  },
  oidcIntrospectionUrl: {
    given: ({ introspecting }) => [introspecting.introspectionUrl],
    seen: expectOpaque,
  },
  oidcScopes: {
    given: () => ['weather.read,weather.write'],
    seen: async (workload) => {
      expect((await workload.begin(undefined)).headers['www-authenticate']).to.include(
        'scope="weather.read weather.write"',
      );
    },
  },
  oidcInsecureAllowHttp: {
    of: BOTH,
    given: () => ['true'],
    seen: async (workload) => {
      const flags = [
        `--oidc-jwks-url=${keysOf(workload.around)}`,
        '--oidc-audience=weather',
        '--jwks-allow-private-ip',
      ];
      await expectNeeded(workload, flags, /https/);
    },
  },
  jwksAllowPrivateIp: {
    of: BOTH,
    given: () => ['true'],
    seen: async (workload) => {
      const flags = [
        `--oidc-jwks-url=${keysOf(workload.around)}`,
        '--oidc-audience=weather',
        '--oidc-insecure-allow-http',
      ];
      await expectNeeded(workload, flags, /--jwks-allow-private-ip/);
    },
  },
  jwksAuthTokenFile: {
    given: (around) => [around.path('token')],
    seen: async (workload) => {
      await workload.begin(workload.token());
      const keys = workload.around.issuer.requests.filter(({ endpoint }) => endpoint === 'jwks');
      expect(keys.map(({ authorization }) => authorization)).to.include('Bearer of-the-file');
    },
  },
  resourceUrl: {
    given: () => [RESOURCE],
    seen: async (workload) => {
      const metadata = new URL('/.well-known/oauth-protected-resource/weather', workload.url);
      expect((await send(metadata)).json.resource).to.equal(RESOURCE);
      const named = { Host: 'mcp.acme.example', Origin: 'https://mcp.acme.example' };
      expect((await workload.begin(workload.token(), named)).status).to.equal(200);
      expect((await workload.begin(workload.token(), { Host: 'other.example' })).status).to.equal(403);
    },
  },
  // Only this authority signs the certificate of the introspection endpoint.
  cliCaBundle: { given: (around) => [around.path('certificate.pem')], seen: expectOpaque },
  tools: {
    given: () => ['repeat,once', 'look'],
    seen: async (workload) => {
      const { answer } = await workload.call('secret');
      expect([answer.status, answer.json.error.code]).to.deep.equal([200, -32_602]);
      const { json } = await workload.post(LIST);
      expect(json.result.tools.map(({ name }: { name: string }) => name)).to.deep.equal(['repeat', 'once']);
    },
  },
  toolsOverride: {
    given: (around) => [around.path('override.json')],
    seen: async (workload) => {
      expect((await workload.call('repeat')).told?.name).to.equal('echo');
      expect((await workload.call('echo')).answer.json.error.code).to.equal(-32_602);
      const { json } = await workload.post(LIST);
      expect(json.result.tools[0]).to.include({ name: 'repeat', description: 'Says it again' });
    },
  },
  authzConfig: {
    given: (around) => [around.path('authz.json')],
    seen: async (workload) => {
      const denied = await workload.post(LOOK);
      expect([denied.status, denied.json.error.message]).to.deep.equal([200, 'Unauthorized']);
      const why = await workload.user.done('authz', 'why', denied.json.error.data.denialId);
      expect(why).to.include('look');
    },
  },
  webhookConfig: {
    given: (around) => [around.path('mutating.json'), around.path('validating.json')],
    seen: async (workload) => {
      const { told } = await workload.call('repeat', { message: 'ahoy' });
      expect(told?.arguments).to.deep.equal({ message: 'ahoy', stamp: 'acme' });
      const { answer } = await workload.call('repeat', { message: 'forbidden' });
      expect([answer.status, answer.json.error.message]).to.deep.equal([200, 'Request denied by policy']);
    },
  },
  rateLimitConfig: {
    given: (around) => [around.path('limits.json')],
    seen: async (workload) => {
      expect((await workload.call('once')).answer.status).to.equal(200);
      const { answer } = await workload.call('once');
      expect([answer.status, answer.json.error.message]).to.deep.equal([200, 'Rate limit exceeded']);
      expect(Number(answer.headers['retry-after'])).to.be.within(1, 3600);
    },
  },
  enableAudit: {
    of: ['others'],
    given: () => ['true'],
    seen: async (workload) => {
      await workload.call('repeat');
      await eventually(async () => {
        const log = await workload.user.done('logs', workload.name, '--proxy');
        expect(log).to.include('"msg":"audit_event"').and.to.include('"type":"mcp_tool_call"');
      });
    },
  },
  auditConfig: {
    given: (around, { way }) => [around.path(`audit-${way}.json`)],
    seen: async (workload) => {
      await workload.call('repeat');
      await eventually(async () => {
        const [line = ''] = (await workload.auditLines()).filter((one) => one.includes('"mcp_tool_call"'));
        expect(JSON.parse(line)).to.deep.include({
          component: `audited-${workload.way}`,
          msg: 'audit_event',
        });
      });
    },
  },
  otelEndpoint: {
    of: BOTH,
    given: ({ collector }) => [collector.address],
    seen: async (workload) => expect((await spanOfCall(workload)).name).to.equal('tools/call echo'),
  },
  // The collector of the tests has no TLS.
  otelInsecure: {
    of: BOTH,
    given: () => ['true'],
    seen: async (workload) => void (await spanOfCall(workload)),
  },
  otelHeaders: {
    of: BOTH,
    given: (_around, { name }) => [`X-From=${name}`],
    seen: async (workload) => {
      await spanOfCall(workload);
      expect(hasSent(workload, '/v1/traces')).to.equal(true);
    },
  },
  otelServiceName: {
    given: () => ['the-weather'],
    seen: async (workload) => {
      expect((await spanOfCall(workload)).resource['service.name']).to.equal('the-weather');
    },
  },
  otelCustomAttributes: {
    given: () => ['team=a,stage=prod'],
    seen: async (workload) => {
      expect((await spanOfCall(workload)).resource).to.include({ team: 'a', stage: 'prod' });
    },
  },
  otelEnvVars: {
    given: () => ['REGION,UNSET'],
    seen: async (workload) => {
      expect((await spanOfCall(workload)).attributes).to.include({
        'environment.REGION': 'north',
        'environment.UNSET': '',
      });
    },
  },
  otelTracingEnabled: {
    of: BOTH,
    given: (_around, { which }) => [String(which === 'all')],
    seen: async (workload) => void (await workload.call('repeat')),
    seenAfter: (workload, which) => expect(hasSent(workload, '/v1/traces')).to.equal(which === 'all'),
  },
  otelMetricsEnabled: {
    of: BOTH,
    given: (_around, { which }) => [String(which === 'others')],
    seen: async (workload) => void (await workload.call('repeat')),
    seenAfter: (workload, which) => expect(hasSent(workload, '/v1/metrics')).to.equal(which === 'others'),
  },
  otelSamplingRate: {
    of: BOTH,
    given: () => ['1.0'],
    seen: async (workload) => void (await spanOfCall(workload)),
  },
  otelEnablePrometheusMetricsPath: {
    given: () => ['true'],
    seen: async (workload) => {
      await workload.call('repeat');
      await eventually(async () => {
        const { text } = await send(new URL('/metrics', workload.url));
        expect(text).to.match(/portolan_mcp_tool_calls_total\{[^}]*tool="echo",status="success"\} [1-9]/);
      });
    },
  },
  otelUseLegacyAttributes: {
    given: () => ['false'],
    seen: async (workload) => {
      const { attributes } = await spanOfCall(workload);
      expect(attributes).to.include({ 'gen_ai.tool.name': 'echo' }).and.not.to.have.property('mcp.tool.name');
    },
  },
  tokenExchangeUrl: exchanging({
    of: BOTH,
    given: ({ endpoint }) => [endpoint.url],
    seen: async (workload) => {
      const { form } = await askedOf(workload);
      expect(form.get('subject_token')).to.match(/^ey.*\./);
      expect((await workload.call('repeat')).told?.upstream).to.equal(`Bearer for-${workload.name}`);
    },
  }),
  tokenExchangeAudience: exchanging({
    of: BOTH,
    given: (_around, { name }) => [name],
    seen: async (workload) => expect((await askedOf(workload)).form.get('audience')).to.equal(workload.name),
  }),
  tokenExchangeClientId: exchanging({
    of: BOTH,
    given: () => ['mcp-proxy'],
    seen: async (workload) => {
      const { authorization = '' } = await askedOf(workload);
      expect(String(Buffer.from(authorization.slice(6), 'base64'))).to.match(/^mcp-proxy:/);
    },
  }),
  tokenExchangeClientSecret: exchanging({
    given: () => ['hunter3'],
    seen: async (workload) => {
      const { authorization = '' } = await askedOf(workload);
      expect(String(Buffer.from(authorization.slice(6), 'base64'))).to.match(/:hunter3$/);
    },
  }),
  tokenExchangeClientSecretFile: exchanging({
    of: ['others'],
    given: (around) => [around.path('exchange-secret')],
    seen: async (workload) => {
      const { authorization = '' } = await askedOf(workload);
      expect(String(Buffer.from(authorization.slice(6), 'base64'))).to.match(/:swordfish$/);
      // Without its own header, the token of the caller is not forwarded.
      expect((await workload.call('repeat')).told?.authorization).to.equal(`Bearer for-${workload.name}`);
    },
  }),
  tokenExchangeHeaderName: exchanging({
    given: () => ['X-Upstream-Token'],
    seen: async (workload) => {
      const { told } = await workload.call('repeat');
      expect(told?.upstream).to.equal(`Bearer for-${workload.name}`);
      expect(told?.authorization).to.match(/^Bearer ey/);
    },
  }),
  tokenExchangeScopes: exchanging({
    given: () => ['a,b'],
    seen: async (workload) => expect((await askedOf(workload)).form.get('scope')).to.equal('a b'),
  }),
  tokenExchangeSubjectTokenType: exchanging({
    given: () => ['id_token'],
    seen: async (workload) =>
      expect((await askedOf(workload)).form.get('subject_token_type')).to.equal(
        'urn:ietf:params:oauth:token-type:id_token',
      ),
  }),
};
