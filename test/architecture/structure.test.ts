import path, { posix } from 'node:path';
import { expect } from 'chai';
import { findCircles } from './find-circles.ts';
import { WINGS } from './import-table.ts';
import { readImports } from './read-imports.ts';
import { readWorkspace } from './workspace.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PROXY = 'packages/proxy/src/';
const MAX_LEVELS = 10;
const MAX_ARROWS = 60;

/**
 * Circles of files that stay, types included. A route has steps that receive the request, whose state has
 * the route. The parts of the metrics and of a supervision refer to the whole.
 */
const CIRCLES: readonly (readonly string[])[] = [
  ['packages/registry-server/src/request/request-state.ts', 'packages/registry-server/src/request/route.ts'],
  [
    'packages/registry-server/src/metrics/metric-reader.ts',
    'packages/registry-server/src/metrics/read-figures.ts',
    'packages/registry-server/src/metrics/sample-metrics.ts',
    'packages/registry-server/src/metrics/server-metrics.ts',
  ],
  [
    'packages/workload/src/supervisor/ask-workload.ts',
    'packages/workload/src/supervisor/policies/begin-policies.ts',
    'packages/workload/src/supervisor/supervision.ts',
    'packages/workload/src/supervisor/waiting.ts',
  ],
];

/** One import of a file by another file of the same package. */
interface Arrow {
  readonly from: string;
  readonly to: string;
}

/** Returns the folder below `src` of the proxy, or the name of a file that lies in `src` itself. */
function folderOf(file: string): string {
  return file.slice(PROXY.length).split('/')[0] ?? '';
}

function levelOf(folder: string, arrows: readonly (readonly [string, string])[]): number {
  const below = arrows.filter(([from]) => from === folder).map(([, to]) => levelOf(to, arrows));
  return 1 + Math.max(0, ...below);
}

/** Names the imports that alone make an arrow between two folders, so that a reader knows what to move. */
function singleImports(between: ReadonlyMap<string, readonly Arrow[]>): string {
  return [...between]
    .filter(([, arrows]) => arrows.length === 1)
    .map(
      ([name, [arrow]]) =>
        `  ${name}: move ${arrow?.to} to ${name.split(' → ')[0]}, or invert the import in ${arrow?.from}`,
    )
    .join('\n');
}

describe('structure', function () {
  this.timeout(180_000); // parses every file

  let arrows: readonly Arrow[];
  before(async () => {
    const { units } = await readWorkspace(ROOT);
    arrows = units.flatMap(({ folder, files }) =>
      [...files]
        .filter(([file]) => file.startsWith(`${folder}/src/`))
        .flatMap(([from, text]) =>
          readImports(from, text).flatMap(({ specifier }) =>
            specifier?.startsWith('.') === true
              ? [{ from, to: posix.join(posix.dirname(from), specifier) }]
              : [],
          ),
        ),
    );
  });

  it(`folders of proxy › have at most ${MAX_LEVELS} levels and ${MAX_ARROWS} arrows`, () => {
    const inProxy = arrows.filter(
      ({ from, to }) => from.startsWith(PROXY) && folderOf(from) !== folderOf(to),
    );
    expect(inProxy).to.have.length.above(100);
    const between = Map.groupBy(inProxy, ({ from, to }) => `${folderOf(from)} → ${folderOf(to)}`);
    const advice = singleImports(between);
    expect(between.size, `too many arrows between folders of proxy:\n${advice}`).to.be.at.most(MAX_ARROWS);
    const order = WINGS['@portolan/proxy'] ?? [];
    const down = inProxy
      .map(({ from, to }) => [folderOf(from), folderOf(to)] as const)
      .filter(([from, to]) => order.indexOf(to) < order.indexOf(from));
    const unique = [...new Map(down.map((pair) => [pair.join(' '), pair])).values()];
    const levels = Math.max(...order.map((folder) => levelOf(folder, unique)));
    expect(levels, `too many levels in proxy:\n${advice}`).to.be.at.most(MAX_LEVELS);
  });

  it('files › form no other circles than those that are listed, types included', () => {
    const found = findCircles(arrows.map(({ from, to }) => [from, to] as const));
    const known = CIRCLES.map((circle) => circle.join(' '));
    const added = found.filter((circle) => !known.includes(circle.join(' ')));
    const advice = added.map(
      (circle) => `${circle.join(', ')}: put the types that they share into a file that imports none of them`,
    );
    expect(advice.join('\n')).to.equal('');
    const circles = found.map((circle) => circle.join(' '));
    const gone = known.filter((circle) => !circles.includes(circle));
    expect(gone, 'remove these from CIRCLES').to.deep.equal([]);
  });
});

describe('findCircles', () => {
  it('finds nodes that reach each other', () => {
    const pairs = [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'a'],
      ['c', 'd'],
      ['e', 'd'],
      ['d', 'f'],
      ['f', 'd'],
    ] as const;
    expect(findCircles(pairs).map((circle) => circle.join(''))).to.have.members(['abc', 'df']);
  });

  it('finds none in a tree', () => {
    expect(
      findCircles([
        ['a', 'b'],
        ['a', 'c'],
        ['b', 'c'],
      ]),
    ).to.deep.equal([]);
  });
});
