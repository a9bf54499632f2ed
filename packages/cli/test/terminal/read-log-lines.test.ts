import { directoriesOf, WorkloadStore, workloadUnknown } from '@portolan/workload';
import { expect } from 'chai';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type LogWish, readLogLines } from '../../src/terminal/read-log-lines.ts';

describe('readLogLines', () => {
  let folder: string;
  let logs: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-logs-'));
    logs = path.join(folder, 'portolan/logs');
    await mkdir(logs, { recursive: true });
    await mkdir(path.join(folder, 'portolan/statuses'));
    await writeFile(path.join(folder, 'portolan/statuses/weather.json'), '{}');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function read(name: string, wish: Partial<LogWish> = {}): Promise<readonly string[]> {
    const environment = { XDG_DATA_HOME: folder, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder };
    const facts = { platform: 'linux', environment, home: folder, temporary: folder, userId: 1 } as const;
    const directories = directoriesOf(facts);
    const store = new WorkloadStore({ directories, clock: () => new Date() });
    const signal = new AbortController().signal;
    const lines: string[] = [];
    const options: LogWish = { which: 'server', follow: false, tail: undefined, signal, ...wish };
    for await (const line of readLogLines(name, { store, directories }, options)) lines.push(line);
    return lines;
  }

  it('yields the rotated file first', async () => {
    await writeFile(path.join(logs, 'weather.server.log.1'), 'one\ntwo\n');
    await writeFile(path.join(logs, 'weather.server.log'), 'three\nfour');
    expect(await read('weather')).to.deep.equal(['one', 'two', 'three', 'four']);
  });

  it('yields the log of a member', async () => {
    await mkdir(path.join(logs, 'weather'));
    await writeFile(path.join(logs, 'weather', 'github.server.log'), 'one\n');
    expect(await read('weather/github')).to.deep.equal(['one']);
  });

  it('yields only the last lines with tail', async () => {
    await writeFile(path.join(logs, 'weather.server.log.1'), 'one\ntwo\n');
    await writeFile(path.join(logs, 'weather.server.log'), 'three\nfour\n');
    expect(await read('weather', { tail: 3 })).to.deep.equal(['two', 'three', 'four']);
    expect(await read('weather', { tail: 0 })).to.deep.equal([]);
    expect(await read('weather', { tail: 9 })).to.have.lengthOf(4);
  });

  it("yields the server's lines without or with their times", async () => {
    const at = (minute: number): string => `2026-11-21T10:0${minute}:00.000Z`;
    await writeFile(path.join(logs, 'weather.server.log.1'), `of before\n${at(1)}\tone\n`);
    await writeFile(
      path.join(logs, 'weather.server.log'),
      `${at(2)}\ttwo\n[portolan: 3 lines are missing here: full]\n${at(3)}\t\tthree\n`,
    );
    const missing = '[portolan: 3 lines are missing here: full]';
    expect(await read('weather')).to.deep.equal(['of before', 'one', 'two', missing, '\tthree']);
    expect(await read('weather', { timestamps: true })).to.deep.equal([
      '- of before',
      `${at(1)} one`,
      `${at(2)} two`,
      `${at(2)} ${missing}`,
      `${at(3)} \tthree`,
    ]);
    expect(await read('weather', { since: new Date(at(2)) })).to.deep.equal(['two', missing, '\tthree']);
    expect(await read('weather', { since: new Date(at(2)), tail: 1 })).to.deep.equal(['\tthree']);
    expect(await read('weather', { since: new Date(at(4)) })).to.deep.equal([]);
  });

  it('filters lines of the other logs by their own times', async () => {
    const line = (minute: number): string =>
      JSON.stringify({ level: 'info', time: `2026-11-21T10:0${minute}:00.000Z`, host: 'a.example' });
    for (const which of ['supervisor', 'network'] as const) {
      const file = which === 'supervisor' ? 'weather.log' : 'weather.network.log';
      await writeFile(path.join(logs, file), `${line(1)}\n${line(2)}\n`);
      const shown = await read('weather', {
        which,
        since: new Date('2026-11-21T10:01:30Z'),
        timestamps: true,
      });
      expect(shown).to.have.length(1);
      expect(shown[0]).to.include('10:02:00');
    }
  });

  it('formats the decisions of the network log', async () => {
    const event = { time: '2026-11-21T10:00:00.000Z', method: 'DNS', host: 'a.example', allowed: false };
    await writeFile(path.join(logs, 'weather.network.log'), `${JSON.stringify(event)}\n`);
    expect(await read('weather', { which: 'network' })).to.deep.equal([
      '2026-11-21T10:00:00.000Z  denied  DNS  a.example',
    ]);
  });

  it('passes every raw line to the callback `seen`, also lines that it does not yield', async () => {
    await writeFile(path.join(logs, 'weather.network.log'), 'one\n{"host":"a.example"}\n');
    const seen: string[] = [];
    const shown = await read('weather', { which: 'network', tail: 0, seen: (line) => seen.push(line) });
    expect(shown).to.deep.equal([]);
    expect(seen).to.deep.equal(['one', '{"host":"a.example"}']);
  });

  it('yields nothing for a workload without logs', async () => {
    expect(await read('weather', { which: 'supervisor' })).to.deep.equal([]);
  });

  it('throws for an unknown workload', async () => {
    const fault = await read('nobody').catch((error: unknown) => error);
    expect(fault).to.have.property('message', workloadUnknown('nobody').message);
  });
});
