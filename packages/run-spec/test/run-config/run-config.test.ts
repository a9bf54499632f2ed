import { expect } from 'chai';
import fc from 'fast-check';
import { hasControlCharacters } from '../../src/parse/text-faults.ts';
import { parsePermissionProfile } from '../../src/permissions/parse-permission-profile.ts';
import { formatRunConfig } from '../../src/run-config/format-run-config.ts';
import { runConfigDocument } from '../../src/run-config/run-config-document.ts';
import { findClearSecrets, liftSecrets } from '../../src/run-config/lift-secrets.ts';
import { parseRunConfig } from '../../src/run-config/parse-run-config.ts';
import { createRunConfig, RUN_CONFIG_FIELDS, type RunConfig } from '../../src/run-config/run-config.ts';
import { caught } from '../../../../test/support/caught.ts';

/** A document as the reference writes it. */
const WEATHER = `{
  "schema_version": "v0.1.0",
  "image": "ghcr.io/acme/weather-mcp:1.4.0",
  "name": "weather",
  "container_name": "weather",
  "base_name": "weather",
  "transport": "stdio",
  "proxy_mode": "streamable-http",
  "host": "127.0.0.1",
  "port": 18432,
  "cmd_args": ["--units", "metric"],
  "env_vars": { "MCP_TRANSPORT": "stdio", "REGION": "eu" },
  "secrets": ["weather-key,target=API_KEY"],
  "permission_profile": {
    "name": "network",
    "network": { "outbound": { "insecure_allow_all": true } }
  },
  "isolate_network": true,
  "group": "default",
  "ignore_config": { "LoadGlobal": true, "PrintOverlays": false },
  "tools_filter": ["forecast"],
  "session_ttl": "45m0s"
}
`;
const read = (document: object): ReturnType<typeof parseRunConfig> =>
  parseRunConfig(JSON.stringify({ image: 'nginx', name: 'w', transport: 'stdio', ...document }), 'w.json');
const configOf = (document: object): RunConfig => read(document).config;

