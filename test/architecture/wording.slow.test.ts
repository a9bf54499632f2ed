import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { paragraphsOf, type PlacedText, readTexts, textsOfCode } from './wording/read-texts.ts';
import { findFaults, WORDING_RULES } from './wording/rules.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const BASELINE = path.join(import.meta.dirname, 'wording/baseline.json');
/** Set to 1, writes the baseline instead of comparing with it. */
const IS_WRITING = process.env['PORTOLAN_WRITE_WORDING_BASELINE'] === '1';

/** Numbers of faults: by part of the repository, then by rule. */
type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>;

interface Fault {
  readonly part: string;
  readonly rule: string;
  readonly place: string;
  readonly instead: string;
}

/** Returns the package, the plugin or the top folder that a file belongs to. */
function partOf(file: string): string {
  const [top = '', second = ''] = file.split('/');
  if (top === 'packages' || top === 'plugins') return `${top}/${second}`;
  return file.includes('/') ? top : 'root';
}

function faultsOf({ kind, file, line, text }: PlacedText): readonly Fault[] {
  return findFaults(kind, text).map(({ name, instead }) => ({
    part: partOf(file),
    rule: name,
    place: `${file}:${line}: ${text.slice(0, 160)}`,
    instead,
  }));
}

/** Returns exported constants whose name says "most" where the term is "maximum". */
function faultsOfNames(): readonly Fault[] {
  const files = globSync('{packages,plugins}/*/src/**/*.ts', { cwd: ROOT });
  return files.flatMap((file) =>
    [
      ...readFileSync(path.join(ROOT, file), 'utf8').matchAll(
        /\b(?:const|static readonly) ((?:MOST|LONGEST)_\w+)/g,
      ),
    ].map(([, name = '']) => ({
      part: partOf(file),
      rule: 'most-name',
      place: `${file}: ${name}`,
      instead: 'MAX_…',
    })),
  );
}

/** Returns the measures of guides: headings for 1,000 words, median and share of long paragraphs. */
function measureGuides(): { readonly headings: number; readonly median: number; readonly longShare: number } {
  const guides = 'docs/{*.md,{get-started,guides,concepts,extend,operate}/**/*.md}';
  const pages = globSync(guides, { cwd: ROOT }).map((file) => ({
    file,
    text: readFileSync(path.join(ROOT, file), 'utf8'),
  }));
  const sizes = pages
    .flatMap(({ file, text }) => paragraphsOf(file, text))
    .map(({ text }) => text.split(/\s+/).length)
    .toSorted((one, other) => one - other);
  const words = sizes.reduce((sum, size) => sum + size, 0);
  const headings = pages.reduce((sum, { text }) => sum + (text.match(/^#+ /gm)?.length ?? 0), 0);
  return {
    headings: (headings * 1000) / words,
    median: sizes[Math.floor(sizes.length / 2)] ?? 0,
    longShare: sizes.filter((size) => size > 80).length / sizes.length,
  };
}

function countFaults(faults: readonly Fault[]): Counts {
  const parts = Map.groupBy(faults, ({ part }) => part);
  return Object.fromEntries(
    [...parts]
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([part, some]) => [
        part,
        Object.fromEntries(
          [...Map.groupBy(some, ({ rule }) => rule)]
            .map(([rule, all]) => [rule, all.length] as const)
            .toSorted(([one], [other]) => one.localeCompare(other)),
        ),
      ]),
  );
}

describe('wording of comments, titles, messages and guides', () => {
  let faults: readonly Fault[];
  before(() => {
    faults = [...readTexts(ROOT).flatMap((text) => faultsOf(text)), ...faultsOfNames()];
    if (!IS_WRITING) return;
    writeFileSync(BASELINE, `${JSON.stringify(countFaults(faults), null, 2)}\n`);
  });

  it('has at most as many faults of each rule as the baseline, in every part of the repository', () => {
    const baseline = JSON.parse(readFileSync(BASELINE, 'utf8')) as Counts;
    const grown = Object.entries(countFaults(faults)).flatMap(([part, counts]) =>
      Object.entries(counts).flatMap(([rule, count]) => {
        const before = baseline[part]?.[rule] ?? 0;
        if (count <= before) return [];
        const some = faults.filter((fault) => fault.part === part && fault.rule === rule);
        return [
          `${part} has ${count} texts against the rule "${rule}", ${before} in the baseline. Write ${some[0]?.instead} instead. They are:`,
          ...some.slice(-30).map(({ place }) => `    ${place}`),
        ];
      }),
    );
    expect(grown.join('\n')).to.equal('');
  });

  it('finds a fault of each rule in a sample', () => {
    const samples: Readonly<Record<string, string>> = {
      answer: '/** Returns the answer of the server. */',
      whoever: '/** Refuses whoever has no login. */',
      archaism: '// Opened anew after a restart.',
      beside: '// A flag beside a file.',
      'passive-told': '// The client is told of it.',
      'as-long-as-it-likes': '// A caller waits as it likes.',
      surroundings: '/** Returns the surroundings of a process. */',
      metaphor: '// The door of the package.',
      'stands-in': '// It stands in the log.',
      'docstring-start': '/** Its sentence. */',
      'negation-last': '// This path exists not.',
    };
    for (const { name } of WORDING_RULES) {
      const [text] = textsOfCode('a.ts', samples[name] ?? '');
      expect(text, name).not.to.equal(undefined);
      const found = text === undefined ? [] : findFaults(text.kind, text.text).map((rule) => rule.name);
      expect(found, name).to.include(name);
    }
  });

  it('names in comments of the sources only Markdown files that exist', () => {
    const names = new Set(
      globSync('**/*.md', { cwd: ROOT, exclude: ['**/node_modules/**'] }).map((file) => path.basename(file)),
    );
    const unknown = readTexts(ROOT)
      .filter(({ kind, file }) => (kind === 'comment' || kind === 'docstring') && file.includes('/src/'))
      .flatMap(({ file, line, text }) =>
        [...text.matchAll(/\b[\w-]+\.md\b/g)]
          .filter(([name]) => !names.has(name))
          .map(([name]) => `${file}:${line} names ${name}, which is not in the repository`),
      );
    expect(unknown).to.deep.equal([]);
  });

  it('keeps guides within the limits for headings, median paragraph and long paragraphs', () => {
    const { headings, median, longShare } = measureGuides();
    expect(headings, 'headings for 1,000 words').to.be.at.least(GUIDES.headings);
    expect(median, 'words of the median paragraph').to.be.at.most(GUIDES.median);
    expect(longShare, 'share of paragraphs over 80 words').to.be.at.most(GUIDES.longShare);
  });
});

/** The goals of `docs/contributing/writing.md`. */
const GUIDES = { headings: 13, median: 18, longShare: 0.02 };
