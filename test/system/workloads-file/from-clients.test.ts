import { randomBytes } from 'node:crypto';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import type { Finished } from '../../support/command-line.ts';
import { giveSecretStore } from '../../support/own-secrets.ts';
import { WorkloadUser } from '../../support/workload-user.ts';
import { TOOL_PROGRAM } from '../run/support/tool-program.ts';

const PASSWORD = 'a password of these tests';
const [CURSOR, CODEX, CONTINUE] = ['.cursor/mcp.json', '.codex/config.toml', '.continue/config.yaml'];

interface MovedDocument {
  readonly workloads: readonly { readonly name: string; readonly action: string; readonly url?: string }[];
  readonly moving: readonly { readonly client: string; readonly entry: string; readonly workload: string }[];
  readonly staying: readonly { readonly client: string; readonly entry: string; readonly because: string }[];
  readonly secrets: readonly string[];
}

describe('apply --from-clients', function () {
  this.timeout(300_000);
  let user: WorkloadUser;
  let id: string;
  let token: string;

  before(async function () {
    const opened = await WorkloadUser.open(this);
    user = await WorkloadUser.at(opened.runtime, { PORTOLAN_SECRETS_PASSWORD: PASSWORD });
    await opened.close();
    await giveSecretStore(user.root, PASSWORD);
    await writeFile(path.join(user.root, 'tool.js'), TOOL_PROGRAM);
  });
  beforeEach(() => {
    id = randomBytes(4).toString('hex');
    token = `sk-${randomBytes(12).toString('hex')}`;
  });
  afterEach(async () => {
    await user.removeLeft();
    await Promise.all([CURSOR, CODEX, CONTINUE].map(async (file) => await write(file, '')));
  });
  after(async () => await user?.close());

  const at = (file: string): string => path.join(home(), file);
  const home = (): string => user.environment['HOME'] ?? user.root;

  async function write(file: string, text: string): Promise<void> {
    await mkdir(path.dirname(at(file)), { recursive: true });
    await writeFile(at(file), text, { mode: 0o600 });
  }

  /** Words with which clients start the server in an unprotected container. */
  const words = (): readonly string[] => [
    'run',
    '-i',
    '--rm',
    '-eAPI_TOKEN',
    '-v',
    `${path.join(user.root, 'tool.js')}:/srv/tool.js:ro`,
    'portolan-test/node:latest',
    'node',
    '/srv/tool.js',
  ];

  const cursorEntry = (who: string): object => ({
    command: 'docker',
    args: words(),
    env: { API_TOKEN: token, WHO: who },
  });

  async function writeAll(): Promise<void> {
    const servers = {
      [`tools-${id}`]: cursorEntry('cursor'),
      local: { command: '/opt/acme/server', args: ['--quick'] },
      argument: { command: 'npx', args: ['-y', '@acme/notes', '--api-key', token] },
      off: { ...cursorEntry('off'), disabled: true },
    };
    await write(CURSOR, `// servers of ${id}\n${JSON.stringify({ mcpServers: servers }, undefined, 2)}\n`);
    await write(
      CODEX,
      `model = "x" # stays\n\n[mcp_servers.tools-${id}]\ncommand = "docker"\nargs = ${JSON.stringify(words())}\n` +
        `env = { WHO = "codex", API_TOKEN = "${token}-2" }\n`,
    );
    await write(
      CONTINUE,
      `name: mine # stays\nmcpServers:\n  - name: notes-${id}\n    command: docker\n    args: ${JSON.stringify(words())}\n` +
        `    env: { WHO: continue, API_TOKEN: ${token} }\n`,
    );
  }

  async function apply(...flags: readonly string[]): Promise<MovedDocument & Pick<Finished, 'stderr'>> {
    const named = ['--from-clients', 'cursor,codex,continue', '--format', 'json'];
    const { status, stdout, stderr } = await user.portolan(['apply', ...named, ...flags]);
    expect(status, stderr).to.equal(0);
    expect(stdout + stderr).not.to.include(token);
    // SAFETY: output of Portolan. A test that reads a missing field fails.
    return { ...(JSON.parse(stdout) as MovedDocument), stderr };
  }

  it('apply --from-clients › moves servers of JSON, TOML and YAML files, and their secrets into the store', async () => {
    await writeAll();
    const files = async (): Promise<readonly string[]> =>
      await Promise.all([CURSOR, CODEX, CONTINUE].map(async (file) => await readFile(at(file), 'utf8')));
    const before = await files();
    const planned = await apply('--dry-run');
    expect(planned.workloads.map(({ action }) => action)).to.deep.equal(['create', 'create', 'create']);
    expect(await user.list()).to.deep.equal([]);

    const moved = await apply('--yes');
    expect(moved.moving.map(({ client, workload }) => `${client} ${workload}`)).to.deep.equal([
      `cursor tools-${id}`,
      `codex tools-${id}-codex`,
      `continue notes-${id}`,
    ]);
    expect(moved.staying.map(({ entry }) => entry)).to.deep.equal(['local', 'argument', 'off']);
    const [local, argument, off] = moved.staying.map(({ because }) => because);
    expect(local).to.include('the program /opt/acme/server, which is no package, image or URL');
    expect(argument).to.include('its arguments or its address have a secret');
    expect(off).to.equal('it is disabled');
    expect(moved.secrets).to.deep.equal(['API_TOKEN', `TOOLS_${id.toUpperCase()}_CODEX_API_TOKEN`]);
    expect(moved.stderr).to.include('still runs unprotected, in addition to the workload');
    expect(await files(), 'without --replace the files stay').to.deep.equal(before);
    expect(await user.done('secret', 'get', 'API_TOKEN')).to.equal(`${token}\n`);
    expect(await user.done('mcp', 'call', `tools-${id}-codex`, 'say')).to.match(/^codex say /);
    const config = await readFile(
      path.join(user.root, 'state/portolan/runconfigs', `tools-${id}.json`),
      'utf8',
    );
    expect(config).not.to.include(token);
    expect(config).to.include('API_TOKEN,target=API_TOKEN');

    const replaced = await apply('--yes', '--replace');
    expect(replaced.workloads.map(({ action }) => action)).to.deep.equal(['keep', 'keep', 'keep']);
    expect(replaced.secrets).to.deep.equal([]);
    const [json = '', toml = '', yaml = ''] = await files();
    const urls = Object.fromEntries((await user.list()).map(({ name, url }) => [name, url]));
    expect(json).to.match(new RegExp(`^// servers of ${id}\n`));
    expect(JSON.parse(json.replace(/^.*\n/, ''))).to.have.nested.property(
      `mcpServers.tools-${id}.url`,
      urls[`tools-${id}`],
    );
    expect(json).to.include('/opt/acme/server');
    expect(toml).to.equal(
      `model = "x" # stays\n\n[mcp_servers.tools-${id}-codex]\nurl = "${urls[`tools-${id}-codex`]}"\n`,
    );
    expect(yaml)
      .to.match(/^name: mine # stays\n/)
      .and.to.include(urls[`notes-${id}`]);
    expect(toml + yaml).not.to.include(token);
    for (const [index, file] of [CURSOR, CODEX, CONTINUE].entries()) {
      expect(await readFile(`${at(file)}.bak`, 'utf8')).to.equal(before[index]);
      expect((await stat(`${at(file)}.bak`)).mode % 0o1000).to.equal(0o600);
    }
    expect((await apply('--yes')).moving, 'workloads are no foreign servers').to.deep.equal([]);
    for (const secret of moved.secrets) await user.done('secret', 'delete', secret);
  });

  it('apply --from-clients › leaves the entry and no secret of a server that does not start', async () => {
    const broken = {
      command: 'docker',
      args: [...words().slice(0, -1), '/srv/absent.js'],
      env: { API_TOKEN: token },
    };
    await write(CURSOR, JSON.stringify({ mcpServers: { [`broken-${id}`]: broken } }));
    const before = await readFile(at(CURSOR), 'utf8');
    const finished = await user.portolan(['apply', '--from-clients', 'cursor', '--replace', '--yes']);
    expect(finished.status, finished.stderr).to.equal(1);
    expect(await readFile(at(CURSOR), 'utf8')).to.equal(before);
    expect(await user.done('secret', 'list')).not.to.include('API_TOKEN');
    expect(await user.list()).to.deep.equal([]);
  });

  it('apply --from-clients › refuses an existing workload of the name with other settings', async () => {
    await user.run(
      `--name=tools-${id}`,
      '--transport=stdio',
      `-v${path.join(user.root, 'tool.js')}:/srv/tool.js:ro`,
      'portolan-test/node',
      '--',
      'node',
      '/srv/tool.js',
    );
    await write(CURSOR, JSON.stringify({ mcpServers: { [`tools-${id}`]: cursorEntry('cursor') } }));
    const finished = await user.portolan(['apply', '--from-clients', 'cursor', '--yes']);
    expect(finished.status).to.equal(1);
    expect(finished.stderr).to.include(`A workload tools-${id} with other settings exists`);
    expect(await user.done('secret', 'list')).not.to.include('API_TOKEN');
  });

  for (const { title, flags, message } of [
    {
      title: 'a file and clients',
      flags: ['-f', 'a.yaml', '--from-clients', 'cursor'],
      message: 'found -f and --from-clients',
    },
    { title: 'neither', flags: [], message: 'found no file and no clients' },
    {
      title: '--prune with clients',
      flags: ['--from-clients', 'cursor', '--prune'],
      message: '--prune: found --from-clients',
    },
    {
      title: '--replace with a file',
      flags: ['-f', 'a.yaml', '--replace'],
      message: '--replace: found -f FILE',
    },
    { title: 'an unknown client', flags: ['--from-clients', 'cursr'], message: 'There is no client "cursr"' },
  ]) {
    it(`apply --from-clients › refuses ${title} when the flags are checked`, async () => {
      const { status, stderr } = await user.portolan(['apply', ...flags, '--yes']);
      expect(status).to.equal(2);
      expect(stderr).to.include(message);
    });
  }
});
