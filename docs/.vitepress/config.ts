// The documentation site: `npm run docs:site` serves it, `npm run docs:build` writes it to dist/site.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitepress';

const root = path.resolve(import.meta.dirname, '../..');

/** Returns the title of a page: its first heading without Markdown. */
function titleOf(file: string): string {
  const [, title = file] = /^# (.+)$/m.exec(readFileSync(path.join(root, file), 'utf8')) ?? [];
  return title.replaceAll('`', '');
}

/** Returns sidebar links of files, in the given order. */
function pages(...files: readonly string[]): { text: string; link: string }[] {
  return files.map((file) => ({ text: titleOf(file), link: `/${file.replace(/\.md$/, '')}` }));
}

/** Returns sidebar links of all pages in a folder, sorted by file name. */
function folder(name: string): { text: string; link: string }[] {
  const files = readdirSync(path.join(root, name)).filter(
    (file) => file.endsWith('.md') && file !== 'index.md',
  );
  return pages(...files.toSorted().map((file) => `${name}/${file}`));
}

export default defineConfig({
  title: 'Portolan',
  description: 'Find, run and govern MCP servers',
  // Pages of the whole repository link to each other, so all of them are in the site.
  srcDir: root,
  outDir: path.join(root, 'dist/site'),
  cacheDir: path.join(root, 'node_modules/.cache/site'),
  srcExclude: ['.github/**', 'deploy/**', 'test/**', '**/test/**', 'packages/*/dist/**', 'dist/**'],
  rewrites: { 'README.md': 'index.md' },
  metaChunk: true,
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (md) => {
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
      { text: 'Run servers', link: '/docs/workloads' },
      { text: 'Serve a registry', link: '/docs/deployment' },
      { text: 'Reference', link: '/docs/reference/commands/' },
      { text: 'Changelog', link: '/CHANGELOG' },
    ],
    sidebar: [
      { text: 'Get started', items: [{ text: 'What Portolan is', link: '/' }, ...pages('docs/moving.md')] },
      {
        text: 'Run servers',
        items: pages(
          'docs/workloads.md',
          'docs/consent.md',
          'docs/policy.md',
          'docs/session-replay.md',
          'docs/world.md',
        ),
      },
      {
        text: 'Serve a registry',
        items: pages(
          'docs/configuration.md',
          'docs/authorization.md',
          'docs/publishing.md',
          'docs/consent-publishers.md',
          'docs/web-console.md',
          'docs/admin-api.md',
          'docs/audit.md',
        ),
      },
      {
        text: 'Operate',
        items: pages(
          'docs/deployment.md',
          'docs/operations.md',
          'docs/failure-modes.md',
          'docs/limits.md',
          'docs/conformance.md',
          'docs/reported-faults.md',
          'SECURITY.md',
        ),
      },
      {
        text: 'Reference',
        items: [
          ...folder('docs/reference'),
          {
            text: 'Commands',
            link: '/docs/reference/commands/',
            collapsed: true,
            items: folder('docs/reference/commands'),
          },
        ],
      },
      {
        text: 'Extend',
        items: [
          ...pages('docs/plugins.md', 'docs/architecture.md'),
          { text: 'Contribute', link: '/CONTRIBUTING', collapsed: true, items: folder('docs/contributing') },
          { text: 'Decisions', link: '/docs/decisions/', collapsed: true, items: folder('docs/decisions') },
        ],
      },
    ],
  },
});

/** Whether a link leads to a file or folder of the repository that is no page of the site. */
function isSource(target: string): boolean {
  if (target === '' || /^([a-z]+:|#|\/\/)/i.test(target)) return false;
  return !/\.md(#|$)/.test(target);
}
