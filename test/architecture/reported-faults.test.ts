import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';

const PAGE = path.resolve(import.meta.dirname, '../../docs/reference/reported-faults.md');

/* Every number of registry-api.md 18. The page has to contain all of them. */
const REFERENCE = [262, 303, 541, 547, 549, 567, 654, 769, 770, 772, 842, 843, 845, 849, 851, 886, 888];
const OTHERS = [
  32, 80, 104, 133, 296, 416, 604, 710, 751, 756, 781, 783, 812, 816, 858, 903, 994, 1305, 3121, 3569, 3630,
  3772, 17_779, 278_610, 282_456, 283_525, 286_092,
];
/** Codes of faults that trials of Portolan with real programs found. */
const TRIALS = [
  'B2',
  'W2',
  'F1',
  'F2',
  'F3',
  'F4',
  'F5',
  'F6',
  'F7',
  'F8',
  'F9',
  'F10',
  'N3',
  'N4',
  'N7',
  'N8',
  'N9',
  'N10',
];

interface Fault {
  readonly numbers: readonly string[];
  /** Returns true if the last column says that nothing is done. */
  readonly isLeft: boolean;
  /** Paths of test files, from the root of the repository. */
  readonly tests: readonly string[];
}

/* Reports about runners, gateways and their clients, tried in November 2026. */
const RUNNERS = [
  38, 89, 108, 116, 126, 134, 139, 141, 147, 160, 166, 177, 238, 284, 285, 302, 318, 318, 338, 343, 379, 416,
  533, 535, 588, 694, 813, 848, 1503, 1546, 1568, 2098, 2114, 2117, 2152, 2270, 2323, 2518, 2686, 2748, 2980,
  3261, 3596, 4205, 4425, 5775, 6204, 6557, 11_869, 12_788, 37_019, 45_368, 95_187,
];

/* Reports about values of registry entries. */
const ENTRIES = [394, 503, 614, 523, 741];

async function readFaults(): Promise<readonly Fault[]> {
  const lines = (await readFile(PAGE, 'utf8')).split('\n').filter((line) => /^\| .*\d/.test(line));
  return lines.map((line) => {
    const [, numbers = '', , here = '', tests = ''] = line.split('|');
    return {
      numbers: [...numbers.matchAll(/\b[A-Z]?\d+\b/g)].map(([text]) => text),
      isLeft: /\*not offered(?: at once)?:\*/.test(here),
      tests: [...tests.matchAll(/\]\((?:\.\.\/){2}([^)]+)\)/g)].map(([, file = '']) => file),
    };
  });
}

describe('docs/reference/reported-faults.md', () => {
  let faults: readonly Fault[];
  before(async () => {
    faults = await readFaults();
  });

  it('lists each issue number once', () => {
    const numbers = [...[...REFERENCE, ...OTHERS, ...OAUTH, ...RUNNERS, ...ENTRIES].map(String), ...TRIALS];
    const found = faults.flatMap((fault) => fault.numbers);
    expect(found.toSorted()).to.deep.equal(numbers.toSorted());
  });

  it('names tests whose titles have the issue number, unless the page says that nothing is done', async () => {
    const unnamed: string[] = [];
    for (const { numbers, isLeft, tests } of faults) {
      expect(tests.length > 0, numbers.join()).to.equal(!isLeft);
      for (const file of tests) {
        const text = await readFile(path.resolve(PAGE, '../../..', file), 'utf8');
        const titles = text.matchAll(/\b(?:describe|it)\(\s*['"`].*/g);
        const comments = text.matchAll(/^\s*\/\/ .*$/gm);
        const named = [...titles, ...comments].map(([line]) => line).join('\n');
        for (const number of numbers)
          if (!new RegExp(`\\b${number}\\b`).test(named)) unnamed.push(`${number} in ${file}`);
      }
    }
    expect(unnamed).to.deep.equal([]);
  });
});

/** Reports about OAuth. */
const OAUTH = [640, 786, 832, 1342, 2602, 3739, 4124, 17_265, 18_674, 26_150, 38_973, 59_725];
