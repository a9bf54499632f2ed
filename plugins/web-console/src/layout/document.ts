import { h, type VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { compassRose } from './compass-rose.ts';
import type { NavigationItem, PageContent, View } from './view.ts';
import { foreign } from './parts-of-pages.ts';

interface DocumentContent extends Pick<PageContent, 'title' | 'trail'> {
  readonly body: string;
}

export function document(
  view: View,
  { title, body, trail = [] }: DocumentContent,
  navigation: readonly NavigationItem[],
): string {
  const { parts, at } = view;
  const { title: site } = parts.config;
  const { style, script, mark } = parts.assets;
  const page = h(
    'html',
    { lang: 'en' },
    h(
      'head',
      null,
      h('meta', { charset: 'utf-8' }),
      h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
      h('meta', { name: 'color-scheme', content: 'light dark' }),
      h('title', null, title === site ? site : `${title} · ${site}`),
      h('link', { rel: 'icon', type: 'image/svg+xml', href: at(mark.route.path) }),
      h('link', { rel: 'stylesheet', href: at(style.route.path) }),
      h('script', { type: 'module', src: at(script.route.path) }),
    ),
    h(
      'body',
      null,
      h('a', { class: 'skip', href: '#content' }, 'To the content'),
      header(view, navigation),
      trail.length === 0 ? null : wayTo(view, trail, title),
      h('main', { id: 'content', tabindex: '-1', dangerouslySetInnerHTML: { __html: body } }),
      footer(view),
    ),
  );
  return `<!doctype html>\n${renderToString(page)}\n`;
}

function header({ parts, at, visitor }: View, navigation: readonly NavigationItem[]): VNode {
  const { name, loginPath } = visitor;
  return h(
    'header',
    { class: 'top' },
    h(
      'div',
      { class: 'inner' },
      h(
        'a',
        { class: 'brand', href: at('/') },
        compassRose({ class: 'mark' }),
        foreign('span', parts.config.title),
      ),
      h(
        'nav',
        { 'aria-label': 'Main' },
        h('a', { href: at('/') }, 'Registries'),
        navigation.map(({ path, text }) => h('a', { href: at(path) }, text)),
      ),
      name === undefined ? null : foreign('span', name, { class: 'who' }),
      loginPath === undefined ? null : h('a', { class: 'button quiet', href: at(loginPath) }, 'Log in'),
      logoutForm({ visitor, at }),
    ),
  );
}

function wayTo({ at }: View, trail: readonly NavigationItem[], title: string): VNode {
  return h(
    'nav',
    { class: 'trail inner', 'aria-label': 'You are here' },
    h(
      'ol',
      null,
      trail.map(({ path, text }) => h('li', null, h('a', { href: at(path), dir: 'auto' }, text))),
      h('li', { 'aria-current': 'page' }, h('bdi', null, title)),
    ),
  );
}

function footer({ parts, at }: View): VNode {
  return h(
    'footer',
    { class: 'bottom' },
    h(
      'div',
      { class: 'inner' },
      h('span', null, `Portolan ${parts.hostContext.version}`),
      h('a', { href: at('/openapi.json') }, 'API description'),
      h('a', { href: at('/registry') }, 'Registries as JSON'),
    ),
  );
}

function logoutForm({ visitor, at }: Pick<View, 'visitor' | 'at'>): VNode | null {
  if (!visitor.hasSession) return null;
  return h(
    'form',
    { class: 'logout', method: 'post', action: at('/logout') },
    h('input', { type: 'hidden', name: 'csrf', value: visitor.csrf }),
    h('button', { class: 'button quiet', type: 'submit' }, 'Log out'),
  );
}
