import { expect } from 'chai';
import { DefinitionComparer, takeBaseline } from '../../src/index.ts';
import { TOOL } from '../support/definitions.ts';

const TOOLS = 500;

function makeTools(): readonly unknown[] {
  return Array.from({ length: TOOLS }, (_, at) => ({
    ...TOOL,
    name: `tool_${at}`,
    description: `${at}: ${'Searches the code of all repositories that the user may see. '.repeat(10)}`,
  }));
}

/** Writes JSON as `json.dumps` of Python does, with blanks after commas and colons. */
function writePython(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writePython).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${writePython(one)}`);
  return `{${members.join(', ')}}`;
}

/** Returns the least processor time of a call in milliseconds, because other processes disturb single runs. */
function cpuOf(work: (run: number) => void): number {
  const times = Array.from({ length: 30 }, (_, run) => {
    const start = process.cpuUsage();
    work(run);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

describe('speed of comparisons', () => {
  const tools = makeTools();
  const { baseline } = takeBaseline({ tools });
  const rows: readonly (readonly [title: string, text: (run: number) => string])[] = [
    ['text of JavaScript', (run) => JSON.stringify([...tools.slice(run), ...tools.slice(0, run)])],
    ['text of Python', (run) => writePython(tools).replace('tool_0', `tool_${TOOLS + run}`)],
    ['text with indentation', (run) => JSON.stringify(tools, undefined, (run % 9) + 1)],
    ['list with one new tool', (run) => JSON.stringify([...tools, { ...TOOL, name: `new_${run}` }])],
    [
      'list with ten changed tools',
      (run) =>
        JSON.stringify(
          tools.map((one, at) => (at % 50 === 0 ? { ...(one as object), title: `${run}` } : one)),
        ),
    ],
  ];
  for (const [title, textOf] of rows) {
    it(`DefinitionComparer › compares 500 tools in at most 15 ms: ${title}`, () => {
      const comparer = new DefinitionComparer(baseline);
      const texts = Array.from({ length: 30 }, (_, run) => textOf(run));
      const first = cpuOf((run) => comparer.compareList('tool', texts[run] ?? ''));
      expect(first).to.be.at.most(15);
      if (process.env['PORTOLAN_SHOW_TIMES'] === '1') console.log(`${title}: ${first.toFixed(2)} ms`);
    });
  }

  it('DefinitionComparer › compares 500 tools with the last bytes in at most 2 ms', () => {
    const comparer = new DefinitionComparer(baseline);
    // Each text is a string of its own, as the text of each response is.
    const texts = Array.from({ length: 30 }, () => JSON.stringify(tools));
    comparer.compareList('tool', JSON.stringify(tools));
    const again = cpuOf((run) => comparer.compareList('tool', texts[run] ?? ''));
    expect(again).to.be.at.most(2);
    if (process.env['PORTOLAN_SHOW_TIMES'] === '1') console.log(`same bytes: ${again.toFixed(2)} ms`);
  });
});
