import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isPortolanError } from '@portolan/plugin-api';
import { expectedBuildVariable } from '@portolan/run-spec';
import { expect } from 'chai';
import { findForeignWords } from '../../src/foreign-command/foreign-words.ts';
import {
  refuseForeignTarget,
  refuseForeignText,
  refuseForeignWords,
} from '../../src/foreign-command/refuse-foreign-command.ts';
import { exitStatusOf } from '../../src/command-line/exit-status.ts';
import { runFlags } from '../../src/command-line/flags/run-flags.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';

/**
 * Returns the lines of the hint for `portolan run WORDS`; undefined if the words are no foreign command line.
 */
function linesFor(...argv: readonly string[]): readonly string[] | undefined {
  const words = findForeignWords(argv, runFlags);
  return words === undefined ? undefined : hintOf(() => refuseForeignWords(words, 'run'));
}

async function linesForJson(document: unknown): Promise<readonly string[]> {
  return await linesForText(JSON.stringify(document));
}

async function linesForText(text: string): Promise<readonly string[]> {
  return await hintBehind(refuseForeignText(text, 'in mcp.json', { command: 'run', own: [] }));
}

async function hintBehind(refused: Promise<void>): Promise<readonly string[]> {
  const error = await refused.then(
    () => new Error('nothing was refused'),
    (thrown: unknown) => thrown,
  );
  return hintOf(() => {
    throw error;
  });
}

