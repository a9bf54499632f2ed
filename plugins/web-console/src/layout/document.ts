import { type ComponentChildren, h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { View } from './page.ts';
import { styleSheet } from './style-sheet.ts';

/** A whole page: what stands on every one of them, around its body. */
export function document({ parts, at }: View, title: string, body: ComponentChildren): string {
  const { title: site } = parts.config;
  const page = h(
    'html',
    { lang: 'en' },
    h(
      'head',
      {},
      h('meta', { charset: 'utf-8' }),
      h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
      h('meta', { name: 'color-scheme', content: 'light dark' }),
      h('title', {}, title === site ? site : `${title} · ${site}`),
      h('link', { rel: 'stylesheet', href: at(styleSheet.route.path) }),
    ),
    h('body', {}, h('header', {}, h('a', { href: at('/') }, site)), h('main', {}, body)),
  );
  return `<!doctype html>\n${renderToString(page)}\n`;
}