describe('parseRunConfig', () => {
  it('parses the document of another tool, and formats it back', () => {
    const { config, notes } = parseRunConfig(WEATHER, 'weather.json');
    expect(notes).to.deep.equal([]);
    expect(config).to.include({ name: 'weather', port: 18_432, isolate_network: true, session_ttl: '45m0s' });
    expect(config.env_vars).to.deep.equal({ MCP_TRANSPORT: 'stdio', REGION: 'eu' });
    expect(JSON.parse(formatRunConfig(config))).to.deep.equal(JSON.parse(WEATHER));
  });

  it('sets defaults, and isolates a container without a setting', () => {
    const { config } = parseRunConfig('{"image":"nginx"}', 'w.json');
    expect(config).to.deep.equal(createRunConfig({ image: 'nginx', isolate_network: true }));
    const remote = parseRunConfig('{"remote_url":"https://mcp.acme.example"}', 'w.json').config;
    expect(remote.isolate_network, 'a remote server has no container').to.equal(false);
  });

  it('treats null as absent', () => {
    const nulls = Object.fromEntries(Object.keys(RUN_CONFIG_FIELDS).map((key) => [key, null]));
    const { config } = parseRunConfig(JSON.stringify({ ...nulls, image: 'nginx' }), 'w.json');
    expect(config).to.deep.equal(createRunConfig({ image: 'nginx', isolate_network: true }));
  });

  const normalized = [
    {
      title: 'an empty proxy mode of stdio',
      document: { proxy_mode: '' },
      key: 'proxy_mode',
      expected: 'streamable-http',
    },
    {
      title: 'the proxy mode sse of stdio',
      document: { proxy_mode: 'sse' },
      key: 'proxy_mode',
      expected: 'sse',
    },
    {
      title: 'a proxy mode of sse',
      document: { transport: 'sse', proxy_mode: 'streamable-http' },
      key: 'proxy_mode',
      expected: 'sse',
    },
    {
      title: 'isolation of the host network',
      document: { isolate_network: true, permission_profile: { network: { mode: 'host' } } },
      key: 'isolate_network',
      expected: false,
    },
    {
      title: 'isolation of a bridge',
      document: { isolate_network: true, permission_profile: { network: { mode: 'bridge' } } },
      key: 'isolate_network',
      expected: true,
    },
  ] as const;
  for (const { title, document, key, expected } of normalized) {
    it(`normalizes ${title}`, () => {
      expect(configOf(document)[key]).to.equal(expected);
    });
  }

  it('parses oidc_config in any letter case', () => {
    const { oidc_config: oidc } = configOf({
      oidc_config: {
        issuer: 'https://id.acme.example',
        jwksurl: 'https://id.acme.example/keys',
        SCOPES: ['a'],
      },
    });
    expect(oidc).to.include({ Issuer: 'https://id.acme.example', JWKSURL: 'https://id.acme.example/keys' });
    expect(oidc?.Scopes).to.deep.equal(['a']);
  });

  it('parses the older layout of remote_auth_config', () => {
    const address = 'https://id.acme.example/x';
    const auth = { ClientID: 'a', AuthorizeURL: address, TokenURL: address, SkipBrowser: true, Odd: 1 };
    const { remote_auth_config: modern } = configOf({ remote_auth_config: auth });
    const known = { client_id: 'a', authorize_url: address, token_url: address, skip_browser: true };
    expect({ ...modern }).to.deep.equal({ ...known, Odd: 1 });
  });

  it('accepts the target host of a remote server with a port, as other tools write it', () => {
    const remote = { image: '', transport: 'sse', remote_url: 'https://api.acme.example:8443/sse' };
    const target_host = 'api.acme.example:8443';
    expect(configOf({ ...remote, target_host }).target_host).to.equal(target_host);
  });

  it('accepts the URL of a remote server as its image, as other tools write it', () => {
    const url = 'https://api.acme.example:8443/mcp?key=a';
    expect(configOf({ image: url, remote_url: url })).to.include({ image: '', remote_url: url });
    expect(
      configOf({ image: 'https://api.acme.example', remote_url: 'https://api.acme.example/' }).image,
    ).to.equal('');
  });

  it('rejects another URL as an image', async () => {
    for (const image of ['https://other.acme.example/mcp', 'https://api.acme.example/mcp']) {
      const remote_url = image.includes('other') ? 'https://api.acme.example/mcp' : '';
      const error = await caught(() => read({ image, remote_url }));
      expect(error.message).to.include('expected an image reference');
    }
  });

  it('omits labels by which another tool would claim the containers', () => {
    const container_labels = { toolhive: 'true', 'toolhive-name': 'w', 'Toolhive-port': '80', team: 'a' };
    const { config, notes } = read({ container_labels });
    expect(config.container_labels).to.deep.equal({ team: 'a' });
    expect(notes.join()).to.include('toolhive, toolhive-name, Toolhive-port');
    expect(formatRunConfig(config)).not.to.match(/toolhive/i);
  });

  it('keeps fields that only clusters use', () => {
    const kept = { rate_limit_config: { a: [1, { b: null }] }, scaling_config: {}, mcpserver_generation: 7 };
    expect(JSON.parse(formatRunConfig(configOf(kept)))).to.deep.include(kept);
  });

  it('omits the middleware chain and unknown fields, with a note for each', () => {
    const { config, notes } = read({
      middleware_configs: [{ type: 'auth', parameters: { client_secret: 'hunter2' } }],
      brand_new: 1,
    });
    expect(JSON.stringify(config)).not.to.include('hunter2');
    expect(notes.join())
      .to.include('brand_new')
      .and.to.include('middleware_configs')
      .and.not.to.include('hunter2');
  });

  it('rejects unknown versions', async () => {
    for (const version of ['', 'v0.1.0', null]) {
      expect(read({ schema_version: version }).notes).to.deep.equal([]);
    }
    for (const version of ['v0.2.0', 'v1.0.0', 'two', 2]) {
      const error = await caught(() => read({ schema_version: version }));
      expect(error.code).to.equal('ERR_RUN_CONFIG');
    }
  });

  const bad = [
    { title: 'neither image nor remote URL', document: { image: '' }, says: 'nothing to run' },
    { title: 'an invalid image', document: { image: '--privileged' }, says: 'image:' },
    {
      title: 'a string instead of a port',
      document: { port: '80' },
      says: 'port: found "80"; expected a whole number',
    },
    { title: 'a port above the maximum', document: { port: 65_536 }, says: 'port:' },
    { title: 'a fractional port', document: { port: 80.5 }, says: 'port:' },
    { title: 'a list instead of a string', document: { name: [] }, says: 'name: found a list' },
    { title: 'a name with a path', document: { name: '../../etc/passwd' }, says: 'name:' },
    { title: 'an invalid transport', document: { transport: 'carrier pigeon' }, says: 'transport:' },
    { title: 'an invalid volume', document: { volumes: ['/a:/b', '/a'] }, says: 'volumes[1]' },
    { title: 'an invalid port mapping', document: { publish: ['x'] }, says: 'publish[0]' },
    { title: 'a secret instead of a reference', document: { secrets: ['hunter2'] }, says: 'secrets[0]' },
    { title: 'a variable that is not a string', document: { env_vars: { A: 1 } }, says: 'env_vars.A' },
    { title: 'a variable without a name', document: { env_vars: { '': 'x' } }, says: 'env_vars' },
    { title: 'a duration without unit', document: { session_ttl: '45' }, says: 'session_ttl' },
    {
      title: 'a session store with a password in its address',
      document: { session_store: 'redis://u:hunter2@h' },
      says: 'session_store:',
    },
    {
      title: 'a session store with a stateless server',
      document: { session_store: 'redis://h', transport: 'streamable-http', stateless: true },
      says: 'session_store:',
    },
    {
      title: 'a session store with a stdio server',
      document: { session_store: 'redis://h', transport: 'stdio' },
      says: 'session_store:',
    },
    {
      title: 'a password instead of a reference',
      document: { session_store_password: 'hunter2' },
      says: 'session_store_password:',
    },
    { title: 'too many sessions', document: { max_sessions: 10_001 }, says: 'max_sessions' },
    { title: 'a negative number of sessions', document: { max_sessions: -1 }, says: 'max_sessions' },
    { title: 'a negative duration', document: { session_ttl: '-1s' }, says: 'session_ttl' },
    {
      title: 'an idle time below one second',
      document: { stop_after_idle: '900ms' },
      says: 'stop_after_idle',
    },
    { title: 'an unknown start', document: { start: 'later' }, says: 'start' },
    {
      title: 'a lazy start of a remote server',
      document: { start: 'lazy', image: '', remote_url: 'https://mcp.example/mcp' },
      says: 'start:',
    },
    {
      title: 'an idle time with a session store',
      document: { stop_after_idle: '10m', session_store: 'redis://h', transport: 'streamable-http' },
      says: 'stop_after_idle:',
    },
    {
      title: 'an idle time of a remote server',
      document: { stop_after_idle: '10m', image: '', remote_url: 'https://mcp.example/mcp' },
      says: 'stop_after_idle:',
    },
    {
      title: 'a URL with a password',
      document: { remote_url: 'https://a:hunter2@b.example' },
      says: 'remote_url',
    },
    { title: 'a URL of another scheme', document: { remote_url: 'file:///etc' }, says: 'remote_url' },
    {
      title: 'a restricted header',
      document: { header_forward: { add_plaintext_headers: { Host: 'hunter2' } } },
      says: 'header "Host"',
    },
    {
      title: 'an invalid profile',
      document: { permission_profile: { read: 1 } },
      says: 'permission_profile.read',
    },
    { title: 'a prefix without a slash', document: { endpoint_prefix: 'a' }, says: 'endpoint_prefix' },
    {
      title: 'a prefix that is invalid in a URL',
      document: { endpoint_prefix: '/ü' },
      says: 'endpoint_prefix',
    },
  ];
  for (const { title, document, says } of bad) {
    it(`rejects ${title}`, async () => {
      const error = await caught(() => read(document));
      expect(error.code).to.equal('ERR_RUN_CONFIG');
      expect(error.message).to.include('w.json').and.to.include(says).and.not.to.include('hunter2');
    });
  }

  it('reports all problems at once', async () => {
    const { message } = await caught(() => read({ port: 'a', group: 'A B', volumes: ['x'] }));
    expect(message.split('\n')).to.have.lengthOf(4);
  });

  for (const text of ['', '{', '[]', 'null', '"x"', '{"image": "nginx", "x": hunter2}']) {
    it(`rejects ${JSON.stringify(text)} without showing it`, async () => {
      const error = await caught(() => parseRunConfig(text, 'w.json'));
      expect(error.code).to.equal('ERR_RUN_CONFIG');
      expect(error.message).not.to.include('hunter2');
    });
  }

  it('ignores a key named __proto__', () => {
    const { config } = parseRunConfig(
      '{"image":"nginx","__proto__":{"name":"x"},"env_vars":{"__proto__":"y"}}',
      'w.json',
    );
    expect(config.name).to.equal('');
    expect(formatRunConfig(config)).to.include('"__proto__": "y"');
  });
});

