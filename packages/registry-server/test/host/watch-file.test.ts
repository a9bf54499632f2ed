import { appendFile, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { type WatchOptions, watchFile } from '../../src/host/watch-file.ts';

describe('watchFile', () => {
  const folders = new TemporaryFolders();
  let folder: string;
  let file: string;
  let stopping: AbortController;
  let watching: Promise<void>;
  /** What stood in the file each time that it was told. */
  let told: string[];
  let unreadable: number;

  beforeEach(async () => {
    folder = await folders.make();
    file = path.join(folder, 'config.yaml');
    await writeFile(file, 'first');
    stopping = new AbortController();
    told = [];
    unreadable = 0;
  });
  afterEach(async () => {
    stopping.abort();
    await watching;
    await folders.removeAll();
  });

  /** Begins to watch, and waits for the first look to be told. */
  async function watch(more: Partial<WatchOptions> = {}): Promise<void> {
    const changed = async (): Promise<'taken'> => {
      told.push(readFileSync(file, 'utf8'));
      return 'taken';
    };
    const options = {
      file,
      changed,
      unreadable: () => void (unreadable += 1),
      lookEveryMs: 5,
      laterMs: 5,
      ...more,
    };
    watching = watchFile(options, stopping.signal);
    await expectTold('first');
  }
  /** In one step: a file that is written in place is empty for a moment, which is told too; not where that is one turn. */
  async function replace(content: string): Promise<void> {
    await writeFile(`${file}~`, content);
    await rename(`${file}~`, file);
  }
  const expectTold = (...contents: readonly string[]): Promise<unknown> =>
    eventually(async () => expect(told).to.deep.equal(contents));

  it('reports the first content and every changed content, for any kind of replacement', async () => {
    await watch();
    writeFileSync(file, 'second');
    await expectTold('first', 'second');
    // As editors do.
    await writeFile(`${file}~`, 'third');
    await rename(`${file}~`, file);
    await expectTold('first', 'second', 'third');
    await rm(file);
    await eventually(async () => expect(unreadable).to.equal(1));
    writeFileSync(file, 'fourth');
    await expectTold('first', 'second', 'third', 'fourth');
    expect(unreadable).to.equal(1);
  });

  it('follows changed symbolic links, as Kubernetes changes volumes', async () => {
    for (const [version, text] of [
      ['1', 'first'],
      ['2', 'second'],
    ] as const) {
      await mkdir(path.join(folder, version));
      await writeFile(path.join(folder, version, 'config.yaml'), text);
    }
    await rm(file);
    await symlink('1', path.join(folder, '..data'));
    await symlink('..data/config.yaml', file);
    await watch();
    await symlink('2', path.join(folder, '..data_tmp'));
    await rename(path.join(folder, '..data_tmp'), path.join(folder, '..data'));
    await rm(path.join(folder, '1'), { recursive: true });
    await expectTold('first', 'second');
  });

  it('waits until a file is written completely', async () => {
    const lookEveryMs = 300;
    await watch({ lookEveryMs });
    // What a busy machine leaves as it is from one look to the next may be told: then it is tried again.
    for (let [round, isSlow] = [1, true]; isSlow; round += 1) {
      isSlow = false;
      const from = told.length;
      writeFileSync(file, `${round}`);
      for (let [part, before] = [0, performance.now()]; part < 20; part += 1) {
        await appendFile(file, 'b');
        const now = performance.now();
        isSlow ||= now - before >= lookEveryMs / 2;
        before = now;
      }
      const whole = `${round}${'b'.repeat(20)}`;
      await eventually(() => expect(told.at(-1)).to.equal(whole));
      if (!isSlow) expect(told.slice(from)).to.deep.equal([whole]);
    }
  });

  it('does not report an unchanged content', async () => {
    await watch();
    writeFileSync(file, 'first');
    await writeFile(`${file}~`, 'first');
    await rename(`${file}~`, file);
    writeFileSync(file, 'second');
    await expectTold('first', 'second');
  });

  it('retries a content that could not be applied now, but not a rejected one', async () => {
    const answers = ['taken', 'later', 'later', 'taken', 'refused', 'taken'] as const;
    await watch({
      changed: async () => {
        const answer = answers[told.length] ?? 'taken';
        told.push(readFileSync(file, 'utf8'));
        return answer;
      },
    });
    await replace('second');
    await expectTold('first', 'second', 'second', 'second');
    await replace('broken');
    await expectTold('first', 'second', 'second', 'second', 'broken');
    await replace('third');
    await expectTold('first', 'second', 'second', 'second', 'broken', 'third');
  });
});
