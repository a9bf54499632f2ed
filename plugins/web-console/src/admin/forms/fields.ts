import { type Attributes, type ComponentChildren, type VNode, h } from 'preact';
import type { Problems } from './problems.ts';

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly required?: boolean;
  /** Condition under which the field is required: `if any of these`. */
  readonly neededWhen?: string;
  /** Name of the setting in configuration files, if it differs from the label. */
  readonly setting?: string;
  readonly problems: Problems;
}

export function textField(field: Field, value: string, more: Attributes = {}): VNode {
  return labelled(field, (shared) =>
    h('input', { type: 'text', value, autocomplete: 'off', ...shared, ...more }),
  );
}

export function textArea(field: Field, value: string, more: Attributes = {}): VNode {
  // Adds a line break, because HTML drops the first one directly after `<textarea>`.
  return labelled(field, (shared) =>
    h('textarea', { rows: 3, spellcheck: 'false', ...shared, ...more }, `\n${value}`),
  );
}

export interface Choice {
  readonly value: string;
  readonly text: string;
}

export const NOT_CHOSEN: Choice = { value: '', text: '—' };

export function choicesOf(values: readonly string[]): readonly Choice[] {
  return values.map((value) => ({ value, text: value }));
}

export function selectField(
  field: Field,
  value: string,
  choices: readonly Choice[],
  more: Attributes = {},
): VNode {
  return labelled(field, (shared) =>
    h(
      'select',
      { ...shared, ...more },
      choices.map((choice) =>
        h('option', { value: choice.value, selected: choice.value === value }, choice.text),
      ),
    ),
  );
}

export function checkBox(field: Field, checked: boolean): VNode {
  const id = idOf(field.name);
  return h(
    'div',
    { class: 'field field-check' },
    h('input', { type: 'checkbox', id, name: field.name, value: 'yes', checked }),
    h('label', { for: id }, field.label),
    field.hint === undefined ? undefined : h('p', { class: 'hint' }, field.hint),
  );
}

function labelled(field: Field, control: (shared: Attributes) => VNode): VNode {
  const { name, label, hint, required = false, neededWhen, setting, problems } = field;
  const id = idOf(name);
  const wrong = problems.get(name) ?? [];
  const about = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(wrong.length === 0 ? [] : [`${id}-problem`]),
  ];
  return h(
    'div',
    { class: wrong.length === 0 ? 'field' : 'field field-wrong' },
    h(
      'div',
      { class: 'label' },
      h(
        'label',
        { for: id },
        label,
        required ? h('span', { class: 'quiet' }, ' (needed)') : undefined,
        neededWhen === undefined ? undefined : h('span', { class: 'quiet' }, ` (needed ${neededWhen})`),
      ),
      setting === undefined ? undefined : h('code', { class: 'setting' }, setting),
    ),
    hint === undefined ? undefined : h('p', { class: 'hint', id: `${id}-hint` }, hint),
    control({
      id,
      name,
      required,
      'aria-describedby': about.length === 0 ? undefined : about.join(' '),
      'aria-invalid': wrong.length === 0 ? undefined : 'true',
    }),
    problemList(wrong, `${id}-problem`),
  );
}

export function problemList(wrong: readonly string[], id: string): ComponentChildren {
  if (wrong.length === 0) return undefined;
  return h(
    'ul',
    { class: 'problem', id },
    wrong.map((text) => h('li', {}, text)),
  );
}

function idOf(name: string): string {
  return `field-${name.replace(/[^\w-]/g, '-')}`;
}
