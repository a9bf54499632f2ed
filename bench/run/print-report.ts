import type { Goal, RunFigures } from './goals.ts';
import type { RunTimes } from './measure-run.ts';

/** Renders the figures as text. */
export function renderReport(figures: RunFigures, goals: readonly Goal[]): string {
  const { bareMs, isolated, open, policed, memory, many } = figures;
  const lines = [
    `docker run, attached, to the answer to initialize: ${whole(bareMs)} ms`,
    `portolan run, isolated:     ${parts(isolated)}`,
    `portolan run, not isolated: ${parts(open)}`,
    `portolan run, isolated, all policies: ${parts(policed)}`,
    `idle supervisor: ${tenth(memory.privateDirtyMb)} MB private and written, ${tenth(memory.residentMb)} MB resident`,
    `${many.count} at once: all answered after ${tenth(many.allReadySeconds)} s, all removed in ${tenth(many.allRemovedSeconds)} s, supervisors ${tenth(many.privateDirtyMb)} MB`,
    '',
    ...goals.map(
      ({ what, limit, measured, unit, passes }) =>
        `${passes ? 'met   ' : 'MISSED'}  ${what}: ${whole(measured)} ${unit} (at most ${limit})`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function parts({ supervisor, gateway, container, ready, listed }: RunTimes): string {
  const steps: readonly (readonly [string, number | undefined])[] = [
    ['supervisor starts', supervisor],
    ['gateway made', gateway],
    ['server started', container],
    ['URL printed', ready],
    ['tools listed', listed],
  ];
  return steps.flatMap(([what, at]) => (at === undefined ? [] : [`${what} ${whole(at)} ms`])).join(', ');
}

function whole(value: number): string {
  return value.toFixed(0);
}

function tenth(value: number): string {
  return value.toFixed(1);
}
