import { expect } from 'chai';
import { DefinitionComparer, takeBaseline } from '../../src/index.ts';
import { TOOL } from '../support/definitions.ts';

const TOOLS = 500;

/** Maximum time of a comparison, as a multiple of a parse of the same text, because a busy machine slows both. */
const MAX_PARSES = 8;

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

/** Prints a figure in milliseconds. The goals are 15 ms, and 2 ms for the same bytes, on a quiet machine. */
function show(title: string, took: number, parse: number): void {
  if (process.env['PORTOLAN_SHOW_TIMES'] === '1')
    console.log(`${title}: ${took.toFixed(2)} ms, ${(took / parse).toFixed(1)} parses`);
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
    it(`DefinitionComparer › compares 500 tools in the time of ${MAX_PARSES} parses: ${title}`, () => {
      const comparer = new DefinitionComparer(baseline);
      const texts = Array.from({ length: 30 }, (_, run) => textOf(run));
      const parse = cpuOf((run) => JSON.parse(texts[run] ?? ''));
      const first = cpuOf((run) => comparer.compareList('tool', texts[run] ?? ''));
      show(title, first, parse);
      expect(first / parse).to.be.at.most(MAX_PARSES);
    });
  }

  it('DefinitionComparer › compares 500 tools with the last bytes in less time than one parse', () => {
    const comparer = new DefinitionComparer(baseline);
    // Each text is a string of its own, as the text of each response is.
    const texts = Array.from({ length: 30 }, () => JSON.stringify(tools));
    comparer.compareList('tool', JSON.stringify(tools));
    const again = cpuOf((run) => comparer.compareList('tool', texts[run] ?? ''));
    const parse = cpuOf((run) => JSON.parse(texts[run] ?? ''));
    show('same bytes', again, parse);
    expect(again).to.be.at.most(parse);
  });
});
