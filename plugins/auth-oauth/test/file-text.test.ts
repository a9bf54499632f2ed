import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { FileText, MAX_BYTES } from '../src/config/file-text.ts';
import { skipTest } from '../../../test/support/skip-suite.ts';

describe('FileText', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-test-'));
    file = path.join(folder, 'secret');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const refusal = async (which: string): Promise<unknown> => {
    const error: unknown = await new FileText(which).read().catch((reason: unknown) => reason);
    return [Object(error).code, Object(error).message];
  };

  it('returns the current content of the file, trimmed', async () => {
    const text = new FileText(file);
    await writeFile(file, ' one\n');
    expect([await text.read(), await text.read()]).to.deep.equal(['one', 'one']);
    await writeFile(file, 'another\n');
    expect(await text.read()).to.equal('another');
  });

  it('rejects files above the size limit, including endless devices', async function () {
    await writeFile(file, 'x'.repeat(MAX_BYTES + 1));
    expect((await refusal(file))?.toString())
      .to.contain('ERR_OAUTH_CONFIG')
      .and.contain(`larger than ${MAX_BYTES}`);
    if (!existsSync('/dev/zero')) skipTest(this, 'no /dev/zero on this machine');
    expect((await refusal('/dev/zero'))?.toString())
      .to.contain('ERR_OAUTH_CONFIG')
      .and.contain(`larger than ${MAX_BYTES}`);
  });

  it('rejects an empty or missing file', async () => {
    await writeFile(file, ' \n');
    expect((await refusal(file))?.toString()).to.contain('is empty');
    expect((await refusal(path.join(folder, 'none')))?.toString()).to.contain('ENOENT');
  });
});
