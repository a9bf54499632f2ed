import { expect } from 'chai';
import { flagsOfWords } from '../../src/from-clients/flags-of-words.ts';
import { readMovable } from '../../src/from-clients/movable-server.ts';
import { findMovable, nameSecrets } from '../../src/from-clients/movable-servers.ts';

const TOKEN = 'sk-aaaabbbbccccdddd1111';
const ENVIRONMENT = { REGION: 'eu', GITHUB_TOKEN: TOKEN };

function read(value: unknown, name = 'tools'): ReturnType<typeof readMovable> {
  return readMovable({ name, value }, ENVIRONMENT);
}

describe('readMovable', () => {
  for (const { title, value, target, flags = {}, args = [], secrets = {} } of [
    {
      title: 'a package of npm',
      value: { command: 'npx', args: ['-y', '@acme/notes@2.1.0', '--quick'], env: { LEVEL: 'info' } },
      target: 'npx://@acme/notes@2.1.0',
      flags: { env: ['LEVEL=info'] },
      args: ['--quick'],
    },
    {
      title: 'a package of PyPI',
      value: { command: 'uvx', args: ['acme-notes'] },
      target: 'uvx://acme-notes',
    },
    {
      title: 'an image whose variable has its value beside the command line',
      value: {
        command: 'docker',
        args: ['run', '-i', '-e', 'API_TOKEN', 'acme/notes:1'],
        env: { API_TOKEN: TOKEN },
      },
      target: 'acme/notes:1',
      flags: { secrets: ['API_TOKEN,target=API_TOKEN'] },
      secrets: { API_TOKEN: TOKEN },
    },
    {
      title: 'a remote server with a header, as typed HTTP',
      value: {
        type: 'http',
        url: 'https://mcp.acme.example/mcp',
        headers: { Authorization: `Bearer ${TOKEN}` },
      },
      target: 'https://mcp.acme.example/mcp',
      flags: { remoteForwardHeadersSecret: ['Authorization=AUTHORIZATION'] },
      secrets: { AUTHORIZATION: `Bearer ${TOKEN}` },
    },
    {
      title: 'a remote server over SSE',
      value: { transport: 'sse', url: 'https://mcp.acme.example/events' },
      target: 'https://mcp.acme.example/events',
      flags: { transport: 'sse' },
    },
    {
      title: 'a remote server with serverUrl, as Windsurf has it',
      value: { serverUrl: 'https://mcp.acme.example/mcp' },
      target: 'https://mcp.acme.example/mcp',
    },
    {
      title: 'a remote server with uri, as goose has it',
      value: { uri: 'https://mcp.acme.example/mcp', type: 'streamable_http', enabled: true },
      target: 'https://mcp.acme.example/mcp',
    },
    {
      title: 'a program with cmd and envs, as goose has it',
      value: { cmd: 'npx', args: ['@acme/notes'], envs: { LEVEL: 'info' }, type: 'stdio' },
      target: 'npx://@acme/notes',
      flags: { env: ['LEVEL=info'] },
    },
    {
      title: 'a program with a list of words and environment, as opencode has it',
      value: { type: 'local', command: ['npx', '-y', '@acme/notes'], environment: { LEVEL: 'info' } },
      target: 'npx://@acme/notes',
      flags: { env: ['LEVEL=info'] },
    },
    {
      title: 'a placeholder of a variable that the environment has',
      value: { command: 'npx', args: ['@acme/notes'], env: { GITHUB_TOKEN: '${env:GITHUB_TOKEN}' } },
      target: 'npx://@acme/notes',
      flags: { secrets: ['GITHUB_TOKEN,target=GITHUB_TOKEN'] },
      secrets: { GITHUB_TOKEN: TOKEN },
    },
    {
      title: 'a variable that the command line only names',
      value: { command: 'docker', args: ['run', '-e', 'REGION', 'acme/notes:1'] },
      target: 'acme/notes:1',
      flags: { env: ['REGION=eu'] },
    },
  ]) {
    it(`readMovable › returns the workload when the entry is ${title}`, () => {
      const movable = read(value);
      if ('stays' in movable) throw new Error(movable.stays);
      const { workload } = movable;
      expect(workload.target).to.equal(target);
      expect(workload.flags).to.deep.equal(flags);
      expect(workload.args).to.deep.equal(args);
      expect(Object.fromEntries(movable.secrets)).to.deep.equal(secrets);
      expect(JSON.stringify(workload)).not.to.include(TOKEN);
    });
  }

  for (const { title, value, because } of [
    {
      title: 'a program of this machine',
      value: { command: '/opt/acme/server' },
      because: /starts the program \/opt\/acme\/server/,
    },
    {
      title: 'a secret in the arguments',
      value: { command: 'npx', args: ['@acme/x', '--api-key', TOKEN] },
      because: /arguments or its address .*API_KEY/,
    },
    {
      title: 'a secret in the address',
      value: { url: `https://mcp.acme.example/mcp?api_key=${TOKEN}` },
      because: /arguments or its address .*API_KEY/,
    },
    {
      title: 'an input of the editor',
      value: { url: 'https://mcp.acme.example/mcp', headers: { Authorization: 'Bearer ${input:token}' } },
      because: /the value of token is not/,
    },
    {
      title: 'an unknown variable',
      value: { command: 'docker', args: ['run', '-e', 'ABSENT', 'acme/notes:1'] },
      because: /the value of ABSENT is not/,
    },
    {
      title: 'disabled',
      value: { command: 'npx', args: ['@acme/x'], disabled: true },
      because: /^it is disabled$/,
    },
    {
      title: 'not enabled',
      value: { cmd: 'npx', args: ['@acme/x'], enabled: false },
      because: /^it is disabled$/,
    },
    { title: 'neither a command nor a URL', value: { note: 1 }, because: /neither a command nor a URL/ },
    {
      title: 'a package that is cloned first',
      value: { command: 'uvx', args: ['--from', 'git+https://github.com/acme/x', 'x'] },
      because: /needs a command first: `git clone/,
    },
  ]) {
    it(`readMovable › says why the entry stays when it is ${title}`, () => {
      const movable = read(value);
      if (!('stays' in movable)) throw new Error('the server is movable');
      expect(movable.stays).to.match(because).and.not.include(TOKEN);
    });
  }

  it('readMovable › makes a workload name of a name with other characters', () => {
    const movable = read({ command: 'npx', args: ['@acme/x'] }, 'My Tools (new)');
    expect(movable).to.have.nested.property('workload.name', 'My-Tools-new-');
  });
});

describe('findMovable', () => {
  const entry = (client: string, name: string, value: object) => ({
    client,
    file: `/${client}`,
    name,
    value,
    isOurs: false,
  });
  const notes = { command: 'npx', args: ['@acme/notes'] };

  it('findMovable › makes one workload of equal servers, and two of different ones with one name', () => {
    const { moving, staying } = findMovable(
      [
        entry('cursor', 'notes', notes),
        entry('codex', 'notes', { ...notes, type: 'stdio' }),
        entry('goose', 'notes', { cmd: 'npx', args: ['@acme/other'] }),
      ],
      ENVIRONMENT,
    );
    expect(staying).to.deep.equal([]);
    expect(
      moving.map(({ workload, origins }) => [workload.name, ...origins.map(({ client }) => client)]),
    ).to.deep.equal([
      ['notes', 'cursor', 'codex'],
      ['notes-goose', 'goose'],
    ]);
  });

  it('nameSecrets › gives a secret another name when the store has another value', async () => {
    const value = (token: string): object => ({ ...notes, env: { API_TOKEN: token } });
    const { moving } = findMovable(
      [
        entry('a', 'one', value(TOKEN)),
        entry('a', 'two', value(`${TOKEN}2`)),
        entry('a', 'three', value(`${TOKEN}3`)),
      ],
      ENVIRONMENT,
    );
    const stored: Readonly<Record<string, string>> = { API_TOKEN: TOKEN, TWO_API_TOKEN: 'other' };
    const { servers, toStore } = await nameSecrets(moving, async (name) => stored[name]);
    expect(servers.map(({ workload }) => workload.flags.secrets)).to.deep.equal([
      ['API_TOKEN,target=API_TOKEN'],
      ['TWO_API_TOKEN_2,target=API_TOKEN'],
      ['THREE_API_TOKEN,target=API_TOKEN'],
    ]);
    expect([...toStore]).to.deep.equal([
      ['TWO_API_TOKEN_2', `${TOKEN}2`],
      ['THREE_API_TOKEN', `${TOKEN}3`],
    ]);
  });
});

describe('flagsOfWords', () => {
  it('flagsOfWords › returns flags by name and letter, with numbers and lists', () => {
    const words = ['-e', 'A=1', '--env', 'B=2', '--target-port', '8080', '--transport', 'sse'];
    expect(flagsOfWords(words)).to.deep.equal({ env: ['A=1', 'B=2'], targetPort: 8080, transport: 'sse' });
  });

  it('flagsOfWords › throws for a word that is no flag', () => {
    expect(() => flagsOfWords(['--absent', 'x'])).to.throw(TypeError, 'found --absent');
  });
});
