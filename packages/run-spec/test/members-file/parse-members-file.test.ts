import { expect } from 'chai';
import { isPortolanError } from '@portolan/plugin-api';
import { parseMembersFile } from '../../src/members-file/parse-members-file.ts';

const DESK = `
name: desk
group: default
members:
  github:   { workload: github }
  weather:
    run: io.github.acme/weather@1.4.0
    env: { UNITS: metric }
    secrets: ['key,target=API_KEY']
    volumes: ['./data:/data:ro']
    permission_profile: none
    args: [--units, metric]
    transport: stdio
    timeout: 30s
  linear:
    url: https://mcp.linear.example/mcp
    remote_auth: { client_id: desk, scopes: [read] }
    forward_headers: { X-Team: maps }
    tools: [list_issues, get_issue]
    override: { list_issues: { name: issues, description: Open issues of the team } }
    prefix: false
    credentials: caller
    pass_headers: [X-Request-Id]
search: { mode: auto, above_tokens: 8000, always: [weather_forecast] }
`;

function problemsOf(text: string): readonly string[] {
  try {
    parseMembersFile(text, 'desk.yaml');
    return [];
  } catch (error) {
    if (!isPortolanError(error)) throw error;
    expect(error.code).to.equal('ERR_SETTING');
    return error.message.split('\n  ').slice(1);
  }
}

