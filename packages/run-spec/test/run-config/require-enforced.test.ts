import { expect } from 'chai';
import { formatRunConfig } from '../../src/run-config/format-run-config.ts';
import { middlewareOf } from '../../src/run-config/middleware-of.ts';
import { parseRunConfig } from '../../src/run-config/parse-run-config.ts';
import { noteWithoutEffect, requireEnforced } from '../../src/run-config/require-enforced.ts';
import type { RunConfig } from '../../src/run-config/run-config.ts';
import { caught } from '../../../../test/support/caught.ts';

const configOf = (document: object): RunConfig =>
  parseRunConfig(JSON.stringify({ image: 'nginx', name: 'w', ...document }), 'w.json').config;

describe('requireEnforced', () => {
  const protections: readonly (readonly [field: string, document: object])[] = [
    ['audit_config_path', { audit_config_path: '/etc/audit.json' }],
    ['embedded_auth_server_config', { embedded_auth_server_config: { issuer: 'https://id.acme.example' } }],
  ];
  for (const [field, document] of protections) {
    it(`rejects ${JSON.stringify(document).slice(0, 60)}`, async () => {
      const error = await caught(() => requireEnforced(configOf(document)));
      expect(error.code).to.equal('ERR_RUN_CONFIG_PROTECTION');
      expect(error.message).to.include(`${field} (`).and.not.to.include('hunter2');
    });
  }

  it('rejects policies of a file path alone, because another host may have another file there', async () => {
    const error = await caught(() => configOf({ authz_config_path: '/etc/authz.yaml' }));
    expect(error.code).to.equal('ERR_RUN_CONFIG');
    expect(error.message).to.include('authz_config_path: found a file alone');
  });

  it('accepts the fields that other tools write for every workload', () => {
    requireEnforced(
      configOf({
        oidc_config: { ResourceURL: '', Scopes: ['openid'] },
        remote_auth_config: { use_pkce: true, callback_port: 8666, scopes: [] },
        authz_config: null,
        audit_config: {},
        audit_config_path: '/etc/audit.json',
        tools_filter: [],
        tools_override: {},
        middleware_configs: [{ type: 'auth', parameters: {} }, { type: 'mcp-parser' }, { type: 'recovery' }],
      }),
    );
  });
});

describe('noteWithoutEffect', () => {
  it('names fields that are kept without an effect', () => {
    const config = configOf({
      scaling_config: { a: 1 },
      mcpserver_generation: 7,
    });
    const notes = noteWithoutEffect(config);
    expect(notes.map((note) => / field (\S+) /.exec(note)?.[1])).to.have.members([
      'scaling_config',
      'mcpserver_generation',
    ]);
    expect(noteWithoutEffect(configOf({}))).to.deep.equal([]);
  });
});

