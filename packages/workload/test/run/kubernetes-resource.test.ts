import { expect } from 'chai';
import type { JsonObject } from '@portolan/plugin-api';
import { createRunConfig, type RunConfig } from '@portolan/run-spec';
import { kubernetesResource } from '../../src/run/operations/export/kubernetes-resource.ts';
import { caught } from '../../../../test/support/caught.ts';

const HOOK = { name: 'h', url: 'https://hooks.acme.example', failure_policy: 'fail' };
const OIDC = {
  Issuer: 'https://id.acme.example',
  Audience: '',
  JWKSURL: '',
  ClientID: '',
  ClientSecret: '',
  CACertPath: '',
  AuthTokenFile: '',
  AllowPrivateIP: false,
  InsecureAllowHTTP: false,
  IntrospectionURL: '',
  ResourceURL: '',
  Scopes: [],
  AllowedClients: [],
};

/** A value of each field that restricts the workload or names who may use it. */
const PROTECTING: Readonly<Record<string, Partial<RunConfig>>> = {
  image_verification: { image_verification: 'enabled' },
  lock_file: { lock_file: '/srv/portolan.lock' },
  drift: { drift: 'refuse' },
  stdio_sessions: { stdio_sessions: 'own' },
  max_sessions: { max_sessions: 3 },
  target_path: { target_path: '/tools/mcp' },
  secrets: { secrets: ['a,target=A'] },
  inline_secrets: { inline_secrets: ['a,target=A'] },
  permission_profile: { permission_profile: {} },
  isolate_network: { isolate_network: true },
  ignore_config: { ignore_config: { LoadGlobal: true, PrintOverlays: false } },
  strict_protocol_validation: { strict_protocol_validation: true },
  translate_eras: { translate_eras: false },
  session_ttl: { session_ttl: '1m' },
  start: { start: 'lazy' },
  stop_after_idle: { stop_after_idle: '10m' },
  session_store: { session_store: 'redis://localhost:6379/0' },
  allowed_origins: { allowed_origins: ['https://acme.example'] },
  tools_filter: { tools_filter: ['a'] },
  tools_override: { tools_override: { a: { name: 'b' } } },
  oidc_config: { oidc_config: OIDC },
  token_exchange_config: { token_exchange_config: {} },
  header_forward: { header_forward: { add_plaintext_headers: { a: 'b' }, add_headers_from_secret: {} } },
  authz_config: { authz_config: { version: '1.0', type: 'httpv1', pdp: {} } },
  authz_config_path: { authz_config_path: '/a' },
  audit_config: { audit_config: {} },
  audit_config_path: { audit_config_path: '/a' },
  telemetry_config: { telemetry_config: { endpoint: 'localhost:4318', tracingEnabled: true } },
  validating_webhooks: { validating_webhooks: [HOOK] },
  mutating_webhooks: { mutating_webhooks: [HOOK] },
  additional_middleware_configs: { additional_middleware_configs: [{ type: 'custom' }] },
  k8s_pod_template_patch: { k8s_pod_template_patch: '{}' },
  upstream_swap_config: { upstream_swap_config: {} },
  aws_sts_config: { aws_sts_config: {} },
  rate_limit_config: { rate_limit_config: { global: { maxTokens: 1, refillPeriod: '1m' } } },
  embedded_auth_server_config: { embedded_auth_server_config: {} },
  scaling_config: { scaling_config: {} },
};

/** Fields that protect nothing. */
const OTHERS = [
  [
    'frozen',
    'schema_version',
    'image',
    'run_target',
    'ca_cert',
    'remote_url',
    'name',
    'container_name',
    'base_name',
  ],
  ['transport', 'proxy_mode', 'host', 'port', 'target_host', 'target_port', 'cmd_args', 'env_vars'],
  ['env_file_dir', 'volumes', 'publish', 'container_labels', 'permission_profile_name_or_path'],
  [
    'allow_docker_gateway',
    'group',
    'applied_by',
    'trust_proxy_headers',
    'stateless',
    'session_store_password',
  ],
  ['endpoint_prefix', 'remote_auth_config', 'remote_credentials', 'runtime_config', 'registry_api_url'],
  ['registry_url', 'registry_server_name', 'debug', 'thv_ca_bundle', 'jwks_auth_token_file'],
  ['mcpserver_generation', 'rate_limit_namespace'],
  ['members', 'member_group', 'members_file', 'search'],
].flat();

