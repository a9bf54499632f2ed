import { type ComponentChildren, h, type VNode } from 'preact';
import { shortened } from '../../responses/json-value.ts';
import { visibleText } from './visible-text.ts';

const SHOWN_TEXT = 600;
const SHOWN_WHOLE_TEXT = 20_000;

/** Renders a text of a definition. The whole of a long text is behind a summary. */
export function definitionText(text: string): VNode {
  const whole = h(
    'div',
    { dir: 'auto', class: 'quiet whole' },
    visibleText(shortened(text, SHOWN_WHOLE_TEXT)),
  );
  if (text.length <= SHOWN_TEXT) return whole;
  return h(
    'div',
    null,
    h('p', { dir: 'auto', class: 'quiet' }, visibleText(shortened(text, SHOWN_TEXT))),
    h('details', null, h('summary', null, 'Whole text'), whole),
  );
}

/** Renders a line of parameters: required ones by their name, others with a question mark. */
export function parameterLine(
  parameters: readonly { readonly name: string; readonly isRequired: boolean }[],
  most: number,
): VNode | null {
  if (parameters.length === 0) return null;
  const names: ComponentChildren = parameters
    .slice(0, most)
    .map(({ name, isRequired }, at) => [
      at === 0 ? '' : ', ',
      h('code', { dir: 'ltr' }, visibleText(shortened(name, 200)), isRequired ? '' : '?'),
    ]);
  const more = parameters.length - most;
  return h('p', { class: 'takes' }, 'Takes ', names, more > 0 ? ` and ${more} more` : '');
}