const key = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/);
const object = fc.option(fc.dictionary(key, fc.jsonValue()), { nil: undefined });
const word = fc.stringMatching(/^[a-z0-9]{1,8}$/);
const anyConfig: fc.Arbitrary<RunConfig> = fc
  .record({
    image: fc.constantFrom('nginx', 'ghcr.io/acme/x:1'),
    name: word,
    transport: fc.constantFrom('stdio', 'sse', 'streamable-http'),
    port: fc.integer({ min: 0, max: 65_535 }),
    cmd_args: fc.array(fc.string()),
    env_vars: fc.dictionary(
      key,
      fc.string().filter((text) => !text.includes('\0')),
    ),
    secrets: fc.array(word.map((name) => `${name},target=${name.toUpperCase()}`)),
    volumes: fc.array(word.map((name) => `/${name}:/${name}:ro`)),
    isolate_network: fc.boolean(),
    stateless: fc.boolean(),
    max_sessions: fc.integer({ min: 0, max: 10_000 }),
    container_labels: fc.dictionary(key, word),
    permission_profile: fc.option(
      fc
        .record(
          {
            name: word,
            read: fc.array(word.map((name) => `/${name}`)),
            network: fc.record(
              {
                mode: fc.constantFrom('bridge', 'host', 'mine'),
                outbound: fc.record({
                  insecure_allow_all: fc.boolean(),
                  allow_host: fc.array(word.map((name) => `.${name}.example`)),
                  allow_port: fc.array(fc.integer({ min: 1, max: 65_535 })),
                }),
              },
              { requiredKeys: [] },
            ),
          },
          { requiredKeys: [] },
        )
        .map((profile) => parsePermissionProfile(profile, 'p', 'refused')),
      { nil: undefined },
    ),
    ignore_config: fc.option(fc.record({ LoadGlobal: fc.boolean(), PrintOverlays: fc.boolean() }), {
      nil: undefined,
    }),
    runtime_config: fc.option(
      fc.record({
        builder_image: fc.constantFrom('', 'node:24'),
        additional_packages: fc.array(word),
        build_with: fc.array(word),
        runtime_env: fc.dictionary(fc.stringMatching(/^X_[A-Z0-9_]{0,8}$/), word),
      }),
      { nil: undefined },
    ),
    tools_override: fc.dictionary(key, fc.record({ name: word }, { requiredKeys: [] })),
    audit_config: object,
    authz_config: object,
    scaling_config: object,
    validating_webhooks: fc.uniqueArray(
      fc.record(
        {
          name: word.filter((name) => name !== ''),
          url: fc.constant('https://policy.acme.example/ask'),
          failure_policy: fc.constantFrom('fail', 'ignore'),
          timeout: fc.integer({ min: 1e9, max: 30e9 }),
          tls_config: fc.record(
            { ca_bundle_path: fc.constant('/etc/ca.pem'), insecure_skip_verify: fc.constant(true) },
            { requiredKeys: [] },
          ),
          hmac_secret_ref: fc.constantFrom('/etc/key', 'key,target=webhook_hmac'),
          compat: fc.constant(true as const),
        },
        { requiredKeys: ['name', 'url', 'failure_policy'] },
      ),
      { selector: ({ name }) => name, maxLength: 3 },
    ),
  })
  .map((fields) => parseRunConfig(JSON.stringify(runConfigDocument(createRunConfig(fields))), 'x').config);

