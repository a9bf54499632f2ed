import { appendFile, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, inTime, leavesNothingOpen } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { signatureAt } from '../src/file-signature.ts';
import { type WatchFileOptions, watchFile } from '../src/watch-file.ts';

/** Watches while the action runs; `seen` waits for that many signs, in all. */
async function watching(
  path: string,
  action: (seen: (count: number) => Promise<void>) => Promise<void>,
  options: Omit<WatchFileOptions, 'since'> = {},
): Promise<number> {
  return leavesNothingOpen(async () => {
    const stop = new AbortController();
    let count = 0;
    const since = await signatureAt(path);
    const watch = (async () => {
      for await (const _ of watchFile(path, stop.signal, { ...options, since })) count += 1;
    })();
    try {
      await action(async (expected) => {
        await eventually(() => expect(count).to.be.at.least(expected));
      });
    } finally {
      stop.abort();
      await inTime('the end of the watch', watch);
    }
    return count;
  });
}

async function replace(path: string, text: string): Promise<void> {
  await writeFile(`${path}.next`, text);
  await rename(`${path}.next`, path);
}

describe('watchFile', () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portolan-watch-'));
    file = join(folder, 'catalogue.json');
    await writeFile(file, 'one');
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  const changes: readonly { title: string; change: () => Promise<unknown> }[] = [
    { title: 'is written in place', change: () => writeFile(file, 'two') },
    { title: 'is written with the same text', change: () => writeFile(file, 'one') },
    { title: 'grows', change: () => appendFile(file, ' more') },
    { title: 'is replaced by renaming', change: () => replace(file, 'two') },
    { title: 'is removed', change: () => rm(file) },
    {
      title: 'is moved away and written anew, as editors do',
      change: async () => {
        await rename(file, `${file}~`);
        await writeFile(file, 'two');
      },
    },
    {
      title: 'is gone with its folder',
      change: () => rm(folder, { recursive: true }),
    },
  ];
  for (const { title, change } of changes) {
    it(`yields when the file ${title}`, async () => {
      await watching(file, async (seen) => {
        await change();
        await seen(1);
      });
    });
  }

  it('continues after removal and return of the file', async () => {
    await watching(file, async (seen) => {
      await rm(file);
      await seen(1);
      await writeFile(file, 'two');
      await seen(2);
      await replace(file, 'three');
      await seen(3);
    });
  });

  it('continues after removal and return of the folder', async () => {
    await watching(file, async (seen) => {
      await rm(folder, { recursive: true });
      await seen(1);
      await mkdir(folder);
      await writeFile(file, 'two');
      await seen(2);
      await writeFile(file, 'three');
      await seen(3);
    });
  });

  it('starts before file and folder exist', async () => {
    const later = join(folder, 'later');
    const unwatched: unknown[] = [];
    await watching(
      join(later, 'catalogue.json'),
      async (seen) => {
        await mkdir(later);
        await writeFile(join(later, 'catalogue.json'), 'one');
        await seen(1);
      },
      { onUnwatched: (error) => unwatched.push(error) },
    );
    expect(unwatched).to.have.lengthOf(1);
  });

  it('yields when a mounted configuration (ConfigMap) swaps its link', async () => {
    // As Kubernetes lays out a ConfigMap: file → ..data/file, ..data → ..<time>.
    await rm(file);
    for (const [name, text] of [
      ['..2026_01', 'one'],
      ['..2026_02', 'two'],
    ] as const) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, 'catalogue.json'), text);
    }
    await symlink('..2026_01', join(folder, '..data'));
    await symlink('..data/catalogue.json', file);
    await watching(file, async (seen) => {
      await symlink('..2026_02', join(folder, '..data_tmp'));
      await rename(join(folder, '..data_tmp'), join(folder, '..data'));
      await rm(join(folder, '..2026_01'), { recursive: true });
      await seen(1);
    });
  });

  it('yields when the target of a link to another folder changes', async () => {
    const elsewhere = join(folder, 'elsewhere');
    await mkdir(elsewhere);
    await writeFile(join(elsewhere, 'real.json'), 'one');
    await rm(file);
    await symlink(join('elsewhere', 'real.json'), file);
    await watching(file, async (seen) => {
      await replace(join(elsewhere, 'real.json'), 'two');
      await seen(1);
    });
  });

  it('yields when a link to the folder is replaced', async () => {
    await mkdir(join(folder, 'v1'));
    await mkdir(join(folder, 'v2'));
    await writeFile(join(folder, 'v1', 'catalogue.json'), 'one');
    await writeFile(join(folder, 'v2', 'catalogue.json'), 'two');
    await symlink('v1', join(folder, 'current'));
    await watching(join(folder, 'current', 'catalogue.json'), async (seen) => {
      await symlink('v2', join(folder, 'next'));
      await rename(join(folder, 'next'), join(folder, 'current'));
      await seen(1);
    });
  });

  it('does not yield for other files of the folder', async () => {
    const count = await watching(file, async (seen) => {
      for (let round = 0; round < 5; round += 1) await writeFile(join(folder, `other-${round}.db`), 'x');
      await replace(file, 'two');
      await seen(1);
    });
    expect(count).to.equal(1);
  });

  it('yields at once when the file differs from what its reader knows', async () => {
    const stop = new AbortController();
    const watch = watchFile(file, stop.signal, { since: 'another file' });
    expect(await inTime('a sign', watch.next())).to.deep.equal({ done: false, value: undefined });
    stop.abort();
    expect((await inTime('the end', watch.next())).done).to.equal(true);
  });

  it('loses no change while its consumer is busy', async () => {
    const stop = new AbortController();
    const watch = watchFile(file, stop.signal, { since: await signatureAt(file) });
    const first = watch.next();
    await writeFile(file, 'two!');
    await inTime('the first sign', first);
    await writeFile(file, 'three');
    expect((await inTime('the second sign', watch.next())).done).to.equal(false);
    stop.abort();
    await watch.return();
  });

  it('yields for a file that changes continuously', async () => {
    await watching(file, async (seen) => {
      const stop = new AbortController();
      const writer = (async () => {
        while (!stop.signal.aborted) await appendFile(file, '.');
      })();
      try {
        await seen(2);
      } finally {
        stop.abort();
        await writer;
      }
    });
  });

  it('ends at once when the signal has already aborted', async () => {
    expect((await watchFile(file, AbortSignal.abort()).next()).done).to.equal(true);
  });

  it('closes all watchers when its consumer stops', async () => {
    await leavesNothingOpen(async () => {
      for await (const _ of watchFile(file, new AbortController().signal, { since: 'another file' })) break;
    });
  });
});
