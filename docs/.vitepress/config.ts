// The documentation site: `npm run docs:site` serves it, `npm run docs:build` writes it to dist/site.
import path from 'node:path';
import { defineConfig } from 'vitepress';
import { renderDiagrams } from './diagrams.ts';
import { sidebar } from './sidebar.ts';

const root = path.resolve(import.meta.dirname, '../..');

export default defineConfig({
  title: 'Portolan',
  description: 'Find, run and govern MCP servers',
  // Pages of the whole repository link to each other, so all of them are in the site.
  srcDir: root,
  outDir: path.join(root, 'dist/site'),
  cacheDir: path.join(root, 'node_modules/.cache/site'),
  srcExclude: [
    'changes/*.*.md',
    '.github/**',
    'deploy/**',
    'test/**',
    '**/test/**',
    'packages/*/dist/**',
    'dist/**',
  ],
  rewrites: { 'README.md': 'index.md' },
  metaChunk: true,
  markdown: {
    // The same anchors as on GitHub for headings with underscores or a first digit, such as codes of errors and steps.
    anchor: { slugify: anchorOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (md) => {
      renderDiagrams(md);
      // Links to sources lead out of the site: show their text only.
      md.core.ruler.push('source-links', ({ tokens }) => {
        for (const { children } of tokens) {
          let isOpen = false;
          for (const token of children ?? []) {
            const target = token.attrGet('href') ?? '';
            if (token.type === 'link_open' && isSource(target))
              [token.tag, token.attrs, isOpen] = ['span', [], true];
            if (token.type === 'link_close' && isOpen) [token.tag, isOpen] = ['span', false];
          }
        }
      });
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Get started', link: '/docs/get-started/' },
      { text: 'Run servers', link: '/docs/guides/run/' },
      { text: 'Serve a registry', link: '/docs/guides/registry/' },
      { text: 'Reference', link: '/docs/reference/commands/' },
      { text: 'Changelog', link: '/CHANGELOG' },
    ],
    sidebar: sidebar(),
  },
});

/** Returns the anchor of a heading: its words in small letters, with hyphens in between. */
function anchorOf(heading: string): string {
  return heading
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036F]/g, '')
    .replaceAll(/[^\p{L}\p{N}_]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .toLowerCase();
}

/** Whether a link leads to a file or folder of the repository that is no page of the site. */
function isSource(target: string): boolean {
  if (target === '' || /^([a-z]+:|#|\/\/)/i.test(target)) return false;
  return !/\.md(#|$)/.test(target);
}