describe('formatRunConfig', () => {
  it('writes a document that parseRunConfig reads back', () => {
    fc.assert(
      fc.property(anyConfig, (config) => {
        const text = formatRunConfig(config);
        const again = parseRunConfig(text, 'x.json');
        expect(again.config).to.deep.equal(config);
        expect(again.notes).to.deep.equal([]);
        expect(formatRunConfig(again.config)).to.equal(text);
      }),
    );
  });

  it('indents by two spaces, and writes a final newline and all required fields', () => {
    const text = formatRunConfig(createRunConfig({ image: 'nginx' }));
    expect(text).to.equal(
      `${JSON.stringify({ schema_version: 'v0.1.0', image: 'nginx', name: '', transport: '', host: '', port: 0, permission_profile: null, isolate_network: false }, undefined, 2)}\n`,
    );
  });

  it('throws for a secret in plain text', async () => {
    const config = configOf({ remote_auth_config: { bearer_token: 'hunter2' } });
    const error = await caught(() => formatRunConfig(config));
    expect(error.code).to.equal('ERR_RUN_CONFIG_SECRET');
    expect(error.message).to.include('remote_auth_config.bearer_token').and.not.to.include('hunter2');
  });
});

describe('liftSecrets', () => {
  const secret = fc
    .string({ minLength: 12 })
    .map((text) => `S3cret!${text}`)
    .filter((text) => !text.includes(',') && !hasControlCharacters(text));

  it('replaces every secret of the document once by a reference', () => {
    fc.assert(
      fc.property(secret, word, (value, name) => {
        const config = createRunConfig({
          image: 'nginx',
          name,
          remote_auth_config: { client_id: 'id', client_secret: value, bearer_token: value },
          oidc_config: configOf({
            oidc_config: { Issuer: 'https://id.acme.example', ClientID: 'me', ClientSecret: value },
          }).oidc_config,
          token_exchange_config: { client_secret: value },
          telemetry_config: { endpoint: 'x', headers: { 'api-key': value } },
          header_forward: {
            add_plaintext_headers: { Authorization: value, 'X-Tenant': 'acme', 'X-My-Token': value },
            add_headers_from_secret: { 'X-Other': 'other' },
          },
        });
        const { config: lifted, secrets } = liftSecrets(config);
        expect(secrets).to.have.lengthOf(7);
        expect(secrets.every((one) => one.value === value)).to.equal(true);
        expect(new Set(secrets.map((one) => one.name)).size).to.equal(7);
        expect(formatRunConfig(lifted)).not.to.include(JSON.stringify(value).slice(1, -1));
        expect(liftSecrets(lifted)).to.deep.equal({ config: lifted, secrets: [] });
        expect(parseRunConfig(formatRunConfig(lifted), 'x').notes).to.deep.equal([]);
      }),
    );
  });

  it('names references like other tools', () => {
    const { config, secrets } = liftSecrets(
      configOf({ remote_auth_config: { client_secret: 'a', bearer_token: 'b' } }),
    );
    expect({ ...config.remote_auth_config }).to.deep.equal({
      client_secret: 'OAUTH_CLIENT_SECRET_w,target=oauth_secret',
      bearer_token: 'BEARER_TOKEN_w,target=bearer_token',
    });
    expect(secrets.map(({ name }) => name)).to.deep.equal(['OAUTH_CLIENT_SECRET_w', 'BEARER_TOKEN_w']);
  });

  it('leaves references and plain headers unchanged', () => {
    const config = configOf({
      remote_auth_config: { client_secret: 'mine,target=oauth_secret' },
      header_forward: { add_plaintext_headers: { 'X-Tenant': 'acme' } },
    });
    expect(findClearSecrets(config)).to.deep.equal([]);
  });
});
