import path from 'node:path';
import { expect } from 'chai';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { ServerOutput } from '../../src/supervisor/process/server-output.ts';

describe('ServerOutput', () => {
  const folders = new TemporaryFolders();
  afterEach(() => folders.removeAll());

  async function open(): Promise<ServerOutput> {
    const folder = await folders.make();
    const files = { server: path.join(folder, 'server.log'), network: path.join(folder, 'network.log') };
    return new ServerOutput(files, () => new Date(0));
  }

  it('W2 › keeps the missing library or program that a line named, when that line is no longer among the last lines', async () => {
    const output = await open();
    output.line('[1] Error loading shared library libssl.so.3: No such file or directory');
    for (let depth = 0; depth < 500; depth += 1) output.line(`   at frame ${depth}`);
    output.line('sh: rg: not found');
    expect(output.last.join('\n')).not.to.include('libssl');
    expect(output.missing).to.deep.equal({ kind: 'library', names: ['libssl.so.3'] });
    output.forgetLast();
    expect(output.missing).to.equal(undefined);
    await output.close();
  });

  it('W2 › finds a missing library or program in the part of a line that the last lines truncate', async () => {
    const output = await open();
    output.line(`${'x'.repeat(5000)} Error: spawn git ENOENT`);
    expect(output.missing).to.deep.equal({ kind: 'program', names: ['git'] });
    await output.close();
  });
});
