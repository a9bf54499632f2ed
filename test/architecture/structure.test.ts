import { glob, readFile } from 'node:fs/promises';
import path, { posix } from 'node:path';
import { expect } from 'chai';
import { findCircles } from './find-circles.ts';
import { WINGS } from './import-table.ts';
import { parseTypeScript } from '../../scripts/parse-typescript.ts';
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

const MAX_FUNCTION_LINES = 60;
const MAX_FOLDER_FILES = 25;

/** Functions of the product that are longer than the maximum. A change may shorten the list only. */
const LONG_FUNCTIONS: readonly string[] = [
  'packages/cli/src/commands/run.ts runServer',
  'packages/cli/src/context/open-workload-context.ts openWorkloadContext',
  'packages/registry-server/src/routes/entry-routes.ts entryRoutes',
  'packages/registry/src/store/migrations/0001-tables.ts up',
  'packages/workload/src/run/steps/prepare-file.ts prepareFile',
  'packages/workload/src/run/steps/prepare-request.ts prepareRequest',
  'packages/workload/src/supervisor/open-client-listener.ts openFront',
  'plugins/middleware-audit/src/proxy/proxy-audit.ts openAudit',
];

/** Folders without inner folders that hold more files than the maximum. */
const LARGE_FOLDERS: readonly string[] = ['plugins/source-git/src'];

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

/** Returns the functions of a file that have more lines than the maximum. */
function longFunctionsIn(file: string, text: string): readonly string[] {
  return parseTypeScript(file, text).nodes.flatMap((node) => {
    const lines = text.slice(node.start, node.end).split('\n').length;
    if (lines <= MAX_FUNCTION_LINES) return [];
    if (node.type === 'FunctionDeclaration') return [`${file} ${node.id?.name ?? 'default'}`];
    if (node.type === 'ClassMethod' && node.key.type === 'Identifier') return [`${file} ${node.key.name}`];
    return [];
  });
}

describe('structure of the sources', function () {
  this.timeout(180_000); // The case parses every file.

  let arrows: readonly Arrow[];
  let sources: ReadonlyMap<string, string>;
  before(async () => {
    const { units } = await readWorkspace(ROOT);
    sources = new Map(
      units.flatMap(({ folder, files }) => [...files].filter(([file]) => file.startsWith(`${folder}/src/`))),
    );
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

  it(`functions › have at most ${MAX_FUNCTION_LINES} lines, except listed ones`, () => {
    const found = [...sources]
      .filter(([file]) => !file.startsWith('packages/plugin-testing/'))
      .flatMap(([file, text]) => longFunctionsIn(file, text));
    const added = found.filter((name) => !LONG_FUNCTIONS.includes(name));
    expect(added, `split these: more than ${MAX_FUNCTION_LINES} lines`).to.deep.equal([]);
  });

  it(`folders › hold at most ${MAX_FOLDER_FILES} files or have inner folders, except listed ones`, () => {
    const folders = Map.groupBy(sources.keys(), (file) => posix.dirname(file));
    const names = [...folders.keys()];
    const large = [...folders]
      .filter(([, files]) => files.length > MAX_FOLDER_FILES)
      .map(([folder]) => folder)
      .filter((folder) => !names.some((name) => name.startsWith(`${folder}/`)));
    const added = large.filter((folder) => !LARGE_FOLDERS.includes(folder));
    expect(added, `give these inner folders: more than ${MAX_FOLDER_FILES} files`).to.deep.equal([]);
  });

  it('exports › have different file names in each package, because the build writes them to one folder', async () => {
    const manifests = glob('{packages,plugins}/*/package.json', { cwd: ROOT });
    for await (const file of manifests) {
      // SAFETY: the next lines read only what they check.
      const { exports = {} } = JSON.parse(await readFile(path.join(ROOT, file), 'utf8')) as {
        readonly exports?: Readonly<Record<string, Readonly<Record<string, string>> | string>>;
      };
      const entries = Object.values(exports).flatMap((one) =>
        typeof one === 'string' ? [] : (one['@portolan/source'] ?? []),
      );
      const names = entries.map((entry) => posix.basename(entry));
      expect(new Set(names).size, `${file}: ${names.join(', ')}`).to.equal(names.length);
    }
  });

  it('files › have no import cycles except listed ones, type imports included', () => {
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

  it('finds no cycle in a tree', () => {
    expect(
      findCircles([
        ['a', 'b'],
        ['a', 'c'],
        ['b', 'c'],
      ]),
    ).to.deep.equal([]);
  });
});
