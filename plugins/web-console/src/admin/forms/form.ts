import { type Attributes, type ComponentChildren, type VNode, h } from 'preact';
import type { View } from '../../layout/view.ts';

export interface FormParts {
  readonly path: string;
  /** What it is for. */
  readonly label: string;
  /** Of what is changed by it. */
  readonly revision?: string | undefined;
  /** Which of its buttons the key Enter stands for; left out: one without a value. */
  readonly main?: string;
  readonly more?: Attributes;
}

/** A form that changes something: it is sent with what shows that it comes from a page of this server. */
export function postForm(
  { at, visitor }: Pick<View, 'at' | 'visitor'>,
  { path, label, revision = '', main = '', more = {} }: FormParts,
  ...children: ComponentChildren[]
): VNode {
  return h(
    'form',
    // Problems are told by the server, all at once, which tells of them at their places.
    { method: 'post', action: at(path), novalidate: true, 'aria-label': label, ...more },
    // What the key Enter presses in a field is the first button.
    h('button', { type: 'submit', class: 'sr', tabindex: -1, 'aria-hidden': 'true', ...named(main) }, label),
    h('input', { type: 'hidden', name: 'csrf', value: visitor.csrf }),
    revision === '' ? undefined : h('input', { type: 'hidden', name: 'revision', value: revision }),
    children,
  );
}

/** The button that sends a form; with a value it is one of several. */
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

/** The way out of a form, with nothing changed. */
export function cancelLink(href: string): VNode {
  return h('a', { class: 'button quiet', href }, 'Cancel');
}

/** The buttons below a form. */
export function actions(...children: ComponentChildren[]): VNode {
  return h('div', { class: 'actions' }, children);
}

/** The lines of a text, without empty ones and the space around them. */
export function linesOf(text: string | null): readonly string[] {
  return (text ?? '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
