import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { DefaultTheme } from 'vitepress';

const ROOT = path.resolve(import.meta.dirname, '../..');

type Item = DefaultTheme.SidebarItem;

/** Folders of guides. The index page of each lists its pages, and those of its inner folders, in reading order. */
export const LISTED_FOLDERS = [
  'docs/get-started',
  'docs/guides/run',
  'docs/guides/protect',
  'docs/guides/registry',
  'docs/guides/registry/sources',
  'docs/guides/registry/providers',
  'docs/guides/registry/publish',
  'docs/guides/registry/admin-api',
  'docs/concepts',
  'docs/operate',
  'docs/extend',
] as const;

/** Returns the paths of the pages that the index page of a folder lists, from the root of the repository. */
export function listedPages(folder: string): readonly string[] {
  const text = readFileSync(path.join(ROOT, folder, 'index.md'), 'utf8');
  return [...text.matchAll(/^- \[[^\]]+\]\(([^)#]+\.md)\)/gm)].map(([, target = '']) =>
    path.posix.join(folder, target),
  );
}

/** Returns the sidebar of the documentation site. */
export function sidebar(): Item[] {
  return [
    ...LISTED_FOLDERS.filter((folder) => !isInner(folder)).map(listedSection),
    {
      text: 'Reference',
      link: '/docs/reference/',
      collapsed: true,
      items: [
        ...links(pagesIn('docs/reference')),
        section('Commands', '/docs/reference/commands/', 'docs/reference/commands'),
      ],
    },
    {
      text: 'Contribute',
      link: '/CONTRIBUTING',
      collapsed: true,
      items: [
        ...links(pagesIn('docs/contributing')),
        section('Decisions', '/docs/decisions/', 'docs/decisions'),
        section('Performance records', '/bench/RECORDS', 'bench/records'),
      ],
    },
  ];
}

/** Returns the section of a listed folder. An index page in its list is a section within it. */
function listedSection(folder: string): Item {
  const items = listedPages(folder).flatMap((page) =>
    page.endsWith('/index.md') ? [listedSection(path.posix.dirname(page))] : links([page]),
  );
  // Each section has a link: the theme shows one without as a button inside a button.
  return { text: titleOf(`${folder}/index.md`), link: `/${folder}/`, collapsed: true, items };
}

function isInner(folder: string): boolean {
  return LISTED_FOLDERS.some((other) => folder.startsWith(`${other}/`));
}

function section(text: string, link: string, folder: string): Item {
  return { text, link, collapsed: true, items: links(pagesIn(folder)) };
}

/** Returns all pages of a folder but its index, by file name. */
function pagesIn(folder: string): readonly string[] {
  return readdirSync(path.join(ROOT, folder))
    .filter((file) => file.endsWith('.md') && file !== 'index.md')
    .toSorted()
    .map((file) => `${folder}/${file}`);
}

function links(files: readonly string[]): Item[] {
  return files.map((file) => ({ text: titleOf(file), link: `/${file.replace(/\.md$/, '')}` }));
}

/** Returns the title of a page: its first heading without Markdown. */
function titleOf(file: string): string {
  const [, title = file] = /^# (.+)$/m.exec(readFileSync(path.join(ROOT, file), 'utf8')) ?? [];
  return title.replaceAll('`', '');
}
