import { expect } from 'chai';
import { FLAG_KEYS } from '../../src/workloads-file/flag-keys.ts';
import { parseWorkloadsFile } from '../../src/workloads-file/parse-workloads-file.ts';
import { MAX_FILE_WORKLOADS, type WorkloadsFile } from '../../src/workloads-file/workloads-file.ts';
import { flagRow } from '../../src/settings/run-flags.ts';
import { MEMBER_FIELDS, REMOTE_AUTH_FIELDS } from '../../src/members/member-fields.ts';

const CONTEXT = { workingDirectory: '/srv/desk', home: '/home/ada' };

function parse(text: string): WorkloadsFile {
  return parseWorkloadsFile(text, 'workloads.yaml', CONTEXT);
}

function problemsOf(text: string): readonly string[] {
  try {
    parse(text);
  } catch (error) {
    expect(error).to.have.property('code', 'ERR_SETTING');
    const [first, ...problems] = (error as Error).message.split('\n');
    expect(first).to.equal('workloads.yaml is not a valid workloads file:');
    return problems.map((problem) => problem.trim());
  }
  throw new Error('the file is valid');
}

describe('parseWorkloadsFile', () => {
  it('parseWorkloadsFile › returns the flags of run for each kind of workload', () => {
    const { name, secrets, workloads } = parse(`
name: desk
secrets: [github-token]
workloads:
  github:
    run: npx://@acme/github-mcp
    args: [--read-only]
    env: { REGION: eu }
    secrets: ['github-token,target=GITHUB_TOKEN']
    volumes: ['./data:/data:ro']
    proxy_port: 8091
    tools: [search]
    session_ttl: 30m
  docs: { url: 'https://mcp.acme.example/mcp', group: work, remote_auth: { enabled: false } }
  desk-all: { member_group: work }
  desk-some: { members: ./some.yaml, host: 127.0.0.2 }
`);
    expect({ name, secrets }).to.deep.equal({ name: 'desk', secrets: ['github-token'] });
    expect(workloads).to.deep.equal([
      {
        name: 'github',
        kind: 'run',
        target: 'npx://@acme/github-mcp',
        args: ['--read-only'],
        flags: {
          env: ['REGION=eu'],
          secrets: ['github-token,target=GITHUB_TOKEN'],
          volumes: ['/srv/desk/data:/data:ro'],
          proxyPort: 8091,
          tools: ['search'],
          sessionTtlMs: 1_800_000,
        },
        config: undefined,
      },
      {
        name: 'docs',
        kind: 'url',
        target: 'https://mcp.acme.example/mcp',
        args: [],
        flags: { group: 'work', remoteAuth: false },
        config: undefined,
      },
      {
        name: 'desk-all',
        kind: 'member_group',
        target: undefined,
        args: [],
        flags: { memberGroup: 'work' },
        config: undefined,
      },
      {
        name: 'desk-some',
        kind: 'members',
        target: undefined,
        args: [],
        flags: { members: './some.yaml', host: '127.0.0.2' },
        config: undefined,
      },
    ]);
  });

  it('parseWorkloadsFile › fills in defaults that apply to the kind, and merges maps', () => {
    const { workloads } = parse(`
name: desk
defaults:
  group: work
  permission_profile: none
  env: { REGION: eu, LEVEL: info }
  labels: { team: maps }
workloads:
  one: { run: 'acme/one:1', env: { REGION: us } }
  two: { url: 'https://mcp.acme.example/mcp' }
  all: { member_group: work, group: default }
  own: { config: { image: 'acme/own:1', transport: stdio } }
`);
    const [one, two, all, own] = workloads;
    expect(one?.flags).to.deep.equal({
      env: ['REGION=us', 'LEVEL=info'],
      permissionProfile: 'none',
      labels: ['team=maps'],
      group: 'work',
    });
    expect(two?.flags).to.deep.equal({ group: 'work' });
    expect(all?.flags).to.deep.equal({ group: 'default', memberGroup: 'work' });
    expect(own?.flags).to.deep.equal({});
    expect(own?.config).to.deep.equal({
      text: '{\n  "image": "acme/own:1",\n  "transport": "stdio"\n}\n',
    });
  });

  it('parseWorkloadsFile › takes the path of a run config as config and as run, without defaults', () => {
    const { workloads } = parse(`
name: desk
defaults: { group: work }
workloads:
  one: { run: ./one.json }
  two: { config: ~/two.json }
`);
    expect(workloads.map(({ config, flags }) => ({ config, flags }))).to.deep.equal([
      { config: { file: './one.json' }, flags: {} },
      { config: { file: '~/two.json' }, flags: {} },
    ]);
  });

  it('parseWorkloadsFile › names every problem with its place when a file has several', () => {
    expect(
      problemsOf(`
nmae: desk
secrets: ['']
defaults: { enviroment: {} }
workloads:
  one: { run: 'acme/one:1', proxy_port: many, volums: [] }
  two: { run: 'acme/two:1', url: 'https://mcp.acme.example/mcp' }
  three: {}
  'bad name': { run: 'acme/x:1' }
  four: { url: 'https://mcp.acme.example/mcp', volumes: ['./a:/a'] }
  five: { run: 'acme/five:1', proxy_port: 70000, forward_headers: { Authorization: 'Bearer x' } }
  six: { config: { image: 7 } }
  seven: { run: ./seven.json, env: { A: b } }
`),
    ).to.deep.equal([
      'nmae: found an unknown key; did you mean name?',
      'name: found nothing; expected a name, by which later runs recognize the workloads of this file',
      'secrets[0]: found nothing; expected the name of a secret',
      'defaults.enviroment: found an unknown key; expected one of ' + allKeys().join(', '),
      'workloads.one.volums: found an unknown key; did you mean volumes?',
      'workloads.one.proxy_port: found "many"; expected a whole number',
      'workloads.two: found run and url of run, url, members, member_group, config; expected exactly one',
      'workloads.three: found none of run, url, members, member_group, config; expected exactly one',
      'workloads["bad name"]: "bad name" is not a workload name: it has other characters than letters, digits, ".", "_" and "-"',
      'workloads.four.volumes: found a key that does not belong here; expected it in a workload of another kind than url',
      'workloads.five.forward_headers.Authorization: found a credential in plain text; expected the name of its secret in forward_headers_secret',
      'workloads.five.proxy_port: found 70000; expected a port from 1 to 65535',
      'workloads.six.config.image: found 7; expected a text',
      'workloads.six.config.image: found nothing to run; expected image, remote_url, run_target or members',
      'workloads.seven.env: found a setting next to a run config; expected it in that file',
    ]);
  });

  it('parseWorkloadsFile › names line and column when the file is no YAML', () => {
    expect(problemsOf('name: desk\nworkloads:\n  one: [\n')[0]).to.match(/^line \d+, column \d+: /);
    expect(problemsOf('name: a\nname: b\n')).to.deep.equal([
      'line 2, column 1: this key is in the same map twice',
    ]);
  });

  it('parseWorkloadsFile › refuses more workloads than the maximum', () => {
    const workloads = Object.fromEntries(
      Array.from({ length: MAX_FILE_WORKLOADS + 1 }, (_, at) => [`w${at}`, { run: 'acme/one:1' }]),
    );
    expect(problemsOf(JSON.stringify({ name: 'desk', workloads }))).to.deep.equal([
      `workloads: found ${MAX_FILE_WORKLOADS + 1} workloads; expected at most ${MAX_FILE_WORKLOADS}`,
    ]);
  });

  it('parseWorkloadsFile › refuses secrets in plain text, and accepts references', () => {
    const remote = { remote_url: 'https://mcp.acme.example/mcp', transport: 'streamable-http' };
    const file = (secret: string): string =>
      JSON.stringify({
        name: 'desk',
        workloads: {
          one: { run: 'acme/one:1', oidc_client_secret: secret },
          two: { run: 'acme/two:1', otel_headers: [`x-key=${secret}`] },
          three: { config: { ...remote, remote_auth_config: { bearer_token: secret } } },
        },
      });
    expect(problemsOf(file('hunter2'))).to.deep.equal([
      'workloads.one.oidc_client_secret: found a secret in plain text; expected a reference to it, NAME,target=TARGET',
      'workloads.two.otel_headers: found a secret in plain text; expected a reference to it, NAME,target=TARGET',
      'workloads.three.config.remote_auth_config.bearer_token: found a secret in plain text; expected a reference to it, NAME,target=TARGET',
    ]);
    expect(parse(file('KEY,target=key')).workloads).to.have.length(3);
  });

  it('parseWorkloadsFile › never shows values when a setting with a secret is wrong', () => {
    const problems = problemsOf(`
name: desk
workloads:
  one: { run: 'acme/one:1', env: { API_KEY: [hunter2] }, secrets: hunter2 }
`);
    expect(problems).to.have.length(2);
    expect(problems.join('\n')).not.to.include('hunter2');
  });
});

describe('FLAG_KEYS', () => {
  it('FLAG_KEYS › has no key of the short form, and each flag once', () => {
    const short = [...Object.keys(MEMBER_FIELDS), ...Object.keys(REMOTE_AUTH_FIELDS)];
    const keys = [...FLAG_KEYS.keys()];
    expect(keys.filter((key) => Object.hasOwn(MEMBER_FIELDS, key))).to.deep.equal([]);
    expect(short).to.include('volumes');
    expect(keys).to.include.members(['proxy_port', 'tools', 'group', 'oidc_issuer', 'audit_config']);
    expect([...FLAG_KEYS.values()].map((name) => flagRow(name).flag.replaceAll('-', '_'))).to.deep.equal(
      keys,
    );
  });
});

function allKeys(): readonly string[] {
  return [...Object.keys(MEMBER_FIELDS), 'remote_auth', 'token_exchange', ...FLAG_KEYS.keys()];
}
