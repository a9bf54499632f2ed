import { type Attributes, type ComponentChildren, type VNode, h } from 'preact';
import type { View } from '../../layout/view.ts';

export interface FormParts {
  readonly path: string;
  readonly label: string;
  readonly revision?: string | undefined;
  /** Value of the button that Enter activates. Default: the button without a value. */
  readonly main?: string;
  readonly more?: Attributes;
}

/** Renders a form that changes something, with a CSRF token. */
export function postForm(
  { at, visitor }: Pick<View, 'at' | 'visitor'>,
  { path, label, revision = '', main = '', more = {} }: FormParts,
  ...children: ComponentChildren[]
): VNode {
  return h(
    'form',
    // The server reports every problem at its field, so the browser does not validate.
    { method: 'post', action: at(path), novalidate: true, 'aria-label': label, ...more },
    // Enter in a field activates the first submit button of a form, so this hidden one comes first.
    h('button', { type: 'submit', class: 'sr', tabindex: -1, 'aria-hidden': 'true', ...named(main) }, label),
    h('input', { type: 'hidden', name: 'csrf', value: visitor.csrf }),
    revision === '' ? undefined : h('input', { type: 'hidden', name: 'revision', value: revision }),
    children,
  );
}

export function submitButton(
  text: string,
  value?: string,
  look: 'main' | 'quiet' | 'danger' = 'main',
): VNode {
  return h(
    'button',
    { type: 'submit', class: look === 'main' ? 'button' : `button ${look}`, ...named(value ?? '') },
    text,
  );
}

function named(value: string): Attributes {
  return value === '' ? {} : { name: 'action', value };
}

export function cancelLink(href: string): VNode {
  return h('a', { class: 'button quiet', href }, 'Cancel');
}

export function actions(...children: ComponentChildren[]): VNode {
  return h('div', { class: 'actions' }, children);
}

/** Returns trimmed, non-empty lines. */
export function linesOf(text: string | null): readonly string[] {
  return (text ?? '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
