import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ADD_USERS } from '../src/user-entries.ts';

const run = promisify(execFile);

describe('user entries of built images', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-users-'));
  });
  afterEach(async () => {
    await rm(root, { recursive: true });
  });

  /** Returns the lines of `/etc/passwd` and `/etc/group` after the script. */
  async function addUsers(...ids: readonly string[]): Promise<Readonly<Record<string, readonly string[]>>> {
    const script = ['set -eu', ...ADD_USERS, 'portolan_users "$@"'].join('\n');
    await run('/bin/sh', ['-c', script, 'portolan', root, ...ids]);
    const lines = async (file: string): Promise<readonly string[]> =>
      (await readFile(path.join(root, 'etc', file), 'utf8')).replace(/\n$/, '').split('\n');
    return { passwd: await lines('passwd'), group: await lines('group') };
  }

  it('are added with a home folder in an image without any', async () => {
    expect(await addUsers('65532:65532', '1000:1000')).to.deep.equal({
      passwd: ['user65532:x:65532:65532::/tmp:/bin/sh', 'user1000:x:1000:1000::/tmp:/bin/sh'],
      group: ['user65532:x:65532:', 'user1000:x:1000:'],
    });
  });

  it('keep existing names, get a home folder, and leave others unchanged', async () => {
    await mkdir(path.join(root, 'etc'));
    await writeFile(
      path.join(root, 'etc/passwd'),
      'root:x:0:0:root:/root:/bin/bash\nnode:x:1000:1000:A, B,,,:/home/node:/bin/bash\nmail:x:8:8:mail:/var/mail:',
    );
    await writeFile(path.join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:');
    const added = await addUsers('65532:65532', '0:0', '1000:1000');
    expect(added).to.deep.equal({
      passwd: [
        'root:x:0:0:root:/tmp:/bin/bash',
        'node:x:1000:1000:A, B,,,:/tmp:/bin/bash',
        'mail:x:8:8:mail:/var/mail:',
        'user65532:x:65532:65532::/tmp:/bin/sh',
      ],
      group: ['root:x:0:', 'node:x:1000:', 'user65532:x:65532:'],
    });
  });
});
