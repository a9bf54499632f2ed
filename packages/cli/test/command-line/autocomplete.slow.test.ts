import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type CommandOptions, type Finished, runPortolan } from '../../../../test/support/command-line.ts';

describe('portolan autocomplete', function () {
  this.timeout(120_000);

  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-autocomplete-'));
  });
  after(async () => {
    await rm(folder, { recursive: true, force: true });
  });
  const autocomplete = (args: readonly string[], options: CommandOptions = {}): Promise<Finished> =>
    runPortolan(['autocomplete', ...args], { env: { HOME: folder, XDG_CACHE_HOME: folder }, ...options });

  /** Returns the completions of bash for words; the last word is incomplete. */
  async function complete(...words: readonly string[]): Promise<readonly string[]> {
    const { stdout: setup } = await autocomplete(['script', 'bash']);
    const typed = words.map((word) => `'${word}'`).join(' ');
    const script = `${setup}
COMP_WORDS=(portolan ${typed}); COMP_CWORD=${words.length}; _portolan_autocomplete; echo "\${COMPREPLY[*]}"`;
    const { stdout } = await promisify(execFile)('bash', ['-c', script]);
    return [...new Set(stdout.trim().split(' '))];
  }

  it('writes functions that complete commands, commands of a topic and flags in bash', async () => {
    const { status, stdout } = await autocomplete(['bash']);
    expect(status).to.equal(0);
    expect(stdout).to.include('portolan autocomplete script bash');
    expect(await complete('')).to.include.members(['run', 'config', 'autocomplete']);
    expect(await complete('restar')).to.deep.equal(['restart']);
    expect(await complete('config', 'ch')).to.deep.equal(['check']);
    expect(await complete('run', '--isolate')).to.deep.equal(['--isolate-network']);
    expect(await complete('config', 'check', '--conf')).to.deep.equal(['--config']);
  });

  it('refreshes the functions without instructions', async () => {
    expect(await autocomplete(['--refresh-cache'], { env: { HOME: folder, SHELL: '/bin/bash' } })).to.include(
      {
        status: 0,
        stdout: '',
      },
    );
  });

  it('rejects a shell without support, and lists the supported ones', async () => {
    const { status, stderr } = await autocomplete(['fish']);
    expect(status).to.equal(2);
    expect(stderr).to.include('expected fish to be one of: zsh, bash, powershell');
  });
});
