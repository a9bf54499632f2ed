import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ContainerMount } from '@portolan/plugin-api';
import { expect } from 'chai';
import {
  requireSamePaths,
  resolveMounts,
  withRealPaths,
} from '../../../src/supervisor/container/resolve-mounts.ts';
import { caught } from '../../../../../test/support/caught.ts';

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'portolan-mounts-')));
  await mkdir(path.join(root, 'share/sub/deep'), { recursive: true });
  await mkdir(path.join(root, 'other'));
  await writeFile(path.join(root, 'share/file'), '');
  await symlink('share', path.join(root, 'link'));
  await symlink('../other', path.join(root, 'share/planted'));
  await symlink('share/planted', path.join(root, 'chain'));
  await symlink('loop', path.join(root, 'loop'));
});

afterEach(async () => {
  await rm(root, { recursive: true });
});

function bind(source: string, target: string, readOnly = false): ContainerMount {
  return { type: 'bind', source: path.join(root, source), target, readOnly };
}

describe('resolveMounts', () => {
  for (const [source, real] of [
    ['share', 'share'],
    ['link', 'share'],
    ['link/sub', 'share/sub'],
    ['link/file', 'share/file'],
    ['chain', 'other'],
  ] as const) {
    it(`returns ${real} as the real path of ${source}`, async () => {
      const expected = { [path.join(root, source)]: path.join(root, real) };
      expect(await resolveMounts([bind(source, '/r')])).to.deep.equal(expected);
    });
  }

  for (const source of ['none', 'link/none', 'loop']) {
    it(`rejects ${source}, which does not exist`, async () => {
      expect(await caught(() => resolveMounts([bind(source, '/r')]))).to.include({
        code: 'ERR_MOUNT_MISSING',
      });
    });
  }

  for (const { title, folder = 'share', source, target } of [
    { title: 'a folder below', source: 'share/sub', target: '/r' },
    { title: 'a file below', source: 'share/file', target: '/r' },
    { title: 'a folder two levels below', source: 'share/sub/deep', target: '/w/sub/deep' },
    { title: 'a symbolic link inside', source: 'share/planted', target: '/w/planted' },
    { title: 'a path through a symbolic link inside', source: 'chain', target: '/r' },
    {
      title: 'a path below a symbolic link to the folder',
      folder: 'link',
      source: 'share/sub',
      target: '/r',
    },
  ]) {
    it(`rejects ${title} of a folder that the workload may write`, async () => {
      const mounts = [bind(folder, '/w'), bind(source, target, true)];
      for (const order of [mounts, mounts.toReversed()])
        expect(await caught(() => resolveMounts(order))).to.include({ code: 'ERR_MOUNT_CHANGED' });
    });
  }

  it('accepts an entry mounted over itself, and paths below a read-only folder', async () => {
    await resolveMounts([bind('share', '/w'), bind('share/sub', '/w/sub', true)]);
    await resolveMounts([bind('share', '/w', true), bind('share/sub', '/r'), bind('chain', '/c')]);
    await resolveMounts([bind('share', '/w'), bind('share', '/again', true), bind('other', '/o')]);
  });
});

describe('requireSamePaths', () => {
  it('rejects a path that leads to another place than recorded', async () => {
    const error = await caught(() =>
      requireSamePaths({ '/a': '/etc', '/b': '/b' }, { '/a': '/srv', '/b': '/b' }),
    );
    expect(error).to.include({ code: 'ERR_MOUNT_CHANGED' });
    expect(error.message).to.include('/etc').and.to.include('expected /srv');
  });

  it('accepts recorded paths, and paths without a record', () => {
    requireSamePaths({ '/a': '/srv', constructor: '/x' }, { '/a': '/srv', '/gone': '/gone' });
  });
});

describe('withRealPaths', () => {
  it('replaces host paths, and keeps other mounts', () => {
    const tmpfs: ContainerMount = { type: 'tmpfs', target: '/t', readOnly: true };
    const mount: ContainerMount = { type: 'bind', source: '/a', target: '/a', readOnly: true };
    expect(withRealPaths([mount, tmpfs, { ...mount, source: '/b' }], { '/a': '/srv' })).to.deep.equal([
      { ...mount, source: '/srv' },
      tmpfs,
      { ...mount, source: '/b' },
    ]);
  });
});
