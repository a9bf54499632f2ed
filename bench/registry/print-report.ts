import { type EngineFigures, type FiguresByName, HAND_WRITTEN, type SizeFigures } from './figures.ts';
import type { Goal } from './goals.ts';
import type { ReadTimes } from './light-reader.ts';
import type { GitFigures } from './measure-git.ts';
import type { KubernetesFigures } from './measure-kubernetes.ts';
import type { StartUpFigures } from './measure-start-up.ts';
import { ratioOf } from './take-turns.ts';
import type { SyncFigures } from './watch-sync.ts';

type Row = readonly string[];

const READ_TIMES = ['reads', 'left out', 'p50 ms', 'p99 ms', 'worst ms', 'work p99 ms'];

/** Renders all figures as tables, goals last. */
export function renderReport(
  engines: readonly EngineFigures[],
  startUp: StartUpFigures,
  goals: readonly Goal[],
  {
    git,
    kubernetes,
  }: { readonly git: GitFigures | undefined; readonly kubernetes: KubernetesFigures | undefined },
): string {
  const sizes = engines.flatMap(({ engine, sizes: own }) => own.map((size) => ({ engine, size })));
  return [
    section('Cached reads, 8 connections, beside a bare server', [
      ['', 'engine', 'entries', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs', 'bare', 'ratio', 'CPU ratio'],
      ...sizes.flatMap(({ engine, size }) => besideRows(engine, size.count, size.cached, size.bare)),
    ]),
    section('Uncached reads, one at a time (scattered pages: 8 connections)', [
      ['', 'engine', 'entries', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs', 'statements'],
      ...engines.flatMap(uncachedRows),
    ]),
    section('Import, with reads of another registry meanwhile', [
      ['', 'engine', 'entries', 'seconds', 'entries/s', 'peak MB', 'reads', 'p50 ms', 'p99 ms', 'worst ms'],
      ...sizes.map(({ engine, size }) => importRow(engine, size)),
    ]),
    section('Tokens and claims: 50 classes, 200 callers who see one to three of them', [
      [
        '',
        'engine',
        'entries',
        'requests/s',
        'p50 ms',
        'p99 ms',
        'CPU µs',
        'anonymous',
        'ratio',
        'CPU ratio',
      ],
      ...engines.flatMap(({ engine, authorized }) =>
        authorized === undefined
          ? []
          : besideRows(engine, authorized.count, authorized.guarded, authorized.open),
      ),
    ]),
    section('Single versions of 1,000 names at random, 8 connections', [
      ['', 'engine', 'entries', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs'],
      ...engines.flatMap(({ engine, versions }) =>
        Object.entries(versions?.byName ?? {}).map(([name, own]) =>
          columns(name, engine, versions?.count ?? 0, own),
        ),
      ),
    ]),
    section('Admin writes, one at a time, while 8 connections read with tokens', [
      ['', 'engine', 'entries', 'writes', 'p50 ms', 'p99 ms', 'worst ms', 'reads/s', 'p99 ms'],
      ...engines.flatMap(writeRows),
    ]),
    section('Memory, MB', [
      ['', 'engine', 'entries', 'resident', 'without files', 'peak'],
      ...sizes.flatMap(({ engine, size: { count, memory, memoryUncached } }) => [
        ['after import and load', engine, entries(count), ...Object.values(memory).map(String)],
        ['restarted, without cache', engine, entries(count), ...Object.values(memoryUncached).map(String)],
      ]),
      ...engines.flatMap(({ engine, authorized }) =>
        authorized === undefined
          ? []
          : [
              [
                'with tokens, after load',
                engine,
                entries(authorized.count),
                ...Object.values(authorized.memory).map(String),
              ],
            ],
      ),
      ...engines.flatMap(({ engine, versions }) =>
        versions === undefined
          ? []
          : [
              [
                'single versions',
                engine,
                entries(versions.count),
                ...Object.values(versions.memory).map(String),
              ],
            ],
      ),
      ...engines.flatMap(({ engine, apiSync }) =>
        apiSync === undefined
          ? []
          : [
              ['without entries', engine, '0', ...Object.values(apiSync.idle).map(String)],
              [
                'after one import',
                engine,
                entries(apiSync.count),
                ...Object.values(apiSync.filled).map(String),
              ],
            ],
      ),
      ['the example', '', '', ...Object.values(startUp.memory).map(String)],
    ]),
    `Start with the example: ${fixed(startUp.firstAnswerSeconds)} s to the first answer, ${fixed(startUp.firstEntriesSeconds)} s to the first entries\n`,
    section('A source of another registry beside the same rows from a file', [
      ['', 'engine', 'entries', 'seconds', 'CPU s', 'over idle MB'],
      ...engines.flatMap(apiSyncRows),
    ]),
    ...engines.map(({ engine, apiSync }) =>
      apiSync === undefined
        ? ''
        : `Memory over idle meanwhile, ${engine}, MB: ${apiSync.first.curveMb.map((mb) => mb.toFixed(0)).join(' ')}\n`,
    ),
    ...engines.map(({ engine, apiSync }) =>
      apiSync === undefined ? '' : `Size of the database, ${engine}: ${fixed(apiSync.databaseMb)} MB\n`,
    ),
    section('Reads of another registry during a sync', [
      ['', 'engine', 'entries', 'seconds', ...READ_TIMES],
      ...engines.flatMap(syncReadRows),
    ]),
    section('Pages for people, one at a time', [
      ['', 'engine', 'entries', 'p50 ms', 'p99 ms', 'CPU ms'],
      ...engines.flatMap(pageRows),
    ]),
    section('Reads of the API, fifty a second, alone and beside pages', [
      ['', 'engine', ...READ_TIMES, 'pages/s'],
      ...engines.flatMap(besidePagesRows),
    ]),
    git === undefined
      ? ''
      : section('A git source of 2,000 files beside git by itself', [
          ['', 'ms', 'CPU ms', 'bare ms', 'bare CPU ms', 'ratio'],
          ['nothing changed', fixed(git.unchangedMs), fixed(git.unchangedCpuMs), '', '', ''],
          [
            'one file read, and changed',
            ...[git.changedMs, git.changedCpuMs, git.bareMs, git.bareCpuMs, git.ratio].map(fixed),
          ],
          ['all files read, one changed', fixed(git.folderMs), '', '', '', ''],
        ]),
    kubernetes === undefined
      ? ''
      : section(`A Kubernetes source of ${kubernetes.objects} Services on a real API server`, [
          ['', 'ms', 'slowest ms', 'CPU ms', 'heap MB'],
          [
            'all are listed',
            fixed(kubernetes.listMs),
            '',
            fixed(kubernetes.listCpuMs),
            fixed(kubernetes.listHeapMb),
          ],
          ['a change is told', fixed(kubernetes.ringMs), fixed(kubernetes.slowestRingMs), '', ''],
          ['a change of a status', '', '', fixed(kubernetes.silentCpuMs), ''],
        ]),
    section('Goals', [
      ['', 'engine', 'goal', 'measured', ''],
      ...goals.map(({ what, engine, sense, limit, measured, unit, passes }) => [
        what,
        engine,
        `${sense} ${limit} ${unit}`,
        `${fixed(measured)} ${unit}`,
        passes ? 'pass' : 'FAIL',
      ]),
    ]),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** Renders figures next to those of another server. */
function besideRows(
  engine: string,
  count: number,
  figures: FiguresByName,
  others: FiguresByName,
): readonly Row[] {
  return Object.entries(figures).map(([name, own]) => {
    const other = others[name];
    const cpu = (other?.cpuUsPerRequest ?? Number.NaN) / (own.cpuUsPerRequest ?? Number.NaN);
    const rate = Math.round(other?.requestsPerSecond ?? Number.NaN).toLocaleString('en');
    return [...columns(name, engine, count, own), rate, fixed(ratioOf(own, other)), fixed(cpu)];
  });
}

function apiSyncRows({ engine, apiSync }: EngineFigures): readonly Row[] {
  if (apiSync === undefined) return [];
  const { count, file, first, stubCpuSeconds, incremental, full } = apiSync;
  const row = (name: string, { seconds, cpuSeconds, curveMb }: SyncFigures): Row => {
    return [name, engine, entries(count), fixed(seconds), fixed(cpuSeconds), fixed(Math.max(...curveMb))];
  };
  return [
    row('from a file', file),
    row('from a registry, 1,000 a page', first),
    ['of that the other side', engine, entries(count), '', fixed(stubCpuSeconds), ''],
    row('what has changed: nothing', incremental),
    row('everything again, unchanged', full),
  ];
}

function syncReadRows({ engine, syncReads }: EngineFigures): readonly Row[] {
  if (syncReads === undefined) return [];
  const { count, calm, during } = syncReads;
  return [
    ['nothing is synced', engine, entries(count), '', ...timesRow(calm)],
    ...Object.entries(during).map(([what, { seconds, reads }]) => [
      what,
      engine,
      entries(count),
      fixed(seconds),
      ...timesRow(reads),
    ]),
  ];
}

function pageRows({ engine, pages }: EngineFigures): readonly Row[] {
  if (pages === undefined) return [];
  const { count, coldMs, byPage } = pages;
  return [
    ['registry, nobody has asked before', engine, entries(count), fixed(coldMs), '', ''],
    ...Object.entries(byPage).map(([name, { p50Ms, p99Ms, cpuMs }]) => [
      name,
      engine,
      entries(count),
      ...[p50Ms, p99Ms, cpuMs].map(fixed),
    ]),
  ];
}

function besidePagesRows({ engine, pages }: EngineFigures): readonly Row[] {
  if (pages === undefined) return [];
  const { alone, beside, pagesPerSecond } = pages;
  return [
    ['alone', engine, ...timesRow(alone), ''],
    ['beside pages', engine, ...timesRow(beside), pagesPerSecond.toFixed(0)],
  ];
}

function timesRow({ count, leftOut, p50Ms, p99Ms, worstMs, workP99Ms }: ReadTimes): Row {
  return [String(count), String(leftOut), ...[p50Ms, p99Ms, worstMs, workP99Ms].map(fixed)];
}

function writeRows({ engine, authorized }: EngineFigures): readonly Row[] {
  return Object.entries(authorized?.writes ?? {}).map(([name, figures]) => {
    const { count, p50Ms, p99Ms, worstMs, readsPerSecond, readsP99Ms } = figures;
    const rate = Math.round(readsPerSecond).toLocaleString('en');
    const times = [p50Ms, p99Ms, worstMs].map(fixed);
    return [name, engine, entries(authorized?.count ?? 0), String(count), ...times, rate, fixed(readsP99Ms)];
  });
}

function uncachedRows({ engine, sizes, statements }: EngineFigures): readonly Row[] {
  return sizes.flatMap(({ count, uncached }) =>
    Object.entries(uncached).map(([name, own]) => [
      ...columns(name, engine, count, own),
      name === HAND_WRITTEN ? '1' : String(statements?.[name]?.median ?? ''),
    ]),
  );
}

function columns(name: string, engine: string, count: number, figures: FiguresByName[string]): Row {
  const { requestsPerSecond, p50Ms, p99Ms, cpuUsPerRequest } = figures;
  return [
    name,
    engine,
    entries(count),
    Math.round(requestsPerSecond).toLocaleString('en'),
    fixed(p50Ms),
    fixed(p99Ms),
    cpuUsPerRequest === undefined ? '' : String(Math.round(cpuUsPerRequest)),
  ];
}

function importRow(engine: string, { count, import: figures }: SizeFigures): Row {
  const { seconds, entriesPerSecond, peakMb, reads } = figures;
  const times = [reads.p50Ms, reads.p99Ms, reads.worstMs].map(fixed);
  return [
    'import',
    engine,
    entries(count),
    fixed(seconds),
    String(entriesPerSecond),
    fixed(peakMb),
    String(reads.count),
    ...times,
  ];
}

/** Renders an aligned table: the first column left, numbers right. Empty without figures. */
function section(title: string, rows: readonly Row[]): string {
  if (rows.length < 2) return '';
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  return `${title}\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function entries(count: number): string {
  return count.toLocaleString('en');
}

function fixed(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