describe('parseRunConfig of a middleware chain', () => {
  const chain = (...types: readonly unknown[]): object => ({ middleware_configs: types });

  it('rejects a protection that only the middleware chain sets', async () => {
    for (const middleware of [
      { type: 'authorization', parameters: {} },
      { type: 'tool-filter', parameters: { filter_tools: ['a'] } },
      { type: 'auth', parameters: { oidc_config: { issuer: 'https://id.acme.example' } } },
      { type: 'auth', parameters: { oidc_config: { IntrospectionURL: 'https://id.acme.example/i' } } },
    ]) {
      const aside = { oidc_config: { ResourceURL: 'https://mcp.acme.example', Scopes: ['openid'] } };
      const error = await caught(() => configOf({ ...chain({ type: 'mcp-parser' }, middleware), ...aside }));
      expect(error.code).to.equal('ERR_RUN_CONFIG');
      expect(error.message).to.include('middleware_configs[1]').and.to.include(middleware.type);
    }
  });

  it('reads settings that other tools write only into the chain, and no others', () => {
    const bucket = { maxTokens: 1, refillPeriod: '1m0s' };
    const limits = { type: 'ratelimit', parameters: { config: { perUser: bucket } } };
    expect(configOf(chain(limits)).rate_limit_config).to.deep.equal({ perUser: bucket });
    const own = { rate_limit_config: { global: bucket } };
    expect(configOf({ ...chain(limits), ...own }).rate_limit_config).to.deep.equal({ global: bucket });
    const settings = { token_url: 'https://id.acme.example/token' };
    const exchange = { type: 'tokenexchange', parameters: { token_exchange_config: settings } };
    expect(configOf(chain(exchange)).token_exchange_config).to.deep.equal(settings);
  });

  it('rejects middleware without its settings, and shows no setting', async () => {
    const exchange = { type: 'tokenexchange', parameters: { client_secret: 'hunter2' } };
    const error = await caught(() => configOf(chain(exchange)));
    expect(error.code).to.equal('ERR_RUN_CONFIG');
    expect(error.message)
      .to.include('middleware_configs[0]: found tokenexchange')
      .and.to.include('token_exchange_config')
      .and.not.to.include('hunter2');
  });

  it('keeps additional middleware, whose kinds only plugins know', () => {
    const additional = [{ type: 'custom', parameters: { word: 'a' } }, { type: 'plain' }];
    const config = configOf({ additional_middleware_configs: additional });
    expect(middlewareOf(config)).to.deep.equal([
      { type: 'custom', parameters: { word: 'a' }, place: 'additional_middleware_configs[0].parameters' },
      { type: 'plain', parameters: undefined, place: 'additional_middleware_configs[1].parameters' },
    ]);
    const written = formatRunConfig(config);
    expect(JSON.parse(written)).to.deep.include({ additional_middleware_configs: additional });
    expect(configOf({ additional_middleware_configs: [] }).name).to.equal('w');
  });

  it('rejects additional middleware without a kind, and shows no setting', async () => {
    for (const item of [
      { type: 7, parameters: { secret: 'hunter2' } },
      { parameters: { secret: 'hunter2' } },
      { type: 'custom', parameters: 'hunter2' },
      { type: 'custom', Parameters: { secret: 'hunter2' } },
      'hunter2',
    ]) {
      const error = await caught(() => configOf({ additional_middleware_configs: [item] }));
      expect(error.code).to.equal('ERR_RUN_CONFIG');
      expect(error.message)
        .to.include('additional_middleware_configs[0]')
        .and.to.match(/expected/)
        .and.not.to.include('hunter2');
    }
  });

  it('rejects a chain that is not a list', async () => {
    for (const field of ['middleware_configs', 'additional_middleware_configs'])
      for (const chained of [
        { type: 'authorization' },
        { '0': { type: 'authorization' } },
        'authorization',
        7,
      ]) {
        const error = await caught(() => configOf({ [field]: chained }));
        expect(error.code).to.equal('ERR_RUN_CONFIG');
        expect(error.message).to.include(`${field}: found`).and.to.include('expected a list');
      }
    expect(configOf({ middleware_configs: null, additional_middleware_configs: null }).name).to.equal('w');
  });

  it('accepts a chain that repeats the fields', () => {
    const config = configOf({ ...chain({ type: 'authorization' }), authz_config: { version: '1.0' } });
    expect(config.authz_config).to.deep.include({ version: '1.0' });
  });

  it('rejects unknown middleware, including names of object members', async () => {
    for (const type of ['constructor', '__proto__', 'toString', 'guard', '', 7, undefined]) {
      const error = await caught(() => configOf(chain({ type, parameters: { secret: 'hunter2' } })));
      expect(error.code).to.equal('ERR_RUN_CONFIG');
      expect(error.message).to.include('middleware_configs[0]: found').and.not.to.include('hunter2');
    }
  });

  it('rejects middleware that changes the outgoing identity and that only the chain sets', async () => {
    const oidc_config = { issuer: 'https://id.acme.example' };
    for (const middleware of [
      { type: 'upstreamswap', parameters: { config: {} } },
      { type: 'awssts', parameters: { aws_sts_config: { region: 'eu-west-1' } } },
      { type: 'obo', parameters: null },
    ]) {
      const error = await caught(() => configOf({ ...chain(middleware), oidc_config }));
      expect(error.code).to.equal('ERR_RUN_CONFIG');
      expect(error.message).to.include(`middleware_configs[0]: found ${middleware.type}`);
    }
  });

  it('reads strip-auth only together with oidc_config', async () => {
    const strip = chain({ type: 'strip-auth' });
    const error = await caught(() => configOf(strip));
    expect(error.message).to.include('found strip-auth; expected oidc_config beside it');
    const oidc_config = { issuer: 'https://id.acme.example' };
    expect(configOf({ ...strip, oidc_config }).oidc_config).to.include({ Issuer: oidc_config.issuer });
  });

  it('rejects shared rate limits without their store', async () => {
    const config = { global: { maxTokens: 1, refillPeriod: '1m0s' } };
    const shared = (more: object): object => chain({ type: 'ratelimit', parameters: { config, ...more } });
    for (const more of [
      { redis_addr: 'redis:6379', redis_db: 0 },
      { redis_db: 2 },
      { Redis_Addr: 'redis' },
    ]) {
      for (const beside of [{}, { rate_limit_config: config }]) {
        const error = await caught(() => configOf({ ...shared(more), ...beside }));
        expect(error.code).to.equal('ERR_RUN_CONFIG');
        expect(error.message).to.include('middleware_configs[0]: found ratelimit with redis_');
      }
    }
    const redis = { address: 'redis://redis:6379/2' };
    const said = {
      ...shared({ redis_addr: 'redis:6379', redis_db: 2 }),
      rate_limit_config: { ...config, redis },
    };
    expect(configOf(said).rate_limit_config).to.deep.include({ redis });
    expect(configOf(shared({ redis_addr: '', redis_db: 0 })).rate_limit_config).to.deep.equal(config);
  });

  it('rejects protection in another letter case', async () => {
    const parameters = { OIDC_Config: { issuer: 'https://id.acme.example' } };
    for (const middleware of [
      { type: 'auth', Parameters: parameters },
      { Type: 'auth', parameters },
    ]) {
      const error = await caught(() => configOf(chain(middleware)));
      expect(error.code).to.equal('ERR_RUN_CONFIG');
    }
  });

  it('notes which parts of the chain have an effect', () => {
    const notesOf = (document: object): readonly string[] =>
      parseRunConfig(JSON.stringify({ image: 'nginx', name: 'w', ...document }), 'w.json').notes;
    const limits = { type: 'ratelimit', parameters: { config: { global: {} } } };
    expect(notesOf(chain({ type: 'recovery' }))).to.deep.equal([
      'The field middleware_configs does not count: the other fields say the same.',
    ]);
    expect(notesOf(chain(limits))).to.deep.equal([
      'The field middleware_configs counts for rate_limit_config alone: the other fields say the rest.',
    ]);
  });
});

