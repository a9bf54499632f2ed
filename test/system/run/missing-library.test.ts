import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { OwnBaseImage } from '../../support/own-base-image.ts';
import { WorkloadUser } from '../../support/workload-user.ts';

/** Output of a .NET program without ICU: a long stack follows the message. */
const ICU_MISSING = `console.error("Process terminated.");
console.error("Couldn't find a valid ICU package installed on the system. Please install libicu (or icu-libs) using your package manager and try again.");
for (let depth = 0; depth < 200; depth++) console.error("   at Acme.Notes.Frame" + depth + "()");
process.exitCode = 0;`;

describe('a server that fails because a library is missing', function () {
  this.timeout(180_000); // The hook builds an image.
  let user: WorkloadUser;
  let base: OwnBaseImage | undefined;
  let folder: string;

  before(async function () {
    user = await WorkloadUser.open(this);
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-icu-'));
    await writeFile(path.join(folder, 'package.json'), '{"name":"icu","version":"1.0.0","main":"index.js"}');
    await writeFile(path.join(folder, 'index.js'), ICU_MISSING);
  });
  after(async () => {
    await user?.removeLeft();
    await base?.remove();
    await user?.close();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  it('W2 › names the package of its Linux release that contains the library, wherever the output names the library', async () => {
    const release = 'ID=debian\\nVERSION_ID="13"\\nVERSION_CODENAME=trixie\\n';
    const lines = `USER 0:0\nRUN printf '${release}' > /etc/os-release\n`;
    base = await OwnBaseImage.make(user.runtime, 'portolan-test/node', lines);
    const words = ['run', `npx://${folder}`, '--name', 'icu-missing', '--runtime-image', base.reference];
    const { status, stderr } = await user.portolan(words);
    expect(status, stderr).to.equal(1);
    expect(stderr).to.include('The server needs libicu, which its image does not have.');
    expect(stderr).to.include('`--runtime-add-package libicu76`').and.include('`--runtime-image IMAGE`');
    await user.removeLeft();
    await user.expectNoTraces();
  });
});