describe('kubernetesResource', () => {
  it('contains the fields that the ToolHive operator reads', () => {
    const { resource, warnings } = kubernetesResource(
      createRunConfig({
        name: 'Acme.Weather_1',
        image: 'ghcr.io/acme/weather:1',
        transport: 'stdio',
        proxy_mode: 'sse',
        port: 8123,
        cmd_args: ['--units'],
        env_vars: { REGION: 'eu' },
        secrets: ['weather-key,target=API_KEY'],
        volumes: ['/srv/notes:/data:ro'],
        permission_profile: { name: 'network' },
        authz_config: { type: 'cedarv1', cedar: { policies: ['permit(principal, action, resource);'] } },
        audit_config: {},
      }),
    );
    expect(resource).to.deep.equal({
      apiVersion: 'toolhive.stacklok.dev/v1beta1',
      kind: 'MCPServer',
      metadata: { name: 'acme-weather-1' },
      spec: {
        image: 'ghcr.io/acme/weather:1',
        transport: 'stdio',
        proxyMode: 'sse',
        args: ['--units'],
        proxyPort: 8123,
        env: [{ name: 'REGION', value: 'eu' }],
        volumes: [{ name: 'volume-0', hostPath: '/srv/notes', mountPath: '/data', readOnly: true }],
        permissionProfile: { type: 'builtin', name: 'none' },
        authzConfig: {
          type: 'inline',
          inline: { policies: ['permit(principal, action, resource);'], entitiesJson: '[]' },
        },
        audit: { enabled: true },
      },
    });
    expect(warnings.join('\n')).to.include('weather-key').and.not.include('API_KEY');
  });

  it('contains the proxy mode only for stdio, and the port of the server', () => {
    const { resource } = kubernetesResource(
      createRunConfig({ name: 'a', image: 'acme/a', transport: 'sse', proxy_mode: 'sse', target_port: 9000 }),
    );
    expect(resource['spec']).to.deep.equal({ image: 'acme/a', transport: 'sse', mcpPort: 9000 });
  });

  const BASE = { name: 'a', image: 'acme/a', transport: 'stdio', volumes: ['/srv/notes:/data'] } as const;

  it('warns about every protection that it leaves out', () => {
    const bare = kubernetesResource(createRunConfig(BASE));
    const silent = Object.keys(PROTECTING).filter((name) => {
      const { resource, warnings } = kubernetesResource(createRunConfig({ ...BASE, ...PROTECTING[name] }));
      const isHeld = JSON.stringify(resource) !== JSON.stringify(bare.resource);
      return !isHeld && warnings.length <= bare.warnings.length;
    });
    expect(silent).to.deep.equal([]);
  });

  it('knows every field of a run config', () => {
    const named = [...Object.keys(PROTECTING), ...OTHERS];
    expect(named).to.have.members(Object.keys(createRunConfig({})));
  });

  it('warns that authorization by an HTTP service is not exported', () => {
    const authz_config = { version: '1.0', type: 'httpv1', pdp: {}, cedar: { policies: ['permit(all);'] } };
    const { resource, warnings } = kubernetesResource(createRunConfig({ ...BASE, authz_config }));
    expect(resource['spec']).not.to.have.property('authzConfig');
    expect(warnings.join('\n')).to.include('authorization is not exported');
  });

  for (const [key, value] of Object.entries({
    group_claim_name: 'realm.groups',
    role_claim_name: 'roles',
    group_entity_type: 'Team',
    multi_valued_claims: ['scope'],
    list_tasks: true,
  })) {
    it(`warns about ${key}, which the policies lose`, () => {
      const cedar = { policies: ['permit(principal, action, resource);'], entities_json: '', [key]: value };
      const authz_config = { version: '1.0', type: 'cedarv1', cedar };
      const { warnings } = kubernetesResource(createRunConfig({ name: 'a', image: 'acme/a', authz_config }));
      expect(warnings).to.have.lengthOf(1);
      expect(warnings[0]).to.match(new RegExp(`: ${key}\\.$`));
    });
  }

  it('warns about the audit settings that it leaves out', () => {
    const warningsOf = (audit_config: JsonObject): readonly string[] =>
      kubernetesResource(createRunConfig({ name: 'a', image: 'acme/a', audit_config })).warnings;
    expect(warningsOf({ enabled: true, eventTypes: null, excludeEventTypes: [] })).to.deep.equal([]);
    expect(warningsOf({ detectApplicationErrors: false, logFile: '/a' })[0]).to.include(
      ': detectApplicationErrors, logFile.',
    );
  });

  it('gives no warning when it leaves nothing out', () => {
    expect(kubernetesResource(createRunConfig({ name: 'a', image: 'acme/a' })).warnings).to.deep.equal([]);
  });

  const refused = [
    { title: 'a remote server', fields: { remote_url: 'https://mcp.acme.example/mcp' } },
    { title: 'a workload without an image', fields: { run_target: 'npx://a' } },
  ];
  for (const { title, fields } of refused) {
    it(`rejects ${title}`, async () => {
      const error = await caught(() => kubernetesResource(createRunConfig({ name: 'a', ...fields })));
      expect(error).to.have.property('code', 'ERR_NOT_EXPORTABLE');
    });
  }
});