describe('parseRunConfig of names in another letter case', () => {
  for (const name of [
    'Authz_Config',
    'OIDC_CONFIG',
    'Middleware_Configs',
    'Isolate_Network',
    'tool\u017f_filter',
  ]) {
    it(`rejects ${name}, which other tools accept`, async () => {
      const error = await caught(() => configOf({ [name]: null }));
      expect(error.code).to.equal('ERR_RUN_CONFIG');
      expect(error.message).to.include('found other capitals; expected ').and.to.include(name);
    });
  }
});

describe('middlewareOf', () => {
  it('treats null as empty or absent', () => {
    const config = configOf({
      authz_config: { type: 'cedarv1', cedar: { policies: ['permit(all);'], multi_valued_claims: null } },
      audit_config: { eventTypes: null, excludeEventTypes: null },
      rate_limit_config: { perUser: null, tools: [{ name: 'a', global: null }, null] },
      token_exchange_config: { scopes: null },
    });
    expect(middlewareOf(config).map(({ parameters }) => parameters)).to.deep.equal([
      {},
      { type: 'cedarv1', cedar: { policies: ['permit(all);'] } },
      { tools: [{ name: 'a' }, null] },
      {},
    ]);
  });

  it('leaves the settings of additional kinds unchanged', () => {
    const parameters = { word: null };
    const added = configOf({ additional_middleware_configs: [{ type: 'custom', parameters }] });
    expect(middlewareOf(added)[0]?.parameters).to.deep.equal(parameters);
  });
});
