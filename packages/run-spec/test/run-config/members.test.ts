import { expect } from 'chai';
import { isPortolanError } from '@portolan/plugin-api';
import { findDemands } from '../../src/consent/find-demands.ts';
import { formatRunConfig } from '../../src/run-config/format-run-config.ts';
import { memberConfigOf, withMemberConfig } from '../../src/run-config/members/member-config.ts';
import { parseRunConfig } from '../../src/run-config/parse-run-config.ts';
import { renameSecrets, secretNamesIn } from '../../src/run-config/rename-secrets.ts';
import { createRunConfig } from '../../src/run-config/run-config.ts';

const DESK = {
  schema_version: 'v0.1.0',
  image: '',
  members: {
    github: { workload: 'github' },
    weather: {
      run: 'io.github.acme/weather@1.4.0',
      env: { UNITS: 'metric' },
      secrets: ['key,target=API_KEY'],
      permission_profile: 'none',
      transport: 'stdio',
    },
    linear: {
      url: 'https://mcp.linear.example/mcp',
      remote_auth: { client_id: 'desk', client_secret: 'linear,target=oauth_secret', timeout: '1m' },
      forward_headers: { 'X-Team': 'maps' },
      forward_headers_secret: { Authorization: 'linear-key' },
      tools: ['list_issues', 'get_issue'],
      override: { list_issues: { name: 'issues', description: 'Open issues of the team' } },
      prefix: false,
      credentials: 'workload',
      pass_headers: ['X-Request-Id'],
    },
  },
  members_file: '/home/ann/desk.yaml',
  search: { mode: 'auto', above_tokens: 8000, always: ['weather_forecast'], index: 'bm25' },
  name: 'desk',
};

function problemsOf(document: object): readonly string[] {
  try {
    parseRunConfig(JSON.stringify(document), 'desk.json');
    return [];
  } catch (error) {
    if (!isPortolanError(error)) throw error;
    return error.message.split('\n  ').slice(1);
  }
}

describe('members of a run config', () => {
  it('parseRunConfig › reads members, and formatRunConfig writes them back in their order', () => {
    const { config, notes } = parseRunConfig(JSON.stringify(DESK), 'desk.json');
    const written: unknown = JSON.parse(formatRunConfig(config));
    expect(written).to.deep.include({ members: DESK.members, search: DESK.search });
    expect(Object.keys((written as typeof DESK).members)).to.deep.equal(['github', 'weather', 'linear']);
    expect(notes).to.deep.equal([]);
  });

  it('formatRunConfig › omits the fields of a virtual server for other workloads', () => {
    const text = formatRunConfig(createRunConfig({ name: 'w', image: 'nginx' }));
    expect(text).not.to.match(/member|search/);
  });

  it('parseRunConfig › reports every problem of members with its place', () => {
    expect(
      problemsOf({
        ...DESK,
        members: {
          'git hub': { workload: 'github' },
          '42': { workload: 'w' },
          both: { workload: 'a', url: 'https://h.example/mcp' },
          none: { tools: ['a'] },
          key: { url: 'https://h.example/mcp', forward_headers: { Authorization: 'Bearer x' } },
          login: { url: 'https://h.example/mcp', remote_auth: { client_secret: 'clear', timeout: 'soon' } },
        },
        search: undefined,
      }),
    ).to.deep.equal([
      'members["42"]: found a name of digits alone; expected a name with a letter',
      'members["git hub"]: "git hub" is not a workload name: it has other characters than letters, digits, ".", "_" and "-"',
      'members.both: found workload and url of workload, run and url; expected exactly one',
      'members.none: found none of workload, run and url; expected exactly one',
      'members.key.forward_headers.Authorization: found a credential in plain text; expected the name of its secret in forward_headers_secret',
      'members.login.remote_auth.client_secret: found no reference to a secret; expected NAME,target=TARGET',
      'members.login.remote_auth.timeout: found a text; expected a duration such as 30s',
    ]);
  });

  it('checkRunConfig › refuses a virtual server with a server of its own', () => {
    expect(problemsOf({ ...DESK, image: 'nginx', member_group: 'default' })).to.deep.equal([
      'member_group: expected no members beside it but workloads of the group under their own names',
      'members: expected none of image, remote_url and run_target beside it; found image',
    ]);
    expect(problemsOf({ image: 'nginx', search: {}, members_file: '/x.yaml' })).to.deep.equal([
      'members_file: expected members beside it, with what is in the file',
      'search: expected members or member_group beside it',
    ]);
  });

  it('parseRunConfig › checks the run config of a member, and refuses a virtual server there', () => {
    const config = { name: 'w', image: 'nginx', port: 70_000, members: { a: { workload: 'a' } } };
    expect(problemsOf({ name: 'desk', members: { weather: { run: 'nginx', config } } })).to.deep.equal([
      'members.weather.config.port: found 70000; expected a port from 1 to 65535',
      'members.weather.config.members: expected none of image, remote_url and run_target beside it; found image',
      'members.weather.config: found a virtual server; expected the run config of one server',
    ]);
  });
});

