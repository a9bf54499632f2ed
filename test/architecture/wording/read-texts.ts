import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A kind of text that people read, and that the rules of `docs/contributing/writing.md` cover. */
export type TextKind = 'comment' | 'docstring' | 'title' | 'message' | 'guide';

/** One text of the repository. */
export interface PlacedText {
  readonly kind: TextKind;
  /** Path from the root, with slashes. */
  readonly file: string;
  /** First line, from 1. */
  readonly line: number;
  readonly text: string;
}

const CODE = [
  'packages/*/{src,test,bin}/**/*.ts',
  'plugins/*/{src,test}/**/*.ts',
  'scripts/**/*.ts',
  'test/**/*.ts',
];
/**
 * The page and the code of the rules contain the forbidden words. Generated pages are covered by their
 * generators.
 */
const LEFT_OUT =
  /^(?:docs\/reference\/|docs\/contributing\/writing\.md|docs\/decisions\/|test\/architecture\/wording)/;
const DIRECTIVE = /^(?:#?region|#?endregion|oxlint|eslint|biome|@ts-|!)/;

/** Returns every comment, docstring, test title, error text and guide paragraph of the repository. */
export function readTexts(root: string): readonly PlacedText[] {
  const files = (patterns: readonly string[]): readonly string[] =>
    globSync(patterns, { cwd: root, exclude: ['**/node_modules/**', '**/dist/**', '**/*.d.ts'] })
      .map((file) => file.split(path.sep).join('/'))
      .filter((file) => !LEFT_OUT.test(file))
      .toSorted();
  const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
  return [
    ...files(CODE).flatMap((file) => textsOfCode(file, read(file))),
    ...files([
      'docs/**/*.md',
      'README.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      '{packages,plugins,examples}/*/README.md',
    ]).flatMap((file) => paragraphsOf(file, read(file))),
  ];
}

/** Returns the texts of one module: comments, test titles, and strings of errors. */
export function textsOfCode(file: string, source: string): readonly PlacedText[] {
  const lines = source.split('\n');
  const texts: PlacedText[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const block = /^\s*\/\*(\*?)(.*)$/.exec(line);
    if (block !== null) {
      const { text, end } = readBlock(lines, at, block[2] ?? '');
      texts.push({ kind: block[1] === '*' ? 'docstring' : 'comment', file, line: at + 1, text });
      at = end;
      continue;
    }
    const comment = /^\s*\/\/(.*)$/.exec(line) ?? /[;,{})\]]\s+\/\/\s(.*)$/.exec(line);
    if (comment !== null) texts.push({ kind: 'comment', file, line: at + 1, text: comment[1] ?? '' });
    const title = /^\s*(?:describe|it)(?:\.\w+)?\(\s*(['"`])((?:\\.|(?!\1).)*)\1/.exec(line);
    if (title !== null) texts.push({ kind: 'title', file, line: at + 1, text: title[2] ?? '' });
    const message =
      /(?:message|hint|expected|found|summary|description):\s*(['"`])((?:\\.|(?!\1).){12,})\1/.exec(line);
    if (message !== null) texts.push({ kind: 'message', file, line: at + 1, text: message[2] ?? '' });
  }
  return texts
    .map((one) => ({ ...one, text: one.text.replace(/\s+/g, ' ').trim() }))
    .filter(({ text }) => /[a-z]{3}/i.test(text) && !DIRECTIVE.test(text));
}

function readBlock(
  lines: readonly string[],
  from: number,
  first: string,
): { readonly text: string; readonly end: number } {
  const body: string[] = [];
  let end = from;
  let rest = first;
  while (!rest.includes('*/') && end + 1 < lines.length) {
    body.push(rest);
    end += 1;
    rest = (lines[end] ?? '').replace(/^\s*\*(?!\/)/, '');
  }
  body.push(rest.split('*/')[0] ?? '');
  return { text: body.join(' '), end };
}

/** Returns the paragraphs of a page, without code blocks, tables and headings. Items of a list are paragraphs. */
export function paragraphsOf(file: string, page: string): readonly PlacedText[] {
  const texts: PlacedText[] = [];
  let isCode = false;
  let current: { line: number; words: string[] } | undefined;
  const end = (): void => {
    if (current !== undefined)
      texts.push({ kind: 'guide', file, line: current.line, text: current.words.join(' ') });
    current = undefined;
  };
  for (const [at, line] of page.split('\n').entries()) {
    if (/^\s*```/.test(line)) isCode = !isCode;
    const isProse = !isCode && !/^\s*(?:```|\||#|<|$)/.test(line);
    if (!isProse || /^\s*(?:[-*]|\d+\.)\s/.test(line)) end();
    if (!isProse) continue;
    current ??= { line: at + 1, words: [] };
    current.words.push(line.trim());
  }
  end();
  return texts;
}
