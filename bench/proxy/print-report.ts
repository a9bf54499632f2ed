import type { GroupFigures, MemoryFigures, TurnsByTarget } from './figures.ts';
import type { Goal } from './goals.ts';
import { figure, ratio, type Turn } from './take-proxy-turns.ts';

type Row = readonly string[];

const HEAD: Row = ['', 'calls/s', 'p50 ms', 'p99 ms', 'CPU µs', 'with children', 'CPU ratio', 'calls ratio'];

/** Renders all figures as tables, goals last. Ratios are relative to the lower bound of the group. */
export function renderReport(groups: readonly GroupFigures[], goals: readonly Goal[]): string {
  const tables = groups.flatMap(({ name, turns, memory }) => [
    ...[...turns].map(([shape, targets]) => section(`${name}, ${shape}`, [HEAD, ...turnRows(targets)])),
    section(`${name}: sessions and memory`, [
      ['', 'opening ms', 'idle MB', 'with 100 sessions MB'],
      ...[...memory].map(memoryRow),
    ]),
  ]);
  const verdicts = goals.map(({ what, sense, limit, measured, unit, passes, floor }) => [
    passes ? 'met' : 'FAIL',
    what,
    `${measured.toFixed(2)} ${unit}`,
    `${sense} ${limit} ${unit}`,
    floor === undefined ? '' : `the floor: ${floor.toFixed(2)} ${unit}`,
  ]);
  return [...tables, section('Goals', verdicts)].join('\n');
}

function turnRows(targets: TurnsByTarget): readonly Row[] {
  const floor = targets.get('floor') ?? [];
  return [...targets].map(([name, turns]) => turnRow(name, turns, floor));
}

function turnRow(name: string, turns: readonly Turn[], floor: readonly Turn[]): Row {
  return [
    name,
    figure(turns, 'callsPerSecond').toFixed(0),
    figure(turns, 'p50Ms').toFixed(2),
    figure(turns, 'p99Ms').toFixed(1),
    figure(turns, 'cpuUs').toFixed(0),
    figure(turns, 'treeCpuUs').toFixed(0),
    ratio(turns, floor, 'cpuUs').toFixed(2),
    ratio(turns, floor, 'callsPerSecond').toFixed(2),
  ];
}

function memoryRow([name, { openMs, idleMb, with100Mb }]: readonly [string, MemoryFigures]): Row {
  return [name, openMs.toFixed(1), idleMb.toFixed(0), with100Mb?.toFixed(0) ?? ''];
}

function section(title: string, rows: readonly Row[]): string {
  const widths = (rows[0] ?? []).map((_cell, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${title}\n${lines.map((line) => `  ${line}\n`).join('')}`;
}