describe('run config of a member', () => {
  const weather = createRunConfig({
    name: 'weather',
    image: 'acme/weather:1',
    secrets: ['key,target=API_KEY'],
    permission_profile: { name: 'none', network: { outbound: {} } },
    header_forward: { add_plaintext_headers: {}, add_headers_from_secret: { 'X-Key': 'header-key' } },
    oidc_config: undefined,
  });
  const desk = createRunConfig({
    name: 'desk',
    members: { weather: withMemberConfig({ run: 'acme/weather:1' }, weather) },
  });

  it('memberConfigOf › returns what withMemberConfig has stored, also after writing and reading', () => {
    const { config } = parseRunConfig(formatRunConfig(desk), 'desk.json');
    const member = config.members['weather'] ?? {};
    expect(memberConfigOf(member)).to.deep.include({
      name: 'weather',
      secrets: ['key,target=API_KEY'],
      permission_profile: weather.permission_profile,
      header_forward: weather.header_forward,
    });
  });

  it('renameSecrets › renames references in members', () => {
    const { config } = parseRunConfig(JSON.stringify(DESK), 'desk.json');
    const names = secretNamesIn({ ...config, members: { ...config.members, ...desk.members } });
    expect(names).to.have.members(['key', 'header-key', 'linear', 'linear-key']);
    const renamed = renameSecrets(config, (name) => `${name}-2`);
    expect(secretNamesIn(renamed)).to.have.members(['key-2', 'linear-2', 'linear-key-2']);
  });

  it('formatRunConfig › refuses a secret in plain text', () => {
    const clear = createRunConfig({
      name: 'desk',
      members: {
        weather: withMemberConfig(
          { run: 'acme/weather:1' },
          { ...weather, remote_auth_config: { bearer_token: 'clear' } },
        ),
      },
    });
    expect(() => formatRunConfig(clear))
      .to.throw()
      .with.property('code', 'ERR_RUN_CONFIG_SECRET');
  });
});

describe('findDemands of members', () => {
  const FACTS = {
    home: '/home/ann',
    workingDirectory: '/home/ann',
    ownFolders: [],
    engineSockets: [],
    stateFolder: undefined,
    realPath: (path: string) => path,
    isSocket: () => false,
    moduleFolder: (folder: string) => folder,
    addressesOf: () => [],
  };

  it('findDemands › asks for each member what a server of its own would ask for', () => {
    const { config } = parseRunConfig(
      JSON.stringify({
        ...DESK,
        members: { ...DESK.members, notes: { run: 'nginx', volumes: ['/home/ann/notes:/notes'] } },
      }),
      'desk.json',
    );
    expect(
      findDemands(config, 'file', FACTS).grants.map(({ kind, line }) => `${kind}: ${line}`),
    ).to.include.members([
      'connect: member github: uses the workload github of this machine',
      'secret: member weather: gives the secret key to the server io.github.acme/weather@1.4.0',
      'secret: member linear: gives the secret linear-key to https://mcp.linear.example/mcp',
      'send: member linear: sends the headers X-Request-Id of callers to https://mcp.linear.example/mcp',
      'mount: member notes: write ~/notes',
      'read: reads ~/desk.yaml for the members, and again whenever it changes',
    ]);
  });

  it('findDemands › judges the planned run config of a member as well', () => {
    const member = withMemberConfig(
      { run: 'nginx' },
      createRunConfig({ image: 'nginx', volumes: ['/home/ann/notes:/notes'] }),
    );
    const config = createRunConfig({ name: 'desk', members: { notes: member } });
    expect(findDemands(config, 'file', FACTS).grants).to.deep.include({
      kind: 'mount',
      line: 'member notes: write ~/notes',
      subject: '~/notes',
      setting: 'members.notes.config.volumes[0]',
    });
  });

  it('findDemands › asks for a group', () => {
    const config = createRunConfig({ name: 'desk', member_group: 'default' });
    expect(findDemands(config, 'file', FACTS).grants.map(({ line }) => line)).to.deep.equal([
      'uses every workload of the group default on this machine',
    ]);
  });
});
