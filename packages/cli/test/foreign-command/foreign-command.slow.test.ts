import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { joinForShell } from '../../src/foreign-command/shell-words.ts';
import { runPortolan } from '../../../../test/support/command-line.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';

const execute = promisify(execFile);

describe('portolan run with a command line of another program (radar 1305)', function () {
  this.timeout(180_000); // starts processes
  const folders = new TemporaryFolders();
  after(() => folders.removeAll());

  for (const argv of [
    ['run', 'npx', '-y', '@acme/notes'],
    ['plan', 'docker', 'run', '-i', '--rm', '-e', 'TOKEN', 'acme/notes:1'],
    ['run', '{"mcpServers":{"a":{"command":"npx","args":["-y","@acme/notes"]}}}'],
  ]) {
    it(`exits with status 2 and suggests the command for ${argv.join(' ').slice(0, 40)}`, async () => {
      const { status, stdout, stderr } = await runPortolan(argv);
      expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
      expect(stderr).to.match(
        new RegExp(`^  portolan ${argv[0]} (?:npx://@acme/notes|acme/notes:1 --secret)`, 'm'),
      );
    });
  }

  it("reads a client's file as the target and with --from-config", async () => {
    const file = path.join(await folders.make(), 'mcp.json');
    await writeFile(file, '{"servers":{"a":{"command":"uvx","args":["notes"]}}}');
    for (const argv of [[file], ['--from-config', file]]) {
      const { status, stderr } = await runPortolan(['run', ...argv]);
      expect(status, stderr).to.equal(2);
      expect(stderr).to.include('  portolan run uvx://notes --name a\n');
    }
  });

  it("reads a client's configuration on standard input, as the target and with --from-config", async () => {
    const stdin = '{"mcpServers":{"a":{"command":"uvx","args":["notes"]}}}';
    for (const argv of [
      ['run', '-'],
      ['run', '--from-config', '-'],
      ['plan', '--from-config', '-'],
    ]) {
      const { status, stderr } = await runPortolan(argv, { stdin });
      expect(status, stderr).to.equal(2);
      expect(stderr).to.include(`  portolan ${argv[0]} uvx://notes --name a\n`);
    }
  });

  it("reads a TOML file and a command line, and keeps the user's flags", async () => {
    const file = path.join(await folders.make(), 'config.toml');
    await writeFile(file, '[mcp_servers.a]\ncommand = "uvx"\nargs = ["notes"]\n');
    const own = ['run', '--name', 'b', '-e', 'LEVEL=1'];
    for (const [argv, stdin] of [[[...own, file]], [[...own, '-'], 'uvx notes']] as const) {
      const { status, stderr } = await runPortolan(argv, stdin === undefined ? {} : { stdin });
      expect(status, stderr).to.equal(2);
      expect(stderr).to.include('  portolan run --name b uvx://notes -e LEVEL=1\n');
    }
    const { stderr } = await runPortolan(['run', '--from-config', file]);
    expect(stderr).to.include('  portolan run uvx://notes --name a\n');
  });

  it('suggests -e NAME for a variable of the environment, and fails if it is not set', async () => {
    const argv = ['plan', 'acme/notes:1', '--format', 'json', '-e', 'NOTES_LEVEL'];
    const { status, stderr } = await runPortolan(argv);
    expect(status).to.equal(2);
    expect(stderr).to.include('no variable "NOTES_LEVEL"');
    const set = await runPortolan(argv, { env: { NOTES_LEVEL: 'hi=gh' } });
    expect(set.stderr).not.to.include('NOTES_LEVEL');
  });

  it('quotes every word for a shell', async () => {
    const words = [
      "it's",
      '$(id)',
      '`id`',
      'a b',
      '"x"',
      '"$(id)"',
      '"$HOME`id`"',
      '#x',
      '~/x',
      'a\nb',
      '',
      '*',
      '!x',
      'a;b',
      '\\',
    ];
    const { stdout } = await execute(
      'sh',
      ['-c', `for word in ${joinForShell(words)}; do printf '%s\\0' "$word"; done`],
      {
        env: { HOME: '/home/ada' },
      },
    );
    const expected = words.map((word) => (word === '~/x' ? '/home/ada/x' : word));
    expect(stdout.split('\0').slice(0, -1)).to.deep.equal(expected);
  });
});
