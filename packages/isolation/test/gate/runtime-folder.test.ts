import { expect } from 'chai';
import { chmod, chown, mkdir, mkdtemp, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeRuntimeFolder, type RuntimeLocation } from '../../src/gate/runtime-folder.ts';
import { skipTest } from '../../../../test/support/skip-suite.ts';

describe('makeRuntimeFolder', () => {
  let base: string;
  const uid = process.getuid?.();
  const place = (runtime?: string): RuntimeLocation => ({
    environment: { XDG_RUNTIME_DIR: runtime },
    temporary: base,
    uid,
    platform: process.platform,
  });
  beforeEach(async () => {
    base = await realpath(await mkdtemp(path.join(tmpdir(), 'pr-')));
  });
  afterEach(() => rm(base, { recursive: true }));

  it('creates a private folder below XDG_RUNTIME_DIR, or reuses it', async () => {
    for (const _ of [1, 2]) {
      const folder = await makeRuntimeFolder('a1', place(base));
      expect(folder).to.equal(path.join(base, 'portolan/a1'));
      for (const level of [folder, path.dirname(folder)])
        expect((await stat(level)).mode & 0o777).to.equal(0o700);
    }
  });

  for (const [title, runtime] of [
    ['none', undefined],
    ['a relative one', 'run'],
    ['one that is gone', '/nowhere/run'],
  ] as const) {
    it(`creates the folder below the temporary folder with ${title} in XDG_RUNTIME_DIR`, async () => {
      expect(await makeRuntimeFolder('a1', place(runtime))).to.equal(path.join(base, `portolan-${uid}/a1`));
    });
  }

  it('restricts the mode of an existing own folder', async () => {
    await mkdir(path.join(base, 'portolan'));
    await chmod(path.join(base, 'portolan'), 0o777);
    await makeRuntimeFolder('a1', place(base));
    expect((await stat(path.join(base, 'portolan'))).mode & 0o777).to.equal(0o700);
  });

  it('rejects a folder of another user', async function () {
    if (uid !== 0) skipTest(this, 'only root can give a folder away');
    await mkdir(path.join(base, 'portolan'));
    await chown(path.join(base, 'portolan'), 12_345, 12_345);
    await refuses('ERR_GATEWAY', 'a folder of user 12345');
  });

  it('rejects a symbolic link and a file', async () => {
    await mkdir(path.join(base, 'elsewhere'));
    await symlink(path.join(base, 'elsewhere'), path.join(base, 'portolan'));
    await refuses('ERR_GATEWAY', 'a symbolic link');
    await rm(path.join(base, 'portolan'));
    await writeFile(path.join(base, 'portolan'), '');
    await refuses('ERR_GATEWAY', 'a file');
  });

  it('rejects a path that is too long for a socket, and creates nothing', async () => {
    const long = path.join(base, 'x'.repeat(90));
    await mkdir(long);
    const error = await makeRuntimeFolder('a1', place(long)).catch((caught: unknown) => caught);
    expect(error).to.have.property('code', 'ERR_GATEWAY');
    expect(await stat(path.join(long, 'portolan')).catch(() => 'nothing')).to.equal('nothing');
  });

  it('measures the path in bytes, up to the exact limit', async () => {
    const rest = 107 - Buffer.byteLength(path.join(base, 'portolan', 'ingress-65535.sock')) - 1;
    const fits = `${'é'.repeat(Math.floor(rest / 2) - 1)}${rest % 2 === 0 ? 'xx' : 'xxx'}`;
    const linux: RuntimeLocation = { ...place(base), platform: 'linux' };
    expect(path.basename(await makeRuntimeFolder(fits, linux))).to.equal(fits);
    const error = await makeRuntimeFolder(`${fits}x`, linux).catch((caught: unknown) => caught);
    expect(error).to.have.property('code', 'ERR_GATEWAY');
  });

  async function refuses(code: string, found: string): Promise<void> {
    const error = await makeRuntimeFolder('a1', place(base)).catch((caught: unknown) => caught);
    expect(error).to.have.property('code', code);
    expect(String(error)).to.include(found);
  }
});
