import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { isPortolanError } from '@portolan/plugin-api';
import { parseMembersFile, readVmcpFile } from '../../src/members-file/parse-members-file.ts';

const FOLDER = new URL('vmcp-files/', import.meta.url);

async function read(name: string): Promise<string> {
  return readFile(new URL(name, FOLDER), 'utf8');
}

function problemsOf(text: string): readonly string[] {
  try {
    readVmcpFile(text, 'vmcp.yaml');
    return [];
  } catch (error) {
    if (!isPortolanError(error)) throw error;
    return error.message.split('\n  ').slice(1);
  }
}

const TWO = 'backends: [{ name: a, url: "http://h.example/mcp" }, { name: b, url: "http://h.example/b" }]';

describe('readVmcpFile', () => {
  it('readVmcpFile › reads the example of ToolHive', async () => {
    const file = readVmcpFile(await read('vmcp-config.yaml'), 'vmcp-config.yaml');
    expect(file).to.deep.include({
      format: 'vmcp',
      name: 'engineering-vmcp',
      memberGroup: 'engineering-team',
      search: undefined,
      members: {
        github: {
          workload: 'github',
          credentials: 'workload',
          forward_headers_secret: { Authorization: 'GITHUB_API_TOKEN' },
          tools: ['create_pr', 'merge_pr', 'list_issues'],
          override: {
            create_pr: { name: 'github_gh_create_pr', description: 'Create a GitHub pull request' },
          },
          timeout: '45s',
        },
        jira: {
          workload: 'jira',
          credentials: 'none',
          override: { create_issue: { name: 'jira_jira_create_issue', description: 'Create a Jira issue' } },
          timeout: '30s',
        },
      },
    });
    expect(file.fields.oidc_config).to.deep.include({
      Issuer: 'https://keycloak.example.com/realms/myrealm',
      ClientID: 'vmcp-client',
      ClientSecret: 'VMCP_CLIENT_SECRET,target=oidc_client_secret',
      Audience: 'vmcp',
      ResourceURL: 'http://localhost:4483/mcp',
      Scopes: ['openid', 'profile', 'email'],
    });
    expect(file.fields.authz_config).to.deep.include({ version: '1.0', type: 'cedarv1' });
    expect(file.fields.telemetry_config).to.deep.include({ endpoint: 'localhost:4317', samplingRate: '0.1' });
    expect(file.notes).to.deep.equal([
      'operational.failureHandling.healthCheckInterval has no effect: Portolan learns the state of a member from its calls and its connection.',
      'operational.failureHandling.unhealthyThreshold has no effect: Portolan learns the state of a member from its calls and its connection.',
      'operational.failureHandling.partialFailureMode has no effect: the other members stay available without a broken one.',
      'operational.failureHandling.circuitBreaker.timeout has no effect: the circuit breaker of each member opens after 5 failures in a row, for 1 s that doubles up to 60 s.',
      'outgoingAuth.backends.github.headerInjection.headerValueEnv: Portolan takes the value from the secret GITHUB_API_TOKEN; store it with `portolan secret set GITHUB_API_TOKEN`.',
      'operational.timeouts.default applies only to the workloads of the group that the file names.',
      'incomingAuth.oidc.clientSecretEnv: Portolan takes the value from the secret VMCP_CLIENT_SECRET; store it with `portolan secret set VMCP_CLIENT_SECRET`.',
    ]);
  });

  it('parseMembersFile › recognizes a file that `thv vmcp init` has written', async () => {
    const file = parseMembersFile(await read('vmcp-init.yaml'), 'vmcp-init.yaml');
    expect(file).to.deep.equal({
      format: 'vmcp',
      name: 'team-vmcp',
      group: undefined,
      members: {
        fetch: { url: 'http://127.0.0.1:21022/mcp', transport: 'streamable-http' },
        notes: { url: 'http://127.0.0.1:41190/sse#notes', transport: 'sse' },
      },
      memberGroup: undefined,
      search: undefined,
      fields: {},
      notes: ['groupRef has no effect: the file lists its backends.'],
    });
  });

  for (const [format, prefix] of [
    ['{workload}_', undefined],
    ['{workload}.', 'a.'],
    ['x-{workload}-', 'x-a-'],
  ] as const) {
    it(`readVmcpFile › forms the names of the prefix ${format}`, () => {
      const { members } = readVmcpFile(
        `{ aggregation: { conflictResolution: prefix, conflictResolutionConfig: { prefixFormat: "${format}" } }, ${TWO} }`,
        'vmcp.yaml',
      );
      expect(members['a']?.prefix).to.equal(prefix);
    });
  }

  it('readVmcpFile › orders members by priority, without a prefix, and says what differs', () => {
    const { members, notes } = readVmcpFile(
      `{ aggregation: { conflictResolution: priority, conflictResolutionConfig: { priorityOrder: [b] } }, ${TWO} }`,
      'vmcp.yaml',
    );
    expect(Object.entries(members).map(([name, { prefix }]) => [name, prefix])).to.deep.equal([
      ['b', false],
      ['a', false],
    ]);
    expect(notes.join('\n')).to.include('gives no member precedence').and.include('prompts have no prefix');
  });

  it('readVmcpFile › reads filters, overrides and hidden tools', () => {
    const { members } = readVmcpFile(
      `{ aggregation: { conflictResolution: manual, defaultToolVisibility: deny, tools: [
        { workload: a, filter: [find, get], overrides: { search: { name: find }, gone: { name: x } } } ] }, ${TWO} }`,
      'vmcp.yaml',
    );
    expect(members).to.deep.include({
      a: {
        url: 'http://h.example/mcp',
        tools: ['search', 'get'],
        override: { search: { name: 'find' } },
        prefix: false,
      },
      b: { url: 'http://h.example/b', tools: [], prefix: false },
    });
  });

  it('readVmcpFile › hides all tools', () => {
    const { members } = readVmcpFile(`{ aggregation: { excludeAllTools: true }, ${TWO} }`, 'vmcp.yaml');
    expect(Object.values(members).map(({ tools }) => tools)).to.deep.equal([[], []]);
  });

  it('readVmcpFile › reads a token exchange, headers, timeouts and search', () => {
    const { members, search, fields } = readVmcpFile(
      `
outgoingAuth:
  source: inline
  default: { type: header_injection, headerInjection: { headerName: X-Version, headerValue: v1 } }
  backends:
    a:
      type: token_exchange
      tokenExchange: { tokenUrl: "https://i.example/token", clientId: c, clientSecretEnv: SECRET, audience: a, scopes: [x], subjectTokenType: jwt }
passthroughHeaders: [X-Request-Id]
operational: { logLevel: debug, timeouts: { default: 20s, perWorkload: { a: 1m } } }
optimizer: { maxToolsToReturn: 8 }
sessionStorage: { provider: redis, address: "redis.example:6379", db: 2 }
rateLimiting: { shared: { maxTokens: 10, refillPeriod: 1m } }
audit: { component: x }
${TWO}
`,
      'vmcp.yaml',
    );
    expect(members).to.deep.equal({
      a: {
        url: 'http://h.example/mcp',
        credentials: 'exchange',
        token_exchange: {
          token_url: 'https://i.example/token',
          client_id: 'c',
          audience: 'a',
          subject_token_type: 'jwt',
          scopes: ['x'],
          client_secret: 'SECRET,target=token_exchange_client_secret',
        },
        pass_headers: ['X-Request-Id'],
        timeout: '1m',
      },
      b: {
        url: 'http://h.example/b',
        credentials: 'workload',
        forward_headers: { 'X-Version': 'v1' },
        pass_headers: ['X-Request-Id'],
        timeout: '20s',
      },
    });
    expect(search).to.deep.equal({ mode: 'always' });
    expect(fields).to.deep.equal({
      debug: true,
      audit_config: { component: 'x' },
      rate_limit_config: { shared: { maxTokens: 10, refillPeriod: '1m' } },
      session_store: 'redis://redis.example:6379/2',
    });
  });

  for (const [title, text, problem] of [
    [
      'composite tools',
      `{ compositeTools: [{ name: x }], ${TWO} }`,
      /^compositeTools: Portolan has no counterpart; /,
    ],
    [
      'references to composite tools',
      `{ compositeToolRefs: [{ name: x }], ${TWO} }`,
      /^compositeToolRefs: Portolan/,
    ],
    ['code mode', `{ codeMode: { enabled: true }, ${TWO} }`, /^codeMode: Portolan has no counterpart; /],
    [
      'embeddings',
      `{ optimizer: { embeddingService: "http://e" }, ${TWO} }`,
      /^optimizer\.embeddingService: Portolan/,
    ],
    [
      'a header of the embeddings',
      `{ optimizer: { embeddingHeaders: { A: b } }, ${TWO} }`,
      /^optimizer\.embeddingHeaders: /,
    ],
    [
      'another CA',
      `{ backends: [{ name: a, url: "https://h", type: entry, caBundlePath: /x }] }`,
      /^backends\[0\]\.caBundlePath: /,
    ],
    [
      'annotations',
      `{ aggregation: { tools: [{ workload: a, overrides: { x: { annotations: { title: t } } } }] }, ${TWO} }`,
      /^aggregation\.tools\[0\]\.overrides\.x\.annotations: /,
    ],
    [
      'a resource of tools',
      `{ aggregation: { tools: [{ workload: a, toolConfigRef: { name: x } }] }, ${TWO} }`,
      /^aggregation\.tools\[0\]\.toolConfigRef: /,
    ],
    [
      'tools of a backend that is not there',
      `{ aggregation: { tools: [{ workload: c }] }, ${TWO} }`,
      /^aggregation\.tools\[0\]: found "c"; expected the name of a backend/,
    ],
    [
      'a prefix without a separator',
      `{ aggregation: { conflictResolutionConfig: { prefixFormat: "{workload}" } }, ${TWO} }`,
      /^aggregation\.conflictResolutionConfig\.prefixFormat: /,
    ],
    [
      'another strategy',
      `{ aggregation: { conflictResolution: first }, ${TWO} }`,
      /^aggregation\.conflictResolution: found "first"; expected prefix, priority, manual/,
    ],
    ['discovered credentials', `{ outgoingAuth: { source: discovered }, ${TWO} }`, /^outgoingAuth\.source: /],
    [
      'upstream tokens',
      `{ outgoingAuth: { backends: { a: { type: upstream_inject } } }, ${TWO} }`,
      /^outgoingAuth\.backends\.a\.type: Portolan has no counterpart of upstream_inject; use `credentials: caller`/,
    ],
    ['AWS', `{ outgoingAuth: { default: { type: aws_sts } }, ${TWO} }`, /^outgoingAuth\.default\.type: /],
    [
      'credentials in plain text',
      `{ outgoingAuth: { default: { type: header_injection, headerInjection: { headerName: Authorization, headerValue: hunter2 } } }, ${TWO} }`,
      /^outgoingAuth\.default\.headerInjection\.headerValue: found a credential in plain text; /,
    ],
    [
      'a client secret in plain text',
      `{ outgoingAuth: { default: { type: token_exchange, tokenExchange: { tokenUrl: "https://i", clientSecret: hunter2 } } }, ${TWO} }`,
      /^outgoingAuth\.default\.tokenExchange\.clientSecret: Portolan/,
    ],
    [
      'a policy about an exposed name',
      `{ incomingAuth: { type: anonymous, authz: { type: cedar, policies: ['forbid(principal, action, resource == Tool::"a_x");'] } }, ${TWO} }`,
      /^incomingAuth\.authz\.policies\[0\]: found a policy about a tool or prompt by its exposed name/,
    ],
    [
      'claims of an upstream',
      `{ incomingAuth: { type: anonymous, authz: { type: cedar, policies: ['permit(principal, action, resource);'], primaryUpstreamProvider: x } }, ${TWO} }`,
      /^incomingAuth\.authz\.primaryUpstreamProvider: /,
    ],
    [
      'a passed credential',
      `{ passthroughHeaders: [Authorization], ${TWO} }`,
      /^passthroughHeaders\[0\]: "Authorization" is not passed/,
    ],
    ['limits of tools', `{ rateLimiting: { tools: [{ name: x }] }, ${TWO} }`, /^rateLimiting\.tools: /],
    [
      'prefixes of Redis',
      `{ sessionStorage: { provider: redis, address: "h:1", keyPrefix: x }, ${TWO} }`,
      /^sessionStorage\.keyPrefix: /,
    ],
    ['an unknown key', `{ bakends: [], ${TWO} }`, /^bakends: found an unknown key; did you mean backends\?/],
    [
      'an unknown key below',
      `{ operational: { timeout: {} }, ${TWO} }`,
      /^operational\.timeout: found an unknown key; did you mean timeouts\?/,
    ],
    [
      'nothing',
      'name: x\naggregation: {}',
      /^backends: found nothing; expected at least one backend, or groupRef/,
    ],
    [
      'a prefix for a group',
      '{ groupRef: g, aggregation: { conflictResolution: manual } }',
      /^aggregation\.conflictResolution: found a setting of all backends without backends/,
    ],
    [
      'headers for a group',
      '{ groupRef: g, passthroughHeaders: [X-A] }',
      /^passthroughHeaders: found a setting of all backends/,
    ],
    [
      'a resource of Kubernetes',
      'apiVersion: toolhive.stacklok.dev/v1beta1\nkind: VirtualMCPServer\nspec: {}',
      /^kind: found a resource of Kubernetes \(VirtualMCPServer\)/,
    ],
    [
      'a number as a name',
      '{ backends: [{ name: "7", url: "https://h" }] }',
      /^backends\[0\]\.name: found nothing; expected a name with a letter/,
    ],
  ] as const) {
    it(`readVmcpFile › refuses ${title} with its place`, () => {
      const problems = problemsOf(text);
      expect(problems).to.have.lengthOf(1);
      expect(problems[0]).to.match(problem).and.not.include('hunter2');
    });
  }

  it('readVmcpFile › notes what has no effect', () => {
    const { notes } = readVmcpFile(
      `{ metadata: { a: b }, codeMode: { enabled: false }, optimizer: { maxToolsToReturn: 20 }, backends: [{ name: a, url: "https://h", metadata: { x: y } }] }`,
      'vmcp.yaml',
    );
    expect(notes).to.deep.equal([
      'metadata has no effect: it describes the file.',
      'backends[0].metadata has no effect: it describes the backend.',
      'codeMode has no effect: it is off.',
      'optimizer.maxToolsToReturn has no effect: find_tool returns 8 tools, or as many as its caller asks for.',
    ]);
  });
});
