import { isPortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import { findForeignWords } from '../../src/foreign-command/foreign-words.ts';
import { refuseForeignJson, refuseForeignWords } from '../../src/foreign-command/refuse-foreign-command.ts';
import { exitStatusOf } from '../../src/command-line/exit-status.ts';
import { runFlags } from '../../src/command-line/flags/run-flags.ts';

/** Returns the lines of the hint behind `portolan run WORDS`; undefined where the words mean something else. */
function linesFor(...argv: readonly string[]): readonly string[] | undefined {
  const words = findForeignWords(argv, runFlags);
  return words === undefined ? undefined : hintOf(() => refuseForeignWords(words, 'run'));
}

function linesForJson(document: unknown): readonly string[] {
  return hintOf(() =>
    refuseForeignJson(JSON.stringify(document), 'in mcp.json', { command: 'run', own: [] }),
  );
}

function hintOf(action: () => void): readonly string[] {
  try {
    action();
  } catch (error) {
    if (!isPortolanError(error)) throw error;
    expect(error.code).to.equal('ERR_FOREIGN_COMMAND');
    expect(exitStatusOf(error)).to.equal(2);
    return (error.hint ?? '')
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
  }
  throw new Error('nothing was refused');
}

const SECRET = 'ghp_0123456789abcdefghij';

describe('lines of READMEs behind portolan run (radar 1305)', () => {
  for (const [line, ...expected] of [
    ['npx -y @acme/notes', 'portolan run npx://@acme/notes'],
    ['npx --yes @acme/notes@1.2.0 --port 3', 'portolan run npx://@acme/notes@1.2.0 -- --port 3'],
    ['npx -y -p @acme/notes notes-admin', 'portolan run npx://@acme/notes#notes-admin'],
    ['npx --package=@acme/notes -- notes', 'portolan run npx://@acme/notes'],
    ['npm exec -y @acme/notes', 'portolan run npx://@acme/notes'],
    ['pnpm dlx @acme/notes', 'portolan run npx://@acme/notes'],
    ['bunx --bun @acme/notes', 'portolan run npx://@acme/notes'],
    ['uvx mcp-server-time', 'portolan run uvx://mcp-server-time'],
    [
      'uvx mcp-server-time@latest --local-timezone UTC',
      'portolan run uvx://mcp-server-time@latest -- --local-timezone UTC',
    ],
    ['uvx --from mcp-server-time==1.0 serve x', 'portolan run uvx://mcp-server-time@1.0#serve -- x'],
    ['uv tool run --python 3.12 notes', 'portolan run uvx://notes --runtime-image python:3.12-slim'],
    ['pipx run --spec notes[cli] serve', "portolan run 'uvx://notes[cli]#serve'"],
    ['go run example.org/acme/tool@latest -v', 'portolan run go://example.org/acme/tool@latest -- -v'],
    ['docker run -i --rm acme/notes:1', 'portolan run acme/notes:1'],
    ['docker run -it --init --pull=always acme/notes', 'portolan run acme/notes:latest'],
    [
      'docker container run -i --net none acme/notes:1 serve',
      'portolan run acme/notes:1 --network none -- serve',
    ],
    [
      'podman run -i -v notes:/data:Z,ro -v ./src:/src acme/notes:1',
      'portolan run acme/notes:1 -v volume://notes:/data:ro -v ./src:/src',
    ],
    [
      'docker run -i --mount type=bind,src=/srv,dst=/srv,ro acme/notes:1',
      'portolan run acme/notes:1 -v /srv:/srv:ro',
    ],
    [
      'docker run -i --mount source=notes,target=/data acme/notes:1',
      'portolan run acme/notes:1 -v volume://notes:/data',
    ],
    [
      'docker run --rm -p 127.0.0.1:9280:8080 acme/notes:1',
      'portolan run acme/notes:1 --transport streamable-http --target-port 8080 --proxy-port 9280',
    ],
    ['docker run -i -p 9280:9280 acme/notes:1', 'portolan run acme/notes:1 -p 9280:9280'],
    [
      'docker run -i -e REGION=eu -eMODE=x --env LEVEL acme/notes:1',
      'portolan run acme/notes:1 -e REGION=eu -e MODE=x -e LEVEL',
    ],
    [
      'docker run -i -e TOKEN acme/notes:1',
      'portolan secret set TOKEN',
      'portolan run acme/notes:1 --secret TOKEN,target=TOKEN',
    ],
    ['--name a --group=b npx -y @acme/notes', 'portolan run --name a --group=b npx://@acme/notes'],
    [
      `-e API_KEY=${SECRET} uvx notes`,
      'portolan secret set API_KEY',
      'portolan run uvx://notes --secret API_KEY,target=API_KEY',
    ],
  ] as const) {
    it(`translates ${line.replace(SECRET, '…')}`, () => {
      expect(linesFor(...line.split(' '))).to.deep.equal(expected);
    });
  }

  it('translates a line that is quoted as a whole', () => {
    expect(linesFor('npx -y @acme/notes')).to.deep.equal(['portolan run npx://@acme/notes']);
  });

  it('names mcp-remote as the remote server, with its header as a secret', () => {
    const lines = linesFor(
      'npx',
      'mcp-remote',
      'https://mcp.acme.example/mcp',
      '--header',
      `Authorization: Bearer ${SECRET}`,
    );
    expect(lines?.slice(0, 2)).to.deep.equal([
      'portolan secret set AUTHORIZATION',
      'portolan run https://mcp.acme.example/mcp --remote-forward-headers-secret Authorization=AUTHORIZATION',
    ]);
  });

  it('mounts the folders of this machine that arguments name', () => {
    const folder = import.meta.dirname;
    expect(linesFor('npx', '-y', '@acme/files', folder, '/no/such/folder')).to.deep.equal([
      `portolan run npx://@acme/files -v ${folder}:${folder} -- ${folder} /no/such/folder`,
    ]);
  });

  it('names what it leaves out', () => {
    const lines =
      linesFor('docker', 'run', '--privileged', '--shm-size', '1g', '-v', '/data', 'acme/notes:1') ?? [];
    expect(lines[0]).to.equal('portolan run acme/notes:1');
    expect(lines.slice(1)).to.have.lengthOf(3);
    expect(lines.join()).to.include('--permission-profile').and.include('--shm-size').and.include('-v /data');
  });

  for (const line of [
    'uvx --from git+https://example.org/a b',
    'npx github:acme/notes',
    'npx -y ./local',
    'docker run -i',
    'go run main.go',
  ]) {
    it(`refuses ${line} without a command`, () => {
      const words = findForeignWords(line.split(' '), runFlags);
      if (words === undefined) throw new Error('no foreign words');
      expect(hintOf(() => refuseForeignWords(words, 'run'))).to.deep.equal([]);
    });
  }

  for (const line of [
    'npx',
    'docker',
    'docker -e A=b',
    'docker --name run',
    '--name npx acme/notes:1',
    'acme/notes:1 -- npx -y x',
    'npx://x',
    '-e npx uvx',
  ]) {
    it(`takes ${line} for no other command line`, () => {
      expect(linesFor(...line.split(' '))).to.equal(undefined);
    });
  }
});

describe('configurations of clients behind portolan run (radar 1305)', () => {
  it('translates each server', () => {
    const document = {
      mcpServers: {
        notes: {
          command: 'npx',
          args: ['-y', '@acme/notes'],
          env: { REGION: 'eu', NOTES_KEY: SECRET, HOME_DIR: '${env:HOME_DIR}' },
        },
        forge: {
          command: 'docker',
          args: ['run', '-i', '--rm', '-e', 'FORGE_TOKEN', 'acme/forge:1'],
          env: { FORGE_TOKEN: SECRET },
        },
        level: {
          command: 'docker',
          args: ['run', '-i', '-e', 'LEVEL', 'acme/level:1'],
          env: { LEVEL: 'high' },
        },
        remote: {
          type: 'sse',
          url: 'https://mcp.acme.example/sse',
          headers: { 'X-Team': 'maps', Authorization: `Bearer ${SECRET}` },
        },
        shell: { command: 'cmd', args: ['/c', 'npx', '-y', '@acme/shell'] },
      },
    };
    const lines = linesForJson(document);
    expect(lines.slice(0, -1)).to.deep.equal([
      'portolan secret set NOTES_KEY',
      'portolan run npx://@acme/notes -e REGION=eu --secret NOTES_KEY,target=NOTES_KEY -e HOME_DIR --name notes',
      'portolan secret set FORGE_TOKEN',
      'portolan run acme/forge:1 --secret FORGE_TOKEN,target=FORGE_TOKEN --name forge',
      'portolan run acme/level:1 -e LEVEL=high --name level',
      'portolan secret set AUTHORIZATION',
      'portolan run https://mcp.acme.example/sse --transport sse --remote-forward-headers X-Team=maps --remote-forward-headers-secret Authorization=AUTHORIZATION --name remote',
      'portolan run npx://@acme/shell --name shell',
    ]);
    expect(lines.join()).not.to.include(SECRET);
  });

  for (const document of [
    {
      servers: { a: { command: 'uvx', args: ['notes'], env: { K: '${input:key}' } } },
      inputs: [{ id: 'key', password: true }],
    },
    { mcp: { servers: { a: { command: 'uvx', args: ['notes'], env: { K: '${input:key}' } } } } },
    { context_servers: { a: { command: { path: 'uvx', args: ['notes'] }, env: { K: '${input:key}' } } } },
    { a: { command: '/usr/local/bin/uvx', args: ['notes'], env: { K: '${input:key}' } } },
  ]) {
    it(`reads the form of ${JSON.stringify(document).slice(0, 40)}`, () => {
      expect(linesForJson(document)).to.deep.equal([
        'portolan secret set K',
        'portolan run uvx://notes --secret K,target=K --name a',
      ]);
    });
  }

  it('reads comments, trailing commas and a fragment without braces', () => {
    for (const text of [
      '{ // servers\n "mcpServers": {"a": {"command": "uvx", "args": ["notes",],},} /* end */ }',
      '"mcpServers": {"a": {"command": "uvx", "args": ["notes"]}},',
      '"a": {"command": "uvx", "args": ["notes"]}',
    ]) {
      const lines = hintOf(() => refuseForeignJson(text, 'as argument', { command: 'run', own: [] }));
      expect(lines).to.deep.equal(['portolan run uvx://notes --name a']);
    }
  });

  it('names a program of this machine that it cannot run', () => {
    const lines = linesForJson({
      mcpServers: { a: { command: 'uvx', args: ['notes'] }, b: { command: 'node', args: ['x.js'] } },
    });
    expect(lines).to.deep.equal([
      'portolan run uvx://notes --name a',
      'b starts the program node, which is no package and no image.',
    ]);
  });

  it('leaves other documents alone', () => {
    for (const text of [
      '{"schema_version":"v0.1.0","image":"a"}',
      '{}',
      '[]',
      '3',
      'no JSON',
      '{"servers":[]}',
    ])
      refuseForeignJson(text, 'x', { command: 'run', own: [] });
  });

  for (const args of [
    ['--api-key', SECRET],
    [`--token=${SECRET}`],
    ['--config', `{"apiKey":"${SECRET}"}`],
    ['--header', `Authorization: Bearer ${SECRET}`],
    [`postgresql://ada:${SECRET}@db.acme.example/x`],
    [SECRET],
    ['--database-url', `mysql://ada:${SECRET}@db/x`],
    ['--endpoint', `https://x.example/?api_key=${SECRET}`],
  ]) {
    it(`never prints the secret in ${args.join(' ').replace(SECRET, '…')}`, () => {
      const lines = linesForJson({
        mcpServers: { a: { command: 'npx', args: ['-y', '@acme/notes', ...args] } },
      });
      expect(lines.join('\n')).not.to.include(SECRET);
      expect(lines[0]).to.match(/^portolan run npx:\/\/@acme\/notes --name a -- .*"\$[A-Z_]+"$/);
    });
  }

  it('never prints the secret in the address of a remote server', () => {
    for (const url of [
      `https://x.example/mcp?api_key=${SECRET}&v=1`,
      `https://ada:${SECRET}@x.example/mcp`,
    ]) {
      const lines = linesForJson({ mcpServers: { a: { url } } });
      expect(lines.join('\n')).not.to.include(SECRET);
    }
    const [line] = linesForJson({ url: `https://x.example/mcp?api_key=${SECRET}&v=1` });
    expect(line).to.equal('portolan run "https://x.example/mcp?api_key=$API_KEY&v=1"');
  });

  it('keeps settings that only look like secrets', () => {
    const env = {
      MAX_TOKENS: '100',
      AUTH_ENABLED: 'true',
      KEY_FILE: '/keys/a.pem',
      SITE_URL: 'https://acme.example',
      TZ: 'Europe/Berlin',
    };
    const [line] = linesForJson({ command: 'uvx', args: ['notes'], env });
    expect(line).to.equal(
      'portolan run uvx://notes -e MAX_TOKENS=100 -e AUTH_ENABLED=true -e KEY_FILE=/keys/a.pem -e SITE_URL=https://acme.example -e TZ=Europe/Berlin',
    );
  });
});
