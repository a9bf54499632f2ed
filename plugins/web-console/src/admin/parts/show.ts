import type { ResourceClaims } from '@portolan/plugin-api';
import { type ComponentChildren, h, type VNode } from 'preact';
import { badge, statusBadge } from '../../layout/parts-of-pages.ts';
import { accessMode, CLAIMS_OF, WITHOUT_CLAIMS } from './access-mode.ts';
import type { ManageView } from './manage-page.ts';

/** Renders a table that scrolls horizontally, also with the keyboard, when it is wider than the page. */
export function table(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly ComponentChildren[])[],
): VNode {
  return h(
    'div',
    { class: 'scroll', role: 'region', 'aria-label': caption, tabindex: 0 },
    h(
      'table',
      { class: 'stacked' },
      h('caption', { class: 'sr' }, caption),
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          head.map((text) => h('th', { scope: 'col' }, text)),
        ),
      ),
      h(
        'tbody',
        {},
        rows.map(([first, ...others]) =>
          h(
            'tr',
            {},
            h('th', { scope: 'row' }, first),
            others.map((cell, at) => h('td', { 'data-label': head[at + 1] }, cell)),
          ),
        ),
      ),
    ),
  );
}

/** Renders a list of names and values without the rows that have no value. */
export function facts(rows: readonly (readonly [string, ComponentChildren])[]): VNode {
  const shown = rows.filter(([, value]) => value !== undefined && value !== '');
  return h(
    'dl',
    { class: 'facts' },
    shown.map(([name, value]) => h('div', null, h('dt', null, name), h('dd', null, value))),
  );
}

/** Renders an explanation of terms. What it says about claims depends on the access mode. */
export async function explained(
  view: ManageView,
  { what, withManaged = false }: { readonly what: keyof typeof CLAIMS_OF; readonly withManaged?: boolean },
): Promise<VNode> {
  const mode = await accessMode(view);
  const managed = 'A source that is read from nowhere: it holds what people publish to this server.';
  return h(
    'dl',
    { class: mode === 'full' ? 'words' : 'words note warn' },
    h('div', {}, h('dt', {}, 'Claims'), h('dd', {}, `${CLAIMS_OF[what]} ${WITHOUT_CLAIMS[mode]}`)),
    withManaged ? h('div', {}, h('dt', {}, 'Managed'), h('dd', {}, managed)) : undefined,
  );
}

export function madeBy({ creationType }: { readonly creationType: 'CONFIG' | 'API' }): string {
  return creationType === 'CONFIG'
    ? 'by the configuration file of the server, which alone can change it'
    : 'through the API';
}

export function claimsText(claims: ResourceClaims | undefined): ComponentChildren {
  const pairs = Object.entries(claims ?? {});
  if (pairs.length === 0) return h('span', { class: 'quiet' }, 'none');
  return h(
    'ul',
    { class: 'claims' },
    pairs.map(([name, value]) => h('li', {}, h('code', {}, `${name}: ${valueText(value)}`))),
  );
}

function valueText(value: string | readonly string[]): string {
  if (typeof value === 'string') return value;
  return value.length === 0 ? '(any value)' : value.join(' or ');
}

/** Renders a time in readable form, with the exact time in a `datetime` attribute. */
export function timeText(iso: string | undefined, now: Date): ComponentChildren {
  if (iso === undefined) return h('span', { class: 'quiet' }, 'never');
  const exact = `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
  return h('time', { datetime: iso, title: exact }, agoText(iso, now) ?? exact);
}

/** Renders a time to the second, without the date if it is today. */
export function clockTime(iso: string, now: Date): ComponentChildren {
  const [day, time] = [iso.slice(0, 10), `${iso.slice(11, 19)} UTC`];
  return h('time', { datetime: iso }, day === now.toISOString().slice(0, 10) ? time : `${day} ${time}`);
}

const MINUTE = 60_000;

/** Returns the time relative to now; undefined for a distant past or a future time. */
function agoText(iso: string, now: Date): string | undefined {
  const ms = now.getTime() - Date.parse(iso);
  if (!(ms >= -MINUTE && ms < 48 * 60 * MINUTE)) return undefined;
  if (ms < MINUTE) return 'just now';
  if (ms < 90 * MINUTE) return `${Math.round(ms / MINUTE)} min ago`;
  return `${Math.round(ms / (60 * MINUTE))} hours ago`;
}

/** Renders the status of a version, also when it is active. */
export function versionStatus(status: string): VNode {
  return statusBadge(status) ?? badge(status, 'good');
}