/** Returns the hint of a line without a command of Portolan. */
function adviceFor(line: string): string {
  const words = findForeignWords(line.split(' '), runFlags);
  if (words === undefined) throw new Error('no foreign words');
  let hint: string | undefined;
  expect(() => {
    try {
      refuseForeignWords(words, 'run');
    } catch (error) {
      hint = isPortolanError(error) ? error.hint : undefined;
      throw error;
    }
  }).to.throw('which has neither a package of an index nor an image');
  return hint ?? '';
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

describe('portolan run with README command lines (radar 1305)', () => {
  const folders = new TemporaryFolders();
  after(() => folders.removeAll());

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
    ['npx --yes --package=@acme/notes notes --port 3', 'portolan run npx://@acme/notes -- --port 3'],
    ['$ npx -y @acme/notes', 'portolan run npx://@acme/notes'],
    ['cmd /c npx -y @acme/notes', 'portolan run npx://@acme/notes'],
    ['cmd.exe /C npx.cmd -y @acme/notes', 'portolan run npx://@acme/notes'],
    ['sudo docker run -i --rm acme/notes:1', 'portolan run acme/notes:1'],
    ['env REGION=eu npx -y @acme/notes', 'portolan run npx://@acme/notes -e REGION=eu'],
    [
      `NOTES_KEY=${SECRET} REGION=eu uvx notes`,
      'portolan secret set NOTES_KEY',
      'portolan run uvx://notes --secret NOTES_KEY,target=NOTES_KEY -e REGION=eu',
    ],
    ['deno run -A npm:@acme/notes --port 3', 'portolan run npx://@acme/notes -- --port 3'],
    ['deno run --allow-all npm:/@acme/notes@1.0.0', 'portolan run npx://@acme/notes@1.0.0'],
    ['pipx run notes', 'portolan run uvx://notes'],
    [
      'docker run -i --rm -v /srv/a:/a --network host acme/notes:1',
      'portolan run acme/notes:1 -v /srv/a:/a --network host',
    ],
    ['npx -y ./local', 'portolan run npx://./local'],
    ['npx /srv/notes --x', 'portolan run npx:///srv/notes -- --x'],
    ['uvx --from ./local notes', 'portolan run uvx://./local#notes'],
    ['npx -y github:acme/notes', 'git clone https://github.com/acme/notes', 'portolan run npx://./notes'],
    [
      'npx acme/notes#v2',
      'git clone --branch v2 https://github.com/acme/notes',
      'portolan run npx://./notes',
    ],
    [
      'uvx --from git+https://example.org/acme/notes.git notes start',
      'git clone https://example.org/acme/notes',
      'portolan run uvx://./notes#notes -- start',
    ],
    [
      'uvx --from git+https://example.org/acme/notes@0123abc#subdirectory=src/mcp notes',
      'git clone https://example.org/acme/notes',
      'git -C notes checkout 0123abc',
      'portolan run uvx://./notes/src/mcp#notes',
    ],
    ['claude mcp add notes -- npx -y @acme/notes', 'portolan run npx://@acme/notes --name notes'],
    [
      `claude mcp add --scope user notes -e REGION=eu -e NOTES_KEY=${SECRET} -- npx -y @acme/notes`,
      'portolan secret set NOTES_KEY',
      'portolan run npx://@acme/notes -e REGION=eu --secret NOTES_KEY,target=NOTES_KEY --name notes',
    ],
    [
      'claude mcp add --transport http notes https://mcp.acme.example/mcp',
      'portolan run https://mcp.acme.example/mcp --name notes',
    ],
    [
      'claude mcp add notes -t sse https://mcp.acme.example/sse',
      'portolan run https://mcp.acme.example/sse --transport sse --name notes',
    ],
    [
      'codex mcp add notes --env LEVEL=1 -- docker run -i --rm -e LEVEL acme/notes:1',
      'portolan run acme/notes:1 -e LEVEL=1 --name notes',
    ],
    [
      'codex mcp add notes --url https://mcp.acme.example/mcp',
      'portolan run https://mcp.acme.example/mcp --name notes',
    ],
    ['gemini mcp add -s user notes npx -y @acme/notes', 'portolan run npx://@acme/notes --name notes'],
    [
      'kiro-cli mcp add --name notes --command uvx --args notes,-v',
      'portolan run uvx://notes --name notes -- -v',
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

  it('translates a command line that is one quoted word', () => {
    expect(linesFor('npx -y @acme/notes')).to.deep.equal(['portolan run npx://@acme/notes']);
    expect(linesFor(`docker run -i -e "GREETING=good day" -e A='b' \\\n  acme/notes:1 a\\ b`)).to.deep.equal([
      "portolan run acme/notes:1 -e 'GREETING=good day' -e A=b -- 'a b'",
    ]);
  });

  const SERVER = '{"name":"notes","command":"npx","args":["-y","@acme/notes"]}';
  for (const line of [
    ['code', '--add-mcp', SERVER],
    ['code-insiders', '--add-mcp', SERVER],
    ['claude', 'mcp', 'add-json', 'notes', SERVER],
    ['claude', 'mcp', 'add-json', '-s', 'user', 'notes', '{"command":"npx","args":["-y","@acme/notes"]}'],
  ]) {
    it(`translates ${line.slice(0, 3).join(' ').slice(0, 30)}`, () => {
      expect(linesFor(...line)).to.deep.equal(['portolan run npx://@acme/notes --name notes']);
    });
  }

  it('hides the header of a remote server in an `mcp add` command', () => {
    const line = 'claude mcp add --transport http notes https://mcp.acme.example/mcp --header';
    const lines = linesFor(...line.split(' '), `Authorization: Bearer ${SECRET}`);
    expect(lines?.slice(0, 2)).to.deep.equal([
      'portolan secret set AUTHORIZATION',
      'portolan run https://mcp.acme.example/mcp --remote-forward-headers-secret Authorization=AUTHORIZATION --name notes',
    ]);
  });

  for (const [line, ...expected] of [
    [
      'npx -y --registry=https://npm.acme.example @acme/notes',
      'portolan config set-build-env NPM_CONFIG_REGISTRY https://npm.acme.example',
      'portolan run npx://@acme/notes',
    ],
    [
      'uvx --index-url https://a.example/simple --extra-index-url https://b.example/simple notes',
      'portolan config set-build-env UV_DEFAULT_INDEX https://a.example/simple',
      'portolan config set-build-env UV_INDEX https://b.example/simple',
      'portolan run uvx://notes',
    ],
    [
      'uvx --index https://a.example/simple --index https://b.example/simple notes',
      "portolan config set-build-env UV_INDEX 'https://a.example/simple https://b.example/simple'",
      'portolan run uvx://notes',
    ],
    [
      `uvx --default-index https://ada:${SECRET}@a.example/simple notes`,
      'portolan secret set UV_DEFAULT_INDEX',
      'portolan config set-build-env UV_DEFAULT_INDEX --from-secret UV_DEFAULT_INDEX',
      'portolan run uvx://notes',
    ],
    [
      'npm_config_registry=https://npm.acme.example npx -y @acme/notes',
      'portolan config set-build-env NPM_CONFIG_REGISTRY https://npm.acme.example',
      'portolan run npx://@acme/notes',
    ],
    [
      'npx -y --@acme:registry=https://npm.acme.example @acme/notes',
      'npm config set @acme:registry=https://npm.acme.example',
      'portolan run npx://@acme/notes',
    ],
  ] as const) {
    it(`suggests the setting of the package index for ${line.replace(SECRET, '…')}`, () => {
      const lines = linesFor(...line.split(' ')) ?? [];
      expect(lines.slice(0, expected.length)).to.deep.equal(expected);
      for (const [, name = ''] of lines.join('\n').matchAll(/config set-build-env (\w+)/g))
        expect(expectedBuildVariable(name)).to.equal(undefined);
      expect(lines.join('\n')).not.to.include(SECRET);
    });
  }

  it('translates mcp-remote to the remote server, with its header as a secret', () => {
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

  // mcp-remote 38, blockscout 416
  const URL_OF_ACME = 'https://mcp.acme.example/mcp';
  for (const { title, words, run } of [
    {
      title: 'mcp-remote 38: every header of mcp-remote',
      words: ['npx', 'mcp-remote', URL_OF_ACME, '--header', 'x-team: a', '--header', 'x-area:b'],
      run: `${URL_OF_ACME} --remote-forward-headers x-team=a --remote-forward-headers x-area=b`,
    },
    {
      title: 'blockscout 416: the headers of mcp-proxy, whose name and value are two words',
      words: ['uvx', 'mcp-proxy', '--transport', 'streamablehttp', '--headers', 'x-team', 'a', URL_OF_ACME],
      run: `${URL_OF_ACME} --remote-forward-headers x-team=a`,
    },
    {
      title: 'the default transport of mcp-proxy',
      words: ['uvx', 'mcp-proxy', URL_OF_ACME],
      run: `${URL_OF_ACME} --transport sse`,
    },
    {
      title: 'the transport of supergateway',
      words: ['npx', '-y', 'supergateway', '--sse', 'https://acme.example/events'],
      run: 'https://acme.example/events --transport sse',
    },
    {
      title: 'the transport of mcp-remote',
      words: ['npx', 'mcp-remote@latest', URL_OF_ACME, '--transport', 'sse-only'],
      run: `${URL_OF_ACME} --transport sse`,
    },
  ]) {
    it(`translates ${title}`, () => {
      expect(linesFor(...words)).to.deep.equal([`portolan run ${run}`]);
    });
  }

  it('translates the token of supergateway to a secret', () => {
    const lines = linesFor('npx', 'supergateway', '--streamableHttp', URL_OF_ACME, '--oauth2Bearer', SECRET);
    expect(lines?.slice(0, 2)).to.deep.equal([
      'portolan secret set AUTHORIZATION',
      `portolan run ${URL_OF_ACME} --remote-forward-headers-secret Authorization=AUTHORIZATION`,
    ]);
    expect(lines?.join('\n')).to.not.include(SECRET);
  });

  it('mounts the files and folders that arguments name', () => {
    const folder = import.meta.dirname;
    expect(linesFor('npx', '-y', '@acme/files', folder, '/no/such/folder')).to.deep.equal([
      `portolan run npx://@acme/files -v ${folder}:${folder} -- ${folder} /no/such/folder`,
    ]);
  });

  it('lists the options that it leaves out', () => {
    const lines =
      linesFor('docker', 'run', '--privileged', '--shm-size', '1g', '-v', '/data', 'acme/notes:1') ?? [];
    expect(lines[0]).to.equal('portolan run acme/notes:1');
    expect(lines.slice(1)).to.have.lengthOf(3);
    expect(lines.join()).to.include('--permission-profile').and.include('--shm-size').and.include('-v /data');
  });

  for (const line of [
    'uvx --from git+ssh://git@example.org/a b',
    'npx -y https://example.org/notes.tgz',
    'docker run -i',
  ]) {
    it(`rejects ${line} without a suggested command`, () => {
      expect(adviceFor(line)).to.match(/^name the package or image of the server/);
    });
  }

  for (const [line, advice] of [
    ['node /no/such/build/index.js', 'portolan run npx://./FOLDER'],
    ['python -m mcp_server_git', 'portolan run uvx://mcp-server-git'],
    ['python3 /no/such/server.py', 'portolan run uvx://./FOLDER'],
    ['uv --directory /no/such run server.py', 'portolan run uvx://./FOLDER'],
    ['uv run --with mcp mcp run /no/such/server.py', '[project.scripts]'],
    ['deno run jsr:@acme/notes', 'portolan run npx://PACKAGE'],
    ['deno run -A --config deno.json jsr:@acme/notes@1 --port 3', 'modules of JSR'],
    ['deno serve jsr:@acme/notes', 'modules of JSR'],
    ['deno x jsr:@acme/notes', 'portolan run IMAGE:TAG'],
    ['deno install -g jsr:@acme/notes', 'modules of JSR'],
    ['npx jsr:@acme/notes', 'modules of JSR'],
    ['bunx jsr:@acme/notes', 'modules of JSR'],
    ['pnpm dlx jsr:@acme/notes', 'modules of JSR'],
    ['deno run https://deno.land/x/notes/mod.ts', 'modules of a URL'],
    ['go run /no/such/main.go', 'portolan run go://./FOLDER'],
    ['pip install mcp-server-git', 'portolan run uvx://mcp-server-git'],
    ['npm install -g @acme/notes', 'portolan run npx://@acme/notes'],
    ['docker compose up -d', 'portolan run IMAGE:TAG'],
    [
      'npx -y @smithery/cli install @acme/notes --client claude',
      'adds a server to the configuration of a client',
    ],
  ] as const) {
    it(`gives advice for ${line}`, () => {
      expect(adviceFor(line)).to.include(advice);
    });
  }

  it('builds the folder of a program that its package names', async () => {
    const folder = await folders.make();
    const bin = { notes: 'build/index.js', admin: './build/admin.js' };
    await writeFile(path.join(folder, 'package.json'), JSON.stringify({ name: '@acme/notes', bin }));
    expect(linesFor('node', `${folder}/build/index.js`, '--x')).to.deep.equal([
      `portolan run npx://${folder}#notes -- --x`,
    ]);
    expect(adviceFor(`node ${folder}/build/other.js`)).to.include('"bin" in its package.json names other.js');
    await writeFile(path.join(folder, 'pyproject.toml'), '[project]\nname = "notes"\n');
    expect(linesFor('uv', '--directory', folder, 'run', 'notes', '--x')).to.deep.equal([
      `portolan run uvx://${folder}#notes -- --x`,
    ]);
    expect(adviceFor(`uv --directory ${folder} run server.py`)).to.include(`portolan run uvx://${folder}`);
    await writeFile(path.join(folder, 'go.mod'), 'module example.org/notes\n');
    expect(linesFor('go', 'run', `${folder}/main.go`)).to.deep.equal([`portolan run go://${folder}`]);
  });

  for (const line of [
    'npx',
    'docker',
    'docker -e A=b',
    'docker --name run',
    '--name npx acme/notes:1',
    'acme/notes:1 -- npx -y x',
    'npx://x',
    '-e npx uvx',
    'node',
    'python --name x',
    'node -e A=b',
    'python -- -m x',
    'mcp',
    'sudo',
    'A=b',
    'claude mcp',
  ]) {
    it(`does not take ${line} for a command line of another program`, () => {
      expect(linesFor(...line.split(' '))).to.equal(undefined);
    });
  }
});

describe('portolan run with client configurations (radar 1305)', () => {
  const REMOTE = 'https://mcp.acme.example/mcp';

  it('fills headers of mcp-remote from the variables of the file, without secrets', async () => {
    const args = ['-y', 'mcp-remote', REMOTE, '--header', 'Authorization:${AUTH_HEADER}'];
    const more = ['--header', 'x-slug: ${SLUG}', '--header', 'x-own: ${ACME_API_KEY}'];
    const env = {
      AUTH_HEADER: 'Bearer abc',
      SLUG: 'team-a',
      ACME_API_KEY: 'plain',
      MCP_REMOTE_CONFIG_DIR: '/tmp',
    };
    const lines = await linesForJson({
      mcpServers: { acme: { command: 'npx', args: [...args, ...more], env } },
    });
    expect(lines).to.deep.equal([
      'portolan secret set AUTHORIZATION',
      'portolan secret set X_OWN',
      `portolan run ${REMOTE} --remote-forward-headers-secret Authorization=AUTHORIZATION --remote-forward-headers x-slug=team-a --remote-forward-headers-secret x-own=X_OWN --name acme`,
      'The secret AUTHORIZATION is the whole value of the header Authorization.',
      'The secret X_OWN is the whole value of the header x-own.',
      'Left out: the variable MCP_REMOTE_CONFIG_DIR, because a remote server has none.',
    ]);
  });

  it('claude-code 6204: names secrets of several servers after the servers when their values differ', async () => {
    const headers = (value: string) => ({ url: REMOTE, headers: { Authorization: value } });
    const local = (value: string) => ({ command: 'uvx', args: ['notes'], env: { API_KEY: value } });
    const lines = await linesForJson({
      mcpServers: {
        'df-core': headers('Bearer ${MCP_TOKEN}'),
        other: headers('Bearer ${OTHER_TOKEN}'),
        a: local('value-of-both'),
        b: local('value-of-both'),
      },
    });
    expect(lines.slice(0, 7)).to.deep.equal([
      'portolan secret set DF_CORE_AUTHORIZATION',
      `portolan run ${REMOTE} --remote-forward-headers-secret Authorization=DF_CORE_AUTHORIZATION --name df-core`,
      'portolan secret set OTHER_AUTHORIZATION',
      `portolan run ${REMOTE} --remote-forward-headers-secret Authorization=OTHER_AUTHORIZATION --name other`,
      'portolan secret set API_KEY',
      'portolan run uvx://notes --secret API_KEY,target=API_KEY --name a',
      'portolan run uvx://notes --secret API_KEY,target=API_KEY --name b',
    ]);
    expect(lines).to.include(
      'The secret DF_CORE_AUTHORIZATION is the whole value of the header Authorization.',
    );
  });

  it('gives the variables of servers in containers the names of the servers, too', async () => {
    const local = (value: string) => ({ command: 'uvx', args: ['notes'], env: { API_KEY: value } });
    const lines = await linesForJson({ mcpServers: { a: local('one-value'), b: local('another') } });
    expect(lines).to.include('portolan run uvx://notes --secret A_API_KEY,target=API_KEY --name a');
    expect(lines).to.include('portolan run uvx://notes --secret B_API_KEY,target=API_KEY --name b');
  });

  it('compares whole tokens of supergateway, also those with a `=`', async () => {
    const bridge = (token: string) => ({
      command: 'npx',
      args: ['supergateway', '--streamableHttp', REMOTE, `--oauth2Bearer=${token}`],
    });
    const lines = await linesForJson({ mcpServers: { a: bridge('part=1'), b: bridge('part=2') } });
    expect(lines).to.include('portolan secret set A_AUTHORIZATION');
    expect(lines).to.include('portolan secret set B_AUTHORIZATION');
  });

  it('translates each server of a client configuration', async () => {
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
    const lines = await linesForJson(document);
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
    { 'amp.mcpServers': { a: { command: 'uvx', args: ['notes'], env: { K: '${input:key}' } } } },
    { mcp: { a: { type: 'local', command: ['uvx', 'notes'], environment: { K: '${input:key}' } } } },
    { mcpServers: [{ name: 'a', command: 'uvx', args: ['notes'], env: { K: '${input:key}' } }] },
    { extensions: { a: { type: 'stdio', cmd: 'uvx', args: ['notes'], envs: { K: '${input:key}' } } } },
    { name: 'a', command: 'uvx', args: ['notes'], env: { K: '${input:key}' } },
  ]) {
    it(`parses the form of ${JSON.stringify(document).slice(0, 40)}`, async () => {
      expect(await linesForJson(document)).to.deep.equal([
        'portolan secret set K',
        'portolan run uvx://notes --secret K,target=K --name a',
      ]);
    });
  }

  for (const text of [
    '[mcp_servers.a]\ncommand = "uvx"\nargs = ["notes"]\n\n[mcp_servers.a.env]\nK = "${input:key}"\n',
    '[[mcp_servers]]\nname = "a"\ncommand = "uvx"\nargs = ["notes"]\nenv = { K = "${input:key}" }\n',
    'mcpServers:\n  - name: a\n    command: uvx\n    args: [notes]\n    env:\n      K: ${input:key}\n',
    'extensions:\n  a:\n    type: stdio\n    cmd: uvx\n    args: [notes]\n    envs: { K: "${input:key}" }\n',
  ]) {
    it(`parses the text ${JSON.stringify(text).slice(0, 30)}`, async () => {
      expect(await linesForText(text)).to.deep.equal([
        'portolan secret set K',
        'portolan run uvx://notes --secret K,target=K --name a',
      ]);
    });
  }

  it('parses command lines on standard input', async () => {
    expect(await linesForText('$ npx -y \\\n  @acme/notes\n')).to.deep.equal([
      'portolan run npx://@acme/notes',
    ]);
  });

  it('replaces client inputs and variables in arguments, variables and addresses with shell variables', async () => {
    const inputs = [{ id: 'team', type: 'promptString' }];
    const servers = {
      a: {
        command: 'npx',
        args: ['-y', '@acme/notes', '--team', '${input:team}', '${env:PLACE}/x', '${LEVEL:-1}'],
        env: { TEAM: '${TEAM_NAME}' },
      },
      b: { url: 'https://mcp.acme.example/${input:team}/mcp' },
    };
    const lines = await linesForJson({ inputs, servers });
    expect(lines.slice(0, 2)).to.deep.equal([
      'portolan run npx://@acme/notes -e TEAM="$TEAM_NAME" --name a -- --team "$TEAM" "$PLACE/x" "$LEVEL"',
      'portolan run "https://mcp.acme.example/$TEAM/mcp" --name b',
    ]);
    expect(lines.slice(2).join()).to.include('$TEAM replaces').and.include('$TEAM_NAME replaces');
  });

  const LINK_SERVER = '{"command":"uvx","args":["notes"]}';
  for (const link of [
    `cursor://anysphere.cursor-deeplink/mcp/install?name=a&config=${Buffer.from(LINK_SERVER).toString('base64')}`,
    `https://cursor.com/en/install-mcp?name=a&config=${encodeURIComponent(Buffer.from(LINK_SERVER).toString('base64'))}`,
    `vscode:mcp/install?${encodeURIComponent(`{"name":"a",${LINK_SERVER.slice(1)}`)}`,
    `https://insiders.vscode.dev/redirect/mcp/install?name=a&config=${encodeURIComponent(LINK_SERVER)}`,
    `https://vscode.dev/redirect?url=${encodeURIComponent(`vscode:mcp/install?${encodeURIComponent(`{"name":"a",${LINK_SERVER.slice(1)}`)}`)}`,
  ]) {
    it(`parses the link ${link.slice(0, 40)}`, async () => {
      const typed = { command: 'run', own: [] };
      expect(await hintBehind(refuseForeignTarget(link, typed, process.stdin))).to.deep.equal([
        'portolan run uvx://notes --name a',
      ]);
    });
  }

  it('parses comments, trailing commas and a fragment without braces', async () => {
    for (const text of [
      '{ // servers\n "mcpServers": {"a": {"command": "uvx", "args": ["notes",],},} /* end */ }',
      '"mcpServers": {"a": {"command": "uvx", "args": ["notes"]}},',
      '"a": {"command": "uvx", "args": ["notes"]}',
    ]) {
      expect(await linesForText(text)).to.deep.equal(['portolan run uvx://notes --name a']);
    }
  });

  it('names a local program that it cannot run', async () => {
    const lines = await linesForJson({
      mcpServers: { a: { command: 'uvx', args: ['notes'] }, b: { command: 'node', args: ['/no/such/x.js'] } },
    });
    expect(lines).to.deep.equal([
      'portolan run uvx://notes --name a',
      'b starts the program node, which is neither a package nor an image: Portolan builds the folder of the project: ' +
        '`portolan run npx://./FOLDER`; "bin" in its package.json names x.js.',
    ]);
  });

  it('ignores documents that are not client configurations', async () => {
    for (const text of [
      '{"schema_version":"v0.1.0","image":"a"}',
      '{}',
      '[]',
      '3',
      'no JSON',
      '{"servers":[]}',
    ])
      await refuseForeignText(text, 'x', { command: 'run', own: [] });
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
    it(`never prints the secret in ${args.join(' ').replace(SECRET, '…')}`, async () => {
      const lines = await linesForJson({
        mcpServers: { a: { command: 'npx', args: ['-y', '@acme/notes', ...args] } },
      });
      expect(lines.join('\n')).not.to.include(SECRET);
      expect(lines[0]).to.match(/^portolan run npx:\/\/@acme\/notes --name a -- .*"\$[A-Z_]+"$/);
    });
  }

  it('never prints the secret in the address of a remote server', async () => {
    for (const url of [
      `https://x.example/mcp?api_key=${SECRET}&v=1`,
      `https://ada:${SECRET}@x.example/mcp`,
    ]) {
      const lines = await linesForJson({ mcpServers: { a: { url } } });
      expect(lines.join('\n')).not.to.include(SECRET);
    }
    const [line] = await linesForJson({ url: `https://x.example/mcp?api_key=${SECRET}&v=1` });
    expect(line).to.equal('portolan run "https://x.example/mcp?api_key=$API_KEY&v=1"');
  });

  it('keeps settings that only resemble secrets', async () => {
    const env = {
      MAX_TOKENS: '100',
      AUTH_ENABLED: 'true',
      KEY_FILE: '/keys/a.pem',
      SITE_URL: 'https://acme.example',
      TZ: 'Europe/Berlin',
    };
    const [line] = await linesForJson({ command: 'uvx', args: ['notes'], env });
    expect(line).to.equal(
      'portolan run uvx://notes -e MAX_TOKENS=100 -e AUTH_ENABLED=true -e KEY_FILE=/keys/a.pem -e SITE_URL=https://acme.example -e TZ=Europe/Berlin',
    );
  });
});