describe('parseMembersFile', () => {
  it('parseMembersFile › reads the example of the reference page', () => {
    const file = parseMembersFile(DESK, 'desk.yaml', { workingDirectory: '/srv', home: '/home/ann' });
    expect(file).to.deep.include({
      format: 'members',
      name: 'desk',
      group: 'default',
      fields: {},
      notes: [],
    });
    expect(Object.keys(file.members)).to.deep.equal(['github', 'weather', 'linear']);
    expect(file.members).to.deep.include({
      github: { workload: 'github' },
      weather: {
        run: 'io.github.acme/weather@1.4.0',
        env: { UNITS: 'metric' },
        secrets: ['key,target=API_KEY'],
        volumes: ['/srv/data:/data:ro'],
        permission_profile: 'none',
        args: ['--units', 'metric'],
        transport: 'stdio',
        timeout: '30s',
      },
    });
    expect(file.members['linear']).to.deep.include({ prefix: false, credentials: 'caller' });
    expect(file.search).to.deep.equal({ mode: 'auto', above_tokens: 8000, always: ['weather_forecast'] });
  });

  it('parseMembersFile › reads JSON, also with tabs', () => {
    const { members } = parseMembersFile(
      '{\n\t"members": {\n\t\t"a": { "workload": "a" }\n\t}\n}',
      'desk.json',
    );
    expect(members).to.deep.equal({ a: { workload: 'a' } });
  });

  it('parseMembersFile › merges YAML anchors', () => {
    const text = 'members:\n  a: &a { run: nginx, env: { X: "1" } }\n  b: { <<: *a, prefix: false }\n';
    expect(parseMembersFile(text, 'desk.yaml').members['b']).to.deep.equal({
      run: 'nginx',
      env: { X: '1' },
      prefix: false,
    });
  });

  it('parseMembersFile › keeps a member named __proto__ apart', () => {
    const { members } = parseMembersFile(
      'members: { __proto__: { workload: a }, b: { workload: b } }',
      'x.yaml',
    );
    expect(Object.keys(members)).to.deep.equal(['__proto__', 'b']);
  });

  it('parseMembersFile › reports all problems at once, each with its place', () => {
    expect(
      problemsOf(`
name: 'my desk'
serch: {}
members:
  github: { workload: github, env: { A: b }, prefx: false }
  weather: { run: nginx, permision_profile: none, volumes: [nowhere], target_port: 70000, transport: 7 }
  linear:
    url: ftp://h.example
    volumes: ['/a:/b']
    credentials: mine
    pass_headers: [Authorization, Cookie, TE, X-Forwarded-For, Mcp-Session-Id, X-Fine, 'a b']
    tools: [a]
    override: { b: { name: c }, a: { title: x }, '': 3 }
    prefix: 'a b'
    forward_headers: { Host: x }
search: { mode: sometimes, above_tokens: -1, always: [find_tool, 'a b'], limit: 3 }
`),
    ).to.deep.equal([
      'serch: found an unknown key; did you mean search?',
      'name: "my desk" is not a workload name: it has other characters than letters, digits, ".", "_" and "-"',
      'members.github.env: found a key that does not belong here; expected it in the settings of the workload, which runs on its own',
      'members.github.prefx: found an unknown key; did you mean prefix?',
      'members.weather.permision_profile: found an unknown key; did you mean permission_profile?',
      'members.weather.transport: found 7; expected a text',
      'members.weather.volumes[0]: "nowhere" cannot be mounted: there is no ":" between two paths',
      'members.weather.target_port: found 70000; expected a port from 1 to 65535',
      'members.linear.volumes: found a key that does not belong here; expected it in a member with run, since a remote server runs elsewhere',
      'members.linear.credentials: found a text; expected one of none, workload, exchange, caller',
      'members.linear.pass_headers[0]: "Authorization" is not passed: it has credentials of the caller',
      'members.linear.pass_headers[1]: "Cookie" is not passed: it has credentials of the caller',
      'members.linear.pass_headers[2]: "TE" is not passed: the connection to the member has a value of its own',
      'members.linear.pass_headers[3]: "X-Forwarded-For" is not passed: it says where a request came from',
      'members.linear.pass_headers[4]: "Mcp-Session-Id" is not passed: the connection to the member has a value of its own',
      'members.linear.pass_headers[6]: "a b" is not passed: it is not the name of a header',
      'members.linear.forward_headers: header "Host" is restricted and cannot be configured for forwarding',
      'members.linear.override.a.title: found an unknown key; expected one of name, description',
      'members.linear.override[""]: found 3; expected a map with name or description',
      'members.linear.prefix: found "a b"; expected false for no prefix, or a text of A-Z, a-z, 0-9, "_", "." and "-"',
      'members.linear.override.b: found a tool that is not in tools; expected a name of that list',
      'members.linear.override[""]: found a tool that is not in tools; expected a name of that list',
      'members.linear.url: found "ftp://h.example"; expected an http or https URL without user name and password',
      'search.limit: found an unknown key; expected one of mode, above_tokens, always, index',
      'search.mode: found "sometimes"; expected one of off, auto, always',
      'search.above_tokens: found a number; expected a number of tokens that is not negative',
      'search.always[0]: found "find_tool"; expected an exposed name of a tool: it is listed in any case',
      'search.always[1]: found "a b"; expected an exposed name of a tool: it has other characters than A-Z, a-z, 0-9, "_", "." and "-"',
    ]);
  });

  it('parseMembersFile › names every pair of a conflict that the file shows', () => {
    expect(
      problemsOf(`
members:
  a: { workload: a, prefix: false, tools: [search] }
  b: { workload: b, prefix: false, tools: [search] }
  c: { workload: c, override: { find: { name: search } } }
  d: { workload: d, prefix: c }
`),
    ).to.deep.equal([
      'members: found a/search and b/search with the name "search"; expected another name by override',
      'members: found a/search and c/find with the name "search"; expected another name by override',
      'members: found b/search and c/find with the name "search"; expected another name by override',
      'members: found c and d with the prefix "c_"; expected another prefix, or tools in both',
    ]);
  });

  for (const [mode, isRefused] of [
    ['off', false],
    ['auto', true],
    ['always', true],
  ] as const) {
    it(`parseMembersFile › ${isRefused ? 'refuses' : 'accepts'} a member with find_tool while search is ${mode}`, () => {
      const problems = problemsOf(
        `{ members: { a: { workload: a, override: { x: { name: find_tool } } }, b: { workload: b, prefix: false, tools: [call_tool] } }, search: { mode: ${mode} } }`,
      );
      expect(problems).to.have.lengthOf(isRefused ? 2 : 0);
    });
  }

  it('parseMembersFile › refuses a name of search.always that no member can expose', () => {
    expect(problemsOf('{ members: { a: { workload: a } }, search: { always: [a_x, b_x] } }')).to.deep.equal([
      'search.always[1]: found "b_x"; expected a name that a member of the file exposes',
    ]);
  });

  it('parseMembersFile › refuses a tool whose exposed name is too long', () => {
    const [problem] = problemsOf(`{ members: { a: { workload: a, tools: [${'x'.repeat(127)}] } } }`);
    expect(problem).to.match(
      /^members\.a\.tools\[0\]: clients do not see the name "a_x+": it has 129 characters/,
    );
  });

  for (const [title, text, problem] of [
    ['no members', 'name: desk', 'members: found nothing; expected at least one member'],
    ['an empty map', 'members: {}', 'members: found nothing; expected at least one member'],
    ['a list', '- a', 'the document: expected a map'],
    [
      'a key twice',
      'members:\n  a: { workload: a }\n  a: { workload: b }',
      'line 3, column 3: this key is in the same map twice',
    ],
    [
      'a key twice in JSON',
      '{"members":{"a":{"workload":"a"},"a":{"workload":"b"}}}',
      'line 1, column 34: this key is in the same map twice',
    ],
    [
      'two documents',
      'members: {}\n---\nmembers: {}',
      'line 2, column 1: there is more than one document in it (---)',
    ],
    ['a tab', 'members:\n\ta: {}', 'line 2, column 1: a tab is used as indentation; use spaces'],
    ['too much', ' '.repeat(1024 * 1024 + 1), 'it is larger than 1 MiB'],
    [
      'a setting next to a run config',
      '{ members: { a: { run: ./a.json, env: { X: y }, prefix: false } } }',
      'members.a.env: found a setting next to a run config; expected it in that file',
    ],
    [
      'a login without credentials',
      '{ members: { a: { url: "https://h.example", credentials: none, remote_auth: {} } } }',
      'members.a.remote_auth: found a login; expected none with credentials: none',
    ],
    [
      'a login of callers at a workload',
      '{ members: { a: { workload: a, credentials: caller } } }',
      'members.a.credentials: found caller; a member with workload has none or workload or exchange',
    ],
    [
      'an exchange that is not used',
      '{ members: { a: { workload: a, token_exchange: { token_url: "https://i.example" } } } }',
      'members.a.token_exchange: expected credentials: exchange beside it',
    ],
    [
      'a timeout that is none',
      '{ members: { a: { workload: a, timeout: soon } } }',
      'members.a.timeout: found "soon"; expected a duration such as 30s',
    ],
  ] as const) {
    it(`parseMembersFile › refuses ${title}`, () => {
      expect(problemsOf(text)).to.deep.equal([problem]);
    });
  }

  it('parseMembersFile › never quotes a value that may be a secret', () => {
    const text = `
members:
  a:
    url: https://ann:hunter2@h.example/
    forward_headers: { Authorization: 'Bearer hunter2', X-A: "hunter2\\nx" }
    remote_auth: { client_secret: hunter2, bearer_token: hunter2 }
    env: { X: hunter2 }
    token_exchange: { client_secret: hunter2 }
  b: { run: nginx, secrets: [hunter2], env: { 'hunt er': 'hunter2' } }
`;
    expect(problemsOf(text)).to.have.length.greaterThan(6);
    expect(problemsOf(text).join('\n')).not.to.include('hunter2');
    expect(problemsOf('members: { a: "hunter2 }').join('\n')).not.to.include('hunter2');
  });
});
